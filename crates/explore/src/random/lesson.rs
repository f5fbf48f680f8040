//! What runs have shown so far: how long they are, where threads race, and with which chance
//! a bug was missed.

use std::collections::hash_map::Entry;

use rustc_hash::{FxHashMap, FxHashSet};

use super::coverage::{Place, names};
use super::run::Told;

/// Depths for which a chance is told.
pub const DEPTHS: usize = 3;

/// What a search at random has done, for people.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    pub runs: u64,
    /// The chance that a bug of depth 1, 2, … was missed.
    pub missed: [f64; DEPTHS],
    /// Actors and steps of the largest runs.
    pub actors: u64,
    pub steps: u64,
    /// Pairs of places that race, and those that were seen in both orders.
    pub pairs: u64,
    pub both: u64,
    pub seed: u64,
}

#[derive(Default)]
pub struct Lesson {
    pub seed: u64,
    pub runs: u64,
    /// Steps of the longest run that came to its end.
    pub longest: u64,
    /// Some run came to its end.
    pub ends: bool,
    /// Most actors of a run.
    pub actors: u64,
    /// Places that race, and the most steps of a run at such places.
    pub racing: FxHashSet<Place>,
    pub racing_steps: u64,
    /// Pairs of places, each with the order in which it was seen first, and those that were
    /// seen in both.
    pairs: FxHashMap<u64, u64>,
    both: FxHashSet<u64>,
    /// The last run that showed a new pair, or a new order of one.
    pub last_news: u64,
    /// Logarithms of the chances.
    missed: [f64; DEPTHS],
}

impl Lesson {
    pub fn new(seed: u64) -> Lesson {
        Lesson { seed, ..Lesson::default() }
    }

    pub fn learn(&mut self, number: u64, told: &Told) {
        self.runs = self.runs.max(number + 1);
        for &pair in &told.pairs {
            let (unordered, ordered) = names(pair);
            self.racing.extend([pair.0, pair.1]);
            let new = match self.pairs.entry(unordered) {
                Entry::Vacant(entry) => {
                    entry.insert(ordered);
                    // A place races with itself in either order.
                    if pair.0 == pair.1 {
                        self.both.insert(unordered);
                    }
                    true
                }
                Entry::Occupied(known) => *known.get() != ordered && self.both.insert(unordered),
            };
            if new {
                self.last_news = number;
            }
        }
        if told.counts
            && let Some(depth) = told.depth.filter(|&depth| depth as usize <= DEPTHS)
            // Only what was known before the run is a bound on it.
            && told.actors <= self.actors
            && told.steps <= told.expected
        {
            let ways = self.actors as f64 * (told.expected as f64).powi(depth as i32 - 1);
            self.missed[depth as usize - 1] += (-1.0 / ways.max(1.0)).ln_1p();
        }
        if told.ended {
            self.longest = if self.ends { self.longest.max(told.steps) } else { told.steps };
            self.ends = true;
        } else if !self.ends {
            self.longest = self.longest.max(told.steps);
        }
        self.actors = self.actors.max(told.actors);
        self.racing_steps = self.racing_steps.max(told.racing_steps);
    }

    pub fn sample(&self) -> Sample {
        Sample {
            runs: self.runs,
            missed: self.missed.map(f64::exp),
            actors: self.actors,
            steps: self.longest,
            pairs: self.pairs.len() as u64,
            both: self.both.len() as u64,
            seed: self.seed,
        }
    }
}

/// A number that has nothing to do with either of two (SplitMix64).
pub fn mix(a: u64, b: u64) -> u64 {
    let mut x = a.wrapping_add(b.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}
