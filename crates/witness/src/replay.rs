//! Runs a schedule in the interpreter, step by step.

use std::sync::Arc;

use heddle_ir::{FuncId, Program};
use heddle_machine::{Config, Machine};
use heddle_memory::{Model, ModelVisitor};
use heddle_semantics::{
    Choice, Event, MemoryModel, Race, Schedule, ThreadId, Violation, ViolationKind, find_race,
    find_races,
};

/// Why a schedule is no evidence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    #[error("the program cannot be started: {0}")]
    Setup(String),
    #[error("step {step} of the schedule cannot be taken: {thread} cannot move")]
    NotEnabled { step: usize, thread: ThreadId },
    #[error("the run fails with {found} after step {step}, before the end of the schedule")]
    TooEarly { step: usize, found: ViolationKind },
    #[error("the run ends without a violation")]
    NoViolation,
    #[error("the run fails with {found} instead of {expected}")]
    OtherViolation { expected: ViolationKind, found: ViolationKind },
    #[error("the run fails at {found} instead of {expected}")]
    OtherPlace { expected: String, found: String },
}

/// A program, where it starts, and what its memory means.
#[derive(Clone, Copy)]
pub struct Subject<'p> {
    pub program: &'p Program,
    pub entry: FuncId,
    pub model: Model,
    /// Instructions after which a thread without a visible step was cut, if not as usual.
    pub max_steps: Option<u64>,
    /// What the search did not look for. A thread ends there, and others go on.
    pub unchecked: &'p [ViolationKind],
}

/// A finished run. The machine stands after its last step.
pub(crate) struct Run<'p, M: MemoryModel> {
    pub machine: Machine<'p, M>,
    /// One for each choice.
    pub events: Vec<Event>,
    pub violation: Violation,
    /// If that is a data race.
    pub race: Option<Race>,
}

/// What the caller wants from a run, whatever the memory model.
pub(crate) trait Visitor {
    type Output;
    fn visit<M: MemoryModel>(self, run: Run<'_, M>) -> Self::Output;
}

/// Follows `schedule` to its end, where it must fail as `expected`. With
/// `share_everything`, every access is a step; a schedule only fits one of the
/// two ways of counting.
pub(crate) fn replay<V: Visitor>(
    subject: Subject<'_>,
    schedule: &Schedule,
    expected: &Violation,
    options: Options,
    visitor: V,
) -> Result<V::Output, ReplayError> {
    subject.model.with(Replay { subject, schedule, expected, options, visitor })
}

struct Replay<'a, V> {
    subject: Subject<'a>,
    schedule: &'a Schedule,
    expected: &'a Violation,
    options: Options,
    visitor: V,
}

impl<V: Visitor> ModelVisitor for Replay<'_, V> {
    type Output = Result<V::Output, ReplayError>;

    fn visit<M: MemoryModel>(self, model: M) -> Self::Output {
        run(self.subject, model, self.schedule, self.expected, self.options)
            .map(|run| self.visitor.visit(run))
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Options {
    pub share_everything: bool,
    /// As searches that keep states have it.
    pub endless_wakeups: bool,
    pub record: bool,
}

fn run<'p, M: MemoryModel>(
    subject: Subject<'p>,
    model: M,
    schedule: &Schedule,
    expected: &Violation,
    options: Options,
) -> Result<Run<'p, M>, ReplayError> {
    let usual = Config::default();
    let config = Config {
        max_steps: subject.max_steps.unwrap_or(usual.max_steps),
        share_everything: options.share_everything,
        endless_wakeups: options.endless_wakeups,
        record: options.record,
        positions: true,
        overflow: expected.kind == ViolationKind::SignedOverflow,
        uninitialised: expected.kind == ViolationKind::Uninitialised,
        unwritten: Arc::new(schedule.unwritten.iter().copied().collect()),
        ..usual
    };
    let threads = &schedule.threads;
    let mut machine = Machine::with_threads(subject.program, subject.entry, config, model, threads)
        .map_err(|error| ReplayError::Setup(error.to_string()))?;
    let mut events = Vec::with_capacity(schedule.choices.len());
    for (step, &choice) in schedule.choices.iter().enumerate() {
        let mut violations = machine.take_violations().into_iter().map(|violation| violation.kind);
        if let Some(found) = violations.find(|kind| !subject.unchecked.contains(kind)) {
            return Err(ReplayError::TooEarly { step, found });
        }
        if !can_take(&machine, choice) {
            return Err(ReplayError::NotEnabled { step, thread: choice.thread() });
        }
        machine.step(choice);
        events.push(machine.last_event().clone());
    }
    let mut violations = machine.take_violations();
    let mut race = None;
    if expected.kind == ViolationKind::DataRace {
        race = expected_race(&events, expected);
        violations.extend(race.map(|race| race.violation(subject.program, &events)));
    }
    if expected.kind == ViolationKind::Leak {
        violations.extend(machine.leak());
    }
    if violations.is_empty() {
        violations.extend(machine.deadlock());
    }
    let violation = pick(subject.program, violations, expected)?;
    Ok(Run { machine, events, violation, race })
}

/// The race that is asked for, if it says with which access; else the first one.
fn expected_race(events: &[Event], expected: &Violation) -> Option<Race> {
    if !expected.other.is_known() {
        return find_race(events);
    }
    let wanted = (expected.other, expected.span);
    let same = |race: &Race| race.spans == wanted;
    find_races(events).into_iter().find(same)
}

fn can_take<M: MemoryModel>(machine: &Machine<'_, M>, choice: Choice) -> bool {
    let thread = choice.thread();
    if thread.index() >= machine.thread_count() || !machine.enabled(thread) {
        return false;
    }
    use heddle_machine::Pending;
    let wants_input = matches!(machine.pending(thread), Some(Pending::Input(_)));
    wants_input == matches!(choice, Choice::Input(..))
}

/// The violation that was expected, among those of the last step.
fn pick(
    program: &Program,
    violations: Vec<Violation>,
    expected: &Violation,
) -> Result<Violation, ReplayError> {
    let same = |v: &&Violation| v.kind == expected.kind && v.span == expected.span;
    if let Some(found) = violations.iter().find(same) {
        return Ok(found.clone());
    }
    let Some(found) = violations.first() else { return Err(ReplayError::NoViolation) };
    if found.kind != expected.kind {
        return Err(ReplayError::OtherViolation { expected: expected.kind, found: found.kind });
    }
    let place = |span| program.position(span).unwrap_or_else(|| "an unknown place".to_string());
    Err(ReplayError::OtherPlace { expected: place(expected.span), found: place(found.span) })
}
