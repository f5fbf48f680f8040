//! `heddle dump`: the intermediate representation, as text.

use std::process::ExitCode;

use crate::error::CliError;
use crate::output;

pub fn run(options: &heddle_frontend::Options) -> Result<ExitCode, CliError> {
    let program = heddle_frontend::compile(options)?;
    output::print(&heddle_ir::print_program(&program));
    Ok(ExitCode::SUCCESS)
}
