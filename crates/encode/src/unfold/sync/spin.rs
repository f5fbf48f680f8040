//! Spin locks, and things that are to be done once: a word each.

use heddle_sat::{Relation, Term};
use heddle_semantics::{OnceOp, SpinOp, SyncOp};
use smallvec::{SmallVec, smallvec};

use crate::unfold::{Dead, Unfolder};

use super::{DESTROYED, EBUSY};

impl Unfolder<'_> {
    pub(crate) fn spin_op(&mut self, op: SpinOp, addr: Term) -> Result<Term, Dead> {
        let (point, outer) = self.begin_sync(SyncOp::Spin(op).draining())?;
        let always = self.symbolic.terms.truth(true);
        let zero = self.number(0);
        if op == SpinOp::Init {
            self.check_free(addr, point)?;
            return self.initialise(addr, &[(0, zero)], point, outer);
        }
        let owner = self.word(addr, 0, 4, point)?;
        let gone = self.number(DESTROYED);
        let destroyed = self.symbolic.equals(owner.value, DESTROYED);
        self.misuse(destroyed);
        let me = self.code();
        let mine = self.symbolic.terms.relate(Relation::Eq, owner.value, me);
        let free = self.symbolic.equals(owner.value, 0);
        let mut result = zero;
        match op {
            SpinOp::Init => unreachable!("handled above"),
            SpinOp::Lock => {
                let test = self.test(&owner, smallvec![zero, gone], None);
                self.wait_at(point, always, vec![test], outer)?;
                self.set(&owner, me, always, point);
            }
            SpinOp::TryLock => {
                self.set(&owner, me, free, point);
                let busy = self.number(EBUSY);
                result = self.symbolic.terms.select(free, zero, busy);
            }
            SpinOp::Unlock => {
                let bad = self.symbolic.terms.not(mine);
                self.misuse(bad);
                self.set(&owner, zero, always, point);
            }
            SpinOp::Destroy => {
                let bad = self.symbolic.terms.not(free);
                self.misuse(bad);
                self.set_plainly(&owner, gone, point, outer);
            }
        }
        self.end_sync(outer);
        Ok(result)
    }

    pub(crate) fn once_op(&mut self, op: OnceOp, addr: Term) -> Result<Term, Dead> {
        let (point, outer) = self.begin_sync(SyncOp::Once(op).draining())?;
        let always = self.symbolic.terms.truth(true);
        let (zero, one, two) = (self.number(0), self.number(1), self.number(2));
        let state = self.word(addr, 0, 4, point)?;
        let result = match op {
            OnceOp::Begin => {
                let test = self.test(&state, SmallVec::new(), Some(one));
                self.wait_at(point, always, vec![test], outer)?;
                let done = self.symbolic.equals(state.value, 2);
                let first = self.symbolic.terms.not(done);
                self.set(&state, one, first, point);
                self.symbolic.terms.select(first, one, zero)
            }
            OnceOp::End => {
                self.set(&state, two, always, point);
                zero
            }
        };
        self.end_sync(outer);
        Ok(result)
    }
}
