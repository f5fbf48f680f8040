//! Atomic accesses of integers of 128 bits: calls of the functions in `support/atomic16.c`.

use heddle_ir::{Compare, Operand, Ordering, PlaceId, Ty};

use super::{WORD, Words};
use crate::llvm::{Opcode, Type, TypeKind, Value};
use crate::lower::function::FunctionLowering;
use crate::lower::memory::{order, rmw};
use crate::lower::operands::Scalar;
use crate::needs::{COMPARE_16, LOAD_16, STORE_16, UPDATE_16};

/// The type of what an atomic instruction accesses.
fn accessed(inst: Value<'_>) -> Option<Type<'_>> {
    match inst.opcode() {
        Opcode::LLVMLoad if order(inst.ordering()).is_some() => Some(inst.ty()),
        Opcode::LLVMStore if order(inst.ordering()).is_some() => Some(inst.operand(0).ty()),
        Opcode::LLVMAtomicRMW => Some(inst.ty()),
        Opcode::LLVMAtomicCmpXchg => Some(inst.operand(1).ty()),
        _ => None,
    }
}

/// The function that stands for an atomic access of 16 bytes.
pub(crate) fn wide_atomic(inst: Value<'_>) -> Option<&'static str> {
    let ty = accessed(inst)?;
    if ty.kind() != TypeKind::LLVMIntegerTypeKind || ty.int_width() != 128 {
        return None;
    }
    Some(match inst.opcode() {
        Opcode::LLVMLoad => LOAD_16,
        Opcode::LLVMStore => STORE_16,
        Opcode::LLVMAtomicRMW => UPDATE_16,
        _ => COMPARE_16,
    })
}

/// The number that the functions have for an order.
fn relaxed(order: Option<Ordering>) -> Operand {
    Operand::Const(u64::from(order == Some(Ordering::Relaxed)))
}

const FLAG: Ty = Ty::Int(32);

impl<'m> FunctionLowering<'_, 'm> {
    /// Emits the call if the instruction is such an access.
    pub(in crate::lower) fn lower_wide_atomic(&mut self, inst: Value<'m>) -> bool {
        match wide_atomic(inst) {
            Some(LOAD_16) => self.load_16(inst),
            Some(STORE_16) => self.store_16(inst),
            Some(UPDATE_16) => self.update_16(inst),
            Some(_) => self.compare_16(inst),
            None => return false,
        }
        true
    }

    fn load_16(&mut self, inst: Value<'m>) {
        let args = vec![self.operand(inst.operand(0)), relaxed(order(inst.ordering()))];
        let place = self.place(inst.operand(0), inst.ty());
        let Some(regs) = self.assign(inst) else { return };
        self.call_library(LOAD_16, args, vec![Ty::Ptr, FLAG], regs.to_vec(), place);
    }

    fn store_16(&mut self, inst: Value<'m>) {
        let (value, address) = (inst.operand(0), inst.operand(1));
        let mut args = vec![self.operand(address)];
        args.extend(self.operands(value));
        args.push(relaxed(order(inst.ordering())));
        let place = self.place(address, value.ty());
        self.call_library(STORE_16, args, vec![Ty::Ptr, WORD, WORD, FLAG], Vec::new(), place);
        self.note_change(address);
    }

    fn update_16(&mut self, inst: Value<'m>) {
        let Some(op) = rmw(inst.rmw_kind()) else {
            return self.unsupported("atomic operation with wrap-around");
        };
        let (address, value) = (inst.operand(0), inst.operand(1));
        let mut args = vec![self.operand(address)];
        args.extend(self.operands(value));
        // The functions number operations as the type does.
        args.extend([Operand::Const(op as u64), relaxed(order(inst.ordering()))]);
        let place = self.place(address, inst.ty());
        let Some(regs) = self.assign(inst) else { return };
        let tys = vec![Ty::Ptr, WORD, WORD, FLAG, FLAG];
        self.call_library(UPDATE_16, args, tys, regs.to_vec(), place);
    }

    fn compare_16(&mut self, inst: Value<'m>) {
        let addr = self.operand(inst.operand(0));
        let (expected, new) = (self.operands(inst.operand(1)), self.operands(inst.operand(2)));
        let place = self.place(inst.operand(0), inst.operand(1).ty());
        let order = relaxed(order(inst.success_ordering()));
        let before = self.compare_and_store_16(addr, &expected, &new, order, place);
        let ok = self.compare_words(Compare::Eq, &before, &expected);
        let parts = before.into_iter().chain([ok]).map(Scalar::Known).collect();
        self.alias_parts(inst, parts);
    }

    /// What was there before, as words.
    pub(in crate::lower) fn compare_and_store_16(
        &mut self,
        addr: Operand,
        expected: &[Operand],
        new: &[Operand],
        order: Operand,
        place: Option<PlaceId>,
    ) -> Words {
        let args = [&[addr], expected, new, &[order]].concat();
        let tys = vec![Ty::Ptr, WORD, WORD, WORD, WORD, FLAG];
        let dsts = vec![self.fresh(WORD), self.fresh(WORD)];
        self.call_library(COMPARE_16, args, tys, dsts.clone(), place);
        dsts.into_iter().map(Operand::Reg).collect()
    }
}
