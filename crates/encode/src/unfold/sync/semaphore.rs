//! Semaphores: the count, and whether there is one.

use heddle_sat::{Binary, Relation, Term};
use heddle_semantics::{SemaphoreOp, SyncOp};
use smallvec::SmallVec;

use crate::unfold::{Dead, Unfolder};

use super::{DESTROYED, EINVAL};

const EAGAIN: u64 = 11;
const EOVERFLOW: u64 = 75;
const LIVE_SEMAPHORE: u64 = 1;
const MOST_COUNT: u64 = i32::MAX as u64;

impl Unfolder<'_> {
    pub(crate) fn semaphore_op(&mut self, op: SemaphoreOp, addr: Term) -> Result<Term, Dead> {
        let (point, outer) = self.begin_sync(SyncOp::Semaphore(op).draining())?;
        let always = self.symbolic.terms.truth(true);
        let (zero, one) = (self.number(0), self.number(1));
        let live = self.number(LIVE_SEMAPHORE);
        if let SemaphoreOp::Init(count) = op {
            if u64::from(count) > MOST_COUNT {
                self.end_sync(outer);
                return Ok(self.number(EINVAL));
            }
            let count = self.number(u64::from(count));
            return self.initialise(addr, &[(0, count), (4, live)], point, outer);
        }
        let count = self.word(addr, 0, 4, point)?;
        let state = self.word(addr, 4, 4, point)?;
        let alive = self.symbolic.terms.relate(Relation::Eq, state.value, live);
        let dead = self.symbolic.terms.not(alive);
        self.misuse(dead);
        let none = self.symbolic.equals(count.value, 0);
        let some = self.symbolic.terms.not(none);
        let less = self.symbolic.terms.binary(Binary::Sub, count.value, one);
        let result = match op {
            SemaphoreOp::Init(_) => unreachable!("handled above"),
            SemaphoreOp::Wait => {
                let test = self.test(&count, SmallVec::new(), Some(zero));
                self.wait_at(point, always, vec![test], outer)?;
                self.set(&count, less, always, point);
                zero
            }
            SemaphoreOp::TryWait => {
                self.set(&count, less, some, point);
                let again = self.number(EAGAIN);
                self.symbolic.terms.select(some, zero, again)
            }
            SemaphoreOp::Post => {
                let full = self.symbolic.equals(count.value, MOST_COUNT);
                let room = self.symbolic.terms.not(full);
                let more = self.symbolic.terms.binary(Binary::Add, count.value, one);
                self.set(&count, more, room, point);
                let error = self.number(EOVERFLOW);
                self.symbolic.terms.select(room, zero, error)
            }
            SemaphoreOp::Value => count.value,
            SemaphoreOp::Destroy => {
                let gone = self.number(DESTROYED);
                self.set_plainly(&state, gone, point, outer);
                // Who waits for it goes on, and finds it destroyed.
                self.set_plainly(&count, one, point, outer);
                zero
            }
        };
        self.end_sync(outer);
        Ok(result)
    }
}
