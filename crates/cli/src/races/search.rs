//! One search for all pairs at once: of every interleaving, and beside it of some at random,
//! which come to most races sooner.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use heddle_explore::{self as explore, Algorithm, Report};
use heddle_ir::{FuncId, Program, Span};
use heddle_semantics::{Failure, Verdict, ViolationKind};

use super::args::Races;
use crate::engines::panicked;
use crate::interrupt::Interrupt;
use crate::known::Known;
use crate::progress::Shower;

/// How long the search of everything is alone.
const HEAD_START: Duration = Duration::from_millis(500);
const POLL: Duration = Duration::from_millis(20);
/// How long searches have to answer when they are to stop.
const GRACE: Duration = Duration::from_millis(300);
/// The part of the time limit that is left for replays, as a divisor.
const FOR_REPLAYS: u32 = 6;

/// Races by the places of their accesses, the smaller one first.
pub type Found = Arc<Mutex<BTreeMap<(Span, Span), Failure>>>;

/// What the searches have shown.
pub struct Searched {
    pub races: BTreeMap<(Span, Span), Failure>,
    /// Every execution was looked at.
    pub exhausted: bool,
    /// Why not, otherwise.
    pub why: String,
    pub bounds: heddle_semantics::Bounds,
    pub executions: u64,
    pub runs: u64,
}

pub fn in_order(a: Span, b: Span) -> (Span, Span) {
    if a <= b { (a, b) } else { (b, a) }
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Searches until everything was seen, all of `wanted` are found, or it has to stop.
pub fn search(
    races: &Arc<Races>,
    (program, entry): (&Arc<Program>, FuncId),
    wanted: &[(Span, Span)],
    (interrupt, shower, began): (&Interrupt, &Shower, Instant),
) -> Searched {
    let found: Found = Arc::default();
    let stop: Arc<AtomicBool> = Arc::default();
    let (answers, inbox) = channel::<(Algorithm, Result<Report, String>)>();
    let start = |algorithm: Algorithm| {
        let (races, program, found) = (Arc::clone(races), Arc::clone(program), Arc::clone(&found));
        let (stop, answers, shower) = (Arc::clone(&stop), answers.clone(), shower.clone());
        std::thread::spawn(move || {
            let options = options(&races, algorithm, (stop, &shower, found));
            let check = &races.check;
            let run = || explore::check(&program, entry, check.model, &options);
            let said = match catch_unwind(AssertUnwindSafe(run)) {
                Ok(Ok(report)) => Ok(report),
                Ok(Err(error)) => Err(error.to_string()),
                Err(panic) => Err(panicked(panic.as_ref())),
            };
            // Whoever comes too late finds nobody listening.
            drop(answers.send((algorithm, said)));
        })
    };
    start(Algorithm::Optimal);
    let mut everything: Option<Result<Report, String>> = None;
    let mut sample: Option<Result<Report, String>> = None;
    let mut sampling = races.jobs < 2;
    let (mut asked, searching) = (None::<Instant>, Instant::now());
    let limit = races.check.limits.timeout.map(|limit| limit - limit / FOR_REPLAYS);
    loop {
        if !sampling && searching.elapsed() > HEAD_START && asked.is_none() {
            sampling = true;
            start(Algorithm::Random);
        }
        let all_found = !wanted.is_empty() && {
            let found = locked(&found);
            wanted.iter().all(|pair| found.contains_key(pair))
        };
        let late = limit.is_some_and(|limit| began.elapsed() > limit);
        if late || all_found || interrupt.flag.load(Ordering::Relaxed) {
            stop.store(true, Ordering::Relaxed);
            asked.get_or_insert_with(Instant::now);
        }
        if asked.is_some_and(|asked| asked.elapsed() > GRACE) {
            break;
        }
        match inbox.recv_timeout(POLL) {
            Ok((Algorithm::Random, said)) => sample = Some(said),
            Ok((_, said)) => everything = Some(said),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        // Runs at random may still find what a search that gave up has not.
        let exhausted = matches!(&everything, Some(Ok(report)) if report.verdict == Verdict::Safe);
        if exhausted || everything.is_some() && (sample.is_some() || races.jobs < 2) {
            break;
        }
    }
    stop.store(true, Ordering::Relaxed);
    let races_found = std::mem::take(&mut *locked(&found));
    summary(races, interrupt, races_found, (everything, sample))
}

fn options(
    races: &Races,
    algorithm: Algorithm,
    (interrupt, shower, found): (Arc<AtomicBool>, &Shower, Found),
) -> explore::Options {
    let check = &races.check;
    let kinds = ViolationKind::ALL.iter().copied();
    explore::Options {
        algorithm,
        unwind: check.unwind.filter(|_| algorithm != Algorithm::Random),
        max_threads: check.max_threads,
        jobs: races.jobs.saturating_sub(1).max(1),
        interrupt,
        memory_limit: check.limits.memory,
        races: true,
        on_race: Some(Box::new(move |failure| {
            let pair = in_order(failure.violation.other, failure.violation.span);
            locked(&found).entry(pair).or_insert(failure);
        })),
        ignored: kinds.filter(|&kind| !check.checks(kind)).collect(),
        progress: Some(shower.executions(algorithm, &Known::default())),
        ..explore::Options::default()
    }
}

type Said = Option<Result<Report, String>>;

fn summary(
    races: &Races,
    interrupt: &Interrupt,
    found: BTreeMap<(Span, Span), Failure>,
    (everything, sample): (Said, Said),
) -> Searched {
    let mut searched = Searched {
        races: found,
        exhausted: false,
        why: String::new(),
        bounds: Default::default(),
        executions: 0,
        runs: sample
            .and_then(Result::ok)
            .map_or(0, |report| report.stats.sample.as_ref().map_or(0, |sample| sample.runs)),
    };
    let stopped = || match interrupt.cause() {
        Some(cause) => cause.tell(races.check.limits),
        None => "out of time".to_string(),
    };
    match everything {
        Some(Ok(report)) => {
            let stats = &report.stats;
            searched.executions = stats.executions + stats.blocked;
            match report.verdict {
                Verdict::Safe => searched.exhausted = true,
                Verdict::Bounded(bounds) => {
                    searched.why = format!("searched with {bounds} only");
                    searched.bounds = bounds;
                }
                _ if report.stopped.is_some() => {
                    searched.why = match &stats.covered {
                        Some(bounds) => format!("{}; searched with {bounds} only", stopped()),
                        None => stopped(),
                    };
                    searched.bounds = stats.covered.clone().unwrap_or_default();
                }
                Verdict::Unknown(why) => searched.why = why,
                Verdict::Unsafe(failure) => {
                    searched.why = format!("the search ended with {}", failure.violation.kind);
                }
            }
        }
        Some(Err(why)) => searched.why = why,
        None => searched.why = stopped(),
    }
    searched
}
