//! `heddle build`: a native executable with the runtime inside.

use std::path::Path;
use std::process::ExitCode;

use heddle_constraint::Schedule;
use heddle_frontend as frontend;

use crate::error::CliError;
use crate::native::{RUNTIME, plan, subject};
use crate::settings::Build;

pub fn run(settings: &Build) -> Result<ExitCode, CliError> {
    frontend::build(&settings.program, RUNTIME, &settings.output, |program| {
        let subject = subject(program)?;
        let embedded = match &settings.embed {
            Some(path) => Some(read_schedule(path, subject.hash)?.to_bytes()),
            None => None,
        };
        Ok::<_, CliError>(frontend::Plan { embedded, ..plan(&subject) })
    })?;
    Ok(ExitCode::SUCCESS)
}

/// A schedule from a file, for the program with this hash.
pub fn read_schedule(path: &Path, program: u64) -> Result<Schedule, CliError> {
    let about =
        |error: &dyn std::fmt::Display| CliError::new(format!("{}: {error}", path.display()));
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => about(&"no such file"),
        std::io::ErrorKind::IsADirectory => about(&"is a directory"),
        _ => about(&error),
    })?;
    Schedule::for_program(&bytes, program).map_err(|error| about(&error))
}
