//! `heddle dump`: the intermediate representation, or what of the library is
//! modelled, as text.

use std::process::ExitCode;

use crate::error::CliError;
use crate::{library, output};

pub fn run(options: &heddle_frontend::Options) -> Result<ExitCode, CliError> {
    let program = heddle_frontend::compile(options)?;
    output::print(&heddle_ir::print_program(&program));
    Ok(ExitCode::SUCCESS)
}

pub fn library() -> Result<ExitCode, CliError> {
    output::print(&library::page());
    Ok(ExitCode::SUCCESS)
}
