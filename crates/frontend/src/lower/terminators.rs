//! Ends of blocks, and phi nodes as moves on edges.

use heddle_ir::{Block, BlockId, Edge, Operand, Terminator, Ty};

use super::function::FunctionLowering;
use crate::leaves::scalar;
use crate::llvm::{BasicBlock, Opcode, Value};

impl<'m> FunctionLowering<'_, 'm> {
    /// The terminator that `inst` is, or `None` when it is not one.
    pub(super) fn lower_terminator(
        &mut self,
        block: BasicBlock<'m>,
        inst: Value<'m>,
    ) -> Option<Terminator> {
        Some(match inst.opcode() {
            Opcode::LLVMRet => self.lower_return(inst),
            Opcode::LLVMBr if inst.is_conditional() => {
                let cond = self.operand(inst.condition());
                let targets = inst.successors();
                let then = self.edge(block, targets[0], false);
                let other = self.edge(block, targets[1], false);
                Terminator::Branch { cond, then, other }
            }
            Opcode::LLVMBr => Terminator::Jump(self.edge(block, inst.successors()[0], true)),
            Opcode::LLVMSwitch => self.lower_switch(block, inst),
            Opcode::LLVMUnreachable => Terminator::Unreachable,
            Opcode::LLVMInvoke => self.lower_invoke(block, inst),
            Opcode::LLVMIndirectBr => self.lower_indirect_jump(block, inst),
            Opcode::LLVMCallBr => unsupported("asm goto"),
            Opcode::LLVMResume => {
                let exception = self.operands(inst.operand(0))[0];
                self.leave_with(exception)
            }
            Opcode::LLVMCleanupRet | Opcode::LLVMCatchRet | Opcode::LLVMCatchSwitch => {
                unsupported("an exception of Windows")
            }
            _ => return None,
        })
    }

    fn lower_return(&mut self, inst: Value<'m>) -> Terminator {
        if inst.operand_count() == 0 {
            self.leave_frame();
            let none = self.unwinds.then_some(Operand::Const(0));
            return Terminator::Return(none.into_iter().collect());
        }
        let mut values = self.operands(inst.operand(0));
        if self.unwinds {
            values.push(Operand::Const(0));
        }
        self.leave_frame();
        // An unsupported type has no leaves on either side.
        if values.len() != self.returns.len() {
            return unsupported("return value");
        }
        Terminator::Return(values.into_vec().into())
    }

    fn lower_switch(&mut self, block: BasicBlock<'m>, inst: Value<'m>) -> Terminator {
        let scrutinee = inst.operand(0);
        let width = match scalar(scrutinee.ty()) {
            Ok(Ty::Int(width)) => width,
            _ => return unsupported("switch on a wide integer"),
        };
        let value = self.operand(scrutinee);
        let targets = inst.successors();
        let default = self.edge(block, targets[0], false);
        let mut cases = Vec::with_capacity(targets.len() - 1);
        for (index, &target) in targets.iter().enumerate().skip(1) {
            let case = inst.case_value(index as u32).unsigned();
            cases.push((case, self.edge(block, target, false)));
        }
        Terminator::Switch { width, value, cases: cases.into(), default }
    }

    /// The edge `from → to`. What computing its moves needs goes to the end of
    /// `from` when that is the `only` way out, else into a block of its own, so that
    /// an input is read only on the way that uses it.
    pub(super) fn edge(&mut self, from: BasicBlock<'m>, to: BasicBlock<'m>, only: bool) -> Edge {
        let before = if only { Vec::new() } else { std::mem::take(&mut self.insts) };
        let phis = self.phis.remove(&to).unwrap_or_default();
        let mut moves = Vec::new();
        for phi in &phis {
            let Some(&source) = self.incoming.get(&(from, phi.value)) else { continue };
            let operands = self.operands(source);
            moves.extend(phi.regs.iter().copied().zip(operands));
        }
        self.phis.insert(to, phis);
        let edge = Edge { target: self.block_ids[&to], moves: moves.into() };
        if only {
            return edge;
        }
        let needed = std::mem::replace(&mut self.insts, before);
        if needed.is_empty() {
            return edge;
        }
        let target = BlockId(u32::try_from(self.blocks.len()).unwrap_or(u32::MAX));
        let term = Terminator::Jump(edge);
        self.blocks.push(Some(Block { insts: needed, term, term_span: self.span }));
        Edge { target, moves: Box::default() }
    }
}

fn unsupported(what: &str) -> Terminator {
    Terminator::Unsupported { what: what.to_owned() }
}
