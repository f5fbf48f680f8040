//! What a machine has noticed, in any execution so far unless it says otherwise.

use heddle_ir::FuncId;
use heddle_semantics::{Bounds, Ends, NullTests, Unwritten, Violation};
use rustc_hash::FxHashSet;

use crate::machine::Unsupported;
use crate::observers::order::Instructions;

#[derive(Default)]
pub(crate) struct Findings {
    /// Violations of the last step.
    pub violations: Vec<Violation>,
    /// Bounds that cut something.
    pub bounds: Bounds,
    /// Most iterations with a visible step that any loop has had.
    pub iterations: u32,
    pub unsupported: Option<Unsupported>,
    pub ends: Ends,
    pub null_tests: NullTests,
    pub smuggled: bool,
    /// See [`Machine::undecided`](crate::Machine::undecided).
    pub undecided: Option<Unwritten>,
    /// Something happened that the guide does not reckon with.
    pub surprised: bool,
    /// Reads that the guide supposes nobody comes to.
    pub first_reads: FxHashSet<u32>,
    /// See [`Machine::identity_matters`](crate::Machine::identity_matters).
    pub identity: bool,
    /// See [`Machine::addresses_matter`](crate::Machine::addresses_matter).
    pub placed: bool,
    /// A loop that ran on for reasons that the guide hides.
    pub strayed: Option<(FuncId, u32)>,
    /// Threads that wait in a loop although the order has more to say about them.
    pub out_of_count: bool,
    /// Some atomic section has stopped for an input.
    pub stops_in_sections: bool,
    /// What the events of the order were.
    pub instructions: Instructions,
}

impl Findings {
    /// Takes over what another machine of the same program has noticed.
    pub fn merge(&mut self, other: &Findings) {
        self.bounds.merge(&other.bounds);
        self.iterations = self.iterations.max(other.iterations);
        self.unsupported = self.unsupported.take().or_else(|| other.unsupported.clone());
        self.ends.merge(&other.ends);
        self.null_tests.merge(&other.null_tests);
        self.smuggled |= other.smuggled;
        self.undecided = self.undecided.or(other.undecided);
        self.surprised |= other.surprised;
        self.first_reads.extend(&other.first_reads);
        self.identity |= other.identity;
        self.placed |= other.placed;
    }
}
