//! The verdict as a line, and as an exit code.

use heddle_ir::Program;
use heddle_semantics::{Bounds, Failure, Verdict, Violation};
use heddle_witness::Trace;

use crate::effort::Effort;
use crate::interrupt::Cause;

pub const EXIT_UNSAFE: u8 = 10;
pub const EXIT_UNKNOWN: u8 = 20;
/// Of a search that a signal ended, as shells use it for SIGINT.
pub const EXIT_INTERRUPTED: u8 = 130;

/// A verdict that may be told to people.
pub struct Outcome {
    pub verdict: Verdict,
    /// For an unsafe verdict, what was minimised and replayed.
    pub evidence: Option<(Failure, Trace)>,
    /// For an unknown verdict: who ended the search, and within which bounds it had looked
    /// at everything by then.
    pub stopped_by: Option<Cause>,
    pub covered: Option<Bounds>,
    /// Why the verdict is not a better one, where it does not say so itself.
    pub because: Option<String>,
}

impl Outcome {
    pub fn exit_code(&self, strict: bool) -> u8 {
        match self.verdict {
            Verdict::Safe => 0,
            Verdict::Bounded(_) if strict => EXIT_UNKNOWN,
            Verdict::Bounded(_) => 0,
            Verdict::Unsafe(_) => EXIT_UNSAFE,
            Verdict::Unknown(_) => self.stopped_by.map_or(EXIT_UNKNOWN, Cause::exit_code),
        }
    }

    /// Why the verdict is not a better one.
    pub fn reason(&self) -> Option<&str> {
        match &self.verdict {
            Verdict::Unknown(reason) => Some(reason),
            Verdict::Bounded(_) => self.because.as_deref(),
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
                let because = self.because.as_ref().map(|why| format!("; {why}"));
                let because = because.unwrap_or_default();
                format!("verdict: bounded (no violation with {bounds}{because})")
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
    format!("verdict: unsafe ({})", describe(program, violation))
}

/// `assertion at bank.c:31`.
pub fn describe(program: &Program, violation: &Violation) -> String {
    let span = violation.span;
    match program.files.get(span.file as usize).filter(|_| span.is_known()) {
        Some(file) => format!("{} at {}:{}", violation.kind, file.path, span.line),
        None => violation.kind.to_string(),
    }
}
