//! Are programs safe under the constraints that are proven to be enough for them?
//!
//! The oracle is a naive enumeration that knows nothing of constraints in the interpreter:
//! it runs the plain program, counts events, and leaves out whatever the constraints
//! forbid. Proofs of the explorer and of the formula are compared with it, for the
//! constraints of some executions that are safe, for some of these, and for those that are
//! left in the end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use heddle_constraint::{ANY_SITE, Condition, Edge, Event, Thread, Trace};
use heddle_explore::Inputs;
use heddle_irs::prover::{Answer, Explorer, Prover};
use heddle_irs::{Ended, Formula, NoTrace, Relaxed, Run, Start, Subject, Way, relax, starts};
use heddle_machine::{Config, End, Machine};
use heddle_memory::Sc;
use heddle_semantics::{Choice, ThreadId, ThreadPath};

use crate::batch::Compiled;
use crate::outcome::{Disagreement, Effort, Limits, Respect};

/// How long first traces and their relaxation may take.
const TIME: Duration = Duration::from_secs(3);
/// Traces that a proof of the explorer may look at, and seconds for the formula, times 64.
const EFFORT: u64 = 20_000;
const FORMULA_EFFORT: u64 = 128;
/// Executions whose constraints are looked at.
const WAYS: [Way; 3] = [Way::OldestFirst, Way::InTurns, Way::Random(7)];
/// Loop iterations of the oracle.
const UNWIND: u32 = 10;

pub fn agrees(test: &Compiled, limits: &Limits) -> Result<Effort, Disagreement> {
    let subject = Subject::new(&test.program, test.entry);
    let mut effort = Effort { skipped: true, ..Effort::default() };
    if subject.has_sections() {
        return Ok(effort);
    }
    for way in WAYS {
        let nobody = AtomicBool::new(false);
        let ended = way.run(&subject, &nobody, 0).expect("a small program");
        if let (Ended::Complete(run), _) = ended {
            let comparison = Comparison { subject: &subject, run: &run, limits };
            effort.skipped &= !comparison.of_trace(&run.trace, &mut effort)?;
        }
    }
    match within(TIME, |interrupt| starts(&subject, interrupt, 1)) {
        Ok(found) => {
            let run = &found[0].run;
            let comparison = Comparison { subject: &subject, run, limits };
            effort.skipped &= !comparison.of_proof(&found[0], &mut effort)?;
        }
        Err(NoTrace::Unknown(_)) => {}
        Err(NoTrace::AllFail(_)) => effort.skipped &= !really_all(&subject, limits)?,
    }
    Ok(effort)
}

/// No execution is said to be safe.
fn really_all(subject: &Subject<'_>, limits: &Limits) -> Result<bool, Disagreement> {
    let nothing = Trace::new();
    match Oracle::new(subject, &[], &nothing, limits.naive).run() {
        Some(seen) if seen.complete > 0 && !seen.unsure => {
            fail("no trace is said to be safe, but one is")
        }
        seen => Ok(seen.is_some()),
    }
}

/// Sets the flag when the time is up.
fn within<T>(time: Duration, work: impl FnOnce(&Arc<AtomicBool>) -> T) -> T {
    let interrupt = Arc::new(AtomicBool::new(false));
    std::thread::scope(|scope| {
        let clock = scope.spawn(|| {
            std::thread::park_timeout(time);
            interrupt.store(true, Ordering::Relaxed);
        });
        let result = work(&interrupt);
        clock.thread().unpark();
        result
    })
}

struct Comparison<'a, 'p> {
    subject: &'a Subject<'p>,
    run: &'a Run,
    limits: &'a Limits,
}

impl Comparison<'_, '_> {
    /// The constraints of an execution that is safe. Tells whether anything was compared.
    fn of_trace(&self, trace: &Trace, effort: &mut Effort) -> Result<bool, Disagreement> {
        let mut compared = false;
        for (at, trace) in self.variants(trace).iter().enumerate() {
            compared |= self.compare(trace, at == 0, effort)?;
        }
        Ok(compared)
    }

    /// Constraints that were proven, and those that are left of them.
    fn of_proof(&self, start: &Start, effort: &mut Effort) -> Result<bool, Disagreement> {
        let relaxed: Relaxed =
            within(TIME, |interrupt| relax(self.subject, start, interrupt, &mut |_| true));
        let mut compared = self.proven(&start.run.trace, "the first trace")?;
        compared |= self.proven(&relaxed.trace, "what is left")?;
        for at in 0..relaxed.trace.constraints().min(3) {
            let trace = without(&|other, _| other == at, &relaxed.trace);
            compared |= self.compare(&trace, false, effort)?;
        }
        Ok(compared)
    }

    /// `own`: they are all constraints of an execution that is safe.
    fn compare(&self, trace: &Trace, own: bool, effort: &mut Effort) -> Result<bool, Disagreement> {
        let Some(seen) = self.oracle(trace) else { return Ok(false) };
        effort.executions[0] += seen.complete;
        let interrupt = Arc::new(AtomicBool::new(false));
        if !self.run.reads {
            let explorer = Explorer { subject: self.subject, interrupt: interrupt.clone() };
            let answer = explorer.prove(&self.run.threads, trace, EFFORT);
            self.judge("explorer", &answer, &seen, trace)?;
            if own && matches!(answer, Answer::Violation(_)) && !seen.unsure {
                return fail("a safe trace fails under its own constraints");
            }
        }
        if self.limits.formula {
            let formula = Formula { subject: self.subject, interrupt };
            let answer = formula.prove(&self.run.threads, trace, FORMULA_EFFORT);
            self.judge("formula", &answer, &seen, trace)?;
            let silent = matches!(answer, Answer::GivenUp { .. } | Answer::Unknown(_));
            effort.formula = (!silent).then_some(true);
        }
        Ok(true)
    }

    fn oracle(&self, trace: &Trace) -> Option<Seen> {
        Oracle::new(self.subject, &self.run.threads, trace, self.limits.naive).run()
    }

    /// Constraints that were proven to be enough.
    fn proven(&self, trace: &Trace, what: &str) -> Result<bool, Disagreement> {
        let Some(seen) = self.oracle(trace) else { return Ok(false) };
        let proven = Answer::Proven { traces: 1, sites: Default::default() };
        self.judge(what, &proven, &seen, trace)?;
        Ok(true)
    }

    /// The last event of each thread before that of the main thread: whoever counts in
    /// another way finds something else there.
    fn late(&self) -> Trace {
        let events = self.run.events.iter().zip(0..);
        let mut last =
            events.filter_map(|(&count, thread)| Some(Event::new(thread, count.checked_sub(1)?)));
        let mut trace = Trace::new();
        if let Some(main) = last.next().filter(|event| event.thread == 0) {
            last.for_each(|event| trace.add_edge(Edge::new(event, main)));
        }
        trace
    }

    /// Some events of each thread before those of the next one: most touch other memory.
    fn crossed(&self) -> Trace {
        let mut trace = Trace::new();
        let pairs = self.run.events.windows(2).zip(1..);
        for (counts, thread) in pairs.filter(|(counts, _)| counts[0].min(counts[1]) > 1) {
            let [before, mine] = [counts[0], counts[1]].map(|count| (count - 1) / 2);
            trace.add_edge(Edge::new(Event::new(thread - 1, before), Event::new(thread, mine)));
        }
        trace
    }

    /// Constraints to look at: all, none, every other one, all but one; and the reverse of
    /// one, which blocks many executions. Also all, and every other one, where both touch
    /// the same memory.
    fn variants(&self, all: &Trace) -> Vec<Trace> {
        let mut variants = vec![all.clone(), without(&|_, _| true, all)];
        variants.push(conditional(all, |_| true));
        variants.push(conditional(all, |at| at % 2 == 0));
        variants.extend([0, 1].map(|odd| without(&|at, _| at % 2 == odd, all)));
        variants.extend((0..all.constraints().min(3)).map(|one| without(&|at, _| at == one, all)));
        variants.extend(all.edges().take(3).map(reversed));
        variants.push(conditional(&self.crossed(), |_| true));
        variants.push(self.late());
        variants.dedup();
        variants
    }

    fn judge(
        &self,
        who: &str,
        answer: &Answer,
        seen: &Seen,
        trace: &Trace,
    ) -> Result<(), Disagreement> {
        let fails = |what: &str| {
            let edges: Vec<String> = trace.edges().map(|edge| format!("{edge}")).collect();
            fail(&format!("{who}: {what} under [{}]", edges.join(", ")))
        };
        if let Answer::Proven { sites, .. } = answer {
            for (event, &site) in seen.sites.iter().filter(|_| !sites.is_empty()) {
                let told = sites.get(event).map(|told| told.site);
                if told != Some(ANY_SITE) && (told.is_none() || told != site) {
                    return fails(&format!("event {event} is said to be another one"));
                }
            }
        }
        match answer {
            Answer::Proven { .. } if seen.violation => fails("proven, but one fails"),
            Answer::Proven { .. } if seen.held => fails("proven, but one is kept from going on"),
            Answer::Violation(_) if !seen.violation && !seen.unsure && !self.run.reads => {
                fails("a violation that the oracle does not know")
            }
            Answer::Unusable(why) if why.contains("going on") => {
                match seen.held || seen.violation || seen.unsure || self.run.reads {
                    true => Ok(()),
                    false => fails("held, but nobody is"),
                }
            }
            Answer::Unknown(why) if why.contains("internal") => fails(why),
            _ => Ok(()),
        }
    }
}

/// The edges for whose number `which` holds count only if both touch the same memory.
fn conditional(from: &Trace, which: impl Fn(usize) -> bool) -> Trace {
    let mut trace = from.clone();
    for (_, edge) in from.edges().enumerate().filter(|&(at, _)| which(at)) {
        trace.remove_edge(edge);
        trace.add_edge(Edge { condition: Some(Condition::SameMemory), ..edge });
    }
    trace
}

/// The other order of two events that a complete execution had in this one.
fn reversed(edge: Edge) -> Trace {
    let mut trace = Trace::new();
    trace.add_edge(Edge::new(edge.second, edge.first));
    trace
}

/// Without the edges that `drop` says, by their number.
fn without(drop: &dyn Fn(usize, Edge) -> bool, from: &Trace) -> Trace {
    let mut trace = from.clone();
    let edges = from.edges().enumerate();
    edges.filter(|&(at, edge)| drop(at, edge)).for_each(|(_, edge)| trace.remove_edge(edge));
    trace
}

fn fail<T>(detail: &str) -> Result<T, Disagreement> {
    Err(Disagreement { respect: Respect::Constraints, detail: detail.to_string() })
}

/// What executions under constraints do.
#[derive(Default)]
struct Seen {
    violation: bool,
    /// Nobody moves any more, and somebody could without constraints.
    held: bool,
    /// Executions to their end without a violation.
    complete: u64,
    /// Some execution was cut, or waits in a loop.
    unsure: bool,
    /// What stands for the instructions of events of the trace; `None` for several.
    sites: BTreeMap<Event, Option<u32>>,
}

struct Oracle<'a, 'p> {
    subject: &'a Subject<'p>,
    machine: Machine<'p, Sc>,
    inputs: Inputs,
    trace: &'a Trace,
    /// Threads that were created, in this order.
    born: Vec<ThreadId>,
    events: Vec<Event>,
    /// Threads and how many events had happened when they ended.
    ends: Vec<(ThreadId, usize)>,
    /// Edges that did not count because their events touch different memory.
    voids: Vec<Edge>,
    seen: Seen,
    transitions: u64,
    most: u64,
    useless: bool,
}

impl<'a, 'p> Oracle<'a, 'p> {
    fn new(subject: &'a Subject<'p>, threads: &[Thread], trace: &'a Trace, most: u64) -> Self {
        let config = Config {
            sites: Some(subject.sites.clone()),
            unwind: Some(UNWIND),
            ..Config::default()
        };
        let paths: Vec<ThreadPath> = threads
            .iter()
            .map(|t| ThreadPath { parent: ThreadId(t.parent), nth: t.nth, queue: false })
            .collect();
        let machine = Machine::with_threads(subject.program, subject.entry, config, Sc, &paths)
            .expect("a small program");
        let born = vec![ThreadId::MAIN];
        Oracle {
            subject,
            machine,
            inputs: Inputs::of(subject.program),
            trace,
            born,
            events: Vec::new(),
            ends: Vec::new(),
            voids: Vec::new(),
            seen: Seen::default(),
            transitions: 0,
            most,
            useless: false,
        }
    }

    /// `None` if it was too much, or nothing can be said.
    fn run(mut self) -> Option<Seen> {
        self.seen.violation |= !self.machine.take_violations().is_empty();
        self.visit();
        (!self.useless && self.transitions <= self.most).then_some(self.seen)
    }

    fn visit(&mut self) {
        if self.transitions > self.most || self.useless {
            return;
        }
        let threads = || (0..self.machine.thread_count() as u32).map(ThreadId);
        let input = threads()
            .find_map(|thread| Some((thread, self.inputs.values(&self.machine, thread)?.0)));
        if let Some((thread, values)) = input {
            for value in values {
                self.take(Choice::Input(thread, value));
            }
            return;
        }
        let enabled: Vec<ThreadId> = threads().filter(|&t| self.machine.enabled(t)).collect();
        let allowed: Vec<ThreadId> = enabled.iter().copied().filter(|&t| self.allows(t)).collect();
        if enabled.is_empty() {
            self.finish();
        }
        self.seen.held |= allowed.is_empty() && !enabled.is_empty();
        for thread in allowed {
            self.take(Choice::Step(thread));
        }
    }

    /// Has everything happened that must come before the next event of the thread?
    fn allows(&self, thread: ThreadId) -> bool {
        let next = Event::new(thread.0, self.machine.events(thread));
        let goes = |edge: Edge| self.is_over(edge.first) || self.is_void(edge, thread);
        self.trace.edges().filter(|edge| edge.second == next).all(goes)
    }

    /// The edge has a condition, and the other thread stands before its event, about to
    /// touch other bytes.
    fn is_void(&self, edge: Edge, thread: ThreadId) -> bool {
        let other = ThreadId(edge.first.thread);
        let bytes = |thread: ThreadId| {
            let place = self.machine.place(thread)?;
            Some((place.addr, place.addr + u64::from(place.len)))
        };
        edge.condition.is_some()
            && other.index() < self.machine.thread_count()
            && self.machine.events(other) == edge.first.index
            && matches!((bytes(other), bytes(thread)), (Some(a), Some(b)) if a.1 <= b.0 || b.1 <= a.0)
    }

    fn is_over(&self, event: Event) -> bool {
        let thread = ThreadId(event.thread);
        let happened = (thread.index() < self.machine.thread_count())
            && self.machine.events(thread) > event.index;
        happened || self.ends.iter().any(|&(ended, _)| ended == thread)
    }

    fn take(&mut self, choice: Choice) {
        let thread = choice.thread();
        let before = (self.born.len(), self.events.len(), self.ends.len(), self.voids.len());
        let first = self.machine.events(thread);
        let next = Event::new(thread.0, first);
        let voids = self.trace.edges().filter(|&edge| {
            edge.second == next && !self.is_over(edge.first) && self.is_void(edge, thread)
        });
        let voids: Vec<Edge> = voids.collect();
        self.voids.extend(voids);
        self.machine.step(choice);
        self.transitions += 1;
        for index in first..self.machine.events(thread) {
            let event = Event::new(thread.0, index);
            // In the middle of a step nobody waits.
            let waits = |edge: Edge| {
                edge.second == event && !self.is_over(edge.first)
                    || edge.first == event && edge.condition.is_some()
            };
            self.useless |= index > first && self.trace.edges().any(waits);
            self.note_site(event);
            self.events.push(event);
        }
        let created = self.machine.last_event().created.to_vec();
        self.born.extend(created);
        let over = |t: &ThreadId| {
            self.machine.pending(*t).is_none() && !self.ends.iter().any(|end| end.0 == *t)
        };
        let ended: Vec<ThreadId> = self.born.iter().copied().filter(over).collect();
        self.ends.extend(ended.into_iter().map(|thread| (thread, self.events.len())));
        self.useless |= self.machine.smuggled()
            || self.machine.undecided().is_some()
            || self.machine.unsupported().is_some();
        if self.machine.take_violations().is_empty() {
            self.visit();
        } else {
            self.seen.violation = true;
        }
        self.machine.undo();
        self.born.truncate(before.0);
        self.events.truncate(before.1);
        self.ends.truncate(before.2);
        self.voids.truncate(before.3);
    }

    fn note_site(&mut self, event: Event) {
        if self.trace.edges().any(|edge| edge.first == event || edge.second == event) {
            let passed = self.machine.passed(ThreadId(event.thread))[event.index as usize];
            let site = self.subject.site_code(passed);
            let known = self.seen.sites.entry(event).or_insert(Some(site));
            *known = known.filter(|&known| known == site);
        }
    }

    fn finish(&mut self) {
        match self.machine.end() {
            End::Complete => {
                self.seen.complete += 1;
                let ended = |thread: u32, at: usize| {
                    self.ends.iter().any(|&(t, when)| t.0 == thread && when <= at)
                };
                // The definition says the same.
                assert!(
                    self.trace.admits(&self.events, |edge| !self.voids.contains(edge), ended),
                    "an execution that keeps its constraints is not admitted"
                );
            }
            End::Blocked | End::Cut => self.seen.unsure = true,
            End::Deadlock(_) => self.seen.violation = true,
        }
    }
}
