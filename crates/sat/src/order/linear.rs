//! One model of orders, checked by itself in linear time (but for sorting).
//!
//! First all edges that hold are put in line, which puts the writes of each location in line;
//! then each read is also before the write that follows its source, and all is put in line
//! again. Nothing here is shared with the theory.

use crate::order::{Location, Orders, When};

impl<L: Copy> Orders<L> {
    /// The place of each node in a line that keeps every order of the model. `None`: there
    /// is a cycle, or a read takes a write that does not act, or takes none.
    pub fn linearise(&self, holds: &mut dyn FnMut(L) -> bool) -> Option<Vec<u32>> {
        let mut next: Vec<Vec<u32>> = vec![Vec::new(); self.nodes()];
        for chain in &self.chains {
            for pair in chain.windows(2) {
                next[pair[0] as usize].push(pair[1]);
            }
        }
        for &(from, to) in &self.fixed {
            next[from as usize].push(to);
        }
        for &(when, from, to) in &self.edges {
            if holds(when) {
                next[from as usize].push(to);
            }
        }
        for &(when, from, to) in &self.pairs {
            let (from, to) = if holds(when) { (from, to) } else { (to, from) };
            next[from as usize].push(to);
        }
        let places = in_line(&next)?;
        for location in &self.locations {
            from_reads(location, &places, holds, &mut next)?;
        }
        in_line(&next)
    }
}

/// Adds an edge from each read to the write that follows its source.
fn from_reads<L: Copy>(
    location: &Location<L>,
    places: &[u32],
    holds: &mut dyn FnMut(L) -> bool,
    next: &mut [Vec<u32>],
) -> Option<()> {
    let mut does = |when: When<L>| when.is_none_or(&mut *holds);
    let mut acting: Vec<(u32, u32)> = Vec::new();
    for &(node, when) in &location.writes {
        if does(when) {
            acting.push((places[node as usize], node));
        }
    }
    acting.sort_unstable();
    for read in &location.reads {
        for &(write, when) in &read.from {
            if !does(when) {
                continue;
            }
            let source = location.writes[write as usize].0;
            let at = acting.binary_search(&(places[source as usize], source)).ok()?;
            // It may write itself; what follows its own write follows it anyway.
            if let Some(&(_, after)) = acting.get(at + 1)
                && after != read.node
            {
                next[read.node as usize].push(after);
            }
        }
    }
    Some(())
}

/// Places of nodes in a line in which nobody is before a predecessor; `None`: a cycle.
fn in_line(next: &[Vec<u32>]) -> Option<Vec<u32>> {
    let mut missing = vec![0u32; next.len()];
    for &to in next.iter().flatten() {
        missing[to as usize] += 1;
    }
    let mut line: Vec<u32> =
        (0..next.len() as u32).filter(|&at| missing[at as usize] == 0).collect();
    let mut places = vec![0; next.len()];
    let mut at = 0;
    while let Some(&node) = line.get(at) {
        places[node as usize] = at as u32;
        at += 1;
        for &to in &next[node as usize] {
            missing[to as usize] -= 1;
            if missing[to as usize] == 0 {
                line.push(to);
            }
        }
    }
    (line.len() == next.len()).then_some(places)
}
