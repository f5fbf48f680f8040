//! One execution of a program, and the order of its events.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use heddle_constraint::{Edge, Event, Thread, Trace};
use heddle_machine::{Config, End, Machine, Pending, SetupError};
use heddle_memory::Sc;
use heddle_semantics::{Choice, Schedule as Choices, ThreadId, Violation, conflict};

use crate::Subject;

/// Longer executions are given up.
const MOST_STEPS: usize = 20_000;

/// A complete execution: its threads, and its events with what must stay of their order.
#[derive(Clone, Debug)]
pub struct Run {
    pub threads: Vec<Thread>,
    pub trace: Trace,
    /// All edges, in the order of the execution.
    pub edges: Vec<Edge>,
    /// How many events each thread passes.
    pub events: Vec<u32>,
    /// It has read inputs.
    pub reads: bool,
}

/// How an execution ended.
pub enum Ended {
    Complete(Run),
    Violation(Violation),
    /// It is not one that counts.
    Other(String),
    /// It can't be followed to its end.
    TooLong,
}

/// A machine with the events of a native run.
pub(crate) fn machine<'p>(
    subject: &Subject<'p>,
    choices: &Choices,
) -> Result<Machine<'p, Sc>, SetupError> {
    let unwritten = Arc::new(choices.unwritten.iter().copied().collect());
    let config = Config { sites: Some(subject.sites.clone()), unwritten, ..Config::default() };
    Machine::new(subject.program, subject.entry, config, Sc)
}

/// Executes a program to its end; `next` picks the thread among those that can step,
/// `input` the value of an input. Tells whether there was one.
pub(crate) fn execute(
    subject: &Subject<'_>,
    interrupt: &AtomicBool,
    mut next: impl FnMut(&[ThreadId], Option<ThreadId>) -> ThreadId,
    mut input: impl FnMut() -> u64,
) -> Result<(Ended, bool), SetupError> {
    let mut recorder = Recorder::new(subject, &Choices::default())?;
    let mut last = None;
    for _ in 0..MOST_STEPS {
        if interrupt.load(Ordering::Relaxed) {
            break;
        }
        let machine = &recorder.machine;
        let all = (0..machine.thread_count() as u32).map(ThreadId);
        let enabled: Vec<ThreadId> = all.filter(|&thread| machine.enabled(thread)).collect();
        if enabled.is_empty() {
            let reads = recorder.run.reads;
            return Ok((recorder.end(), reads));
        }
        let thread = next(&enabled, last);
        let choice = match machine.pending(thread) {
            Some(Pending::Input(kind)) => Choice::Input(thread, mask(input(), kind.width)),
            _ => Choice::Step(thread),
        };
        last = Some(thread);
        if let Some(violation) = recorder.step(choice) {
            return Ok((Ended::Violation(violation), recorder.run.reads));
        }
    }
    Ok((Ended::TooLong, recorder.run.reads))
}

fn mask(value: u64, width: u32) -> u64 {
    value & (u64::MAX >> (64 - width.clamp(1, 64)))
}

/// Executes a recorded schedule to its end.
pub(crate) fn repeat(subject: &Subject<'_>, choices: &Choices) -> Result<Ended, SetupError> {
    let mut recorder = Recorder::new(subject, choices)?;
    for &choice in &choices.choices {
        if !recorder.machine.enabled(choice.thread()) {
            return Ok(Ended::Other("a schedule that does not fit".to_string()));
        }
        if let Some(violation) = recorder.step(choice) {
            return Ok(Ended::Violation(violation));
        }
    }
    Ok(recorder.end())
}

/// Follows an execution and finds the order that must stay.
struct Recorder<'p> {
    machine: Machine<'p, Sc>,
    steps: Vec<Step>,
    /// What has happened before each thread's next step, by events of each thread.
    clocks: Vec<Vec<u32>>,
    run: Run,
}

/// A step of the execution: its last event, and how many events of each thread happen
/// before its end.
struct Step {
    last: Event,
    event: heddle_semantics::Event,
    clock: Vec<u32>,
}

impl<'p> Recorder<'p> {
    fn new(subject: &Subject<'p>, choices: &Choices) -> Result<Self, SetupError> {
        let mut machine = machine(subject, choices)?;
        machine.intern_threads(&choices.threads);
        let run = Run {
            threads: Vec::new(),
            trace: Trace::new(),
            edges: Vec::new(),
            events: Vec::new(),
            reads: false,
        };
        Ok(Recorder { machine, steps: Vec::new(), clocks: Vec::new(), run })
    }

    fn step(&mut self, choice: Choice) -> Option<Violation> {
        let thread = choice.thread();
        let before = self.machine.events(thread);
        self.run.reads |= matches!(choice, Choice::Input(..));
        self.machine.step(choice);
        let event = self.machine.last_event().clone();
        let after = self.machine.events(thread);
        self.note_events(thread, before, after);
        self.note_order(event, before, after);
        self.machine.take_violations().into_iter().next()
    }

    fn note_events(&mut self, thread: ThreadId, before: u32, after: u32) {
        for index in before..after {
            self.run.trace.add_event(Event::new(thread.0, index));
        }
    }

    /// Edges from earlier steps that conflict and are not known to come before.
    fn note_order(&mut self, event: heddle_semantics::Event, before: u32, after: u32) {
        let count = self.machine.thread_count();
        self.clocks.resize(count.max(self.clocks.len()), Vec::new());
        let me = event.thread;
        let mut clock = self.clocks[me.index()].clone();
        clock.resize(count, 0);
        if let Some(target) = event.joined {
            join(&mut clock, &self.clocks[target.index()]);
        }
        let first = Event::new(me.0, before);
        for earlier in self.steps.iter().rev() {
            let theirs = earlier.last.thread as usize;
            if theirs == me.index() || clock[theirs] > earlier.last.index {
                continue;
            }
            if conflict(&earlier.event.footprint, &event.footprint) {
                self.run.edges.push(Edge::new(earlier.last, first));
                join(&mut clock, &earlier.clock);
            }
        }
        if after == before {
            return;
        }
        clock[me.index()] = after;
        for child in &event.created {
            self.clocks[child.index()] = clock.clone();
        }
        self.clocks[me.index()].clone_from(&clock);
        self.steps.push(Step { last: Event::new(me.0, after - 1), event, clock });
    }

    fn end(mut self) -> Ended {
        match self.machine.end() {
            End::Complete => {}
            End::Deadlock(violation) => return Ended::Violation(*violation),
            End::Blocked => return Ended::Other("an execution that does not count".to_string()),
            End::Cut if self.machine.undecided().is_some() => {
                let what = "an execution that depends on a variable that was never written";
                return Ended::Other(what.to_string());
            }
            End::Cut => {
                let unsupported = self.machine.unsupported();
                let what = unsupported.map_or("a bound", |unsupported| &unsupported.what);
                return Ended::Other(format!("an execution that was cut: {what}"));
            }
        }
        let paths = self.machine.thread_paths();
        self.run.threads =
            paths.iter().map(|path| Thread { parent: path.parent.0, nth: path.nth }).collect();
        let all = 0..=self.run.threads.len() as u32;
        self.run.events = all.map(|thread| self.machine.events(ThreadId(thread))).collect();
        for &edge in &self.run.edges {
            self.run.trace.add_edge(edge);
        }
        Ended::Complete(self.run)
    }
}

fn join(clock: &mut Vec<u32>, other: &[u32]) {
    clock.resize(clock.len().max(other.len()), 0);
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}
