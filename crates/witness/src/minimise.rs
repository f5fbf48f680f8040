//! Makes a failing schedule as easy to read as possible.
//!
//! Four passes, each kept only if the replay still fails in the same way at the
//! same place:
//! 1. Steps that do not happen before the failing one are dropped.
//! 2. Each thread's last steps are dropped where the failure does not need them,
//!    although it happens after them.
//! 3. What is left is ordered with the fewest context switches (see `order`).
//! 4. Inputs take values nearer to zero, so that it hardly matters which engine found
//!    the failure, and with which values.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use heddle_machine::Action;
use heddle_semantics::{
    Choice, Event, Failure, MemoryModel, Schedule, ThreadId, ViolationKind, mask, sign_extend,
};

use crate::confirm::fitting_options;
use crate::order::Partial;
use crate::replay::{Options, Run, Subject, Visitor, replay};

/// Replays spent on dropping steps, and the time they may take together.
const MOST_ATTEMPTS: u32 = 400;
const MOST_TIME: Duration = Duration::from_secs(2);
/// Steps beyond which a schedule stays as it is: the order relation is quadratic.
const LONGEST: usize = 10_000;

/// A schedule that fails like `failure`, with fewer steps and context switches, as far as
/// that is known by the time `stop` is set.
/// Gives back the failure as it is when its schedule does not replay.
pub fn minimise(subject: Subject<'_>, failure: &Failure, stop: &AtomicBool) -> Failure {
    let started = Instant::now();
    let Ok(options) = fitting_options(subject, failure) else { return failure.clone() };
    let one_replay = started.elapsed().max(Duration::from_micros(1));
    let affordable = (MOST_TIME.as_nanos() / one_replay.as_nanos()) as u32;
    let attempts = affordable.min(MOST_ATTEMPTS);
    let mut search = Search { subject, options, best: failure.clone(), attempts, stop };
    if failure.schedule.choices.len() > LONGEST {
        return search.best;
    }
    search.keep_only_the_past();
    search.drop_last_steps();
    search.keep_only_the_past();
    search.reorder();
    search.simplify_inputs();
    search.best
}

struct Search<'p> {
    subject: Subject<'p>,
    options: Options,
    /// Replays.
    best: Failure,
    attempts: u32,
    stop: &'p AtomicBool,
}

struct Events;

impl Visitor for Events {
    type Output = (Vec<Event>, heddle_semantics::Violation);
    fn visit<M: MemoryModel>(self, run: Run<'_, M>) -> Self::Output {
        (run.events, run.violation)
    }
}

impl Search<'_> {
    fn events(&self, choices: &[Choice]) -> Option<(Vec<Event>, heddle_semantics::Violation)> {
        if self.stop.load(Ordering::Relaxed) {
            return None;
        }
        let schedule = Schedule { choices: choices.to_vec(), ..self.best.schedule.clone() };
        replay(self.subject, &schedule, &self.best.violation, self.options, Events).ok()
    }

    /// Takes `choices` if they fail in the same way.
    fn take(&mut self, choices: Vec<Choice>) -> bool {
        let Some((_, violation)) = self.events(&choices) else { return false };
        self.best.violation = violation;
        self.best.schedule.choices = choices;
        true
    }

    fn pick(&self, order: &[usize]) -> Vec<Choice> {
        order.iter().map(|&i| self.best.schedule.choices[i]).collect()
    }

    /// A deadlock needs every thread to be where it is; any other violation only
    /// what happened before it.
    fn keep_only_the_past(&mut self) {
        if self.best.violation.kind == ViolationKind::Deadlock {
            return;
        }
        let Some((events, _)) = self.events(&self.best.schedule.choices) else { return };
        let past = Partial::of(&events).past_of_last();
        if past.len() < events.len() {
            let choices = self.pick(&past);
            self.take(choices);
        }
    }

    fn drop_last_steps(&mut self) {
        let failing = self.best.violation.thread;
        let threads = self.best.schedule.threads.len() as u32 + 1;
        for thread in (0..threads).map(ThreadId).filter(|&t| t != failing) {
            let steps =
                |choices: &[Choice]| choices.iter().filter(|c| c.thread() == thread).count();
            let mut chunk = steps(&self.best.schedule.choices);
            while chunk > 0 && self.attempts > 0 {
                self.attempts -= 1;
                let left = steps(&self.best.schedule.choices).saturating_sub(chunk);
                let choices = first_of(&self.best.schedule.choices, thread, left);
                let shorter = choices.len() < self.best.schedule.choices.len();
                if !(shorter && self.take(choices)) {
                    chunk /= 2;
                }
            }
        }
    }

    fn reorder(&mut self) {
        let Some((events, _)) = self.events(&self.best.schedule.choices) else { return };
        let order = Partial::of(&events).few_switches();
        let choices = self.pick(&order);
        let candidate = Schedule { threads: Vec::new(), choices, ..self.best.schedule.clone() };
        if candidate.context_switches() < self.best.schedule.context_switches() {
            self.take(candidate.choices);
        }
    }
}

/// An input that a run read.
struct Input {
    /// Which choice gave it its value.
    choice: usize,
    width: u32,
    signed: bool,
}

/// Inputs in the order in which the run read them.
struct Inputs;

impl Visitor for Inputs {
    type Output = Vec<Input>;
    fn visit<M: MemoryModel>(self, run: Run<'_, M>) -> Self::Output {
        let records = run.machine.records().iter();
        let inputs = records.filter_map(|record| match record.action {
            Action::Input { width, signed, .. } => {
                record.step.map(|choice| Input { choice, width, signed })
            }
            _ => None,
        });
        inputs.collect()
    }
}

impl Search<'_> {
    fn simplify_inputs(&mut self) {
        if !self.best.schedule.choices.iter().any(|choice| matches!(choice, Choice::Input(..))) {
            return;
        }
        let options = Options { record: true, ..self.options };
        let Failure { schedule, violation } = &self.best;
        let Ok(inputs) = replay(self.subject, schedule, violation, options, Inputs) else { return };
        for input in inputs {
            self.simplify_input(&input);
        }
    }

    /// The simplest value; without one, the smallest of its sign for which the next
    /// smaller one does not fail.
    fn simplify_input(&mut self, input: &Input) {
        let Choice::Input(_, value) = self.best.schedule.choices[input.choice] else { return };
        let value = match input.signed {
            true => i128::from(sign_extend(value, input.width)),
            false => i128::from(mask(value, input.width)),
        };
        let simple: &[i128] = if input.signed { &[0, 1, 2, -1, -2] } else { &[0, 1, 2] };
        if simple.iter().any(|&simpler| simpler == value || self.try_input(input, simpler)) {
            return;
        }
        let (mut passes, mut fails) = (2, value.abs());
        while fails - passes > 1 {
            let middle = (passes + fails) / 2;
            match self.try_input(input, middle * value.signum()) {
                true => fails = middle,
                false => passes = middle,
            }
        }
    }

    fn try_input(&mut self, input: &Input, value: i128) -> bool {
        if self.attempts == 0 {
            return false;
        }
        self.attempts -= 1;
        let mut choices = self.best.schedule.choices.clone();
        let value = mask(value as u64, input.width);
        choices[input.choice] = Choice::Input(choices[input.choice].thread(), value);
        self.take(choices)
    }
}

/// `choices` with only the first `keep` of `thread`.
fn first_of(choices: &[Choice], thread: ThreadId, keep: usize) -> Vec<Choice> {
    let mut seen = 0;
    let kept = choices.iter().filter(|choice| {
        if choice.thread() != thread {
            return true;
        }
        seen += 1;
        seen <= keep
    });
    kept.copied().collect()
}
