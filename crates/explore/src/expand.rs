//! From a schedule of the steps that a guide leaves to one of all steps.
//!
//! The guided machine and a full one run side by side. Whenever the first has taken a
//! step, the second lets the same threads run until they have come as far. Both execute
//! the same instructions in the same order, so they are in the same state each time.
//! The full machine takes all memory for shared, since the guided one does not wait for
//! publication; at the end, steps that are none without that are dropped.

use heddle_ir::{FuncId, Program};
use heddle_machine::{Config, Halt, Machine, Pending, Status};
use heddle_semantics::{
    Choice, Failure, Gate, MemoryModel, Schedule, ThreadId, Violation, ViolationKind,
};

/// A thread that waits in a loop may have to take its last turn again, later. This many
/// of its last steps are tried, and it may take as many again.
const LAST_STEPS: usize = 64;
const MORE_STEPS: usize = 1000;

/// A choice, and how far its thread had come.
type Step = (Choice, (u64, u32));

pub struct Expansion<'p, M> {
    pub program: &'p Program,
    pub entry: FuncId,
    pub model: M,
    /// With the guide.
    pub config: Config,
}

impl<'p, M: MemoryModel> Expansion<'p, M> {
    /// The schedule with all steps, if it leads to the same violation.
    pub fn of(&self, failure: &Failure) -> Option<Schedule> {
        let (steps, waiting) = self.expand(&failure.schedule)?;
        let choices = self.without_private(failure, &steps).or_else(|| {
            let steps = self.fitting(failure, steps, &waiting)?;
            let shorter = self.without_private(failure, &steps);
            Some(shorter.unwrap_or_else(|| steps.iter().map(|step| step.0).collect()))
        })?;
        Some(Schedule { choices, ..failure.schedule.clone() })
    }

    /// The schedule without the steps of those who came last to a barrier to leave it, if
    /// nothing else is hidden.
    pub fn without_leaving(&self, failure: &Failure) -> Option<Schedule> {
        let schedule = &failure.schedule;
        let mut meeting = self.machine(self.config.clone(), schedule)?;
        let plain = Config { meetings: None, ..self.config.clone() };
        let mut plain = self.machine(plain, schedule)?;
        let mut choices = Vec::new();
        for &choice in &schedule.choices {
            let thread = choice.thread();
            let gone = leaves(&meeting, thread) && !leaves(&plain, thread);
            if !meeting.enabled(thread) || !gone && !plain.enabled(thread) {
                return None;
            }
            meeting.step(choice);
            if gone {
                continue;
            }
            plain.step(choice);
            choices.push(choice);
            if shows(&mut plain, &failure.violation) {
                break;
            }
        }
        Some(Schedule { choices, ..schedule.clone() })
    }

    fn machine(&self, config: Config, schedule: &Schedule) -> Option<Machine<'p, M>> {
        let threads = &schedule.threads;
        Machine::with_threads(self.program, self.entry, config, self.model.clone(), threads).ok()
    }

    fn full(&self, schedule: &Schedule, share_everything: bool) -> Option<Machine<'p, M>> {
        let config = Config {
            guide: None,
            meetings: None,
            unwind: None,
            share_everything,
            ..self.config.clone()
        };
        self.machine(config, schedule)
    }

    /// All steps of a guided schedule, and the threads that wait in a loop at its end.
    fn expand(&self, schedule: &Schedule) -> Option<(Vec<Step>, Vec<ThreadId>)> {
        let mut guided = self.machine(self.config.clone(), schedule)?;
        let mut full = self.full(schedule, true)?;
        let mut steps = Vec::new();
        let mut movers = vec![ThreadId::MAIN];
        movers.extend(&guided.last_event().created);
        catch_up(&guided, &mut full, &movers, &mut steps);
        for &choice in &schedule.choices {
            let thread = choice.thread();
            // Who came last to a barrier has left it.
            let gone = leaves(&guided, thread) && !leaves(&full, thread);
            if !guided.enabled(thread) || !gone && !full.enabled(thread) {
                return None;
            }
            guided.step(choice);
            if !gone {
                take(&mut full, choice, &mut steps);
            }
            movers.clear();
            movers.push(thread);
            movers.extend(&guided.last_event().created);
            catch_up(&guided, &mut full, &movers, &mut steps);
        }
        let waits = |&t: &ThreadId| *guided.status(t) == Status::Halted(Halt::Wait);
        let waiting = (0..guided.thread_count() as u32).map(ThreadId).filter(waits).collect();
        Some((steps, waiting))
    }

    /// The steps, up to the violation. What a thread in a waiting loop read and did not
    /// look at may have changed since: then it has to look again.
    fn fitting(
        &self,
        failure: &Failure,
        steps: Vec<Step>,
        waiting: &[ThreadId],
    ) -> Option<Vec<Step>> {
        let choices: Vec<Choice> = steps.iter().map(|step| step.0).collect();
        if let Some(all) = self.run(failure, &choices, &[]) {
            return Some(all);
        }
        if failure.violation.kind != ViolationKind::Deadlock || waiting.is_empty() {
            return None;
        }
        (1..=LAST_STEPS).find_map(|count| {
            let kept = without_last(&choices, waiting, count);
            self.run(failure, &kept, waiting)
        })
    }

    /// Runs a schedule and then the threads of `rest`, until the violation.
    fn run(&self, failure: &Failure, choices: &[Choice], rest: &[ThreadId]) -> Option<Vec<Step>> {
        let mut machine = self.full(&failure.schedule, true)?;
        let mut steps = Vec::new();
        for &choice in choices {
            if shows(&mut machine, &failure.violation) {
                return Some(steps);
            }
            if !machine.enabled(choice.thread()) {
                return None;
            }
            take(&mut machine, choice, &mut steps);
        }
        for &thread in rest {
            let before = steps.len();
            while machine.enabled(thread) && steps.len() < before + MORE_STEPS {
                let choice = next(&machine, thread);
                take(&mut machine, choice, &mut steps);
            }
        }
        let dead = |machine: &Machine<'p, M>| {
            machine.deadlock().is_some_and(|found| same(&found, &failure.violation))
        };
        let deadlock = failure.violation.kind == ViolationKind::Deadlock;
        let found = shows(&mut machine, &failure.violation) || deadlock && dead(&machine);
        found.then_some(steps)
    }

    /// The schedule without steps that only touch what no other thread can see.
    fn without_private(&self, failure: &Failure, steps: &[Step]) -> Option<Vec<Choice>> {
        let mut machine = self.full(&failure.schedule, false)?;
        let mut choices = Vec::new();
        for &(choice, progress) in steps {
            if shows(&mut machine, &failure.violation) {
                return Some(choices);
            }
            let thread = choice.thread();
            let here = machine.progress(thread);
            let over = machine.pending(thread).is_none();
            if here > progress || over && here == progress {
                continue;
            }
            if here < progress || !machine.enabled(thread) {
                return None;
            }
            machine.step(choice);
            choices.push(choice);
        }
        let deadlock = |machine: &Machine<'p, M>| {
            failure.violation.kind == ViolationKind::Deadlock
                && machine.deadlock().is_some_and(|found| same(&found, &failure.violation))
        };
        (shows(&mut machine, &failure.violation) || deadlock(&machine)).then_some(choices)
    }
}

/// Does the thread wait to leave a barrier?
fn leaves<M: MemoryModel>(machine: &Machine<'_, M>, thread: ThreadId) -> bool {
    matches!(machine.pending(thread), Some(Pending::Gate { gate: Gate::Barrier { .. }, .. }))
}

fn same(a: &Violation, b: &Violation) -> bool {
    a.kind == b.kind && a.span == b.span
}

/// Did the last step end in the violation?
fn shows<M: MemoryModel>(machine: &mut Machine<'_, M>, expected: &Violation) -> bool {
    machine.has_violations() && machine.take_violations().iter().any(|v| same(v, expected))
}

/// The choice with which a thread goes on. An input that only the full machine reads
/// goes nowhere that matters; the guided one takes it to be 0.
fn next<M: MemoryModel>(machine: &Machine<'_, M>, thread: ThreadId) -> Choice {
    match machine.pending(thread) {
        Some(Pending::Input(_)) => Choice::Input(thread, 0),
        _ => Choice::Step(thread),
    }
}

fn take<M: MemoryModel>(machine: &mut Machine<'_, M>, choice: Choice, steps: &mut Vec<Step>) {
    steps.push((choice, machine.progress(choice.thread())));
    machine.step(choice);
}

/// Lets threads of the full machine run until they have come as far as in the guided
/// one.
fn catch_up<M: MemoryModel>(
    guided: &Machine<'_, M>,
    full: &mut Machine<'_, M>,
    threads: &[ThreadId],
    steps: &mut Vec<Step>,
) {
    for &thread in threads {
        if thread.index() >= full.thread_count() {
            continue;
        }
        let over = guided.pending(thread).is_none();
        let goal = guided.progress(thread);
        let behind = |here: (u64, u32)| here < goal || over && here == goal;
        while behind(full.progress(thread)) && full.enabled(thread) {
            let choice = next(full, thread);
            take(full, choice, steps);
        }
    }
}

/// Without the last steps of some threads.
fn without_last(choices: &[Choice], threads: &[ThreadId], count: usize) -> Vec<Choice> {
    let mut left = vec![count; threads.len()];
    let mut kept: Vec<Choice> = choices
        .iter()
        .rev()
        .filter(|choice| match threads.iter().position(|&t| t == choice.thread()) {
            Some(at) if left[at] > 0 => {
                left[at] -= 1;
                false
            }
            _ => true,
        })
        .copied()
        .collect();
    kept.reverse();
    kept
}
