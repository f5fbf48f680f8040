//! Calls and invokes.

use heddle_ir::{Callee, Op, Operand, PlaceId, Reg, Ty};

use super::function::FunctionLowering;
use crate::constants::Folded;
use crate::llvm::{Type, Value, ValueKind};

impl<'m> FunctionLowering<'_, 'm> {
    /// An invoke is lowered as a call here; its terminator jumps to the normal
    /// destination.
    pub(super) fn lower_call(&mut self, inst: Value<'m>) {
        if self.cx.is_marker(inst) {
            return;
        }
        let called = inst.called_value();
        if called.kind() == ValueKind::LLVMInlineAsmValueKind {
            return self.lower_asm(inst, called);
        }
        if called.is_intrinsic() {
            return self.lower_intrinsic(inst, &called.name());
        }
        if self.lower_throw(inst, called) {
            return;
        }
        let callee = match called.kind() {
            ValueKind::LLVMInstructionValueKind | ValueKind::LLVMArgumentValueKind => {
                Callee::Indirect(self.operand(called))
            }
            _ => match self.cx.constants.fold(called) {
                Folded::Address(heddle_ir::Symbol::Function(id), 0) => Callee::Direct(id),
                _ => Callee::Indirect(self.operand(called)),
            },
        };
        if self.lower_print(inst, &callee) {
            return;
        }
        let mut args = Vec::new();
        let mut arg_tys = Vec::new();
        let variadic = self.first_variadic(inst, &callee);
        for index in 0..variadic.unwrap_or_else(|| inst.argument_count()) {
            let argument = inst.operand(index);
            if let Some(ty) = inst.argument_type(index, self.cx.byval) {
                args.push(self.copy_byval(argument, ty));
                arg_tys.push(Ty::Ptr);
                continue;
            }
            match self.cx.leaves.of(argument.ty()) {
                Ok(leaves) => arg_tys.extend(leaves.iter().map(|leaf| leaf.ty)),
                Err(what) => return self.unsupported(format!("{what} as an argument")),
            }
            args.extend(self.operands(argument));
        }
        if let Some(first) = variadic {
            let Some(area) = self.pass_variadic(inst, first) else { return };
            args.push(area);
            arg_tys.push(Ty::Ptr);
        }
        let place = self.place_of_call(inst, called);
        let Some(dsts) = self.assign(inst) else { return };
        let op = Op::Call {
            dsts: dsts.into_vec().into(),
            callee,
            args: args.into(),
            arg_tys: arg_tys.into(),
        };
        self.emit_access(op, place);
    }

    /// What a call whose first argument is a pointer works on (a mutex, a buffer).
    fn place_of_call(&mut self, inst: Value<'m>, called: Value<'m>) -> Option<PlaceId> {
        if inst.argument_count() == 0 || !inst.operand(0).ty().is_pointer() {
            return None;
        }
        self.place_of_argument(inst.operand(0), &called.name())
    }

    /// Calls a function of the C library that the lowering itself needs.
    pub(super) fn call_library(
        &mut self,
        name: &str,
        args: Vec<Operand>,
        arg_tys: Vec<Ty>,
        dsts: Vec<Reg>,
        place: Option<PlaceId>,
    ) {
        let returns: Vec<Ty> = dsts.iter().map(|dst| self.regs[dst.0 as usize]).collect();
        let id = self.cx.library_function(name, &arg_tys, &returns);
        let op = Op::Call {
            dsts: dsts.into(),
            callee: Callee::Direct(id),
            args: args.into(),
            arg_tys: arg_tys.into(),
        };
        self.emit_access(op, place);
    }

    /// Register type of `size_t`.
    pub(super) fn size_type(&self) -> Ty {
        Ty::Int(self.cx.program.pointer_bytes * 8)
    }

    /// A `byval` argument is a private copy that the callee may write to.
    fn copy_byval(&mut self, source: Value<'m>, ty: Type<'m>) -> Operand {
        let bytes = self.cx.layout.size(ty);
        let align = self.cx.layout.align(ty).max(u64::from(self.cx.program.pointer_bytes));
        let dst = self.fresh(Ty::Ptr);
        let count = Operand::Const(1);
        self.emit(Op::StackAlloc { dst, bytes, count, align, name: None, ty: None });
        self.copy_structure(Operand::Reg(dst), source, ty);
        Operand::Reg(dst)
    }

    /// Copies the structure that `source` points to.
    pub(super) fn copy_structure(&mut self, to: Operand, source: Value<'m>, ty: Type<'m>) {
        let from = self.operand(source);
        let result = self.fresh(Ty::Ptr);
        let args = vec![to, from, Operand::Const(self.cx.layout.size(ty))];
        let types = vec![Ty::Ptr, Ty::Ptr, self.size_type()];
        let place = self.place_of_argument(source, "memcpy");
        self.call_library("memcpy", args, types, vec![result], place);
    }
}
