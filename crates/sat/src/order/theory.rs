//! The theory of orders inside a SAT solver.
//!
//! Follows He, Sun and Fan ("Satisfiability modulo Ordering Consistency Theory for
//! Multi-Threaded Program Verification", PLDI 2021; for TSO and PSO the same authors, TOPLAS
//! 2023): reads-from and write-serialisation literals are edges of a graph that has to stay
//! without cycles, from-reads are derived in the theory, and literals whose edges would close
//! a cycle are propagated.
//!
//! Deviations:
//! 1. No topological order with a two-way search: chains give every node a vector clock
//!    (`clocks`), so that all literals which an order implies are found where it grows.
//! 2. From-reads are derived from what is known of the order, not from literals of write
//!    serialisation alone, and in both directions: if the source of a read is before another
//!    write that acts, so is the read; if another write that acts is before the read, it is
//!    before the read's source.
//! 3. Whether a write acts is a literal of its own: a write serialisation is decided
//!    whether or not both writes act.
//! 4. A conflict is the first path that closed the cycle, and not a shortest one.
//!
//! Invariants:
//! - What was processed of the trail is in the graph, the graph has no cycle, and both rules
//!   of 2. hold in it. So no model with a cycle is accepted ([`Theory::accepts`]).
//! - A literal that makes a cycle is not processed: there is a clause of literals that are all
//!   false instead, and it is found again if the literal outlives a backtrack.
//! - Every clause is a consequence of the orders alone: its literals are the conditions of the
//!   edges of one cycle, each edge with its own.

mod explain;

use rustc_hash::FxHashMap;

use crate::order::clocks::{Clocks, Grown};
use crate::order::{Derived, Lemma, Orders, When};

/// How much the theory has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    pub conflicts: u64,
    pub propagations: u64,
    pub edges: u64,
    /// Edges that follow from what reads take.
    pub derived: u64,
}

/// Why an edge is there.
#[derive(Clone, Copy, Debug)]
enum Reason {
    Always,
    Literal(i32),
    /// The read takes a write, another write acts, and the path is there.
    FromRead {
        takes: i32,
        acts: i32,
        path: (u32, u32),
        derived: Derived,
    },
}

/// No literal.
const NONE: i32 = 0;

/// What a literal does where it holds.
#[derive(Clone, Copy, Debug)]
enum Use {
    Edge { from: u32, to: u32 },
    Acts { location: u32, write: u32 },
    Takes { location: u32, read: u32, write: u32 },
}

#[derive(Clone, Copy)]
enum Undo {
    Acts { location: u32, write: u32 },
    Takes { location: u32, read: u32 },
}

/// Why a literal was propagated.
#[derive(Clone, Copy, Debug)]
enum Why {
    /// Its negation would close a cycle with this path.
    Path(u32, u32),
    /// The read takes what this literal says.
    Other { taken: i32, location: u32, read: u32 },
}

struct Write {
    node: u32,
    literal: i32,
    acts: bool,
    /// Reads that take it.
    readers: Vec<u32>,
}

struct Read {
    node: u32,
    from: Vec<(u32, i32)>,
    source: Option<(u32, i32)>,
}

struct Location {
    writes: Vec<Write>,
    reads: Vec<Read>,
    /// Chain, place and write, in order.
    by_chain: Vec<(u32, u32, u32)>,
}

/// How far things were before a literal was processed.
type Mark = ((usize, usize), usize);

pub struct Theory {
    clocks: Clocks,
    reasons: Vec<Reason>,
    locations: Vec<Location>,
    /// Node: locations that it writes and reads, with the index there.
    writes_at: Vec<Vec<(u32, u32)>>,
    reads_at: Vec<Vec<(u32, u32)>>,
    uses: FxHashMap<i32, Vec<Use>>,
    /// Node: edges that would leave it, as chain and place of where to, and literal.
    leaving: Vec<Vec<(u32, u32, i32)>>,
    variables: Vec<i32>,
    values: FxHashMap<i32, bool>,
    trail: Vec<i32>,
    levels: Vec<usize>,
    /// Of the trail, what was processed: marks from before that.
    marks: Vec<Mark>,
    undo: Vec<Undo>,
    grown: Vec<Grown>,
    /// Edges that are to be added.
    todo: Vec<(u32, u32, Reason)>,
    /// Literals that follow, and from where they were not told yet.
    implied: Vec<(i32, Why)>,
    told: usize,
    whys: FxHashMap<i32, Why>,
    conflict: Option<Vec<i32>>,
    /// What was always so cannot be: any model is refused.
    broken: bool,
    /// Reads that have a choice: location and read, in the order in which they are decided.
    choices: Vec<(u32, u32)>,
    /// Why clauses hold that were handed out, if somebody writes that down.
    lemmas: Option<FxHashMap<Vec<i32>, Lemma>>,
    pub effort: Effort,
}

impl Theory {
    /// `explained`: it can be asked for the lemmas behind its clauses.
    pub fn new(orders: &Orders<i32>, explained: bool) -> Theory {
        let nodes = orders.nodes();
        let mut theory = Theory {
            clocks: Clocks::new(&orders.chains),
            reasons: Vec::new(),
            locations: Vec::new(),
            writes_at: vec![Vec::new(); nodes],
            reads_at: vec![Vec::new(); nodes],
            uses: FxHashMap::default(),
            leaving: vec![Vec::new(); nodes],
            variables: Vec::new(),
            values: FxHashMap::default(),
            trail: Vec::new(),
            levels: Vec::new(),
            marks: Vec::new(),
            undo: Vec::new(),
            grown: Vec::new(),
            todo: Vec::new(),
            implied: Vec::new(),
            told: 0,
            whys: FxHashMap::default(),
            conflict: None,
            broken: false,
            choices: Vec::new(),
            lemmas: explained.then(FxHashMap::default),
            effort: Effort::default(),
        };
        for &(from, to) in &orders.fixed {
            theory.broken |= !theory.clocks.add(from, to, &mut theory.grown);
        }
        theory.grown.clear();
        theory.clocks.settle();
        theory.reasons = vec![Reason::Always; theory.clocks.edge_count()];
        theory.know(orders);
        theory.begin();
        theory
    }

    /// What literals mean.
    fn know(&mut self, orders: &Orders<i32>) {
        for &(literal, from, to) in &orders.edges {
            self.edge(literal, from, to);
        }
        for &(literal, from, to) in &orders.pairs {
            self.edge(literal, from, to);
            self.edge(-literal, to, from);
        }
        for (at, location) in orders.locations.iter().enumerate() {
            let at = at as u32;
            let mut known =
                Location { writes: Vec::new(), reads: Vec::new(), by_chain: Vec::new() };
            for (write, &(node, when)) in location.writes.iter().enumerate() {
                let write = write as u32;
                let literal = self.when(when, Use::Acts { location: at, write });
                let (acts, readers) = (literal == NONE, Vec::new());
                known.writes.push(Write { node, literal, acts, readers });
                let (chain, place) = self.clocks.place(node);
                known.by_chain.push((chain, place, write));
                self.writes_at[node as usize].push((at, write));
            }
            known.by_chain.sort_unstable();
            for (index, read) in location.reads.iter().enumerate() {
                let mut from = Vec::new();
                for &(write, when) in &read.from {
                    let takes = Use::Takes { location: at, read: index as u32, write };
                    from.push((write, self.when(when, takes)));
                }
                known.reads.push(Read { node: read.node, from, source: None });
                self.reads_at[read.node as usize].push((at, index as u32));
            }
            self.locations.push(known);
        }
        for (at, location) in self.locations.iter().enumerate() {
            for (read, taker) in location.reads.iter().enumerate() {
                if taker.from.len() > 1 {
                    self.choices.push((at as u32, read as u32));
                }
            }
        }
        let place = |&(at, read): &(u32, u32)| {
            let node = self.locations[at as usize].reads[read as usize].node;
            let (chain, place) = self.clocks.place(node);
            (place, chain)
        };
        self.choices.sort_by_key(place);
        for leaving in &mut self.leaving {
            leaving.sort_unstable();
        }
        self.variables = self.uses.keys().map(|literal| literal.abs()).collect();
        self.variables.sort_unstable();
        self.variables.dedup();
    }

    fn edge(&mut self, literal: i32, from: u32, to: u32) {
        self.uses.entry(literal).or_default().push(Use::Edge { from, to });
        let (chain, place) = self.clocks.place(to);
        self.leaving[from as usize].push((chain, place, literal));
    }

    fn when(&mut self, when: When<i32>, does: Use) -> i32 {
        match when {
            Some(literal) => {
                self.uses.entry(literal).or_default().push(does);
                literal
            }
            None => NONE,
        }
    }

    /// What holds whatever the literals are.
    fn begin(&mut self) {
        for location in 0..self.locations.len() as u32 {
            for read in 0..self.locations[location as usize].reads.len() as u32 {
                let from = &self.locations[location as usize].reads[read as usize].from;
                if let Some(&(write, _)) = from.iter().find(|from| from.1 == NONE) {
                    self.take(location, read, write, NONE);
                }
            }
        }
        self.undo.clear();
        let fine = self.saturate();
        self.broken |= !fine;
        // Literals that can only be one way.
        for node in 0..self.leaving.len() as u32 {
            for chain in 0..self.clocks.of(node).len() as u32 {
                let new = self.clocks.of(node)[chain as usize];
                self.imply(Grown { node, chain, old: 0, new });
            }
        }
    }

    /// Variables that it wants to know about.
    pub fn variables(&self) -> &[i32] {
        &self.variables
    }

    pub fn assign(&mut self, literals: &[i32]) {
        for &literal in literals {
            // What was so before the solver knew of the theory is told twice.
            if self.values.insert(literal.abs(), literal > 0) != Some(literal > 0) {
                self.trail.push(literal);
            }
        }
    }

    pub fn new_level(&mut self) {
        self.levels.push(self.trail.len());
    }

    pub fn backtrack(&mut self, level: usize) {
        let Some(&length) = self.levels.get(level) else { return };
        self.levels.truncate(level);
        if self.marks.len() > length {
            self.restore(self.marks[length]);
            self.marks.truncate(length);
        }
        for literal in self.trail.drain(length..) {
            self.values.remove(&literal.abs());
        }
        self.conflict = None;
        self.implied.clear();
        self.told = 0;
    }

    fn restore(&mut self, (clocks, undo): Mark) {
        self.clocks.undo(clocks);
        self.reasons.truncate(clocks.0);
        while self.undo.len() > undo {
            match self.undo.pop() {
                Some(Undo::Acts { location, write }) => {
                    self.locations[location as usize].writes[write as usize].acts = false;
                }
                Some(Undo::Takes { location, read }) => {
                    let location = &mut self.locations[location as usize];
                    if let Some((write, _)) = location.reads[read as usize].source.take() {
                        location.writes[write as usize].readers.pop();
                    }
                }
                None => {}
            }
        }
    }

    /// Processes what was assigned. False: there is a conflict.
    fn process(&mut self) -> bool {
        while self.conflict.is_none() && self.marks.len() < self.trail.len() {
            let literal = self.trail[self.marks.len()];
            let mark = (self.clocks.mark(), self.undo.len());
            if self.broken {
                self.conflict = Some(Vec::new());
            } else if self.apply(literal) && self.saturate() {
                self.marks.push(mark);
            } else {
                self.effort.conflicts += 1;
                self.todo.clear();
                self.grown.clear();
                self.restore(mark);
            }
        }
        self.conflict.is_none()
    }

    /// False: there is a conflict.
    fn apply(&mut self, literal: i32) -> bool {
        let Some(uses) = self.uses.remove(&literal) else { return true };
        let mut fine = true;
        for &does in &uses {
            fine = match does {
                Use::Edge { from, to } => {
                    self.todo.push((from, to, Reason::Literal(literal)));
                    true
                }
                Use::Acts { location, write } => {
                    self.act(location, write);
                    true
                }
                Use::Takes { location, read, write } => self.take(location, read, write, literal),
            };
            if !fine {
                break;
            }
        }
        self.uses.insert(literal, uses);
        fine
    }

    /// A write acts.
    fn act(&mut self, location: u32, write: u32) {
        let known = &mut self.locations[location as usize];
        known.writes[write as usize].acts = true;
        self.undo.push(Undo::Acts { location, write });
        for read in 0..known.reads.len() {
            self.order(location, read as u32, write);
        }
    }

    /// A read takes a write. False: it takes another.
    fn take(&mut self, location: u32, read: u32, write: u32, literal: i32) -> bool {
        let known = &mut self.locations[location as usize];
        let taker = &mut known.reads[read as usize];
        if let Some((_, other)) = taker.source {
            self.conflict = Some(negated([literal, other]));
            self.note_taken(location, read, negated([literal, other]));
            return false;
        }
        taker.source = Some((write, literal));
        for &(_, other) in taker.from.iter().filter(|from| from.1 != NONE) {
            if other != literal && !self.values.contains_key(&other.abs()) {
                let why = Why::Other { taken: literal, location, read };
                self.implied.push((-other, why));
            }
        }
        known.writes[write as usize].readers.push(read);
        self.undo.push(Undo::Takes { location, read });
        for other in 0..known.writes.len() {
            self.order(location, read, other as u32);
        }
        true
    }

    /// A read, its source and another write that acts.
    fn order(&mut self, location: u32, read: u32, other: u32) {
        let known = &self.locations[location as usize];
        let Some((write, takes)) = known.reads[read as usize].source else { return };
        let (reader, source) = (known.reads[read as usize].node, known.writes[write as usize].node);
        let Write { node, literal: acts, acts: true, .. } = known.writes[other as usize] else {
            return;
        };
        if other == write || node == reader {
            return;
        }
        let derived = Derived { location, read, write, other };
        if self.clocks.is_before(source, node) {
            let reason = Reason::FromRead { takes, acts, path: (source, node), derived };
            self.derive(reader, node, reason);
        }
        if self.clocks.is_before(node, reader) {
            let reason = Reason::FromRead { takes, acts, path: (node, reader), derived };
            self.derive(node, source, reason);
        }
    }

    fn derive(&mut self, from: u32, to: u32, reason: Reason) {
        if !self.clocks.is_before(from, to) {
            self.todo.push((from, to, reason));
        }
    }

    /// Adds edges and what follows from them. False: there is a conflict.
    fn saturate(&mut self) -> bool {
        while let Some((from, to, reason)) = self.todo.pop() {
            if self.clocks.is_before(from, to) {
                continue;
            }
            self.effort.edges += 1;
            self.effort.derived += u64::from(matches!(reason, Reason::FromRead { .. }));
            if !self.clocks.add(from, to, &mut self.grown) {
                let clause = self.explain(Some(reason), (to, from), NONE);
                self.note_cycle((from, to), reason, &clause);
                self.conflict = Some(clause);
                return false;
            }
            self.reasons.push(reason);
            for at in 0..self.grown.len() {
                self.follow(self.grown[at]);
            }
            self.grown.clear();
        }
        true
    }

    /// What follows where a node has come to know more of a chain.
    fn follow(&mut self, grown: Grown) {
        self.imply(grown);
        let Grown { node, chain, old, new } = grown;
        // Writes in the chain are now before a write: so are those who take them.
        for at in 0..self.writes_at[node as usize].len() {
            let (location, write) = self.writes_at[node as usize][at];
            let known = &self.locations[location as usize];
            if !known.writes[write as usize].acts {
                continue;
            }
            for before in self.writes_between(location, chain, old, new) {
                for at in 0..self.locations[location as usize].writes[before].readers.len() {
                    let known = &self.locations[location as usize];
                    self.order(location, known.writes[before].readers[at], write);
                }
            }
        }
        // They are before a read: so they are before what it takes.
        for at in 0..self.reads_at[node as usize].len() {
            let (location, read) = self.reads_at[node as usize][at];
            if self.locations[location as usize].reads[read as usize].source.is_some() {
                for before in self.writes_between(location, chain, old, new) {
                    self.order(location, read, before as u32);
                }
            }
        }
    }

    fn writes_between(&self, location: u32, chain: u32, old: u32, new: u32) -> Vec<usize> {
        let writes = &self.locations[location as usize].by_chain;
        let start = writes.partition_point(|&(c, place, _)| (c, place) < (chain, old));
        let within = writes[start..].iter().take_while(|at| at.0 == chain && at.1 < new);
        within.map(|at| at.2 as usize).collect()
    }

    /// Edges back to what is before the node can't be.
    fn imply(&mut self, Grown { node, chain, old, new }: Grown) {
        let leaving = &self.leaving[node as usize];
        let start = leaving.partition_point(|&(c, place, _)| (c, place) < (chain, old));
        for &(c, place, literal) in &leaving[start..] {
            if c != chain || place >= new {
                break;
            }
            if !self.values.contains_key(&literal.abs()) {
                let why = Why::Path(self.clocks.node(chain, place), node);
                self.implied.push((-literal, why));
            }
        }
    }

    /// The next literal that follows from those that are assigned.
    pub fn propagate(&mut self) -> Option<i32> {
        if !self.process() {
            return None;
        }
        while let Some(&(literal, why)) = self.implied.get(self.told) {
            self.told += 1;
            if !self.values.contains_key(&literal.abs()) {
                self.whys.insert(literal, why);
                self.effort.propagations += 1;
                return Some(literal);
            }
        }
        self.implied.clear();
        self.told = 0;
        None
    }

    /// The clause that a propagated literal follows from.
    pub fn reason(&mut self, literal: i32) -> Vec<i32> {
        match self.whys.get(&literal) {
            Some(&Why::Path(from, to)) => {
                let clause = self.explain(None, (from, to), literal);
                // The edge of the literal that was false leads back.
                self.note_cycle((to, from), Reason::Literal(-literal), &clause);
                clause
            }
            Some(&Why::Other { taken, location, read }) => {
                let mut clause = negated([taken, NONE]);
                clause.push(literal);
                self.note_taken(location, read, clause.clone());
                clause
            }
            None => vec![literal],
        }
    }

    /// What to decide next: what a read takes, of those that can still be.
    pub fn decide(&self) -> Option<i32> {
        for &(location, read) in &self.choices {
            let taker = &self.locations[location as usize].reads[read as usize];
            if taker.source.is_some() {
                continue;
            }
            let open = |&&(_, literal): &&(u32, i32)| {
                literal != NONE && !self.values.contains_key(&literal.abs())
            };
            if let Some(&(_, literal)) = taker.from.iter().rev().find(open) {
                return Some(literal);
            }
        }
        None
    }

    /// A clause of literals that are all false, if there is a conflict.
    pub fn conflict(&mut self) -> Option<Vec<i32>> {
        self.process();
        self.conflict.take()
    }

    /// Is a complete assignment fine?
    pub fn accepts(&mut self) -> bool {
        !self.broken && self.process()
    }
}

/// Those that are literals, negated.
fn negated(literals: [i32; 2]) -> Vec<i32> {
    literals.into_iter().filter(|&literal| literal != NONE).map(|literal| -literal).collect()
}
