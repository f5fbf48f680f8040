//! The same programs, unwinding and memory model through CBMC, to compare with.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use heddle_memory::Model;

use crate::formula::Formula;

/// What CBMC said, and how long it took.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// `None` if it was stopped.
    pub fails: Option<bool>,
    pub time: Duration,
}

/// Its version, if it is installed.
#[must_use]
pub fn version() -> Option<String> {
    let output = Command::new("cbmc").arg("--version").output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// Checks the assertions of a program. Its `--unwind` counts the test that leaves a
/// loop too. There are no checks of memory, and cut loops are not reported, which both
/// only make it faster.
#[must_use]
pub fn check(formula: Formula, model: Model, limit: Duration) -> Answer {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs").join(formula.file);
    let begun = Instant::now();
    let mut command = Command::new("timeout");
    command
        .arg(limit.as_secs().to_string())
        .args(["cbmc", "--no-standard-checks", "--no-unwinding-assertions"])
        .args(["--mm", model.name(), "--unwind", &(formula.unwind + 1).to_string()])
        .args(formula.flags)
        .arg(file)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    let text = command.output().map(|output| output.stdout).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let fails = match () {
        () if text.contains("VERIFICATION FAILED") => Some(true),
        () if text.contains("VERIFICATION SUCCESSFUL") => Some(false),
        () => None,
    };
    Answer { fails, time: begun.elapsed() }
}
