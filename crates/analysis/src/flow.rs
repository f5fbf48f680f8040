//! Control flow of one function: dominators, post-dominators, loops and control
//! dependence.
//!
//! Ferrante, Ottenstein and Warren, "The Program Dependence Graph and Its Use in
//! Optimization" (TOPLAS 1987), section 3.1; dominators after Cooper, Harvey and
//! Kennedy, "A Simple, Fast Dominance Algorithm". Deviations:
//!
//! 1. Blocks from which no path leads to the end of the function (they loop for ever)
//!    get an edge to it from the first of them, so that every block has a
//!    post-dominator.
//! 2. Control dependence is between blocks, not statements; but edges that assign something
//!    are statements of their own. An edge out of a loop is taken whatever the branch before
//!    it says, if the loop ends, and does not depend on it.

use heddle_ir::Function;
use rustc_hash::FxHashMap;

const NONE: u32 = u32::MAX;

/// Facts about the blocks of a function.
#[derive(Clone, Debug, Default)]
pub struct Flow {
    /// Blocks whose terminator decides whether this one is executed.
    pub controllers: Vec<Vec<u32>>,
    /// The same for edges of branches that assign something, by block and place among its
    /// edges.
    edge_controllers: FxHashMap<(u32, u32), Vec<u32>>,
    /// Jumps back: (source, header).
    pub back_edges: Vec<(u32, u32)>,
    /// Can it be reached from the entry?
    pub reachable: Vec<bool>,
    /// Immediate dominator of each block; its own number for the entry, `None` for
    /// blocks that can't be reached.
    pub dominator: Vec<Option<u32>>,
    pub predecessors: Vec<Vec<u32>>,
}

impl Flow {
    pub fn of(function: &Function) -> Flow {
        let count = function.blocks.len();
        if count == 0 {
            return Flow::default();
        }
        let successors: Vec<Vec<u32>> = function
            .blocks
            .iter()
            .map(|block| block.term.edges().iter().map(|edge| edge.target.0).collect())
            .collect();
        let forward = Order::of(&successors, 0);
        let predecessors = reverse(&successors);
        let dominator = forward.dominators(&predecessors);
        let reachable: Vec<bool> = forward.position.iter().map(|&p| p != NONE).collect();
        let ends = ends(&successors, &predecessors, &forward);
        let (split, edges) = split_edges(function, successors);
        let mut controllers = controllers(&split, count, &ends);
        let edge_controllers = edges.into_iter().zip(controllers.split_off(count)).collect();
        Flow {
            controllers,
            edge_controllers,
            back_edges: forward.retreating,
            reachable,
            dominator,
            predecessors,
        }
    }

    /// Blocks whose terminator decides whether an edge is taken that assigns something.
    pub fn controllers_of_edge(&self, block: u32, edge: u32) -> &[u32] {
        self.edge_controllers.get(&(block, edge)).unwrap_or(&self.controllers[block as usize])
    }

    /// Does every path to `below` lead through `above`?
    pub fn dominates(&self, above: u32, below: u32) -> bool {
        let mut at = below;
        loop {
            if at == above {
                return true;
            }
            match self.dominator[at as usize] {
                Some(next) if next != at => at = next,
                _ => return false,
            }
        }
    }
}

fn reverse(successors: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut predecessors = vec![Vec::new(); successors.len()];
    for (source, targets) in successors.iter().enumerate() {
        for &target in targets {
            predecessors[target as usize].push(source as u32);
        }
    }
    predecessors
}

/// Blocks after which the function may end, or is taken to.
fn ends(successors: &[Vec<u32>], predecessors: &[Vec<u32>], forward: &Order) -> Vec<u32> {
    let count = successors.len() as u32;
    let mut ends: Vec<u32> = (0..count).filter(|&b| successors[b as usize].is_empty()).collect();
    let mut reaches = vec![false; successors.len()];
    let mut todo = ends.clone();
    let mut next = 0;
    loop {
        while let Some(block) = todo.pop() {
            if !std::mem::replace(&mut reaches[block as usize], true) {
                todo.extend(&predecessors[block as usize]);
            }
        }
        while forward.blocks.get(next).is_some_and(|&block| reaches[block as usize]) {
            next += 1;
        }
        let Some(&block) = forward.blocks.get(next) else { return ends };
        ends.push(block);
        todo.push(block);
    }
}

/// The graph with a node behind the others for each edge of a branch that assigns something,
/// and which edges these are.
fn split_edges(
    function: &Function,
    mut successors: Vec<Vec<u32>>,
) -> (Vec<Vec<u32>>, Vec<(u32, u32)>) {
    let mut split = Vec::new();
    for (block, body) in function.blocks.iter().enumerate() {
        let edges = body.term.edges();
        if edges.len() < 2 {
            continue;
        }
        for (at, edge) in edges.iter().enumerate().filter(|(_, edge)| !edge.moves.is_empty()) {
            successors[block][at] = successors.len() as u32;
            successors.push(vec![edge.target.0]);
            split.push((block as u32, at as u32));
        }
    }
    (successors, split)
}

/// For each node the branches it depends on, which are among the first `blocks`.
fn controllers(successors: &[Vec<u32>], blocks: usize, ends: &[u32]) -> Vec<Vec<u32>> {
    let count = successors.len();
    let exit = count as u32;
    // The graph backwards, with one more node for the end of the function.
    let mut out = successors.to_vec();
    out.push(Vec::new());
    for &end in ends {
        out[end as usize].push(exit);
    }
    let back = reverse(&out);
    let post = Order::of(&back, exit).dominators(&out);
    let mut controllers = vec![Vec::new(); count];
    for branch in 0..blocks as u32 {
        let targets = &out[branch as usize];
        if targets.len() < 2 {
            continue;
        }
        let stop = post[branch as usize];
        for &target in targets {
            let mut at = Some(target);
            while let Some(block) = at.filter(|_| at != stop) {
                if block == exit {
                    break;
                }
                let list: &mut Vec<u32> = &mut controllers[block as usize];
                if list.last() != Some(&branch) {
                    list.push(branch);
                }
                at = post[block as usize];
            }
        }
    }
    controllers
}

/// Nodes of a graph in the order of a depth-first search.
struct Order {
    /// Position of each node in reverse postorder, or `NONE`.
    position: Vec<u32>,
    blocks: Vec<u32>,
    /// Edges to a node on the depth-first stack.
    retreating: Vec<(u32, u32)>,
}

impl Order {
    fn of(successors: &[Vec<u32>], root: u32) -> Order {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; successors.len()];
        let mut order = Order {
            position: vec![NONE; successors.len()],
            blocks: Vec::new(),
            retreating: vec![],
        };
        let mut stack = vec![(root, 0usize)];
        marks[root as usize] = Mark::Open;
        while let Some((block, next)) = stack.last_mut() {
            let block = *block;
            let Some(&target) = successors[block as usize].get(*next) else {
                marks[block as usize] = Mark::Done;
                order.blocks.push(block);
                stack.pop();
                continue;
            };
            *next += 1;
            match marks[target as usize] {
                Mark::New => {
                    marks[target as usize] = Mark::Open;
                    stack.push((target, 0));
                }
                Mark::Open => order.retreating.push((block, target)),
                Mark::Done => {}
            }
        }
        order.blocks.reverse();
        for (position, &block) in order.blocks.iter().enumerate() {
            order.position[block as usize] = position as u32;
        }
        order
    }

    /// Immediate dominators by node.
    fn dominators(&self, predecessors: &[Vec<u32>]) -> Vec<Option<u32>> {
        let mut idom = vec![NONE; self.blocks.len()];
        idom[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for (position, &block) in self.blocks.iter().enumerate().skip(1) {
                let mut new = NONE;
                for &predecessor in &predecessors[block as usize] {
                    let other = self.position[predecessor as usize];
                    if other == NONE || idom[other as usize] == NONE {
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
        let node = |position: u32| match position {
            NONE => None,
            position => Some(idom[position as usize]).filter(|&p| p != NONE),
        };
        let block = |position: u32| node(position).map(|p| self.blocks[p as usize]);
        self.position.iter().map(|&position| block(position)).collect()
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
