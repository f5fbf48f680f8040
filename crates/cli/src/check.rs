//! `heddle check`: compile, search, replay, report.

use std::path::Path;
use std::sync::Arc;

use heddle_frontend as frontend;
use heddle_ir::{Arguments, FuncId, Program};
use heddle_semantics::{Bounds, Failure, Verdict};
use heddle_witness::file::{self, ProgramRef, TraceFile};
use heddle_witness::text;
use heddle_witness::{Subject, confirm, minimise};

use crate::again::{Seen, with_failing_allocations, without_wakeups};
use crate::args::CheckFormat;
use crate::cache::Place;
use crate::compile::compile;
use crate::contest::{self, Answer};
use crate::effort::Effort;
use crate::engines::{Found, Search};
use crate::error::CliError;
use crate::formats::{Files, Told, svcomp};
use crate::interrupt::{Cause, Interrupt};
use crate::known::{Known, Progressed, Who};
use crate::progress::Progress;
use crate::settings::{Check, arguments_text};
use crate::trace_path::TracePath;
use crate::unknown_calls::unknown_calls_text;
use crate::verdict::{Outcome, describe};
use crate::watchdog::Watchdog;
use crate::{json, last_words, missing, output};

pub fn run(mut settings: Check) -> Result<u8, CliError> {
    let interrupt = Interrupt::watch()?;
    settings.program.interrupt = interrupt.flag.clone();
    let mut settings = Arc::new(settings);
    let words = last_words::compiling(&settings);
    let watchdog = Watchdog::start(interrupt, settings.limits, words);
    let trace_path =
        settings.trace.as_deref().map(|path| TracePath::reserve(path, "trace")).transpose()?;
    let files = Files::reserve(&settings.files)?;
    let mut options = settings.program.clone();
    let program = Arc::new(compile(&mut options, settings.spurious, &watchdog)?);
    Arc::make_mut(&mut settings).program = options;
    let entry = find_entry(&program, &settings.entry)?;
    if let Some(warning) = missing::warning(&program, entry) {
        output::print_error(&format!("heddle: warning: {warning}"));
    }
    let place = Place::of(&settings, &program);
    if let Some(told) = place.as_ref().and_then(|place| place.look(&watchdog)) {
        return told;
    }
    let Answer { found, warnings } = search(&settings, &program, entry, &watchdog)?;
    let seen = Seen { settings, program, entry, found };
    let seen = without_wakeups(seen, &watchdog)?;
    // A verdict that is to be certified is that of one engine.
    let seen = match &seen.settings.proof {
        None => with_failing_allocations(seen, &watchdog)?,
        Some(_) => seen,
    };
    let Seen { settings, program, entry, found } = seen;
    let into = (trace_path, files, place);
    tell(&settings, (&program, entry), (found, &warnings), into, &watchdog)
}

/// Replays a violation, writes its trace, and tells the verdict; gives the exit code.
pub fn tell(
    settings: &Arc<Check>,
    (program, entry): (&Program, FuncId),
    (found, warnings): (Found, &[String]),
    (trace_path, files, place): (Option<TracePath>, Files, Option<Place>),
    watchdog: &Watchdog,
) -> Result<u8, CliError> {
    let (who, effort) = (found.who, found.effort.clone());
    let outcome = judge(settings, program, entry, found, watchdog)?;
    let written = match (trace_path, &outcome.evidence) {
        (Some(path), Some((failure, _))) => {
            path.write(&trace_file(settings, program, entry, failure).to_json())
        }
        _ => Ok(()),
    };
    let told = Told { settings, who, program, outcome: &outcome, effort: &effort };
    let written = written.and(files.write(&told)).and(certificate(settings, &outcome));
    let report = match settings.format {
        CheckFormat::Text => text(&told),
        CheckFormat::Json => json(settings, who, program, &outcome, &effort, warnings),
        CheckFormat::Svcomp => {
            format!("{}\n", svcomp::result(&outcome.verdict, settings.prp.as_deref()))
        }
    };
    watchdog.dismiss();
    if let Some(place) = place.filter(|_| warnings.is_empty()) {
        place.keep(&outcome.verdict, &report, outcome.exit_code(settings.strict));
    }
    for warning in warnings {
        output::print_error(&format!("heddle: warning: {warning}"));
    }
    output::print(&report)?;
    // The report comes first, even if its trace is lost.
    written.map(|()| outcome.exit_code(settings.strict))
}

/// Writes the certificate, if one is asked for, and says if there is none.
fn certificate(settings: &Check, outcome: &Outcome) -> Result<(), CliError> {
    let Some(certificate) = &settings.proof else { return Ok(()) };
    let shown = matches!(outcome.verdict, Verdict::Safe | Verdict::Bounded(_));
    if !shown {
        certificate.discard();
        output::print_error("heddle: no certificate is written: there is nothing to certify");
    } else if !certificate.settle()? {
        output::print_error("heddle: no certificate is written: the last bounds were not decided");
    }
    Ok(())
}

fn search(
    settings: &Arc<Check>,
    program: &Arc<Program>,
    entry: FuncId,
    watchdog: &Watchdog,
) -> Result<Answer, CliError> {
    let progress = Progress::start();
    let search = Search {
        settings: Arc::clone(settings),
        program: Arc::clone(program),
        entry,
        known: Known::default(),
        shower: progress.shower(),
    };
    watchdog.learn(last_words::searching(settings, &search.known));
    contest::search(search, &watchdog.interrupt)
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
    settings: &Arc<Check>,
    program: &Program,
    entry: FuncId,
    found: Found,
    watchdog: &Watchdog,
) -> Result<Outcome, CliError> {
    let cause = watchdog.interrupt.cause();
    let told = cause.map(|cause| cause.tell(settings.limits));
    let Found { who, verdict, effort, covered, stopped, because } = found;
    let unknown = |reason: String, covered| Outcome {
        verdict: Verdict::Unknown(reason),
        evidence: None,
        stopped_by: cause,
        covered,
        because: None,
    };
    Ok(match (verdict, told) {
        (Verdict::Unsafe(failure), _) => {
            let violation = describe(program, &failure.violation);
            let found = Progressed { who, effort, covered };
            watchdog.learn(last_words::replaying(settings, found, violation));
            replay(settings, program, entry, &failure, watchdog)?
        }
        // Who stops a check does not want half an answer; what an engine said that came to its
        // end within the limits stands.
        (Verdict::Bounded(bounds), Some(told)) if cause == Some(Cause::Signal) => {
            unknown(format!("{told}; no violation with {bounds}"), Some(bounds))
        }
        (Verdict::Unknown(_), told) if stopped.is_some() => {
            let told = told.or(because).unwrap_or_else(|| "given up".to_string());
            unknown(format!("{told}; {}", effort.so_far(covered.as_ref())), covered)
        }
        (Verdict::Unknown(reason), Some(told)) => unknown(format!("{reason}; {told}"), None),
        (verdict, _) => {
            Outcome { verdict, evidence: None, stopped_by: None, covered: None, because }
        }
    })
}

/// Minimises a violation and runs it once more.
fn replay(
    settings: &Check,
    program: &Program,
    entry: FuncId,
    failure: &Failure,
    watchdog: &Watchdog,
) -> Result<Outcome, CliError> {
    let stop = &watchdog.interrupt.flag;
    let unchecked = settings.unchecked();
    let (model, max_steps) = (settings.model, settings.max_steps);
    let subject = Subject { program, entry, model, max_steps, unchecked: &unchecked };
    let failure = minimise(subject, failure, stop);
    let (verdict, evidence) = match confirm(subject, &failure) {
        Ok(trace) => (Verdict::Unsafe(Box::new(failure.clone())), Some((failure, trace))),
        Err(error) => {
            let saved = save_reproducer(settings, program, entry, &failure)?;
            let reason = format!(
                "internal error: a violation does not replay ({error}); please report it with \
                 {saved}"
            );
            (Verdict::Unknown(reason), None)
        }
    };
    Ok(Outcome { verdict, evidence, stopped_by: None, covered: None, because: None })
}

fn save_reproducer(
    settings: &Check,
    program: &Program,
    entry: FuncId,
    failure: &Failure,
) -> Result<String, CliError> {
    let path = format!("heddle-no-replay-{}.json", std::process::id());
    let file = trace_file(settings, program, entry, failure);
    TracePath::reserve(Path::new(&path), "trace")?.write(&file.to_json())?;
    Ok(path)
}

pub fn trace_file(
    settings: &Check,
    program: &Program,
    entry: FuncId,
    failure: &Failure,
) -> TraceFile {
    let source = program_ref(settings, program);
    let file = TraceFile::new(program, source, entry, settings.model, failure);
    TraceFile { max_steps: settings.max_steps, unchecked: settings.unchecked(), ..file }
}

/// Which program it is, and how to compile it again.
pub fn program_ref(settings: &Check, program: &Program) -> ProgramRef {
    let options = &settings.program;
    ProgramRef {
        hash: file::hash(program),
        files: options.inputs.iter().map(|path| path.to_string_lossy().into_owned()).collect(),
        flags: options.flags.clone(),
        ilp32: options.ilp32,
        args: arguments_text(&options.arguments),
        wakeups: options.wakeups,
        malloc_fails: options.allocations_fail,
        unknown_calls: unknown_calls_text(options.unknown_calls),
    }
}

fn text(told: &Told<'_>) -> String {
    let Told { settings, program, outcome, effort, .. } = told;
    let mut out = String::new();
    if let Some((_, trace)) = outcome.evidence.as_ref().filter(|_| !settings.quiet) {
        let detail = settings.detail;
        out.push_str(&text::report(program, trace, &told.replay(), detail, settings.style));
        out.push('\n');
    }
    if settings.explain
        && let Effort::Invariants(effort) = effort
    {
        effort.proof.iter().for_each(|line| out.push_str(&format!("{line}\n")));
    }
    if settings.stats {
        out.push_str(&effort.lines());
    }
    out.push_str(&outcome.line(program, effort));
    out.push('\n');
    out
}

fn json(
    settings: &Check,
    (engine, algorithm): Who,
    program: &Program,
    outcome: &Outcome,
    effort: &Effort,
    warnings: &[String],
) -> String {
    let none = Bounds::default();
    let evidence = outcome.evidence.as_ref();
    json::to_line(&json::CheckResult {
        schema: json::SCHEMA,
        verdict: outcome.verdict.word(),
        reason: outcome.reason(),
        violation: evidence.map(|(_, trace)| heddle_witness::json::violation(program, trace)),
        bounds: match &outcome.verdict {
            Verdict::Bounded(bounds) => bounds,
            _ => &none,
        },
        covered: outcome.covered.as_ref(),
        warnings,
        model: settings.model.to_string(),
        engine: engine.name(),
        algorithm: algorithm.map(|algorithm| algorithm.to_string()),
        stats: effort,
        trace: evidence.map(|(_, trace)| heddle_witness::json::steps(program, trace)),
    })
}
