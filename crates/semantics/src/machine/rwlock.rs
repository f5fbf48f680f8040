//! Read-write locks, in the bytes of a `pthread_rwlock_t`: the writer's code, the
//! number of read locks, and the codes of the readers in ascending order, so that
//! it does not matter to the state who came first.
//!
//! A reader may come in while writers wait: implementations differ in whom they
//! prefer, and a program must work with all of them.

use heddle_ir::Ordering;

use crate::Gate;
use crate::event::AccessKind;
use crate::host::RwLockOp;
use crate::model::MemoryModel;
use crate::record::Action;
use crate::thread::Pending;

use super::access::{Spot, Use};
use super::{Machine, Stop};

const DESTROYED: u64 = crate::gate::DESTROYED as u64;
const EBUSY: u64 = 16;

impl<M: MemoryModel> Machine<'_, M> {
    /// Size of a `pthread_rwlock_t`.
    pub(super) fn rwlock_bytes(&self) -> u32 {
        if self.program.pointer_bytes == 8 { 56 } else { 32 }
    }

    fn readers(&self, spot: Spot) -> Vec<u64> {
        let count = self.store.read(spot.object, spot.offset + 4, 4) as u32;
        let word = |at: u32| self.store.read(spot.object, spot.offset + 8 + 4 * at, 4);
        (0..count.min((spot.len - 8) / 4)).map(word).collect()
    }

    fn set_readers(&mut self, spot: Spot, readers: &[u64]) {
        self.store.write(spot.object, spot.offset + 4, 4, readers.len() as u64);
        for at in 0..(spot.len - 8) / 4 {
            let code = readers.get(at as usize).copied().unwrap_or(0);
            self.store.write(spot.object, spot.offset + 8 + 4 * at, 4, code);
        }
    }

    pub(super) fn rwlock_op(&mut self, op: RwLockOp, addr: u64) -> Result<u64, Stop> {
        let spot =
            self.spot(addr, self.rwlock_bytes(), Use::Object("read-write lock operation"))?;
        let (kind, pending) = match op {
            RwLockOp::Read => (AccessKind::Acquire, Pending::Gate { addr, gate: Gate::ReadLock }),
            RwLockOp::Write => (AccessKind::Acquire, Pending::Gate { addr, gate: Gate::WriteLock }),
            _ => (AccessKind::Write, Pending::Drained),
        };
        self.sync_step(spot, kind, pending)?;
        if spot.visible && matches!(op, RwLockOp::TryRead | RwLockOp::TryWrite) {
            self.event.conditional = true;
            self.event.compared = (op == RwLockOp::TryWrite).then_some(0);
        }
        let (object, offset) = (spot.object, spot.offset);
        let me = self.code_of(self.current);
        let written = self.store.is_defined(object, offset, 8);
        let writer = self.store.read(object, offset, 4);
        let mut readers = if written { self.readers(spot) } else { Vec::new() };
        let held = written && (self.thread_of_code(writer).is_some() || !readers.is_empty());
        let problem = match op {
            RwLockOp::Init if held => Some("initialisation of a read-write lock that is held"),
            RwLockOp::Init => None,
            _ if !written => Some("use of a read-write lock that was never initialised"),
            _ if writer == DESTROYED => Some("use of a read-write lock that was destroyed"),
            RwLockOp::Unlock if writer != me && !readers.contains(&me) => {
                Some("unlock of a read-write lock that the thread does not hold")
            }
            RwLockOp::Destroy if held => Some("destruction of a read-write lock that is held"),
            _ => None,
        };
        if let Some(problem) = problem {
            self.access_failed(spot);
            return Err(self.misuse(problem));
        }
        let busy = match op {
            RwLockOp::TryRead => writer != 0,
            RwLockOp::TryWrite => held,
            _ => false,
        };
        if busy {
            self.access_failed(spot);
            let word = self.store.read(object, offset, 8);
            self.threads[self.current.index()].reads.push((addr, 8, word));
            self.record(Action::Sync { verb: "failed trylock", addr });
            return Ok(EBUSY);
        }
        match op {
            RwLockOp::TryRead | RwLockOp::TryWrite => self.synchronises(spot, Ordering::Acquire),
            RwLockOp::Unlock => self.synchronises(spot, Ordering::Release),
            _ => {}
        }
        let verb = match op {
            RwLockOp::Init => {
                self.store.write(object, offset, 4, 0);
                self.set_readers(spot, &[]);
                "init"
            }
            RwLockOp::Read | RwLockOp::TryRead => {
                if readers.len() as u32 == (spot.len - 8) / 4 {
                    let what = format!("more than {} read locks at a time", readers.len());
                    return Err(self.stop_unsupported(&what));
                }
                let at = readers.partition_point(|&reader| reader < me);
                readers.insert(at, me);
                self.set_readers(spot, &readers);
                "read lock"
            }
            RwLockOp::Write | RwLockOp::TryWrite => {
                self.store.write(object, offset, 4, me);
                "write lock"
            }
            RwLockOp::Unlock if writer == me => {
                self.store.write(object, offset, 4, 0);
                "unlock"
            }
            RwLockOp::Unlock => {
                if let Some(at) = readers.iter().position(|&reader| reader == me) {
                    readers.remove(at);
                }
                self.set_readers(spot, &readers);
                "unlock"
            }
            RwLockOp::Destroy => {
                self.store.write(object, offset, 4, DESTROYED);
                "destroy"
            }
        };
        self.threads[self.current.index()].scalars.effects += 1;
        self.record(Action::Sync { verb, addr });
        Ok(0)
    }
}
