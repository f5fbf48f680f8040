//! `setjmp` and `longjmp` as ordinary control.
//!
//! A jump is an exception with a number of its own ([`JUMP`]): each function ends with it
//! until one is reached that has called `setjmp`. That looks, wherever a call ends with an
//! exception, whether it is for one of its own calls of `setjmp`, and goes on behind that.
//! Buffers, frames and the way from one to the other are C (`support/runtime/jump.c`); the
//! end of a thread by `pthread_exit` goes the same way where functions have to be called on
//! it.
//!
//! 1. Local variables of a function that calls `setjmp` stay in memory. Which of them are
//!    indeterminate after a jump stands in `indeterminate.rs`.
//! 2. A call only leads back to those calls of `setjmp` that it can come after. So loops that
//!    jumps make are natural ones where they would be if they were written as loops.

use heddle_ir::{Block, BlockId, Edge, Inst, Op, Operand, Reg, Terminator, Ty};
use rustc_hash::FxHashSet;

use super::function::{FunctionLowering, successors};
use super::indeterminate::Indeterminate;
use crate::llvm::{BasicBlock, Opcode, Value, ValueKind};
use crate::needs::{ARRIVE, ARRIVED, ENTER_FRAME, LEAVE_FRAME, PASSES, SAVE_MASK, SETJMP};

/// The exception that is a jump.
pub(super) const JUMP: u64 = 1;

/// Does a function of this name return when a jump leads to it?
pub(crate) fn is_setjmp(name: &str) -> bool {
    matches!(name, "setjmp" | "_setjmp" | "sigsetjmp" | "__sigsetjmp" | "__heddle_builtin_setjmp")
}

/// Is the instruction a call of such a function?
pub(crate) fn calls_setjmp(inst: Value<'_>) -> bool {
    if !matches!(inst.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke) {
        return false;
    }
    let called = inst.called_value();
    called.kind() == ValueKind::LLVMFunctionValueKind && is_setjmp(&called.name())
}

/// A call of `setjmp`.
pub(super) struct Site<'m> {
    pub inst: Value<'m>,
    /// Where a jump comes to, and where the program goes on.
    landing: BlockId,
    next: BlockId,
    result: Reg,
    /// Where jumps to it may come from, but for what stands behind it in its own block.
    pub from: FxHashSet<BasicBlock<'m>>,
    is_lowered: bool,
}

/// Of a function that calls `setjmp`.
pub(super) struct Jumps<'m> {
    /// The address of the object that says which call of the function it is.
    frame: Reg,
    /// By number, from 1 on.
    sites: Vec<Site<'m>>,
    pub indeterminate: Indeterminate<'m>,
}

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn enter_jumps(&mut self, order: &[BasicBlock<'m>]) {
        let insts = order.iter().flat_map(|block| block.instructions());
        let calls: Vec<Value<'m>> = insts.filter(|&inst| calls_setjmp(inst)).collect();
        if calls.is_empty() {
            return;
        }
        let frame = self.fresh(Ty::Ptr);
        let bytes = u64::from(self.cx.program.pointer_bytes);
        let (count, name) = (Operand::Const(1), Some("frame".to_owned()));
        let op = Op::StackAlloc { dst: frame, bytes, count, align: bytes, name, ty: None };
        let place = |op| Inst { op, span: self.span, place: None, origin: 0 };
        let first = [op, self.cx.call_of(ENTER_FRAME, vec![Operand::Reg(frame)], &[Ty::Ptr], &[])];
        self.entry.extend(first.map(place));
        let mut sites = Vec::new();
        for inst in calls {
            let block = inst.parent();
            sites.push(Site {
                inst,
                landing: self.new_block(),
                next: self.new_block(),
                result: self.fresh(Ty::Int(32)),
                from: behind(block),
                is_lowered: false,
            });
        }
        join_reaches(&mut sites);
        let indeterminate = self.find_indeterminate(order, &sites);
        self.jumps = Some(Jumps { frame, sites, indeterminate });
    }

    /// Where jumps come to.
    pub(super) fn finish_jumps(&mut self) {
        let Some(jumps) = self.jumps.take() else { return };
        for (number, site) in jumps.sites.iter().enumerate() {
            self.open = site.landing;
            let dst = self.fresh(Ty::Int(32));
            self.call_library(ARRIVED, Vec::new(), Vec::new(), vec![dst], None);
            self.forget_changed(&jumps, number);
            let moves = [(site.result, Operand::Reg(dst))].into();
            let term = Terminator::Jump(Edge { target: site.next, moves });
            self.go_on_in(site.next, term);
        }
    }

    /// A call of `setjmp`, which other calls come back to.
    pub(super) fn lower_setjmp(&mut self, inst: Value<'m>) {
        let Some(mut jumps) = self.jumps.take() else { return };
        if let Some(at) = jumps.sites.iter().position(|site| site.inst == inst) {
            let (buffer, frame) = (self.operand(inst.operand(0)), Operand::Reg(jumps.frame));
            let number = Operand::Const(at as u64 + 1);
            let types = vec![Ty::Ptr, Ty::Ptr, Ty::Int(32)];
            let place = self.place_of_argument(inst.operand(0), "setjmp");
            self.call_library(SETJMP, vec![buffer, frame, number], types, Vec::new(), place);
            let called = inst.called_value().name();
            if called != "__heddle_builtin_setjmp" {
                let saves = match called.ends_with("sigsetjmp") {
                    true => self.operand(inst.operand(1)),
                    false => Operand::Const(0),
                };
                let types = vec![Ty::Ptr, Ty::Int(32)];
                self.call_library(SAVE_MASK, vec![buffer, saves], types, Vec::new(), place);
            }
            self.nothing_changed(&jumps, at);
            let site = &mut jumps.sites[at];
            site.is_lowered = true;
            self.bind(inst, &[site.result]);
            let moves = [(site.result, Operand::Const(0))].into();
            self.go_on_in(site.next, Terminator::Jump(Edge { target: site.next, moves }));
        }
        self.jumps = Some(jumps);
    }

    /// The open block has the exception of a call in `block`. If that is for one of this
    /// function's calls of `setjmp`, goes on there.
    pub(super) fn look_for_landing(&mut self, block: BasicBlock<'m>, exception: Operand) {
        let Some(jumps) = self.jumps.take() else { return };
        let leads_here = |site: &Site<'m>| {
            site.from.contains(&block) || site.is_lowered && site.inst.parent() == block
        };
        let numbered = jumps.sites.iter().zip(1_u64..).filter(|(site, _)| leads_here(site));
        let landings: Vec<(u64, BlockId)> =
            numbered.map(|(site, number)| (number, site.landing)).collect();
        if !landings.is_empty() {
            let value = self.fresh(Ty::Int(32));
            let args = vec![exception, Operand::Reg(jumps.frame)];
            self.call_library(ARRIVE, args, vec![Ty::Ptr, Ty::Ptr], vec![value], None);
            let (next, lost) = (self.new_block(), self.new_block());
            let term = Terminator::Unsupported { what: "a jump to another setjmp()".to_owned() };
            self.blocks[lost.0 as usize] =
                Some(Block { insts: Vec::new(), term, term_span: self.span });
            let ways = landings.into_iter().chain([(0, next)]);
            let term = Terminator::Switch {
                width: 32,
                value: Operand::Reg(value),
                cases: ways.map(|(number, target)| (number, plain_edge(target))).collect(),
                default: plain_edge(lost),
            };
            self.go_on_in(next, term);
        }
        self.jumps = Some(jumps);
    }

    /// The function is about to end.
    pub(super) fn leave_frame(&mut self) {
        if let Some(jumps) = &self.jumps {
            let frame = Operand::Reg(jumps.frame);
            self.call_library(LEAVE_FRAME, vec![frame], vec![Ty::Ptr], Vec::new(), None);
        }
    }

    /// Whether what ends a call may leave a function that no exception may leave.
    pub(super) fn passes(&mut self, exception: Operand) -> Operand {
        let dst = self.fresh(Ty::BOOL);
        self.call_library(PASSES, vec![exception], vec![Ty::Ptr], vec![dst], None);
        Operand::Reg(dst)
    }
}

pub(super) fn plain_edge(target: BlockId) -> Edge {
    Edge { target, moves: Box::default() }
}

/// Blocks that can be reached from the end of another.
fn behind(block: BasicBlock<'_>) -> FxHashSet<BasicBlock<'_>> {
    let mut seen = FxHashSet::default();
    let mut todo = successors(block);
    while let Some(block) = todo.pop() {
        if seen.insert(block) {
            todo.extend(successors(block));
        }
    }
    seen
}

/// Whoever jumps from where one call of `setjmp` leads to may come to where another does.
fn join_reaches(sites: &mut [Site<'_>]) {
    let mut changed = true;
    while changed {
        changed = false;
        for at in 0..sites.len() {
            for other in 0..sites.len() {
                let home = sites[other].inst.parent();
                let (one, two) = (&sites[at].from, &sites[other].from);
                if at == other || !one.contains(&home) && one.is_disjoint(two) {
                    continue;
                }
                let more: Vec<_> = two.difference(one).copied().collect();
                changed |= !more.is_empty();
                sites[at].from.extend(more);
            }
        }
    }
}
