//! Mutexes: the owner's code, a count for recursive ones, the kind.

use heddle_sat::{Binary, Relation, Term};
use heddle_semantics::MutexOp;
use smallvec::smallvec;

use crate::unfold::{Dead, Unfolder};

use super::{DESTROYED, EBUSY};

const RECURSIVE: u64 = 1;
const ERROR_CHECKING: u64 = 2;
const EPERM: u64 = 1;
const EDEADLK: u64 = 35;

impl Unfolder<'_> {
    pub(crate) fn mutex_op(&mut self, op: MutexOp, addr: Term) -> Result<Term, Dead> {
        let kind_offset = if self.program.pointer_bytes == 8 { 16 } else { 12 };
        let (point, outer) = self.begin_sync(op.draining())?;
        let always = self.symbolic.terms.truth(true);
        let zero = self.number(0);
        if let MutexOp::Init(kind) = op {
            self.check_free(addr, point)?;
            let kind = self.number(u64::from(kind));
            let words = [(0, zero), (4, zero), (kind_offset, kind)];
            return self.initialise(addr, &words, point, outer);
        }
        let owner = self.word(addr, 0, 4, point)?;
        let kind = self.word(addr, kind_offset, 4, point)?.value;
        let three = self.number(3);
        let kind = self.symbolic.terms.binary(Binary::And, kind, three);
        let recursive = self.symbolic.equals(kind, RECURSIVE);
        let checking = self.symbolic.equals(kind, ERROR_CHECKING);
        let me = self.code();
        let mine = self.symbolic.terms.relate(Relation::Eq, owner.value, me);
        let free = self.symbolic.equals(owner.value, 0);
        let destroyed = self.symbolic.equals(owner.value, DESTROYED);
        self.misuse(destroyed);
        let again = self.symbolic.terms.and(mine, recursive);
        // Only recursive mutexes count.
        let count = match self.symbolic.terms.as_constant(recursive) {
            Some(0) => None,
            _ => Some(self.word(addr, 4, 4, point)?),
        };
        let one = self.number(1);
        let result = match op {
            MutexOp::Init(_) => unreachable!("handled above"),
            MutexOp::Lock | MutexOp::TryLock => {
                let refused = self.symbolic.terms.and(mine, checking);
                let through = self.symbolic.terms.or(again, refused);
                let waits = self.symbolic.terms.not(through);
                if op == MutexOp::Lock {
                    let gone = self.number(DESTROYED);
                    // Told by the owner only, which may be another one when it passes.
                    let polite = self.symbolic.terms.or(recursive, checking);
                    let also = self.symbolic.terms.select(polite, me, zero);
                    let test = self.test(&owner, smallvec![zero, gone, also], None);
                    self.wait_at(point, always, vec![test], outer)?;
                }
                let taken = match op {
                    MutexOp::Lock => waits,
                    _ => free,
                };
                self.set(&owner, me, taken, point);
                if let Some(count) = &count {
                    let more = self.symbolic.terms.binary(Binary::Add, count.value, one);
                    let next = self.symbolic.terms.select(again, more, one);
                    let counts = self.symbolic.terms.or(taken, again);
                    self.set(count, next, counts, point);
                }
                let ok = self.symbolic.terms.or(taken, again);
                let error = self.number(if op == MutexOp::Lock { EDEADLK } else { EBUSY });
                self.symbolic.terms.select(ok, zero, error)
            }
            MutexOp::Unlock => {
                let polite = self.symbolic.terms.or(recursive, checking);
                let not_mine = self.symbolic.terms.not(mine);
                let rude = self.symbolic.terms.not(polite);
                let bad = self.symbolic.terms.and(not_mine, rude);
                self.misuse(bad);
                let mut last = mine;
                if let Some(count) = &count {
                    let less = self.symbolic.terms.binary(Binary::Sub, count.value, one);
                    let single = self.symbolic.terms.relate(Relation::ULe, count.value, one);
                    let several = self.symbolic.terms.not(single);
                    let nested = self.symbolic.terms.and(several, recursive);
                    let outermost = self.symbolic.terms.not(nested);
                    last = self.symbolic.terms.and(mine, outermost);
                    self.set(count, less, mine, point);
                }
                self.set(&owner, zero, last, point);
                let error = self.number(EPERM);
                self.symbolic.terms.select(mine, zero, error)
            }
            MutexOp::Destroy => {
                let held = self.symbolic.terms.not(free);
                self.misuse(held);
                let gone = self.number(DESTROYED);
                self.set_plainly(&owner, gone, point, outer);
                zero
            }
        };
        self.end_sync(outer);
        Ok(result)
    }
}
