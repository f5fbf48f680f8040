//! Exceptions as ordinary control: a call that may end with one has it as one more result,
//! which is null otherwise. Whoever called looks at it, goes to the landing pad, or returns
//! it in turn.
//!
//! So no engine knows of exceptions, and whatever holds of branches and returns holds of
//! them. What is thrown, and whether a type is caught, is C
//! (`support/runtime/cxxthrow.c`). Follows the Itanium C++ ABI, Level II (exception
//! handling). Where it differs:
//!
//! 1. The stack is unwound while a handler is looked for, not after one was found (section
//!    1.3). Where there is none, destructors have run before the program ends, which C++
//!    leaves open ([except.terminate]).
//! 2. A landing pad whose clauses do not fit is entered all the same, with the selector 0;
//!    compiled code then resumes.

use heddle_ir::{Block, BlockId, Compare, Edge, Op, Operand, Reg, Terminator, Ty};

use super::function::FunctionLowering;
use super::jumps::{JUMP, calls_setjmp, plain_edge};
use super::operands::Scalar;
use crate::llvm::{BasicBlock, TypeKind, Value};
use crate::needs::{BAD_ALLOC, CATCH, FILTER, UNCAUGHT};

impl<'m> FunctionLowering<'_, 'm> {
    /// A call that no landing pad looks after.
    pub(super) fn lower_plain_call(&mut self, inst: Value<'m>) {
        if calls_setjmp(inst) {
            return self.lower_setjmp(inst);
        }
        if self.cx.leaves(inst) {
            let exception = self.operand(inst.operand(0));
            let term = self.return_exception(exception);
            let next = self.new_block();
            return self.go_on_in(next, term);
        }
        let Some(exception) = self.lower_call(inst) else { return };
        let thrown = self.new_block();
        let next = self.new_block();
        let term = self.branch_if_thrown(exception, plain_edge(thrown), plain_edge(next));
        self.go_on_in(thrown, term);
        let term = self.pass_on(inst, exception);
        self.go_on_in(next, term);
    }

    /// What ends a call ends this function, too, if it may.
    fn pass_on(&mut self, call: Value<'m>, exception: Operand) -> Terminator {
        let ends = call.has_call_attribute(self.cx.nounwind);
        if !self.cx.may_jump(call) {
            return if ends { self.end_program(exception) } else { self.leave_with(exception) };
        }
        self.look_for_landing(call.parent(), exception);
        if !self.unwinds {
            return self.end_program(exception);
        }
        if (ends || self.is_nounwind) && self.cx.may_throw(call) {
            let cond = self.passes(exception);
            let (passes, stays) = (self.new_block(), self.new_block());
            let (then, other) = (plain_edge(passes), plain_edge(stays));
            self.go_on_in(stays, Terminator::Branch { cond, then, other });
            let term = self.end_program(exception);
            self.go_on_in(passes, term);
        }
        self.return_exception(exception)
    }

    /// An `operator new` gave `block`. If that is null, it throws.
    pub(super) fn throw_without_memory(&mut self, block: Reg, exception: Reg) {
        let width = self.cx.program.pointer_bytes * 8;
        let (null, fails, next) = (Operand::Const(0), self.new_block(), self.new_block());
        let cond = self.emit_compare(Compare::Eq, width, Operand::Reg(block), null);
        let edge = |value| Edge { target: next, moves: [(exception, value)].into() };
        let term = Terminator::Branch { cond, then: plain_edge(fails), other: edge(null) };
        self.go_on_in(fails, term);
        let thrown = self.fresh(Ty::Ptr);
        self.call_library(BAD_ALLOC, Vec::new(), Vec::new(), vec![thrown], None);
        self.go_on_in(next, Terminator::Jump(edge(Operand::Reg(thrown))));
    }

    pub(super) fn lower_invoke(&mut self, block: BasicBlock<'m>, inst: Value<'m>) -> Terminator {
        let normal = inst.normal_destination();
        let Some(exception) = self.lower_call(inst) else {
            return Terminator::Jump(self.edge(block, normal, true));
        };
        let other = self.edge(block, normal, false);
        let pad = inst.unwind_destination();
        let reg = self.pad(pad);
        let mut then = self.edge(block, pad, false);
        // Moves of the edge stand where it enters the pad.
        let into = match then.target == self.block_ids[&pad] {
            true => &mut then,
            false => match &mut self.blocks[then.target.0 as usize] {
                Some(Block { term: Terminator::Jump(edge), .. }) => edge,
                _ => &mut then,
            },
        };
        into.moves = into.moves.iter().copied().chain([(reg, exception)]).collect();
        if !self.cx.may_jump(inst) {
            return self.branch_if_thrown(exception, then, other);
        }
        // A jump passes landing pads by.
        let (thrown, passes) = (self.new_block(), self.new_block());
        let term = self.branch_if_thrown(exception, plain_edge(thrown), other);
        self.go_on_in(thrown, term);
        self.look_for_landing(block, exception);
        let width = self.cx.program.pointer_bytes * 8;
        let cond = self.emit_compare(Compare::Eq, width, exception, Operand::Const(JUMP));
        let term = Terminator::Branch { cond, then: plain_edge(passes), other: then };
        self.go_on_in(passes, term);
        match self.unwinds {
            true => self.return_exception(exception),
            false => self.end_program(exception),
        }
    }

    /// What a landing pad gives: the exception, and the number of the first clause that fits,
    /// or 0.
    pub(super) fn lower_landing_pad(&mut self, inst: Value<'m>) {
        let exception = Operand::Reg(self.pad(inst.parent()));
        let mut selector = Operand::Const(0);
        for clause in inst.clauses() {
            let dst = self.fresh(Ty::Int(32));
            let (mut args, mut types) = (vec![exception, selector], vec![Ty::Ptr, Ty::Int(32)]);
            let function = match clause.ty().kind() == TypeKind::LLVMArrayTypeKind {
                true => {
                    let Some((list, count)) = self.filter_types(clause) else { return };
                    args.extend([list, Operand::Const(count)]);
                    types.extend([Ty::Ptr, Ty::Int(32)]);
                    FILTER
                }
                false => {
                    let number = self.type_number(clause);
                    args.extend([self.operand(clause), Operand::Const(u64::from(number))]);
                    types.extend([Ty::Ptr, Ty::Int(32)]);
                    CATCH
                }
            };
            self.call_library(function, args, types, vec![dst], None);
            selector = Operand::Reg(dst);
        }
        self.alias(inst, [exception, selector].map(Scalar::Known).into_iter().collect());
    }

    /// `llvm.eh.typeid.for`.
    pub(super) fn type_number(&mut self, info: Value<'m>) -> u32 {
        let next = self.cx.type_numbers.len() as u32 + 1;
        *self.cx.type_numbers.entry(info).or_insert(next)
    }

    /// The types of a dynamic exception specification, in memory.
    fn filter_types(&mut self, clause: Value<'m>) -> Option<(Operand, u64)> {
        let count = clause.ty().length();
        let bytes = u64::from(self.cx.program.pointer_bytes);
        let list = self.fresh(Ty::Ptr);
        let (total, one) = (bytes * count.max(1), Operand::Const(1));
        let op = Op::StackAlloc {
            dst: list,
            bytes: total,
            count: one,
            align: bytes,
            name: None,
            ty: None,
        };
        self.emit(op);
        for index in 0..u32::try_from(count).unwrap_or(0) {
            let value = self.operand(clause.aggregate_element(index)?);
            let addr = self.leaf_address(Operand::Reg(list), bytes * u64::from(index));
            self.emit(Op::Store { ty: Ty::Ptr, addr, value, order: None, volatile: false });
        }
        Some((Operand::Reg(list), count))
    }

    /// Leaves the function with an exception, or the program if the function must not be.
    pub(super) fn leave_with(&mut self, exception: Operand) -> Terminator {
        if self.is_nounwind || !self.unwinds {
            return self.end_program(exception);
        }
        self.return_exception(exception)
    }

    fn return_exception(&mut self, exception: Operand) -> Terminator {
        self.leave_frame();
        let others = self.returns.len() - 1;
        let values = (0..others).map(|_| Operand::Const(0)).chain([exception]);
        Terminator::Return(values.collect())
    }

    fn end_program(&mut self, exception: Operand) -> Terminator {
        self.call_library(UNCAUGHT, vec![exception], vec![Ty::Ptr], Vec::new(), None);
        Terminator::Unreachable
    }

    pub(super) fn branch_if_thrown(
        &mut self,
        exception: Operand,
        then: Edge,
        other: Edge,
    ) -> Terminator {
        let width = self.cx.program.pointer_bytes * 8;
        let cond = self.emit_compare(Compare::Ne, width, exception, Operand::Const(0));
        Terminator::Branch { cond, then, other }
    }

    fn pad(&mut self, block: BasicBlock<'m>) -> Reg {
        if let Some(&reg) = self.pads.get(&block) {
            return reg;
        }
        let reg = self.fresh(Ty::Ptr);
        self.pads.insert(block, reg);
        reg
    }

    pub(super) fn new_block(&mut self) -> BlockId {
        self.blocks.push(None);
        BlockId(self.blocks.len() as u32 - 1)
    }

    /// Ends the open block and opens another.
    pub(super) fn go_on_in(&mut self, next: BlockId, term: Terminator) {
        let insts = std::mem::take(&mut self.insts);
        let block = Block { insts, term, term_span: self.span };
        self.blocks[self.open.0 as usize] = Some(block);
        self.open = next;
    }
}

/// Whether any clause of the landing pad is a dynamic exception specification.
pub(crate) fn has_filter(pad: Value<'_>) -> bool {
    pad.clauses().iter().any(|clause| clause.ty().kind() == TypeKind::LLVMArrayTypeKind)
}
