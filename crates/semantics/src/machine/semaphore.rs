//! Semaphores: the first word of a `sem_t` is the count, the second says whether
//! it was initialised.

use heddle_ir::Ordering;

use crate::Gate;
use crate::event::AccessKind;
use crate::gate::LIVE_SEMAPHORE;
use crate::host::SemaphoreOp;
use crate::model::MemoryModel;
use crate::record::Action;
use crate::thread::Pending;

use super::access::Use;
use super::{Machine, Stop};

const LIVE: u64 = LIVE_SEMAPHORE as u64;
const DESTROYED: u64 = crate::gate::DESTROYED as u64;
const MOST: u64 = i32::MAX as u64;
const EAGAIN: u64 = 11;
const EINVAL: u64 = 22;
const EOVERFLOW: u64 = 75;

impl<M: MemoryModel> Machine<'_, M> {
    pub(super) fn semaphore_op(&mut self, op: SemaphoreOp, addr: u64) -> Result<u64, Stop> {
        let spot = self.spot(addr, 8, Use::Object("semaphore operation"))?;
        let (kind, pending) = match op {
            SemaphoreOp::Wait => {
                (AccessKind::Acquire, Pending::Gate { addr, gate: Gate::Semaphore })
            }
            SemaphoreOp::Value => (AccessKind::Read, Pending::Drained),
            _ => (AccessKind::Write, Pending::Drained),
        };
        self.sync_step(spot, kind, pending)?;
        let (object, offset) = (spot.object, spot.offset);
        let written = self.store.is_defined(object, offset, 8);
        let state = if written { self.store.read(object, offset + 4, 4) } else { 0 };
        if state != LIVE && !matches!(op, SemaphoreOp::Init(_)) {
            if kind != AccessKind::Read {
                self.access_failed(spot);
            }
            return Err(self.misuse(match state {
                DESTROYED => "use of a semaphore that was destroyed",
                _ => "use of a semaphore that was never initialised",
            }));
        }
        let count = self.store.read(object, offset, 4);
        match op {
            SemaphoreOp::Post => self.synchronises(spot, Ordering::Release),
            SemaphoreOp::TryWait => self.synchronises(spot, Ordering::Acquire),
            _ => {}
        }
        let (verb, now) = match op {
            SemaphoreOp::Init(count) if u64::from(count) > MOST => {
                self.access_failed(spot);
                return Ok(EINVAL);
            }
            SemaphoreOp::Init(count) => {
                self.store.write(object, offset + 4, 4, LIVE);
                ("init", u64::from(count))
            }
            SemaphoreOp::TryWait if count == 0 => {
                self.access_failed(spot);
                self.threads[self.current.index()].reads.push((addr, 4, count));
                self.record(Action::Sync { verb: "failed trywait", addr });
                return Ok(EAGAIN);
            }
            SemaphoreOp::Wait => ("wait", count - 1),
            SemaphoreOp::TryWait => ("trywait", count - 1),
            SemaphoreOp::Post if count == MOST => {
                self.access_failed(spot);
                return Ok(EOVERFLOW);
            }
            SemaphoreOp::Post => ("post", count + 1),
            SemaphoreOp::Value => {
                if spot.visible {
                    self.threads[self.current.index()].reads.push((addr, 4, count));
                }
                self.record(Action::Sync { verb: "getvalue", addr });
                return Ok(count);
            }
            // Who waits for it finds it destroyed.
            SemaphoreOp::Destroy => {
                self.store.write(object, offset + 4, 4, DESTROYED);
                ("destroy", 0)
            }
        };
        if matches!(op, SemaphoreOp::TryWait) {
            self.event.conditional |= spot.visible;
        }
        self.store.write(object, offset, 4, now);
        self.threads[self.current.index()].scalars.effects += 1;
        self.record(Action::Sync { verb, addr });
        Ok(0)
    }
}
