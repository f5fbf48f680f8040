//! Spin locks and `pthread_once`, which are one word in the program's memory.
//!
//! A spin lock is 0 when free, else the owner's code; a `pthread_once_t` is 0
//! before, 1 during and 2 after the call.

use heddle_ir::Ordering;

use crate::Gate;
use crate::event::AccessKind;
use crate::host::{OnceOp, SpinOp};
use crate::model::MemoryModel;
use crate::record::Action;
use crate::thread::Pending;

use super::access::Use;
use super::{Machine, Stop};

const DESTROYED: u64 = crate::gate::DESTROYED as u64;
const RUNS: u64 = crate::gate::ONCE_RUNS as u64;
const DONE: u64 = RUNS + 1;
const EBUSY: u64 = 16;

impl<M: MemoryModel> Machine<'_, M> {
    pub(super) fn spin_op(&mut self, op: SpinOp, addr: u64) -> Result<u64, Stop> {
        let spot = self.spot(addr, 4, Use::Object("spin lock operation"))?;
        let (kind, pending) = match op {
            SpinOp::Lock => (AccessKind::Acquire, Pending::Gate { addr, gate: Gate::Spin }),
            _ => (AccessKind::Write, Pending::Drained),
        };
        self.sync_step(spot, kind, pending)?;
        if spot.visible && op == SpinOp::TryLock {
            self.event.conditional = true;
            self.event.compared = Some(0);
        }
        let me = self.code_of(self.current);
        let written = self.store.is_defined(spot.object, spot.offset, 4);
        let owner = self.store.read(spot.object, spot.offset, 4);
        let problem = match op {
            SpinOp::Init if written && self.thread_of_code(owner).is_some() => {
                Some("initialisation of a spin lock that is held")
            }
            SpinOp::Init => None,
            _ if !written => Some("use of a spin lock that was never initialised"),
            _ if owner == DESTROYED => Some("use of a spin lock that was destroyed"),
            SpinOp::Unlock if owner == 0 => Some("unlock of a spin lock that is not locked"),
            SpinOp::Unlock if owner != me => {
                Some("unlock of a spin lock that another thread holds")
            }
            SpinOp::Destroy if owner != 0 => Some("destruction of a spin lock that is held"),
            _ => None,
        };
        if let Some(problem) = problem {
            self.access_failed(spot);
            return Err(self.misuse(problem));
        }
        let (verb, now) = match op {
            SpinOp::Init => ("init", 0),
            SpinOp::Lock => ("lock", me),
            SpinOp::TryLock if owner == 0 => ("trylock", me),
            SpinOp::TryLock => {
                self.access_failed(spot);
                self.threads[self.current.index()].reads.push((addr, 4, owner));
                self.record(Action::Sync { verb: "failed trylock", addr });
                return Ok(EBUSY);
            }
            SpinOp::Unlock => {
                self.synchronises(spot, Ordering::Release);
                ("unlock", 0)
            }
            SpinOp::Destroy => ("destroy", DESTROYED),
        };
        self.store.write(spot.object, spot.offset, 4, now);
        self.threads[self.current.index()].scalars.effects += 1;
        self.record(Action::Sync { verb, addr });
        Ok(0)
    }

    /// For `Begin`, 1 if the caller is the one to run the function.
    pub(super) fn once_op(&mut self, op: OnceOp, addr: u64) -> Result<u64, Stop> {
        let spot = self.spot(addr, 4, Use::Object("once operation"))?;
        let (kind, pending) = match op {
            OnceOp::Begin => (AccessKind::Acquire, Pending::Gate { addr, gate: Gate::Once }),
            OnceOp::End => (AccessKind::Write, Pending::Drained),
        };
        self.sync_step(spot, kind, pending)?;
        if !self.store.is_defined(spot.object, spot.offset, 4) {
            self.access_failed(spot);
            return Err(self.misuse("use of a once flag that was never initialised"));
        }
        let state = self.store.read(spot.object, spot.offset, 4);
        self.event.conditional |= spot.visible && op == OnceOp::Begin;
        let (verb, now) = match op {
            OnceOp::Begin if state == DONE => {
                self.access_failed(spot);
                self.synchronises(spot, Ordering::Acquire);
                self.record(Action::Sync { verb: "done", addr });
                return Ok(0);
            }
            OnceOp::Begin => ("first call", RUNS),
            OnceOp::End => ("end of first call", DONE),
        };
        self.store.write(spot.object, spot.offset, 4, now);
        self.threads[self.current.index()].scalars.effects += 1;
        self.record(Action::Sync { verb, addr });
        Ok(u64::from(op == OnceOp::Begin))
    }
}
