//! What a comparison is given and what it gives back.

use heddle_explore::Algorithm;
use heddle_memory::Model;
use heddle_semantics::ViolationKind;
use rustc_hash::FxHashSet;

/// How much effort a program is worth.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub model: Model,
    pub unwind: u32,
    /// Transitions of the naive search, after which the program is skipped.
    pub naive: u64,
    /// Transitions of the reductions on programs that naive did not finish.
    pub reduced: u64,
    /// Transitions of the searches that are there for one feature only: without
    /// undoing, with everything shared, with counted waiting.
    pub extra: u64,
    /// Look for data races too.
    pub races: bool,
    /// Waits for condition variables may end without a signal.
    pub spurious: bool,
    /// Compare `guided` and `stateful` too.
    pub others: bool,
    /// Ask the formula too.
    pub formula: bool,
    /// Compare the formulas of all encodings, and instances, with `naive`, and nothing else.
    pub encodings: bool,
    /// Formulas list no more values of a cell than these.
    pub listed: Option<usize>,
    /// Of all encodings, only this one.
    pub encoding: Option<heddle_encode::Method>,
    /// Compare proofs under scheduling constraints, and nothing else.
    pub constraints: bool,
    /// Compare explorers that keep to places with each other, and nothing else.
    pub places: bool,
    /// Compare invariants with all states, and nothing else.
    pub invariants: bool,
    /// Count what the schedulers of the step-wise encoding let through, and nothing else.
    pub interleavings: bool,
    /// Compare races by pairs of places with warnings, and nothing else.
    pub pairs: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            model: Model::Sc,
            unwind: 3,
            naive: 100_000,
            reduced: 100_000,
            extra: 20_000,
            races: false,
            spurious: false,
            others: true,
            formula: true,
            encodings: false,
            listed: None,
            encoding: None,
            constraints: false,
            places: false,
            invariants: false,
            interleavings: false,
            pairs: false,
        }
    }
}

/// In what respect two searches differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Respect {
    Verdict,
    Violations,
    FinalStates,
    /// An algorithm visits some trace twice or not at all.
    Traces,
    SleepBlocked,
    /// A reduction takes more steps than the naive search.
    Effort,
    /// The reference enumeration counts other executions than `naive`.
    Reference,
    /// Undoing does not lead back to where it started.
    Undo,
    Replay,
    /// Treating private memory as shared changes what is found.
    Sharing,
    /// Recognising waiting loops loses a violation.
    Waiting,
    /// Guided exploration misses or adds a violation.
    Guided,
    /// The formula of the sequentialisation says something else.
    Formula,
    /// Restrictions of the formula add or lose violations.
    Instances,
    /// Explorers that keep to places do not find the same, or lose something together.
    Places,
    /// A memory model loses what is possible under a stronger one, or adds to a
    /// program without data races.
    Models,
    /// An invariant does not hold in a state, or what follows from invariants is not so.
    Invariants,
    /// A scheduler of the step-wise encoding takes too many interleavings, or too few.
    Interleavings,
    /// Races are missed, or called impossible.
    Races,
    /// What was proven under constraints is not so.
    Constraints,
    /// A wait that ends without a signal matters, but was taken for one that does not.
    Wakeups,
    /// An allocation that fails matters, but was taken for one that does not.
    Allocations,
    Panic,
}

#[derive(Clone, Debug)]
pub struct Disagreement {
    pub respect: Respect,
    pub detail: String,
}

/// What a program took, when everything agreed.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    pub violations: FxHashSet<ViolationKind>,
    /// `naive` gave up: only the reductions were compared.
    pub skipped: bool,
    /// Nothing was compared at all.
    pub too_large: bool,
    /// Executions of each algorithm, in the order of [`heddle_explore::Algorithm::ALL`].
    pub executions: [u64; Algorithm::ALL.len()],
    /// The formula gave the same answer as the explorer; `None` if it gave none in
    /// the time it had.
    pub formula: Option<bool>,
}
