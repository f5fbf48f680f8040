//! `heddle check`: compile, search, replay, report.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use heddle_explore::Algorithm;
use heddle_frontend as frontend;
use heddle_ir::{Arguments, FuncId, Program};
use heddle_semantics::{Bounds, Failure, Verdict};
use heddle_witness::file::{self, ProgramRef, TraceFile};
use heddle_witness::text::{self, Style};
use heddle_witness::{confirm, minimise};

use crate::args::{Engine, Format};
use crate::compile::compile;
use crate::effort::Effort;
use crate::engines::{Found, search};
use crate::error::CliError;
use crate::interrupt::{Cause, Interrupt};
use crate::settings::{Check, arguments_text};
use crate::trace_path::TracePath;
use crate::verdict::Outcome;
use crate::{hint, json, output};

pub fn run(mut settings: Check) -> Result<ExitCode, CliError> {
    let interrupt = Interrupt::watch(settings.timeout)?;
    let trace_path = settings.trace.as_deref().map(TracePath::reserve).transpose()?;
    let program = compile(&mut settings.program, settings.spurious)?;
    let entry = find_entry(&program, &settings.entry)?;
    let found = search(&settings, &program, entry, &interrupt)?;
    let Found { engine, algorithm, verdict, effort, stopped } = found;
    let stopped_by = stopped_by(&settings, &interrupt).or(stopped);
    let outcome = judge(&settings, &program, entry, verdict, &effort, stopped_by)?;
    let written = match (trace_path, &outcome.evidence) {
        (Some(path), Some((failure, _))) => {
            path.write(&trace_file(&settings, &program, entry, failure).to_json())
        }
        _ => Ok(()),
    };
    match settings.format {
        Format::Text => print_text(&settings, &program, &outcome, &effort),
        Format::Json => {
            let by = (engine, algorithm);
            print_json(&settings, by, &program, &outcome, &effort);
        }
    }
    // The report comes first, even if its trace is lost.
    written.map(|()| ExitCode::from(outcome.exit_code(settings.strict)))
}

/// By linkage name, or by the name in the source if that is unique.
pub fn find_entry(program: &Program, name: &str) -> Result<FuncId, CliError> {
    let name = match program.arguments {
        Arguments::Any if name == "main" => frontend::START,
        _ => name,
    };
    let has_body = |id: &FuncId| !program.function(*id).is_declaration();
    if let Some(id) = program.find_function(name).filter(has_body) {
        return Ok(id);
    }
    let all = (0..program.functions.len() as u32).map(FuncId).filter(has_body);
    let named: Vec<FuncId> =
        all.filter(|&id| program.function(id).display_name() == name).collect();
    match named.as_slice() {
        [id] => Ok(*id),
        [] => {
            let hint = if name == "main" { " (name another one with --entry)" } else { "" };
            Err(CliError::new(format!("the program has no function {name}{hint}")))
        }
        _ => Err(CliError::new(format!(
            "the program has several functions {name}; give the linkage name of one"
        ))),
    }
}

/// An alarm counts only if its schedule fails again in the interpreter; a search
/// that was stopped says by whom and how far it came.
fn judge(
    settings: &Check,
    program: &Program,
    entry: FuncId,
    verdict: Verdict,
    effort: &Effort,
    stopped_by: Option<String>,
) -> Result<Outcome, CliError> {
    let without_evidence = |verdict| Outcome { verdict, evidence: None, stopped_by: None };
    Ok(match (verdict, stopped_by) {
        (Verdict::Unsafe(failure), _) => {
            let failure = minimise(program, entry, settings.model, &failure);
            match confirm(program, entry, settings.model, &failure) {
                Ok(trace) => Outcome {
                    verdict: Verdict::Unsafe(Box::new(failure.clone())),
                    evidence: Some((failure, trace)),
                    stopped_by: None,
                },
                Err(error) => {
                    let saved = save_reproducer(settings, program, entry, &failure)?;
                    without_evidence(Verdict::Unknown(format!(
                        "internal error: a violation does not replay ({error}); please report it \
                         with {saved}"
                    )))
                }
            }
        }
        (Verdict::Unknown(_), Some(cause)) => {
            without_evidence(Verdict::Unknown(format!("{cause}, no violation {}", effort.so_far())))
        }
        (verdict, stopped_by) => Outcome { verdict, evidence: None, stopped_by },
    })
}

/// Who ended the search before its end.
fn stopped_by(settings: &Check, interrupt: &Interrupt) -> Option<String> {
    Some(match interrupt.cause()? {
        Cause::Timeout => {
            let after = settings.timeout.unwrap_or(Duration::ZERO);
            format!("timeout after {} s", after.as_secs_f64())
        }
        Cause::CtrlC => "interrupted".to_string(),
    })
}

fn save_reproducer(
    settings: &Check,
    program: &Program,
    entry: FuncId,
    failure: &Failure,
) -> Result<String, CliError> {
    let path = format!("heddle-no-replay-{}.json", std::process::id());
    let file = trace_file(settings, program, entry, failure);
    TracePath::reserve(Path::new(&path))?.write(&file.to_json())?;
    Ok(path)
}

fn trace_file(settings: &Check, program: &Program, entry: FuncId, failure: &Failure) -> TraceFile {
    let options = &settings.program;
    let source = ProgramRef {
        hash: file::hash(program),
        files: options.inputs.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
        flags: options.flags.clone(),
        ilp32: options.ilp32,
        args: arguments_text(&options.arguments),
        wakeups: options.wakeups,
        malloc_fails: options.allocations_fail,
    };
    TraceFile::new(program, source, entry, settings.model, failure)
}

fn print_text(settings: &Check, program: &Program, outcome: &Outcome, effort: &Effort) {
    let mut out = String::new();
    if let Some((_, trace)) = &outcome.evidence {
        let command = match &settings.trace {
            Some(path) => hint::replay(path, &settings.program),
            None => hint::record(settings),
        };
        out.push_str(&text::report(program, trace, &command, Style::for_stdout()));
        out.push('\n');
    }
    if settings.stats {
        out.push_str(&effort.lines());
    }
    out.push_str(&outcome.line(program, effort));
    out.push('\n');
    output::print(&out);
}

fn print_json(
    settings: &Check,
    (engine, algorithm): (Engine, Option<Algorithm>),
    program: &Program,
    outcome: &Outcome,
    effort: &Effort,
) {
    let none = Bounds::default();
    let evidence = outcome.evidence.as_ref();
    output::print(&json::to_line(&json::CheckResult {
        schema: 1,
        verdict: outcome.verdict.word(),
        reason: outcome.reason(),
        violation: evidence.map(|(_, trace)| heddle_witness::json::violation(program, trace)),
        bounds: match &outcome.verdict {
            Verdict::Bounded(bounds) => bounds,
            _ => &none,
        },
        model: settings.model.to_string(),
        engine: engine.name(),
        algorithm: algorithm.map(|algorithm| algorithm.to_string()),
        stats: effort,
        trace: evidence.map(|(_, trace)| heddle_witness::json::steps(program, trace)),
    }));
}
