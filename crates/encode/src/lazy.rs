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
//!
//! Size: with T threads, R rounds, P points, r reads and w writes of c targets and b
//! bits, O(R · (P + b · c · (r + w))) gates, and for buffered stores R more truths
//! each; linear in each of them.

use heddle_sat::{Relation, Term};
use heddle_semantics::{FenceRule, MemoryModel, StoreRule, ViolationKind};
use rustc_hash::FxHashMap;

use crate::bounded::{Action, Bounded, Event, Goal, ThreadCode, Wait};
use crate::facts::Cell;
use crate::objects::Objects;
use crate::symbolic::Symbolic;

/// What the formula has to say.
pub struct Encoding {
    /// Hold in every run within the bounds.
    pub constraints: Vec<Term>,
    /// Some property is violated.
    pub violation: Term,
    /// Some run comes to where a loop was cut.
    pub cut: Term,
    /// Some run comes to something without a model.
    pub unsupported: Vec<(Term, String, heddle_ir::Span)>,
    pub plan: Plan,
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
}

/// A store of a thread that may wait.
struct Waiting {
    events: Vec<u32>,
    point: u32,
    /// Must it stay behind all earlier stores?
    ordered: bool,
    flushed: Vec<Term>,
}

struct Encoder<'a, 'b, M: MemoryModel> {
    lazy: &'b mut Lazy<'a, M>,
    constraints: Vec<Term>,
    passed: Vec<Vec<Vec<Term>>>,
    /// For each thread, its stores that may wait, and which one an event belongs to.
    waiting: Vec<Vec<Waiting>>,
    store_of: Vec<FxHashMap<u32, usize>>,
    memory: FxHashMap<Cell, Term>,
    /// Stores that reach memory that is gone.
    late: Vec<Term>,
    /// What a thread has stored to a cell last, and in which rounds it still waits.
    own: Vec<FxHashMap<Cell, (Term, Vec<Term>)>>,
}

impl<M: MemoryModel> Lazy<'_, M> {
    pub fn encode(&mut self) -> Encoding {
        let threads = self.bounded.threads.len();
        let memory = self.bounded.initial.clone();
        let mut encoder = Encoder {
            lazy: self,
            constraints: Vec::new(),
            passed: Vec::new(),
            waiting: Vec::new(),
            store_of: Vec::new(),
            memory,
            late: Vec::new(),
            own: vec![FxHashMap::default(); threads],
        };
        encoder.schedule();
        encoder.queues();
        encoder.turns();
        encoder.finish()
    }
}

impl<M: MemoryModel> Encoder<'_, '_, M> {
    fn rounds(&self) -> usize {
        self.lazy.rounds as usize
    }

    fn thread(&self, at: usize) -> &'_ ThreadCode {
        &self.lazy.bounded.threads[at]
    }

    fn require(&mut self, condition: Term) {
        self.constraints.push(condition);
    }

    /// `when` implies `then`.
    fn imply(&mut self, when: Term, then: Term) {
        let condition = self.lazy.symbolic.terms.implies(when, then);
        self.require(condition);
    }

    /// Which points are passed by the end of which round.
    fn schedule(&mut self) {
        let rounds = self.rounds();
        for at in 0..self.lazy.bounded.threads.len() {
            let points = self.thread(at).points as usize;
            let mut passed: Vec<Vec<Term>> = Vec::with_capacity(points);
            for point in 0..points {
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
    fn passed_at_all(&mut self, thread: usize, point: Option<u32>) -> Term {
        match point {
            None => self.lazy.symbolic.terms.truth(true),
            Some(point) => self.passed[thread][point as usize][self.rounds() - 1],
        }
    }

    /// What becomes of a store.
    fn rule(&self, event: &Event) -> Option<StoreRule> {
        match event.action {
            Action::Write { direct: true, .. } => Some(StoreRule::Direct),
            Action::Write { order, .. } => Some(self.lazy.model.store(order)),
            _ => None,
        }
    }

    /// Stores that may wait, and the order in which they reach memory.
    fn queues(&mut self) {
        let rounds = self.rounds();
        for at in 0..self.lazy.bounded.threads.len() {
            self.waiting.push(Vec::new());
            self.store_of.push(FxHashMap::default());
            if !self.lazy.model.buffers() {
                continue;
            }
            let thread = &self.lazy.bounded.threads[at];
            // Guards of fences that order stores, with the stores before them.
            let mut fences: Vec<(Term, usize)> = Vec::new();
            let mut last_point = None;
            for (index, event) in thread.events.iter().enumerate() {
                if let Action::Fence { order } = event.action
                    && self.lazy.model.fence(order) == FenceRule::Order
                {
                    fences.push((event.guard, self.waiting[at].len()));
                }
                let Some(StoreRule::Buffer { ordered }) = self.rule(event) else { continue };
                // The parts of one store go together.
                if last_point == Some(event.point) {
                    let store = self.waiting[at].len() - 1;
                    self.waiting[at][store].events.push(index as u32);
                    self.store_of[at].insert(index as u32, store);
                    continue;
                }
                last_point = Some(event.point);
                let flushed: Vec<Term> =
                    (0..rounds).map(|_| self.lazy.symbolic.terms.variable(1)).collect();
                for round in 0..rounds {
                    if round > 0 {
                        self.imply(flushed[round - 1], flushed[round]);
                    }
                    let issued = self.passed[at][event.point as usize][round];
                    self.imply(flushed[round], issued);
                }
                let store = self.waiting[at].len();
                self.store_of[at].insert(index as u32, store);
                self.waiting[at].push(Waiting {
                    events: vec![index as u32],
                    point: event.point,
                    ordered,
                    flushed,
                });
                self.order_store(at, store, &fences);
            }
        }
    }

    /// Earlier stores that must reach memory before this one does.
    fn order_store(&mut self, at: usize, store: usize, fences: &[(Term, usize)]) {
        let thread = &self.lazy.bounded.threads[at];
        let queues = |this: &Self, waiting: &Waiting| -> Vec<(u64, u32)> {
            let events = waiting.events.iter().map(|&event| &thread.events[event as usize]);
            events
                .flat_map(|event| event.targets.iter().chain(&event.lives))
                .map(|&(cell, _)| {
                    let addr =
                        this.lazy.objects.base(cell.object).wrapping_add(u64::from(cell.offset));
                    this.lazy.model.queue(addr, 1)
                })
                .collect()
        };
        let mine = queues(self, &self.waiting[at][store]);
        for earlier in 0..store {
            let before = &self.waiting[at][earlier];
            let theirs = queues(self, before);
            let meets = mine.iter().any(|queue| theirs.contains(queue));
            let single = |queues: &[(u64, u32)]| queues.iter().all(|queue| *queue == queues[0]);
            let mut when: Option<Term> = None;
            let mut always = self.waiting[at][store].ordered;
            if meets && single(&mine) && single(&theirs) {
                always = true;
            } else if meets {
                when = Some(self.same_target(at, earlier, store));
            }
            for &(guard, count) in fences {
                if earlier < count {
                    when = Some(match when {
                        None => guard,
                        Some(other) => self.lazy.symbolic.terms.or(other, guard),
                    });
                }
            }
            for round in 0..self.rounds() {
                let later = self.waiting[at][store].flushed[round];
                let first = self.waiting[at][earlier].flushed[round];
                match (always, when) {
                    (true, _) => self.imply(later, first),
                    (false, Some(when)) => {
                        let both = self.lazy.symbolic.terms.and(later, when);
                        self.imply(both, first);
                    }
                    (false, None) => {}
                }
            }
        }
    }

    /// Do two stores go to the same cell?
    fn same_target(&mut self, at: usize, a: usize, b: usize) -> Term {
        let thread = &self.lazy.bounded.threads[at];
        let targets = |this: &Self, store: usize| -> Vec<(Cell, Term)> {
            let events = this.waiting[at][store].events.iter();
            events.flat_map(|&event| thread.events[event as usize].targets.clone()).collect()
        };
        let (first, second) = (targets(self, a), targets(self, b));
        let mut same = self.lazy.symbolic.terms.truth(false);
        for (cell, when) in first {
            for &(other, also) in &second {
                if cell == other {
                    let both = self.lazy.symbolic.terms.and(when, also);
                    same = self.lazy.symbolic.terms.or(same, both);
                }
            }
        }
        same
    }

    fn turns(&mut self) {
        for round in 0..self.rounds() {
            for thread in 0..self.lazy.bounded.threads.len() {
                self.begin_turn(thread, round);
                self.turn(thread, round);
            }
        }
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

    fn turn(&mut self, thread: usize, round: usize) {
        let bounded = self.lazy.bounded;
        // What the thread itself stored does not depend on the round; it is
        // followed anew in each, as its events are.
        self.own[thread].clear();
        for (index, event) in bounded.threads[thread].events.iter().enumerate() {
            let now = self.now(thread, event.point, round);
            let acts = self.lazy.symbolic.terms.and(now, event.guard);
            match &event.action {
                Action::Read { value } => {
                    for &(cell, is_it) in &event.targets {
                        let here = self.lazy.symbolic.terms.and(acts, is_it);
                        let seen = self.view(thread, cell, round);
                        let equal = self.lazy.symbolic.terms.relate(Relation::Eq, *value, seen);
                        self.imply(here, equal);
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
                        let at_once = self.lazy.symbolic.terms.and(now, flushed);
                        self.apply(thread, index as u32, at_once);
                        self.keep(thread, event, store);
                    }
                },
                Action::Drain => self.drain(thread, index, acts, round),
                Action::Fence { order } => {
                    if self.lazy.model.fence(*order) == FenceRule::Drain {
                        self.drain(thread, index, acts, round);
                    }
                }
            }
        }
    }

    /// The thread's own newest store to the cells of an event.
    fn keep(&mut self, thread: usize, event: &Event, store: usize) {
        let Action::Write { value, .. } = event.action else { return };
        let rounds = self.rounds();
        let flushed = self.waiting[thread][store].flushed.clone();
        for &(cell, is_it) in &event.targets {
            let terms = &mut self.lazy.symbolic.terms;
            let here = terms.and(event.guard, is_it);
            let none = terms.truth(false);
            let (old, waits) = match self.own[thread].remove(&cell) {
                Some(known) => known,
                None => (value, vec![none; rounds]),
            };
            let newest = terms.select(here, value, old);
            let waits = (0..rounds)
                .map(|round| {
                    let waits_now = terms.not(flushed[round]);
                    terms.select(here, waits_now, waits[round])
                })
                .collect();
            self.own[thread].insert(cell, (newest, waits));
        }
    }

    /// All stores before the event are in memory when it acts.
    fn drain(&mut self, thread: usize, index: usize, acts: Term, round: usize) {
        let stores = self.waiting[thread].iter();
        let before: Vec<Term> = stores
            .take_while(|store| (store.events[0] as usize) < index)
            .map(|store| store.flushed[round])
            .collect();
        for flushed in before {
            self.imply(acts, flushed);
        }
    }

    fn finish(mut self) -> Encoding {
        let mut violations = Vec::new();
        let mut cuts = Vec::new();
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
                    Goal::Violation(kind) => {
                        let what = format!("{kind} was not to be checked; what follows");
                        unsupported.push((reached, what, check.span));
                    }
                    Goal::Unwind => cuts.push(reached),
                    Goal::Unsupported(what) => {
                        unsupported.push((reached, what.clone(), check.span));
                    }
                }
            }
        }
        if (self.lazy.counts)(ViolationKind::UseAfterFree) {
            violations.append(&mut self.late);
        }
        if (self.lazy.counts)(ViolationKind::Deadlock) {
            let stopped: Vec<Term> = cuts
                .iter()
                .chain(unsupported.iter().map(|(reached, ..)| reached))
                .chain(&violations)
                .copied()
                .collect();
            let deadlock = self.deadlock(&stopped);
            violations.push(deadlock);
        }
        let terms = &mut self.lazy.symbolic.terms;
        Encoding {
            violation: terms.or_all(&violations),
            cut: terms.or_all(&cuts),
            unsupported,
            constraints: self.constraints,
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

    /// A point with a wait is passed only when the wait is over.
    fn wait(&mut self, thread: usize, wait: &Wait) {
        let passed = self.passed_at_all(thread, Some(wait.point));
        let when = self.lazy.symbolic.terms.and(passed, wait.guard);
        for test in &wait.tests {
            let holds = test.holds(self.lazy.symbolic, test.value);
            self.imply(when, holds);
        }
    }

    /// Nobody can move, and somebody waits, after the last round.
    fn deadlock(&mut self, stopped: &[Term]) -> Term {
        let bounded = self.lazy.bounded;
        let mut all = Vec::new();
        let mut some = Vec::new();
        for &reached in stopped {
            let not = self.lazy.symbolic.terms.not(reached);
            all.push(not);
        }
        for (at, thread) in bounded.threads.iter().enumerate() {
            let stands = self.standing(at, thread);
            let mut still = Vec::new();
            for wait in &thread.waits {
                let blocked = self.blocked(at, wait, &stands);
                still.push(blocked);
                // A thread that was never created waits for nobody.
                if !(at > 0 && wait.point == 0) {
                    some.push(blocked);
                }
            }
            for spin in &thread.spins {
                let passed = self.passed_at_all(at, spin.point);
                let here = self.lazy.symbolic.terms.and(passed, spin.guard);
                if !spin.looked {
                    // It loops for ever; that lets nobody go on.
                    still.push(here);
                    continue;
                }
                let vain = self.in_vain(at, spin.reads.clone());
                let stuck = self.lazy.symbolic.terms.and(here, vain);
                still.push(stuck);
                some.push(stuck);
            }
            for &(point, guard) in &thread.ends {
                let passed = self.passed_at_all(at, point);
                still.push(self.lazy.symbolic.terms.and(passed, guard));
            }
            for &(point, guard) in thread.exits.iter().chain(&thread.drops) {
                let passed = self.passed_at_all(at, point);
                let reached = self.lazy.symbolic.terms.and(passed, guard);
                all.push(self.lazy.symbolic.terms.not(reached));
            }
            all.push(self.lazy.symbolic.terms.or_all(&still));
            self.all_flushed(at, &mut all);
        }
        let terms = &mut self.lazy.symbolic.terms;
        let anybody = terms.or_all(&some);
        all.push(anybody);
        terms.and_all(&all)
    }

    fn all_flushed(&mut self, thread: usize, all: &mut Vec<Term>) {
        let last = self.rounds() - 1;
        for store in &self.waiting[thread] {
            let events = &self.lazy.bounded.threads[thread].events;
            let issued = self.passed[thread][store.point as usize][last];
            let guard = events[store.events[0] as usize].guard;
            let terms = &mut self.lazy.symbolic.terms;
            let issued = terms.and(issued, guard);
            all.push(terms.implies(issued, store.flushed[last]));
        }
    }

    /// For each point: everything before it that was to be passed was passed.
    fn standing(&mut self, at: usize, thread: &ThreadCode) -> Vec<Term> {
        let last = self.rounds() - 1;
        let mut active: Vec<Vec<Term>> = vec![Vec::new(); thread.points as usize];
        for event in &thread.events {
            active[event.point as usize].push(event.guard);
        }
        for wait in &thread.waits {
            active[wait.point as usize].push(wait.guard);
        }
        let terms = &mut self.lazy.symbolic.terms;
        let mut so_far = terms.truth(true);
        let mut stands = Vec::with_capacity(active.len());
        for (point, guards) in active.iter().enumerate() {
            stands.push(so_far);
            let wanted = terms.or_all(guards);
            let fine = terms.implies(wanted, self.passed[at][point][last]);
            so_far = terms.and(so_far, fine);
        }
        stands
    }

    fn blocked(&mut self, thread: usize, wait: &Wait, stands: &[Term]) -> Term {
        let last = self.rounds() - 1;
        let passed = self.passed[thread][wait.point as usize][last];
        let mut open = self.lazy.symbolic.terms.truth(true);
        for test in &wait.tests {
            if test.targets.is_empty() {
                let holds = test.holds(self.lazy.symbolic, test.value);
                open = self.lazy.symbolic.terms.and(open, holds);
            }
            for &(cell, is_it) in &test.targets {
                let now = match self.memory.get(&cell) {
                    Some(&now) => now,
                    // Nobody else uses it, so it is as it was.
                    None => test.value,
                };
                let holds = test.holds(self.lazy.symbolic, now);
                let here = self.lazy.symbolic.terms.implies(is_it, holds);
                open = self.lazy.symbolic.terms.and(open, here);
            }
        }
        let terms = &mut self.lazy.symbolic.terms;
        let (not_passed, closed) = (terms.not(passed), terms.not(open));
        let at = terms.and(stands[wait.point as usize], wait.guard);
        let waits = terms.and(not_passed, closed);
        terms.and(at, waits)
    }

    /// What was read in a waiting loop is still so.
    fn in_vain(&mut self, thread: usize, reads: std::ops::Range<u32>) -> Term {
        let events = &self.lazy.bounded.threads[thread].events;
        let mut same = self.lazy.symbolic.terms.truth(true);
        for event in &events[reads.start as usize..reads.end as usize] {
            let Action::Read { value } = event.action else { continue };
            for &(cell, is_it) in &event.targets {
                let terms = &mut self.lazy.symbolic.terms;
                let equal = terms.relate(Relation::Eq, value, self.memory[&cell]);
                let here = terms.and(event.guard, is_it);
                let fine = terms.implies(here, equal);
                same = terms.and(same, fine);
            }
        }
        same
    }
}
