//! The first trace: a complete execution without a violation.
//!
//! Ways to run a program that cost little are tried first: one thread after the other,
//! in turns, at random. Where all of them fail, every execution is searched.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use heddle_explore::{Constraints, Options};
use heddle_machine::{Order, SetupError};
use heddle_memory::Model;
use heddle_semantics::{ThreadId, Verdict, Violation};

use crate::Subject;
use crate::run::{Ended, Run, execute, repeat};

/// Why there is no trace of a program that does not end.
pub(crate) const TOO_LONG: &str = "no execution was followed to its end";

/// Random executions that are tried.
const RANDOM: u64 = 32;

/// How to pick the next thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A thread runs as long as it can; then the one that was created first.
    OldestFirst,
    /// The same with the one that was created last.
    NewestFirst,
    /// Children run to their end before their parents go on.
    ChildrenFirst,
    /// A step each.
    InTurns,
    Random(u64),
}

impl Way {
    pub fn all() -> impl Iterator<Item = Way> {
        use Way::*;
        let random = (1..=RANDOM).map(Random);
        [OldestFirst, ChildrenFirst, NewestFirst, InTurns].into_iter().chain(random)
    }

    /// Executes the program, with inputs that depend on `guess`. Tells whether it read any.
    pub fn run(
        self,
        subject: &Subject<'_>,
        interrupt: &AtomicBool,
        guess: u64,
    ) -> Result<(Ended, bool), SetupError> {
        let mut drawn = guess;
        let input = || match guess {
            0 | 1 => guess,
            _ => {
                drawn = draw(drawn);
                drawn >> 60
            }
        };
        let mut seed = match self {
            Way::Random(seed) => seed,
            _ => 0,
        };
        let next = |enabled: &[ThreadId], last: Option<ThreadId>| {
            let stays = last.filter(|last| enabled.contains(last));
            let newest = *enabled.last().expect("a thread");
            match self {
                Way::OldestFirst => stays.unwrap_or(enabled[0]),
                Way::NewestFirst => stays.unwrap_or(newest),
                Way::ChildrenFirst => newest,
                Way::InTurns => {
                    let after = |thread: &&ThreadId| last.is_none_or(|last| **thread > last);
                    enabled.iter().find(after).copied().unwrap_or(enabled[0])
                }
                Way::Random(_) => {
                    seed = draw(seed);
                    enabled[(seed >> 33) as usize % enabled.len()]
                }
            }
        };
        execute(subject, interrupt, next, input)
    }
}

fn draw(seed: u64) -> u64 {
    seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e)
}

/// What was found instead of a first trace.
#[derive(Debug)]
pub enum NoTrace {
    /// Every execution fails; one of the violations.
    AllFail(Violation),
    /// It can't be told whether there is one.
    Unknown(String),
}

/// Any complete execution without a violation, by a search of all.
pub(crate) fn search(subject: &Subject<'_>, interrupt: &Arc<AtomicBool>) -> Result<Run, NoTrace> {
    let sites = subject.sites.clone();
    let options = Options {
        constraints: Some(Constraints { sites, order: Arc::new(Order::new(Vec::new())) }),
        interrupt: interrupt.clone(),
        keep_going: true,
        accept: true,
        ..Options::default()
    };
    let unknown = |error: SetupError| NoTrace::Unknown(error.to_string());
    let report = heddle_explore::check(subject.program, subject.entry, Model::Sc, &options)
        .map_err(unknown)?;
    if let Some(schedule) = report.accepted {
        return match repeat(subject, &schedule).map_err(unknown)? {
            Ended::Complete(run) => Ok(run),
            Ended::Violation(violation) => Err(NoTrace::AllFail(violation)),
            Ended::Other(reason) => Err(NoTrace::Unknown(reason)),
            Ended::TooLong => Err(NoTrace::Unknown(TOO_LONG.to_string())),
        };
    }
    Err(match report.verdict {
        Verdict::Unsafe(failure) => NoTrace::AllFail(failure.violation),
        Verdict::Unknown(reason) => NoTrace::Unknown(reason),
        Verdict::Safe => NoTrace::Unknown("no execution comes to its end".to_string()),
        Verdict::Bounded(bounds) => {
            NoTrace::Unknown(format!("no execution comes to its end within {bounds}"))
        }
    })
}
