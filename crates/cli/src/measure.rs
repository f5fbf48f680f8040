//! How long a native program takes under schedules.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use heddle_constraint::Schedule;
use heddle_frontend as frontend;

use crate::error::CliError;
use crate::native::{RUNTIME, plan, subject};

/// Runs under each schedule, and for a first estimate.
const RUNS: usize = 40;
const GLANCES: usize = 12;

/// A native program to measure.
pub struct Stopwatch {
    folder: tempfile::TempDir,
    executable: PathBuf,
    stop: Arc<AtomicBool>,
}

impl Stopwatch {
    pub fn new(options: &frontend::Options) -> Result<Stopwatch, CliError> {
        let folder = frontend::scratch()?;
        let executable = folder.path().join("program");
        frontend::build(&options.without_warnings(), RUNTIME, &executable, |program| {
            Ok::<_, CliError>(plan(&subject(program)?))
        })?;
        Ok(Stopwatch { folder, executable, stop: options.interrupt.clone() })
    }

    /// Lower quartiles of the times of `main` in microseconds under each schedule, in turns so that
    /// whatever else happens hits all of them; it makes runs slower, never faster. The last one is without a schedule.
    pub fn quartiles(&self, schedules: &[Schedule]) -> Result<Vec<f64>, CliError> {
        self.quartiles_of(schedules, RUNS)
    }

    /// About how many percent longer it takes under a schedule.
    pub fn estimate(&self, schedule: &Schedule) -> Result<f64, CliError> {
        let quartiles = self.quartiles_of(std::slice::from_ref(schedule), GLANCES)?;
        Ok((quartiles[0] / quartiles[1] - 1.0) * 100.0)
    }

    fn quartiles_of(&self, schedules: &[Schedule], runs: usize) -> Result<Vec<f64>, CliError> {
        let mut files = Vec::new();
        for (at, schedule) in schedules.iter().enumerate() {
            let path = self.folder.path().join(format!("{at}.sched"));
            std::fs::write(&path, schedule.to_bytes())
                .map_err(|error| CliError::new(error.to_string()))?;
            files.push(Some(path));
        }
        files.push(None);
        let mut times = vec![Vec::with_capacity(runs); files.len()];
        for _ in 0..runs {
            for (file, times) in files.iter().zip(&mut times) {
                times.extend(self.run(file.as_deref())?);
            }
        }
        let quartile = |mut times: Vec<f64>| {
            times.sort_by(f64::total_cmp);
            times.get(times.len() / 4).copied().unwrap_or(f64::INFINITY)
        };
        Ok(times.into_iter().map(quartile).collect())
    }

    /// `None` if it failed, as it may without a schedule.
    fn run(&self, schedule: Option<&Path>) -> Result<Option<f64>, CliError> {
        let mut command = Command::new(&self.executable);
        command.env("HEDDLE_TEST_TIME", "1").stdin(Stdio::null());
        if let Some(schedule) = schedule {
            command.env("HEDDLE_SCHEDULE", schedule);
        }
        let ended = frontend::run_child(&mut command, &self.stop)
            .map_err(|error| CliError::new(format!("cannot run the program: {error}")))?;
        let text = ended.map(|ended| ended.stderr).unwrap_or_default();
        let number = text.split_once("main took ").and_then(|(_, rest)| rest.split(' ').next());
        Ok(number.and_then(|number| number.parse::<f64>().ok()).map(|time| time / 1000.0))
    }
}
