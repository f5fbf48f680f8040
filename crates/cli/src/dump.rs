//! `heddle dump`: the intermediate representation, the bounded program, the slice, or
//! what of the library is modelled, as text.

use std::process::ExitCode;

use heddle_encode::Limits;

use crate::error::CliError;
use crate::settings::Dump;
use crate::{library, output, slice};

pub fn run(settings: &Dump) -> Result<ExitCode, CliError> {
    let program = heddle_frontend::compile(&settings.program)?;
    if settings.slice {
        let entry = crate::check::find_entry(&program, "main")?;
        output::print(&slice::page(&program, entry))?;
        return Ok(ExitCode::SUCCESS);
    }
    let Some(unwind) = settings.unwind else {
        output::print(&heddle_ir::print_program(&program))?;
        return Ok(ExitCode::SUCCESS);
    };
    let entry = crate::check::find_entry(&program, "main")?;
    let limits = Limits { unwind, weak: false, everything: false, bits: None, overflow: false };
    let text = heddle_encode::dump(&program, entry, limits)
        .map_err(|error| CliError::new(error.to_string()))?;
    output::print(&text)?;
    Ok(ExitCode::SUCCESS)
}

pub fn library() -> Result<ExitCode, CliError> {
    output::print(&library::page())?;
    Ok(ExitCode::SUCCESS)
}
