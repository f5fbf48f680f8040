//! One function: its blocks in reverse post-order, so that every value is lowered
//! before its uses.

use std::rc::Rc;

use heddle_ir::{Block, BlockId, FuncId, Function, Inst, PlaceId, Reg, Span, Terminator, Ty};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::jumps::Jumps;
use super::operands::Scalars;
use super::places::Lvalue;
use super::{Lowering, tidy};
use crate::debuginfo::Variable;
use crate::llvm::{BasicBlock, Opcode, Value};

/// A phi node: the registers that moves on the edges write.
pub(super) struct Phi<'m> {
    pub value: Value<'m>,
    pub regs: SmallVec<[Reg; 1]>,
}

/// The state of lowering one function.
pub(super) struct FunctionLowering<'a, 'm> {
    pub cx: &'a mut Lowering<'m>,
    pub regs: Vec<Ty>,
    pub reg_names: Vec<Option<String>>,
    pub values: FxHashMap<Value<'m>, Scalars>,
    /// The source variable that each value is, where debug info tells.
    pub variables: FxHashMap<Value<'m>, Variable>,
    /// Places of accesses, by address and size.
    pub places: FxHashMap<(Value<'m>, u64), Option<PlaceId>>,
    pub lvalues: FxHashMap<Value<'m>, Option<Rc<Lvalue>>>,
    pub block_ids: FxHashMap<BasicBlock<'m>, BlockId>,
    pub phis: FxHashMap<BasicBlock<'m>, Vec<Phi<'m>>>,
    pub incoming: FxHashMap<(BasicBlock<'m>, Value<'m>), Value<'m>>,
    /// Uninitialised variables whose value is read at the start of a block.
    pub uninitialised: FxHashMap<BasicBlock<'m>, Vec<Value<'m>>>,
    /// Finished blocks; those split out of edges come after the program's own.
    pub blocks: Vec<Option<Block>>,
    /// The block being lowered.
    pub open: BlockId,
    /// Of the block being lowered.
    pub insts: Vec<Inst>,
    /// What comes before everything else.
    pub entry: Vec<Inst>,
    /// Of a variadic function: holds where the arguments without a name are.
    pub variadic_area: Option<Reg>,
    /// The address of the frame, if it was asked for.
    pub frame: Option<Reg>,
    /// The exception that each landing pad is entered with.
    pub pads: FxHashMap<BasicBlock<'m>, Reg>,
    /// Its calls of `setjmp`.
    pub jumps: Option<Jumps<'m>>,
    /// No exception may leave the function.
    pub is_nounwind: bool,
    /// The function returns the exception that it ends with.
    pub unwinds: bool,
    pub span: Span,
    /// Number of the instruction being lowered, as [`numbered`] counts.
    pub origin: u32,
    pub returns: Vec<Ty>,
}

pub(super) fn lower<'m>(cx: &mut Lowering<'m>, function: Value<'m>, id: FuncId) -> Function {
    let mut result = cx.program.functions[id.0 as usize].clone();
    let order = reverse_post_order(function);
    let nounwind = cx.nounwind;
    let mut this = FunctionLowering {
        variables: cx.debug.variables(&order),
        cx,
        regs: Vec::new(),
        reg_names: Vec::new(),
        values: FxHashMap::default(),
        places: FxHashMap::default(),
        lvalues: FxHashMap::default(),
        block_ids: FxHashMap::default(),
        phis: FxHashMap::default(),
        incoming: FxHashMap::default(),
        uninitialised: FxHashMap::default(),
        blocks: order.iter().map(|_| None).collect(),
        open: BlockId::ENTRY,
        pads: FxHashMap::default(),
        jumps: None,
        is_nounwind: function.has_attribute(nounwind),
        unwinds: result.unwinds,
        insts: Vec::new(),
        entry: Vec::new(),
        variadic_area: None,
        frame: None,
        span: result.span,
        origin: 0,
        returns: result.returns.clone(),
    };
    result.params = this.enter_params(function);
    this.enter_blocks(&order);
    this.place_uninitialised(&order);
    this.enter_jumps(&order);
    for (index, &block) in order.iter().enumerate() {
        this.open = BlockId(index as u32);
        let finished = this.lower_block(block);
        let open = this.open;
        this.blocks[open.0 as usize] = Some(finished);
    }
    this.finish_jumps();
    if let Some(Some(first)) = this.blocks.first_mut() {
        first.insts.splice(0..0, std::mem::take(&mut this.entry));
    }
    result.blocks = this.blocks.into_iter().flatten().collect();
    result.regs = this.regs;
    result.reg_names = this.reg_names;
    tidy::tidy(&mut result);
    result
}

impl<'m> FunctionLowering<'_, 'm> {
    fn enter_params(&mut self, function: Value<'m>) -> Vec<Reg> {
        let mut params = Vec::new();
        for param in function.params() {
            let types = self.cx.types_of(param.ty());
            let regs: Vec<Reg> = types.into_iter().map(|ty| self.fresh(ty)).collect();
            // A parameter of an unsupported type has no register; its uses stop.
            if !regs.is_empty() {
                self.bind(param, &regs);
            }
            params.extend(regs);
        }
        if function.value_type().is_variadic() {
            let area = self.fresh(Ty::Ptr);
            self.variadic_area = Some(area);
            params.push(area);
        }
        params
    }

    fn enter_blocks(&mut self, order: &[BasicBlock<'m>]) {
        for (index, &block) in order.iter().enumerate() {
            self.block_ids.insert(block, BlockId(index as u32));
            let mut phis = Vec::new();
            for value in block.instructions() {
                if value.opcode() != Opcode::LLVMPHI {
                    break;
                }
                if !value.has_uses() {
                    continue;
                }
                let types = self.cx.types_of(value.ty());
                let regs: SmallVec<[Reg; 1]> = types.into_iter().map(|ty| self.fresh(ty)).collect();
                self.bind(value, &regs);
                for (pred, source) in value.incoming() {
                    self.incoming.insert((pred, value), source);
                }
                phis.push(Phi { value, regs });
            }
            self.phis.insert(block, phis);
        }
    }

    fn lower_block(&mut self, block: BasicBlock<'m>) -> Block {
        let mut term = Terminator::Unreachable;
        self.read_uninitialised(block);
        for inst in block.instructions() {
            self.origin += 1;
            if let Some(location) = inst.debug_location() {
                self.span = self.cx.debug.span_of_location(location);
            }
            if let Some(found) = self.lower_terminator(block, inst) {
                term = found;
                break;
            }
            self.lower_instruction(inst);
        }
        Block { insts: std::mem::take(&mut self.insts), term, term_span: self.span }
    }

    fn lower_instruction(&mut self, inst: Value<'m>) {
        use Opcode as O;
        if self.lower_wide_atomic(inst) {
            return;
        }
        match inst.opcode() {
            O::LLVMPHI => {}
            O::LLVMAlloca => self.lower_alloca(inst),
            O::LLVMLoad => self.lower_load(inst),
            O::LLVMStore => self.lower_store(inst),
            O::LLVMGetElementPtr => self.lower_gep(inst),
            O::LLVMAtomicRMW => self.lower_rmw(inst),
            O::LLVMAtomicCmpXchg => self.lower_cmpxchg(inst),
            O::LLVMFence => self.lower_fence(inst),
            O::LLVMCall => self.lower_plain_call(inst),
            O::LLVMLandingPad => self.lower_landing_pad(inst),
            O::LLVMSelect => self.lower_select(inst),
            O::LLVMExtractValue => self.lower_extract(inst),
            O::LLVMInsertValue => self.lower_insert(inst),
            O::LLVMFreeze => self.lower_freeze(inst),
            opcode => self.lower_arithmetic(inst, opcode),
        }
    }
}

/// The instructions of a function with the numbers that [`heddle_ir::Inst::origin`]
/// has for them.
pub(crate) fn numbered(function: Value<'_>) -> Vec<(u32, Value<'_>)> {
    let blocks = reverse_post_order(function).into_iter();
    (1..).zip(blocks.flat_map(BasicBlock::instructions)).collect()
}

/// Where a block leads to.
pub(super) fn successors(block: BasicBlock<'_>) -> Vec<BasicBlock<'_>> {
    block.terminator().map_or_else(Vec::new, |t| match t.opcode() {
        Opcode::LLVMInvoke => vec![t.normal_destination(), t.unwind_destination()],
        Opcode::LLVMBr | Opcode::LLVMSwitch | Opcode::LLVMIndirectBr => t.successors(),
        _ => Vec::new(),
    })
}

/// Blocks that can be reached, each after its dominators. The entry comes first.
fn reverse_post_order<'m>(function: Value<'m>) -> Vec<BasicBlock<'m>> {
    let Some(entry) = function.blocks().into_iter().next() else { return Vec::new() };
    let mut seen = FxHashSet::from_iter([entry]);
    let mut finished = Vec::new();
    let mut stack = vec![(entry, successors(entry).into_iter())];
    while let Some((block, rest)) = stack.last_mut() {
        match rest.next_back() {
            Some(next) if seen.insert(next) => stack.push((next, successors(next).into_iter())),
            Some(_) => {}
            None => {
                finished.push(*block);
                stack.pop();
            }
        }
    }
    finished.reverse();
    finished
}
