//! What the points of a thread do to memory, each of them at once.
//!
//! The unwindings of the thesis order single reads and writes. Here a point may be a
//! read-modify-write, an operation of the library, an atomic section or a store to several
//! cells: it takes what was in memory before it, and leaves what it wrote last.

use heddle_sat::Term;
use heddle_semantics::MemoryModel;
use rustc_hash::FxHashMap;

use crate::bounded::Action;
use crate::encodings::Formula;
use crate::unfold::facts::Cell;

/// A point takes what a cell holds before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Take {
    pub thread: usize,
    pub point: u32,
    /// The event that reads.
    pub event: u32,
    pub cell: Cell,
    pub when: Term,
    pub value: Term,
}

/// A point leaves something in a cell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leave {
    pub thread: usize,
    pub point: u32,
    /// The first event that writes.
    pub event: u32,
    pub cell: Cell,
    pub when: Term,
    pub value: Term,
    /// The store of the thread that it is a part of, if that may wait.
    pub store: Option<usize>,
}

/// A store finds out, when it reaches memory, whether its object is gone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    pub thread: usize,
    pub point: u32,
    pub life: Cell,
    pub when: Term,
    pub store: Option<usize>,
}

/// The accesses of all threads, each thread's in the order of the program.
#[derive(Default)]
pub(crate) struct Accesses {
    pub takes: Vec<Take>,
    pub leaves: Vec<Leave>,
    pub visits: Vec<Visit>,
}

/// Takes the events apart, and says what a point reads of what it wrote itself.
pub(crate) fn find_accesses<M: MemoryModel>(f: &mut Formula<'_, M>) -> Accesses {
    let mut accesses = Accesses::default();
    for (thread, code) in f.bounded.threads.iter().enumerate() {
        // What a point has left in a cell so far, by index.
        let mut left: FxHashMap<(u32, Cell), usize> = FxHashMap::default();
        for (index, event) in code.events.iter().enumerate() {
            let (point, index) = (event.point, index as u32);
            let store = f.stores[thread].of.get(&index).copied();
            for &(cell, is_it) in &event.targets {
                let mut when = f.and(event.guard, is_it);
                let own = left.get(&(point, cell)).copied();
                match event.action {
                    Action::Read { value } | Action::Look { value } => {
                        if let Some(own) = own {
                            let own = accesses.leaves[own];
                            let mine = f.and(when, own.when);
                            f.equal_if(mine, value, own.value);
                            when = f.and_not(when, own.when);
                        }
                        if !f.is_never(when) {
                            let take = Take { thread, point, event: index, cell, when, value };
                            accesses.takes.push(take);
                        }
                    }
                    Action::Write { value, .. } => match own {
                        Some(own) => {
                            let own = &mut accesses.leaves[own];
                            own.value = f.terms().select(when, value, own.value);
                            own.when = f.or(own.when, when);
                        }
                        None => {
                            left.insert((point, cell), accesses.leaves.len());
                            let event = index;
                            let leave = Leave { thread, point, event, cell, when, value, store };
                            accesses.leaves.push(leave);
                        }
                    },
                    Action::Drain | Action::Clear | Action::Fence { .. } => {}
                }
            }
            for &(life, is_it) in &event.lives {
                if !f.bounded.initial.contains_key(&life) {
                    continue;
                }
                let when = f.and(event.guard, is_it);
                accesses.visits.push(Visit { thread, point, life, when, store });
            }
        }
    }
    accesses
}

impl Accesses {
    /// A variable that can hold whatever may be in the cell.
    pub fn holder<M: MemoryModel>(&self, f: &mut Formula<'_, M>, cell: Cell) -> Term {
        let initial = f.bounded.initial[&cell];
        let width = f.symbolic.terms.width(initial);
        let written = self.leaves.iter().filter(|leave| leave.cell == cell);
        let mut all: Vec<u64> = Vec::new();
        for value in std::iter::once(initial).chain(written.map(|leave| leave.value)) {
            match f.symbolic.terms.values(value) {
                Some(values) => all.extend(values),
                None => return f.content(cell, width),
            }
        }
        all.sort_unstable();
        all.dedup();
        f.terms().choice(&all, width)
    }

    /// Every cell that is read or written, once, in order.
    pub fn cells(&self) -> Vec<Cell> {
        let takes = self.takes.iter().map(|take| take.cell);
        let leaves = self.leaves.iter().map(|leave| leave.cell);
        let mut cells: Vec<Cell> =
            takes.chain(leaves).chain(self.visits.iter().map(|visit| visit.life)).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }
}
