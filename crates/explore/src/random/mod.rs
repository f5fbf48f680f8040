//! Runs at random, with a guarantee on what they find.
//!
//! Two ways to sample, in turns: priorities of threads that change a few times (`pct`) and
//! priorities of events (`pos`). The first comes with a chance that can be told in advance;
//! the second takes each partial order with a fair chance, and finds in practice what needs
//! many changes.
//!
//! What a run does is a function of the seed, its number, and what earlier *batches* of runs
//! have shown: how long runs are, and where threads race (`coverage`). Batches are the same
//! on any number of cores, and of several runs of one that fail the first counts. So a seed
//! finds the same violation again.
//!
//! 1. A loop that waits is a wait: a thread that has gone round without changing anything goes
//!    on when what it read has changed (`Machine::look_again`), and its turns in vain are left
//!    out of the schedule. So nobody spins at the expense of others, and a wait for ever is
//!    found as a deadlock.
//! 2. Inputs are read as soon as they can be. Mostly one of the values that other searches
//!    try is taken, else any.
//! 3. A run that goes on for long is cut; a thread that goes on for long alone, while others
//!    could, comes last from then on. Such runs do not count for the guarantee.
//! 4. It is over when nothing new was seen for long. No verdict but `unsafe` or `unknown`
//!    comes of it.

mod coverage;
mod lesson;
mod pct;
mod pos;
mod run;

use std::sync::atomic::{AtomicU64, Ordering};

use heddle_ir::FuncId;
use heddle_semantics::MemoryModel;

use crate::search::{Halt, Search};
use lesson::Lesson;
pub use lesson::Sample;
use run::{Runner, Told};

/// Runs of the first batch, and how many more than before there may be in one.
const FIRST_BATCH: u64 = 8;
const LARGEST_BATCH: u64 = 512;
/// Runs before it is over, and how many times the runs up to the last news.
const ENOUGH: u64 = 20_000;
const IN_VAIN: u64 = 10;

pub fn explore<M: MemoryModel>(search: &mut Search<'_, '_, M>, entry: FuncId) -> Result<(), Halt> {
    search.begin()?;
    let options = search.options;
    let mut others: Vec<_> = (1..options.jobs.max(1)).map(|_| search.another(entry)).collect();
    let mut runners: Vec<Runner<'_, '_, '_, M>> =
        std::iter::once(&mut *search).chain(&mut others).map(Runner::new).collect();
    let mut lesson = Lesson::new(options.seed);
    let mut size = FIRST_BATCH;
    let result = loop {
        let from = lesson.runs;
        let until = match options.runs {
            Some(most) => most.min(from + size),
            None => from + size,
        };
        let result = batch(&mut runners, &mut lesson, from..until);
        runners[0].search.stats.sample = Some(lesson.sample());
        if result.is_err() {
            break result;
        }
        let idle = lesson.runs >= ENOUGH && lesson.runs / IN_VAIN >= lesson.last_news;
        if idle || options.runs.is_some_and(|most| lesson.runs >= most) {
            break Err(Halt::Sampled);
        }
        size = (size * 2).min(LARGEST_BATCH);
    };
    drop(runners);
    for other in &mut others {
        search.take_over(other);
    }
    match search.failure {
        // Of a search that goes on after a violation.
        Some(_) if result == Err(Halt::Sampled) => Ok(()),
        _ => result,
    }
}

/// Makes the runs of a range, each by whoever is free, and learns from them in their order.
fn batch<M: MemoryModel>(
    runners: &mut [Runner<'_, '_, '_, M>],
    lesson: &mut Lesson,
    runs: std::ops::Range<u64>,
) -> Result<(), Halt> {
    let next = AtomicU64::new(runs.start);
    // The first run that ended the search. Those before it are still made.
    let last = AtomicU64::new(runs.end);
    let known = &*lesson;
    let work = |runner: &mut Runner<'_, '_, '_, M>| {
        let mut told: Vec<(u64, Result<Told, Halt>)> = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= last.load(Ordering::Relaxed) {
                return told;
            }
            let result = runner.run(number, known);
            if result.is_err() {
                last.fetch_min(number, Ordering::Relaxed);
            }
            told.push((number, result));
        }
    };
    let mut told: Vec<(u64, usize, Result<Told, Halt>)> = Vec::new();
    let mut keep = |by: usize, all: Vec<(u64, Result<Told, Halt>)>| {
        told.extend(all.into_iter().map(|(number, result)| (number, by, result)));
    };
    match runners {
        [only] => keep(0, work(only)),
        _ => std::thread::scope(|scope| {
            let work = &work;
            let all: Vec<_> =
                runners.iter_mut().map(|runner| scope.spawn(move || work(runner))).collect();
            for (by, handle) in all.into_iter().enumerate() {
                match handle.join() {
                    Ok(told) => keep(by, told),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        }),
    }
    told.sort_by_key(|entry| entry.0);
    let ended = told.iter().find_map(|(_, by, result)| Some((*by, result.as_ref().err()?.clone())));
    for (number, _, result) in told {
        if let Ok(told) = result {
            lesson.learn(number, &told);
        }
    }
    let Some((by, halt)) = ended else { return Ok(()) };
    // Who failed first is heard; what another one found in a later run is not.
    for (at, runner) in runners.iter_mut().enumerate() {
        if at != by {
            runner.search.failure = None;
        }
    }
    Err(halt)
}
