//! From the files of a program to what is checked: with waits for condition variables
//! that may end without a signal where that makes a difference.

use heddle_analysis::{waits_matter, wake_spuriously};
use heddle_frontend as frontend;
use heddle_ir::Program;

use crate::error::CliError;
use crate::unknown_calls::give_bodies;
use crate::watchdog::Watchdog;

/// The program as it is checked. If waits get another meaning, `options` say so from then
/// on; with `spurious` off they don't, which the program notes.
pub fn compile(
    options: &mut frontend::Options,
    spurious: bool,
    watchdog: &Watchdog,
) -> Result<Program, CliError> {
    let mut program = unless_stopped(recompile(options), watchdog)?;
    if !options.wakeups && waits_matter(&program) {
        options.wakeups = spurious;
        program = match spurious {
            true => unless_stopped(recompile(&options.without_warnings()), watchdog)?,
            false => Program { signals_only: true, ..program },
        };
    }
    Ok(program)
}

/// The program of options that are complete, wake-ups without a signal included.
pub fn compile_again(
    options: &frontend::Options,
    watchdog: &Watchdog,
) -> Result<Program, CliError> {
    unless_stopped(recompile(options), watchdog)
}

/// The program that these options have led to before.
pub fn recompile(options: &frontend::Options) -> Result<Program, frontend::Error> {
    let mut program = frontend::compile(options)?;
    give_bodies(&mut program, options.unknown_calls);
    if options.wakeups {
        wake_spuriously(&mut program);
    }
    Ok(program)
}

fn unless_stopped(
    compiled: Result<Program, frontend::Error>,
    watchdog: &Watchdog,
) -> Result<Program, CliError> {
    match (compiled, watchdog.interrupt.cause()) {
        (Err(frontend::Error::Interrupted), Some(cause)) => watchdog.give_up(cause),
        (result, _) => Ok(result?),
    }
}
