//! From the files of a program to what is checked: with waits for condition variables
//! that may end without a signal where that makes a difference.

use heddle_analysis::{waits_matter, wake_spuriously};
use heddle_frontend as frontend;
use heddle_ir::Program;

use crate::error::CliError;

/// The program as it is checked. If waits get another meaning, `options` say so from then
/// on; with `spurious` off they don't, which the program notes.
pub fn compile(options: &mut frontend::Options, spurious: bool) -> Result<Program, CliError> {
    let mut program = recompile(options)?;
    if !options.wakeups && waits_matter(&program) {
        options.wakeups = spurious;
        program = match spurious {
            true => recompile(options)?,
            false => Program { signals_only: true, ..program },
        };
    }
    Ok(program)
}

/// The program that these options have led to before.
pub fn recompile(options: &frontend::Options) -> Result<Program, CliError> {
    let mut program = frontend::compile(options)?;
    if options.wakeups {
        wake_spuriously(&mut program);
    }
    Ok(program)
}
