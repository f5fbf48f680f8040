//! A few runs at random before a search that keeps states. They show most of what speaks
//! against what it supposes, so that it need not start again for that.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use heddle_ir::{FuncId, Program};
use heddle_machine::{Config, Guide, Machine, SetupError};
use heddle_semantics::{Choice, MemoryModel, ThreadId};
use rustc_hash::FxHashSet;

use crate::guided::Slicer;
use crate::inputs::Inputs;

/// Runs with what is known, how often that is brought up to date, and steps of a run.
const RUNS: u64 = 8;
const ROUNDS: u64 = 8;
const STEPS: usize = 2_000;
/// Time for all of it.
const PATIENCE: Duration = Duration::from_millis(100);

/// Tells the slicer what runs show. Gives the configuration for the search: threads are
/// interchangeable unless each has something of its own to do, and memory of its own.
pub fn rehearse<M: MemoryModel>(
    program: &Program,
    entry: FuncId,
    config: &Config,
    model: &M,
    slicer: &mut Slicer<'_>,
) -> Result<Config, SetupError> {
    let mut config = config.clone();
    if !config.guide.as_ref().is_some_and(|guide| guide.own) {
        return Ok(config);
    }
    let machine = |config: &Config| Machine::new(program, entry, config.clone(), model.clone());
    let mut named = !config.interchangeable;
    if !named {
        // With all their steps, so that threads are not over when they are looked at.
        let plain = Config { guide: None, ..config.clone() };
        named = !alike(&run(&mut machine(&plain)?, 0));
    }
    if named {
        let apart = Config { interchangeable: false, ..config.clone() };
        let owners = play(&apart, slicer, machine)?;
        config.interchangeable &= !owners;
    }
    if config.interchangeable {
        play(&config, slicer, machine)?;
    }
    config.guide = slicer.guide();
    Ok(config)
}

/// Runs until they show nothing new. Does some thread have memory of its own?
fn play<'p, M: MemoryModel>(
    config: &Config,
    slicer: &mut Slicer<'_>,
    machine: impl Fn(&Config) -> Result<Machine<'p, M>, SetupError>,
) -> Result<bool, SetupError> {
    let began = Instant::now();
    let mut owners = false;
    for round in 0..ROUNDS {
        // Every access is a step here, own or not: threads are to meet.
        let tries = |guide: &Guide| Guide { own: false, tries: true, ..guide.clone() };
        let guide = slicer.guide().map(|guide| Arc::new(tries(&guide)));
        let mut machine = machine(&Config { guide, ..config.clone() })?;
        for seed in 0..RUNS {
            if began.elapsed() < PATIENCE {
                run(&mut machine, 1 + round * RUNS + seed);
            }
        }
        owners = machine.has_owners();
        let news = slicer.learn(machine.common(), machine.noisy(), machine.first_reads());
        if !news || machine.surprised() || began.elapsed() > PATIENCE {
            break;
        }
    }
    Ok(owners)
}

/// What a thread runs, and with which argument.
type Errand = (FuncId, u64);

/// Do two threads begin in the same way?
fn alike(errands: &[Errand]) -> bool {
    let mut seen = FxHashSet::default();
    errands.iter().any(|errand| !seen.insert(*errand))
}

/// One run at random, after which the machine is where it was. Tells what the threads were
/// started for.
fn run<M: MemoryModel>(machine: &mut Machine<'_, M>, seed: u64) -> Vec<Errand> {
    let mut random = fastrand::Rng::with_seed(seed);
    let all = (0..machine.thread_count() as u32).map(ThreadId);
    let others = all.filter(|&thread| thread != ThreadId::MAIN);
    let mut errands: Vec<Errand> = others.filter_map(|thread| machine.errand(thread)).collect();
    let mut steps = 0;
    while steps < STEPS && !machine.config().interrupt.load(Ordering::Relaxed) {
        let all = (0..machine.thread_count() as u32).map(ThreadId);
        let enabled: Vec<ThreadId> = all.filter(|&thread| machine.enabled(thread)).collect();
        let Some(&thread) = random.choice(&enabled) else { break };
        let choice = match Inputs::default().values(machine, thread) {
            Some((values, _)) => {
                Choice::Input(thread, *random.choice(&values).expect("some values"))
            }
            None => Choice::Step(thread),
        };
        machine.step(choice);
        steps += 1;
        let created = machine.last_event().created.iter();
        errands.extend(created.filter_map(|&thread| machine.errand(thread)));
    }
    for _ in 0..steps {
        machine.undo();
    }
    machine.take_violations();
    errands
}
