//! Runs one engine, or two side by side.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use heddle_encode as encode;
use heddle_explore as explore;
use heddle_explore::Algorithm;
use heddle_ir::{Callee, FuncId, Op, Program};
use heddle_semantics::{VACUOUS, Verdict, ViolationKind};

use crate::args::Engine;
use crate::effort::Effort;
use crate::error::CliError;
use crate::interrupt::Interrupt;
use crate::progress::Progress;
use crate::settings::Check;

/// What an engine says.
pub struct Found {
    pub engine: Engine,
    /// Which explorer it was.
    pub algorithm: Option<Algorithm>,
    pub verdict: Verdict,
    pub effort: Effort,
    /// Why the engine gave up, where the verdict does not say it.
    pub stopped: Option<String>,
}

impl Found {
    /// Nothing that another engine could say would change it.
    fn is_definite(&self) -> bool {
        matches!(self.verdict, Verdict::Safe | Verdict::Unsafe(_))
    }
}

/// How long others may go on, once `guided` has said what it can and nobody has set a
/// time.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long `guided` is alone before `stateful` starts too.
const HEAD_START: Duration = Duration::from_secs(1);
/// Memory that `stateful` may take when nobody asked for it.
const UNASKED: u64 = 4 << 30;
/// How often somebody looks whether to stop.
const POLL: Duration = Duration::from_millis(20);

pub fn search(
    settings: &Check,
    program: &Program,
    entry: FuncId,
    interrupt: &Interrupt,
) -> Result<Found, CliError> {
    let search = Search { settings, program, entry };
    let engine = settings.engine.unwrap_or_else(|| match search.may_read_input() {
        true => Engine::Both,
        false => Engine::Explore,
    });
    let progress = Progress::start();
    match engine {
        Engine::Explore => match settings.algorithm {
            Some(algorithm) => search.explore(algorithm, interrupt.flag.clone(), &progress),
            None => search.explore_both(interrupt, &progress),
        },
        Engine::Lazy => Ok(search.encode(interrupt.flag.clone(), &progress)),
        Engine::Both => search.both(interrupt, &progress),
    }
}

struct Search<'a> {
    settings: &'a Check,
    program: &'a Program,
    entry: FuncId,
}

impl Search<'_> {
    /// Does any instruction ask for a value from outside?
    fn may_read_input(&self) -> bool {
        let program = self.program;
        let instructions = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.insts);
        instructions.into_iter().any(|inst| match &inst.op {
            Op::Nondet { .. } => true,
            Op::Call { callee: Callee::Direct(id), .. } => {
                program.function(*id).name.starts_with("__VERIFIER_nondet")
            }
            _ => false,
        })
    }

    fn ignored(&self) -> Vec<ViolationKind> {
        let kinds = ViolationKind::ALL.iter().copied();
        kinds.filter(|&kind| !self.settings.checks(kind)).collect()
    }

    fn encode(&self, interrupt: Arc<AtomicBool>, progress: &Progress) -> Found {
        let settings = self.settings;
        let options = encode::Options {
            unwind: settings.unwind,
            rounds: settings.rounds,
            bits: settings.bits,
            most_rounds: None,
            interrupt,
            memory_limit: settings.memory_limit,
            ignored: self.ignored(),
            progress: Some(progress.passes()),
            constraints: None,
        };
        let report = encode::check(self.program, self.entry, settings.model, &options);
        Found {
            engine: Engine::Lazy,
            algorithm: None,
            verdict: report.verdict,
            effort: report.stats.into(),
            stopped: report.stopped,
        }
    }

    fn explore(
        &self,
        algorithm: Algorithm,
        interrupt: Arc<AtomicBool>,
        progress: &Progress,
    ) -> Result<Found, CliError> {
        let settings = self.settings;
        let stateful = algorithm == Algorithm::Stateful;
        let unasked = stateful && settings.algorithm.is_none();
        let memory = match (stateful, unasked) {
            (true, true) => Some(UNASKED),
            (true, false) => most_memory(),
            _ => None,
        };
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let options = explore::Options {
            algorithm,
            without: settings.without.clone(),
            unwind: settings.unwind,
            max_switches: settings.max_switches,
            strict_states: settings.strict_states,
            depth_first: settings.depth_first,
            interrupt,
            memory_limit: settings.memory_limit.or(memory),
            jobs: settings.jobs.unwrap_or(if unasked { (cores - 1).max(1) } else { cores }),
            races: settings.checks(ViolationKind::DataRace),
            leaks: settings.checks(ViolationKind::Leak),
            overflow: settings.checks(ViolationKind::SignedOverflow),
            ignored: self.ignored(),
            progress: Some(progress.reporter()),
            ..explore::Options::default()
        };
        let report = explore::check(self.program, self.entry, settings.model, &options)
            .map_err(|error| CliError::new(error.to_string()))?;
        Ok(Found {
            engine: Engine::Explore,
            algorithm: Some(algorithm),
            verdict: report.verdict,
            effort: report.stats.into(),
            stopped: None,
        })
    }

    /// The first definite answer wins; without one, the better of the two.
    fn both(&self, interrupt: &Interrupt, progress: &Progress) -> Result<Found, CliError> {
        let stop: Arc<AtomicBool> = Arc::default();
        std::thread::scope(|scope| {
            let (answers, inbox) = channel();
            let explorer: Sender<Result<Found, CliError>> = answers.clone();
            let flag = Arc::clone(&stop);
            // Whoever comes too late finds nobody listening.
            scope.spawn(move || drop(explorer.send(self.explore_first(flag, progress))));
            let flag = Arc::clone(&stop);
            scope.spawn(move || drop(answers.send(Ok(self.encode(flag, progress)))));
            self.first_of(&inbox, interrupt, &stop)
        })
    }

    /// `guided`; if its answer does not stand when all steps are taken, `optimal`.
    fn explore_first(&self, stop: Arc<AtomicBool>, progress: &Progress) -> Result<Found, CliError> {
        let found = self.explore(Algorithm::Guided, Arc::clone(&stop), progress)?;
        match &found.verdict {
            Verdict::Unknown(why) if why.starts_with("internal") => {
                self.explore(Algorithm::Optimal, stop, progress)
            }
            _ => Ok(found),
        }
    }

    /// `guided`, which is best where few interleavings differ; if it takes long, beside
    /// it `stateful`, which is best where many lead to the same states, and the only one
    /// to come to an end where the program does not.
    fn explore_both(&self, interrupt: &Interrupt, progress: &Progress) -> Result<Found, CliError> {
        let stop: Arc<AtomicBool> = Arc::default();
        std::thread::scope(|scope| {
            let (answers, inbox) = channel();
            let other: Sender<Result<Found, CliError>> = answers.clone();
            let flag = Arc::clone(&stop);
            scope.spawn(move || {
                drop(answers.send(self.explore_first(flag, progress)));
            });
            let began = Instant::now();
            let quick = loop {
                match inbox.recv_timeout(POLL) {
                    Ok(answer) => break Some(answer),
                    Err(_) if interrupt.flag.load(Ordering::Relaxed) => break None,
                    Err(_) if began.elapsed() > HEAD_START => break None,
                    Err(_) => {}
                }
            };
            let alone = self.settings.checks(ViolationKind::DataRace)
                || self.settings.unwind.is_some()
                || interrupt.flag.load(Ordering::Relaxed);
            match quick {
                Some(answer) => answer,
                None if alone => {
                    drop(other);
                    self.first_of(&inbox, interrupt, &stop)
                }
                None => {
                    let flag = Arc::clone(&stop);
                    scope.spawn(move || {
                        drop(other.send(self.explore(Algorithm::Stateful, flag, progress)));
                    });
                    self.first_of(&inbox, interrupt, &stop)
                }
            }
        })
    }

    fn first_of(
        &self,
        inbox: &Receiver<Result<Found, CliError>>,
        interrupt: &Interrupt,
        stop: &AtomicBool,
    ) -> Result<Found, CliError> {
        let mut best: Option<Found> = None;
        let mut deadline: Option<Instant> = None;
        loop {
            let late = deadline.is_some_and(|deadline| Instant::now() > deadline);
            if late || interrupt.flag.load(Ordering::Relaxed) {
                stop.store(true, Ordering::Relaxed);
            }
            match inbox.recv_timeout(POLL) {
                Ok(answer) => {
                    let answer = answer?;
                    if answer.is_definite() {
                        stop.store(true, Ordering::Relaxed);
                        return Ok(answer);
                    }
                    let first = answer.algorithm.is_some_and(|it| it != Algorithm::Stateful);
                    if first && self.settings.timeout.is_none() {
                        deadline = Some(Instant::now() + PATIENCE);
                    }
                    best = Some(match best {
                        None => answer,
                        Some(other) => better(other, answer),
                    });
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return best.ok_or_else(|| CliError::new("no engine gave an answer"));
                }
            }
        }
    }
}

/// Three quarters of the machine's memory, where the system tells: a search that keeps
/// states would take it all.
fn most_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = total.split_whitespace().next()?.parse().ok()?;
    Some(kib * 1024 / 4 * 3)
}

/// Bounds that are known are better than a reason why nothing is.
fn better(a: Found, b: Found) -> Found {
    if a.engine == b.engine {
        let worth = |found: &Found| {
            let bounded = matches!(found.verdict, Verdict::Bounded(_));
            (bounded, found.algorithm != Some(Algorithm::Stateful))
        };
        return if worth(&a) >= worth(&b) { a } else { b };
    }
    let vacuous =
        |found: &Found| matches!(&found.verdict, Verdict::Unknown(why) if why.starts_with(VACUOUS));
    if vacuous(&a) || vacuous(&b) {
        return if vacuous(&a) { a } else { b };
    }
    let unknown = |found: &Found| matches!(found.verdict, Verdict::Unknown(_));
    // What only the formula looked at are inputs in full; what the explorer looked
    // at, interleavings in full.
    let (explorer, formula) = if a.engine == Engine::Explore { (a, b) } else { (b, a) };
    if unknown(&explorer) && !unknown(&formula) { formula } else { explorer }
}
