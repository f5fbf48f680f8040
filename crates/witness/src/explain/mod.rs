//! A failure in sentences: which read saw which write, what came in between, which lock was
//! missing; and a hint where the run has the shape of a common mistake.
//!
//! Everything is read off the replayed run. Nothing is guessed about other runs, so a hint
//! says what would have prevented this one. Where the shape is none that is known, the
//! sentences only tell what the failing thread saw.

mod freed;
mod reads;
mod shape;
mod stuck;

use heddle_ir::{Program, Span};
use heddle_semantics::{ThreadId, ViolationKind};

use crate::context::HeldLock;
use crate::text::thread_title;
use crate::trace::{Step, Trace};

/// Why a run fails, for people.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Explanation {
    pub sentences: Vec<String>,
    /// What would have prevented it.
    pub hint: Option<String>,
    /// The name of the mistake, if it is a common one.
    pub pattern: Option<&'static str>,
}

pub fn explain(program: &Program, trace: &Trace) -> Explanation {
    let story = Story { program, trace };
    match trace.violation.kind {
        ViolationKind::Deadlock => stuck::deadlock(&story),
        ViolationKind::DataRace => freed::race(&story),
        ViolationKind::UseAfterFree | ViolationKind::DoubleFree => freed::freed(&story),
        ViolationKind::MutexMisuse => stuck::misuse(&story),
        ViolationKind::Leak => freed::leak(&story),
        _ => reads::seen(&story),
    }
}

/// A run, and words for what is in it.
struct Story<'a> {
    program: &'a Program,
    trace: &'a Trace,
}

impl<'a> Story<'a> {
    fn steps(&self) -> &'a [Step] {
        &self.trace.steps
    }

    /// `T1 deposit`.
    fn who(&self, thread: ThreadId) -> String {
        thread_title(self.trace, thread)
    }

    /// ` at line 15`; with the file's name if it is not the one that the report is about.
    fn at(&self, span: Span) -> String {
        let failed = self.trace.violation.span;
        match self.program.files.get(span.file as usize).filter(|_| span.is_known()) {
            Some(_) if failed.is_known() && failed.file == span.file => {
                format!(" at line {}", span.line)
            }
            Some(file) => {
                let name = file.path.rsplit('/').next().unwrap_or(&file.path);
                format!(" at {name}:{}", span.line)
            }
            None => String::new(),
        }
    }

    fn at_step(&self, step: usize) -> String {
        self.at(self.steps()[step].span)
    }

    /// `counter`, as the step calls it.
    fn what(&self, step: usize) -> &'a str {
        self.steps()[step].operation.place.as_deref().unwrap_or("it")
    }

    /// `counter = 1`.
    fn what_and_value(&self, step: usize) -> String {
        match &self.steps()[step].operation.value {
            Some(value) => format!("{} = {value}", self.what(step)),
            None => self.what(step).to_string(),
        }
    }

    fn lock_name(&self, lock: &HeldLock) -> &'a str {
        &self.trace.locations[lock.location].name
    }

    /// Locks that a thread held just before a step of the run, or at its end.
    fn held_before(&self, thread: ThreadId, step: usize) -> &'a [HeldLock] {
        let mut own = self.steps()[..step].iter().rev().filter(|step| step.thread == thread);
        own.next().map_or(&[], |step| &step.context.locks)
    }

    fn locks_text(&self, locks: &[HeldLock]) -> String {
        match locks {
            [] => "no lock".to_string(),
            locks => {
                let names: Vec<&str> = locks.iter().map(|lock| self.lock_name(lock)).collect();
                names.join(" and ")
            }
        }
    }

    fn overlap(&self, a: usize, b: usize) -> bool {
        match (self.steps()[a].context.location, self.steps()[b].context.location) {
            (Some(a), Some(b)) => a == b || self.trace.locations[a].overlaps.contains(&b),
            _ => false,
        }
    }

    fn is_read(&self, step: usize) -> bool {
        let step = &self.steps()[step];
        matches!(step.operation.verb, "read" | "failed swap" | "update" | "swap")
    }

    /// It changes memory, for all to see.
    fn is_store(&self, step: usize) -> bool {
        let verb = self.steps()[step].operation.verb;
        matches!(verb, "write" | "reaches memory" | "update" | "swap")
    }

    /// It is where the program says to write.
    fn is_written(&self, step: usize) -> bool {
        matches!(self.steps()[step].operation.verb, "write" | "buffered" | "update" | "swap")
    }

    /// When a store gets to memory; `None` if it never does.
    fn arrives(&self, step: usize) -> Option<usize> {
        match self.steps()[step].operation.verb {
            "buffered" => self.steps().iter().position(|other| other.context.made == Some(step)),
            _ => Some(step),
        }
    }

    /// Where a store was made that a read sees.
    fn made(&self, step: usize) -> usize {
        self.steps()[step].context.made.unwrap_or(step)
    }
}
