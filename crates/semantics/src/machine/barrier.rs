//! Barriers, in the bytes of a `pthread_barrier_t`: how many threads meet, how
//! many have arrived, and the number of meetings so far.
//!
//! Waiting takes two steps: to arrive, and to leave once the last one has arrived.
//! Leaving only looks, and may come after the barrier's destruction, as with the
//! GNU C library, where destruction waits for those that leave.

use heddle_ir::Ordering;

use crate::Gate;
use crate::event::{Access, AccessKind};
use crate::host::BarrierOp;
use crate::model::MemoryModel;
use crate::record::Action;
use crate::thread::{Pending, Stage};

use super::access::Use;
use super::{Machine, Stop};

const EINVAL: u64 = 22;
/// Number of threads that marks a barrier that was destroyed.
const DESTROYED: u64 = u16::MAX as u64;

impl<M: MemoryModel> Machine<'_, M> {
    pub(super) fn barrier_op(&mut self, op: BarrierOp, addr: u64) -> Result<u64, Stop> {
        if let Stage::Arrived { generation } = self.threads[self.current.index()].scalars.stage {
            return self.leave_barrier(addr, generation);
        }
        let spot = self.spot(addr, 8, Use::Object("barrier operation"))?;
        self.sync_step(spot, AccessKind::Write, Pending::Drained)?;
        let (object, offset) = (spot.object, spot.offset);
        let written = self.store.is_defined(object, offset, 8);
        let half = |machine: &Self, at: u32| match written {
            true => machine.store.read(object, offset + at, 2),
            false => 0,
        };
        let (count, arrived) = (half(self, 0), half(self, 2));
        let problem = match op {
            BarrierOp::Init(_) | BarrierOp::Destroy if arrived != 0 => {
                Some("initialisation or destruction of a barrier that threads wait at")
            }
            BarrierOp::Init(_) => None,
            _ if count == 0 => Some("use of a barrier that was never initialised"),
            _ if count == DESTROYED => Some("use of a barrier that was destroyed"),
            _ => None,
        };
        if let Some(problem) = problem {
            self.access_failed(spot);
            return Err(self.misuse(problem));
        }
        let generation = match written {
            true => self.store.read(object, offset + 4, 4),
            false => 0,
        };
        if matches!(op, BarrierOp::Init(0)) {
            self.access_failed(spot);
            return Ok(EINVAL);
        }
        self.threads[self.current.index()].scalars.effects += 1;
        let (verb, count, arrived, generation) = match op {
            BarrierOp::Init(count) if u64::from(count) >= DESTROYED => {
                return Err(self.stop_unsupported("a barrier for more than 65534 threads"));
            }
            // Threads of an earlier life of the barrier may still have to leave.
            BarrierOp::Init(count) => ("init", u64::from(count), 0, generation + 1),
            BarrierOp::Destroy => ("destroy", DESTROYED, 0, generation),
            BarrierOp::Wait if arrived + 1 == count => ("arrive last", count, 0, generation + 1),
            BarrierOp::Wait => ("arrive", count, arrived + 1, generation),
        };
        let generation = generation as u32;
        let word = count | arrived << 16 | u64::from(generation) << 32;
        self.store.write(object, offset, 8, word);
        self.record(Action::Sync { verb, addr });
        if arrived == 0 {
            return Ok(u64::from(op == BarrierOp::Wait));
        }
        self.threads[self.current.index()].scalars.stage = Stage::Arrived { generation };
        self.leave_barrier(addr, generation)
    }

    fn leave_barrier(&mut self, addr: u64, generation: u32) -> Result<u64, Stop> {
        let gate = Gate::Barrier { generation };
        let access = Access { addr, len: 8, kind: AccessKind::Read };
        let pending = Pending::Gate { addr, gate };
        let order = Some(Ordering::Acquire);
        self.ordered(order, |machine| machine.visible_step(Some(access), pending))?;
        if !self.gate_is_open(addr, gate) {
            return Err(self.stop_unsupported("waiting inside an atomic section"));
        }
        self.threads[self.current.index()].scalars.stage = Stage::Start;
        self.record(Action::Sync { verb: "leave", addr });
        Ok(0)
    }
}
