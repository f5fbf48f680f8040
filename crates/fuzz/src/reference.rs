//! A second naive enumeration, written for being obviously right: happens-before
//! straight from its definition, and on request without undoing.
//!
//! It counts Mazurkiewicz traces, which an explorer that never takes two
//! equivalent executions must count too.

use heddle_explore::Inputs;
use heddle_ir::{FuncId, Program, Span};
use heddle_machine::{Config, End, Machine, SetupError};
use heddle_memory::{Model, ModelVisitor};
use heddle_semantics::{
    Bounds, Choice, Event, MemoryModel, ThreadId, Unwritten, ViolationKind, conflict,
};
use rustc_hash::FxHashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::batch::Compiled;
use crate::classes;
use crate::invariants::Watch;

/// How to get from the end of an execution to the next one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backtrack {
    Undo,
    /// Start again and repeat the common prefix.
    Restart,
}

/// All there is to know about a program's interleavings.
#[derive(Debug, Default)]
pub struct Reference {
    pub violations: FxHashSet<(ViolationKind, Span)>,
    pub final_states: FxHashSet<u64>,
    /// One hash for each partial order of events.
    pub traces: FxHashSet<u64>,
    /// One hash for each class of executions, on request instead of `traces`.
    pub classes: FxHashSet<u64>,
    /// Executions, counted as the explorers do.
    pub executions: u64,
    pub blocked: u64,
    pub cut: u64,
    pub transitions: u64,
    pub bounds: Bounds,
    /// The state before the first step, seen before and after the enumeration.
    pub initial: (u64, u64),
    /// Some thread reached memory it should not know; nothing above counts.
    pub smuggled: bool,
    /// Something depended on these bits, which had no value; likewise.
    pub undecided: Option<Unwritten>,
    /// A branch for allocations that fail matters, and was never taken.
    pub leaves_allocations: bool,
}

/// Enumerates, or gives up (`None`) after so many transitions.
pub fn enumerate(
    program: &Program,
    entry: FuncId,
    model: Model,
    config: &Config,
    backtrack: Backtrack,
    most: u64,
) -> Result<Option<Reference>, SetupError> {
    let (classes, watch) = (false, None);
    model.with(Enumerate { program, entry, config, backtrack, most, classes, watch })
}

/// Shows every state that is reached to a [`Watch`]; false if there are too many.
pub fn watch(test: &Compiled, config: &Config, most: u64, watch: &Watch) -> bool {
    let (backtrack, classes, watch) = (Backtrack::Undo, false, Some(watch));
    let (program, entry) = (&test.program, test.entry);
    let job = Enumerate { program, entry, config, backtrack, most, classes, watch };
    Model::Sc.with(job).is_ok_and(|found| found.is_some_and(|found| !found.smuggled))
}

/// One hash for each class (see [`classes`]), or `None` after so many transitions.
pub fn enumerate_classes(
    program: &Program,
    entry: FuncId,
    model: Model,
    config: &Config,
    most: u64,
) -> Result<Option<FxHashSet<u64>>, SetupError> {
    let backtrack = Backtrack::Undo;
    let (classes, watch) = (true, None);
    let job = Enumerate { program, entry, config, backtrack, most, classes, watch };
    let found = model.with(job)?;
    Ok(found.map(|found| found.classes))
}

struct Enumerate<'a> {
    program: &'a Program,
    entry: FuncId,
    config: &'a Config,
    backtrack: Backtrack,
    most: u64,
    classes: bool,
    watch: Option<&'a Watch>,
}

impl ModelVisitor for Enumerate<'_> {
    type Output = Result<Option<Reference>, SetupError>;

    fn visit<M: MemoryModel>(self, model: M) -> Self::Output {
        enumerate_under(self, model)
    }
}

/// Again and again, until all that is undefined has a value that has to.
fn enumerate_under<M: MemoryModel>(
    job: Enumerate<'_>,
    model: M,
) -> Result<Option<Reference>, SetupError> {
    let mut config = job.config.clone();
    loop {
        let found = enumerate_with(Enumerate { config: &config, ..job }, model.clone())?;
        match found.as_ref().and_then(|found| found.undecided) {
            Some(bits) => Arc::make_mut(&mut config.unwritten).insert(bits),
            None => return Ok(found),
        };
    }
}

fn enumerate_with<M: MemoryModel>(
    job: Enumerate<'_>,
    model: M,
) -> Result<Option<Reference>, SetupError> {
    let Enumerate { program, entry, config, backtrack, most, classes, watch } = job;
    let machine = Machine::new(program, entry, config.clone(), model.clone())?;
    let (order, found) = (Order::default(), Reference::default());
    let inputs = Inputs::of(program);
    let mut walk = Walk { machine, inputs, order, found, classes, watch };
    walk.found.initial.0 = walk.machine.final_state();
    walk.collect();
    let mut path: Vec<Choice> = Vec::new();
    let mut left = vec![walk.choices()];
    if left[0].is_empty() {
        walk.finish();
    }
    while let Some(choices) = left.last_mut() {
        let Some(choice) = choices.pop() else {
            left.pop();
            if path.pop().is_some() && backtrack == Backtrack::Undo {
                walk.machine.undo();
                walk.order.pop();
            }
            continue;
        };
        if backtrack == Backtrack::Restart && walk.order.events.len() != path.len() {
            let threads = walk.machine.thread_paths().to_vec();
            walk.machine = {
                let model = model.clone();
                Machine::with_threads(program, entry, config.clone(), model, &threads)?
            };
            walk.order = Order::default();
            for &choice in &path {
                walk.step(choice);
            }
        }
        path.push(choice);
        walk.step(choice);
        if walk.found.transitions > most {
            return Ok(None);
        }
        let next = walk.choices();
        if next.is_empty() {
            walk.finish();
        }
        left.push(next);
    }
    let mut found = walk.found;
    found.leaves_allocations = walk.machine.leaves_allocations_open();
    found.initial.1 = match backtrack {
        Backtrack::Undo => walk.machine.final_state(),
        Backtrack::Restart => found.initial.0,
    };
    Ok(Some(found))
}

struct Walk<'p, 'w, M: MemoryModel> {
    machine: Machine<'p, M>,
    inputs: Inputs,
    order: Order,
    found: Reference,
    /// Look at classes instead of traces.
    classes: bool,
    watch: Option<&'w Watch>,
}

impl<M: MemoryModel> Walk<'_, '_, M> {
    fn choices(&self) -> Vec<Choice> {
        let threads = || (0..self.machine.thread_count() as u32).map(ThreadId);
        let input = threads()
            .find_map(|thread| Some((thread, self.inputs.values(&self.machine, thread)?.0)));
        if let Some((thread, values)) = input {
            return values.into_iter().map(|value| Choice::Input(thread, value)).collect();
        }
        threads().filter(|&thread| self.machine.enabled(thread)).map(Choice::Step).collect()
    }

    fn step(&mut self, choice: Choice) {
        self.machine.step(choice);
        self.found.transitions += 1;
        self.order.push(self.machine.last_event().clone());
        self.collect();
    }

    fn collect(&mut self) {
        if let Some(watch) = self.watch {
            watch.look(&self.machine);
        }
        for violation in self.machine.take_violations() {
            self.found.violations.insert((violation.kind, violation.span));
        }
    }

    fn finish(&mut self) {
        self.found.smuggled |= self.machine.smuggled();
        self.found.undecided = self.found.undecided.or(self.machine.undecided());
        self.found.bounds.merge(self.machine.bounds());
        match self.machine.end() {
            End::Complete => self.found.executions += 1,
            End::Blocked => self.found.blocked += 1,
            End::Cut => self.found.cut += 1,
            End::Deadlock(violation) => {
                self.found.executions += 1;
                self.found.violations.insert((violation.kind, violation.span));
            }
        }
        let state = self.machine.final_state();
        self.found.final_states.insert(state);
        match self.classes {
            true => self.found.classes.insert(classes::digest(&self.order.events, state)),
            false => self.found.traces.insert(self.order.digest()),
        };
    }
}

/// The events of an execution with their happens-before relation.
#[derive(Default)]
struct Order {
    events: Vec<Event>,
    /// For each event, the earlier ones that happen before it.
    before: Vec<Vec<bool>>,
}

impl Order {
    fn push(&mut self, event: Event) {
        let count = self.events.len();
        let mut before = vec![false; count];
        for (at, earlier) in self.events.iter().enumerate() {
            let direct = earlier.thread == event.thread
                || earlier.created.contains(&event.thread)
                || conflict(&earlier.footprint, &event.footprint)
                || event
                    .joined
                    .is_some_and(|t| earlier.thread == t || earlier.created.contains(&t));
            if direct {
                before[at] = true;
                for (mine, theirs) in before.iter_mut().zip(&self.before[at]) {
                    *mine |= theirs;
                }
            }
        }
        self.events.push(event);
        self.before.push(before);
    }

    fn pop(&mut self) {
        self.events.pop();
        self.before.pop();
    }

    /// The same for two executions exactly if they order the same events in the
    /// same way.
    fn digest(&self) -> u64 {
        let mut names: Vec<(ThreadId, u32)> = Vec::new();
        for event in &self.events {
            let nth = names.iter().filter(|name| name.0 == event.thread).count();
            names.push((event.thread, nth as u32));
        }
        let mut all: Vec<_> = (0..self.events.len())
            .map(|at| {
                let past = (0..at).filter(|&older| self.before[at][older]);
                let mut past: Vec<_> = past.map(|older| names[older]).collect();
                past.sort_unstable();
                (names[at], self.events[at].input, past)
            })
            .collect();
        all.sort_unstable();
        // A quicker one gives the same for inputs that differ in their highest bits only.
        let mut hasher = DefaultHasher::new();
        all.hash(&mut hasher);
        hasher.finish()
    }
}
