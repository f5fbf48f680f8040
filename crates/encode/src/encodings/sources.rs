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
use crate::encodings::lazy::Encoder;
use crate::unfold::facts::Cell;

/// Pairs are so much better that so many times as many clauses are no loss.
const WORTH: usize = 2;

/// Who writes a cell, and with which events.
pub(crate) struct Source {
    thread: usize,
    writes: Vec<u32>,
}

/// A write and a read: thread and event, thread and point.
type Pair = (usize, u32, usize, u32);

/// Cells with one writer, and what was said about when they are read.
#[derive(Default)]
pub(crate) struct Sources {
    cells: FxHashMap<Cell, Source>,
    before: FxHashMap<Pair, Term>,
}

impl Sources {
    pub fn contains(&self, cell: Cell) -> bool {
        self.cells.contains_key(&cell)
    }
}

impl<M: MemoryModel> Encoder<'_, '_, M> {
    /// Finds the cells that one thread alone writes.
    pub(crate) fn find_sources(&mut self) {
        let mut others: FxHashSet<Cell> = FxHashSet::default();
        let cells = &mut self.sources.cells;
        for (thread, code) in self.lazy.bounded.threads.iter().enumerate() {
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
        self.drop_expensive();
    }

    /// Pairs are many where there are many reads and writes.
    fn drop_expensive(&mut self) {
        let mut reads: FxHashMap<Cell, usize> = FxHashMap::default();
        for event in self.lazy.bounded.threads.iter().flat_map(|thread| &thread.events) {
            if matches!(event.action, Action::Read { .. } | Action::Look { .. }) {
                for target in &event.targets {
                    *reads.entry(target.0).or_default() += 1;
                }
            }
        }
        let (rounds, initial) = (self.rounds(), &self.lazy.bounded.initial);
        let terms = &self.lazy.symbolic.terms;
        self.sources.cells.retain(|cell, source| {
            let (reads, writes) = (reads.get(cell).copied().unwrap_or(0), source.writes.len());
            let bits = initial.get(cell).map_or(8, |&value| terms.width(value) as usize);
            let pairs = 2 * reads * writes * (rounds + bits);
            let turns = 6 * (reads + writes) * rounds * bits;
            pairs <= WORTH * turns
        });
    }

    /// Ties what an event reads to the writes of those cells.
    pub(crate) fn read_sources(&mut self, thread: usize, index: usize) {
        let bounded = self.lazy.bounded;
        let event = &bounded.threads[thread].events[index];
        let (Action::Read { value } | Action::Look { value }) = event.action else { return };
        for &(cell, is_it) in &event.targets {
            let Some(source) = self.sources.cells.get(&cell) else { continue };
            let (writer, writes) = (source.thread, source.writes.clone());
            let passed = self.passed_at_all(thread, Some(event.point));
            let terms = &mut self.lazy.symbolic.terms;
            let acts = terms.and(passed, event.guard);
            // No later write came before it.
            let mut open = terms.and(acts, is_it);
            for &write in writes.iter().rev() {
                let Some((written, when)) = self.written(writer, write, cell) else { continue };
                let before = match writer == thread {
                    true => self.lazy.symbolic.terms.truth((write as usize) < index),
                    false => self.before((writer, write), (thread, event.point)),
                };
                let terms = &mut self.lazy.symbolic.terms;
                let seen = terms.and(before, when);
                let (taken, not_seen) = (terms.and(open, seen), terms.not(seen));
                open = terms.and(open, not_seen);
                self.equal_if(taken, value, written);
            }
            let initial = self.lazy.bounded.initial[&cell];
            self.equal_if(open, value, initial);
        }
    }

    /// What a write puts into the cell, and when it does.
    fn written(&mut self, thread: usize, write: u32, cell: Cell) -> Option<(Term, Term)> {
        let event = &self.lazy.bounded.threads[thread].events[write as usize];
        let Action::Write { value, .. } = event.action else { return None };
        let is_it = event.targets.iter().find(|target| target.0 == cell)?.1;
        Some((value, self.lazy.symbolic.terms.and(event.guard, is_it)))
    }

    /// For each round: is the write in memory by the end of its thread's turn?
    fn arrival(&self, thread: usize, write: u32) -> &[Term] {
        let point = self.point_of(thread, write);
        match self.store_of[thread].get(&write) {
            Some(&store) => &self.waiting[thread][store].flushed,
            None => &self.passed[thread][point as usize],
        }
    }

    /// Was the write in memory before the other thread passed the point? Means nothing
    /// if it never does.
    fn before(&mut self, (writer, write): (usize, u32), (reader, point): (usize, u32)) -> Term {
        let pair = (writer, write, reader, point);
        if let Some(&known) = self.sources.before.get(&pair) {
            return known;
        }
        let before = self.lazy.symbolic.terms.variable(1);
        self.sources.before.insert(pair, before);
        for round in 0..self.rounds() {
            // The last turn of the writer before this one of the reader.
            let turn = if writer < reader { Some(round) } else { round.checked_sub(1) };
            let there = turn.map(|turn| self.arrival(writer, write)[turn]);
            let row = &self.passed[reader][point as usize];
            let (passed, earlier) = (row[round], round.checked_sub(1).map(|round| row[round]));
            let terms = &mut self.lazy.symbolic.terms;
            let (not_passed, after) = (terms.not(passed), terms.not(before));
            let absent = there.map(|there| terms.not(there));
            let mut late = vec![not_passed, after];
            late.extend(there);
            self.any(&late);
            if let Some(absent) = absent {
                let mut early = vec![absent, before];
                early.extend(earlier);
                self.any(&early);
            }
        }
        before
    }

    /// What follows from the rounds anyway, said of the pairs themselves: later reads
    /// see a write too, a read sees earlier ones too, and of two threads not each can
    /// see what the other writes after it looked.
    pub(crate) fn relate_pairs(&mut self) {
        let mut pairs: Vec<(Pair, Term)> =
            self.sources.before.iter().map(|(&pair, &term)| (pair, term)).collect();
        pairs.sort_unstable_by_key(|&((writer, write, reader, point), _)| {
            (writer, reader, point, write)
        });
        for next in pairs.windows(2) {
            let [((a, v, b, p), first), ((c, w, d, q), second)] = *next else { continue };
            if (a, b, p) == (c, d, q) && self.arrives_first(a, v, w) {
                self.imply(second, first);
            }
        }
        pairs.sort_unstable_by_key(|&((writer, write, reader, point), _)| {
            (writer, reader, write, point)
        });
        for next in pairs.windows(2) {
            let [((a, v, b, _), first), ((c, w, d, _), second)] = *next else { continue };
            if (a, b, v) == (c, d, w) {
                self.imply(first, second);
            }
        }
        for &(pair, first) in &pairs {
            if let Some(second) = self.opposite(pair, &pairs) {
                let terms = &mut self.lazy.symbolic.terms;
                let (first, second) = (terms.not(first), terms.not(second));
                self.any(&[first, second]);
            }
        }
    }

    /// Is the earlier of two writes of a thread always in memory when the later is?
    fn arrives_first(&self, thread: usize, earlier: u32, later: u32) -> bool {
        let store = |write: u32| self.store_of[thread].get(&write).copied();
        match (store(earlier), store(later)) {
            (None, _) => self.point_of(thread, earlier) <= self.point_of(thread, later),
            (Some(_), None) => false,
            (Some(a), Some(b)) => a == b || self.waiting[thread][b].after[a],
        }
    }

    /// The first write of the reader after it reads, and the last read of the writer
    /// before it writes, if they are a pair. `pairs` are sorted.
    fn opposite(&self, pair: Pair, pairs: &[(Pair, Term)]) -> Option<Term> {
        let (writer, write, reader, read) = pair;
        let point = |thread: usize, write: u32| self.point_of(thread, write);
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

    fn point_of(&self, thread: usize, event: u32) -> u32 {
        self.lazy.bounded.threads[thread].events[event as usize].point
    }

    /// What is in the cells in the end.
    pub(crate) fn settle_sources(&mut self) {
        let last = self.rounds() - 1;
        let cells: Vec<Cell> = self.sources.cells.keys().copied().collect();
        for cell in cells {
            let source = &self.sources.cells[&cell];
            let (writer, writes) = (source.thread, source.writes.clone());
            let mut value = self.lazy.bounded.initial[&cell];
            for write in writes {
                let Some((written, when)) = self.written(writer, write, cell) else { continue };
                let there = self.arrival(writer, write)[last];
                let terms = &mut self.lazy.symbolic.terms;
                let here = terms.and(there, when);
                value = terms.select(here, written, value);
            }
            self.memory.insert(cell, value);
        }
    }
}
