//! What is before what: a vector clock for each node, with the history of its growth.
//!
//! Nodes are in chains (a thread is one, and so is what it has in a store queue), so what is
//! before a node is one number for each chain (Fidge, Mattern, 1988). Two nodes are compared
//! in constant time, and an edge that closes a cycle is seen before it is added. Each number
//! remembers the edge that raised it and what it was; so growth can be undone, and a path can
//! be told as it was when it came to be, whatever has been added since.
//!
//! Invariant: between calls every clock is at least the one of each predecessor, and the
//! graph has no cycle.

/// A growth that can be undone.
struct Growth {
    slot: u32,
    /// What the number was, and the growth that made it so (plus one).
    old: u32,
    older: u32,
    /// The edge that it came over.
    via: u32,
}

/// Edges by number; those from before the first one that was added have none.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub from: u32,
    pub to: u32,
}

/// A node has come to know more of a chain: those from `old` on and before `new`.
#[derive(Clone, Copy, Debug)]
pub struct Grown {
    pub node: u32,
    pub chain: u32,
    pub old: u32,
    pub new: u32,
}

pub struct Clocks {
    chains: usize,
    /// Node: its chain and its place there.
    places: Vec<(u32, u32)>,
    /// Chain, place: the node.
    nodes: Vec<Vec<u32>>,
    /// Node, chain: how many of the chain are not after the node, itself included.
    clock: Vec<u32>,
    /// Node, chain: the last growth, plus one; 0 if there was none.
    last: Vec<u32>,
    history: Vec<Growth>,
    edges: Vec<Edge>,
    /// Node: edges that leave it.
    next: Vec<Vec<u32>>,
    todo: Vec<u32>,
}

impl Clocks {
    /// Of chains alone.
    pub fn new(chains: &[Vec<u32>]) -> Clocks {
        let count = chains.iter().map(Vec::len).sum::<usize>();
        let mut places = vec![(0, 0); count];
        let mut clock = vec![0; count * chains.len()];
        for (chain, nodes) in chains.iter().enumerate() {
            for (place, &node) in nodes.iter().enumerate() {
                places[node as usize] = (chain as u32, place as u32);
                clock[node as usize * chains.len() + chain] = place as u32 + 1;
            }
        }
        let last = vec![0; clock.len()];
        Clocks {
            chains: chains.len(),
            places,
            nodes: chains.to_vec(),
            clock,
            last,
            history: Vec::new(),
            edges: Vec::new(),
            next: vec![Vec::new(); count],
            todo: Vec::new(),
        }
    }

    pub fn place(&self, node: u32) -> (u32, u32) {
        self.places[node as usize]
    }

    pub fn node(&self, chain: u32, place: u32) -> u32 {
        self.nodes[chain as usize][place as usize]
    }

    pub fn of(&self, node: u32) -> &[u32] {
        &self.clock[node as usize * self.chains..(node as usize + 1) * self.chains]
    }

    /// Is the first before the second, or the same?
    pub fn is_by(&self, a: u32, b: u32) -> bool {
        let (chain, place) = self.places[a as usize];
        self.clock[b as usize * self.chains + chain as usize] > place
    }

    pub fn is_before(&self, a: u32, b: u32) -> bool {
        a != b && self.is_by(a, b)
    }

    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    pub fn edge(&self, edge: u32) -> Edge {
        self.edges[edge as usize]
    }

    /// What there is to undo so far.
    pub fn mark(&self) -> (usize, usize) {
        (self.edges.len(), self.history.len())
    }

    /// Adds an edge, and to `grown` what nodes come to know by it. False, and nothing is
    /// added, if it closes a cycle.
    pub fn add(&mut self, from: u32, to: u32, grown: &mut Vec<Grown>) -> bool {
        if self.is_by(to, from) {
            return false;
        }
        self.add_anyway(from, to, grown);
        true
    }

    /// The same, cycle or not: those in a cycle then know all of it.
    pub fn add_anyway(&mut self, from: u32, to: u32, grown: &mut Vec<Grown>) {
        let edge = self.edges.len() as u32;
        self.edges.push(Edge { from, to });
        self.next[from as usize].push(edge);
        if self.raise(edge, grown) {
            self.todo.push(to);
        }
        while let Some(node) = self.todo.pop() {
            for at in 0..self.next[node as usize].len() {
                let edge = self.next[node as usize][at];
                if self.raise(edge, grown) {
                    self.todo.push(self.edges[edge as usize].to);
                }
            }
            let (chain, place) = self.places[node as usize];
            if let Some(&next) = self.nodes[chain as usize].get(place as usize + 1)
                && self.raise_from(node, next, CHAIN, grown)
            {
                self.todo.push(next);
            }
        }
    }

    fn raise(&mut self, edge: u32, grown: &mut Vec<Grown>) -> bool {
        let Edge { from, to } = self.edges[edge as usize];
        self.raise_from(from, to, edge, grown)
    }

    /// Does the second node come to know more by the first?
    fn raise_from(&mut self, from: u32, to: u32, via: u32, grown: &mut Vec<Grown>) -> bool {
        let (from, start) = (from as usize * self.chains, to as usize * self.chains);
        let mut more = false;
        for chain in 0..self.chains {
            let (new, slot) = (self.clock[from + chain], start + chain);
            let old = self.clock[slot];
            if new > old {
                self.history.push(Growth { slot: slot as u32, old, older: self.last[slot], via });
                self.last[slot] = self.history.len() as u32;
                self.clock[slot] = new;
                grown.push(Grown { node: to, chain: chain as u32, old, new });
                more = true;
            }
        }
        more
    }

    /// Takes back all that came after the mark.
    pub fn undo(&mut self, (edges, history): (usize, usize)) {
        while self.history.len() > history {
            let Some(Growth { slot, old, older, .. }) = self.history.pop() else { break };
            self.clock[slot as usize] = old;
            self.last[slot as usize] = older;
        }
        while self.edges.len() > edges {
            let Some(edge) = self.edges.pop() else { break };
            self.next[edge.from as usize].pop();
        }
    }

    /// What is known now needs no reasons any more.
    pub fn settle(&mut self) {
        self.history.clear();
        self.last.fill(0);
    }

    /// The edges of the path by which the first node first came to be before the second.
    /// Edges that chains have, and those from before [`Clocks::settle`], are left out.
    pub fn path(&self, a: u32, b: u32, each: &mut dyn FnMut(u32)) {
        let (chain, place) = self.places[a as usize];
        let mut node = b;
        loop {
            let slot = node as usize * self.chains + chain as usize;
            debug_assert!(self.clock[slot] > place, "no path");
            let mut growth = self.last[slot];
            let via = loop {
                match growth.checked_sub(1).map(|at| &self.history[at as usize]) {
                    None => break None,
                    Some(before) if before.old > place => growth = before.older,
                    Some(first) => break Some(first.via),
                }
            };
            match via {
                None => return,
                Some(CHAIN) => {
                    let (chain, place) = self.places[node as usize];
                    node = self.nodes[chain as usize][place as usize - 1];
                }
                Some(edge) => {
                    each(edge);
                    node = self.edges[edge as usize].from;
                }
            }
        }
    }
}

/// The way from a node to the next of its chain.
const CHAIN: u32 = u32::MAX;
