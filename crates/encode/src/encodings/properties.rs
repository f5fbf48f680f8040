//! What is asked of the runs of a formula, whichever encoding it is.

use heddle_sat::Term;
use heddle_semantics::{MemoryModel, ViolationKind};

use crate::bounded::{Goal, Wait};
use crate::encodings::deadlock::stillness;
use crate::encodings::{Formula, Run};

/// What a solver is asked.
pub(crate) struct Question {
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
}

impl Run {
    /// The thread came past the point; without one, it always has.
    pub fn passed<M: MemoryModel>(
        &self,
        formula: &mut Formula<'_, M>,
        thread: usize,
        point: Option<u32>,
    ) -> Term {
        match point {
            None => formula.always(),
            Some(point) => self.passed[thread][point as usize],
        }
    }

    /// The same, in those runs in which `guard` holds.
    pub fn reached<M: MemoryModel>(
        &self,
        formula: &mut Formula<'_, M>,
        thread: usize,
        (point, guard): (Option<u32>, Term),
    ) -> Term {
        let passed = self.passed(formula, thread, point);
        formula.and(passed, guard)
    }
}

/// Where runs stop being followed.
#[derive(Default)]
struct Goals {
    violations: Vec<Term>,
    cuts: Vec<Term>,
    far: Vec<Term>,
    unsupported: Vec<(Term, String, heddle_ir::Span)>,
}

/// Says what waits and choices demand of runs, and gives what is to be asked of them.
pub(crate) fn ask<M: MemoryModel>(
    formula: &mut Formula<'_, M>,
    run: &Run,
    counts: &dyn Fn(ViolationKind) -> bool,
) -> Question {
    let bounded = formula.bounded;
    for (at, thread) in bounded.threads.iter().enumerate() {
        for wait in &thread.waits {
            pass_when_open(formula, run, at, wait);
        }
        for require in &thread.requires {
            let passed = run.passed[at][require.point as usize];
            formula.imply(passed, require.condition);
        }
    }
    let (mut goals, far_turns) = find_goals(formula, run, counts);
    if counts(ViolationKind::UseAfterFree) {
        goals.violations.extend_from_slice(&run.late);
    }
    let mut held = formula.never();
    let mut complete = exited(formula, run);
    let deadlocks = counts(ViolationKind::Deadlock);
    if deadlocks || complete.is_some() {
        let unsupported = goals.unsupported.iter().map(|(reached, ..)| reached);
        let stopped: Vec<Term> = (goals.cuts.iter().chain(&goals.far))
            .chain(unsupported)
            .chain(&goals.violations)
            .copied()
            .collect();
        let still = stillness(formula, run, &stopped);
        complete = complete.map(|exited| formula.or(exited, still.any));
        if deadlocks {
            goals.violations.push(still.deadlock);
            held = still.held;
        }
    }
    let terms = formula.terms();
    Question {
        violation: terms.or_all(&goals.violations),
        held,
        cut: terms.or_all(&goals.cuts),
        far: terms.or_all(&goals.far),
        far_turns,
        unsupported: goals.unsupported,
        complete,
    }
}

fn find_goals<M: MemoryModel>(
    formula: &mut Formula<'_, M>,
    run: &Run,
    counts: &dyn Fn(ViolationKind) -> bool,
) -> (Goals, u32) {
    let bounded = formula.bounded;
    let mut goals = Goals::default();
    let mut far_turns = u32::MAX;
    for (at, thread) in bounded.threads.iter().enumerate() {
        for check in &thread.checks {
            let reached = run.reached(formula, at, (check.point, check.condition));
            match &check.goal {
                Goal::Violation(kind) if counts(*kind) => goals.violations.push(reached),
                // The process ends there, checked or not.
                Goal::Violation(kind) if kind.ends_process(bounded.traps_end) => {}
                Goal::Violation(kind) => {
                    let what = format!("{kind} was not to be checked; what follows");
                    goals.unsupported.push((reached, what, check.span));
                }
                Goal::Unwind(turns) if *turns <= bounded.unwind => goals.cuts.push(reached),
                Goal::Unwind(turns) => {
                    goals.far.push(reached);
                    far_turns = far_turns.min(*turns);
                }
                Goal::Unsupported(what) => {
                    goals.unsupported.push((reached, what.clone(), check.span));
                }
            }
        }
    }
    (goals, far_turns)
}

/// The process has ended; asked for only if assumptions can keep it from that.
fn exited<M: MemoryModel>(formula: &mut Formula<'_, M>, run: &Run) -> Option<Term> {
    let threads = &formula.bounded.threads;
    if threads.iter().all(|thread| thread.drops.is_empty()) {
        return None;
    }
    let mut exited = Vec::new();
    for (at, thread) in threads.iter().enumerate() {
        for &exit in &thread.exits {
            exited.push(run.reached(formula, at, exit));
        }
    }
    Some(formula.terms().or_all(&exited))
}

/// A point with a wait is passed only when the wait is over.
fn pass_when_open<M: MemoryModel>(
    formula: &mut Formula<'_, M>,
    run: &Run,
    thread: usize,
    wait: &Wait,
) {
    let when = formula.and(run.passed[thread][wait.point as usize], wait.guard);
    for test in &wait.tests {
        let holds = test.holds(&mut formula.symbolic, test.value);
        formula.imply(when, holds);
    }
}
