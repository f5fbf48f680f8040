//! Orders of events under conditions: what is to be ordered, and three ways to see to it.
//!
//! Events are nodes, in chains that are ordered from the start. Edges hold where a literal
//! does. Locations say more: a read takes what the last write before it left, so a write that
//! comes after the read's source comes after the read ("from-reads"). [`Theory`] keeps all
//! that inside a SAT solver; [`Orders::linearise`] checks one model, in linear time and by
//! itself; a formula over clocks (`heddle_encode`) says the same without a theory.
//!
//! `L` is a condition: a term, or a literal of a solver.

mod clocks;
mod lemma;
mod linear;
mod theory;

pub use clocks::Clocks;
pub use lemma::{Because, Derived, Lemma, Link};
pub use theory::{Effort, Theory};

/// A condition; `None` always holds.
pub type When<L> = Option<L>;

#[derive(Clone, Debug)]
pub struct Orders<L> {
    /// Chains of nodes, each node in one of them.
    pub chains: Vec<Vec<u32>>,
    /// The first node is before the second.
    pub fixed: Vec<(u32, u32)>,
    /// The same where the condition holds.
    pub edges: Vec<(L, u32, u32)>,
    /// The first is before the second where the condition holds, else the second before the
    /// first.
    pub pairs: Vec<(L, u32, u32)>,
    pub locations: Vec<Location<L>>,
    /// Pairs of a read and a write that it may take, where pairs alone say whether it does.
    pub paired: usize,
}

impl<L> Default for Orders<L> {
    fn default() -> Orders<L> {
        Orders {
            chains: Vec::new(),
            fixed: Vec::new(),
            edges: Vec::new(),
            pairs: Vec::new(),
            locations: Vec::new(),
            paired: 0,
        }
    }
}

/// Writes and reads of one place in memory. Any two writes that can both act are ordered by
/// chains, fixed edges or a pair. What a read takes from a write that is visible to it before
/// memory has it is no edge; all else is among the edges.
#[derive(Clone, Debug)]
pub struct Location<L> {
    /// Nodes, and when they write.
    pub writes: Vec<(u32, When<L>)>,
    pub reads: Vec<Read<L>>,
}

impl<L> Default for Location<L> {
    fn default() -> Location<L> {
        Location { writes: Vec::new(), reads: Vec::new() }
    }
}

#[derive(Clone, Debug)]
pub struct Read<L> {
    pub node: u32,
    /// Which write it takes, as an index of the location's, and when it does.
    pub from: Vec<(u32, When<L>)>,
}

impl<L: Copy> Orders<L> {
    pub fn nodes(&self) -> usize {
        self.chains.iter().map(Vec::len).sum()
    }

    /// Pairs of reads and writes that they may take.
    pub fn candidates(&self) -> usize {
        let reads = self.locations.iter().flat_map(|location| &location.reads);
        reads.map(|read| read.from.len()).sum::<usize>() + self.paired
    }

    /// The same, of other conditions.
    pub fn map<K>(&self, change: &mut dyn FnMut(L) -> K) -> Orders<K> {
        let edge =
            |&(when, a, b): &(L, u32, u32), change: &mut dyn FnMut(L) -> K| (change(when), a, b);
        let edges = self.edges.iter().map(|it| edge(it, change)).collect();
        let pairs = self.pairs.iter().map(|it| edge(it, change)).collect();
        let mut locations = Vec::new();
        for location in &self.locations {
            let mut place = |&(at, when): &(u32, When<L>)| (at, when.map(&mut *change));
            let writes = location.writes.iter().map(&mut place).collect();
            let reads = location.reads.iter();
            let reads = reads.map(|read| Read {
                node: read.node,
                from: read.from.iter().map(&mut place).collect(),
            });
            let reads = reads.collect();
            locations.push(Location { writes, reads });
        }
        let (chains, fixed, paired) = (self.chains.clone(), self.fixed.clone(), self.paired);
        Orders { chains, fixed, edges, pairs, locations, paired }
    }
}
