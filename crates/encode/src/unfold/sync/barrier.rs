//! Waits at barriers, which take two points: to arrive, and to leave.

use heddle_sat::Term;
use heddle_semantics::sync::SyncHost;
use heddle_semantics::sync::barrier::{self, Arrival, GENERATION};
use heddle_semantics::{BarrierOp, SyncOp};

use crate::unfold::{Dead, Unfolder};

use super::operation::Operation;

impl Unfolder<'_> {
    /// 1 for the thread that arrives last, 0 for the others.
    pub(super) fn barrier_wait(&mut self, addr: Term) -> Result<Term, Dead> {
        let draining = SyncOp::Barrier(BarrierOp::Wait).draining();
        let (point, outer) = self.begin_sync(draining)?;
        let mut arriving = Operation::new(self, addr, (point, outer), draining);
        let Arrival { last, generation } = barrier::arrive(&mut arriving)?;
        self.end_sync(outer);
        let waits = self.symbolic.terms.not(last);
        let (point, outer) = self.begin_sync_if(waits, draining)?;
        let mut leaving = Operation::new(self, addr, (point, outer), draining);
        leaving.wait_for_change(GENERATION, generation, waits)?;
        let (one, zero) = (leaving.number(1), leaving.number(0));
        let result = leaving.choose(&last, &one, &zero);
        self.end_sync(outer);
        Ok(result)
    }
}
