//! From a program to constraints under which it is safe.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use heddle_constraint::{ANY_SITE, Constrained, Edge, Event, Schedule};
use heddle_semantics::Failure;

use crate::Subject;
use crate::first::{NoTrace, TOO_LONG, Way, search};
use crate::formula::Formula;
use crate::prover::{Answer, EventSites, Explorer, Prover};
use crate::relax::{Relaxation, Relaxed, Step};
use crate::run::{Ended, Run};

/// Traces that the proof of a first trace may look at: more than one if waiting loops can
/// turn more or less often.
const FIRST_EFFORT: u64 = 10_000;

/// Traces to choose from if each is proven for all inputs.
const ENOUGH_WITH_INPUTS: usize = 2;

/// Inputs to try after zero: one, and small numbers at random.
const GUESSES: &[u64] = &[1, 2, 3, 4];

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
    let mut search = Search { subject, interrupt, most, found: Vec::new(), reason: None };
    if search.try_ways(0)? {
        for guess in GUESSES {
            if search.found.is_empty() {
                search.try_ways(*guess)?;
            }
        }
    } else if search.found.is_empty() {
        search.try_all()?;
    }
    let Search { mut found, reason, .. } = search;
    if found.is_empty() {
        let nothing = || "no execution was found that is safe for all inputs".to_string();
        return Err(NoTrace::Unknown(reason.unwrap_or_else(nothing)));
    }
    found.sort_by_key(Start::cost);
    Ok(found)
}

/// Looks for first traces.
struct Search<'a, 'p> {
    subject: &'a Subject<'p>,
    interrupt: &'a Arc<AtomicBool>,
    most: usize,
    found: Vec<Start>,
    /// Why one was not taken.
    reason: Option<String>,
}

impl Search<'_, '_> {
    /// Tries all ways to run the program with some inputs. Tells whether it reads any.
    fn try_ways(&mut self, guess: u64) -> Result<bool, NoTrace> {
        let mut reads_any = false;
        let mut too_long = 0;
        for way in Way::all() {
            // Random ones are for programs that fail in all the others.
            let random = matches!(way, Way::Random(_));
            let enough = if reads_any { self.most.min(ENOUGH_WITH_INPUTS) } else { self.most };
            if self.found.len() >= enough || random && !self.found.is_empty() {
                break;
            }
            let ended = way.run(self.subject, self.interrupt, guess);
            let (ended, reads) = ended.map_err(|error| NoTrace::Unknown(error.to_string()))?;
            reads_any |= reads;
            match ended {
                Ended::Complete(run) => self.try_run(run),
                Ended::Violation(_) => {}
                Ended::Other(other) => {
                    self.reason.get_or_insert(other);
                }
                Ended::TooLong => too_long += 1,
            }
            if self.found.is_empty() && self.interrupt.load(Ordering::Relaxed) {
                return Err(NoTrace::Unknown("stopped before one was found".to_string()));
            }
            if too_long > TOO_OFTEN {
                return Err(NoTrace::Unknown(TOO_LONG.to_string()));
            }
        }
        Ok(reads_any)
    }

    fn try_run(&mut self, run: Run) {
        if self.found.iter().any(|start| start.run.trace == run.trace) {
            return;
        }
        match self.prove(run) {
            Ok(start) => self.found.push(start),
            Err(reason) => self.reason = Some(reason),
        }
    }

    fn prove(&self, run: Run) -> Result<Start, String> {
        prove_run(prover(self.subject, &run, self.interrupt).as_ref(), run)
    }

    /// Searches all executions, of a program without inputs.
    fn try_all(&mut self) -> Result<(), NoTrace> {
        let reason = self.reason.clone();
        let run = search(self.subject, self.interrupt).map_err(|error| match (error, reason) {
            (NoTrace::Unknown(_), Some(reason)) => NoTrace::Unknown(reason),
            (error, _) => error,
        })?;
        let start = self.prove(run).map_err(NoTrace::Unknown)?;
        self.found.push(start);
        Ok(())
    }
}

/// Who proves what a program does: the explorer if there are no inputs.
fn prover<'a>(
    subject: &'a Subject<'_>,
    run: &Run,
    interrupt: &Arc<AtomicBool>,
) -> Box<dyn Prover + 'a> {
    let interrupt = interrupt.clone();
    match run.reads {
        false => Box::new(Explorer { subject, interrupt }),
        true => Box::new(Formula { subject, interrupt }),
    }
}

fn prove_run(prover: &dyn Prover, run: Run) -> Result<Start, String> {
    match prover.prove(&run.threads, &run.trace, FIRST_EFFORT) {
        Answer::Proven { traces, sites } => Ok(Start { run, traces, sites }),
        Answer::Violation(failure) => {
            let who = match run.reads {
                true => "another execution, with other inputs, fails under the constraints of one",
                false => "a trace fails under its own constraints",
            };
            Err(format!("{who}: {}", failure.violation.message))
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
    let prover = prover(subject, &start.run, interrupt);
    let Run { threads, edges, .. } = &start.run;
    let may_differ = |sites: &EventSites, edge: Edge| {
        let site = |event: Event| sites.get(&event).map_or(ANY_SITE, |event| event.site);
        subject.may_differ(site(edge.first), site(edge.second))
    };
    Relaxation::new(prover.as_ref(), threads, start.step(), on_step).run(edges, &may_differ)
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
