//! Deadlocks: how nobody can move any more in the end of a run.

use heddle_sat::{Relation, Term};
use heddle_semantics::MemoryModel;

use crate::bounded::{Action, Cells, ThreadCode, Wait};
use crate::encodings::{Formula, Run};

/// Runs that do not go on, though no process has ended and no assumption has failed.
pub(crate) struct Stillness {
    /// All threads have ended, or wait.
    pub any: Term,
    /// Somebody waits for others.
    pub deadlock: Term,
    /// Somebody waits for what constraints put first.
    pub held: Term,
}

/// `stopped` is where runs are not followed further.
pub(crate) fn stillness<M: MemoryModel>(
    formula: &mut Formula<'_, M>,
    run: &Run,
    stopped: &[Term],
) -> Stillness {
    let mut all = Vec::new();
    let mut some = Vec::new();
    let mut held = Vec::new();
    for &reached in stopped {
        all.push(formula.not(reached));
    }
    for (at, thread) in formula.bounded.threads.iter().enumerate() {
        // Every thread waits for its creation, unless no run comes to that.
        if at > 0 && thread.waits.is_empty() {
            continue;
        }
        let stands = standing(formula, run, at, thread);
        let mut still = Vec::new();
        for wait in &thread.waits {
            let blocked = blocked(formula, run, (at, wait), &stands);
            still.push(blocked);
            // A thread that was never created waits for nobody.
            if wait.ordered {
                held.push(blocked);
            } else if !(at > 0 && wait.point == 0) {
                some.push(blocked);
            }
        }
        for spin in &thread.spins {
            let here = run.reached(formula, at, (spin.point, spin.guard));
            let vain = in_vain(formula, run, at, spin.reads.clone());
            let stuck = formula.and(here, vain);
            still.push(stuck);
            // Otherwise it loops for ever; that lets nobody go on.
            some.push(formula.and(stuck, spin.looked));
        }
        for &end in &thread.ends {
            still.push(run.reached(formula, at, end));
        }
        for &end in thread.exits.iter().chain(&thread.drops) {
            let reached = run.reached(formula, at, end);
            all.push(formula.not(reached));
        }
        all.push(formula.terms().or_all(&still));
        all_arrived(formula, run, at, &mut all);
    }
    let terms = formula.terms();
    let nobody_moves = terms.and_all(&all);
    let held = terms.or_all(&held);
    let free = terms.not(held);
    let anybody = terms.or_all(&some);
    let anybody = terms.and(anybody, free);
    Stillness {
        any: nobody_moves,
        deadlock: terms.and(nobody_moves, anybody),
        held: terms.and(nobody_moves, held),
    }
}

/// For each point: everything before it that was to be passed was passed.
fn standing<M: MemoryModel>(
    formula: &mut Formula<'_, M>,
    run: &Run,
    at: usize,
    thread: &ThreadCode,
) -> Vec<Term> {
    let mut active: Vec<Vec<Term>> = vec![Vec::new(); thread.points as usize];
    for event in &thread.events {
        active[event.point as usize].push(event.guard);
    }
    for wait in &thread.waits {
        active[wait.point as usize].push(wait.guard);
    }
    let terms = formula.terms();
    let mut so_far = terms.truth(true);
    let mut stands = Vec::with_capacity(active.len());
    for (guards, &passed) in active.iter().zip(&run.passed[at]) {
        stands.push(so_far);
        let wanted = terms.or_all(guards);
        let fine = terms.implies(wanted, passed);
        so_far = terms.and(so_far, fine);
    }
    stands
}

fn blocked<M: MemoryModel>(
    formula: &mut Formula<'_, M>,
    run: &Run,
    (thread, wait): (usize, &Wait),
    stands: &[Term],
) -> Term {
    let mut open = formula.always();
    for test in &wait.tests {
        if test.targets.is_empty() {
            let holds = test.holds(&mut formula.symbolic, test.value);
            open = formula.and(open, holds);
        }
        for &(ref cells, is_it) in &test.targets {
            let now = content(formula, run, cells, test.value);
            let holds = test.holds(&mut formula.symbolic, now);
            let here = formula.terms().implies(is_it, holds);
            open = formula.and(open, here);
        }
    }
    let not_passed = formula.not(run.passed[thread][wait.point as usize]);
    let at = formula.and(stands[wait.point as usize], wait.guard);
    let waits = formula.and_not(not_passed, open);
    formula.and(at, waits)
}

/// What is in the cells in the end; `before` is what a thread read there.
fn content<M: MemoryModel>(
    formula: &mut Formula<'_, M>,
    run: &Run,
    cells: &Cells,
    before: Term,
) -> Term {
    let terms = formula.terms();
    let mut whole: Option<Term> = None;
    let mut low = 0;
    for &(cell, bytes) in cells {
        let part = match run.content.get(&cell) {
            Some(&now) => now,
            // Nobody else uses it, so it is as it was.
            None => terms.extract(before, low, bytes * 8),
        };
        low += bytes * 8;
        whole = Some(whole.map_or(part, |whole| terms.concat(part, whole)));
    }
    whole.unwrap_or(before)
}

/// What was read in a waiting loop is still so.
fn in_vain<M: MemoryModel>(
    formula: &mut Formula<'_, M>,
    run: &Run,
    thread: usize,
    reads: std::ops::Range<u32>,
) -> Term {
    let events = &formula.bounded.threads[thread].events;
    let mut same = formula.always();
    for event in &events[reads.start as usize..reads.end as usize] {
        let Action::Read { value } = event.action else { continue };
        for &(cell, is_it) in &event.targets {
            let terms = formula.terms();
            let equal = terms.relate(Relation::Eq, value, run.content[&cell]);
            let here = terms.and(event.guard, is_it);
            let fine = terms.implies(here, equal);
            same = terms.and(same, fine);
        }
    }
    same
}

/// No store waits.
fn all_arrived<M: MemoryModel>(
    formula: &mut Formula<'_, M>,
    run: &Run,
    thread: usize,
    all: &mut Vec<Term>,
) {
    for (store, &arrived) in run.arrived[thread].iter().enumerate() {
        let delayed = &formula.stores[thread].all[store];
        let guard = formula.event(thread, delayed.events[0]).guard;
        let passed = run.passed[thread][delayed.point as usize];
        let issued = formula.and(passed, guard);
        all.push(formula.terms().implies(issued, arrived));
    }
}
