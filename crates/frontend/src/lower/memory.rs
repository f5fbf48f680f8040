//! Stack slots, addresses, loads, stores and atomics.

use std::rc::Rc;

use heddle_ir::{Op, Operand, Ordering, PlaceId, Reg, RmwOp, Scale, Ty};

use super::function::FunctionLowering;
use super::operands::Scalar;
use crate::leaves::Leaf;
use crate::llvm::{AtomicOrdering, RmwKind, Type, Value};

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn lower_alloca(&mut self, inst: Value<'m>) {
        let ty = inst.allocated_type();
        let bytes = self.cx.layout.size(ty);
        let align = match inst.alignment() {
            0 => self.cx.layout.align(ty),
            given => given,
        };
        let count = self.operand(inst.operand(0));
        let (name, debug_type) = match self.variables.get(&inst) {
            Some(variable) => (Some(variable.name.clone()), variable.ty),
            None => (None, None),
        };
        let Some(dst) = self.assign_scalar(inst) else { return };
        // The register is the address, not the variable.
        self.reg_names[dst.0 as usize] = None;
        self.emit(Op::StackAlloc { dst, bytes, count, align, name, ty: debug_type });
    }

    pub(super) fn lower_gep(&mut self, inst: Value<'m>) {
        let parts = match self.cx.constants.gep(inst) {
            Ok(parts) if inst.ty().is_pointer() => parts,
            Ok(_) => return self.unsupported("vector of pointers"),
            Err(what) => return self.unsupported(what),
        };
        let base = self.operand(parts.base);
        let mut scales = Vec::with_capacity(parts.scales.len());
        for ((index, bytes), count) in parts.scales.into_iter().zip(parts.counts) {
            let Some(Ty::Int(width)) = self.scalar_type(index.ty()) else { return };
            scales.push(Scale { index: self.operand(index), width, bytes, count });
        }
        let folded = match base {
            _ if !scales.is_empty() || self.variables.contains_key(&inst) => None,
            base if parts.offset == 0 => Some(base),
            Operand::Global(id, addend) => {
                Some(Operand::Global(id, addend.wrapping_add(parts.offset)))
            }
            _ => None,
        };
        if let Some(folded) = folded {
            return self.alias(inst, [Scalar::Known(folded)].into());
        }
        let Some(dst) = self.assign_scalar(inst) else { return };
        self.emit(Op::PtrAdd { dst, base, offset: parts.offset, scales: scales.into() });
    }

    /// Emits an access of memory with the expression it stands for.
    pub(super) fn emit_access(&mut self, op: Op, place: Option<PlaceId>) {
        self.insts.push(heddle_ir::Inst { op, span: self.span, place, origin: self.origin });
    }

    /// `addr + offset`, for the leaves of an aggregate.
    pub(super) fn leaf_address(&mut self, addr: Operand, offset: u64) -> Operand {
        match (addr, offset) {
            (addr, 0) => addr,
            (Operand::Global(id, addend), offset) => {
                Operand::Global(id, addend.wrapping_add_unsigned(offset))
            }
            (base, offset) => {
                let dst = self.fresh(Ty::Ptr);
                let offset = offset.cast_signed();
                self.emit(Op::PtrAdd { dst, base, offset, scales: Box::default() });
                Operand::Reg(dst)
            }
        }
    }

    /// What a load or store accesses; emits a stop for what it can't.
    fn accessed(&mut self, inst: Value<'m>, ty: Type<'m>) -> Option<Rc<[Leaf]>> {
        let found = self.cx.leaves.in_memory(ty).and_then(|()| self.cx.leaves.of(ty));
        let found = found.and_then(|leaves| match order(inst.ordering()) {
            Some(_) if leaves.len() > 1 => Err(format!("atomic access to type {}", ty.text())),
            _ => Ok(leaves),
        });
        found.map_err(|what| self.unsupported(what)).ok()
    }

    pub(super) fn lower_load(&mut self, inst: Value<'m>) {
        let address = inst.operand(0);
        let Some(leaves) = self.accessed(inst, inst.ty()) else { return };
        let addr = self.operand(address);
        let (order, volatile) = (order(inst.ordering()), inst.is_volatile());
        let place = self.place(address, inst.ty());
        let Some(regs) = self.assign(inst) else { return };
        for (&dst, leaf) in regs.iter().zip(leaves.iter()) {
            let addr = self.leaf_address(addr, leaf.offset);
            self.emit_access(Op::Load { dst, ty: leaf.ty, addr, order, volatile }, place);
        }
    }

    pub(super) fn lower_store(&mut self, inst: Value<'m>) {
        if self.cx.is_marking_store(inst) {
            return;
        }
        let (value, address) = (inst.operand(0), inst.operand(1));
        let Some(leaves) = self.accessed(inst, value.ty()) else { return };
        let values = self.operands(value);
        let addr = self.operand(address);
        let (order, volatile) = (order(inst.ordering()), inst.is_volatile());
        let place = self.place(address, value.ty());
        for (value, leaf) in values.into_iter().zip(leaves.iter()) {
            let addr = self.leaf_address(addr, leaf.offset);
            self.emit_access(Op::Store { ty: leaf.ty, addr, value, order, volatile }, place);
        }
        self.note_change(address);
    }

    pub(super) fn lower_rmw(&mut self, inst: Value<'m>) {
        let Some(op) = rmw(inst.rmw_kind()) else {
            return self.unsupported("atomic operation on floating point or with wrap-around");
        };
        let Some(ty) = self.scalar_type(inst.ty()) else { return };
        let addr = self.operand(inst.operand(0));
        let value = self.operand(inst.operand(1));
        let order = order(inst.ordering()).unwrap_or(Ordering::SeqCst);
        let place = self.place(inst.operand(0), inst.ty());
        let Some(dst) = self.assign_scalar(inst) else { return };
        self.emit_access(Op::Rmw { op, ty, dst, addr, value, order }, place);
    }

    pub(super) fn lower_cmpxchg(&mut self, inst: Value<'m>) {
        let value_type = inst.operand(1).ty();
        let Some(ty) = self.scalar_type(value_type) else { return };
        let addr = self.operand(inst.operand(0));
        let expected = self.operand(inst.operand(1));
        let new = self.operand(inst.operand(2));
        let success = order(inst.success_ordering()).unwrap_or(Ordering::SeqCst);
        let failure = order(inst.failure_ordering()).unwrap_or(Ordering::SeqCst);
        let place = self.place(inst.operand(0), value_type);
        let Some(regs) = self.assign(inst) else { return };
        let (dst, ok): (Reg, Reg) = match regs[..] {
            [dst, ok] => (dst, ok),
            _ => return self.unsupported("compare and exchange"),
        };
        let op = Op::CmpXchg { ty, dst, ok, addr, expected, new, success, failure };
        self.emit_access(op, place);
    }

    /// A fence against signal handlers of the same thread orders nothing between
    /// threads.
    pub(super) fn lower_fence(&mut self, inst: Value<'m>) {
        if inst.is_single_thread() {
            return;
        }
        let order = order(inst.ordering()).unwrap_or(Ordering::SeqCst);
        self.emit(Op::Fence { order });
    }
}

/// `None` for a plain access. LLVM's `unordered` (Java's plain) is read as relaxed.
pub(super) fn order(ordering: AtomicOrdering) -> Option<Ordering> {
    Some(match ordering {
        AtomicOrdering::LLVMAtomicOrderingNotAtomic => return None,
        AtomicOrdering::LLVMAtomicOrderingUnordered
        | AtomicOrdering::LLVMAtomicOrderingMonotonic => Ordering::Relaxed,
        AtomicOrdering::LLVMAtomicOrderingAcquire => Ordering::Acquire,
        AtomicOrdering::LLVMAtomicOrderingRelease => Ordering::Release,
        AtomicOrdering::LLVMAtomicOrderingAcquireRelease => Ordering::AcqRel,
        AtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent => Ordering::SeqCst,
    })
}

pub(super) fn rmw(kind: RmwKind) -> Option<RmwOp> {
    Some(match kind {
        RmwKind::LLVMAtomicRMWBinOpXchg => RmwOp::Exchange,
        RmwKind::LLVMAtomicRMWBinOpAdd => RmwOp::Add,
        RmwKind::LLVMAtomicRMWBinOpSub => RmwOp::Sub,
        RmwKind::LLVMAtomicRMWBinOpAnd => RmwOp::And,
        RmwKind::LLVMAtomicRMWBinOpNand => RmwOp::Nand,
        RmwKind::LLVMAtomicRMWBinOpOr => RmwOp::Or,
        RmwKind::LLVMAtomicRMWBinOpXor => RmwOp::Xor,
        RmwKind::LLVMAtomicRMWBinOpMax => RmwOp::Max,
        RmwKind::LLVMAtomicRMWBinOpMin => RmwOp::Min,
        RmwKind::LLVMAtomicRMWBinOpUMax => RmwOp::UMax,
        RmwKind::LLVMAtomicRMWBinOpUMin => RmwOp::UMin,
        _ => return None,
    })
}
