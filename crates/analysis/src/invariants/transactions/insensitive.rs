//! Nodes from which every condition that is ever tested turns out the same way, whatever the
//! order: lines 10 to 32 of algorithm 1, with what section 2 says of Figure 1. Deviations:
//!
//! 1. One truth value over all states that can be reached, not one for each pair of places:
//!    lines 14 to 18 would leave out one order at (a1, b1) of Figure 1.
//! 2. It does not matter whether a condition depends on the step: any that is open counts.
//! 3. Nothing is taken out of a graph that is there; it is built once more, and at such a node
//!    only the first thread that can goes on. Steps that take locks are always sensitive.

use std::collections::{BTreeMap, BTreeSet};

use super::Thread;
use super::search::Search;

pub type Oblivious = BTreeSet<Vec<Thread>>;

/// Nodes from which on no condition is open.
pub fn oblivious(graph: &Search) -> Oblivious {
    let mut after: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); graph.nodes.len()];
    for &(from, to, _) in graph.edges.keys() {
        after[from].insert(to);
    }
    let open = |start: usize| {
        let mut seen = BTreeSet::from([start]);
        let mut todo = vec![start];
        let mut ways = BTreeMap::new();
        while let Some(node) = todo.pop() {
            for (condition, taken) in &graph.nodes[node].outcomes {
                let first: &mut BTreeSet<usize> = ways.entry(*condition).or_default();
                first.extend(taken);
                if first.len() > 1 {
                    return true;
                }
            }
            todo.extend(after[node].iter().copied().filter(|next| seen.insert(*next)));
        }
        false
    };
    let closed = (0..graph.nodes.len()).filter(|&node| !open(node));
    closed.map(|node| graph.nodes[node].threads.clone()).collect()
}
