//! Probabilistic concurrency testing.
//!
//! Burckhardt, Kothari, Musuvathi and Nagarakatte, "A Randomized Scheduler with Probabilistic
//! Guarantees of Finding Bugs" (ASPLOS 2010), Algorithm 1. Each thread has a priority, drawn
//! at random; the enabled thread with the highest one takes every step. At d − 1 steps, drawn
//! from the k steps of the run, the thread that is about to go on falls below all others, the
//! later the deeper. A bug that needs d orders of steps is found with a chance of at least
//! 1/(n·kᵈ⁻¹) for n threads (Theorem 1).
//!
//! Deviations.
//! 1. Store queues have priorities like threads, and count among the n: a bug under a weak
//!    memory model is one in which a queue comes late.
//! 2. n and k are not known in advance. k is the length of the longest run so far; a run that
//!    takes longer, or has more actors than were known, does not count for the guarantee.
//! 3. Every other run of this kind draws its steps from those at places where threads were
//!    seen to race, of which there are far fewer. Nothing is claimed for such runs.
//! 4. A priority is a function of the run and the thread's place in the tree of threads, so
//!    that it does not depend on the order in which a machine has got to know them.

use heddle_semantics::ThreadId;

use super::lesson::{Lesson, mix};

/// Most orders of steps that runs are made for.
const MOST_DEPTH: u32 = 6;

pub struct Pct {
    seed: u64,
    /// Orders of steps of the bug that it looks for.
    pub depth: u32,
    /// The steps before which somebody falls, in order, the next one last.
    changes: Vec<u64>,
    /// Steps so far, of those that count.
    counted: u64,
    /// Only steps at places where threads were seen to race.
    pub racing_only: bool,
    /// Who has fallen, and how deep.
    fallen: Vec<(ThreadId, u32)>,
}

impl Pct {
    pub fn new(seed: u64, lesson: &Lesson) -> Pct {
        let racing_only = mix(seed, 1) & 1 == 1 && lesson.racing_steps > 0;
        // Few changes first, and more often.
        let most = if racing_only { MOST_DEPTH } else { 3 };
        let depth = match mix(seed, 2) % 16 {
            0 => 1,
            1..=6 => 2,
            7..=11 => 3,
            other => 3 + (other as u32 - 11).min(most - 3),
        };
        let steps = if racing_only { lesson.racing_steps } else { lesson.longest };
        let draw = |nth: u32| mix(seed, 100 + u64::from(nth)) % steps.max(1);
        let mut changes: Vec<u64> = (1..depth).map(draw).collect();
        changes.sort_unstable_by(|a, b| b.cmp(a));
        Pct { seed, depth, changes, counted: 0, racing_only, fallen: Vec::new() }
    }

    /// Higher goes first. `key`: of the actor, the same in every machine.
    pub fn priority(&self, actor: ThreadId, key: u64) -> u64 {
        match self.fallen.iter().rev().find(|fallen| fallen.0 == actor) {
            Some((_, depth)) => u64::from(u32::MAX - depth),
            None => mix(self.seed, key) | 1 << 63,
        }
    }

    /// The actor is about to go on; does it fall instead?
    pub fn falls(&mut self, actor: ThreadId, races: bool) -> bool {
        if self.racing_only && !races {
            return false;
        }
        if self.changes.last().is_some_and(|&at| at <= self.counted) {
            self.changes.pop();
            self.fall(actor);
            return true;
        }
        self.counted += 1;
        false
    }

    /// The actor comes last from now on.
    pub fn fall(&mut self, actor: ThreadId) {
        let depth = self.fallen.len() as u32 + 1;
        self.fallen.push((actor, depth));
    }
}
