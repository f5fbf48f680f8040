//! Who proves that every execution under some constraints is safe.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use heddle_constraint::{ANY_SITE, Constrained, Event, Thread, Trace};
use heddle_explore::{Algorithm, Constraints, Options};
use heddle_machine::{Instructions, Order};
use heddle_memory::Model;
use heddle_semantics::{Failure, ThreadId, ThreadPath, Verdict};

use crate::Subject;

/// What stands for the instructions of the events that constraints speak of.
pub type EventSites = BTreeMap<Event, Constrained>;

/// What a prover says about constraints.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Every execution that keeps them is safe, and comes to its end. As many traces were
    /// verified; none if they were not looked at one by one.
    Proven { traces: u64, sites: EventSites },
    /// An execution that keeps them fails.
    Violation(Box<Failure>),
    /// They can't be relied on: they block an execution, or speak of events that others
    /// may take the place of.
    Unusable(String),
    /// It was too much.
    GivenUp { traces: u64 },
    /// It can't be told.
    Unknown(String),
}

/// Proves that every execution that keeps the edges of a trace is safe.
pub trait Prover {
    /// `effort` limits the number of traces.
    fn prove(&self, threads: &[Thread], trace: &Trace, effort: u64) -> Answer;
}

/// The explorer: for programs without inputs. The constraints become part of the program:
/// an event waits for those that edges put before it. Then every execution that is left
/// is explored, each Mazurkiewicz trace once.
///
/// It would not be enough to explore what follows one linearisation of a prefix: threads
/// that have no more events in the prefix run on natively while others are still in it.
pub struct Explorer<'s, 'p> {
    pub subject: &'s Subject<'p>,
    pub interrupt: Arc<AtomicBool>,
}

impl Prover for Explorer<'_, '_> {
    fn prove(&self, threads: &[Thread], trace: &Trace, effort: u64) -> Answer {
        let order = Arc::new(order_of(threads, trace));
        let options = Options {
            algorithm: Algorithm::Optimal,
            interrupt: self.interrupt.clone(),
            constraints: Some(Constraints { sites: self.subject.sites.clone(), order }),
            max_executions: Some(effort),
            ..Options::default()
        };
        let Subject { program, entry, .. } = *self.subject;
        let report = match heddle_explore::check(program, entry, Model::Sc, &options) {
            Ok(report) => report,
            Err(error) => return Answer::Unknown(error.to_string()),
        };
        let traces = report.stats.executions;
        match report.verdict {
            Verdict::Safe => {
                let sites = event_sites(self.subject, &report.instructions);
                Answer::Proven { traces, sites }
            }
            Verdict::Unsafe(failure) => Answer::Violation(failure),
            Verdict::Bounded(bounds) => Answer::Unknown(bounds.to_string()),
            Verdict::Unknown(_) if traces + report.stats.blocked + report.stats.cut >= effort => {
                Answer::GivenUp { traces }
            }
            Verdict::Unknown(reason) if reason.starts_with("constraints") => {
                Answer::Unusable(reason)
            }
            Verdict::Unknown(reason) => Answer::Unknown(reason),
        }
    }
}

/// What stands for instructions in a schedule.
pub(crate) fn event_sites(subject: &Subject<'_>, instructions: &Instructions) -> EventSites {
    let site = |site: Option<u32>| site.map_or(ANY_SITE, |site| subject.code_of(site));
    instructions
        .iter()
        .map(|(event, &found)| (Event::new(event.0.0, event.1), Constrained { site: site(found) }))
        .collect()
}

/// The edges of a trace as the interpreter keeps them.
pub fn order_of(threads: &[Thread], trace: &Trace) -> Order {
    let path = |thread: &Thread| ThreadPath {
        parent: ThreadId(thread.parent),
        nth: thread.nth,
        queue: false,
    };
    let mut order = Order::new(threads.iter().map(path).collect());
    let name = |event: Event| (ThreadId(event.thread), event.index);
    for edge in trace.edges() {
        order.add(name(edge.first), name(edge.second), edge.condition.is_some());
    }
    order
}
