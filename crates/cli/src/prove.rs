//! `heddle prove`: constraints under which a program is safe.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use heddle_constraint::{Schedule, Trace};
use heddle_frontend as frontend;
use heddle_ir::Program;
use heddle_irs::{NoTrace, Relaxed, Start, Step, Subject, distinct, relax, schedule, starts};

use crate::args::Format;
use crate::error::CliError;
use crate::interrupt::{Cause, Interrupt};
use crate::json::{self, ProveResult, ProveStep, RuledOut};
use crate::measure::Stopwatch;
use crate::native::subject;
use crate::output;
use crate::progress::Progress;
use crate::settings::Prove;
use crate::verdict::{EXIT_UNKNOWN, EXIT_UNSAFE, unsafe_line};

/// First traces that are compared.
pub const CANDIDATES: usize = 4;

pub fn run(settings: &Prove) -> Result<ExitCode, CliError> {
    let interrupt = Interrupt::watch(settings.timeout)?;
    let program = frontend::compile(&settings.program)?;
    let subject = subject(&program)?;
    let found = match starts(&subject, &interrupt.flag, CANDIDATES) {
        Ok(found) => found,
        Err(problem) => return Ok(without_trace(&program, &problem, settings.format)),
    };
    let stopwatch = settings.measure.then(|| Stopwatch::new(&settings.program)).transpose()?;
    let start = match &stopwatch {
        Some(stopwatch) => fastest(stopwatch, &subject, &found)?,
        None => &found[0],
    };
    let mut proof = Proof::new(&subject, start, settings.output.as_deref());
    let relaxed = proof.relax(&interrupt, stopwatch.as_ref())?;
    if let Some(stopwatch) = &stopwatch {
        proof.measure(stopwatch)?;
    }
    let stopped = interrupt.cause().map(|cause| match cause {
        Cause::Timeout => "timeout",
        Cause::CtrlC => "interrupted",
    });
    match settings.format {
        Format::Text => print_text(&program, &proof.steps, &relaxed, stopped),
        Format::Json => print_json(&program, &proof.steps, &relaxed, stopped),
    }
    Ok(ExitCode::SUCCESS)
}

/// The first trace that costs least in native runs.
fn fastest<'f>(
    stopwatch: &Stopwatch,
    subject: &Subject<'_>,
    found: &'f [Start],
) -> Result<&'f Start, CliError> {
    let schedules: Vec<Schedule> =
        found.iter().map(|start| schedule(subject, &start.run, &start.step())).collect();
    let quartiles = stopwatch.quartiles(&schedules)?;
    let best = found.iter().zip(quartiles).min_by(|a, b| a.1.total_cmp(&b.1));
    Ok(best.map_or(&found[0], |(start, _)| start))
}

/// A proof that writes what it has after every step.
pub struct Proof<'a, 'p> {
    subject: &'a Subject<'p>,
    start: &'a Start,
    output: Option<&'a Path>,
    began: Instant,
    pub steps: Vec<ProveStep>,
    /// The same as files.
    schedules: Vec<Schedule>,
}

impl<'a, 'p> Proof<'a, 'p> {
    pub fn new(subject: &'a Subject<'p>, start: &'a Start, output: Option<&'a Path>) -> Self {
        Proof {
            subject,
            start,
            output,
            began: Instant::now(),
            steps: Vec::new(),
            schedules: Vec::new(),
        }
    }

    fn relax(
        &mut self,
        interrupt: &Interrupt,
        stopwatch: Option<&Stopwatch>,
    ) -> Result<Relaxed, CliError> {
        let progress = Progress::start();
        let show = progress.shower();
        let mut failed = None;
        self.note(&self.start.step())?;
        let (subject, start) = (self.subject, self.start);
        let relaxed = relax(subject, start, &interrupt.flag, &mut |step| {
            let left = step.trace.constraints();
            let line = format!("{left} constraints left, {} verified", traces(step.traces));
            show(line.clone());
            let noted = self.note(step).and_then(|()| match (stopwatch, self.schedules.last()) {
                (Some(stopwatch), Some(last)) => {
                    show(format!("{line}, about {:.0} % overhead", stopwatch.estimate(last)?));
                    Ok(())
                }
                _ => Ok(()),
            });
            match noted {
                Ok(()) => true,
                Err(error) => {
                    failed = Some(error);
                    false
                }
            }
        });
        match failed {
            Some(error) => Err(error),
            None => Ok(relaxed),
        }
    }

    fn note(&mut self, step: &Step) -> Result<(), CliError> {
        self.steps.push(ProveStep {
            constraints: step.trace.constraints(),
            waiting_threads: waiting_threads(&step.trace),
            traces: looked_at(step.traces),
            seconds: self.began.elapsed().as_secs_f64(),
            quartile: None,
            overhead: None,
        });
        self.schedules.push(schedule(self.subject, &self.start.run, step));
        match (self.output, self.schedules.last()) {
            (Some(path), Some(schedule)) => write(path, schedule),
            _ => Ok(()),
        }
    }

    /// What the constraints of each step cost natively.
    fn measure(&mut self, stopwatch: &Stopwatch) -> Result<(), CliError> {
        let quartiles = stopwatch.quartiles(&self.schedules)?;
        let plain = quartiles.last().copied().unwrap_or(f64::NAN);
        for (step, quartile) in self.steps.iter_mut().zip(quartiles) {
            step.quartile = Some(quartile);
            step.overhead = Some((quartile / plain - 1.0) * 100.0);
        }
        Ok(())
    }
}

/// Threads that ever wait for another.
fn waiting_threads(trace: &Trace) -> usize {
    trace.edges().map(|edge| edge.second.thread).collect::<BTreeSet<_>>().len()
}

/// Replaces the file as a whole, so that a reader never sees half of it.
pub fn write(path: &Path, schedule: &Schedule) -> Result<(), CliError> {
    let about = |error: std::io::Error| CliError::new(format!("{}: {error}", path.display()));
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut file = tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .tempfile_in(folder)
        .map_err(about)?;
    std::io::Write::write_all(&mut file, &schedule.to_bytes()).map_err(about)?;
    file.persist(path).map_err(|error| about(error.error))?;
    Ok(())
}

pub fn without_trace(program: &Program, problem: &NoTrace, format: Format) -> ExitCode {
    let (word, line, code) = match problem {
        NoTrace::AllFail(violation) => {
            let line = unsafe_line(program, violation);
            let line = line.strip_suffix(')').unwrap_or(&line);
            ("unsafe", format!("{line}; every execution fails)"), EXIT_UNSAFE)
        }
        NoTrace::Unknown(reason) => {
            ("unknown", format!("verdict: unknown (no first trace: {reason})"), EXIT_UNKNOWN)
        }
    };
    match format {
        Format::Text => output::print(&format!("{line}\n")),
        Format::Json => output::print(&json::to_line(&ProveResult {
            schema: 1,
            verdict: word,
            reason: Some(line.strip_prefix("verdict: ").unwrap_or(&line)),
            finished: true,
            constraints: 0,
            conditional: 0,
            traces: Some(0),
            steps: &[],
            ruled_out: Vec::new(),
        })),
    }
    ExitCode::from(code)
}

fn print_text(program: &Program, steps: &[ProveStep], relaxed: &Relaxed, stopped: Option<&str>) {
    let mut out = String::from("constraints  waiting threads       traces  seconds");
    let measured = steps.iter().any(|step| step.quartile.is_some());
    out.push_str(if measured { "  native µs  overhead\n" } else { "\n" });
    for step in steps {
        out.push_str(&format!(
            "{:>11}  {:>15}  {:>11}  {:>7.2}",
            step.constraints,
            step.waiting_threads,
            step.traces.map_or("all".to_string(), |traces| traces.to_string()),
            step.seconds
        ));
        if let (Some(quartile), Some(overhead)) = (step.quartile, step.overhead) {
            out.push_str(&format!("  {quartile:>9.1}  {overhead:>7.0}%"));
        }
        out.push('\n');
    }
    for failure in distinct(&relaxed.ruled_out) {
        let place = program.position(failure.violation.span).unwrap_or_default();
        out.push_str(&format!("ruled out: {} at {place}\n", failure.violation.kind));
    }
    match relaxed.trace.conditional() {
        0 => {}
        1 => out.push_str("1 constraint counts only where both events touch the same memory\n"),
        count => out.push_str(&format!(
            "{count} constraints count only where both events touch the same memory\n"
        )),
    }
    out.push_str(&verdict_line(relaxed, stopped));
    output::print(&out);
}

/// Traces that were looked at one by one.
fn looked_at(traces: u64) -> Option<u64> {
    (traces != 0).then_some(traces)
}

/// The same in words.
pub fn traces(count: u64) -> String {
    match count {
        0 => "all traces for all inputs".to_string(),
        1 => "1 trace".to_string(),
        count => format!("{count} traces"),
    }
}

fn verdict_line(relaxed: &Relaxed, stopped: Option<&str>) -> String {
    let traces = traces(relaxed.traces);
    let constraints = match relaxed.trace.constraints() {
        0 => "without any constraints".to_string(),
        1 => "under 1 constraint".to_string(),
        count => format!("under {count} constraints"),
    };
    let rest = match (relaxed.finished, stopped) {
        (true, _) => String::new(),
        (false, Some(cause)) => format!("; {cause} before the rest was decided"),
        (false, None) => "; the rest is not decided".to_string(),
    };
    format!("verdict: safe ({constraints}, {traces} verified{rest})\n")
}

fn print_json(program: &Program, steps: &[ProveStep], relaxed: &Relaxed, stopped: Option<&str>) {
    let ruled_out = distinct(&relaxed.ruled_out).into_iter().map(|failure| RuledOut {
        kind: failure.violation.kind.name(),
        position: program.position(failure.violation.span),
    });
    output::print(&json::to_line(&ProveResult {
        schema: 1,
        verdict: "safe",
        reason: stopped,
        finished: relaxed.finished,
        constraints: relaxed.trace.constraints(),
        conditional: relaxed.trace.conditional(),
        traces: looked_at(relaxed.traces),
        steps,
        ruled_out: ruled_out.collect(),
    }));
}
