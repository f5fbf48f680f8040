//! Lazy sequentialisation as a formula.
//!
//! Follows Inverso, Tomasco, Fischer, La Torre and Parlato ("Bounded Model Checking
//! of Multi-threaded C Programs via Lazy Sequentialization", CAV 2014; section 2.6 of
//! the thesis in `docs/papers.md`): threads run in a fixed order, round after round,
//! and in each round each thread passes any number of its points. Weak memory follows
//! the timestamps of its chapter 4: a store guesses the time at which it reaches
//! memory, and there are no flush steps.
//!
//! Deviations:
//! 1. No program is generated. Each thread was unfolded once (`unfold`); the formula
//!    says in which round each point is passed and ties reads to writes. So thread
//!    computation costs the same for any number of rounds.
//! 2. Simulated program counters are one truth for each point and round, "passed by
//!    the end of the round", which only grows along both.
//! 3. There is no clock with a bound of its own: a store that waits reaches memory at once, or
//!    at the start or in the middle of a turn, of whichever thread (`arrivals`). So there are
//!    no bounds on clock or queues beside the rounds.
//! 4. Cells that one thread alone writes are read without rounds (`sources`).
//! 5. More rounds add to the formula and take nothing back, so a solver can go on with
//!    what it has learned. The main thread has a turn after the last round, as in the
//!    original; with more rounds it is the first turn of the next one.
//!
//! Size: with T threads, R rounds, P points, r reads and w writes of c targets and b
//! bits, O(R · (P + b · c · (r + w))) gates, and for buffered stores R · T more truths
//! each; linear in each of them.

use heddle_sat::Term;
use heddle_semantics::MemoryModel;
use rustc_hash::FxHashMap;

use crate::bounded::{Action, Event};
use crate::encodings::arrivals::Arrivals;
use crate::encodings::sources::Sources;
use crate::encodings::stores::{drains, whole};
use crate::encodings::{Encoding, Formula, Run, Stand, Switches, Timeline};
use crate::unfold::facts::Cell;
use crate::watch::Stop;

/// How memory goes from one round into the next.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Boundary {
    /// It is what the last turn left.
    Lazy,
    /// It is guessed, and found to be what the last turn left (`lal_reps`).
    Guessed,
}

/// The rounds so far.
pub(crate) struct Lazy {
    boundary: Boundary,
    /// Rounds that are there, without the last turn of the main thread.
    rounds: u32,
    /// Thread, point, turn of the thread: passed by the end of it.
    pub(super) passed: Vec<Vec<Vec<Term>>>,
    pub(super) arrivals: Arrivals,
    /// Cells that one thread alone writes.
    pub(super) sources: Sources,
    pub(super) memory: FxHashMap<Cell, Term>,
    /// Stores that reach memory that is gone.
    late: Vec<Term>,
    /// What the thread whose turn it is has stored to a cell last, and whether it waits.
    own: FxHashMap<Cell, (Term, Term)>,
}

/// Who has a turn, and the how many of all it is.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    pub thread: usize,
    pub round: usize,
    pub number: usize,
}

impl Lazy {
    pub fn new(boundary: Boundary) -> Lazy {
        Lazy {
            boundary,
            rounds: 0,
            passed: Vec::new(),
            arrivals: Arrivals::default(),
            sources: Sources::default(),
            memory: FxHashMap::default(),
            late: Vec::new(),
            own: FxHashMap::default(),
        }
    }

    fn begin<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, rounds: u32) -> Result<(), Stop> {
        self.memory = f.bounded.initial.clone();
        for thread in 0..f.threads() {
            self.passed.push(vec![Vec::new(); f.points(thread)]);
        }
        self.arrivals = Arrivals::new(f);
        self.find_sources(f, rounds as usize);
        self.turn(f, Turn { thread: 0, round: 0, number: 0 })
    }

    /// A round, from the second thread to the first one of the next round.
    fn round<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>) -> Result<(), Stop> {
        let round = self.rounds as usize;
        let threads = f.threads();
        for thread in 1..threads {
            self.turn(f, Turn { thread, round, number: round * threads + thread })?;
        }
        if self.boundary == Boundary::Guessed {
            self.guess(f);
        }
        self.rounds += 1;
        self.turn(f, Turn { thread: 0, round: round + 1, number: (round + 1) * threads })
    }

    fn turn<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, turn: Turn) -> Result<(), Stop> {
        f.move_on(&mut self.passed[turn.thread]);
        self.time_stores(f, turn);
        self.arrive(f, turn, 0);
        self.act(f, turn)?;
        self.place_pairs(f, turn);
        Ok(())
    }

    /// Was it passed in this turn of its thread?
    fn now<M: MemoryModel>(&self, f: &mut Formula<'_, M>, turn: Turn, point: u32) -> Term {
        let row = &self.passed[turn.thread][point as usize];
        match turn.round.checked_sub(1) {
            None => row[turn.round],
            Some(before) => f.and_not(row[turn.round], row[before]),
        }
    }

    /// A store takes effect in memory, if `when` holds.
    pub(super) fn apply<M: MemoryModel>(
        &mut self,
        f: &mut Formula<'_, M>,
        event: &Event,
        when: Term,
    ) {
        let Action::Write { value, .. } = event.action else { return };
        let when = f.and(when, event.guard);
        for &(life, is_it) in &event.lives {
            let Some(&gone) = self.memory.get(&life) else { continue };
            let here = f.and(when, is_it);
            let bad = f.is_gone(gone, here);
            self.late.push(bad);
        }
        for &(cell, is_it) in &event.targets {
            if self.sources.contains(cell) {
                continue;
            }
            let here = f.and(when, is_it);
            let old = self.memory[&cell];
            let new = f.terms().select(here, value, old);
            self.memory.insert(cell, new);
        }
    }

    /// What the thread sees in a cell.
    fn view<M: MemoryModel>(&self, f: &mut Formula<'_, M>, cell: Cell) -> Term {
        let memory = self.memory[&cell];
        match self.own.get(&cell) {
            None => memory,
            Some(&(value, waits)) => f.terms().select(waits, value, memory),
        }
    }

    /// The thread's own newest store to the cells of an event.
    fn keep<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, event: &Event, flushed: Term) {
        let Action::Write { value, .. } = event.action else { return };
        for &(cell, is_it) in &event.targets {
            if self.sources.contains(cell) {
                continue;
            }
            let (here, none) = (f.and(event.guard, is_it), f.never());
            let (old, waited) = self.own.remove(&cell).unwrap_or((value, none));
            let terms = f.terms();
            let waits = terms.not(flushed);
            let known = (terms.select(here, value, old), terms.select(here, waits, waited));
            self.own.insert(cell, known);
        }
    }

    /// All stores before the event are in memory when it acts.
    fn drain<M: MemoryModel>(&self, f: &mut Formula<'_, M>, turn: Turn, index: usize, acts: Term) {
        for store in f.stores[turn.thread].newest_before(index) {
            f.imply(acts, self.arrivals.by(turn.thread, store, turn.number));
        }
    }

    fn act<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, turn: Turn) -> Result<(), Stop> {
        // What the thread itself stored does not depend on the round; it is
        // followed anew in each, as its events are.
        self.own.clear();
        let bounded = f.bounded;
        let mut last = None;
        for (index, event) in bounded.threads[turn.thread].events.iter().enumerate() {
            f.watch.ask()?;
            if last.replace(event.point) != Some(event.point)
                && let Some(slot) = self.arrivals.begins(turn.thread, event.point)
            {
                self.arrive(f, turn, slot);
            }
            let now = self.now(f, turn, event.point);
            let acts = f.and(now, event.guard);
            if drains(&f.model, event) {
                self.drain(f, turn, index, acts);
            }
            match &event.action {
                Action::Read { value } | Action::Look { value } => {
                    if turn.round == 0 {
                        self.read_sources(f, turn.thread, index);
                    }
                    for &(cell, is_it) in &event.targets {
                        if !self.sources.contains(cell) {
                            let here = f.and(acts, is_it);
                            let seen = self.view(f, cell);
                            f.equal_if(here, *value, seen);
                        }
                    }
                }
                Action::Write { .. } => self.write(f, turn, (index, event), now),
                Action::Clear => {
                    let mut waits = |f: &mut Formula<'_, M>, store: usize| {
                        f.not(self.arrivals.by(turn.thread, store, turn.number))
                    };
                    let whole = whole(f, turn.thread, index, &mut waits);
                    f.imply(acts, whole);
                }
                Action::Drain | Action::Fence { .. } => {}
            }
        }
        Ok(())
    }

    fn write<M: MemoryModel>(
        &mut self,
        f: &mut Formula<'_, M>,
        turn: Turn,
        (index, event): (usize, &Event),
        now: Term,
    ) {
        let Some(&store) = f.stores[turn.thread].of.get(&(index as u32)) else {
            return self.apply(f, event, now);
        };
        let flushed = self.arrivals.by(turn.thread, store, turn.number);
        if let Some(mixed) = f.stores[turn.thread].all[store].mixed {
            let acts = f.and(now, event.guard);
            let at_once = f.and(acts, mixed);
            self.drain(f, turn, index, at_once);
            f.imply(at_once, flushed);
        }
        let at_once = f.and(now, flushed);
        self.apply(f, event, at_once);
        self.keep(f, event, flushed);
    }

    /// Snapshots at the boundary of two rounds.
    fn guess<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>) {
        let always = f.always();
        let mut cells: Vec<Cell> = self.memory.keys().copied().collect();
        cells.sort_unstable();
        for cell in cells {
            let left = self.memory[&cell];
            if self.sources.contains(cell) || f.symbolic.terms.as_constant(left).is_some() {
                continue;
            }
            let width = f.symbolic.terms.width(left);
            let values = f.symbolic.terms.values(left).map(<[u64]>::to_vec);
            let guessed = match values {
                Some(values) => f.terms().choice(&values, width),
                None => f.content(cell, width),
            };
            f.equal_if(always, guessed, left);
            self.memory.insert(cell, guessed);
        }
    }

    /// For each turn of all: its thread passes some point in it.
    fn moves<M: MemoryModel>(&self, f: &mut Formula<'_, M>) -> Vec<Term> {
        let threads = f.threads();
        let mut moves = Vec::new();
        for number in 0..=self.rounds as usize * threads {
            let (rows, round) = (&self.passed[number % threads], number / threads);
            let passes = rows.iter().map(|row| match round.checked_sub(1) {
                None => row[round],
                Some(before) => f.and_not(row[round], row[before]),
            });
            let passes: Vec<Term> = passes.collect();
            moves.push(f.terms().or_all(&passes));
        }
        moves
    }

    /// For each turn of a thread: another one is the next to move.
    fn others_next<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        thread: usize,
        moves: &[Term],
    ) -> Vec<Term> {
        let mut others = f.never();
        let mut next = Vec::new();
        for (number, &moves) in moves.iter().enumerate().rev() {
            let who = number % f.threads();
            if who == thread {
                next.push(others);
            }
            let other = f.symbolic.terms.truth(who != thread);
            others = f.terms().select(moves, other, others);
        }
        next.reverse();
        next
    }

    fn preempted<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        thread: usize,
        moves: &[Term],
    ) -> Vec<Term> {
        let next = self.others_next(f, thread, moves);
        let rows = &self.passed[thread];
        let mut preempted = Vec::new();
        for at in 0..rows.len() {
            let Some(earlier) = at.checked_sub(1) else {
                preempted.push(f.never());
                continue;
            };
            let mut stands = Vec::new();
            for (round, &next) in next.iter().enumerate() {
                let here = f.and_not(rows[earlier][round], rows[at][round]);
                stands.push(f.and(here, next));
            }
            preempted.push(f.terms().or_all(&stands));
        }
        preempted
    }

    /// Where a thread stands at the end of its turns.
    fn stands(&self, thread: usize) -> Vec<Vec<Stand>> {
        let rows = &self.passed[thread];
        let all = (0..rows.len()).map(|at| {
            let before = at.checked_sub(1).map(|earlier| &rows[earlier]);
            let turns = 0..rows[at].len();
            turns.map(|turn| before.map(|before| (before[turn], rows[at][turn]))).collect()
        });
        all.collect()
    }

    /// For each turn of a thread: nobody moves before its next one.
    fn idle<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        thread: usize,
        moves: &[Term],
    ) -> Vec<Term> {
        let threads = f.threads();
        let own = (thread..moves.len()).step_by(threads);
        let idle = own.map(|number| {
            let next = (number + threads).min(moves.len());
            let moved = f.terms().or_all(&moves[number + 1..next]);
            f.not(moved)
        });
        idle.collect()
    }

    /// Stores that are not in memory by the end of the turn that makes them.
    fn delayed<M: MemoryModel>(&self, f: &mut Formula<'_, M>, thread: usize) -> Vec<Term> {
        let mut delayed = Vec::new();
        for store in 0..f.stores[thread].all.len() {
            let row = &self.passed[thread][f.stores[thread].all[store].point as usize];
            let mut late = Vec::new();
            for (round, &passed) in row.iter().enumerate() {
                let turn = round * self.passed.len() + thread;
                let in_memory = self.arrivals.by(thread, store, turn);
                late.push(f.and_not(passed, in_memory));
            }
            let late = f.terms().or_all(&late);
            let events = &f.stores[thread].all[store].events;
            let guards: Vec<Term> = events.iter().map(|&at| f.event(thread, at).guard).collect();
            let made = f.terms().or_all(&guards);
            delayed.push(f.and(late, made));
        }
        delayed
    }

    fn timeline<M: MemoryModel>(&self, f: &mut Formula<'_, M>) -> Timeline {
        let mut timeline = Timeline::default();
        for (thread, points) in self.passed.iter().enumerate() {
            let points = points.iter().zip(0..);
            let keys = points.map(|(row, point)| self.arrivals.passing(f, (thread, point), row));
            timeline.points.push(keys.collect());
            timeline.arrivals.push(self.arrivals.arriving(f, thread));
        }
        timeline
    }
}

impl<M: MemoryModel> Encoding<M> for Lazy {
    fn extend(&mut self, f: &mut Formula<'_, M>, rounds: u32) -> Result<Run, Stop> {
        let fresh = self.passed.is_empty();
        if fresh {
            self.begin(f, rounds)?;
        }
        while self.rounds < rounds {
            self.round(f)?;
        }
        if fresh {
            self.relate_pairs(f);
        }
        self.settle_sources(f);
        let last = |rows: &[Vec<Term>]| rows.iter().filter_map(|row| row.last().copied()).collect();
        Ok(Run {
            passed: self.passed.iter().map(|rows| last(rows)).collect(),
            content: self.memory.clone(),
            arrived: (0..f.threads()).map(|thread| self.arrivals.last(thread)).collect(),
            late: self.late.clone(),
            within: Vec::new(),
            full: None,
            timeline: self.timeline(f),
        })
    }

    fn enough(&self, f: &Formula<'_, M>) -> u32 {
        let points = f.bounded.threads.iter().map(|thread| thread.points);
        let (all, most) = (points.clone().sum::<u32>(), points.max().unwrap_or(0));
        // Stores that wait may each need a turn of their own to reach memory.
        let stores: usize = f.stores.iter().map(|stores| stores.all.len()).sum();
        (2 * (all - most) + 1).min(all).max(1) + stores as u32
    }

    fn switches(&self, f: &mut Formula<'_, M>) -> Option<Switches> {
        let moves = self.moves(f);
        let all = 0..f.threads();
        Some(Switches {
            preempted: all.clone().map(|thread| self.preempted(f, thread, &moves)).collect(),
            stands: all.clone().map(|thread| self.stands(thread)).collect(),
            idle: all.clone().map(|thread| self.idle(f, thread, &moves)).collect(),
            delayed: all.map(|thread| self.delayed(f, thread)).collect(),
        })
    }
}
