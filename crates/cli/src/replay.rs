//! `heddle replay`: runs a recorded schedule again and shows it; `heddle explain`: says why it
//! fails.

use std::path::Path;
use std::process::ExitCode;

use heddle_frontend as frontend;
use heddle_ir::Program;
use heddle_memory::Model;
use heddle_witness::file::{ProgramRef, TraceFile};
use heddle_witness::text;
use heddle_witness::{Subject, Trace};

use crate::args::Format;
use crate::compile::recompile;
use crate::error::CliError;
use crate::formats::page;
use crate::settings::{Explain, Replay, arguments};
use crate::trace_path::TracePath;
use crate::unknown_calls::unknown_calls;
use crate::verdict::{EXIT_UNSAFE, unsafe_line};
use crate::{hint, json, native, output};

pub fn run(settings: Replay) -> Result<ExitCode, CliError> {
    let recorded = Recorded::read(&settings.trace, settings.program)?;
    if let Some(native) = settings.native {
        let Recorded { file, shown, options } = &recorded;
        return native::replay(file, shown, options, &native, settings.format);
    }
    let page =
        settings.html.as_deref().map(|path| TracePath::reserve(path, "report")).transpose()?;
    let (program, model, trace) = recorded.replay()?;
    let options = &recorded.options;
    let command = hint::replay(&settings.trace, options);
    match settings.format {
        Format::Text => {
            let report = text::report(&program, &trace, &command, settings.detail, settings.style);
            let verdict = unsafe_line(&program, &trace.violation);
            output::print(&format!("{report}\n{verdict}\n"))?;
        }
        Format::Json => output::print(&json::to_line(&json::ReplayResult {
            schema: 1,
            verdict: "unsafe",
            violation: heddle_witness::json::violation(&program, &trace),
            model: model.to_string(),
            trace: heddle_witness::json::steps(&program, &trace),
        }))?,
    }
    if let Some(path) = page {
        path.write(&page::of_replay(&program, options, model, &trace, command))?;
    }
    Ok(ExitCode::from(EXIT_UNSAFE))
}

/// `heddle explain`: the same, but only why.
pub fn explain(settings: Explain) -> Result<ExitCode, CliError> {
    let recorded = Recorded::read(&settings.trace, settings.program)?;
    let (program, _, trace) = recorded.replay()?;
    if settings.format == Format::Json {
        output::print(&json::to_line(&json::ExplainResult {
            schema: json::SCHEMA,
            violation: heddle_witness::json::violation(&program, &trace),
        }))?;
        return Ok(ExitCode::from(EXIT_UNSAFE));
    }
    let why = heddle_witness::explain(&program, &trace);
    let style = settings.style;
    let what = style.strong(&text::message(&trace));
    let place = program.position(trace.violation.span).unwrap_or_default();
    let text = text::explanation(&why, style);
    output::print(&format!("{what}\n{} {place}\n{text}", style.dim(" -->")))?;
    Ok(ExitCode::from(EXIT_UNSAFE))
}

/// A trace file, and how to compile its program.
struct Recorded {
    file: TraceFile,
    /// Its path.
    shown: String,
    options: frontend::Options,
}

impl Recorded {
    fn read(path: &Path, program: Option<frontend::Options>) -> Result<Recorded, CliError> {
        let shown = path.display().to_string();
        let about = |error: &dyn std::fmt::Display| CliError::new(format!("{shown}: {error}"));
        let text = std::fs::read(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => about(&"no such file"),
            std::io::ErrorKind::IsADirectory => about(&"is a directory"),
            _ => about(&error),
        })?;
        let file =
            TraceFile::from_json(&String::from_utf8_lossy(&text)).map_err(|error| about(&error))?;
        let options = options_of(&file.program, program)?;
        Ok(Recorded { file, shown, options })
    }

    fn replay(&self) -> Result<(Program, Model, Trace), CliError> {
        let Recorded { file, shown, options } = self;
        let program = recompile(options)?;
        let (entry, model, failure) =
            file.resolve(&program).map_err(|error| CliError::new(format!("{shown}: {error}")))?;
        let (max_steps, unchecked) = (file.max_steps, &file.unchecked[..]);
        let subject = Subject { program: &program, entry, model, max_steps, unchecked };
        let trace = heddle_witness::confirm(subject, &failure)
            .map_err(|error| CliError::new(format!("{shown} does not replay: {error}")))?;
        Ok((program, model, trace))
    }
}

/// How to compile a program again, from other files if some are given.
pub fn options_of(
    recorded: &ProgramRef,
    given: Option<frontend::Options>,
) -> Result<frontend::Options, CliError> {
    let mut options = given.unwrap_or_else(|| frontend::Options {
        inputs: recorded.files.iter().map(Into::into).collect(),
        flags: recorded.flags.clone(),
        ilp32: recorded.ilp32,
        // Of warnings the check before has told.
        ..frontend::Options::default()
    });
    if let Some(args) = &recorded.args {
        options.arguments = arguments(args)?;
    }
    options.wakeups = recorded.wakeups;
    options.allocations_fail = recorded.malloc_fails;
    options.unknown_calls = unknown_calls(recorded.unknown_calls.as_deref())?;
    Ok(options)
}
