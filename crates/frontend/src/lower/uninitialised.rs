//! Where the value of an uninitialised variable is read as an input (see
//! [`crate::uninitialised`] for how such variables are found).
//!
//! A variable has one value however often it is used, so the input is read once,
//! in the nearest block that dominates all uses; with a single use, right there, so
//! that no way that does not use it reads an input.

use heddle_ir::{NondetReason, Op};
use rustc_hash::FxHashMap;

use super::function::FunctionLowering;
use super::operands::Scalar;
use crate::llvm::{BasicBlock, Opcode, Value};

impl<'m> FunctionLowering<'_, 'm> {
    /// Decides for each marker in the entry block where its input is read.
    pub(super) fn place_uninitialised(&mut self, order: &[BasicBlock<'m>]) {
        let Some(entry) = order.first() else { return };
        let mut dominators = None;
        for inst in entry.instructions() {
            if !self.cx.is_marker(inst) {
                continue;
            }
            let uses = self.uses(inst);
            if let [_] = uses[..] {
                let types = self.cx.types_of(inst.ty()).into_iter();
                self.alias(inst, types.map(Scalar::Undefined).collect());
                continue;
            }
            let tree = dominators.get_or_insert_with(|| Dominators::new(order));
            if let Some(block) = tree.nearest_common(&uses) {
                self.uninitialised.entry(block).or_default().push(inst);
            }
        }
    }

    /// Reads the inputs that belong to the start of `block`.
    pub(super) fn read_uninitialised(&mut self, block: BasicBlock<'m>) {
        for inst in self.uninitialised.remove(&block).unwrap_or_default() {
            for dst in self.assign(inst).unwrap_or_default() {
                self.emit(Op::Nondet { dst, reason: NondetReason::Uninitialised });
            }
        }
    }

    /// The blocks that use a value; a phi node uses it at the end of the block that
    /// the value comes from. Unreachable blocks do not count.
    fn uses(&self, value: Value<'m>) -> Vec<BasicBlock<'m>> {
        let mut blocks = Vec::new();
        for user in value.users() {
            match user.opcode() {
                // The marking store into a slot that was not promoted.
                Opcode::LLVMStore if user.operand(0) == value => {
                    if !self.cx.is_marking_store(user) {
                        blocks.push(user.parent());
                    }
                }
                Opcode::LLVMPHI if !user.has_uses() => {}
                Opcode::LLVMPHI => {
                    let incoming = user.incoming().into_iter();
                    blocks.extend(incoming.filter(|&(_, v)| v == value).map(|(block, _)| block));
                }
                _ => blocks.push(user.parent()),
            }
        }
        blocks.retain(|block| self.block_ids.contains_key(block));
        blocks
    }
}

/// Immediate dominators, by the algorithm of Cooper, Harvey and Kennedy ("A simple,
/// fast dominance algorithm", 2001). Blocks are known by their place in reverse
/// post-order.
struct Dominators<'m> {
    order: Vec<BasicBlock<'m>>,
    position: FxHashMap<BasicBlock<'m>, usize>,
    immediate: Vec<Option<usize>>,
}

impl<'m> Dominators<'m> {
    fn new(order: &[BasicBlock<'m>]) -> Self {
        let position: FxHashMap<_, _> = order.iter().enumerate().map(|(i, &b)| (b, i)).collect();
        let mut predecessors = vec![Vec::new(); order.len()];
        for (index, block) in order.iter().enumerate() {
            for next in super::function::successors(*block) {
                predecessors[position[&next]].push(index);
            }
        }
        let immediate = vec![None; order.len()];
        let mut tree = Dominators { order: order.to_vec(), position, immediate };
        tree.immediate[0] = Some(0);
        let mut changed = true;
        while changed {
            changed = false;
            for (block, known) in predecessors.iter().enumerate().skip(1) {
                let known = known.iter().copied();
                let common = known
                    .filter(|&pred| tree.immediate[pred].is_some())
                    .reduce(|a, b| tree.meet(a, b));
                changed |= tree.immediate[block] != common;
                tree.immediate[block] = common;
            }
        }
        tree
    }

    fn meet(&self, mut a: usize, mut b: usize) -> usize {
        while a != b {
            if a < b {
                b = self.immediate[b].unwrap_or(0);
            } else {
                a = self.immediate[a].unwrap_or(0);
            }
        }
        a
    }

    fn nearest_common(&self, blocks: &[BasicBlock<'m>]) -> Option<BasicBlock<'m>> {
        let positions = blocks.iter().map(|block| self.position[block]);
        positions.reduce(|a, b| self.meet(a, b)).map(|index| self.order[index])
    }
}
