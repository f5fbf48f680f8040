//! Local variables that are indeterminate where a jump leads to (C, 7.13.2.1): those that are
//! not `volatile`, and were changed since the call of `setjmp`.
//!
//! Such a variable is undefined from there on, as one that was never initialised. This goes
//! for those that a compiler keeps in registers: whose address nobody takes. For each of them
//! and each call of `setjmp` there is a byte that says whether it was changed since.

use heddle_ir::{Compare, Inst, NondetReason, Op, Operand, Reg, Terminator, Ty};

use super::function::FunctionLowering;
use super::jumps::{Jumps, Site, plain_edge};
use crate::llvm::{BasicBlock, Opcode, Value, ValueKind};

/// Which variables may be indeterminate where, by calls of `setjmp`.
#[derive(Default)]
pub(super) struct Indeterminate<'m> {
    /// The address of the bytes.
    bytes: Option<Reg>,
    /// For each byte, the number of the call and the variable.
    pairs: Vec<(usize, Value<'m>)>,
}

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn find_indeterminate(
        &mut self,
        order: &[BasicBlock<'m>],
        sites: &[Site<'m>],
    ) -> Indeterminate<'m> {
        let mut pairs = Vec::new();
        let insts = order.iter().flat_map(|block| block.instructions());
        for variable in insts.filter(|inst| inst.opcode() == Opcode::LLVMAlloca) {
            if !self.is_kept_in_register(variable) {
                continue;
            }
            for (number, site) in sites.iter().enumerate() {
                let is_behind = |user: &Value<'m>| {
                    site.from.contains(&user.parent()) || user.parent() == site.inst.parent()
                };
                let users = variable.users();
                let behind = || users.iter().copied().filter(is_behind);
                let is_read = behind().any(|user| user.opcode() == Opcode::LLVMLoad);
                if is_read && behind().any(|user| self.changes(user)) {
                    pairs.push((number, variable));
                }
            }
        }
        if pairs.is_empty() {
            return Indeterminate::default();
        }
        let dst = self.fresh(Ty::Ptr);
        let (bytes, count, name) =
            (pairs.len() as u64, Operand::Const(1), Some("frame".to_owned()));
        let op = Op::StackAlloc { dst, bytes, count, align: 1, name, ty: None };
        self.entry.push(Inst { op, span: self.span, place: None, origin: 0 });
        Indeterminate { bytes: Some(dst), pairs }
    }

    /// Nothing is done with its address but to read and write it as a whole.
    fn is_kept_in_register(&mut self, variable: Value<'m>) -> bool {
        let ty = variable.allocated_type();
        let is_one = self.cx.leaves.of(ty).is_ok_and(|leaves| leaves.len() == 1);
        is_one
            && variable.users().into_iter().all(|user| {
                user.kind() == ValueKind::LLVMInstructionValueKind
                    && match user.opcode() {
                        Opcode::LLVMLoad => user.ty() == ty && !user.is_volatile(),
                        Opcode::LLVMStore => {
                            user.operand(0).ty() == ty
                                && user.operand(0) != variable
                                && !user.is_volatile()
                        }
                        _ => false,
                    }
            })
    }

    fn changes(&self, user: Value<'m>) -> bool {
        user.opcode() == Opcode::LLVMStore && !self.cx.is_marking_store(user)
    }

    /// The call of `setjmp` with this number is made: nothing was changed since.
    pub(super) fn nothing_changed(&mut self, jumps: &Jumps<'m>, number: usize) {
        for (at, pair) in jumps.indeterminate.pairs.iter().enumerate() {
            if pair.0 == number {
                self.note(&jumps.indeterminate, at, 0);
            }
        }
    }

    /// After a store.
    pub(super) fn note_change(&mut self, variable: Value<'m>) {
        let Some(jumps) = self.jumps.take() else { return };
        for (at, pair) in jumps.indeterminate.pairs.iter().enumerate() {
            if pair.1 == variable {
                self.note(&jumps.indeterminate, at, 1);
            }
        }
        self.jumps = Some(jumps);
    }

    fn note(&mut self, all: &Indeterminate<'m>, at: usize, value: u64) {
        let Some(bytes) = all.bytes else { return };
        let addr = self.leaf_address(Operand::Reg(bytes), at as u64);
        let (ty, value) = (Ty::Int(8), Operand::Const(value));
        self.emit(Op::Store { ty, addr, value, order: None, volatile: false });
    }

    /// Where a jump to the call with this number comes to.
    pub(super) fn forget_changed(&mut self, jumps: &Jumps<'m>, number: usize) {
        let Some(bytes) = jumps.indeterminate.bytes else { return };
        for (at, &(_, variable)) in
            jumps.indeterminate.pairs.iter().enumerate().filter(|(_, pair)| pair.0 == number)
        {
            let Some(&ty) = self.cx.types_of(variable.allocated_type()).first() else { continue };
            let addr = self.leaf_address(Operand::Reg(bytes), at as u64);
            let byte = self.fresh(Ty::Int(8));
            self.emit(Op::Load { ty: Ty::Int(8), dst: byte, addr, order: None, volatile: false });
            let cond = self.emit_compare(Compare::Ne, 8, Operand::Reg(byte), Operand::Const(0));
            let (changed, next) = (self.new_block(), self.new_block());
            let (then, other) = (plain_edge(changed), plain_edge(next));
            self.go_on_in(changed, Terminator::Branch { cond, then, other });
            let dst = self.fresh(ty);
            self.emit(Op::Nondet { dst, reason: NondetReason::Uninitialised });
            let (addr, value) = (self.operand(variable), Operand::Reg(dst));
            self.emit(Op::Store { ty, addr, value, order: None, volatile: false });
            self.go_on_in(next, Terminator::Jump(plain_edge(next)));
        }
    }
}
