//! Runs a failing schedule again on a fresh machine.

use std::sync::Arc;

use heddle_ir::{FuncId, Program, Span};
use heddle_machine::{Config, End, Machine};
use heddle_memory::{Model, ModelVisitor};
use heddle_semantics::{Failure, MemoryModel, ViolationKind};

/// Why a failure does not happen again, if it does not.
pub fn replay(
    program: &Program,
    entry: FuncId,
    model: Model,
    config: &Config,
    failure: &Failure,
) -> Result<(), String> {
    model.with(Replay { program, entry, config, failure })
}

struct Replay<'a> {
    program: &'a Program,
    entry: FuncId,
    config: &'a Config,
    failure: &'a Failure,
}

impl ModelVisitor for Replay<'_> {
    type Output = Result<(), String>;

    fn visit<M: MemoryModel>(self, model: M) -> Self::Output {
        replay_under(self.program, self.entry, model, self.config, self.failure)
    }
}

fn replay_under<M: MemoryModel>(
    program: &Program,
    entry: FuncId,
    model: M,
    config: &Config,
    failure: &Failure,
) -> Result<(), String> {
    let schedule = &failure.schedule;
    let unwritten = Arc::new(schedule.unwritten.iter().copied().collect());
    let config = Config { unwritten, ..config.clone() };
    let machine = Machine::with_threads(program, entry, config, model, &schedule.threads);
    let mut machine = machine.map_err(|error| error.to_string())?;
    for (step, &choice) in schedule.choices.iter().enumerate() {
        if !machine.enabled(choice.thread()) {
            return Err(format!("step {step}: {} is not enabled", choice.thread()));
        }
        machine.step(choice);
    }
    let mut seen: Vec<(ViolationKind, Span)> =
        machine.take_violations().into_iter().map(|v| (v.kind, v.span)).collect();
    if seen.is_empty()
        && let End::Deadlock(violation) = machine.end()
    {
        seen.push((violation.kind, violation.span));
    }
    let wanted = (failure.violation.kind, failure.violation.span);
    match seen.contains(&wanted) {
        true => Ok(()),
        false => Err(format!("replay ends in {seen:?}, not in {wanted:?}")),
    }
}
