//! Barriers.

use heddle_sat::{Binary, Relation, Term};
use heddle_semantics::{BarrierOp, SyncOp};
use smallvec::SmallVec;

use crate::unfold::{Dead, Unfolder};

use super::EINVAL;

impl Unfolder<'_> {
    /// How many meet, how many have arrived, and the number of meetings.
    pub(crate) fn barrier_op(&mut self, op: BarrierOp, addr: Term) -> Result<Term, Dead> {
        const GONE: u64 = u16::MAX as u64;
        let draining = SyncOp::Barrier(op).draining();
        let (point, outer) = self.begin_sync(draining)?;
        let always = self.symbolic.terms.truth(true);
        let (zero, one) = (self.number(0), self.number(1));
        if let BarrierOp::Init(count) = op {
            if count == 0 {
                self.end_sync(outer);
                return Ok(self.number(EINVAL));
            }
            let count = self.number(u64::from(count));
            return self.initialise(addr, &[(0, count), (4, zero), (8, zero)], point, outer);
        }
        let count = self.word(addr, 0, 4, point)?;
        let arrived = self.word(addr, 4, 4, point)?;
        let meeting = self.word(addr, 8, 4, point)?;
        let never = self.symbolic.equals(count.value, 0);
        let gone = self.symbolic.equals(count.value, GONE);
        let bad = self.symbolic.terms.or(never, gone);
        self.misuse(bad);
        if op == BarrierOp::Destroy {
            let empty = self.symbolic.equals(arrived.value, 0);
            let busy = self.symbolic.terms.not(empty);
            self.misuse(busy);
            let gone = self.number(GONE);
            self.set(&count, gone, always, point);
            self.end_sync(outer);
            return Ok(zero);
        }
        let more = self.symbolic.terms.binary(Binary::Add, arrived.value, one);
        let last = self.symbolic.terms.relate(Relation::Eq, more, count.value);
        let next = self.symbolic.terms.select(last, zero, more);
        self.set(&arrived, next, always, point);
        let after = self.symbolic.terms.binary(Binary::Add, meeting.value, one);
        self.set(&meeting, after, last, point);
        self.end_sync(outer);
        let waits = self.symbolic.terms.not(last);
        let (point, outer) = self.begin_sync_if(waits, draining)?;
        let now = self.word(addr, 8, 4, point)?;
        let test = self.test(&now, SmallVec::new(), Some(meeting.value));
        self.wait_at(point, waits, vec![test], outer)?;
        self.end_sync(outer);
        Ok(self.symbolic.terms.select(last, one, zero))
    }
}
