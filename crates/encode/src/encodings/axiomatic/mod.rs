//! Axioms instead of turns: each read takes some write, and the order of all events that
//! this asks for has no cycle. Every interleaving of the bounded program, with no bound.
//!
//! Follows Alglave, Kroening and Tautschnig ("Partial Orders for Efficient Bounded Model
//! Checking of Concurrent Software", CAV 2013) in what is said, and He, Sun and Fan (PLDI
//! 2021, and TOPLAS 2023) in who sees to it: a theory inside the solver
//! (`heddle_sat::order`), or clocks (`clocks`).
//!
//! Deviations:
//! 1. Events are points of threads, which may read and write several cells at once
//!    (`accesses`), and arrivals of stores that may wait. So read-modify-writes, atomic
//!    sections and stores of several cells need no axioms of their own.
//! 2. Preserved program order is what `stores` says of the memory model, as edges between
//!    arrivals. A read is never ordered with an own store that it may take from the queue;
//!    what it takes instead from another thread comes after that store (`reads`).
//! 3. Runs need not be complete: a thread may stop where it waits, or where its environment
//!    has a choice that may fail, and before it ends the process. It passes all other points,
//!    and all its stores arrive: any run can be continued to such a one, and whatever was
//!    reached is still reached.
//! 4. Conditions, creation and join of threads are cells like others. Candidates that a wait
//!    would refuse are left out. Of locks no read takes anything: their sections are ordered
//!    (`sections`).
//! 5. What memory holds in the end is a read at a last event.

mod build;
mod candidates;
mod clocks;
mod reads;
mod sections;

use heddle_sat::Term;
use heddle_sat::order::{Clocks, Orders};
use heddle_semantics::MemoryModel;
use rustc_hash::FxHashMap;

use crate::encodings::accesses::{Accesses, Leave, find_accesses};
use crate::encodings::{Encoding, Formula, Key, Run, Timeline};
use crate::unfold::facts::Cell;
use crate::watch::Stop;

/// Who sees to the orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeper {
    Theory,
    Clocks,
}

/// Before everything, and after everything.
const START: u32 = 0;
const END: u32 = 1;

pub(crate) struct Axiomatic {
    keeper: Keeper,
    accesses: Accesses,
    /// Cell: what writes it, as indices of `accesses.leaves`.
    writers: FxHashMap<Cell, Vec<usize>>,
    /// Thread: the node of its first point, and those of its arrivals.
    points: Vec<u32>,
    arrivals: Vec<u32>,
    /// Thread, point: passed.
    passed: Vec<Vec<Term>>,
    orders: Orders<Term>,
    /// What is always so.
    fixed: Clocks,
    /// The first of two is before the second if that happens at all.
    must: Clocks,
    /// Truths of two nodes, the smaller first.
    pairs: FxHashMap<(u32, u32), Term>,
    /// Who looks at locks.
    locks: Vec<sections::History>,
    /// Stores that reach memory with their points, and when they do.
    at_once: Vec<(usize, usize, Term)>,
    done: bool,
}

impl Axiomatic {
    pub fn new<M: MemoryModel>(f: &mut Formula<'_, M>, keeper: Keeper) -> Axiomatic {
        let accesses = find_accesses(f);
        let mut writers: FxHashMap<Cell, Vec<usize>> = FxHashMap::default();
        for (at, leave) in accesses.leaves.iter().enumerate() {
            if !f.is_never(leave.when) {
                writers.entry(leave.cell).or_default().push(at);
            }
        }
        Axiomatic {
            keeper,
            accesses,
            writers,
            points: Vec::new(),
            arrivals: Vec::new(),
            passed: Vec::new(),
            orders: Orders::default(),
            fixed: Clocks::new(&[]),
            must: Clocks::new(&[]),
            pairs: FxHashMap::default(),
            locks: Vec::new(),
            at_once: Vec::new(),
            done: false,
        }
    }

    fn point(&self, thread: usize, point: u32) -> u32 {
        self.points[thread] + point
    }

    fn arrival(&self, thread: usize, store: usize) -> u32 {
        self.arrivals[thread] + store as u32
    }

    /// Where a write takes effect in memory.
    fn effect(&self, leave: &Leave) -> u32 {
        match leave.store {
            Some(store) => self.arrival(leave.thread, store),
            None => self.point(leave.thread, leave.point),
        }
    }

    /// When it does.
    fn acts<M: MemoryModel>(&self, f: &mut Formula<'_, M>, leave: &Leave) -> Term {
        f.and(self.passed[leave.thread][leave.point as usize], leave.when)
    }

    /// Where it holds, the first is before the second.
    fn edge<M: MemoryModel>(&mut self, f: &Formula<'_, M>, when: Term, from: u32, to: u32) {
        match f.symbolic.terms.as_constant(when) {
            Some(0) => {}
            _ if self.fixed.is_before(from, to) => {}
            _ => self.orders.edges.push((when, from, to)),
        }
    }

    /// Is the first before the second? Says so for both ways.
    fn pair<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, a: u32, b: u32) -> Term {
        if self.fixed.is_before(a, b) {
            return f.always();
        }
        if self.fixed.is_before(b, a) {
            return f.never();
        }
        let (first, second) = (a.min(b), a.max(b));
        let known = self.pairs.get(&(first, second)).copied();
        let before = known.unwrap_or_else(|| {
            let before = f.truth();
            self.pairs.insert((first, second), before);
            self.orders.pairs.push((before, first, second));
            before
        });
        if a == first { before } else { f.not(before) }
    }
}

impl<M: MemoryModel> Encoding<M> for Axiomatic {
    fn extend(&mut self, f: &mut Formula<'_, M>, _: u32) -> Result<Run, Stop> {
        assert!(!self.done, "there are no larger bounds");
        self.done = true;
        self.pass(f);
        self.chain(f);
        self.delay(f)?;
        let (content, late) = self.read(f)?;
        let mut timeline = Timeline::default();
        if self.keeper == Keeper::Clocks {
            let times = clocks::keep(f, &self.orders, &self.fixed)?;
            let key = |node: u32| Key { base: 0, parts: vec![(times[node as usize], 1)] };
            timeline = self.timeline(f, &key);
        }
        let mut arrived = Vec::new();
        for (thread, stores) in f.stores.iter().enumerate() {
            let points = stores.all.iter().map(|store| store.point as usize);
            arrived.push(points.map(|point| self.passed[thread][point]).collect());
        }
        let (passed, within) = (self.passed.clone(), Vec::new());
        Ok(Run { passed, content, arrived, late, within, full: None, timeline })
    }

    fn enough(&self, _: &Formula<'_, M>) -> u32 {
        1
    }

    fn orders(&self) -> Option<&Orders<Term>> {
        Some(&self.orders)
    }

    fn keeps_orders(&self) -> bool {
        self.keeper == Keeper::Clocks
    }

    fn is_run(&self, places: &[u32], value: &mut dyn FnMut(Term) -> u64) -> bool {
        self.locks.iter().all(|lock| lock.fits(places, value))
    }

    fn in_line(
        &self,
        f: &Formula<'_, M>,
        places: &[u32],
        value: &mut dyn FnMut(Term) -> u64,
    ) -> Timeline {
        let mut places = places.to_vec();
        for &(thread, store, when) in &self.at_once {
            if value(when) != 0 {
                let point = self.point(thread, f.stores[thread].all[store].point);
                places[point as usize] = places[self.arrival(thread, store) as usize];
            }
        }
        let key = |node: u32| Key { base: 2 * u64::from(places[node as usize]), parts: Vec::new() };
        self.timeline(f, &key)
    }
}

impl Axiomatic {
    fn timeline<M: MemoryModel>(&self, f: &Formula<'_, M>, key: &dyn Fn(u32) -> Key) -> Timeline {
        let mut timeline = Timeline::default();
        for thread in 0..f.threads() {
            let points = (0..f.points(thread) as u32).map(|point| key(self.point(thread, point)));
            timeline.points.push(points.collect());
            let stores = 0..f.stores[thread].all.len();
            let arrivals = stores.map(|store| {
                let mut key = key(self.arrival(thread, store));
                // What arrives at the time of its point does so after it.
                key.base += 1;
                key
            });
            timeline.arrivals.push(arrivals.collect());
        }
        timeline
    }
}
