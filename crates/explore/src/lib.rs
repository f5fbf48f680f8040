//! Explicit search of a program's interleavings.
//!
//! One algorithm a file, over a common [`search::Search`]: `naive` takes every
//! interleaving, `dpor` and `optimal` take one for each (or nearly each)
//! Mazurkiewicz trace, `guided` one for each trace of what matters, `stateful` every state
//! once; `random` takes a sample.

mod deepen;
mod dpor;
mod expand;
mod guided;
mod inputs;
mod naive;
mod optimal;
mod places;
mod random;
mod rehearse;
mod search;
mod sleep;
mod stateful;
mod supposition;
mod trace;
mod wakeup;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use deepen::check;
pub use guided::{GuidedStats, Part};
use heddle_machine::{Instructions, Order, VisibleSites};
use heddle_semantics::{Bounds, Failure, Schedule, Stopped, Verdict, ViolationKind};
pub use inputs::Inputs;
pub use places::{Place, Places};
pub use random::Sample;
pub use search::{Findings, peak_bytes, resident_bytes};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Algorithm {
    /// Every interleaving: the oracle.
    Naive,
    /// Flanagan and Godefroid's reduction with sleep sets.
    Dpor,
    /// One execution for each Mazurkiewicz trace.
    #[default]
    Optimal,
    /// One execution for each trace of what can influence a property.
    Guided,
    /// Every state once, those with the fewest preemptions first.
    Stateful,
    /// A sample of the interleavings, which proves nothing.
    Random,
}

impl Algorithm {
    pub const ALL: &[Algorithm] = &[
        Algorithm::Naive,
        Algorithm::Dpor,
        Algorithm::Optimal,
        Algorithm::Guided,
        Algorithm::Stateful,
        Algorithm::Random,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Naive => "naive",
            Algorithm::Dpor => "dpor",
            Algorithm::Optimal => "optimal",
            Algorithm::Guided => "guided",
            Algorithm::Stateful => "stateful",
            Algorithm::Random => "random",
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = String;

    fn from_str(text: &str) -> Result<Algorithm, String> {
        let known = Algorithm::ALL.iter().find(|algorithm| algorithm.name() == text);
        known.copied().ok_or_else(|| format!("unknown algorithm '{text}'"))
    }
}

/// Told of each race, with the schedule that ends with its second access; several searches
/// may call it at the same time.
pub type OnRace = Box<dyn Fn(Failure) + Send + Sync>;

/// How often to report, and to whom.
pub type Progress = Box<dyn Fn(&Stats) + Send + Sync>;

#[derive(Default)]
pub struct Options {
    pub algorithm: Algorithm,
    /// Bound on loop iterations with visible steps; `None`: deepen until nothing
    /// is cut.
    pub unwind: Option<u32>,
    /// Bound on threads of a run, main among them; `None`: deepen until nothing is cut.
    pub max_threads: Option<u32>,
    /// Bound on instructions of a thread between two visible steps; `None`: the usual one.
    pub max_steps: Option<u64>,
    /// For `stateful`: bound on preemptions.
    pub max_switches: Option<u32>,
    /// For `stateful`: in the order of delays instead of preemptions.
    pub delays: bool,
    /// For `stateful`: tell why there are so many states, on one core.
    pub why_new: bool,
    /// For `stateful`: bytes of waiting states in memory; more go to a temporary file.
    pub waiting_bytes: Option<u64>,
    /// For `naive` and `stateful`: only runs that are preempted elsewhere; a proof is one about
    /// these.
    pub places: Option<Places>,
    /// For `stateful`: keep whole states instead of hashes.
    pub strict_states: bool,
    /// For `stateful`: the last state that was found first, on one core. Takes less memory
    /// for states that wait, and finds longer runs.
    pub depth_first: bool,
    /// For `random`: where its numbers begin, and how many runs it makes; else it stops when
    /// it sees nothing new.
    pub seed: u64,
    pub runs: Option<u64>,
    /// For `stateful` and `random`: searches at the same time, at least one.
    pub jobs: usize,
    /// So many states that cost the same are worth waking the others for.
    pub worth: Option<usize>,
    pub interrupt: Arc<AtomicBool>,
    /// In bytes of resident memory.
    pub memory_limit: Option<u64>,
    /// Kinds of violations that do not count. The thread that violates still ends
    /// there; where it would not in reality, the verdict is not `safe`.
    pub ignored: Vec<ViolationKind>,
    /// Look for data races too.
    pub races: bool,
    /// Tell of each pair of places that races, and go on: no race ends the search.
    pub on_race: Option<OnRace>,
    /// Look for memory that is lost at the end, too.
    pub leaks: bool,
    /// Look for signed overflow too.
    pub overflow: bool,
    /// Look for decisions that depend on undefined values too.
    pub uninitialised: bool,
    /// Parts of [`Algorithm::Guided`] that are switched off.
    pub without: Vec<Part>,
    /// Go on after a violation, and keep [`Findings`].
    pub keep_going: bool,
    /// Count steps like a native run, under constraints.
    pub constraints: Option<Constraints>,
    /// Give up after as many executions.
    pub max_executions: Option<u64>,
    /// Stop at the first complete execution without a violation.
    pub accept: bool,
    /// Called now and then.
    pub progress: Option<Progress>,
}

/// What a native run counts as an event, and which orders of events it keeps.
#[derive(Clone)]
pub struct Constraints {
    pub sites: Arc<VisibleSites>,
    pub order: Arc<Order>,
}

/// The effort of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stats {
    /// Complete executions.
    pub executions: u64,
    /// Executions that ended in a failed assumption or a waiting loop.
    pub blocked: u64,
    /// Executions that a bound or a violation cut.
    pub cut: u64,
    /// Explorations given up because everything enabled slept; none with `optimal`.
    pub sleep_blocked: u64,
    /// Branches given up because the step that was to be reversed had to wait.
    pub infeasible: u64,
    pub transitions: u64,
    /// For `stateful`: states seen, those that wait for their turn, preemptions
    /// allowed so far, and how many states are expected to be missed because two have
    /// the same hash.
    pub states: u64,
    pub frontier: u64,
    pub switches: u32,
    pub missed: f64,
    /// Bytes of the states seen, without those that wait.
    pub state_bytes: u64,
    /// Most bytes that those which wait took, in memory and on disk.
    pub frontier_bytes: u64,
    pub disk_bytes: u64,
    /// What is counted as preemptions are delays.
    pub delays: bool,
    /// For [`Options::why_new`].
    pub why_new: Vec<String>,
    pub max_depth: u64,
    pub seconds: f64,
    pub peak_bytes: u64,
    /// For [`Algorithm::Random`].
    pub sample: Option<Sample>,
    /// For [`Algorithm::Guided`].
    pub guided: Option<GuidedStats>,
    /// Within these bounds a search that goes on, or was stopped, has looked at everything.
    pub covered: Option<Bounds>,
}

pub struct Report {
    pub verdict: Verdict,
    /// Who ended the search, if it did not end by itself; the verdict is unknown then.
    pub stopped: Option<Stopped>,
    pub stats: Stats,
    pub findings: Findings,
    /// For [`Options::accept`].
    pub accepted: Option<Schedule>,
    /// For [`Options::constraints`].
    pub instructions: Instructions,
}
