//! When stores that wait reach memory, in rounds: at the start of a turn, of whichever
//! thread, or in the middle of one (Figures 4.3 and 4.5 of the thesis in `docs/papers.md`).
//!
//! In the middle of a turn an arrival matters only to the points of that thread that touch
//! where stores of others go. Between these it makes no difference when it comes, so there is
//! a truth for each store and each of them, "in memory before it". What comes after the last
//! of them is left to the next turn.

use heddle_sat::Term;
use heddle_semantics::MemoryModel;
use rustc_hash::FxHashSet;

use crate::encodings::lazy::{Lazy, Turn};
use crate::encodings::{Formula, Key};
use crate::unfold::facts::Cell;

/// Truths of a round, for each of its points, beyond which stores arrive only at the start
/// of turns.
const MOST_A_POINT: usize = 16;

/// When stores reach memory.
#[derive(Default)]
pub(super) struct Arrivals {
    /// For each thread, points before which stores of others may arrive. The first stands
    /// for the start of the turn.
    slots: Vec<Vec<u32>>,
    /// Thread, store, turn of any thread: in memory before each of the slots. The last one
    /// is for the end of the turn, too.
    rows: Vec<Vec<Vec<Vec<Term>>>>,
}

impl Arrivals {
    pub fn new<M: MemoryModel>(f: &Formula<'_, M>) -> Arrivals {
        let threads = 0..f.threads();
        let mut slots: Vec<Vec<u32>> = threads.clone().map(|thread| touches(f, thread)).collect();
        let stores = |thread: usize| f.stores[thread].all.len();
        let all: usize = threads.clone().map(stores).sum();
        let truths: usize =
            slots.iter().enumerate().map(|(at, slots)| slots.len() * (all - stores(at))).sum();
        let points: usize = threads.clone().map(|thread| f.points(thread)).sum();
        if truths > MOST_A_POINT * points {
            slots.iter_mut().for_each(Vec::clear);
        }
        let rows = threads.map(|thread| vec![Vec::new(); stores(thread)]).collect();
        Arrivals { slots, rows }
    }

    /// How many times a store may arrive in a turn.
    fn slots(&self, thread: usize, turn: Turn) -> usize {
        match thread == turn.thread {
            true => 1,
            false => self.slots[turn.thread].len().max(1),
        }
    }

    /// The slot of a point.
    fn slot(&self, thread: usize, point: u32) -> usize {
        self.slots[thread].iter().skip(1).take_while(|&&slot| slot <= point).count()
    }

    /// The slot that begins with a point.
    pub fn begins(&self, thread: usize, point: u32) -> Option<usize> {
        let slot = self.slots[thread].iter().skip(1).position(|&slot| slot == point)?;
        Some(slot + 1)
    }

    /// The store is in memory by the end of the turn.
    pub fn by(&self, thread: usize, store: usize, turn: usize) -> Term {
        let row = &self.rows[thread][store][turn];
        row[row.len() - 1]
    }

    /// The store of a thread is in memory when another one passes a point in its turn.
    pub fn before(&self, (thread, store): (usize, usize), turn: Turn, point: u32) -> Term {
        let row = &self.rows[thread][store][turn.number];
        row[self.slot(turn.thread, point).min(row.len() - 1)]
    }

    /// In the end.
    pub fn last(&self, thread: usize) -> Vec<Term> {
        let stores = self.rows[thread].iter();
        stores.filter_map(|turns| turns.last()?.last().copied()).collect()
    }

    /// Times in a turn: its thread has odd ones.
    fn length(&self) -> u64 {
        2 * self.slots.iter().map(|slots| slots.len().max(1)).max().unwrap_or(1) as u64
    }

    /// When a point is passed, of which it is known for each turn of its thread whether it
    /// is passed by then.
    pub fn passing<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        (thread, point): (usize, u32),
        row: &[Term],
    ) -> Key {
        let (length, threads) = (self.length(), self.slots.len() as u64);
        let base = length * thread as u64 + 2 * self.slot(thread, point) as u64 + 1;
        let not_yet = row.iter().map(|&done| (f.not(done), length * threads));
        Key { base, parts: not_yet.collect() }
    }

    /// When the stores of a thread arrive.
    pub fn arriving<M: MemoryModel>(&self, f: &mut Formula<'_, M>, thread: usize) -> Vec<Key> {
        let length = self.length();
        let stores = self.rows[thread].iter();
        let keys = stores.map(|turns| {
            let mut parts = Vec::new();
            for row in turns {
                let earlier = row.len() - 1;
                for (at, &done) in row.iter().enumerate() {
                    let weight = if at < earlier { 2 } else { length - 2 * earlier as u64 };
                    parts.push((f.not(done), weight));
                }
            }
            Key { base: 0, parts }
        });
        keys.collect()
    }
}

/// The points of a thread that touch where stores of others go that may wait. Points whose
/// events are not all in the order of points are left out.
fn touches<M: MemoryModel>(f: &Formula<'_, M>, thread: usize) -> Vec<u32> {
    let mut cells: FxHashSet<Cell> = FxHashSet::default();
    for (other, stores) in f.stores.iter().enumerate().filter(|(other, _)| *other != thread) {
        for &index in stores.all.iter().flat_map(|store| &store.events) {
            let event = f.event(other, index);
            cells.extend(event.targets.iter().chain(&event.lives).map(|target| target.0));
        }
    }
    let mut touched = Vec::new();
    let mut so_far = 0;
    for event in &f.bounded.threads[thread].events {
        if event.point < so_far {
            touched.retain(|&point| point < event.point);
        } else if event.targets.iter().any(|target| cells.contains(&target.0)) {
            touched.push(event.point);
        }
        so_far = so_far.max(event.point);
    }
    touched.dedup();
    touched
}

impl Lazy {
    /// Which stores are in memory by when in a turn, and in which order.
    pub(super) fn time_stores<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, turn: Turn) {
        for thread in 0..f.threads() {
            let slots = self.arrivals.slots(thread, turn);
            for store in 0..f.stores[thread].all.len() {
                let point = f.stores[thread].all[store].point as usize;
                // It has not been made yet.
                let Some(&issued) = self.passed[thread][point].last() else {
                    let never = f.never();
                    self.arrivals.rows[thread][store].push(vec![never; slots]);
                    continue;
                };
                let row = f.truths(slots);
                let before = self.arrivals.rows[thread][store].last();
                let mut earlier = before.and_then(|row| row.last().copied());
                for &now in &row {
                    if let Some(earlier) = earlier {
                        f.imply(earlier, now);
                    }
                    earlier = Some(now);
                }
                f.imply(row[slots - 1], issued);
                for at in 0..f.stores[thread].all[store].behind.len() {
                    let (earlier, when) = f.stores[thread].all[store].behind[at];
                    for (slot, &now) in row.iter().enumerate() {
                        let both = f.and(now, when);
                        f.imply(both, self.arrivals.rows[thread][earlier][turn.number][slot]);
                    }
                }
                self.arrivals.rows[thread][store].push(row);
            }
        }
    }

    /// Stores that reach memory in a slot of a turn; in the first one, of earlier turns.
    pub(super) fn arrive<M: MemoryModel>(
        &mut self,
        f: &mut Formula<'_, M>,
        turn: Turn,
        slot: usize,
    ) {
        let Some(before) = turn.number.checked_sub(1) else { return };
        for thread in 0..f.threads() {
            if slot > 0 && thread == turn.thread {
                continue;
            }
            for store in 0..f.stores[thread].all.len() {
                let now = self.arrivals.rows[thread][store][turn.number][slot];
                let earlier = match slot.checked_sub(1) {
                    Some(last) => self.arrivals.rows[thread][store][turn.number][last],
                    None => self.arrivals.by(thread, store, before),
                };
                let row = &self.passed[thread][f.stores[thread].all[store].point as usize];
                // In its own thread's turn, what was passed before that.
                let last = match thread == turn.thread {
                    true => turn.round.checked_sub(1).map(|before| row[before]),
                    false => row.last().copied(),
                };
                let Some(issued) = last else { continue };
                let arrives = f.and_not(now, earlier);
                let arrives = f.and(arrives, issued);
                for at in 0..f.stores[thread].all[store].events.len() {
                    let event = f.stores[thread].all[store].events[at];
                    self.apply(f, f.event(thread, event), arrives);
                }
            }
        }
    }
}
