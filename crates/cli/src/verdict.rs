//! The verdict as a line, and as an exit code.

use heddle_ir::Program;
use heddle_semantics::{Failure, Verdict, Violation};
use heddle_witness::Trace;

use crate::effort::Effort;

pub const EXIT_UNSAFE: u8 = 10;
pub const EXIT_UNKNOWN: u8 = 20;

/// A verdict that may be told to people.
pub struct Outcome {
    pub verdict: Verdict,
    /// For an unsafe verdict, what was minimised and replayed.
    pub evidence: Option<(Failure, Trace)>,
    /// Who ended the search before its end, if somebody did.
    pub stopped_by: Option<String>,
}

impl Outcome {
    pub fn exit_code(&self, strict: bool) -> u8 {
        match self.verdict {
            Verdict::Safe => 0,
            Verdict::Bounded(_) if strict => EXIT_UNKNOWN,
            Verdict::Bounded(_) => 0,
            Verdict::Unsafe(_) => EXIT_UNSAFE,
            Verdict::Unknown(_) => EXIT_UNKNOWN,
        }
    }

    /// Why the verdict is not a better one.
    pub fn reason(&self) -> Option<&str> {
        match &self.verdict {
            Verdict::Unknown(reason) => Some(reason),
            Verdict::Bounded(_) => self.stopped_by.as_deref(),
            Verdict::Safe | Verdict::Unsafe(_) => None,
        }
    }

    /// The last line on standard output.
    pub fn line(&self, program: &Program, effort: &Effort) -> String {
        match &self.verdict {
            Verdict::Safe => {
                let missed = effort.missed().map(|missed| format!(", {missed}"));
                let (effort, missed) = (effort.short(), missed.unwrap_or_default());
                format!("verdict: safe (no violation in any interleaving; {effort}{missed})")
            }
            Verdict::Bounded(bounds) => {
                let stopped = self.stopped_by.as_ref().map(|cause| format!("; {cause}"));
                let stopped = stopped.unwrap_or_default();
                format!("verdict: bounded (no violation with {bounds}{stopped})")
            }
            Verdict::Unsafe(failure) => unsafe_line(program, &failure.violation),
            Verdict::Unknown(reason) => {
                format!("verdict: unknown ({})", reason.replace('\n', " "))
            }
        }
    }
}

/// `verdict: unsafe (assertion at bank.c:31)`.
pub fn unsafe_line(program: &Program, violation: &Violation) -> String {
    let span = violation.span;
    match program.files.get(span.file as usize).filter(|_| span.is_known()) {
        Some(file) => {
            format!("verdict: unsafe ({} at {}:{})", violation.kind, file.path, span.line)
        }
        None => format!("verdict: unsafe ({})", violation.kind),
    }
}
