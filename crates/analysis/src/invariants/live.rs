//! Which registers of a function are still read: others need not be kept.

use heddle_ir::{Block, Function, Operand, Reg};
use rustc_hash::FxHashSet;

use crate::flow::Flow;

/// For each block, registers that are read in it or later, and the order in which blocks are
/// looked at.
pub struct Live {
    pub at_entry: Vec<FxHashSet<Reg>>,
    /// Reverse postorder.
    pub order: Vec<u32>,
    /// Blocks that jumps back lead to.
    pub heads: FxHashSet<u32>,
    pub flow: Flow,
    /// Where the edges of each block lead.
    pub targets: Vec<Vec<u32>>,
    /// Bits of each register.
    pub widths: Vec<u8>,
}

impl Live {
    pub fn of(function: &Function, pointer_bytes: u8) -> Live {
        let flow = Flow::of(function);
        let heads: FxHashSet<u32> = flow.back_edges.iter().map(|edge| edge.1).collect();
        let order = order(function);
        let mut at_entry: Vec<FxHashSet<Reg>> = vec![FxHashSet::default(); function.blocks.len()];
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for &block in order.iter().rev() {
                let live = block_entry(function, &flow, block, &at_entry);
                if live.len() != at_entry[block as usize].len() {
                    at_entry[block as usize] = live;
                    changed = true;
                }
            }
        }
        let edges = |block: &Block| block.term.edges().iter().map(|edge| edge.target.0).collect();
        let targets = function.blocks.iter().map(edges).collect();
        let widths = function.regs.iter().map(|ty| ty.bits(pointer_bytes) as u8).collect();
        Live { at_entry, order, heads, flow, targets, widths }
    }
}

fn block_entry(
    function: &Function,
    flow: &Flow,
    block: u32,
    at_entry: &[FxHashSet<Reg>],
) -> FxHashSet<Reg> {
    let body = &function.blocks[block as usize];
    let mut live = FxHashSet::default();
    let read = |live: &mut FxHashSet<Reg>, operand: Operand| {
        if let Operand::Reg(reg) = operand {
            live.insert(reg);
        }
    };
    for edge in body.term.edges() {
        let assigned: FxHashSet<Reg> = edge.moves.iter().map(|(reg, _)| *reg).collect();
        live.extend(at_entry[edge.target.0 as usize].difference(&assigned));
        // Where a loop goes round, the old value is compared with the new one.
        if flow.back_edges.contains(&(block, edge.target.0)) {
            live.extend(assigned);
        }
    }
    for edge in body.term.edges() {
        edge.moves.iter().for_each(|(_, from)| read(&mut live, *from));
    }
    body.term.operands().into_iter().for_each(|operand| read(&mut live, operand));
    for inst in body.insts.iter().rev() {
        inst.op.destinations().iter().for_each(|reg| {
            live.remove(reg);
        });
        inst.op.operands().into_iter().for_each(|operand| read(&mut live, operand));
    }
    live
}

fn order(function: &Function) -> Vec<u32> {
    let targets = |block: u32| -> Vec<u32> {
        function.blocks[block as usize].term.edges().iter().map(|edge| edge.target.0).collect()
    };
    let mut seen = vec![false; function.blocks.len()];
    let (mut stack, mut order) = (vec![(0, targets(0))], Vec::new());
    seen[0] = true;
    while let Some((block, left)) = stack.last_mut() {
        match left.pop() {
            Some(next) if !std::mem::replace(&mut seen[next as usize], true) => {
                let more = targets(next);
                stack.push((next, more));
            }
            Some(_) => {}
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}
