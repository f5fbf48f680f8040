//! Threads that wait in a loop look again.
//!
//! A turn of a loop that changed nothing ends its thread ([`Halt::Wait`]), since a run in
//! which the thread came to the loop later is equivalent, and a search that takes all
//! interleavings takes that one, too. Who takes one run at a time has no other: there the
//! thread goes on when what it has read is no longer so. It stands at the head of the loop
//! with the registers that it had there, so the turn in vain can be left out of the schedule.

use heddle_semantics::{MemoryModel, ThreadId};

use crate::Machine;
use crate::threads::thread::{Halt, Status};

impl<M: MemoryModel> Machine<'_, M> {
    /// Does the thread wait in a loop although what it waits for may have happened?
    pub fn may_look_again(&self, thread: ThreadId) -> bool {
        *self.status(thread) == Status::Halted(Halt::Wait)
            // In an atomic section nobody else may come between two turns.
            && self.threads[thread.index()].scalars.atomic == 0
            && !self.waits_in_vain(thread)
    }

    /// Takes the thread from the end of its turn to the first step of the next one. It can be
    /// undone like a step, but is none. Tells how many steps the turn in vain had.
    pub fn look_again(&mut self, thread: ThreadId) -> usize {
        debug_assert!(self.may_look_again(thread), "{thread} does not wait in a loop");
        self.findings.violations.clear();
        self.begin_step(thread);
        let log = self.store.begin_turn();
        let state = &mut self.threads[thread.index()];
        let visit = state.visit(log);
        let mark = state.loops.last_mut().expect("the loop that it waits in");
        let steps = visit.steps - mark.last.steps;
        let header = mark.header;
        mark.last = visit;
        mark.anchor = None;
        state.scalars.jumps += 1;
        let top = state.top();
        (top.block, top.pc) = (header, 0);
        self.run_thread(thread);
        self.stop_log();
        self.run_newborn();
        steps as usize
    }
}
