//! Encodings by name, and the bounds that they have.

use heddle_memory::Model;
use heddle_semantics::{Bounds, MemoryModel};

use crate::encodings::{Boundary, Encoding, Lazy};

/// How the interleavings of a bounded program become a formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// Threads take turns in rounds.
    #[default]
    Lazy,
    /// The same, with the memory at the start of each round guessed.
    LalReps,
}

const FIRST_ROUNDS: u32 = 2;
const MANY_ROUNDS: u32 = 6;

impl Method {
    pub const ALL: &[Method] = &[Method::Lazy, Method::LalReps];

    pub fn name(self) -> &'static str {
        match self {
            Method::Lazy => "lazy",
            Method::LalReps => "lal-reps",
        }
    }

    /// What its bound counts.
    pub fn unit(self) -> &'static str {
        match self {
            Method::Lazy | Method::LalReps => "rounds",
        }
    }

    /// Does it know the memory model?
    pub fn knows(self, _model: Model) -> bool {
        match self {
            Method::Lazy | Method::LalReps => true,
        }
    }

    pub(crate) fn first_bound(self) -> u32 {
        FIRST_ROUNDS
    }

    /// Most violations need little; to cover all, large steps do.
    pub(crate) fn next_bound(self, bound: u32) -> u32 {
        if bound < MANY_ROUNDS { bound + 1 } else { bound * 2 }
    }

    /// Interleavings beyond the bound were not looked at.
    pub(crate) fn limit(self, bounds: &mut Bounds, bound: u32) {
        match self {
            Method::Lazy | Method::LalReps => bounds.rounds = Some(bound),
        }
    }

    pub(crate) fn encoding<M: MemoryModel + 'static>(self) -> Box<dyn Encoding<M>> {
        match self {
            Method::Lazy => Box::new(Lazy::new(Boundary::Lazy)),
            Method::LalReps => Box::new(Lazy::new(Boundary::Guessed)),
        }
    }
}
