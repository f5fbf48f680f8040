//! `heddle check`: compile, search, replay, report.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use heddle_explore as explore;
use heddle_frontend as frontend;
use heddle_ir::{FuncId, Program};
use heddle_semantics::{Bounds, Failure, Verdict, Violation};
use heddle_witness::file::{self, ProgramRef, TraceFile};
use heddle_witness::text::{self, Style};
use heddle_witness::{Trace, confirm, minimise};

use crate::args::Format;
use crate::error::CliError;
use crate::interrupt::{Cause, Interrupt};
use crate::progress::Progress;
use crate::settings::Check;
use crate::trace_path::TracePath;
use crate::units::{show_bytes, show_count};
use crate::{json, output};

pub const EXIT_UNSAFE: u8 = 10;
pub const EXIT_UNKNOWN: u8 = 20;

pub fn run(settings: Check) -> Result<ExitCode, CliError> {
    let interrupt = Interrupt::watch(settings.timeout)?;
    let trace_path = settings.trace.as_deref().map(TracePath::reserve).transpose()?;
    let program = frontend::compile(&settings.program)?;
    let entry = find_entry(&program, &settings.entry)?;
    let report = search(&settings, &program, entry, &interrupt)?;
    let stats = report.stats;
    let outcome = judge(&settings, &program, entry, report.verdict, &interrupt, &stats)?;
    if let (Some(path), Some((failure, _))) = (trace_path, &outcome.evidence) {
        path.write(&trace_file(&settings, &program, entry, failure).to_json())?;
    }
    print(&settings, &program, &outcome, &stats);
    Ok(ExitCode::from(exit_code(&outcome.verdict, settings.strict)))
}

fn find_entry(program: &Program, name: &str) -> Result<FuncId, CliError> {
    let found = program.find_function(name).filter(|&id| !program.function(id).is_declaration());
    found.ok_or_else(|| {
        let hint = if name == "main" { " (name another one with --entry)" } else { "" };
        CliError::new(format!("the program has no function {name}{hint}"))
    })
}

fn search(
    settings: &Check,
    program: &Program,
    entry: FuncId,
    interrupt: &Interrupt,
) -> Result<explore::Report, CliError> {
    let progress = Progress::start();
    let options = explore::Options {
        algorithm: settings.algorithm,
        unwind: settings.unwind,
        interrupt: interrupt.flag.clone(),
        memory_limit: settings.memory_limit,
        progress: Some(progress.reporter()),
        ..explore::Options::default()
    };
    explore::check(program, entry, settings.model, &options)
        .map_err(|error| CliError::new(error.to_string()))
}

/// A verdict that may be told to people.
struct Outcome {
    verdict: Verdict,
    /// For an unsafe verdict, what was minimised and replayed.
    evidence: Option<(Failure, Trace)>,
}

/// An alarm counts only if its schedule fails again in the interpreter; a search
/// that was stopped says by whom and how far it came.
fn judge(
    settings: &Check,
    program: &Program,
    entry: FuncId,
    verdict: Verdict,
    interrupt: &Interrupt,
    stats: &explore::Stats,
) -> Result<Outcome, CliError> {
    match verdict {
        Verdict::Unsafe(failure) => {
            let failure = minimise(program, entry, settings.model, &failure);
            match confirm(program, entry, settings.model, &failure) {
                Ok(trace) => Ok(Outcome {
                    verdict: Verdict::Unsafe(Box::new(failure.clone())),
                    evidence: Some((failure, trace)),
                }),
                Err(error) => {
                    let saved = save_reproducer(settings, program, entry, &failure)?;
                    let reason = format!(
                        "internal error: a violation does not replay ({error}); please report it \
                         with {saved}"
                    );
                    Ok(Outcome { verdict: Verdict::Unknown(reason), evidence: None })
                }
            }
        }
        Verdict::Unknown(reason) => {
            let executions = show_count(stats.executions);
            let reason = match stopped_by(settings, interrupt) {
                Some(cause) => format!("{cause}, no violation in {executions} executions"),
                None => reason,
            };
            Ok(Outcome { verdict: Verdict::Unknown(reason), evidence: None })
        }
        verdict => Ok(Outcome { verdict, evidence: None }),
    }
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
    };
    TraceFile::new(program, source, entry, settings.model, failure)
}

fn print(settings: &Check, program: &Program, outcome: &Outcome, stats: &explore::Stats) {
    match settings.format {
        Format::Text => print_text(settings, program, outcome, stats),
        Format::Json => print_json(settings, program, outcome, stats),
    }
}

fn print_text(settings: &Check, program: &Program, outcome: &Outcome, stats: &explore::Stats) {
    let mut out = String::new();
    if let Some((_, trace)) = &outcome.evidence {
        let command = match &settings.trace {
            Some(path) => replay_command(path, &settings.program),
            None => recording_command(&settings.program),
        };
        out.push_str(&text::report(program, trace, &command, Style::for_stdout()));
        out.push('\n');
    }
    if settings.stats {
        out.push_str(&stats_lines(stats));
    }
    out.push_str(&verdict_line(program, &outcome.verdict, stats));
    out.push('\n');
    output::print(&out);
}

fn print_json(settings: &Check, program: &Program, outcome: &Outcome, stats: &explore::Stats) {
    let none = Bounds::default();
    let evidence = outcome.evidence.as_ref();
    output::print(&json::to_line(&json::CheckResult {
        schema: 1,
        verdict: outcome.verdict.word(),
        reason: match &outcome.verdict {
            Verdict::Unknown(reason) => Some(reason),
            _ => None,
        },
        violation: evidence
            .map(|(_, trace)| heddle_witness::json::violation(program, &trace.violation)),
        bounds: match &outcome.verdict {
            Verdict::Bounded(bounds) => bounds,
            _ => &none,
        },
        model: settings.model.to_string(),
        engine: settings.engine.name(),
        algorithm: settings.algorithm.to_string(),
        stats: stats.into(),
        trace: evidence.map(|(_, trace)| heddle_witness::json::steps(program, trace)),
    }));
}

fn stats_lines(stats: &explore::Stats) -> String {
    format!(
        "executions: {} complete, {} blocked\n\
         transitions: {}, longest execution {}\n\
         effort: {:.2} s, {}\n",
        show_count(stats.executions),
        show_count(stats.blocked),
        show_count(stats.transitions),
        show_count(stats.max_depth),
        stats.seconds,
        show_bytes(stats.peak_bytes),
    )
}

/// The last line on standard output.
fn verdict_line(program: &Program, verdict: &Verdict, stats: &explore::Stats) -> String {
    match verdict {
        Verdict::Safe => {
            let executions = show_count(stats.executions);
            let plural = if stats.executions == 1 { "" } else { "s" };
            format!(
                "verdict: safe (no violation in any interleaving; {executions} execution{plural})"
            )
        }
        Verdict::Bounded(bounds) => format!("verdict: bounded (no violation with {bounds})"),
        Verdict::Unsafe(failure) => unsafe_line(program, &failure.violation),
        Verdict::Unknown(reason) => format!("verdict: unknown ({})", reason.replace('\n', " ")),
    }
}

/// `verdict: unsafe (assertion at bank.c:31)`.
pub fn unsafe_line(program: &Program, violation: &Violation) -> String {
    let file =
        program.files.get(violation.span.file as usize).filter(|_| violation.span.is_known());
    match file {
        Some(file) => {
            format!("verdict: unsafe ({} at {}:{})", violation.kind, file.path, violation.span.line)
        }
        None => format!("verdict: unsafe ({})", violation.kind),
    }
}

pub fn replay_command(trace: &Path, options: &frontend::Options) -> String {
    command(&["heddle", "replay", &trace.to_string_lossy()], options)
}

/// For a run without `--trace`: how to record it.
fn recording_command(options: &frontend::Options) -> String {
    let check = command(&["heddle", "check", "--trace", "trace.json"], options);
    format!("{check}; heddle replay trace.json")
}

fn command(words: &[&str], options: &frontend::Options) -> String {
    let mut words: Vec<String> = words.iter().map(|word| (*word).to_string()).collect();
    if options.ilp32 {
        words.push("--32".to_string());
    }
    words.extend(options.inputs.iter().map(|path| path.to_string_lossy().into_owned()));
    if !options.flags.is_empty() {
        words.push("--".to_string());
        words.extend(options.flags.iter().cloned());
    }
    let quoted = words.iter().map(|word| shlex::try_quote(word).unwrap_or(word.into()));
    quoted.collect::<Vec<_>>().join(" ")
}

fn exit_code(verdict: &Verdict, strict: bool) -> u8 {
    match verdict {
        Verdict::Safe => 0,
        Verdict::Bounded(_) if strict => EXIT_UNKNOWN,
        Verdict::Bounded(_) => 0,
        Verdict::Unsafe(_) => EXIT_UNSAFE,
        Verdict::Unknown(_) => EXIT_UNKNOWN,
    }
}
