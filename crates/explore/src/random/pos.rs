//! Partial-order sampling.
//!
//! Yuan, Yang and Gu, "Partial Order Aware Concurrency Sampling" (CAV 2018), Algorithm 2 (POS).
//! Each event that is about to happen has a priority, drawn at random; the highest one that is
//! enabled happens. Then the events that it races with get new priorities, so that their order
//! is as free as it was.
//!
//! Deviations.
//! 1. Steps of store queues are events like others. What they touch is known only when they
//!    are made, so that they keep their priorities.
//! 2. A priority is a function of the run, the actor's place in the tree of threads, and how
//!    often it was drawn (see `pct`).

use heddle_semantics::ThreadId;

use super::lesson::mix;

pub struct Pos {
    seed: u64,
    /// How often the priority of each actor was drawn.
    draws: Vec<u32>,
}

impl Pos {
    pub fn new(seed: u64) -> Pos {
        Pos { seed, draws: Vec::new() }
    }

    /// Higher goes first.
    pub fn priority(&self, actor: ThreadId, key: u64) -> u64 {
        let draws = self.draws.get(actor.index()).copied().unwrap_or(0);
        mix(mix(self.seed, key), u64::from(draws))
    }

    /// The event of the actor has happened, or lost a race to one that has.
    pub fn draw_again(&mut self, actor: ThreadId) {
        if self.draws.len() <= actor.index() {
            self.draws.resize(actor.index() + 1, 0);
        }
        self.draws[actor.index()] += 1;
    }
}
