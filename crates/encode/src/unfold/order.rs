//! The order in which a function's blocks are unfolded.
//!
//! Loops are those of a weak topological order (Bourdoncle, "Efficient chaotic
//! iteration strategies with widenings", 1993): every cycle goes through the head
//! of a component by an edge from within it. So loops may have several entries,
//! and unfolding still meets all paths to a block before it enters the block.

use heddle_ir::{BlockId, Function};
use smallvec::SmallVec;

/// Where a block stands.
#[derive(Clone, Debug, Default)]
pub struct Place {
    /// Position in the order; unreachable blocks have none and are never asked.
    pub position: u32,
    /// Positions of the heads of the loops around it, outermost first. A head is
    /// in its own loop.
    pub loops: SmallVec<[u32; 4]>,
}

#[derive(Clone, Debug, Default)]
pub struct Order {
    places: Vec<Place>,
    /// Heads of loops that can be repeated without a change of any register.
    idle: Vec<u32>,
}

impl Order {
    pub fn of(function: &Function) -> Order {
        let successors: Vec<Vec<u32>> = function
            .blocks
            .iter()
            .map(|block| block.term.edges().iter().map(|edge| edge.target.0).collect())
            .collect();
        let mut builder = Builder {
            successors,
            places: vec![Place::default(); function.blocks.len()],
            next: 0,
            active: vec![false; function.blocks.len()],
        };
        let all: Vec<u32> = (0..function.blocks.len() as u32).collect();
        if all.is_empty() {
            return Order::default();
        }
        builder.arrange(&all, 0, &SmallVec::new());
        let mut order = Order { places: builder.places, idle: Vec::new() };
        order.find_idle(function);
        order
    }

    fn find_idle(&mut self, function: &Function) {
        for (block, code) in function.blocks.iter().enumerate() {
            let loops = &self.places[block].loops;
            for edge in code.term.edges().iter().filter(|edge| edge.moves.is_empty()) {
                let head = self.place(edge.target).position;
                if loops.contains(&head) {
                    self.idle.push(head);
                }
            }
        }
    }

    /// Is the block in a loop that can be repeated without a change of any register?
    pub fn may_idle(&self, block: BlockId) -> bool {
        self.place(block).loops.iter().any(|head| self.idle.contains(head))
    }

    pub fn place(&self, block: BlockId) -> &Place {
        &self.places[block.0 as usize]
    }
}

struct Builder {
    successors: Vec<Vec<u32>>,
    places: Vec<Place>,
    next: u32,
    /// Nodes of the part under way.
    active: Vec<bool>,
}

impl Builder {
    /// Gives places to `nodes`, of which `entry` is the first one reached.
    fn arrange(&mut self, nodes: &[u32], entry: u32, loops: &SmallVec<[u32; 4]>) {
        for &node in nodes {
            self.active[node as usize] = true;
        }
        let components = self.components(nodes, entry);
        for &node in nodes {
            self.active[node as usize] = false;
        }
        for component in components {
            let head = component[0];
            let position = self.next;
            self.next += 1;
            let place = &mut self.places[head as usize];
            place.position = position;
            place.loops = loops.clone();
            if component.len() == 1 && !self.successors[head as usize].contains(&head) {
                continue;
            }
            let mut inner = loops.clone();
            inner.push(position);
            self.places[head as usize].loops = inner.clone();
            let rest = &component[1..];
            if let Some(&first) = rest.first() {
                self.arrange(rest, first, &inner);
            }
        }
    }

    /// Strongly connected components in topological order, each with the node
    /// that was reached first in front (Tarjan, without recursion).
    fn components(&self, nodes: &[u32], entry: u32) -> Vec<Vec<u32>> {
        let count = self.successors.len();
        let mut index = vec![u32::MAX; count];
        let mut low = vec![0u32; count];
        let mut on_stack = vec![false; count];
        let mut stack = Vec::new();
        let mut found: Vec<Vec<u32>> = Vec::new();
        let mut clock = 0;
        for &root in std::iter::once(&entry).chain(nodes) {
            if index[root as usize] != u32::MAX {
                continue;
            }
            let mut path = vec![(root, 0usize)];
            while let Some((node, at)) = path.last_mut() {
                let v = *node as usize;
                if *at == 0 {
                    index[v] = clock;
                    low[v] = clock;
                    clock += 1;
                    stack.push(*node);
                    on_stack[v] = true;
                }
                let next = self.successors[v][*at..]
                    .iter()
                    .position(|&w| self.active[w as usize])
                    .map(|skip| *at + skip);
                if let Some(edge) = next {
                    *at = edge + 1;
                    let w = self.successors[v][edge] as usize;
                    if index[w] == u32::MAX {
                        path.push((w as u32, 0));
                    } else if on_stack[w] {
                        low[v] = low[v].min(index[w]);
                    }
                    continue;
                }
                let node = *node;
                path.pop();
                if let Some((parent, _)) = path.last() {
                    let p = *parent as usize;
                    low[p] = low[p].min(low[v]);
                }
                if low[v] == index[v] {
                    let at = stack.iter().rposition(|&n| n == node).expect("on the stack");
                    let component = stack.split_off(at);
                    for &n in &component {
                        on_stack[n as usize] = false;
                    }
                    found.push(component);
                }
            }
        }
        found.reverse();
        found
    }
}
