//! `heddle swarm`: instances of a program, on all cores or a cluster.

pub mod args;
mod backend;
pub mod effort;
mod explorer;
mod found;
mod report;
mod settings;
mod subject;
mod usage;
mod view;
pub mod worker;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use heddle_encode::{self as encode, Method, UnfoldError};
use heddle_ir::{FuncId, Program};
use heddle_semantics::{Bounds, Stopped, VACUOUS, Verdict};
use heddle_swarm::runner::Runner;
use heddle_swarm::runner::local::Local;
use heddle_swarm::runner::slurm::Slurm;
use heddle_swarm::{Conclusion, Depth, Header, Hooks, Journal, Point, SwarmError, Thread};
use heddle_witness::text::Style;

use crate::args::Engine;
use crate::check::{find_entry, tell};
use crate::compile::compile;
use crate::effort::Effort;
use crate::engines::Found;
use crate::error::CliError;
use crate::formats::Files;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::settings::Check;
use crate::swarm::args::{Decider, RunnerName, SwarmArgs, SwarmCommand};
use crate::swarm::effort::SwarmEffort;
use crate::swarm::settings::{Swarm, Workers};
use crate::swarm::subject::Subject;
use crate::trace_path::TracePath;
use crate::watchdog::Watchdog;
use crate::{last_words, missing, output};

pub fn run(args: SwarmArgs, style: Style) -> Result<u8, CliError> {
    if let Some(SwarmCommand::Report(args)) = args.command {
        return report::run(&args).map(|()| 0);
    }
    let began = Instant::now();
    let mut swarm = settings::swarm(args)?;
    swarm.check.style = style;
    let interrupt = Interrupt::watch()?;
    swarm.check.program.interrupt = interrupt.flag.clone();
    let settings = Arc::new(swarm.check.clone());
    let watchdog = Watchdog::start(interrupt, settings.limits, last_words::compiling(&settings));
    let trace_path =
        settings.trace.as_deref().map(|path| TracePath::reserve(path, "trace")).transpose()?;
    let files = Files::reserve(&settings.files)?;
    let kept = Folder::of(swarm.folder.as_deref())?;
    let mut settings = settings;
    let mut options = settings.program.clone();
    let program = match swarm.resume {
        true => again(kept.path(), &options)?,
        false => compile(&mut options, settings.spurious, &watchdog)?,
    };
    Arc::make_mut(&mut settings).program = options;
    let entry = find_entry(&program, &settings.entry)?;
    if let Some(warning) = missing::warning(&program, entry) {
        output::print_error(&format!("heddle: warning: {warning}"));
    }
    let site = Site { settings: &settings, program: &program, entry, watchdog: &watchdog };
    let subject = site.subject(&mut swarm)?;
    let conclusion = site.search(&subject, &swarm.workers, kept.path())?;
    let effort = SwarmEffort::of(&conclusion, began.elapsed().as_secs_f64());
    let found = site.found(conclusion, effort, swarm.backend.is_some())?;
    tell(&settings, (&program, entry), (found, &[]), (trace_path, files, None), &watchdog)
}

/// The program of a swarm that was begun before, from where it was begun.
fn again(folder: &Path, options: &heddle_frontend::Options) -> Result<Program, CliError> {
    let subject = Subject::read(folder)?;
    std::env::set_current_dir(&subject.folder)
        .map_err(|error| CliError::new(format!("{}: {error}", subject.folder.display())))?;
    Ok(subject.compile(options)?.0)
}

/// Where the journal is; gone in the end, if nobody asked for it.
enum Folder {
    Kept(PathBuf),
    Temporary(tempfile::TempDir),
}

impl Folder {
    fn of(path: Option<&Path>) -> Result<Folder, CliError> {
        match path {
            Some(path) => {
                let about = |error| CliError::new(format!("{}: {error}", path.display()));
                std::fs::create_dir_all(path).map_err(about)?;
                // Workers may be elsewhere.
                Ok(Folder::Kept(path.canonicalize().map_err(about)?))
            }
            None => {
                let folder = tempfile::Builder::new().prefix("heddle-swarm-").tempdir();
                let about = |error| CliError::new(format!("a temporary folder: {error}"));
                Ok(Folder::Temporary(folder.map_err(about)?))
            }
        }
    }

    fn path(&self) -> &Path {
        match self {
            Folder::Kept(path) => path,
            Folder::Temporary(folder) => folder.path(),
        }
    }
}

/// A program that is searched.
struct Site<'a> {
    settings: &'a Arc<Check>,
    program: &'a Program,
    entry: FuncId,
    watchdog: &'a Watchdog,
}

impl Site<'_> {
    /// What workers are told.
    fn subject(&self, swarm: &mut Swarm) -> Result<Subject, CliError> {
        if swarm.choose_size
            && let Some(sample) = &mut swarm.search.sample
        {
            let unwind = self.settings.unwind.unwrap_or(1);
            let depth = Depth { unwind, rounds: 1 };
            let threads = self.threads(swarm.engine, depth).map_err(CliError::new)?;
            let longest = threads.iter().map(|thread| thread.points.len() as u32).max();
            sample.size = longest.unwrap_or(1).div_ceil(8).max(1);
        }
        let mut subject =
            Subject::new(self.settings, self.program, (swarm.search.clone(), swarm.engine))?;
        subject.backend.clone_from(&swarm.backend);
        Ok(subject)
    }

    fn threads(&self, engine: Decider, depth: Depth) -> Result<Vec<Thread>, String> {
        if engine == Decider::Stateful {
            return Ok(explorer::threads(self.program, self.entry));
        }
        let options = encode::Options {
            bits: self.settings.bits,
            interrupt: self.watchdog.interrupt.flag.clone(),
            ..Default::default()
        };
        let model = self.settings.model;
        let about = (&options, depth.unwind);
        let places = encode::thread_places(self.program, self.entry, model, about);
        let places = places.map_err(|error| match error {
            UnfoldError::Stopped(_) => STOPPED.to_string(),
            other => other.to_string(),
        })?;
        Ok(threads(places))
    }

    fn search(
        &self,
        subject: &Subject,
        workers: &Workers,
        folder: &Path,
    ) -> Result<Conclusion, CliError> {
        let wrong = |error: &dyn std::fmt::Display| CliError::new(error.to_string());
        let header = Header {
            schema: heddle_swarm::journal::SCHEMA,
            program: subject.hash.clone(),
            parameters: subject.parameters(),
        };
        let (mut journal, records) = Journal::open(folder, &header).map_err(|e| wrong(&e))?;
        subject.write(folder)?;
        let mut runner = self.runner(workers, folder)?;
        let progress = Progress::start();
        let shower = progress.shower();
        let began = Instant::now();
        let (unwind, rounds) = (self.settings.unwind, self.settings.bound);
        // As many rounds as tiles, if nobody says otherwise.
        let fixed_rounds = rounds.is_some() || subject.search.sample.is_some();
        let method = Method::Lazy;
        let deepen = |bounds: &Bounds, depth: Depth| {
            let cut = bounds.unwind == Some(depth.unwind) && unwind.is_none();
            let short = bounds.rounds.is_some() && !fixed_rounds;
            match (cut, short) {
                (_, true) if !cut || method.is_behind(depth.rounds, depth.unwind) => {
                    Some(Depth { rounds: method.next_bound(depth.rounds), ..depth })
                }
                (true, _) => Some(Depth { unwind: depth.unwind + 1, ..depth }),
                _ => None,
            }
        };
        let hooks = Hooks {
            describe: &mut |depth| self.threads(subject.engine, depth),
            deepen: &deepen,
            show: &mut |tally| shower.show(view::line(tally, began.elapsed())),
            stop: &self.watchdog.interrupt.flag,
        };
        let options = subject.options();
        heddle_swarm::run((&mut journal, records), runner.as_mut(), &options, hooks).map_err(
            |error| match (error, self.watchdog.interrupt.cause()) {
                (SwarmError::Describe(what), Some(cause)) if what == STOPPED => {
                    self.watchdog.give_up(cause)
                }
                (error, _) => wrong(&error),
            },
        )
    }

    fn runner(&self, workers: &Workers, folder: &Path) -> Result<Box<dyn Runner>, CliError> {
        let me = std::env::current_exe()
            .map_err(|error| CliError::new(format!("where is heddle? {error}")))?;
        let Workers { runner, jobs, memory } = *workers;
        let folder = folder.to_path_buf();
        Ok(match runner {
            RunnerName::Local => Box::new(Local::new(
                jobs,
                Box::new(move || {
                    let mut command = std::process::Command::new(&me);
                    command.arg("worker").arg(&folder).args(["--memory", &memory.to_string()]);
                    command
                }),
            )),
            RunnerName::Slurm => Box::new(
                Slurm::new(&folder, &me, (jobs, memory))
                    .map_err(|error| CliError::new(error.to_string()))?,
            ),
        })
    }

    /// What there is to say, if a violation still has to be replayed.
    fn found(
        &self,
        conclusion: Conclusion,
        effort: SwarmEffort,
        by_backend: bool,
    ) -> Result<Found, CliError> {
        let stopped = self.watchdog.interrupt.cause().map(|_| Stopped::Interrupted);
        let so_far = effort.so_far(conclusion.covered.as_ref());
        let Conclusion { found, wrong, decided, bounds, unsupported, complete, covered, .. } =
            conclusion;
        let nothing_cut = Bounds { unwind: None, rounds: None, switches: None, ..bounds.clone() };
        let (verdict, stopped) = match (found, wrong) {
            (Some((_, trace)), _) => {
                (Verdict::Unsafe(Box::new(found::failure_of(self.program, &trace)?)), None)
            }
            (None, Some(what)) => (Verdict::Unknown(what), None),
            (None, None) if !decided => (Verdict::Unknown(so_far), stopped),
            (None, None) => match unsupported {
                Some(what) => (Verdict::Unknown(what), None),
                None if !complete && bounds == nothing_cut => {
                    (Verdict::Unknown(VACUOUS.to_string()), None)
                }
                None if bounds.is_empty() => (Verdict::Safe, None),
                None => (Verdict::Bounded(bounds), None),
            },
        };
        let because = by_backend.then(|| "deadlocks were not looked for; by --backend".to_string());
        let effort = Effort::Swarm(effort);
        Ok(Found { who: (Engine::Swarm, None), verdict, effort, covered, stopped, because })
    }
}

/// Of an unfolding that was stopped.
const STOPPED: &str = "stopped";

/// What tilings know of threads.
pub fn threads(places: Vec<encode::ThreadPlaces>) -> Vec<Thread> {
    let point = |point: encode::PointPlace| Point {
        function: point.function,
        file: point.file,
        waits: point.waits,
        region: point.region,
    };
    let thread = |thread: encode::ThreadPlaces| Thread {
        name: thread.name,
        points: thread.points.into_iter().map(point).collect(),
        stores: thread.stores,
    };
    places.into_iter().map(thread).collect()
}
