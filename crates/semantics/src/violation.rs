//! What can go wrong in a program, and where.

use std::fmt;

use heddle_ir::{FuncId, Program, Span};
use serde::{Deserialize, Serialize};

use crate::ThreadId;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ViolationKind {
    Assertion,
    Deadlock,
    OutOfBounds,
    UseAfterFree,
    DoubleFree,
    InvalidFree,
    NullDereference,
    MutexMisuse,
    DivisionByZero,
    Terminate,
    Abort,
    DataRace,
    #[serde(rename = "memory-leak")]
    Leak,
    SignedOverflow,
    Uninitialised,
}

/// Functions by which a program may go on after a signal.
const HANDLES: [&str; 5] = ["signal", "sigaction", "bsd_signal", "__sysv_signal", "sigset"];

/// Whether an operation that the processor refuses ends a program: nothing handles the signal.
pub fn traps_end(program: &Program) -> bool {
    !program.functions.iter().any(|function| HANDLES.contains(&&*function.name))
}

impl ViolationKind {
    /// Every kind, in the order in which they are listed for people.
    pub const ALL: &[ViolationKind] = &[
        ViolationKind::Assertion,
        ViolationKind::Deadlock,
        ViolationKind::OutOfBounds,
        ViolationKind::UseAfterFree,
        ViolationKind::DoubleFree,
        ViolationKind::InvalidFree,
        ViolationKind::NullDereference,
        ViolationKind::MutexMisuse,
        ViolationKind::DivisionByZero,
        ViolationKind::Terminate,
        ViolationKind::Abort,
        ViolationKind::DataRace,
        ViolationKind::Leak,
        ViolationKind::SignedOverflow,
        ViolationKind::Uninitialised,
    ];

    /// Whether the process ends there by itself, looked for or not: the C library ends it, or
    /// the processor stops it (see [`traps_end`]). What other threads still do they could have
    /// done before.
    pub fn ends_process(self, traps_end: bool) -> bool {
        match self {
            ViolationKind::Assertion | ViolationKind::Abort | ViolationKind::Terminate => true,
            ViolationKind::NullDereference | ViolationKind::DivisionByZero => traps_end,
            _ => false,
        }
    }

    /// The machine-readable name, as in JSON.
    pub fn name(self) -> &'static str {
        match self {
            ViolationKind::Assertion => "assertion",
            ViolationKind::Deadlock => "deadlock",
            ViolationKind::OutOfBounds => "out-of-bounds",
            ViolationKind::UseAfterFree => "use-after-free",
            ViolationKind::DoubleFree => "double-free",
            ViolationKind::InvalidFree => "invalid-free",
            ViolationKind::NullDereference => "null-dereference",
            ViolationKind::MutexMisuse => "mutex-misuse",
            ViolationKind::DivisionByZero => "division-by-zero",
            ViolationKind::Terminate => "terminate",
            ViolationKind::Abort => "abort",
            ViolationKind::DataRace => "data-race",
            ViolationKind::Leak => "memory-leak",
            ViolationKind::SignedOverflow => "signed-overflow",
            ViolationKind::Uninitialised => "uninitialised",
        }
    }
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One call on a stack: the function and where in it execution stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StackEntry {
    pub function: FuncId,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Violation {
    pub kind: ViolationKind,
    /// The thread that failed; for a deadlock, one of those that wait.
    pub thread: ThreadId,
    pub span: Span,
    /// Of a data race, where the access before stands.
    pub other: Span,
    pub message: String,
    /// Innermost call first.
    pub stack: Vec<StackEntry>,
}
