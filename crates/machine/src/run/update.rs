//! Read-modify-writes and compare-and-exchanges.

use heddle_ir::{Ordering, RmwOp, Ty};

use heddle_semantics::{AccessKind, Processor, arithmetic};

use heddle_semantics::{Concrete, Domain, MemoryModel, Partial, PartlyKnown, Tracked};

use crate::Machine;
use crate::machine::Stop;
use crate::observers::record::Action;
use crate::run::access::Use;
use crate::threads::thread::Pending;

impl<M: MemoryModel> Machine<'_, M> {
    /// What a read-modify-write waits for.
    fn drained(&self) -> Pending {
        if self.model.buffers() { Pending::Drained } else { Pending::Ready }
    }

    #[inline]
    pub(crate) fn rmw_scalar(
        &mut self,
        op: RmwOp,
        addr: u64,
        ty: Ty,
        operand: u64,
    ) -> Result<u64, Stop> {
        let old = self.rmw_partial(op, addr, ty, operand.into())?;
        match old.is_defined() {
            true => Ok(old.bits),
            false => Err(self.leave_undefined(self.track(old, addr), false)),
        }
    }

    pub(crate) fn rmw_partial(
        &mut self,
        op: RmwOp,
        addr: u64,
        ty: Ty,
        operand: Partial,
    ) -> Result<Partial, Stop> {
        let bits = ty.bits(self.program.pointer_bytes);
        let spot = self.spot(addr, bits.div_ceil(8), Use::Update)?;
        self.drain_for_private(spot)?;
        let spot = self.visible_access(spot, AccessKind::Write, self.drained())?;
        let old = self.read_spot(spot).low(bits);
        self.event.updates |= spot.visible;
        if bits == self.program.pointer_bits()
            && let Some(first) = arithmetic(op)
        {
            self.note_computation(first, &old.bits, &operand.bits);
            if op == RmwOp::Nand {
                self.note_truncation(&old.bits);
            }
        }
        let new = match old.is_defined() && operand.is_defined() {
            true => Concrete.rmw(op, bits, &old.bits, &operand.bits).into(),
            false => {
                let tracked = |word| Tracked { word, source: None };
                PartlyKnown.rmw(op, bits, &tracked(old), &tracked(operand)).word
            }
        };
        self.write_spot(spot, new);
        if spot.visible && self.same_is_nothing() && may_keep(op, operand) {
            self.event.conditional = true;
            if op == RmwOp::Exchange && new.is_defined() {
                self.event.exchanged = Some(new.bits);
            }
            if old == new && old.is_defined() {
                self.access_failed(spot);
            }
        }
        if self.worth_recording(spot) {
            self.record(Action::Rmw { addr, bytes: spot.len, old, new });
        }
        Ok(old)
    }

    /// Does a read-modify-write that puts back what was there count as a read? Others can't
    /// tell, but for whom it synchronises with, which matters to races, and for native runs.
    fn same_is_nothing(&self) -> bool {
        !self.config.positions && self.config.sites.is_none()
    }

    #[inline]
    pub(crate) fn cmpxchg_scalar(
        &mut self,
        addr: u64,
        ty: Ty,
        expected: u64,
        new: u64,
        failure: Ordering,
    ) -> Result<(u64, u64), Stop> {
        let (old, ok) = self.cmpxchg_partial(addr, ty, expected.into(), new.into(), failure)?;
        match old.is_defined() {
            true => Ok((old.bits, u64::from(ok))),
            false => Err(self.leave_undefined(self.track(old, addr), ok)),
        }
    }

    pub(crate) fn cmpxchg_partial(
        &mut self,
        addr: u64,
        ty: Ty,
        expected: Tracked,
        new: Partial,
        failure: Ordering,
    ) -> Result<(Partial, bool), Stop> {
        let bits = ty.bits(self.program.pointer_bytes);
        let spot = self.spot(addr, bits.div_ceil(8), Use::CompareExchange)?;
        self.drain_for_private(spot)?;
        let spot = self.visible_access(spot, AccessKind::Write, self.drained())?;
        let old = self.read_spot(spot).low(bits);
        let ok = self.is_expected(self.track(old, addr), expected)?;
        let expected = expected.word;
        self.event.conditional |= spot.visible;
        if spot.visible {
            self.event.compared = Some(expected.bits);
        }
        if !ok && spot.len == u32::from(self.program.pointer_bytes) {
            self.findings.bounds.reuse |= self.is_given_back(expected.bits);
        }
        self.event.updates |= spot.visible;
        if ok {
            self.write_spot(spot, new);
        } else {
            self.access_failed(spot);
            self.synchronises(spot, failure);
        }
        if self.worth_recording(spot) {
            self.record(Action::CmpXchg { addr, bytes: spot.len, old, new, ok });
        }
        Ok((old, ok))
    }

    /// Does a compare-and-exchange find what it expects? Padding that was never written is
    /// what it was when it was read before; that it is no other is a bound.
    #[inline]
    fn is_expected(&mut self, found: Tracked, sought: Tracked) -> Result<bool, Stop> {
        let (old, expected) = (found.word, sought.word);
        let undefined = old.undefined | expected.undefined;
        if undefined == 0 || (old.bits ^ expected.bits) & !undefined != 0 {
            return Ok(old.bits == expected.bits && undefined == 0);
        }
        if old.undefined != expected.undefined {
            let only_sought = old.undefined & !expected.undefined == 0;
            return self.decided(if only_sought { &sought } else { &found }).map(|_| true);
        }
        self.findings.bounds.padding = true;
        Ok(true)
    }
}

/// May there be a value that the operation leaves as it is?
fn may_keep(op: RmwOp, operand: Partial) -> bool {
    match op {
        RmwOp::Add | RmwOp::Sub | RmwOp::Xor => operand.bits == 0 && operand.is_defined(),
        _ => true,
    }
}
