//! The schedule of a violation as a total order of events.
//!
//! A search counts only steps on memory that is shared by then; a native run counts
//! events by their instructions. So the run is made twice, side by side: by a machine
//! that counts as the search did, and by one that counts events. Whenever the first has
//! taken a step, the second lets the same threads run until they have come as far. Both
//! execute the same instructions in the same order.

use std::sync::Arc;

use heddle_constraint::{Constrained, Edge, Event, Purpose, Schedule, Thread};
use heddle_machine::{Config, Machine, Pending};
use heddle_memory::Sc;
use heddle_semantics::{Choice, Failure, InputKind, ThreadId, Violation, ViolationKind};

use crate::Subject;

/// Why a violation can't be repeated natively.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayProblem {
    #[error("the program cannot be started: {0}")]
    Setup(String),
    #[error("the schedule does not lead to the violation")]
    Lost,
    #[error("the run depends on the value of a variable that was never written")]
    Uninitialised,
    #[error("{0}")]
    Unsupported(String),
}

type Plain<'p> = Machine<'p, Sc>;

/// The order of all events of a failing run, for a native run to repeat.
pub fn total_order(subject: &Subject<'_>, failure: &Failure) -> Result<Schedule, ReplayProblem> {
    let mut first = None;
    // The schedule counts steps in one of these ways.
    for share_everything in [false, true] {
        match Pair::new(subject, failure, share_everything)?.run() {
            Ok(schedule) => return Ok(schedule),
            Err(problem) => first.get_or_insert(problem),
        };
    }
    Err(first.unwrap_or(ReplayProblem::Lost))
}

struct Pair<'s, 'p> {
    subject: &'s Subject<'p>,
    failure: &'s Failure,
    /// Counts as the search did.
    guide: Plain<'p>,
    /// Counts events.
    counter: Plain<'p>,
    order: Vec<Event>,
    schedule: Schedule,
}

impl<'s, 'p> Pair<'s, 'p> {
    fn new(
        subject: &'s Subject<'p>,
        failure: &'s Failure,
        share_everything: bool,
    ) -> Result<Pair<'s, 'p>, ReplayProblem> {
        let overflow = failure.violation.kind == ViolationKind::SignedOverflow;
        let uninitialised = failure.violation.kind == ViolationKind::Uninitialised;
        let unwritten = Arc::new(failure.schedule.unwritten.iter().copied().collect());
        let both = Config { overflow, uninitialised, unwritten, ..Config::default() };
        let config = Config { share_everything, ..both.clone() };
        let counting = Config { sites: Some(subject.sites.clone()), ..both };
        let threads = &failure.schedule.threads;
        let machine = |config| {
            Machine::with_threads(subject.program, subject.entry, config, Sc, threads)
                .map_err(|error| ReplayProblem::Setup(error.to_string()))
        };
        Ok(Pair {
            subject,
            failure,
            guide: machine(config)?,
            counter: machine(counting)?,
            order: Vec::new(),
            schedule: Schedule::new(subject.hash, Vec::new()),
        })
    }

    fn run(mut self) -> Result<Schedule, ReplayProblem> {
        let mut movers = vec![ThreadId::MAIN];
        movers.extend(&self.guide.last_event().created);
        self.catch_up(&movers)?;
        for &choice in &self.failure.schedule.choices {
            let thread = choice.thread();
            if !self.guide.enabled(thread) || !self.counter.enabled(thread) {
                return Err(self.problem());
            }
            self.guide.step(choice);
            self.take(choice)?;
            movers.clear();
            movers.push(thread);
            movers.extend(&self.guide.last_event().created);
            self.catch_up(&movers)?;
        }
        let expected = &self.failure.violation;
        let same = |found: &Violation| found.kind == expected.kind && found.span == expected.span;
        if !self.counter.take_violations().iter().any(same) {
            return Err(self.problem());
        }
        Ok(self.finish())
    }

    fn problem(&self) -> ReplayProblem {
        match self.counter.unsupported() {
            Some(unsupported) => ReplayProblem::Unsupported(unsupported.what.clone()),
            None => ReplayProblem::Lost,
        }
    }

    /// Lets threads of the counting machine come as far as those of the other.
    fn catch_up(&mut self, threads: &[ThreadId]) -> Result<(), ReplayProblem> {
        for &thread in threads {
            let over = self.guide.pending(thread).is_none();
            let goal = self.guide.progress(thread);
            let behind = |here: (u64, u32)| here < goal || over && here == goal;
            while behind(self.counter.progress(thread)) && self.counter.enabled(thread) {
                self.take(Choice::Step(thread))?;
            }
        }
        Ok(())
    }

    fn take(&mut self, choice: Choice) -> Result<(), ReplayProblem> {
        let thread = choice.thread();
        let pending = self.counter.pending(thread).cloned();
        match (choice, pending) {
            (Choice::Input(_, value), Some(Pending::Input(kind))) => {
                self.note_input(thread, value, kind)?;
            }
            (Choice::Input(..), _) | (_, Some(Pending::Input(_))) => {
                return Err(ReplayProblem::Lost);
            }
            _ => {}
        }
        let before = self.counter.events(thread);
        self.counter.step(choice);
        let passed = self.counter.passed(thread)[before as usize..].iter().copied();
        for (index, event) in (before..).zip(passed) {
            let name = Event::new(thread.0, index);
            let site = self.subject.site_code(event);
            self.schedule.sites.insert(name, Constrained { site });
            self.order.push(name);
        }
        Ok(())
    }

    fn note_input(
        &mut self,
        thread: ThreadId,
        value: u64,
        kind: InputKind,
    ) -> Result<(), ReplayProblem> {
        // A native run gets zero where the compiler keeps the variable in a register, but
        // not where it is in memory.
        if kind.uninitialised {
            return Err(ReplayProblem::Uninitialised);
        }
        let inputs = &mut self.schedule.inputs;
        if inputs.len() <= thread.index() {
            inputs.resize(thread.index() + 1, Vec::new());
        }
        inputs[thread.index()].push(value);
        Ok(())
    }

    fn finish(mut self) -> Schedule {
        let paths = self.counter.thread_paths();
        let threads: Vec<Thread> =
            paths.iter().map(|path| Thread { parent: path.parent.0, nth: path.nth }).collect();
        let count = threads.len() + 1;
        self.schedule.inputs.resize(count, Vec::new());
        let events = |thread: usize| self.counter.events(ThreadId(thread as u32));
        let limits = (0..count).map(events).collect();
        let mut schedule = Schedule {
            threads,
            limits,
            purpose: Purpose::Replay { failing: self.failure.violation.thread.0 },
            ..self.schedule
        };
        for pair in self.order.windows(2) {
            if pair[0].thread != pair[1].thread {
                schedule.trace.add_edge(Edge::new(pair[0], pair[1]));
            }
        }
        schedule.sites.retain(|event, _| schedule.trace.contains(*event));
        schedule
    }
}
