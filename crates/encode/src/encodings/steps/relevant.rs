//! Which reads can decide anything: a guard, an address, a wait, an assumption, a check.
//!
//! The relevant shared variables of Kahlon's paper (section 7): those whose values flow into a
//! conditional statement, through whatever cells and threads. Values are followed backwards
//! over the terms of the bounded program from everything that decides how a run goes on;
//! a cell that is read there passes this on to all that is written to it. The order of
//! things is not looked at, so it says too much rather than too little.

use heddle_sat::{Node, Term, Terms};
use heddle_semantics::MemoryModel;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bounded::{Action, Bounded, Test};
use crate::encodings::Formula;
use crate::encodings::accesses::Accesses;
use crate::unfold::facts::Cell;

pub(super) struct Relevant {
    /// What reads give and something is decided by.
    deciding: FxHashSet<Term>,
    /// Cells that threads wait for.
    tested: FxHashSet<Cell>,
}

impl Relevant {
    pub fn of<M: MemoryModel>(f: &Formula<'_, M>) -> Relevant {
        let bounded = f.bounded;
        let mut search = Search::new(bounded, &f.symbolic.terms);
        search.find_roots();
        search.close();
        let Search { deciding, tested, .. } = search;
        Relevant { deciding, tested }
    }

    /// Cells whose content says in the end whether some thread can move.
    pub fn tested(&self) -> &FxHashSet<Cell> {
        &self.tested
    }

    /// Leaves only reads that something is decided by, and writes that such reads, or those who
    /// wait in the end, may see.
    pub fn keep(&self, accesses: &mut Accesses) {
        accesses.takes.retain(|take| self.deciding.contains(&take.value));
        let mut seen = self.tested.clone();
        seen.extend(accesses.takes.iter().map(|take| take.cell));
        seen.extend(accesses.visits.iter().map(|visit| visit.life));
        accesses.leaves.retain(|leave| seen.contains(&leave.cell));
    }
}

struct Search<'a> {
    bounded: &'a Bounded,
    terms: &'a Terms,
    /// What is read, by the variables that it is made of, and where it may come from.
    reads: FxHashMap<Term, Vec<(Term, Vec<Cell>)>>,
    writes: FxHashMap<Cell, Vec<Term>>,
    seen: FxHashSet<Term>,
    open: Vec<Term>,
    deciding: FxHashSet<Term>,
    tested: FxHashSet<Cell>,
    followed: FxHashSet<Cell>,
}

impl<'a> Search<'a> {
    fn new(bounded: &'a Bounded, terms: &'a Terms) -> Search<'a> {
        let mut search = Search {
            bounded,
            terms,
            reads: FxHashMap::default(),
            writes: FxHashMap::default(),
            seen: FxHashSet::default(),
            open: Vec::new(),
            deciding: FxHashSet::default(),
            tested: FxHashSet::default(),
            followed: FxHashSet::default(),
        };
        for event in bounded.threads.iter().flat_map(|thread| &thread.events) {
            match event.action {
                Action::Read { value } | Action::Look { value } => {
                    let cells: Vec<Cell> = event.targets.iter().map(|target| target.0).collect();
                    for leaf in leaves(terms, value) {
                        search.reads.entry(leaf).or_default().push((value, cells.clone()));
                    }
                }
                Action::Write { value, .. } => {
                    for &(cell, _) in &event.targets {
                        search.writes.entry(cell).or_default().push(value);
                    }
                }
                Action::Drain | Action::Clear | Action::Fence { .. } => {}
            }
        }
        search
    }

    fn root(&mut self, term: Term) {
        if self.seen.insert(term) {
            self.open.push(term);
        }
    }

    fn find_roots(&mut self) {
        for thread in &self.bounded.threads {
            for event in &thread.events {
                self.root(event.guard);
                for &(_, when) in event.targets.iter().chain(&event.lives) {
                    self.root(when);
                }
            }
            for check in &thread.checks {
                self.root(check.condition);
            }
            for wait in &thread.waits {
                self.root(wait.guard);
                wait.tests.iter().for_each(|test| self.test(test));
            }
            for spin in &thread.spins {
                self.root(spin.guard);
                self.root(spin.looked);
                let (from, to) = (spin.reads.start as usize, spin.reads.end as usize);
                for event in &thread.events[from..to] {
                    let Action::Read { value } = event.action else { continue };
                    self.root(value);
                    self.tested.extend(event.targets.iter().map(|target| target.0));
                }
            }
            for require in &thread.requires {
                self.root(require.condition);
            }
            let stops = thread.ends.iter().chain(&thread.exits).chain(&thread.drops);
            for &(_, guard) in stops {
                self.root(guard);
            }
            for &(_, guard) in &thread.children {
                self.root(guard);
            }
            // A replay has to know what a thread does by itself, too.
            thread.notes.iter().for_each(|note| self.root(note.guard));
        }
    }

    fn test(&mut self, test: &Test) {
        for (cells, when) in &test.targets {
            self.root(*when);
            self.tested.extend(cells.iter().map(|cell| cell.0));
        }
        self.root(test.value);
        for &term in test.any.iter().chain(&test.not).chain(&test.apart) {
            self.root(term);
        }
    }

    /// What terms are made of, and what is written to the cells that they read.
    fn close(&mut self) {
        for cell in self.tested.clone() {
            self.follow(cell);
        }
        while let Some(term) = self.open.pop() {
            for operand in self.terms.node(term).operands() {
                self.root(operand);
            }
            for (value, cells) in self.reads.get(&term).cloned().unwrap_or_default() {
                self.deciding.insert(value);
                cells.into_iter().for_each(|cell| self.follow(cell));
            }
        }
    }

    fn follow(&mut self, cell: Cell) {
        if self.followed.insert(cell) {
            for value in self.writes.get(&cell).cloned().unwrap_or_default() {
                self.root(value);
            }
        }
    }
}

/// The variables and choices that a term is made of.
fn leaves(terms: &Terms, term: Term) -> Vec<Term> {
    let mut leaves = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        if !seen.insert(term) {
            continue;
        }
        if matches!(terms.node(term), Node::Variable { .. } | Node::Choice { .. }) {
            leaves.push(term);
        }
        open.extend(terms.node(term).operands());
    }
    leaves
}
