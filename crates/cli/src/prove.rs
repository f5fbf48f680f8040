//! `heddle prove`: constraints under which a program is safe.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use heddle_constraint::{Schedule, Trace};
use heddle_ir::Program;
use heddle_irs::{NoTrace, Relaxed, Start, Step, Subject, relax, schedule, starts};

use crate::args::Format;
use crate::compile::compile_again;
use crate::error::CliError;
use crate::interrupt::{Cause, Interrupt, Limits};
use crate::json::ProveStep;
use crate::measure::Stopwatch;
use crate::native::subject;
use crate::progress::Progress;
use crate::proven::{Proven, looked_at, traces, without_any};
use crate::settings::Prove;
use crate::verdict::{EXIT_UNKNOWN, EXIT_UNSAFE, unsafe_line};
use crate::watchdog::{LastWords, Watchdog};
use crate::{output, whole_file};

/// First traces that are compared.
const CANDIDATES: usize = 4;

pub fn run(mut settings: Prove) -> Result<ExitCode, CliError> {
    let interrupt = Interrupt::watch()?;
    settings.program.interrupt = interrupt.flag.clone();
    let limits = Limits { timeout: settings.timeout, memory: None };
    let watchdog = Watchdog::start(interrupt, limits, without_first(settings.format, limits));
    let interrupt = &watchdog.interrupt;
    let program = compile_again(&settings.program, &watchdog)?;
    let subject = subject(&program)?;
    let found = match first_traces(&subject, &watchdog) {
        Ok(found) => found,
        Err(problem) => {
            watchdog.dismiss();
            return without_trace(&program, &problem, settings.format);
        }
    };
    let stopwatch = settings.measure.then(|| Stopwatch::new(&settings.program)).transpose();
    let stopwatch = match (stopwatch, interrupt.cause()) {
        (Err(_), Some(cause)) => watchdog.give_up(cause),
        (stopwatch, _) => stopwatch?,
    };
    let start = match &stopwatch {
        Some(stopwatch) => fastest(stopwatch, &subject, &found)?,
        None => &found[0],
    };
    let mut proof = Proof::new(&subject, start, &settings, &watchdog);
    let relaxed = proof.relax(stopwatch.as_ref())?;
    if let Some(stopwatch) = stopwatch.as_ref().filter(|_| interrupt.cause().is_none()) {
        proof.measure(stopwatch)?;
    }
    let cause = interrupt.cause();
    let report = Proven::of(&program, &relaxed, proof.steps).render(settings.format, cause);
    watchdog.dismiss();
    output::print(&report)?;
    Ok(ExitCode::from(exit_code(cause)))
}

/// First traces, unless the watchdog's limits end the search for them.
pub fn first_traces(subject: &Subject<'_>, watchdog: &Watchdog) -> Result<Vec<Start>, NoTrace> {
    let interrupt = &watchdog.interrupt;
    match (starts(subject, &interrupt.flag, CANDIDATES), interrupt.cause()) {
        (Err(NoTrace::Unknown(_)), Some(cause)) => watchdog.give_up(cause),
        (result, _) => result,
    }
}

/// What is proven counts, however much more there could be; but a signal is one.
fn exit_code(cause: Option<Cause>) -> u8 {
    cause.filter(|&cause| cause == Cause::Signal).map_or(0, Cause::exit_code)
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
struct Proof<'a, 'p> {
    subject: &'a Subject<'p>,
    start: &'a Start,
    settings: &'a Prove,
    watchdog: &'a Watchdog,
    began: Instant,
    steps: Vec<ProveStep>,
    /// The same as files.
    schedules: Vec<Schedule>,
}

impl<'a, 'p> Proof<'a, 'p> {
    fn new(
        subject: &'a Subject<'p>,
        start: &'a Start,
        settings: &'a Prove,
        watchdog: &'a Watchdog,
    ) -> Self {
        Proof {
            subject,
            start,
            settings,
            watchdog,
            began: Instant::now(),
            steps: Vec::new(),
            schedules: Vec::new(),
        }
    }

    fn relax(&mut self, stopwatch: Option<&Stopwatch>) -> Result<Relaxed, CliError> {
        let progress = Progress::start();
        let shower = progress.shower();
        let mut failed = None;
        self.note(&self.start.step())?;
        let (subject, start) = (self.subject, self.start);
        let relaxed = relax(subject, start, &self.watchdog.interrupt.flag, &mut |step| {
            let left = step.trace.constraints();
            let line = format!("{left} constraints left, {} verified", traces(step.traces));
            shower.show(line.clone());
            let noted = self.note(step).and_then(|()| match (stopwatch, self.schedules.last()) {
                (Some(stopwatch), Some(last)) => {
                    shower
                        .show(format!("{line}, about {:.0} % overhead", stopwatch.estimate(last)?));
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
        if let (Some(path), Some(schedule)) = (&self.settings.output, self.schedules.last()) {
            write(path, schedule)?;
        }
        let (proven, format) = (Proven::so_far(step, self.steps.clone()), self.settings.format);
        self.watchdog.learn(Box::new(move |cause| {
            (proven.render(format, Some(cause)), exit_code(Some(cause)))
        }));
        Ok(())
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
    whole_file::write(path, &schedule.to_bytes()).map_err(|error| {
        CliError::new(format!("cannot write the schedule to {}: {error}", path.display()))
    })
}

/// As long as there is no trace to start with.
pub fn without_first(format: Format, limits: Limits) -> LastWords {
    Box::new(move |cause| {
        let line = format!("verdict: unknown (no first trace: {})", cause.tell(limits));
        (without_any("unknown", &line, format), cause.exit_code())
    })
}

pub fn without_trace(
    program: &Program,
    problem: &NoTrace,
    format: Format,
) -> Result<ExitCode, CliError> {
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
    output::print(&without_any(word, &line, format))?;
    Ok(ExitCode::from(code))
}
