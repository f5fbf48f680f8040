//! Loops in the unfolding: how often they are repeated, and which iterations only
//! wait for other threads.

use heddle_sat::Term;

use crate::bounded::{Goal, Spin};
use crate::unfold::Unfolder;
use crate::unfold::state::LoopMark;

/// Turns of a loop that no run leaves and nobody else can end. Such a loop is a
/// computation on constants, and most of these come to an end by then.
const MOST_TURNS: u32 = 1 << 17;

impl Unfolder<'_> {
    /// The loops that a jump to `target` would leave could have ended here.
    pub(crate) fn note_test(&mut self, target: u32) {
        let frame = self.state.frames.last_mut().expect("a frame");
        let order = &self.orders[frame.function.0 as usize];
        let from = &order.place(heddle_ir::BlockId(frame.block)).loops;
        let to = &order.place(heddle_ir::BlockId(target)).loops;
        let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
        for mark in &mut frame.loops[common..] {
            mark.tested = true;
        }
    }

    /// Loops that the jump leaves, enters or repeats. False if it ends here.
    pub(crate) fn change_loops(&mut self, target: u32, unchanged: Term) -> bool {
        let guard = self.state.guard;
        let events = self.threads[self.current as usize].events.len() as u32;
        let nothing = self.symbolic.terms.truth(false);
        let fresh = LoopMark {
            iteration: 0,
            counted: 0,
            watched: 0,
            guard,
            effect: nothing,
            looked: false,
            tested: false,
            gazed: nothing,
            unsure: nothing,
            events,
            passed: self.state.passed,
        };
        let frame = self.state.frames.last_mut().expect("a frame");
        let order = &self.orders[frame.function.0 as usize];
        let from = &order.place(heddle_ir::BlockId(frame.block)).loops;
        let to = order.place(heddle_ir::BlockId(target));
        let common = from.iter().zip(&to.loops).take_while(|(a, b)| a == b).count();
        let repeats = common == to.loops.len() && to.loops.last() == Some(&to.position);
        frame.loops.truncate(common);
        while frame.loops.len() < to.loops.len() {
            frame.loops.push(fresh);
        }
        if !repeats {
            return true;
        }
        let mark = *frame.loops.last().expect("inside a loop");
        // Runs in which the iteration has changed nothing wait here.
        let terms = &mut self.symbolic.terms;
        let clean = terms.not(mark.effect);
        let idle = terms.and(unchanged, clean);
        let waits = terms.and(guard, idle);
        let busy = terms.not(idle);
        let guard = terms.and(guard, busy);
        let goes_on = terms.as_constant(guard) != Some(0);
        self.note_spin(mark, waits);
        self.state.guard = guard;
        if !goes_on {
            return false;
        }
        // A loop that all runs repeat will end if what it tests is a matter of its
        // own variables; without a test it will not.
        let endless = mark.looked && !mark.tested;
        let counted = mark.counted + u32::from(mark.guard != guard || endless);
        let watched = mark.watched + u32::from(mark.looked);
        let most = MOST_TURNS.max(self.unwind);
        let cut = if counted > self.unwind {
            Some(self.unwind)
        } else if watched > self.cap.max(self.unwind) {
            self.capped = true;
            Some(self.cap.max(self.unwind))
        } else {
            (mark.iteration >= most).then_some(most)
        };
        if let Some(turns) = cut {
            self.note_check(guard, Goal::Unwind(turns), self.span());
            return false;
        }
        let next = LoopMark { iteration: mark.iteration + 1, counted, watched, guard, ..fresh };
        *self.state.top().loops.last_mut().expect("inside a loop") = next;
        true
    }

    /// A waiting loop: the iteration has changed nothing, so another one makes
    /// sense only when something it read has changed. A run in which it repeats is
    /// like one in which it came to the loop later.
    fn note_spin(&mut self, mark: LoopMark, guard: Term) {
        if self.symbolic.terms.as_constant(guard) == Some(0) {
            return;
        }
        let looked = self.waits_for_others(mark, guard);
        self.note_lost_count(mark, guard);
        let point = self.latest_point();
        let thread = &mut self.threads[self.current as usize];
        let reads = mark.events..thread.events.len() as u32;
        thread.spins.push(Spin { point, guard, reads, looked });
    }

    /// What is done here changes something if `when` holds.
    pub(crate) fn note_effect(&mut self, when: Term) {
        for frame in &mut self.state.frames {
            for mark in &mut frame.loops {
                mark.effect = self.symbolic.terms.or(mark.effect, when);
            }
        }
    }

    pub(crate) fn note_look(&mut self) {
        for frame in &mut self.state.frames {
            for mark in &mut frame.loops {
                mark.looked = true;
            }
        }
    }

    /// May an iteration of a loop around this place change nothing?
    pub(crate) fn may_idle(&self) -> bool {
        self.state.frames.iter().any(|frame| {
            let order = &self.orders[frame.function.0 as usize];
            order.may_idle(heddle_ir::BlockId(frame.block))
        })
    }
}
