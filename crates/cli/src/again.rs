//! A second look at a program, with other options, for what would be better to say of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use heddle_explore::Algorithm;
use heddle_frontend as frontend;
use heddle_ir::{FuncId, Program};
use heddle_semantics::{Bounds, Verdict};

use crate::check::find_entry;
use crate::compile::compile_again;
use crate::engines::{Found, Search};
use crate::error::CliError;
use crate::known::Known;
use crate::progress::Progress;
use crate::settings::Check;
use crate::watchdog::Watchdog;

/// How long the program is looked at again with other options.
const PATIENCE: Duration = Duration::from_secs(1);

/// What was found in which program.
pub struct Seen {
    pub settings: Arc<Check>,
    pub program: Arc<Program>,
    pub entry: FuncId,
    pub found: Found,
}

/// A violation for which no wait has to end without a signal is the better one to show, and
/// happens in native runs too.
pub fn without_wakeups(seen: Seen, watchdog: &Watchdog) -> Result<Seen, CliError> {
    if !seen.settings.program.wakeups || !matches!(seen.found.verdict, Verdict::Unsafe(_)) {
        return Ok(seen);
    }
    let other = search_again(&seen, |options| options.wakeups = false, watchdog)?;
    Ok(if matches!(other.found.verdict, Verdict::Unsafe(_)) { other } else { seen })
}

/// That allocations never fail is no bound if nothing goes wrong when they do.
pub fn with_failing_allocations(seen: Seen, watchdog: &Watchdog) -> Result<Seen, CliError> {
    let only = Bounds { allocations: true, ..Bounds::default() };
    if !matches!(&seen.found.verdict, Verdict::Bounded(bounds) if *bounds == only) {
        return Ok(seen);
    }
    let other = search_again(&seen, |options| options.allocations_fail = true, watchdog)?;
    Ok(match other.found.verdict {
        Verdict::Safe => Seen { found: other.found, ..seen },
        _ => seen,
    })
}

/// Looks, but not for long, what is to be said of the program with other options.
fn search_again(
    seen: &Seen,
    change: impl FnOnce(&mut frontend::Options),
    watchdog: &Watchdog,
) -> Result<Seen, CliError> {
    let mut settings = Arc::clone(&seen.settings);
    let options = &mut Arc::make_mut(&mut settings).program;
    *options = options.without_warnings();
    change(options);
    let program = Arc::new(compile_again(options, watchdog)?);
    let entry = find_entry(&program, &settings.entry)?;
    let progress = Progress::start();
    let search = Search {
        settings: Arc::clone(&settings),
        program: Arc::clone(&program),
        entry,
        known: Known::default(),
        shower: progress.shower(),
    };
    let stop: Arc<AtomicBool> = Arc::default();
    let alarm = Arc::clone(&stop);
    std::thread::spawn(move || {
        std::thread::sleep(PATIENCE);
        alarm.store(true, Ordering::Relaxed);
    });
    let algorithm = settings.algorithm.unwrap_or(Algorithm::Guided);
    let found = search.explore(algorithm, stop)?;
    Ok(Seen { settings, program, entry, found })
}
