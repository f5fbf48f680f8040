//! `heddle races`: warnings by locksets, and each of them decided.
//!
//! Kahlon, "Exploiting schedule insensitivity for enhancing concurrent program verification",
//! section 7: static analysis makes warnings, a model checker decides whether both places of
//! one can be reached together. Deviations:
//!
//! 1. One search of all interleavings decides all pairs: each execution is asked for all its
//!    races (`semantics/src/race.rs`), and what none shows is impossible if all were seen.
//! 2. A pair is real if a replayed run has both accesses without order between them, which is
//!    more than that both places are reached.
//! 3. Invariants exclude pairs for any number of steps and threads, before the search.

pub mod args;
mod report;
mod search;
mod table;

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use heddle_analysis::invariants::{self, Apart, invariants};
use heddle_analysis::lockset;
use heddle_ir::{FuncId, Program};
use heddle_memory::Model;
use heddle_witness::{Subject, confirm, minimise};

use crate::check::{find_entry, trace_file};
use crate::compile::compile;
use crate::error::CliError;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::trace_path::TracePath;
use crate::verdict::{EXIT_UNKNOWN, EXIT_UNSAFE};
use crate::watchdog::Watchdog;
use crate::{missing, output};
use args::Races;
use report::{Told, last_words};
use search::search;
use table::{Decision, Row, rows};

/// Instructions that the analysis may look at.
const BUDGET: u64 = 1_000_000;

pub fn run(mut races: Races) -> Result<u8, CliError> {
    let began = Instant::now();
    let interrupt = Interrupt::watch()?;
    races.check.program.interrupt = interrupt.flag.clone();
    let json = races.check.format == crate::args::CheckFormat::Json;
    let words = last_words(json, races.check.limits, "the program was not compiled yet");
    let watchdog = Watchdog::start(interrupt, races.check.limits, words);
    if let Some(folder) = &races.traces {
        std::fs::create_dir_all(folder).map_err(|error| {
            CliError::new(format!("cannot make the folder {}: {error}", folder.display()))
        })?;
        TracePath::reserve(&folder.join(trace_name(0)), "trace")?;
    }
    let spurious = races.check.spurious;
    let program = Arc::new(compile(&mut races.check.program, spurious, &watchdog)?);
    let entry = find_entry(&program, &races.check.entry)?;
    if let Some(warning) = missing::warning(&program, entry) {
        output::print_error(&format!("heddle: warning: {warning}"));
    }
    let what = "no pair was decided yet";
    watchdog.learn(last_words(json, races.check.limits, what));
    let races = Arc::new(races);
    let progress = Progress::start();
    let warnings = lockset::warnings(&program, entry);
    let known = by_invariants(&races, &program, entry, &watchdog.interrupt);
    let wanted: Vec<_> = warnings.pairs.keys().copied().collect();
    let shower = progress.shower();
    let searched =
        search(&races, (&program, entry), &wanted, (&watchdog.interrupt, &shower, began));
    drop(progress);
    let mut rows: Vec<Row> = rows(&warnings, &searched).into_values().collect();
    for row in &mut rows {
        decide(row, &races, (&program, entry), (&searched, &known), &watchdog);
    }
    rows.sort_by_key(|row| row.decision);
    let written = write_traces(&races, (&program, entry), &rows);
    let told = Told {
        races: &races,
        program: &program,
        rows: &rows,
        warnings: &warnings,
        searched: &searched,
        invariants: &known,
        interrupted: watchdog.interrupt.cause(),
    };
    let text = if json { told.json() } else { told.text() };
    watchdog.dismiss();
    output::print(&text)?;
    written?;
    let count = |decision| rows.iter().filter(|row| row.decision == decision).count();
    Ok(match (count(Decision::Real), told.is_open()) {
        (0, false) => 0,
        (0, true) => told.interrupted.map_or(EXIT_UNKNOWN, crate::interrupt::Cause::exit_code),
        _ => EXIT_UNSAFE,
    })
}

/// What invariants say, or why they say nothing.
fn by_invariants(
    races: &Races,
    program: &Arc<Program>,
    entry: FuncId,
    interrupt: &Interrupt,
) -> Result<Apart, String> {
    if races.check.model != Model::Sc {
        return Err("invariants are for --mm sc".to_string());
    }
    if program.signals_only {
        return Err("waits end by signals only".to_string());
    }
    let options = invariants::Options {
        interrupt: Arc::clone(&interrupt.flag),
        budget: BUDGET,
        claims: false,
    };
    let program = Arc::clone(program);
    let run = std::panic::AssertUnwindSafe(|| {
        invariants(&program, entry, &options).map(|found| Apart::of(&program, &found))
    });
    match std::panic::catch_unwind(run) {
        Ok(Ok(found)) => Ok(found),
        Ok(Err(why)) => Err(crate::invariants::at(&program, &why.why, why.span)),
        Err(panic) => Err(crate::engines::panicked(panic.as_ref())),
    }
}

fn decide(
    row: &mut Row,
    races: &Races,
    (program, entry): (&Program, FuncId),
    (searched, known): (&search::Searched, &Result<Apart, String>),
    watchdog: &Watchdog,
) {
    let model = races.check.model;
    let unchecked = races.check.unchecked();
    let subject = Subject { program, entry, model, max_steps: None, unchecked: &unchecked };
    let mut lost = None;
    for failure in row.pairs.iter().filter_map(|pair| searched.races.get(pair)) {
        let short = minimise(subject, failure, &watchdog.interrupt.flag);
        // No alarm without a replay.
        match confirm(subject, &short) {
            Ok(trace) => {
                if let Some(race) = &trace.race {
                    row.place.clone_from(&race.place);
                }
                row.decision = Decision::Real;
                row.why = "replayed".to_string();
                row.evidence = Some((short, trace));
                return;
            }
            Err(error) => lost = Some(error),
        }
    }
    (row.decision, row.why) = match (lost, known) {
        (Some(error), _) => {
            (Decision::Open, format!("internal error: its run does not replay ({error})"))
        }
        (None, _) if searched.exhausted => {
            (Decision::Impossible, "no interleaving shows it".to_string())
        }
        (None, Ok(known)) if row.pairs.iter().all(|&pair| known.excludes(program, pair)) => {
            (Decision::Impossible, "by invariants, locks, create and join".to_string())
        }
        (None, _) => (Decision::Open, searched.why.clone()),
    };
}

fn trace_name(number: usize) -> String {
    format!("race-{number}.json")
}

/// The schedules of real pairs, numbered as they are shown.
fn write_traces(
    races: &Races,
    (program, entry): (&Program, FuncId),
    rows: &[Row],
) -> Result<(), CliError> {
    let Some(folder) = &races.traces else { return Ok(()) };
    let real = rows.iter().filter_map(|row| row.evidence.as_ref());
    for (nth, (failure, _)) in real.enumerate() {
        let path = folder.join(trace_name(nth + 1));
        let file = trace_file(&races.check, program, entry, failure);
        TracePath::reserve(&path, "trace")?.write(&file.to_json())?;
    }
    Ok(())
}

/// The command that shows a race again.
fn replay_hint(races: &Races, number: usize) -> String {
    let options = &races.check.program;
    let folder = races.traces.as_deref();
    let path = folder.unwrap_or(Path::new("found")).join(trace_name(number));
    let replay = crate::hint::replay(&path, options);
    match folder {
        Some(_) => replay,
        None => format!("{}; {replay}", crate::hint::races(&races.check)),
    }
}
