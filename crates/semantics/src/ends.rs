//! Has any run come to its end?
//!
//! A program whose every run is cut by an assumption violates nothing, whatever it
//! does; to call that safe would hide that the assumptions are wrong. Where the process
//! exits, aborts or is stuck, or a bound cuts, a run has come to its end: other threads
//! that stand before a failing assumption then could have stopped before it.

use heddle_ir::{Program, Span};

/// What the reason for a verdict begins with if no run is complete.
pub const VACUOUS: &str = "no execution is complete";

/// How runs ended, in any execution so far.
#[derive(Clone, Debug, Default)]
pub struct Ends {
    complete: bool,
    /// The first assumption that failed, and whether others did.
    assumption: Option<Span>,
    several: bool,
}

impl Ends {
    pub fn complete(&mut self) {
        self.complete = true;
    }

    /// Is it of any use to know of another assumption?
    pub fn wants_more(&self) -> bool {
        !self.complete && !self.several
    }

    pub fn assumption_failed(&mut self, span: Span) {
        self.several |= self.assumption.is_some_and(|first| first != span);
        self.assumption.get_or_insert(span);
    }

    pub fn merge(&mut self, other: &Ends) {
        self.complete |= other.complete;
        self.several |= other.several;
        if let Some(span) = other.assumption {
            self.assumption_failed(span);
        }
    }

    /// Why there is nothing to be said about the program, if that is so.
    pub fn vacuous(&self, program: &Program) -> Option<String> {
        let first = self.assumption.filter(|_| !self.complete)?;
        let place = program.position(first);
        let place = place.map_or(String::new(), |place| format!(" at {place}"));
        Some(match self.several {
            false => format!("{VACUOUS}: the assumption{place} fails in all of them"),
            true => format!("{VACUOUS}: assumptions fail in all of them, one{place}"),
        })
    }
}
