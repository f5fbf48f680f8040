//! What the Competition on Software Verification wants to read: properties, results and
//! witnesses (formats: <https://gitlab.com/sosy-lab/benchmarking/sv-witnesses>; GraphML 1.0 as in
//! Beyer et al., "Verification Witnesses", TOSEM 2022; YAML 2.0 as in Ayaziová et al.,
//! "Software Verification Witnesses 2.0", SPIN 2024).
//!
//! Deviations:
//! 1. Version 2.0 knows no threads. A violation witness in YAML therefore names only its
//!    target; the interleaving is in the GraphML one.
//! 2. Correctness witnesses hold no invariants: an explorer has none to give.

mod graphml;
pub mod sha256;
mod yaml;

use heddle_ir::Program;
use heddle_semantics::ViolationKind;

use crate::trace::Trace;

/// What a witness says of the task it belongs to.
#[derive(Clone, Debug)]
pub struct Task<'a> {
    pub program: &'a Program,
    /// The first file, as it was given, and its text.
    pub file: String,
    pub text: Vec<u8>,
    /// The property, as in a file of the competition.
    pub specification: String,
    pub ilp32: bool,
    /// `2026-01-31T12:00:00Z`.
    pub created: String,
    /// Heddle's.
    pub version: String,
}

/// A witness of a violation, or of correctness without a trace.
pub fn graphml(task: &Task<'_>, trace: Option<&Trace>) -> String {
    graphml::witness(task, trace)
}

/// The same, in version 2.0.
pub fn yaml(task: &Task<'_>, trace: Option<&Trace>) -> String {
    yaml::witness(task, trace)
}

/// The name of the property that a violation is one of; `None` for those of no category.
pub fn property(kind: ViolationKind) -> Option<&'static str> {
    Some(match kind {
        ViolationKind::Assertion => "unreach-call",
        ViolationKind::OutOfBounds
        | ViolationKind::UseAfterFree
        | ViolationKind::NullDereference => "valid-deref",
        ViolationKind::DoubleFree | ViolationKind::InvalidFree => "valid-free",
        ViolationKind::Leak => "valid-memtrack",
        ViolationKind::DataRace => "no-data-race",
        ViolationKind::SignedOverflow => "no-overflow",
        ViolationKind::Deadlock
        | ViolationKind::MutexMisuse
        | ViolationKind::DivisionByZero
        | ViolationKind::Terminate
        | ViolationKind::Abort
        | ViolationKind::Uninitialised => return None,
    })
}

impl Task<'_> {
    fn hash(&self) -> String {
        sha256::hex(&self.text)
    }

    fn architecture(&self) -> (&'static str, &'static str) {
        if self.ilp32 { ("32bit", "ILP32") } else { ("64bit", "LP64") }
    }
}
