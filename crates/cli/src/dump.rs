//! `heddle dump`: the intermediate representation, the bounded program, the slice, or
//! what of the library is modelled, as text.

use std::path::Path;
use std::process::ExitCode;

use heddle_encode::{Limits, Wanted};
use heddle_ir::{FuncId, Program};

use crate::error::CliError;
use crate::settings::Dump;
use crate::{invariants, library, output, slice, transactions, whole_file};

pub fn run(settings: &Dump) -> Result<ExitCode, CliError> {
    let program = heddle_frontend::compile(&settings.program)?;
    if settings.slice {
        let entry = crate::check::find_entry(&program, "main")?;
        output::print(&slice::page(&program, entry))?;
        return Ok(ExitCode::SUCCESS);
    }
    if settings.invariants {
        let entry = crate::check::find_entry(&program, "main")?;
        output::print(&invariants::page(&program, entry)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(drawing) = settings.transactions {
        let entry = crate::check::find_entry(&program, "main")?;
        output::print(&transactions::page(&program, entry, drawing)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some((path, wanted)) = &settings.formula {
        let entry = crate::check::find_entry(&program, "main")?;
        write_formula(&program, entry, path, *wanted)?;
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

fn write_formula(
    program: &Program,
    entry: FuncId,
    path: &Path,
    wanted: Wanted,
) -> Result<(), CliError> {
    let mut text = Vec::new();
    heddle_encode::dimacs(program, entry, wanted, &mut text)
        .map_err(|error| CliError::new(error.to_string()))?;
    match path.as_os_str() == "-" {
        true => output::print(&String::from_utf8_lossy(&text)),
        false => whole_file::write(path, &text)
            .map_err(|error| CliError::new(format!("cannot write {}: {error}", path.display()))),
    }
}

pub fn library() -> Result<ExitCode, CliError> {
    output::print(&library::page())?;
    Ok(ExitCode::SUCCESS)
}
