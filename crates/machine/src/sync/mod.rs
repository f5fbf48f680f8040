//! Operations on objects that threads wait for, as steps of the interpreter.
//!
//! What they do is written in `heddle_semantics::sync`; here stand when they are visible, what they
//! wait for, and what of them is noted for those who reorder steps. The objects are kept in
//! the program's own memory. So they are undone, copied and compared like the rest of it.

mod barrier;
mod condition;
mod mutex;
pub(crate) mod operation;
mod plain;
mod rwlock;

use heddle_ir::Ordering;

use heddle_semantics::sync::Ending;
use heddle_semantics::{
    Access, AccessKind, BarrierOp, ConditionOp, Gate, MemoryModel, OnceOp, RwLockOp, SemaphoreOp,
    SpinOp, SyncOp, ViolationKind, sync,
};

use crate::Machine;
use crate::machine::Stop;
use crate::observers::record::Action;
use crate::run::access::{Spot, Use};
use crate::sync::operation::Operation;
use crate::threads::thread::Pending;

impl<M: MemoryModel> Machine<'_, M> {
    /// Is the gate of the object there open? If the object is gone, the step must
    /// run to report it.
    pub(crate) fn gate_is_open(&self, addr: u64, gate: Gate) -> bool {
        let bytes = gate.bytes();
        match self.store.resolve(addr, u64::from(bytes)) {
            Ok((object, offset)) => gate.is_open(self.store.read(object, offset, bytes)),
            Err(_) => true,
        }
    }

    /// A step on an object that threads wait for. `pending` says what for, if
    /// this operation is one that waits.
    pub(crate) fn sync_step(
        &mut self,
        spot: Spot,
        kind: AccessKind,
        pending: Pending,
    ) -> Result<(), Stop> {
        let waits = match pending {
            Pending::Gate { addr, gate } => !self.gate_is_open(addr, gate),
            _ => false,
        };
        // A gate of an object that nobody else can see will never open.
        if spot.visible || waits {
            self.leave_quiet()?;
            let len = spot.len.min(8);
            // Where stores may wait, those that make an object reach memory one by one.
            let touched = if self.model.buffers() { spot.len } else { len };
            let access = Access { addr: spot.addr, len: touched, kind };
            let order = match pending {
                Pending::Gate { .. } => Some(Ordering::Acquire),
                _ => Some(Ordering::AcqRel),
            };
            self.ordered(order, |machine| machine.visible_step(Some(access), pending))?;
            self.event.updates = true;
            let word = self.store.read(spot.object, spot.offset, len);
            self.event.words.push((spot.addr, word));
        } else {
            self.drain()?;
        }
        if waits && self.threads[self.running.thread.index()].scalars.atomic != 0 {
            return Err(self.stop_unsupported("waiting inside an atomic section"));
        }
        Ok(())
    }

    /// An operation on an object other than a mutex.
    pub(crate) fn sync_op(&mut self, op: SyncOp, addr: u64) -> Result<u64, Stop> {
        if op == SyncOp::Barrier(BarrierOp::Wait) {
            return self.barrier_wait(addr);
        }
        let bytes = op.bytes(u32::from(self.program.pointer_bytes));
        let spot = self.spot(addr, bytes, Use::Object(op.name()))?;
        let mut operation = Operation::new(self, spot);
        operation.attempt = attempt(op);
        let result = sync::operate(&mut operation, op)?;
        let (ending, kind) = (operation.ending, operation.kind);
        if ending == Ending::Busy || ending == Ending::Seen && kind == AccessKind::Read {
            self.note_look(op, spot, kind);
        }
        self.account(spot, ending, kind);
        if let Some(order) = order(op, ending) {
            self.synchronises(spot, order);
        }
        if let Some(verb) = verb(op, ending) {
            self.record(Action::Sync { verb, addr });
        }
        Ok(result)
    }

    /// The thread has seen the object's word, which loops may wait to change.
    fn note_look(&mut self, op: SyncOp, spot: Spot, kind: AccessKind) {
        if kind == AccessKind::Read && !spot.visible {
            return;
        }
        let len = if matches!(op, SyncOp::RwLock(_)) { 8 } else { 4 };
        let word = self.store.read(spot.object, spot.offset, len);
        self.threads[self.running.thread.index()].reads.push((spot.addr, len, word));
    }

    /// What others could notice of the operation, and whether loops count it as progress.
    pub(crate) fn account(&mut self, spot: Spot, ending: Ending, kind: AccessKind) {
        match ending {
            Ending::Changed => {}
            Ending::Counted | Ending::OwnFault => self.forget_access(spot),
            Ending::Seen if kind == AccessKind::Read => {}
            Ending::Busy | Ending::Refused | Ending::Seen => self.access_failed(spot),
        }
        if matches!(ending, Ending::Changed | Ending::Counted) {
            self.threads[self.running.thread.index()].scalars.effects += 1;
        }
    }

    /// The owner of a recursive mutex counts up or down: nothing that another
    /// thread could notice.
    fn forget_access(&mut self, spot: Spot) {
        if spot.visible {
            self.event.footprint.pop();
        }
    }

    pub(crate) fn misuse(&mut self, message: &str) -> Stop {
        self.violate(ViolationKind::MutexMisuse, message.to_string())
    }
}

/// For operations that go one way or the other: the word that lets them succeed, if it is
/// one.
fn attempt(op: SyncOp) -> Option<Option<u64>> {
    match op {
        SyncOp::Spin(SpinOp::TryLock) | SyncOp::RwLock(RwLockOp::TryWrite) => Some(Some(0)),
        SyncOp::RwLock(RwLockOp::TryRead)
        | SyncOp::Semaphore(SemaphoreOp::TryWait)
        | SyncOp::Once(OnceOp::Begin) => Some(None),
        _ => None,
    }
}

/// What the operation does for the order of others, if it is not what its step says.
fn order(op: SyncOp, ending: Ending) -> Option<Ordering> {
    match (op, ending) {
        (SyncOp::Once(_), Ending::Seen) => Some(Ordering::Acquire),
        (_, Ending::Busy | Ending::Refused) => None,
        (
            SyncOp::Spin(SpinOp::Unlock)
            | SyncOp::RwLock(RwLockOp::Unlock)
            | SyncOp::Semaphore(SemaphoreOp::Post)
            | SyncOp::Condition(ConditionOp::Signal | ConditionOp::Broadcast),
            _,
        ) => Some(Ordering::Release),
        (
            SyncOp::RwLock(RwLockOp::TryRead | RwLockOp::TryWrite)
            | SyncOp::Semaphore(SemaphoreOp::TryWait),
            _,
        ) => Some(Ordering::Acquire),
        _ => None,
    }
}

/// What people are told of an operation.
pub(crate) fn verb(op: SyncOp, ending: Ending) -> Option<&'static str> {
    let busy = ending == Ending::Busy;
    Some(match op {
        _ if ending == Ending::Refused => return None,
        SyncOp::Semaphore(op) => match op {
            SemaphoreOp::Init(_) => "init",
            SemaphoreOp::Wait => "wait",
            SemaphoreOp::TryWait if busy => "failed trywait",
            SemaphoreOp::TryWait => "trywait",
            SemaphoreOp::Post => "post",
            SemaphoreOp::Value => "getvalue",
            SemaphoreOp::Destroy => "destroy",
        },
        SyncOp::RwLock(op) => match op {
            RwLockOp::Init => "init",
            RwLockOp::TryRead | RwLockOp::TryWrite if busy => "failed trylock",
            RwLockOp::Read | RwLockOp::TryRead => "read lock",
            RwLockOp::Write | RwLockOp::TryWrite => "write lock",
            RwLockOp::Unlock => "unlock",
            RwLockOp::Destroy => "destroy",
        },
        SyncOp::Barrier(op) => match op {
            BarrierOp::Init(_) => "init",
            BarrierOp::Wait => "arrive",
            BarrierOp::Destroy => "destroy",
        },
        SyncOp::Condition(op) => match op {
            ConditionOp::Init => "init",
            ConditionOp::Signal => "signal",
            ConditionOp::Broadcast => "broadcast",
            ConditionOp::Destroy => "destroy",
        },
        SyncOp::Spin(op) => match op {
            SpinOp::Init => "init",
            SpinOp::Lock => "lock",
            SpinOp::TryLock if busy => "failed trylock",
            SpinOp::TryLock => "trylock",
            SpinOp::Unlock => "unlock",
            SpinOp::Destroy => "destroy",
        },
        SyncOp::Once(op) => match op {
            OnceOp::Begin if ending == Ending::Seen => "done",
            OnceOp::Begin => "first call",
            OnceOp::End => "end of first call",
            OnceOp::Abort => "first call ends with an exception",
        },
    })
}
