//! Cleans up the control flow of a function: jumps to blocks that only jump on are
//! shortened, straight-line blocks are joined, unreachable ones dropped. No
//! instruction is moved, duplicated or removed.

use heddle_ir::{Block, BlockId, Edge, Function, Inst, Op, Terminator};

pub(super) fn tidy(function: &mut Function) {
    shorten(function);
    drop_idle_branches(function);
    join(function);
    renumber(function);
}

fn edges_mut(term: &mut Terminator) -> Vec<&mut Edge> {
    match term {
        Terminator::Jump(edge) => vec![edge],
        Terminator::Branch { then, other, .. } => vec![then, other],
        Terminator::Switch { cases, default, .. } => {
            cases.iter_mut().map(|(_, edge)| edge).chain([default]).collect()
        }
        Terminator::Return(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => {
            Vec::new()
        }
    }
}

/// An edge without moves to an empty block that only jumps on takes that jump.
fn shorten(function: &mut Function) {
    let onward: Vec<Option<Edge>> = function
        .blocks
        .iter()
        .map(|block| match &block.term {
            Terminator::Jump(edge) if block.insts.is_empty() => Some(edge.clone()),
            _ => None,
        })
        .collect();
    for block in &mut function.blocks {
        for edge in edges_mut(&mut block.term) {
            // Each step follows one jump; a cycle of empty blocks ends the walk.
            let mut steps = 0;
            while edge.moves.is_empty() && steps < 64 {
                let Some(next) = &onward[edge.target.0 as usize] else { break };
                if next.target == edge.target || next.target == BlockId::ENTRY {
                    break;
                }
                *edge = next.clone();
                steps += 1;
            }
        }
    }
}

/// A branch with both ways to the same block and no moves is a jump.
fn drop_idle_branches(function: &mut Function) {
    for block in &mut function.blocks {
        if let Terminator::Branch { then, other, .. } = &block.term
            && then.target == other.target
            && then.moves.is_empty()
            && other.moves.is_empty()
        {
            block.term = Terminator::Jump(then.clone());
        }
    }
}

/// Appends a block to the only block that jumps to it.
fn join(function: &mut Function) {
    let mut predecessors = vec![0_u32; function.blocks.len()];
    let reachable = reachable(function);
    for &block in &reachable {
        for edge in function.block(block).term.edges() {
            predecessors[edge.target.0 as usize] += 1;
        }
    }
    // An unreachable block must not take its target away from a reachable one.
    for index in reachable.into_iter().map(|block| block.0 as usize) {
        while let Terminator::Jump(edge) = &function.blocks[index].term {
            let target = edge.target.0 as usize;
            if target == index || target == 0 || predecessors[target] != 1 {
                break;
            }
            let unreachable = Block {
                insts: Vec::new(),
                term: Terminator::Unreachable,
                term_span: heddle_ir::Span::UNKNOWN,
            };
            let next = std::mem::replace(&mut function.blocks[target], unreachable);
            let span = function.blocks[index].term_span;
            let block = &mut function.blocks[index];
            let Terminator::Jump(edge) = std::mem::replace(&mut block.term, next.term) else {
                break;
            };
            block.term_span = next.term_span;
            // With one predecessor no move reads what another one writes.
            for (dst, a) in edge.moves {
                block.insts.push(Inst { op: Op::Copy { dst, a }, span, place: None, origin: 0 });
            }
            block.insts.extend(next.insts);
        }
    }
}

fn reachable(function: &Function) -> Vec<BlockId> {
    let mut seen = vec![false; function.blocks.len()];
    let mut found = Vec::new();
    let mut stack = vec![BlockId::ENTRY];
    while let Some(block) = stack.pop() {
        if std::mem::replace(&mut seen[block.0 as usize], true) {
            continue;
        }
        found.push(block);
        stack.extend(function.block(block).term.edges().iter().map(|edge| edge.target));
    }
    found
}

/// Drops unreachable blocks and keeps the order of the others.
fn renumber(function: &mut Function) {
    let mut keep = reachable(function);
    keep.sort_unstable();
    let mut new_ids = vec![BlockId::ENTRY; function.blocks.len()];
    for (new, old) in keep.iter().enumerate() {
        new_ids[old.0 as usize] = BlockId(new as u32);
    }
    let mut old: Vec<Option<Block>> = function.blocks.drain(..).map(Some).collect();
    for id in keep {
        let Some(mut block) = old[id.0 as usize].take() else { continue };
        for edge in edges_mut(&mut block.term) {
            edge.target = new_ids[edge.target.0 as usize];
        }
        function.blocks.push(block);
    }
}
