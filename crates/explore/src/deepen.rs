//! From a program to a verdict: runs an algorithm with growing bounds until
//! nothing is cut off any more.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use heddle_ir::{Callee, FuncId, Op, Program};
use heddle_machine::{Config, Instructions, Machine, Meetings, SetupError};
use heddle_memory::{Model, ModelVisitor};
use heddle_semantics::{
    Bounds, Choice, Failure, MemoryModel, Schedule, Stopped, ThreadId, Verdict,
};

use crate::expand::Expansion;
use crate::guided::{GuidedStats, Part, Slicer};
use crate::inputs::Inputs;
use crate::rehearse::rehearse;
use crate::search::{Findings, Halt, Search, peak_bytes};
use crate::{Algorithm, Options, Report, Stats, dpor, naive, optimal, random, stateful};

/// First bound on loop iterations, and how it grows.
const FIRST_UNWIND: u32 = 8;
const UNWIND_FACTOR: u32 = 4;

/// First bound on threads. Few threads show most of what goes wrong with many, at a small part
/// of the cost, so it grows by one at first.
const FIRST_THREADS: u32 = 3;
const FEW_THREADS: u32 = 8;

/// Threads of a run at random, where the program creates them without end.
const RANDOM_THREADS: u32 = 6;

/// Steps of the trial run that looks for good first bounds, and the largest bounds taken
/// from it.
const TRIAL_STEPS: u32 = 20_000;
const TRIAL_UNWIND: u32 = 1_000;
const TRIAL_THREADS: u32 = 1_000;

/// One search with fixed bounds.
struct Pass {
    halt: Option<Halt>,
    stats: Stats,
    findings: Findings,
    bounds: Bounds,
    unsupported: Option<String>,
    /// Why there is nothing to be said, if no execution was complete.
    vacuous: Option<String>,
    failure: Option<heddle_semantics::Failure>,
    accepted: Option<Schedule>,
    instructions: Instructions,
    /// Pairs of places: see `Machine::pairs`.
    pairs: (u64, u64),
}

pub fn check(
    program: &Program,
    entry: FuncId,
    model: Model,
    options: &Options,
) -> Result<Report, SetupError> {
    model.with(Check { program, entry, options })
}

struct Check<'a> {
    program: &'a Program,
    entry: FuncId,
    options: &'a Options,
}

impl ModelVisitor for Check<'_> {
    type Output = Result<Report, SetupError>;

    fn visit<M: MemoryModel>(self, model: M) -> Self::Output {
        check_under(self.program, self.entry, model, self.options)
    }
}

fn check_under<M: MemoryModel + Clone>(
    program: &Program,
    entry: FuncId,
    model: M,
    options: &Options,
) -> Result<Report, SetupError> {
    let started = Instant::now();
    if options.places.is_some() && (!options.algorithm.takes_places() || options.depth_first) {
        return Ok(refused(options.algorithm));
    }
    let mut config = Config {
        unwind: options.unwind,
        interrupt: options.interrupt.clone(),
        share_everything: options.races,
        positions: options.races,
        overflow: options.overflow,
        uninitialised: options.uninitialised,
        ..Config::default()
    };
    config.max_steps = options.max_steps.unwrap_or(config.max_steps);
    if let Some(constraints) = &options.constraints {
        config.sites = Some(constraints.sites.clone());
        config.order = Some(constraints.order.clone());
    }
    if options.algorithm == Algorithm::Stateful {
        config.stateful = true;
        config.endless_wakeups = true;
        config.interchangeable = !options.without.contains(&Part::Symmetry);
        config.fixed_addresses = !stateful::can_be_told(program);
        config.unwind = None;
    }
    let trees = matches!(options.algorithm, Algorithm::Optimal | Algorithm::Guided);
    if trees && options.constraints.is_none() {
        config.meetings = Meetings::of(program).map(Arc::new);
    }
    let trial = trial(program, entry, &config, model.clone())?;
    config.max_threads = Some(options.max_threads.unwrap_or(trial.threads));
    let cuts = !matches!(options.algorithm, Algorithm::Stateful | Algorithm::Random);
    if cuts && config.unwind.is_none() {
        config.unwind = Some(trial.unwind);
    }
    if options.algorithm == Algorithm::Random && options.max_threads.is_none() {
        config.max_threads = Some(trial.threads.max(RANDOM_THREADS));
    }
    // What the last pass that was not interrupted has shown.
    let mut covered: Option<Bounds> = None;
    let mut slicer = Slicer::new(program, entry, &model, options);
    config.guide = slicer.guide();
    config = rehearse(program, entry, &config, &model, &mut slicer)?;
    loop {
        let mut pass =
            run(program, entry, config.clone(), model.clone(), options, covered.as_ref())?;
        pass.stats.seconds = started.elapsed().as_secs_f64();
        pass.stats.peak_bytes = peak_bytes().unwrap_or(0);
        let (lock_pairs, write_pairs) = pass.pairs;
        let guided = GuidedStats { lock_pairs, write_pairs, ..slicer.stats };
        let guides = matches!(options.algorithm, Algorithm::Guided | Algorithm::Stateful);
        pass.stats.guided = guides.then_some(guided);
        let before = all_before(&pass).filter(|_| !options.delays);
        let mut stopped = None;
        let verdict = match pass.halt {
            Some(Halt::Wrong(wrong)) => match wrong.give_up(&mut config, &mut slicer) {
                Ok(()) => continue,
                Err(nothing_left) => Verdict::Unknown(nothing_left.to_string()),
            },
            Some(Halt::Unreadable) => {
                Verdict::Unknown("the temporary file with waiting states can't be read".to_string())
            }
            Some(Halt::Lost) => Verdict::Unknown("internal error: way to a state lost".to_string()),
            Some(halt @ (Halt::Interrupted | Halt::MemoryLimit)) => {
                pass.stats.covered = covered.or(before);
                stopped = Some(match halt {
                    Halt::MemoryLimit => Stopped::MemoryLimit,
                    _ => Stopped::Interrupted,
                });
                Verdict::Unknown(incomplete(&halt, &pass.stats))
            }
            Some(Halt::Held) => {
                Verdict::Unknown("constraints keep a run from going on".to_string())
            }
            Some(Halt::LostCount) => {
                Verdict::Unknown("constraints behind a loop that waits".to_string())
            }
            Some(Halt::Budget) => Verdict::Unknown(incomplete(&Halt::Budget, &pass.stats)),
            // A sample is no proof. What was not known on the way is worth more to the user.
            Some(Halt::Sampled) => Verdict::Unknown(pass.unsupported.unwrap_or_else(|| {
                stopped = Some(Stopped::Sampled);
                incomplete(&Halt::Sampled, &pass.stats)
            })),
            Some(Halt::Accepted) => Verdict::Bounded(pass.bounds),
            Some(Halt::Violation) | None => match (pass.failure, pass.unsupported) {
                (Some(failure), _) if config.guide.is_some() || config.meetings.is_some() => {
                    let config = Config { interchangeable: false, names: None, ..config };
                    let expansion = Expansion { program, entry, model, config };
                    all_steps(expansion, failure)
                }
                (Some(failure), _) => Verdict::Unsafe(Box::new(failure)),
                // More threads may fail where few come to something that is not known.
                (None, Some(_))
                    if pass.bounds.threads.is_some_and(|few| few < FEW_THREADS)
                        && deepen(&mut config, &pass.bounds, options) =>
                {
                    continue;
                }
                (None, Some(what)) => Verdict::Unknown(what),
                (None, None) if pass.vacuous.is_some() && !pass.bounds.inputs => {
                    Verdict::Unknown(pass.vacuous.unwrap_or_default())
                }
                (None, None) if pass.bounds.is_empty() => Verdict::Safe,
                (None, None) => {
                    if deepen(&mut config, &pass.bounds, options) {
                        covered = Some(pass.bounds);
                        continue;
                    }
                    Verdict::Bounded(pass.bounds)
                }
            },
        };
        let Pass { stats, findings, accepted, instructions, .. } = pass;
        return Ok(Report { verdict, stopped, stats, findings, accepted, instructions });
    }
}

/// Of a search that would leave out other runs than those it is asked to leave out.
fn refused(algorithm: Algorithm) -> Report {
    let why = format!("{algorithm} does not keep to places, since it reduces or does not count");
    Report {
        verdict: Verdict::Unknown(why),
        stopped: None,
        stats: Stats::default(),
        findings: Findings::default(),
        accepted: None,
        instructions: Instructions::default(),
    }
}

/// The verdict on a violation that was found with some steps hidden. A loop that waits for
/// ever is noticed by a machine that knows nothing of other states; but a search that keeps
/// them may have gone round a loop before it went on.
fn all_steps<M: MemoryModel>(mut expansion: Expansion<'_, M>, failure: Failure) -> Verdict {
    let stateful = std::mem::take(&mut expansion.config.stateful);
    let mut found = match expansion.config.guide {
        Some(_) => expansion.of(&failure),
        None => expansion.without_leaving(&failure),
    };
    if found.is_none() && stateful {
        expansion.config.stateful = true;
        found = expansion.of(&failure);
    }
    match found {
        Some(schedule) => Verdict::Unsafe(Box::new(Failure { schedule, ..failure })),
        None => {
            let place = expansion.program.position(failure.violation.span).unwrap_or_default();
            let kind = failure.violation.kind;
            Verdict::Unknown(format!(
                "internal error: {kind} at {place} is lost with all its steps"
            ))
        }
    }
}

/// A machine whose threads have the numbers that constraints have for them.
fn machine<M: MemoryModel>(
    program: &Program,
    entry: FuncId,
    config: Config,
    model: M,
) -> Result<Machine<'_, M>, SetupError> {
    let threads = config.order.as_ref().map_or(Vec::new(), |order| order.threads.clone());
    Machine::with_threads(program, entry, config, model, &threads)
}

/// Raises the bounds that cut something, if they are not the user's.
fn deepen(config: &mut Config, cut: &Bounds, options: &Options) -> bool {
    let unwind = cut.unwind.filter(|_| options.unwind.is_none());
    let unwind = unwind.and_then(|unwind| unwind.checked_mul(UNWIND_FACTOR));
    let threads = cut.threads.filter(|_| options.max_threads.is_none());
    let threads = threads.map(|few| if few < FEW_THREADS { few + 1 } else { few * 2 });
    config.unwind = unwind.or(config.unwind);
    config.max_threads = threads.or(config.max_threads);
    unwind.is_some() || threads.is_some()
}

/// First bounds.
struct Trial {
    unwind: u32,
    threads: u32,
}

/// Bounds that cut nothing of an ordinary execution, so that a program whose loops all end
/// is searched once.
fn trial<M: MemoryModel>(
    program: &Program,
    entry: FuncId,
    config: &Config,
    model: M,
) -> Result<Trial, SetupError> {
    let (stateful, interchangeable) = (false, false);
    let max_threads = Some(TRIAL_THREADS);
    let config = Config { stateful, interchangeable, max_threads, ..config.clone() };
    let interrupt = Arc::clone(&config.interrupt);
    let mut machine = machine(program, entry, config, model)?;
    let mut unwind = FIRST_UNWIND;
    for _ in 0..TRIAL_STEPS {
        if interrupt.load(Ordering::Relaxed) {
            break;
        }
        let actors = (0..machine.thread_count() as u32).map(ThreadId);
        let Some(actor) = actors.into_iter().find(|&actor| machine.enabled(actor)) else {
            let iterations = machine.iterations();
            let usable = iterations <= TRIAL_UNWIND;
            unwind = if usable { iterations.max(FIRST_UNWIND) } else { FIRST_UNWIND };
            break;
        };
        machine.step(match Inputs::default().values(&machine, actor) {
            Some((values, _)) => Choice::Input(actor, values[0]),
            None => Choice::Step(actor),
        });
    }
    let endless = machine.bounds().threads.is_some();
    let born = if endless { 0 } else { machine.born().max(1 + creations(program)) };
    Ok(Trial { unwind, threads: born.max(FIRST_THREADS) })
}

/// Places where a program creates threads.
fn creations(program: &Program) -> u32 {
    let creates = |op: &Op| match op {
        Op::Call { callee: Callee::Direct(id), .. } => {
            matches!(program.function(*id).name.as_str(), "pthread_create" | "thrd_create")
        }
        _ => false,
    };
    let insts = program.functions.iter().flat_map(|f| &f.blocks).flat_map(|block| &block.insts);
    insts.filter(|inst| creates(&inst.op)).count() as u32
}

/// What a search by states has shown when it is stopped: it has seen everything with
/// fewer preemptions than it was at.
fn all_before(pass: &Pass) -> Option<Bounds> {
    if pass.unsupported.is_some() || pass.failure.is_some() {
        return None;
    }
    let switches = pass.stats.switches.checked_sub(1)?;
    Some(Bounds { switches: Some(switches), ..pass.bounds.clone() })
}

fn incomplete(halt: &Halt, stats: &Stats) -> String {
    let why = match halt {
        Halt::MemoryLimit => "memory limit reached",
        Halt::Budget | Halt::Sampled => "given up",
        _ => "interrupted",
    };
    match stats.states {
        0 => format!("{why} after {} executions, no violation among them", stats.executions),
        states => format!("{why} after {states} states, no violation among them"),
    }
}

fn run<M: MemoryModel>(
    program: &Program,
    entry: FuncId,
    config: Config,
    model: M,
    options: &Options,
    covered: Option<&Bounds>,
) -> Result<Pass, SetupError> {
    let several = options.algorithm == Algorithm::Stateful && options.jobs > 1;
    let config = Config { names: several.then(Arc::default), ..config };
    let again = (config.clone(), model.clone());
    let machine_under = |(config, model)| machine(program, entry, config, model);
    let mut search = Search::new(machine_under((config, model))?, options);
    search.stats.covered = covered.cloned();
    let mut result = match options.algorithm {
        Algorithm::Naive => naive::explore(&mut search),
        Algorithm::Dpor => dpor::explore(&mut search),
        Algorithm::Optimal | Algorithm::Guided => optimal::explore(&mut search),
        Algorithm::Stateful => stateful::explore(&mut search, entry),
        Algorithm::Random => random::explore(&mut search, entry),
    };
    // What an atomic section touches after an input is not known when wakeup trees are made,
    // and they lose executions. The simpler search needs none.
    let by_trees = matches!(options.algorithm, Algorithm::Optimal | Algorithm::Guided);
    if by_trees && result.is_ok() && search.machine.stops_in_sections() {
        search = Search::new(machine_under(again)?, options);
        search.stats.covered = covered.cloned();
        result = dpor::explore(&mut search);
    }
    if options.algorithm == Algorithm::Guided {
        result = result.and_then(|()| search.check_guide());
    }
    let result = result.and_then(|()| search.check_supposed());
    let mut bounds = search.machine.bounds().clone();
    bounds.inputs |= search.sampled_inputs;
    bounds.allocations |= search.machine.leaves_allocations_open();
    bounds.switches = search.cut_switches;
    let unsupported = search.machine.unsupported().map(|unsupported| {
        let place = program.position(unsupported.span);
        let place = place.map_or(String::new(), |position| format!(" at {position}"));
        format!("unsupported: {}{place}", unsupported.what)
    });
    let ignored = search.ignored.as_ref().map(|violation| {
        let place = program.position(violation.span).unwrap_or_default();
        format!("{} at {place} was not to be checked; what follows is not known", violation.kind)
    });
    let unsupported = unsupported.or(ignored);
    let interrupted = options.interrupt.load(Ordering::Relaxed);
    let halt = match result {
        Err(halt) => Some(halt),
        // A private computation may have been cut by the interrupt.
        Ok(()) if interrupted => Some(Halt::Interrupted),
        Ok(()) => None,
    };
    Ok(Pass {
        halt,
        stats: search.stats,
        findings: search.findings,
        bounds,
        unsupported,
        vacuous: search.machine.vacuous(),
        failure: search.failure,
        accepted: search.accepted,
        instructions: search.machine.instructions().clone(),
        pairs: search.machine.pairs(),
    })
}
