//! Encodings by name, and the bounds that they have.

use heddle_memory::Model;
use heddle_semantics::{Bounds, MemoryModel};

use crate::encodings::{
    Axiomatic, Boundary, Coarse, Encoding, Formula, Imu, Keeper, Lazy, Mu, Reads, Reduction, Steps,
};
use crate::watch::Stop;

/// How the interleavings of a bounded program become a formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// Threads take turns in rounds.
    #[default]
    Lazy,
    /// The same, with the memory at the start of each round guessed.
    LalReps,
    /// The sequence of all writes is guessed.
    Mu(Schema),
    /// The sequence of writes to each location is guessed, and times.
    Imu,
    /// What each read takes is guessed; the order that this asks for is seen to.
    Order(Keeping),
    /// One transition after another; a scheduler leaves out interleavings like others.
    Steps(Reduction),
}

/// Who sees to an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keeping {
    /// A theory in the solver.
    Theory,
    /// The formula, with a clock for each event.
    Clocks,
}

/// What is kept of a sequence of writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Schema {
    /// The value of every variable after every write.
    Explicit,
    /// What is written.
    Implicit,
    /// The one for variables by themselves, the other for arrays.
    Hybrid,
    /// The values of all variables after some of the writes.
    Coarse,
}

const FIRST_ROUNDS: u32 = 2;
const MANY_ROUNDS: u32 = 6;
const FIRST_WRITES: u32 = 4;
const FIRST_DEPTH: u32 = 10;
/// Steps that a turn of loops is taken to need.
const TURN: u32 = 16;

impl Method {
    pub const ALL: &[Method] = &[
        Method::Lazy,
        Method::LalReps,
        Method::Mu(Schema::Explicit),
        Method::Mu(Schema::Implicit),
        Method::Mu(Schema::Hybrid),
        Method::Mu(Schema::Coarse),
        Method::Imu,
        Method::Order(Keeping::Theory),
        Method::Order(Keeping::Clocks),
        Method::Steps(Reduction::None),
        Method::Steps(Reduction::Monotonic),
        Method::Steps(Reduction::Insensitive),
    ];

    pub fn name(self) -> &'static str {
        match self {
            Method::Lazy => "lazy",
            Method::LalReps => "lal-reps",
            Method::Mu(Schema::Explicit) => "mu explicit",
            Method::Mu(Schema::Implicit) => "mu implicit",
            Method::Mu(Schema::Hybrid) => "mu hybrid",
            Method::Mu(Schema::Coarse) => "mu coarse",
            Method::Imu => "imu",
            Method::Order(Keeping::Theory) => "order",
            Method::Order(Keeping::Clocks) => "order clocks",
            Method::Steps(Reduction::None) => "steps",
            Method::Steps(Reduction::Monotonic) => "steps mpor",
            Method::Steps(Reduction::Insensitive) => "steps sir",
        }
    }

    /// What its bound counts.
    pub fn unit(self) -> &'static str {
        match self {
            Method::Lazy | Method::LalReps => "rounds",
            Method::Mu(Schema::Coarse) => "clusters",
            Method::Mu(_) => "writes",
            Method::Imu => "writes a location",
            Method::Order(_) => "interleavings",
            Method::Steps(_) => "depth",
        }
    }

    /// Its bound in words: `rounds 3`.
    pub fn describe(self, bound: u32) -> String {
        match self {
            Method::Order(_) => "every interleaving".to_string(),
            _ => format!("{} {bound}", self.unit()),
        }
    }

    /// Does it know the memory model?
    pub fn knows(self, model: Model) -> bool {
        match self {
            Method::Lazy | Method::LalReps | Method::Imu | Method::Order(_) => true,
            Method::Mu(_) | Method::Steps(_) => model == Model::Sc,
        }
    }

    /// The one to begin with.
    pub fn first_bound(self) -> u32 {
        match self {
            Method::Lazy | Method::LalReps | Method::Mu(Schema::Coarse) | Method::Imu => {
                FIRST_ROUNDS
            }
            Method::Mu(_) => FIRST_WRITES,
            Method::Order(_) => 1,
            Method::Steps(_) => FIRST_DEPTH,
        }
    }

    /// Most violations need little; to cover all, large steps do.
    pub fn next_bound(self, bound: u32) -> u32 {
        match self {
            Method::Lazy | Method::LalReps | Method::Mu(Schema::Coarse) | Method::Imu
                if bound < MANY_ROUNDS =>
            {
                bound + 1
            }
            Method::Steps(_) => bound + bound / 2,
            _ => bound * 2,
        }
    }

    /// Is it time for a larger bound rather than for more turns of loops?
    pub fn is_behind(self, bound: u32, unwind: u32) -> bool {
        match self {
            Method::Lazy | Method::LalReps | Method::Mu(Schema::Coarse) | Method::Imu => {
                bound <= unwind
            }
            Method::Mu(_) => bound <= FIRST_WRITES * unwind,
            Method::Order(_) => false,
            Method::Steps(_) => bound <= TURN * unwind,
        }
    }

    /// Interleavings beyond the bound were not looked at.
    pub(crate) fn limit(self, bounds: &mut Bounds, bound: u32) {
        let field = match self {
            Method::Lazy | Method::LalReps => &mut bounds.rounds,
            Method::Mu(Schema::Coarse) => &mut bounds.clusters,
            Method::Mu(_) => &mut bounds.writes,
            Method::Imu => &mut bounds.location_writes,
            Method::Steps(_) => &mut bounds.depth,
            // There is none.
            Method::Order(_) => return,
        };
        *field = Some(bound);
    }

    pub(crate) fn encoding<M: MemoryModel>(
        self,
        formula: &mut Formula<'_, M>,
    ) -> Result<Box<dyn Encoding<M>>, Stop> {
        Ok(match self {
            Method::Lazy => Box::new(Lazy::new(Boundary::Lazy)),
            Method::LalReps => Box::new(Lazy::new(Boundary::Guessed)),
            Method::Mu(Schema::Explicit) => Box::new(Mu::new(formula, Reads::Explicit)),
            Method::Mu(Schema::Implicit) => Box::new(Mu::new(formula, Reads::Implicit)),
            Method::Mu(Schema::Hybrid) => Box::new(Mu::new(formula, Reads::Hybrid)),
            Method::Mu(Schema::Coarse) => Box::new(Coarse::new(formula)),
            Method::Imu => Box::new(Imu::new(formula)?),
            Method::Order(Keeping::Theory) => Box::new(Axiomatic::new(formula, Keeper::Theory)),
            Method::Order(Keeping::Clocks) => Box::new(Axiomatic::new(formula, Keeper::Clocks)),
            Method::Steps(reduction) => Box::new(Steps::new(formula, reduction)?),
        })
    }
}
