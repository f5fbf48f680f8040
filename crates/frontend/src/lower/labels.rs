//! Labels as values (`&&label`) and jumps to them.
//!
//! The labels of a program are the bytes of an object that nobody else has: addresses like
//! others.

use heddle_ir::{BinOp, Block, BlockId, Cast, Edge, Global, GlobalId, Init, Operand, Span};
use heddle_ir::{Terminator, Ty};
use rustc_hash::FxHashSet;

use super::Lowering;
use super::function::FunctionLowering;
use crate::llvm::{BasicBlock, Opcode, Value};

impl<'m> Lowering<'m> {
    /// Gives an address to every block of the functions that jump to labels.
    pub(super) fn enter_labels(&mut self, functions: &[Value<'m>]) {
        let jumps = |block: &BasicBlock<'m>| {
            block.terminator().is_some_and(|end| end.opcode() == Opcode::LLVMIndirectBr)
        };
        let functions = functions.iter().map(|function| function.blocks());
        let blocks: Vec<BasicBlock<'m>> =
            functions.filter(|blocks| blocks.iter().any(jumps)).flatten().collect();
        if blocks.is_empty() {
            return;
        }
        let id = GlobalId(u32::try_from(self.program.globals.len()).unwrap_or(u32::MAX));
        self.program.globals.push(Global {
            name: "labels".to_owned(),
            source_name: None,
            bytes: blocks.len() as u64 + 1,
            align: 1,
            constant: true,
            thread_local: false,
            init: Some(Init::default()),
            ty: None,
            span: Span::UNKNOWN,
        });
        self.constants.labels = blocks.into_iter().zip((1..).map(|offset| (id, offset))).collect();
    }
}

impl<'m> FunctionLowering<'_, 'm> {
    /// A switch on the offset that an address has among the labels.
    pub(super) fn lower_indirect_jump(
        &mut self,
        block: BasicBlock<'m>,
        inst: Value<'m>,
    ) -> Terminator {
        let mut seen = FxHashSet::default();
        let targets: Vec<BasicBlock<'m>> =
            inst.successors().into_iter().filter(|&target| seen.insert(target)).collect();
        let first = targets.first().and_then(|target| self.cx.constants.labels.get(target));
        let Some(&(labels, _)) = first else {
            return Terminator::Unsupported { what: "computed goto".to_owned() };
        };
        let width = self.cx.program.pointer_bytes * 8;
        let address = self.operand(inst.operand(0));
        let [address, start] = [address, Operand::Global(labels, 0)]
            .map(|pointer| self.emit_cast(Cast::Trunc, Ty::Ptr, Ty::Int(width), pointer));
        let value = self.emit_binary(BinOp::Sub, width, address, start);
        let mut cases = Vec::new();
        for target in targets {
            let Some(&(_, offset)) = self.cx.constants.labels.get(&target) else { continue };
            cases.push((offset.cast_unsigned(), self.edge(block, target, false)));
        }
        let default = Edge { target: self.no_label(), moves: Box::default() };
        Terminator::Switch { width, value, cases: cases.into(), default }
    }

    fn no_label(&mut self) -> BlockId {
        let id = BlockId(u32::try_from(self.blocks.len()).unwrap_or(u32::MAX));
        let what = "computed goto to an address that is no label of the function".to_owned();
        let term = Terminator::Unsupported { what };
        self.blocks.push(Some(Block { insts: Vec::new(), term, term_span: self.span }));
        id
    }
}
