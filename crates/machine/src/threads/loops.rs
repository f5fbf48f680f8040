//! Facts about a function's control flow that the interpreter needs: its loops.

use heddle_ir::{BlockId, Function};

/// What a jump from one block to another means for loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JumpKind {
    Plain,
    /// Into a loop from outside.
    Enter,
    /// Back to the header of a natural loop: the header dominates the source, so
    /// what one iteration hands to the next is exactly the moves of the edge.
    Back,
    /// Back in a cycle with several entries; such a loop is counted, but never
    /// taken for a waiting loop.
    BackIrreducible,
}

/// Loops of one function.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    /// Per block: is it the target of a back edge?
    header: Vec<bool>,
    /// Back edges (source, target, natural), sorted.
    back: Vec<(u32, u32, bool)>,
}

impl Loops {
    pub fn of(function: &Function) -> Loops {
        let order = Order::of(function);
        let dominators = order.dominators();
        let mut loops = Loops { header: vec![false; function.blocks.len()], back: Vec::new() };
        for &(source, target) in &order.retreating {
            loops.header[target as usize] = true;
            loops.back.push((source, target, order.dominates(&dominators, target, source)));
        }
        loops.back.sort_unstable();
        loops.back.dedup();
        loops
    }

    #[inline]
    pub fn classify(&self, source: u32, target: BlockId) -> JumpKind {
        if !self.header[target.0 as usize] {
            return JumpKind::Plain;
        }
        match self.back.binary_search_by(|edge| (edge.0, edge.1).cmp(&(source, target.0))) {
            Ok(at) if self.back[at].2 => JumpKind::Back,
            Ok(_) => JumpKind::BackIrreducible,
            Err(_) => JumpKind::Enter,
        }
    }
}

/// Depth-first order of a function's blocks.
struct Order {
    /// Position of each reachable block in reverse postorder.
    position: Vec<Option<u32>>,
    /// Reachable blocks in reverse postorder.
    blocks: Vec<u32>,
    predecessors: Vec<Vec<u32>>,
    /// Edges to a block on the depth-first stack.
    retreating: Vec<(u32, u32)>,
}

impl Order {
    fn of(function: &Function) -> Order {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let count = function.blocks.len();
        let successors: Vec<Vec<u32>> = function
            .blocks
            .iter()
            .map(|block| block.term.edges().iter().map(|edge| edge.target.0).collect())
            .collect();
        let mut order = Order {
            position: vec![None; count],
            blocks: Vec::with_capacity(count),
            predecessors: vec![Vec::new(); count],
            retreating: Vec::new(),
        };
        if count == 0 {
            return order;
        }
        let mut marks = vec![Mark::New; count];
        let mut stack = vec![(0u32, 0usize)];
        marks[0] = Mark::Open;
        while let Some((block, next)) = stack.last_mut() {
            let block = *block;
            if let Some(&target) = successors[block as usize].get(*next) {
                *next += 1;
                order.predecessors[target as usize].push(block);
                match marks[target as usize] {
                    Mark::New => {
                        marks[target as usize] = Mark::Open;
                        stack.push((target, 0));
                    }
                    Mark::Open => order.retreating.push((block, target)),
                    Mark::Done => {}
                }
            } else {
                marks[block as usize] = Mark::Done;
                order.blocks.push(block);
                stack.pop();
            }
        }
        order.blocks.reverse();
        for (position, &block) in order.blocks.iter().enumerate() {
            order.position[block as usize] = Some(position as u32);
        }
        order
    }

    /// Immediate dominators as positions in reverse postorder (Cooper, Harvey and
    /// Kennedy, "A Simple, Fast Dominance Algorithm").
    fn dominators(&self) -> Vec<u32> {
        const NONE: u32 = u32::MAX;
        let mut idom = vec![NONE; self.blocks.len()];
        if idom.is_empty() {
            return idom;
        }
        idom[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for (position, &block) in self.blocks.iter().enumerate().skip(1) {
                let mut new = NONE;
                for &predecessor in &self.predecessors[block as usize] {
                    let Some(other) = self.position[predecessor as usize] else { continue };
                    if idom[other as usize] == NONE {
                        continue;
                    }
                    new = if new == NONE { other } else { intersect(&idom, new, other) };
                }
                if idom[position] != new {
                    idom[position] = new;
                    changed = true;
                }
            }
        }
        idom
    }

    fn dominates(&self, idom: &[u32], above: u32, below: u32) -> bool {
        let (Some(above), Some(mut at)) =
            (self.position[above as usize], self.position[below as usize])
        else {
            return false;
        };
        while at > above {
            at = idom[at as usize];
        }
        at == above
    }
}

fn intersect(idom: &[u32], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        while a > b {
            a = idom[a as usize];
        }
        while b > a {
            b = idom[b as usize];
        }
    }
    a
}
