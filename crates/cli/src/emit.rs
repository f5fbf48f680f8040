//! `heddle emit`: the program as sequential C.

use std::process::ExitCode;

use heddle_encode::{Emitted, Restriction};

use crate::error::CliError;
use crate::settings::Emit;
use crate::{output, whole_file};

pub fn run(settings: &Emit) -> Result<ExitCode, CliError> {
    let program = heddle_frontend::compile(&settings.program)?;
    let entry = crate::check::find_entry(&program, "main")?;
    let mut whole = None;
    heddle_encode::emit(
        &program,
        entry,
        &settings.emission,
        &mut |_| vec![Restriction::default()],
        &mut |_, emitted| whole = Some(emitted),
    )
    .map_err(|error| CliError::new(error.to_string()))?;
    let Some(Emitted { text, left_out }) = whole else {
        return Err(CliError::new("nothing was emitted"));
    };
    for what in left_out {
        output::print_error(&format!("note: runs that come to {what} are left out"));
    }
    match settings.output.as_os_str() == "-" {
        true => output::print(&text)?,
        false => whole_file::write(&settings.output, text.as_bytes()).map_err(|error| {
            CliError::new(format!("cannot write {}: {error}", settings.output.display()))
        })?,
    }
    Ok(ExitCode::SUCCESS)
}
