//! Reads of cells that one thread alone writes.
//!
//! Such a read takes the last write that was in memory before it. Which writes were
//! is a truth for each pair of a write and a read, whatever the round, as in the
//! partial orders of Alglave, Kroening and Tautschnig ("Partial Orders for Efficient
//! Bounded Model Checking of Concurrent Software", CAV 2013). So the values are
//! compared once for each pair, and not once for each round. Where a cell has so many
//! reads and writes that pairs cost more than rounds, it is left to the rounds.

use heddle_sat::Term;
use heddle_semantics::MemoryModel;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bounded::Action;
use crate::encodings::Formula;
use crate::encodings::lazy::{Lazy, Turn};
use crate::unfold::facts::Cell;

/// Pairs are so much better that so many times as many clauses are no loss.
const WORTH: usize = 2;

/// Who writes a cell, and with which events.
pub(super) struct Source {
    thread: usize,
    writes: Vec<u32>,
}

/// A write and a read: thread and event, thread and point.
type Pair = (usize, u32, usize, u32);

/// Cells with one writer, and what was said about when they are read.
#[derive(Default)]
pub(super) struct Sources {
    cells: FxHashMap<Cell, Source>,
    before: FxHashMap<Pair, Term>,
    /// Thread and point: it is passed in some round, or this means nothing.
    passed: FxHashMap<(usize, u32), Term>,
}

impl Sources {
    pub fn contains(&self, cell: Cell) -> bool {
        self.cells.contains_key(&cell)
    }
}

impl Lazy {
    /// Finds the cells that one thread alone writes.
    pub(super) fn find_sources<M: MemoryModel>(&mut self, f: &Formula<'_, M>, rounds: usize) {
        let mut others: FxHashSet<Cell> = FxHashSet::default();
        let cells = &mut self.sources.cells;
        for (thread, code) in f.bounded.threads.iter().enumerate() {
            for (index, event) in code.events.iter().enumerate() {
                // These are looked at when a store arrives.
                others.extend(event.lives.iter().map(|life| life.0));
                for &(cell, _) in &event.targets {
                    let writes = matches!(event.action, Action::Write { .. });
                    let empty = || Source { thread: usize::MAX, writes: Vec::new() };
                    let source = cells.entry(cell).or_insert_with(empty);
                    if writes && source.thread != usize::MAX && source.thread != thread {
                        others.insert(cell);
                    }
                    if writes {
                        source.thread = thread;
                        source.writes.push(index as u32);
                    }
                }
            }
        }
        cells.retain(|cell, _| !others.contains(cell));
        self.drop_expensive(f, rounds);
    }

    /// Pairs are many where there are many reads and writes.
    fn drop_expensive<M: MemoryModel>(&mut self, f: &Formula<'_, M>, rounds: usize) {
        let mut reads: FxHashMap<Cell, usize> = FxHashMap::default();
        for event in f.bounded.threads.iter().flat_map(|thread| &thread.events) {
            if matches!(event.action, Action::Read { .. } | Action::Look { .. }) {
                for target in &event.targets {
                    *reads.entry(target.0).or_default() += 1;
                }
            }
        }
        let (initial, terms) = (&f.bounded.initial, &f.symbolic.terms);
        self.sources.cells.retain(|cell, source| {
            let (reads, writes) = (reads.get(cell).copied().unwrap_or(0), source.writes.len());
            let bits = initial.get(cell).map_or(8, |&value| terms.width(value) as usize);
            let pairs = 2 * reads * writes * (rounds + bits);
            let turns = 6 * (reads + writes) * rounds * bits;
            pairs <= WORTH * turns
        });
    }

    /// Ties what an event reads to the writes of those cells.
    pub(super) fn read_sources<M: MemoryModel>(
        &mut self,
        f: &mut Formula<'_, M>,
        thread: usize,
        index: usize,
    ) {
        let event = f.event(thread, index as u32);
        let (Action::Read { value } | Action::Look { value }) = event.action else { return };
        for &(cell, is_it) in &event.targets {
            let Some(source) = self.sources.cells.get(&cell) else { continue };
            let (writer, writes) = (source.thread, source.writes.clone());
            let passed = self.sources.passed.entry((thread, event.point));
            let passed = *passed.or_insert_with(|| f.truth());
            let acts = f.and(passed, event.guard);
            // No later write came before it.
            let mut open = f.and(acts, is_it);
            for &write in writes.iter().rev() {
                let Some((written, when)) = written(f, writer, write, cell) else { continue };
                let before = match writer == thread {
                    true => f.terms().truth((write as usize) < index),
                    false => self.before(f, (writer, write, thread, event.point)),
                };
                let seen = f.and(before, when);
                let taken = f.and(open, seen);
                open = f.and_not(open, seen);
                f.equal_if(taken, value, written);
            }
            let initial = f.bounded.initial[&cell];
            f.equal_if(open, value, initial);
        }
    }

    /// Was the write in memory before the other thread passed the point? Means nothing
    /// if it never does.
    fn before<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, pair: Pair) -> Term {
        *self.sources.before.entry(pair).or_insert_with(|| f.truth())
    }

    /// What a turn of a reader says of its pairs.
    pub(super) fn place_pairs<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, turn: Turn) {
        let mut pairs: Vec<(Pair, Term)> = (self.sources.before.iter())
            .filter(|(pair, _)| pair.2 == turn.thread)
            .map(|(&pair, &before)| (pair, before))
            .collect();
        pairs.sort_unstable();
        for ((writer, write, reader, point), before) in pairs {
            let there = self.arrived_by(f, (writer, write), turn, point);
            let row = &self.passed[reader][point as usize];
            let (passed, earlier) = (row[turn.round], turn.round.checked_sub(1).map(|at| row[at]));
            let (not_passed, after) = (f.not(passed), f.not(before));
            let absent = there.map(|there| f.not(there));
            let mut late = vec![not_passed, after];
            late.extend(there);
            f.any(&late);
            if let Some(absent) = absent {
                let mut early = vec![absent, before];
                early.extend(earlier);
                f.any(&early);
            }
        }
    }

    /// Is a write of another thread in memory when this turn's thread passes a point?
    fn arrived_by<M: MemoryModel>(
        &self,
        f: &Formula<'_, M>,
        (writer, write): (usize, u32),
        turn: Turn,
        point: u32,
    ) -> Option<Term> {
        if let Some(&store) = f.stores[writer].of.get(&write) {
            return Some(self.arrivals.before((writer, store), turn, point));
        }
        let row = &self.passed[writer][f.event(writer, write).point as usize];
        row.last().copied()
    }

    /// What follows from the rounds anyway, said of the pairs themselves: later reads
    /// see a write too, a read sees earlier ones too, and of two threads not each can
    /// see what the other writes after it looked.
    pub(super) fn relate_pairs<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>) {
        let mut pairs: Vec<(Pair, Term)> =
            self.sources.before.iter().map(|(&pair, &term)| (pair, term)).collect();
        pairs.sort_unstable_by_key(|&((writer, write, reader, point), _)| {
            (writer, reader, point, write)
        });
        for next in pairs.windows(2) {
            let [((a, v, b, p), first), ((c, w, d, q), second)] = *next else { continue };
            if (a, b, p) == (c, d, q) && arrives_first(f, a, v, w) {
                f.imply(second, first);
            }
        }
        pairs.sort_unstable_by_key(|&((writer, write, reader, point), _)| {
            (writer, reader, write, point)
        });
        for next in pairs.windows(2) {
            let [((a, v, b, _), first), ((c, w, d, _), second)] = *next else { continue };
            if (a, b, v) == (c, d, w) {
                f.imply(first, second);
            }
        }
        for &(pair, first) in &pairs {
            if let Some(second) = opposite(f, pair, &pairs) {
                let (first, second) = (f.not(first), f.not(second));
                f.any(&[first, second]);
            }
        }
    }

    /// What is in the cells in the end, and which points were passed.
    pub(super) fn settle_sources<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>) {
        for (&(thread, point), &passed) in &self.sources.passed {
            if let Some(&last) = self.passed[thread][point as usize].last() {
                f.imply(last, passed);
            }
        }
        for (&cell, source) in &self.sources.cells {
            let mut value = f.bounded.initial[&cell];
            for &write in &source.writes {
                let Some((written, when)) = written(f, source.thread, write, cell) else {
                    continue;
                };
                let there = match f.stores[source.thread].of.get(&write) {
                    Some(&store) => self.arrivals.last(source.thread).get(store).copied(),
                    None => {
                        let point = f.event(source.thread, write).point;
                        self.passed[source.thread][point as usize].last().copied()
                    }
                };
                let Some(there) = there else { continue };
                let here = f.and(there, when);
                value = f.terms().select(here, written, value);
            }
            self.memory.insert(cell, value);
        }
    }
}

/// What a write puts into the cell, and when it does.
fn written<M: MemoryModel>(
    f: &mut Formula<'_, M>,
    thread: usize,
    write: u32,
    cell: Cell,
) -> Option<(Term, Term)> {
    let event = f.event(thread, write);
    let Action::Write { value, .. } = event.action else { return None };
    let is_it = event.targets.iter().find(|target| target.0 == cell)?.1;
    Some((value, f.and(event.guard, is_it)))
}

/// Is the earlier of two writes of a thread always in memory when the later is?
fn arrives_first<M: MemoryModel>(
    f: &Formula<'_, M>,
    thread: usize,
    earlier: u32,
    later: u32,
) -> bool {
    let stores = &f.stores[thread];
    let store = |write: u32| stores.of.get(&write).copied();
    match (store(earlier), store(later)) {
        (None, _) => f.event(thread, earlier).point <= f.event(thread, later).point,
        (Some(_), None) => false,
        (Some(a), Some(b)) => a == b || stores.all[b].after[a],
    }
}

/// The first write of the reader after it reads, and the last read of the writer
/// before it writes, if they are a pair. `pairs` are sorted.
fn opposite<M: MemoryModel>(
    f: &Formula<'_, M>,
    pair: Pair,
    pairs: &[(Pair, Term)],
) -> Option<Term> {
    let (writer, write, reader, read) = pair;
    let point = |thread: usize, write: u32| f.event(thread, write).point;
    let from = pairs.partition_point(|&((c, w, d, _), _)| {
        (c, d) < (reader, writer) || (c, d) == (reader, writer) && point(c, w) < read
    });
    let &((_, first, ..), _) = pairs.get(from)?;
    let until = pairs.partition_point(|&((c, w, d, p), _)| {
        (c, d, w, p) <= (reader, writer, first, point(writer, write))
    });
    let &((c, w, d, p), term) = pairs.get(until.checked_sub(1)?)?;
    let same = (c, d, w) == (reader, writer, first);
    // Events of atomic sections may be out of order.
    (same && point(c, w) >= read && p <= point(writer, write)).then_some(term)
}
