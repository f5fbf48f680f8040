//! Mutexes. A critical section may be one step (see `critical_sections`).

use heddle_ir::Ordering;

use heddle_semantics::sync::{Ending, mutex};
use heddle_semantics::{MemoryModel, MutexOp};

use crate::Machine;
use crate::machine::Stop;
use crate::observers::guide::Role;
use crate::observers::record::Action;
use crate::run::access::{Spot, Use};
use crate::sync::operation::Operation;

impl<M: MemoryModel> Machine<'_, M> {
    /// A mutex that something is done to.
    pub(crate) fn mutex_spot(&mut self, addr: u64) -> Result<Spot, Stop> {
        let bytes = MutexOp::bytes(u32::from(self.program.pointer_bytes));
        self.spot(addr, bytes, Use::Object("mutex operation"))
    }

    pub(crate) fn mutex_op(&mut self, op: MutexOp, addr: u64) -> Result<u64, Stop> {
        let spot = self.mutex_spot(addr)?;
        match spot.role {
            Role::Hidden => return self.silent_op(op, spot),
            // A mutex that is locked without a step must be made and ended alone.
            Role::Probe if spot.visible => return Err(self.stop_surprised()),
            _ => {}
        }
        if self.is_quiet(op, spot) {
            return self.quiet_op(op, spot);
        }
        self.disturb(spot);
        let mut operation = Operation::new(self, spot);
        if op == MutexOp::TryLock {
            operation.attempt = Some(Some(0));
        }
        operation.run_mutex(op)
    }

    /// A lock around what is hidden, and the unlock (`analysis/src/silent.rs`). It succeeds.
    fn silent_op(&mut self, op: MutexOp, spot: Spot) -> Result<u64, Stop> {
        let owner = self.store.read(spot.object, spot.offset, 4);
        let expected = if op == MutexOp::Lock { 0 } else { self.code_of(self.running.thread) };
        if owner != expected {
            return Err(self.stop_surprised());
        }
        let result = Operation::within_step(self, spot).run_mutex(op)?;
        if result != 0 {
            return Err(self.stop_surprised());
        }
        Ok(result)
    }

    /// The mutex is no part of the step, but it is locked all the same.
    fn quiet_op(&mut self, op: MutexOp, spot: Spot) -> Result<u64, Stop> {
        if op == MutexOp::Lock {
            self.begin_quiet(spot)?;
        }
        let spot = Spot { visible: false, ..spot };
        let result = Operation::within_step(self, spot).run_mutex(op)?;
        if op == MutexOp::Unlock {
            self.end_quiet();
        }
        Ok(result)
    }
}

impl<M: MemoryModel> Operation<'_, '_, M> {
    fn run_mutex(mut self, op: MutexOp) -> Result<u64, Stop> {
        let result = mutex::operate(&mut self, op)?;
        let Operation { machine, spot, ending, kind, .. } = self;
        machine.account(spot, ending, kind);
        if ending == Ending::Busy {
            let owner = machine.store.read(spot.object, spot.offset, 4);
            machine.threads[machine.running.thread.index()].reads.push((spot.addr, 4, owner));
        }
        if matches!(op, MutexOp::Lock | MutexOp::TryLock) && ending == Ending::Changed {
            machine.note_locked(spot.addr);
        }
        if op == MutexOp::Unlock && ending == Ending::Changed {
            machine.note_unlocked(spot.addr);
        }
        if op == MutexOp::Unlock && ending != Ending::Refused {
            machine.synchronises(spot, Ordering::Release);
        }
        if let Some(action) = action(op, ending, spot.addr) {
            machine.record(action);
        }
        Ok(result)
    }
}

/// What people are told of an operation.
fn action(op: MutexOp, ending: Ending, addr: u64) -> Option<Action> {
    match (op, ending) {
        (_, Ending::Refused | Ending::OwnFault) => None,
        (MutexOp::Init(_), _) => Some(Action::MutexInit { addr }),
        (MutexOp::TryLock, Ending::Busy) => Some(Action::TryLock { addr, ok: false }),
        (MutexOp::TryLock, Ending::Changed) => Some(Action::TryLock { addr, ok: true }),
        (MutexOp::Lock | MutexOp::TryLock, _) => Some(Action::Lock { addr }),
        (MutexOp::Unlock, _) => Some(Action::Unlock { addr }),
        (MutexOp::Destroy, _) => Some(Action::MutexDestroy { addr }),
    }
}
