//! `heddle emit`: the program as sequential C, or instances of it as several files.

use std::path::Path;
use std::process::ExitCode;

use heddle_analysis::waits_matter;
use heddle_encode::{Emitted, Restriction};

use crate::compile::recompile;
use crate::error::CliError;
use crate::settings::Emit;
use crate::{output, tiles, whole_file};

const NOT_ASKED: &str = "note: deadlocks, data races and leaks of the program are not looked \
                         for in the sequential C";

pub fn run(settings: &Emit) -> Result<ExitCode, CliError> {
    let mut program = recompile(&settings.program)?;
    // Waits for condition variables may end without a signal, as in `heddle check`.
    if waits_matter(&program) {
        let mut options = settings.program.without_warnings();
        options.wakeups = true;
        program = recompile(&options)?;
    }
    let entry = crate::check::find_entry(&program, "main")?;
    let folder = settings.tiles.is_some().then_some(settings.output.as_path());
    if let Some(folder) = folder {
        std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
    }
    let (mut made, mut all) = (0, String::new());
    let (mut unchosen, mut unwritten) = (None, None);
    let mut left_out = Vec::new();
    heddle_encode::emit(
        &program,
        entry,
        &settings.emission,
        &mut |threads| match settings.tiles.map(|tiles| tiles::choose(tiles, threads)) {
            None => vec![Restriction::default()],
            Some(Ok((instances, of_all))) => {
                all = of_all;
                instances
            }
            Some(Err(error)) => {
                unchosen = Some(CliError::new(error));
                Vec::new()
            }
        },
        &mut |number, emitted: Emitted| {
            if unwritten.is_none() {
                unwritten = write(&settings.output, folder.map(|_| number), &emitted.text).err();
                made += 1;
            }
            left_out = emitted.left_out;
        },
    )
    .map_err(|error| CliError::new(error.to_string()))?;
    if let Some(problem) = unchosen.or(unwritten) {
        return Err(problem);
    }
    for what in left_out {
        output::print_error(&format!("note: runs that come to {what} are left out"));
    }
    output::print_error(NOT_ASKED);
    if let Some(folder) = folder {
        output::print_error(&format!("{made} of {all} instances in {}", folder.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes to the output, or an instance into its folder.
fn write(output: &Path, instance: Option<usize>, text: &str) -> Result<(), CliError> {
    let path = match instance {
        Some(number) => output.join(format!("instance-{:06}.c", number + 1)),
        None if output.as_os_str() == "-" => return output::print(text),
        None => output.to_path_buf(),
    };
    whole_file::write(&path, text.as_bytes()).map_err(|error| cannot_write(&path, &error))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> CliError {
    CliError::new(format!("cannot write {}: {error}", path.display()))
}
