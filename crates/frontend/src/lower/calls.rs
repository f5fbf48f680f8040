//! Calls and invokes.

use heddle_ir::{Callee, Edge, Op, Operand, PlaceId, Reg, Terminator, Ty};

use super::Lowering;
use super::function::FunctionLowering;
use super::jumps::plain_edge;
use crate::constants::Folded;
use crate::llvm::{Type, Value, ValueKind};

impl<'m> FunctionLowering<'_, 'm> {
    /// An invoke is lowered as a call here. What comes back is the exception that the call
    /// may end with.
    pub(super) fn lower_call(&mut self, inst: Value<'m>) -> Option<Operand> {
        let Some(before) = self.cx.cancels_before(inst) else { return self.lower_made_call(inst) };
        let exception = self.cx.program.function(before).unwinds.then(|| self.fresh(Ty::Ptr));
        self.emit(Op::Call {
            dsts: exception.into_iter().collect(),
            callee: Callee::Direct(before),
            args: Box::default(),
            arg_tys: Box::default(),
        });
        let Some(exception) = exception else { return self.lower_made_call(inst) };
        // The call is made if the thread goes on.
        let (stays, after) = (self.new_block(), self.new_block());
        let thrown = self.fresh(Ty::Ptr);
        let edge = |value| Edge { target: after, moves: [(thrown, value)].into() };
        let then = edge(Operand::Reg(exception));
        let term = self.branch_if_thrown(Operand::Reg(exception), then, plain_edge(stays));
        self.go_on_in(stays, term);
        let own = self.lower_made_call(inst).unwrap_or(Operand::Const(0));
        self.go_on_in(after, Terminator::Jump(edge(own)));
        Some(Operand::Reg(thrown))
    }

    fn lower_made_call(&mut self, inst: Value<'m>) -> Option<Operand> {
        if self.cx.is_marker(inst) {
            return None;
        }
        let called = inst.called_value();
        if called.kind() == ValueKind::LLVMInlineAsmValueKind {
            self.lower_asm(inst, called);
            return None;
        }
        if called.is_intrinsic() {
            self.lower_intrinsic(inst, &called.name());
            return None;
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
            return None;
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
                Err(what) => {
                    self.unsupported(format!("{what} as an argument"));
                    return None;
                }
            }
            args.extend(self.operands(argument));
        }
        if let Some(first) = variadic {
            let area = self.pass_variadic(inst, first)?;
            args.push(area);
            arg_tys.push(Ty::Ptr);
        }
        let place = self.place_of_call(inst, called);
        let mut dsts = self.assign(inst)?;
        let exception = self.cx.may_unwind(inst).then(|| self.fresh(Ty::Ptr));
        let is_new = matches!(callee, Callee::Direct(id) if self.cx.is_new(id));
        let block = dsts.first().copied();
        if !is_new {
            dsts.extend(exception);
        }
        let op = Op::Call {
            dsts: dsts.into_vec().into(),
            callee,
            args: args.into(),
            arg_tys: arg_tys.into(),
        };
        self.emit_access(op, place);
        if let (true, Some(block), Some(exception)) = (is_new, block, exception) {
            self.throw_without_memory(block, exception);
        }
        exception.map(Operand::Reg)
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
        let dsts: Vec<(Reg, Ty)> =
            dsts.into_iter().map(|dst| (dst, self.regs[dst.0 as usize])).collect();
        let op = self.cx.call_of(name, args, &arg_tys, &dsts);
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

impl Lowering<'_> {
    /// A call of a function of the C library that the lowering itself needs.
    pub(super) fn call_of(
        &mut self,
        name: &str,
        args: Vec<Operand>,
        arg_tys: &[Ty],
        dsts: &[(Reg, Ty)],
    ) -> Op {
        let returns: Vec<Ty> = dsts.iter().map(|dst| dst.1).collect();
        let id = self.library_function(name, arg_tys, &returns);
        Op::Call {
            dsts: dsts.iter().map(|dst| dst.0).collect(),
            callee: Callee::Direct(id),
            args: args.into(),
            arg_tys: arg_tys.into(),
        }
    }
}
