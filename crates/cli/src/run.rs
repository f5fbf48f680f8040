//! `heddle run`: a native program under proven constraints, which fall away while it runs.

use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::sync::atomic::Ordering;

use heddle_frontend as frontend;
use heddle_irs::{Start, Step, Subject, relax, schedule};
use heddle_runtime::{Control, hold_signals, pass_on_signals};

use crate::args::Format;
use crate::compile::compile_again;
use crate::error::CliError;
use crate::interrupt::{Interrupt, Limits};
use crate::native::{RUNTIME, plan, subject};
use crate::output;
use crate::prove::{first_traces, without_first, without_trace, write};
use crate::proven::traces;
use crate::settings::Run;
use crate::watchdog::Watchdog;

pub fn run(mut settings: Run) -> Result<ExitCode, CliError> {
    let interrupt = Interrupt::watch()?;
    settings.program.interrupt = interrupt.flag.clone();
    let (format, limits) = (Format::Text, Limits::default());
    let watchdog = Watchdog::start(interrupt, limits, without_first(format, limits));
    let program = compile_again(&settings.program, &watchdog)?;
    let subject = subject(&program)?;
    let found = match first_traces(&subject, &watchdog) {
        Ok(found) => found,
        Err(problem) => {
            watchdog.dismiss();
            return without_trace(&program, &problem, format);
        }
    };
    let temporary = |error: std::io::Error| CliError::new(format!("temporary files: {error}"));
    let folder = frontend::scratch()?;
    let executable = folder.path().join("program");
    frontend::build(&settings.program.without_warnings(), RUNTIME, &executable, |program| {
        Ok::<_, CliError>(plan(&crate::native::subject(program)?))
    })?;
    // From here on the program decides when it ends.
    watchdog.dismiss();
    let start = &found[0];
    let mut control =
        Control::create(&folder.path().join("control"), threads(start)).map_err(temporary)?;
    let first = schedule(&subject, &start.run, &start.step()).to_bytes();
    control.publish(&first).map_err(temporary)?;
    hold_signals().map_err(|error| CliError::new(format!("cannot pass signals on: {error}")))?;
    let child = spawn(&executable, folder.path(), &settings)?;
    pass_on_signals(child.id());
    let (status, last) = accompany(&subject, start, &mut control, child, &watchdog.interrupt)?;
    if settings.stats {
        output::print_error(&format!(
            "heddle: {} of {} constraints left, {} verified, {} taken up",
            last.trace.constraints(),
            start.run.trace.constraints(),
            traces(last.traces),
            updates(control.taken_up().saturating_sub(1))
        ));
    }
    if let Some(path) = &settings.output {
        write(path, &schedule(&subject, &start.run, &last))?;
    }
    Ok(exit_code(status))
}

fn updates(count: u32) -> String {
    match count {
        1 => "1 update".to_string(),
        count => format!("{count} updates"),
    }
}

fn threads(start: &Start) -> u32 {
    start.run.threads.len() as u32 + 1
}

fn spawn(executable: &Path, folder: &Path, settings: &Run) -> Result<Child, CliError> {
    Command::new(executable)
        .args(&settings.arguments)
        .env("HEDDLE_CONTROL", folder.join("control"))
        .spawn()
        .map_err(|error| CliError::new(format!("cannot run the program: {error}")))
}

/// Proves more while the program runs. Tells how it ended and what was proven by then.
fn accompany(
    subject: &Subject<'_>,
    start: &Start,
    control: &mut Control,
    mut child: Child,
    interrupt: &Interrupt,
) -> Result<(ExitStatus, Step), CliError> {
    std::thread::scope(|scope| {
        let waiter = scope.spawn(move || {
            let status = child.wait();
            interrupt.flag.store(true, Ordering::SeqCst);
            status
        });
        let mut last = start.step();
        relax(subject, start, &interrupt.flag, &mut |step| {
            last = step.clone();
            control.publish(&schedule(subject, &start.run, step).to_bytes()).is_ok()
        });
        let status = waiter.join().map_err(|_| CliError::new("the program was lost"))?;
        let status = status.map_err(|error| CliError::new(format!("the program: {error}")))?;
        Ok((status, last))
    })
}

/// As a shell tells it.
fn exit_code(status: ExitStatus) -> ExitCode {
    use std::os::unix::process::ExitStatusExt;
    let signal = status.signal().map(|signal| 128 + signal);
    ExitCode::from(status.code().or(signal).unwrap_or(1) as u8)
}
