//! Waits at barriers, which take two steps: to arrive, and to leave. Who arrives last leaves
//! at once, unless arrivals are in no order (`meetings`).

use heddle_ir::Ordering;

use heddle_semantics::sync::barrier;
use heddle_semantics::sync::barrier::Arrival;
use heddle_semantics::{Access, AccessKind, BarrierOp, Gate, MemoryModel, SyncOp};

use crate::Machine;
use crate::machine::Stop;
use crate::observers::record::Action;
use crate::run::access::Use;
use crate::sync::operation::Operation;
use crate::threads::thread::{Pending, Stage};

impl<M: MemoryModel> Machine<'_, M> {
    /// 1 for the thread that arrives last, 0 for the others.
    pub(crate) fn barrier_wait(&mut self, addr: u64) -> Result<u64, Stop> {
        if let Stage::Arrived { generation } =
            self.threads[self.running.thread.index()].scalars.stage
        {
            return self.leave_barrier(addr, generation);
        }
        let op = SyncOp::Barrier(BarrierOp::Wait);
        let bytes = op.bytes(u32::from(self.program.pointer_bytes));
        let spot = self.spot(addr, bytes, Use::Object(op.name()))?;
        let meets = self.meets(addr);
        let mut operation = Operation::new(self, spot);
        operation.meets = meets;
        let Arrival { last, generation } = barrier::arrive(&mut operation)?;
        self.note_arrival(addr, spot, meets);
        self.threads[self.running.thread.index()].scalars.effects += 1;
        let verb = if last != 0 { "arrive last" } else { "arrive" };
        self.record(Action::Sync { verb, addr });
        // Nobody else comes where one thread meets itself.
        let single = self.store.read(spot.object, spot.offset, 2) == 1;
        if last != 0 && (!meets || single) {
            return Ok(1);
        }
        let generation = generation as u32;
        self.threads[self.running.thread.index()].scalars.stage = Stage::Arrived { generation };
        self.leave_barrier(addr, generation)
    }

    fn leave_barrier(&mut self, addr: u64, generation: u32) -> Result<u64, Stop> {
        let gate = Gate::Barrier { generation };
        let kind = if self.meets(addr) { AccessKind::Leave } else { AccessKind::Read };
        let access = Access { addr, len: 8, kind };
        let pending = Pending::Gate { addr, gate };
        let order = Some(Ordering::Acquire);
        self.ordered(order, |machine| machine.visible_step(Some(access), pending))?;
        if !self.gate_is_open(addr, gate) {
            return Err(self.stop_unsupported("waiting inside an atomic section"));
        }
        self.threads[self.running.thread.index()].scalars.stage = Stage::Start;
        self.record(Action::Sync { verb: "leave", addr });
        Ok(0)
    }
}
