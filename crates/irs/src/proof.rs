//! From a program to constraints under which it is safe.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use heddle_constraint::{ANY_SITE, Constrained, Event, Schedule};
use heddle_semantics::Failure;

use crate::Subject;
use crate::first::{INPUT, NoTrace, TOO_LONG, Way, search};
use crate::prover::{Answer, EventSites, Explorer, Prover};
use crate::relax::{Relaxation, Relaxed, Step};
use crate::run::{Ended, Run};

/// Traces that the proof of a first trace may look at: more than one if waiting loops can
/// turn more or less often.
const FIRST_EFFORT: u64 = 10_000;

/// Executions without an end after which no more are tried.
const TOO_OFTEN: u32 = 3;

/// A trace that was proven to be safe with all its constraints.
#[derive(Clone, Debug)]
pub struct Start {
    pub run: Run,
    pub traces: u64,
    pub sites: EventSites,
}

impl Start {
    /// What the constraints may cost natively, as far as their shape tells: section 5 of
    /// the paper found by hand that it is better if few threads wait often than if many
    /// wait rarely, and if a thread waits before its first event rather than later.
    fn cost(&self) -> (usize, usize, usize) {
        let edges = || self.run.trace.edges();
        let waiting: BTreeSet<u32> = edges().map(|edge| edge.second.thread).collect();
        let late = edges().filter(|edge| edge.second.index > 0).count();
        (waiting.len(), late, edges().count())
    }

    /// The proof before any constraint was dropped.
    pub fn step(&self) -> Step {
        Step { trace: self.run.trace.clone(), traces: self.traces, sites: self.sites.clone() }
    }
}

/// All ways of running the program that are safe under their own constraints, the best
/// guess first; at least one.
pub fn starts(
    subject: &Subject<'_>,
    interrupt: &Arc<AtomicBool>,
    most: usize,
) -> Result<Vec<Start>, NoTrace> {
    if subject.has_sections() {
        let reason = "the program has atomic sections, which a native run does not keep";
        return Err(NoTrace::Unknown(reason.to_string()));
    }
    let prover = Explorer { subject, interrupt: interrupt.clone() };
    let mut found: Vec<Start> = Vec::new();
    let mut reason = None;
    let mut too_long = 0;
    for way in Way::all() {
        // Random ones are for programs that fail in all the others.
        if found.len() >= most || matches!(way, Way::Random(_)) && !found.is_empty() {
            break;
        }
        let ended = way.run(subject, interrupt);
        let run = match ended.map_err(|error| NoTrace::Unknown(error.to_string()))? {
            Ended::Complete(run) => run,
            Ended::Violation(_) => continue,
            Ended::Other(other) => {
                reason.get_or_insert(other);
                continue;
            }
            Ended::Input => return Err(NoTrace::Unknown(INPUT.to_string())),
            Ended::TooLong if interrupt.load(Ordering::Relaxed) => {
                return Err(NoTrace::Unknown("stopped before one was found".to_string()));
            }
            Ended::TooLong => {
                too_long += 1;
                if too_long > TOO_OFTEN {
                    return Err(NoTrace::Unknown(TOO_LONG.to_string()));
                }
                continue;
            }
        };
        if found.iter().any(|start| start.run.trace == run.trace) {
            continue;
        }
        match prove_run(&prover, run) {
            Ok(start) => found.push(start),
            Err(other) => reason = Some(other),
        }
    }
    if found.is_empty() {
        let run = search(subject, interrupt).map_err(|error| match (error, reason) {
            (NoTrace::Unknown(_), Some(reason)) => NoTrace::Unknown(reason),
            (error, _) => error,
        })?;
        found.push(prove_run(&prover, run).map_err(NoTrace::Unknown)?);
    }
    found.sort_by_key(Start::cost);
    Ok(found)
}

fn prove_run(prover: &impl Prover, run: Run) -> Result<Start, String> {
    match prover.prove(&run.threads, &run.trace, FIRST_EFFORT) {
        Answer::Proven { traces, sites } => Ok(Start { run, traces, sites }),
        Answer::Violation(failure) => {
            Err(format!("a trace fails under its own constraints: {}", failure.violation.message))
        }
        Answer::GivenUp { .. } => Err("a single trace is too much to prove".to_string()),
        Answer::Unusable(reason) | Answer::Unknown(reason) => Err(reason),
    }
}

/// Drops constraints of a trace as long as that can be proven.
pub fn relax(
    subject: &Subject<'_>,
    start: &Start,
    interrupt: &Arc<AtomicBool>,
    on_step: &mut dyn FnMut(&Step) -> bool,
) -> Relaxed {
    let prover = Explorer { subject, interrupt: interrupt.clone() };
    let Run { threads, edges, .. } = &start.run;
    Relaxation::new(&prover, threads, start.step(), on_step).run(edges)
}

/// The file for a native program. Only events with constraints are kept.
pub fn schedule(subject: &Subject<'_>, run: &Run, step: &Step) -> Schedule {
    let mut schedule = Schedule::new(subject.hash, run.threads.clone());
    for edge in step.trace.edges() {
        schedule.trace.add_edge(edge);
    }
    let any = Constrained { site: ANY_SITE };
    let site = |event: Event| step.sites.get(&event).copied().unwrap_or(any);
    schedule.sites = schedule.trace.events().map(|event| (event, site(event))).collect();
    schedule
}

/// The violations that constraints rule out, each once.
pub fn distinct(failures: &[Failure]) -> Vec<&Failure> {
    let mut found: Vec<&Failure> = Vec::new();
    for failure in failures {
        let same = |other: &&Failure| {
            other.violation.kind == failure.violation.kind
                && other.violation.span == failure.violation.span
        };
        if !found.iter().any(same) {
            found.push(failure);
        }
    }
    found
}
