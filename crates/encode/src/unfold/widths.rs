//! How many bits the values of shared cells need: upper bits that are 0 in every run, or like the
//! sign, need no circuits. For cells whose values are too many to be listed (`growth` has the others).
//!
//! A read takes a value that was there at the start, or that a store made from what its thread
//! read before. Followed back like this, a value goes back in time, under every memory model: a
//! store is made after what its value is made from was read, and is read after it was made. So
//! where the chain comes back to a thread, it comes back to an earlier place in it. Bounds of
//! what a read takes are therefore found from the stores that each thread can have made so far,
//! which become fewer with every store that the chain comes through: two threads that add each
//! other's variable N times have small numbers at first, and not 2^32 at last.
//!
//! These numbers of stores are as many as there are combinations of them. Where that is too
//! much, only how many stores the chain can still come through is counted, of all threads.
//!
//! A read that does not happen takes nothing; then its variable means nothing either.

use heddle_sat::{Cone, Node, Range, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::bounded::{Action, Bounded, Targets};
use crate::unfold::facts::Cell;

/// Terms of a value that are looked at.
const MOST_TERMS: usize = 5_000;
/// Terms and stores that are looked at altogether.
const EFFORT: usize = 300_000;
/// Stores that a chain may come through: it is followed by recursion.
const MOST_STORES: usize = 400;

/// A read of a variable.
struct Read {
    thread: usize,
    variable: Term,
    cells: SmallVec<[Cell; 1]>,
    /// Stores of its thread before it.
    before: u16,
}

struct Store {
    thread: usize,
    /// How many stores of its thread come before it.
    place: u16,
    value: Term,
    /// What it is made of, if that is not too much, and which reads are among it.
    cone: Option<Cone>,
    reads: Vec<usize>,
}

/// How many stores each thread can have made.
type Made = SmallVec<[u16; 8]>;

struct Widths<'a> {
    terms: &'a Terms,
    reads: Vec<Read>,
    stores: Vec<Store>,
    /// Stores to a cell, what it holds at the start, and its bits.
    cells: FxHashMap<Cell, (Vec<usize>, Range, u32)>,
    known_reads: FxHashMap<(usize, Made), Range>,
    known_stores: FxHashMap<(usize, Made), Range>,
    effort: usize,
}

/// Tells the terms which variables have zeros at the top, and the bounded program which cells.
pub(super) fn narrow(bounded: &mut Bounded, terms: &mut Terms) {
    let mut widths = Widths::new(bounded, terms);
    if widths.reads.is_empty() {
        return;
    }
    let Some((reads, cells)) = widths.by_threads().or_else(|| widths.by_steps()) else { return };
    let reads = widths.reads.into_iter().zip(reads);
    let variables: Vec<(Term, Range)> = reads.map(|(read, range)| (read.variable, range)).collect();
    for (variable, range) in variables {
        terms.limit(variable, range.limit(terms.width(variable)));
    }
    for (cell, range) in cells {
        let width = terms.width(bounded.initial[&cell]);
        bounded.bits.insert(cell, range.limit(width));
    }
}

/// Bounds of what reads take and of what cells hold.
type Found = (Vec<Range>, Vec<(Cell, Range)>);

fn of_targets(targets: &Targets) -> SmallVec<[Cell; 1]> {
    targets.iter().map(|target| target.0).collect()
}

impl<'a> Widths<'a> {
    fn new(bounded: &Bounded, terms: &'a Terms) -> Widths<'a> {
        let mut wanted: FxHashSet<Cell> = FxHashSet::default();
        for event in bounded.threads.iter().flat_map(|thread| &thread.events) {
            if let Some(variable) = read_variable(&event.action)
                && matches!(terms.node(variable), Node::Variable { .. })
            {
                wanted.extend(of_targets(&event.targets));
            }
        }
        let mut widths = Widths {
            terms,
            reads: Vec::new(),
            stores: Vec::new(),
            cells: FxHashMap::default(),
            known_reads: FxHashMap::default(),
            known_stores: FxHashMap::default(),
            effort: EFFORT,
        };
        for &cell in &wanted {
            let initial = bounded.initial[&cell];
            let known = (Vec::new(), terms.known_range(initial), terms.width(initial));
            widths.cells.insert(cell, known);
        }
        let mut room = EFFORT;
        for (thread, code) in bounded.threads.iter().enumerate() {
            let mut place = 0;
            for event in &code.events {
                let cells = of_targets(&event.targets);
                let meets = cells.iter().any(|cell| wanted.contains(cell));
                if let Some(variable) = read_variable(&event.action)
                    && matches!(terms.node(variable), Node::Variable { .. })
                {
                    widths.reads.push(Read { thread, variable, cells, before: place });
                } else if let (Action::Write { value, .. }, true) = (&event.action, meets) {
                    for cell in cells {
                        if let Some((stores, ..)) = widths.cells.get_mut(&cell) {
                            stores.push(widths.stores.len());
                        }
                    }
                    let cone = Cone::of(terms, [*value], MOST_TERMS.min(room));
                    room -= cone.as_ref().map_or(1, Cone::size).min(room);
                    let (value, reads) = (*value, Vec::new());
                    widths.stores.push(Store { thread, place, value, cone, reads });
                    place = place.saturating_add(1);
                }
            }
        }
        let reads: FxHashMap<Term, usize> =
            widths.reads.iter().enumerate().map(|(at, read)| (read.variable, at)).collect();
        for store in &mut widths.stores {
            let inputs = store.cone.iter().flat_map(|cone| cone.inputs(terms));
            store.reads = inputs.filter_map(|input| reads.get(&input).copied()).collect();
        }
        widths
    }

    /// The bounds, by how many stores of each thread there can have been.
    fn by_threads(&mut self) -> Option<Found> {
        let threads = self.stores.iter().map(|store| store.thread + 1).max().unwrap_or(0);
        let mut made: Made = SmallVec::from_elem(0, threads);
        for store in &self.stores {
            made[store.thread] += 1;
        }
        if self.stores.len() > MOST_STORES {
            return None;
        }
        let reads: Option<Vec<Range>> =
            (0..self.reads.len()).map(|read| self.read(read, &made)).collect();
        let mut cells = Vec::new();
        for cell in self.cells.keys().copied().collect::<Vec<_>>() {
            let (stores, mut range, width) = self.cells[&cell].clone();
            for store in stores {
                range = range.join(self.store(store, &made)?, width);
            }
            cells.push((cell, range));
        }
        Some((reads?, cells))
    }

    /// What a read takes, if threads have made no more stores than these.
    fn read(&mut self, at: usize, made: &Made) -> Option<Range> {
        let read = &self.reads[at];
        let mut made = made.clone();
        if let Some(own) = made.get_mut(read.thread) {
            *own = (*own).min(read.before);
        }
        if let Some(&known) = self.known_reads.get(&(at, made.clone())) {
            return Some(known);
        }
        let mut range: Option<Range> = None;
        for cell in read.cells.clone() {
            let (stores, initial, width) = self.cells[&cell].clone();
            range = Some(range.map_or(initial, |range| range.join(initial, width)));
            self.effort = self.effort.checked_sub(stores.len())?;
            for store in stores {
                let Store { thread, place, .. } = self.stores[store];
                if place < made[thread] {
                    let stored = self.store(store, &made)?;
                    range = range.map(|range| range.join(stored, width));
                }
            }
        }
        let range = range?;
        self.known_reads.insert((at, made), range);
        Some(range)
    }

    /// What a store leaves, likewise.
    fn store(&mut self, at: usize, made: &Made) -> Option<Range> {
        let store = &self.stores[at];
        let mut made = made.clone();
        made[store.thread] = made[store.thread].min(store.place);
        if let Some(&known) = self.known_stores.get(&(at, made.clone())) {
            return Some(known);
        }
        let mut inputs: FxHashMap<Term, Range> = FxHashMap::default();
        for read in store.reads.clone() {
            let range = self.read(read, &made)?;
            inputs.insert(self.reads[read].variable, range);
        }
        let range = self.value(at, &inputs)?;
        self.known_stores.insert((at, made), range);
        Some(range)
    }

    /// What a store leaves, if what is read are these; nothing if that is too much to do.
    fn value(&mut self, at: usize, inputs: &FxHashMap<Term, Range>) -> Option<Range> {
        let store = &self.stores[at];
        let Some(cone) = &store.cone else { return Some(self.terms.known_range(store.value)) };
        self.effort = self.effort.checked_sub(cone.size())?;
        let terms = self.terms;
        let of =
            |input: Term| inputs.get(&input).copied().unwrap_or_else(|| terms.known_range(input));
        Some(cone.ranges(terms, of)[&store.value])
    }

    /// The bounds, by how many stores a chain can still come through.
    fn by_steps(&mut self) -> Option<Found> {
        self.effort = EFFORT;
        let mut stored: Vec<Option<Range>> = vec![None; self.stores.len()];
        for _ in 0..=self.stores.len() {
            let taken: FxHashMap<Term, Range> =
                self.reads.iter().map(|read| (read.variable, self.taken(read, &stored))).collect();
            let mut now = Vec::new();
            for store in 0..self.stores.len() {
                now.push(Some(self.value(store, &taken)?));
            }
            if std::mem::replace(&mut stored, now) == stored {
                break;
            }
        }
        let reads = self.reads.iter().map(|read| self.taken(read, &stored)).collect();
        let mut cells = Vec::new();
        for (&cell, &(ref stores, initial, width)) in &self.cells {
            let stores = stores.iter().filter_map(|&store| stored[store]);
            cells.push((cell, stores.fold(initial, |all, range| all.join(range, width))));
        }
        Some((reads, cells))
    }

    fn taken(&self, read: &Read, stored: &[Option<Range>]) -> Range {
        let width = self.terms.width(read.variable);
        let cells = read.cells.iter().map(|cell| &self.cells[cell]);
        let ranges = cells.flat_map(|(stores, initial, _)| {
            stores.iter().filter_map(|&store| stored[store]).chain([*initial])
        });
        let all = ranges.reduce(|all, range| all.join(range, width));
        all.unwrap_or(Range::all(width))
    }
}

fn read_variable(action: &Action) -> Option<Term> {
    match action {
        Action::Read { value } | Action::Look { value } => Some(*value),
        _ => None,
    }
}
