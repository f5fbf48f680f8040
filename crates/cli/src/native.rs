//! Native programs: building them, and running the schedule of a violation.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use heddle_constraint::Schedule;
use heddle_frontend as frontend;
use heddle_irs::{Subject, total_order};
use heddle_memory::Model;
use heddle_semantics::ViolationKind;
use heddle_witness::file::TraceFile;

use crate::args::Format;
use crate::check::find_entry;
use crate::error::CliError;
use crate::settings::Native;
use crate::verdict::{EXIT_UNKNOWN, EXIT_UNSAFE};
use crate::{json, output};

pub const RUNTIME: frontend::Runtime = frontend::Runtime { files: heddle_runtime::FILES };

/// How to instrument a program.
pub fn plan(subject: &Subject<'_>) -> frontend::Plan {
    frontend::Plan {
        starts: subject.sites.starts.clone(),
        sites: subject.sites.visible.clone(),
        scopes: subject.sites.scopes.clone(),
        given_inputs: false,
        hash: subject.hash,
        embedded: None,
    }
}

/// Runs the schedule of a trace on the program itself.
pub fn replay(
    file: &TraceFile,
    shown: &str,
    options: &frontend::Options,
    native: &Native,
    format: Format,
) -> Result<ExitCode, CliError> {
    if options.allocations_fail {
        return Err(CliError::new(
            "the trace is one in which allocations may fail, which a native run cannot be told",
        ));
    }
    if options.wakeups {
        return Err(CliError::new(
            "the trace is one in which waits may end without a signal, which a native run cannot \
             be told",
        ));
    }
    let folder = frontend::scratch()?;
    let executable = folder.path().join("program");
    let mut schedule = None;
    frontend::build(options, RUNTIME, &executable, |program| {
        let about = |error: &dyn std::fmt::Display| CliError::new(format!("{shown}: {error}"));
        let (entry, model, failure) = file.resolve(program).map_err(|error| about(&error))?;
        check_possible(program.function(entry).name == "main", model, failure.violation.kind)?;
        let subject = Subject::new(program, entry);
        let order = total_order(&subject, &failure).map_err(|problem| {
            CliError::new(format!("{shown} cannot be replayed natively: {problem}"))
        })?;
        let plan = frontend::Plan {
            given_inputs: true,
            embedded: Some(order.to_bytes()),
            ..plan(&subject)
        };
        schedule = Some(order);
        Ok::<_, CliError>(plan)
    })?;
    let Some(schedule) = schedule else { return Err(CliError::new("no schedule was made")) };
    match native {
        Native::Gdb => debug(&executable),
        Native::Runs(runs) => repeat(file, &executable, &schedule, *runs, format),
    }
}

/// What hardware shows, and what it does not.
fn check_possible(main: bool, model: Model, kind: ViolationKind) -> Result<(), CliError> {
    if !main {
        return Err(CliError::new("a native run starts in main, not where the trace does"));
    }
    if model != Model::Sc {
        return Err(CliError::new(format!(
            "the trace is one of {model}: a native run cannot be told when a store leaves the \
             processor's buffer, so only traces of sc replay natively"
        )));
    }
    match kind {
        ViolationKind::Assertion
        | ViolationKind::NullDereference
        | ViolationKind::Terminate
        | ViolationKind::Abort => Ok(()),
        _ => Err(CliError::new(format!(
            "a {kind} does not stop a native run; only assertions, null dereferences, \
             abort and std::terminate replay natively"
        ))),
    }
}

fn debug(executable: &Path) -> Result<ExitCode, CliError> {
    let status = Command::new("gdb")
        .args(["-q", "-ex", "set debuginfod enabled off", "-ex", "run", "-ex", "backtrace"])
        .arg(executable)
        .status()
        .map_err(|error| CliError::new(format!("cannot run gdb: {error}")))?;
    Ok(ExitCode::from(status.code().unwrap_or(0) as u8))
}

fn repeat(
    file: &TraceFile,
    executable: &Path,
    schedule: &Schedule,
    runs: u32,
    format: Format,
) -> Result<ExitCode, CliError> {
    let mut failed = 0;
    let mut other = None;
    for _ in 0..runs {
        let result = Command::new(executable)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| CliError::new(format!("cannot run the program: {error}")))?;
        let text = String::from_utf8_lossy(&result.stderr);
        if fails_as(file, result.status, &text) {
            failed += 1;
        } else {
            other.get_or_insert_with(|| format!("{}; {}", result.status, text.trim()));
        }
        if failed == 1 && other.is_none() && format == Format::Text {
            output::print_error(text.trim_end());
        }
    }
    let place = place(file);
    let kind = file.violation.kind;
    let constraints = schedule.trace.constraints();
    match format {
        Format::Text => {
            if let Some(other) = &other {
                output::print(&format!("a native run did not fail there: {other}\n"))?;
            }
            let verdict = if failed == runs { "unsafe" } else { "unknown" };
            output::print(&format!(
                "verdict: {verdict} ({kind} at {place} in {failed} of {runs} native runs)\n"
            ))?;
        }
        Format::Json => output::print(&json::to_line(&json::NativeResult {
            schema: 1,
            verdict: if failed == runs { "unsafe" } else { "unknown" },
            runs,
            failed,
            events: schedule.limits.iter().sum(),
            constraints,
        }))?,
    }
    Ok(ExitCode::from(if failed == runs { EXIT_UNSAFE } else { EXIT_UNKNOWN }))
}

fn place(file: &TraceFile) -> String {
    let name = file.violation.file.as_deref().unwrap_or("?");
    format!("{name}:{}", file.violation.line)
}

/// Did the run end as the trace says? Assertions name their place.
fn fails_as(file: &TraceFile, status: std::process::ExitStatus, text: &str) -> bool {
    use std::os::unix::process::ExitStatusExt;
    const SIGABRT: i32 = 6;
    const SIGSEGV: i32 = 11;
    match file.violation.kind {
        ViolationKind::NullDereference => status.signal() == Some(SIGSEGV),
        ViolationKind::Terminate | ViolationKind::Abort => status.signal() == Some(SIGABRT),
        _ => {
            let name = file.violation.file.as_deref().unwrap_or_default();
            let name = name.rsplit('/').next().unwrap_or_default();
            let place = format!("{name}:{}:", file.violation.line);
            status.signal() == Some(SIGABRT) && text.contains(&place)
        }
    }
}

/// The entry and events of a program that is to run natively.
pub fn subject(program: &heddle_ir::Program) -> Result<Subject<'_>, CliError> {
    Ok(Subject::new(program, find_entry(program, "main")?))
}
