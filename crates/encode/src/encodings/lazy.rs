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
//! 3. The clock of the timestamps is the round: a store that waits reaches memory at
//!    the start of a later turn of its own thread, or at once. A flush in the middle
//!    of a turn is a turn that ends there and goes on in the next round. So there
//!    are no bounds on clock or queues beside the rounds.
//! 4. Cells that one thread alone writes are read without rounds (`sources`).
//!
//! Size: with T threads, R rounds, P points, r reads and w writes of c targets and b
//! bits, O(R · (P + b · c · (r + w))) gates, and for buffered stores R more truths
//! each; linear in each of them.

use heddle_sat::{Relation, Term};
use heddle_semantics::{FenceRule, MemoryModel, StoreRule, ViolationKind};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::bounded::{Action, Bounded, Goal, ThreadCode, Wait};
use crate::encodings::queues::Waiting;
use crate::encodings::sources::Sources;
use crate::symbolic::Symbolic;
use crate::unfold::facts::Cell;
use crate::unfold::objects::Objects;
use crate::watch::{Stop, Watch};

/// What the formula has to say.
pub struct Encoding {
    /// Hold in every run within the bounds.
    pub constraints: Vec<Constraint>,
    /// Some property is violated.
    pub violation: Term,
    /// Constraints keep a run from going on.
    pub held: Term,
    /// Some run comes to where a loop was cut at the bound.
    pub cut: Term,
    /// The same for loops that were followed further; the least number of turns.
    pub far: Term,
    pub far_turns: u32,
    /// Some run comes to something without a model.
    pub unsupported: Vec<(Term, String, heddle_ir::Span)>,
    /// Some run is complete; `None` if there is nothing that could keep all from it.
    pub complete: Option<Term>,
    /// Some store may have met one of other bytes that overlap its own.
    pub mixed: bool,
    pub plan: Plan,
}

/// What holds in every run.
pub enum Constraint {
    /// At least one of these.
    Any(SmallVec<[Term; 3]>),
    /// The two are equal if `when` holds.
    Equal { when: Term, a: Term, b: Term },
}

/// When things happen, to read a run out of a model.
pub struct Plan {
    pub rounds: u32,
    /// Thread, point, round: passed by the end of the round.
    pub passed: Vec<Vec<Vec<Term>>>,
    /// Thread, store that may wait (by index of its first event), round: in memory
    /// by the end of the thread's turn.
    pub flushed: Vec<FxHashMap<u32, Vec<Term>>>,
}

/// One sequentialisation.
pub struct Lazy<'a, M: MemoryModel> {
    pub bounded: &'a Bounded,
    pub objects: &'a Objects,
    pub symbolic: &'a mut Symbolic,
    pub model: &'a M,
    pub rounds: u32,
    /// Does a violation of this kind count?
    pub counts: &'a dyn Fn(ViolationKind) -> bool,
    pub watch: &'a Watch,
}

pub(crate) struct Encoder<'a, 'b, M: MemoryModel> {
    pub(crate) lazy: &'b mut Lazy<'a, M>,
    pub(crate) constraints: Vec<Constraint>,
    /// Cells that one thread alone writes.
    pub(crate) sources: Sources,
    pub(crate) passed: Vec<Vec<Vec<Term>>>,
    /// For each thread, its stores that may wait, and which one an event belongs to.
    pub(crate) waiting: Vec<Vec<Waiting>>,
    pub(crate) store_of: Vec<FxHashMap<u32, usize>>,
    pub(crate) memory: FxHashMap<Cell, Term>,
    /// Stores that reach memory that is gone.
    late: Vec<Term>,
    /// What a thread has stored to a cell last, and in which rounds it still waits.
    pub(crate) own: Vec<FxHashMap<Cell, (Term, Vec<Term>)>>,
}

impl<M: MemoryModel> Lazy<'_, M> {
    pub fn encode(&mut self) -> Result<Encoding, Stop> {
        let threads = self.bounded.threads.len();
        let memory = self.bounded.initial.clone();
        let mut encoder = Encoder {
            lazy: self,
            constraints: Vec::new(),
            sources: Sources::default(),
            passed: Vec::new(),
            waiting: Vec::new(),
            store_of: Vec::new(),
            memory,
            late: Vec::new(),
            own: vec![FxHashMap::default(); threads],
        };
        encoder.schedule()?;
        encoder.queues()?;
        encoder.find_sources();
        encoder.turns()?;
        encoder.relate_pairs();
        encoder.settle_sources();
        Ok(encoder.finish())
    }
}

impl<M: MemoryModel> Encoder<'_, '_, M> {
    pub(crate) fn rounds(&self) -> usize {
        self.lazy.rounds as usize
    }

    pub(crate) fn thread(&self, at: usize) -> &'_ ThreadCode {
        &self.lazy.bounded.threads[at]
    }

    /// At least one of these holds.
    pub(crate) fn any(&mut self, conditions: &[Term]) {
        self.constraints.push(Constraint::Any(conditions.into()));
    }

    /// `when` implies `then`.
    pub(crate) fn imply(&mut self, when: Term, then: Term) {
        let not = self.lazy.symbolic.terms.not(when);
        self.any(&[not, then]);
    }

    /// `when` implies that two terms are equal.
    pub(crate) fn equal_if(&mut self, when: Term, a: Term, b: Term) {
        let terms = &mut self.lazy.symbolic.terms;
        if terms.as_constant(when) == Some(0) {
            return;
        }
        // Terms with few values are compared by their codes.
        if terms.values(a).is_some() || terms.values(b).is_some() {
            let equal = terms.relate(Relation::Eq, a, b);
            self.imply(when, equal);
        } else if a != b {
            self.constraints.push(Constraint::Equal { when, a, b });
        }
    }

    /// Which points are passed by the end of which round.
    fn schedule(&mut self) -> Result<(), Stop> {
        let rounds = self.rounds();
        for at in 0..self.lazy.bounded.threads.len() {
            let points = self.thread(at).points as usize;
            let mut passed: Vec<Vec<Term>> = Vec::with_capacity(points);
            for point in 0..points {
                self.lazy.watch.ask()?;
                let row: Vec<Term> =
                    (0..rounds).map(|_| self.lazy.symbolic.terms.variable(1)).collect();
                for round in 0..rounds {
                    if round > 0 {
                        self.imply(row[round - 1], row[round]);
                    }
                    if point > 0 {
                        self.imply(row[round], passed[point - 1][round]);
                    }
                }
                passed.push(row);
            }
            self.passed.push(passed);
        }
        Ok(())
    }

    /// Passed in this round.
    fn now(&mut self, thread: usize, point: u32, round: usize) -> Term {
        let row = &self.passed[thread][point as usize];
        let done = row[round];
        match round.checked_sub(1).map(|before| row[before]) {
            None => done,
            Some(before) => {
                let not = self.lazy.symbolic.terms.not(before);
                self.lazy.symbolic.terms.and(done, not)
            }
        }
    }

    /// Passed by the end.
    pub(crate) fn passed_at_all(&mut self, thread: usize, point: Option<u32>) -> Term {
        match point {
            None => self.lazy.symbolic.terms.truth(true),
            Some(point) => self.passed[thread][point as usize][self.rounds() - 1],
        }
    }

    fn turns(&mut self) -> Result<(), Stop> {
        for round in 0..self.rounds() {
            for thread in 0..self.lazy.bounded.threads.len() {
                self.begin_turn(thread, round);
                self.turn(thread, round)?;
            }
        }
        Ok(())
    }

    /// Stores of earlier turns that reach memory now.
    fn begin_turn(&mut self, thread: usize, round: usize) {
        let Some(before) = round.checked_sub(1) else { return };
        for store in 0..self.waiting[thread].len() {
            let waiting = &self.waiting[thread][store];
            let (now, earlier) = (waiting.flushed[round], waiting.flushed[before]);
            let issued = self.passed[thread][waiting.point as usize][before];
            let events = waiting.events.clone();
            let terms = &mut self.lazy.symbolic.terms;
            let still = terms.not(earlier);
            let arrives = terms.and(now, still);
            let arrives = terms.and(arrives, issued);
            for event in events {
                self.apply(thread, event, arrives);
            }
        }
    }

    /// A store takes effect in memory, if `when` holds.
    fn apply(&mut self, thread: usize, event: u32, when: Term) {
        let event = &self.lazy.bounded.threads[thread].events[event as usize];
        let Action::Write { value, .. } = event.action else { return };
        let terms = &mut self.lazy.symbolic.terms;
        let when = terms.and(when, event.guard);
        for &(life, is_it) in &event.lives {
            let Some(&gone) = self.memory.get(&life) else { continue };
            let one = terms.constant(1, 8);
            let gone = terms.equals(gone, one);
            let here = terms.and(when, is_it);
            let bad = terms.and(here, gone);
            self.late.push(bad);
        }
        for &(cell, is_it) in &event.targets {
            if self.sources.contains(cell) {
                continue;
            }
            let here = terms.and(when, is_it);
            let old = self.memory[&cell];
            let new = terms.select(here, value, old);
            self.memory.insert(cell, new);
        }
    }

    /// What the thread sees in a cell in this round.
    fn view(&mut self, thread: usize, cell: Cell, round: usize) -> Term {
        let memory = self.memory[&cell];
        match self.own[thread].get(&cell) {
            None => memory,
            Some((value, waits)) => {
                let (value, waits) = (*value, waits[round]);
                self.lazy.symbolic.terms.select(waits, value, memory)
            }
        }
    }

    fn turn(&mut self, thread: usize, round: usize) -> Result<(), Stop> {
        let bounded = self.lazy.bounded;
        // What the thread itself stored does not depend on the round; it is
        // followed anew in each, as its events are.
        self.own[thread].clear();
        for (index, event) in bounded.threads[thread].events.iter().enumerate() {
            self.lazy.watch.ask()?;
            let now = self.now(thread, event.point, round);
            let acts = self.lazy.symbolic.terms.and(now, event.guard);
            match &event.action {
                Action::Read { value } | Action::Look { value } => {
                    if round == 0 {
                        self.read_sources(thread, index);
                    }
                    for &(cell, is_it) in &event.targets {
                        if self.sources.contains(cell) {
                            continue;
                        }
                        let here = self.lazy.symbolic.terms.and(acts, is_it);
                        let seen = self.view(thread, cell, round);
                        self.equal_if(here, *value, seen);
                    }
                }
                Action::Write { .. } => match self.store_of[thread].get(&(index as u32)).copied() {
                    None => {
                        if self.rule(event) == Some(StoreRule::Drain) {
                            self.drain(thread, index, acts, round);
                        }
                        self.apply(thread, index as u32, now);
                    }
                    Some(store) => {
                        let flushed = self.waiting[thread][store].flushed[round];
                        if let Some(mixed) = self.waiting[thread][store].mixed {
                            let at_once = self.lazy.symbolic.terms.and(acts, mixed);
                            self.drain(thread, index, at_once, round);
                            self.imply(at_once, flushed);
                        }
                        let at_once = self.lazy.symbolic.terms.and(now, flushed);
                        self.apply(thread, index as u32, at_once);
                        self.keep(thread, event, store);
                    }
                },
                Action::Drain => self.drain(thread, index, acts, round),
                Action::Clear => self.clear(thread, index, acts, round),
                Action::Fence { order } => {
                    if self.lazy.model.fence(*order) == FenceRule::Drain {
                        self.drain(thread, index, acts, round);
                    }
                }
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Encoding {
        let mut violations = Vec::new();
        let (mut cuts, mut far) = (Vec::new(), Vec::new());
        let mut far_turns = u32::MAX;
        let mut unsupported = Vec::new();
        let bounded = self.lazy.bounded;
        for (at, thread) in bounded.threads.iter().enumerate() {
            for wait in &thread.waits {
                self.wait(at, wait);
            }
            for require in &thread.requires {
                let passed = self.passed_at_all(at, Some(require.point));
                self.imply(passed, require.condition);
            }
            for check in &thread.checks {
                let passed = self.passed_at_all(at, check.point);
                let reached = self.lazy.symbolic.terms.and(passed, check.condition);
                match &check.goal {
                    Goal::Violation(kind) if (self.lazy.counts)(*kind) => violations.push(reached),
                    // The process ends there, checked or not.
                    Goal::Violation(ViolationKind::Abort) => {}
                    Goal::Violation(kind) => {
                        let what = format!("{kind} was not to be checked; what follows");
                        unsupported.push((reached, what, check.span));
                    }
                    Goal::Unwind(turns) if *turns <= bounded.unwind => cuts.push(reached),
                    Goal::Unwind(turns) => {
                        far.push(reached);
                        far_turns = far_turns.min(*turns);
                    }
                    Goal::Unsupported(what) => {
                        unsupported.push((reached, what.clone(), check.span));
                    }
                }
            }
        }
        if (self.lazy.counts)(ViolationKind::UseAfterFree) {
            violations.append(&mut self.late);
        }
        let mut held = self.lazy.symbolic.terms.truth(false);
        let mut complete = self.exited();
        let deadlocks = (self.lazy.counts)(ViolationKind::Deadlock);
        if deadlocks || complete.is_some() {
            let stopped: Vec<Term> = cuts
                .iter()
                .chain(&far)
                .chain(unsupported.iter().map(|(reached, ..)| reached))
                .chain(&violations)
                .copied()
                .collect();
            let still = self.stillness(&stopped);
            complete = complete.map(|exited| self.lazy.symbolic.terms.or(exited, still.any));
            if deadlocks {
                violations.push(still.deadlock);
                held = still.held;
            }
        }
        let terms = &mut self.lazy.symbolic.terms;
        Encoding {
            violation: terms.or_all(&violations),
            held,
            cut: terms.or_all(&cuts),
            far: terms.or_all(&far),
            far_turns,
            unsupported,
            complete,
            constraints: self.constraints,
            mixed: self.waiting.iter().flatten().any(|store| store.mixed.is_some()),
            plan: Plan {
                rounds: self.lazy.rounds,
                passed: self.passed,
                flushed: self
                    .waiting
                    .into_iter()
                    .map(|stores| {
                        stores.into_iter().map(|store| (store.events[0], store.flushed)).collect()
                    })
                    .collect(),
            },
        }
    }

    /// The process has ended; asked for only if assumptions can keep it from that.
    fn exited(&mut self) -> Option<Term> {
        let bounded = self.lazy.bounded;
        if bounded.threads.iter().all(|thread| thread.drops.is_empty()) {
            return None;
        }
        let mut exited = Vec::new();
        for (at, thread) in bounded.threads.iter().enumerate() {
            for &(point, guard) in &thread.exits {
                let passed = self.passed_at_all(at, point);
                exited.push(self.lazy.symbolic.terms.and(passed, guard));
            }
        }
        Some(self.lazy.symbolic.terms.or_all(&exited))
    }

    /// A point with a wait is passed only when the wait is over.
    fn wait(&mut self, thread: usize, wait: &Wait) {
        let passed = self.passed_at_all(thread, Some(wait.point));
        let when = self.lazy.symbolic.terms.and(passed, wait.guard);
        for test in &wait.tests {
            let holds = test.holds(self.lazy.symbolic, test.value);
            self.imply(when, holds);
        }
    }
}
