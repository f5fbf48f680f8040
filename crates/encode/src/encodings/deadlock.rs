//! Deadlocks in the formula.

use heddle_sat::{Relation, Term};
use heddle_semantics::MemoryModel;

use crate::bounded::{Action, Cells, ThreadCode, Wait};
use crate::encodings::lazy::Encoder;

/// Runs that do not go on, though no process has ended and no assumption has failed.
pub(crate) struct Stillness {
    /// All threads have ended, or wait.
    pub any: Term,
    /// Somebody waits for others.
    pub deadlock: Term,
    /// Somebody waits for what constraints put first.
    pub held: Term,
}

impl<M: MemoryModel> Encoder<'_, '_, M> {
    /// How nobody can move any more after the last round.
    pub(crate) fn stillness(&mut self, stopped: &[Term]) -> Stillness {
        let bounded = self.lazy.bounded;
        let mut all = Vec::new();
        let mut some = Vec::new();
        let mut held = Vec::new();
        for &reached in stopped {
            let not = self.lazy.symbolic.terms.not(reached);
            all.push(not);
        }
        for (at, thread) in bounded.threads.iter().enumerate() {
            // Every thread waits for its creation, unless no run comes to that.
            if at > 0 && thread.waits.is_empty() {
                continue;
            }
            let stands = self.standing(at, thread);
            let mut still = Vec::new();
            for wait in &thread.waits {
                let blocked = self.blocked(at, wait, &stands);
                still.push(blocked);
                // A thread that was never created waits for nobody.
                if wait.ordered {
                    held.push(blocked);
                } else if !(at > 0 && wait.point == 0) {
                    some.push(blocked);
                }
            }
            for spin in &thread.spins {
                let passed = self.passed_at_all(at, spin.point);
                let here = self.lazy.symbolic.terms.and(passed, spin.guard);
                let vain = self.in_vain(at, spin.reads.clone());
                let terms = &mut self.lazy.symbolic.terms;
                let stuck = terms.and(here, vain);
                still.push(stuck);
                // Otherwise it loops for ever; that lets nobody go on.
                some.push(terms.and(stuck, spin.looked));
            }
            for &(point, guard) in &thread.ends {
                let passed = self.passed_at_all(at, point);
                still.push(self.lazy.symbolic.terms.and(passed, guard));
            }
            for &(point, guard) in thread.exits.iter().chain(&thread.drops) {
                let passed = self.passed_at_all(at, point);
                let reached = self.lazy.symbolic.terms.and(passed, guard);
                all.push(self.lazy.symbolic.terms.not(reached));
            }
            all.push(self.lazy.symbolic.terms.or_all(&still));
            self.all_flushed(at, &mut all);
        }
        let terms = &mut self.lazy.symbolic.terms;
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
    fn standing(&mut self, at: usize, thread: &ThreadCode) -> Vec<Term> {
        let last = self.rounds() - 1;
        let mut active: Vec<Vec<Term>> = vec![Vec::new(); thread.points as usize];
        for event in &thread.events {
            active[event.point as usize].push(event.guard);
        }
        for wait in &thread.waits {
            active[wait.point as usize].push(wait.guard);
        }
        let terms = &mut self.lazy.symbolic.terms;
        let mut so_far = terms.truth(true);
        let mut stands = Vec::with_capacity(active.len());
        for (point, guards) in active.iter().enumerate() {
            stands.push(so_far);
            let wanted = terms.or_all(guards);
            let fine = terms.implies(wanted, self.passed[at][point][last]);
            so_far = terms.and(so_far, fine);
        }
        stands
    }

    fn blocked(&mut self, thread: usize, wait: &Wait, stands: &[Term]) -> Term {
        let last = self.rounds() - 1;
        let passed = self.passed[thread][wait.point as usize][last];
        let mut open = self.lazy.symbolic.terms.truth(true);
        for test in &wait.tests {
            if test.targets.is_empty() {
                let holds = test.holds(self.lazy.symbolic, test.value);
                open = self.lazy.symbolic.terms.and(open, holds);
            }
            for &(ref cells, is_it) in &test.targets {
                let now = self.content(cells, test.value);
                let holds = test.holds(self.lazy.symbolic, now);
                let here = self.lazy.symbolic.terms.implies(is_it, holds);
                open = self.lazy.symbolic.terms.and(open, here);
            }
        }
        let terms = &mut self.lazy.symbolic.terms;
        let (not_passed, closed) = (terms.not(passed), terms.not(open));
        let at = terms.and(stands[wait.point as usize], wait.guard);
        let waits = terms.and(not_passed, closed);
        terms.and(at, waits)
    }

    /// What is in the cells in the end; `before` is what a thread read there.
    fn content(&mut self, cells: &Cells, before: Term) -> Term {
        let terms = &mut self.lazy.symbolic.terms;
        let mut whole: Option<Term> = None;
        let mut low = 0;
        for &(cell, bytes) in cells {
            let part = match self.memory.get(&cell) {
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
    fn in_vain(&mut self, thread: usize, reads: std::ops::Range<u32>) -> Term {
        let events = &self.lazy.bounded.threads[thread].events;
        let mut same = self.lazy.symbolic.terms.truth(true);
        for event in &events[reads.start as usize..reads.end as usize] {
            let Action::Read { value } = event.action else { continue };
            for &(cell, is_it) in &event.targets {
                let terms = &mut self.lazy.symbolic.terms;
                let equal = terms.relate(Relation::Eq, value, self.memory[&cell]);
                let here = terms.and(event.guard, is_it);
                let fine = terms.implies(here, equal);
                same = terms.and(same, fine);
            }
        }
        same
    }
}
