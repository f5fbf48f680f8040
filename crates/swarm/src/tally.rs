//! What the instances of a swarm have shown so far, and what a swarm says in the end.

use heddle_semantics::Bounds;
use serde_json::Value;

use crate::journal::{Done, Outcome};
use crate::natural::Natural;
use crate::plan::Plan;
use crate::threads::Depth;

/// All instances, for people who wait.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    pub answered: u64,
    pub found: u64,
    pub discharged: u64,
    /// Given up, and split.
    pub undecided: u64,
    pub split: u64,
    /// Workers that died.
    pub lost: u64,
    pub running: u64,
    pub waiting: u64,
    /// Of all workers together.
    pub seconds: f64,
    /// The most that a worker had.
    pub bytes: u64,
    pub depth: Option<Depth>,
    /// Roots with these bounds that are answered, and how many there are.
    pub roots: (u64, Natural),
}

impl Tally {
    pub(crate) fn begin(&mut self, depth: Depth, of: Natural) {
        self.depth = Some(depth);
        self.roots = (0, of);
    }

    pub(crate) fn note(&mut self, done: &Done, main: bool) {
        self.answered += 1;
        self.seconds += done.seconds;
        self.bytes = self.bytes.max(done.bytes);
        let is_root = !done.id.ends_with(|c: char| c.is_ascii_alphabetic());
        self.roots.0 += u64::from(main && is_root);
        match &done.outcome {
            Outcome::Unsafe(_) => self.found += 1,
            Outcome::Clear { .. } => self.discharged += 1,
            Outcome::Undecided { split: Some(_), .. } => self.split += 1,
            Outcome::Undecided { split: None, .. } => self.undecided += 1,
            Outcome::Wrong(_) => {}
        }
    }
}

/// How many times are looked at to find the size of tiles.
pub(crate) const PROBES: usize = 4;

/// What the instances of one plan have shown.
#[derive(Debug, Default)]
pub(crate) struct Shares {
    pub bounds: Bounds,
    pub unsupported: Option<String>,
    pub complete: bool,
    pub undecided: u64,
    pub splits: u64,
    /// The times of the first ones; `None` for those that were not decided.
    pub first: Vec<Option<f64>>,
}

impl Shares {
    pub fn note(&mut self, done: &Done) {
        let decided = !matches!(done.outcome, Outcome::Undecided { .. });
        if self.first.len() < PROBES {
            self.first.push(decided.then_some(done.seconds));
        }
        match &done.outcome {
            Outcome::Clear { bounds, unsupported, complete } => {
                let (known, new) = (self.bounds.unwind, bounds.unwind);
                self.bounds.merge(bounds);
                // Where loops were cut first counts.
                self.bounds.unwind = known.into_iter().chain(new).min();
                self.complete |= complete;
                self.unsupported = self.unsupported.take().or_else(|| unsupported.clone());
            }
            Outcome::Undecided { split: Some(_), .. } => self.splits += 1,
            Outcome::Undecided { split: None, .. } => self.undecided += 1,
            Outcome::Unsafe(_) | Outcome::Wrong(_) => {}
        }
    }
}

/// What a swarm says in the end.
#[derive(Debug)]
pub struct Conclusion {
    /// The first violation, with the name of its instance.
    pub found: Option<(String, Value)>,
    pub wrong: Option<String>,
    /// Everything that the last plan asks for was decided, and it asks for all there is
    /// within the bounds.
    pub decided: bool,
    /// What the answers to the last plan leave out.
    pub bounds: Bounds,
    pub unsupported: Option<String>,
    pub complete: bool,
    /// Within these everything was decided before.
    pub covered: Option<Bounds>,
    /// The last plan: roots that are decided, all roots, and instances that were given up.
    pub plan: Plan,
    pub answered: u64,
    pub count: Natural,
    pub undecided: u64,
    pub tally: Tally,
}
