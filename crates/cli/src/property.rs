//! What counts as a violation, as `--check` names it.

use clap::ValueEnum;
use heddle_semantics::ViolationKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Property {
    /// Failed assertions, error functions that are called
    Assert,
    /// `abort` that is called
    Abort,
    /// Threads that wait for ever
    Deadlock,
    /// Bad accesses and frees, misuse of mutexes, division by zero, `std::terminate`
    Memory,
    /// Conflicting accesses, one of them not atomic, that nothing orders
    Race,
    /// Heap memory that is neither freed nor reachable at the end
    Leak,
    /// Signed integer arithmetic that overflows
    Overflow,
    /// Decisions that depend on memory or variables that were never written
    Uninit,
    /// All of these
    All,
}

impl Property {
    /// What is looked for unless something else is asked for.
    pub const DEFAULT: [Property; 4] =
        [Property::Assert, Property::Abort, Property::Deadlock, Property::Memory];

    pub fn name(self) -> &'static str {
        match self {
            Property::Assert => "assert",
            Property::Abort => "abort",
            Property::Deadlock => "deadlock",
            Property::Memory => "memory",
            Property::Race => "race",
            Property::Leak => "leak",
            Property::Overflow => "overflow",
            Property::Uninit => "uninit",
            Property::All => "all",
        }
    }

    /// No formula tells of it.
    pub fn is_for_explorers(self) -> bool {
        matches!(self, Property::Race | Property::Leak | Property::Uninit | Property::All)
    }

    /// Does a violation of this kind count?
    pub fn covers(self, kind: ViolationKind) -> bool {
        self == Property::All
            || self
                == match kind {
                    ViolationKind::Assertion => Property::Assert,
                    ViolationKind::Abort => Property::Abort,
                    ViolationKind::Deadlock => Property::Deadlock,
                    ViolationKind::DataRace => Property::Race,
                    ViolationKind::Leak => Property::Leak,
                    ViolationKind::SignedOverflow => Property::Overflow,
                    ViolationKind::Uninitialised => Property::Uninit,
                    ViolationKind::OutOfBounds
                    | ViolationKind::UseAfterFree
                    | ViolationKind::DoubleFree
                    | ViolationKind::InvalidFree
                    | ViolationKind::NullDereference
                    | ViolationKind::MutexMisuse
                    | ViolationKind::DivisionByZero
                    | ViolationKind::Terminate => Property::Memory,
                }
    }
}
