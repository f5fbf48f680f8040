//! The flags of `heddle swarm`, checked and combined.

use std::path::PathBuf;

use heddle_encode::Method;
use heddle_ir::Arguments;
use heddle_memory::Model;
use heddle_swarm::Sample;
use heddle_witness::text::Detail;

use crate::args::{Engine, ProgramArgs, Property};
use crate::error::CliError;
use crate::interrupt::Limits;
use crate::settings::{Check, arguments, program};
use crate::swarm::args::{Decider, RunnerName, SwarmArgs};
use crate::swarm::subject::{BackendCommand, Search, Subject};

/// For an instance, if nobody says so.
const SECONDS: f64 = 10.0;
const TILES: u32 = 2;

/// Where and how many workers there are.
pub struct Workers {
    pub runner: RunnerName,
    pub jobs: usize,
    pub memory: u64,
}

/// What is asked for.
pub struct Swarm {
    pub check: Check,
    pub search: Search,
    /// Who decides instances.
    pub engine: Decider,
    /// The size of tiles was not said: it is an eighth of the longest thread's points.
    pub choose_size: bool,
    pub backend: Option<BackendCommand>,
    pub workers: Workers,
    pub folder: Option<PathBuf>,
    pub resume: bool,
}

pub fn swarm(args: SwarmArgs) -> Result<Swarm, CliError> {
    let workers = workers(&args)?;
    let resume = args.resume.is_some();
    if let Some(folder) = &args.resume {
        return resumed(&args, workers, folder.clone());
    }
    let explorer_only = [Property::Race, Property::Leak, Property::Uninit, Property::All];
    if let Some(property) = args.check.iter().find(|it| explorer_only.contains(it)) {
        let name = property.name();
        return Err(CliError::new(format!("instances do not look for --check {name}")));
    }
    if args.store_tiles.is_some() && args.mm == Model::Sc {
        return Err(CliError::new("--store-tiles is for --mm tso and pso: no store waits in sc"));
    }
    if args.tile_size.is_some() && args.tiling.as_deref().is_some_and(|name| name != "windows") {
        return Err(CliError::new("--tile-size is for --tiling windows"));
    }
    check_engine(&args)?;
    let backend = args
        .backend
        .as_deref()
        .map(|text| BackendCommand::parse(text, args.backend_unsafe.clone(), args.dialect));
    let backend = backend.transpose()?;
    if backend.is_some() && args.store_tiles.is_some() {
        return Err(CliError::new("--store-tiles does not go with --backend"));
    }
    let explores = args.engine == Decider::Stateful;
    let sample = sample(&args, explores || backend.is_some());
    let seconds = args.instance_timeout.map_or(SECONDS, |time| time.as_secs_f64());
    let search = Search {
        sample,
        seed: args.seed,
        seconds,
        // Forced preemptions are not part of the C, and nothing that a state knows of.
        split: !args.no_split && backend.is_none() && !explores,
        keep_going: args.keep_going,
    };
    let choose_size = args.tile_size.is_none();
    let (folder, engine) = (args.dir.clone(), args.engine);
    Ok(Swarm { check: check(args)?, search, engine, choose_size, backend, workers, folder, resume })
}

/// What the explorer has nothing to do with is not said to it.
fn check_engine(args: &SwarmArgs) -> Result<(), CliError> {
    let flags = [
        ("--unwind", args.unwind.is_some()),
        ("--rounds", args.rounds.is_some()),
        ("--bits", args.bits.is_some()),
        ("--store-tiles", args.store_tiles.is_some()),
        ("--backend", args.backend.is_some()),
    ];
    match flags.iter().find(|flag| flag.1) {
        Some((name, _)) if args.engine == Decider::Stateful => {
            Err(CliError::new(format!("{name} does not go with --engine stateful")))
        }
        _ => Ok(()),
    }
}

/// Selections, if any flag speaks of them.
fn sample(args: &SwarmArgs, always: bool) -> Option<Sample> {
    let asked = args.tiles.is_some()
        || args.tile_size.is_some()
        || args.tiling.is_some()
        || args.store_tiles.is_some()
        || args.instances.is_some()
        || always;
    asked.then(|| Sample {
        tiling: args.tiling.clone().unwrap_or_else(|| "windows".to_string()),
        size: args.tile_size.unwrap_or(1),
        tiles: args.tiles.unwrap_or(TILES),
        stores: args.store_tiles.map(|tiles| (args.store_tile_size.unwrap_or(1), tiles)),
        seed: args.seed,
        most: args.instances,
    })
}

fn workers(args: &SwarmArgs) -> Result<Workers, CliError> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = match (args.jobs, args.runner) {
        (Some(jobs), _) => usize::from(jobs),
        (None, RunnerName::Local) => cores,
        (None, RunnerName::Slurm) => 64,
    };
    let share = crate::engines::most_memory().unwrap_or(4 << 30) / jobs.min(cores).max(1) as u64;
    Ok(Workers { runner: args.runner, jobs, memory: args.instance_memory.unwrap_or(share) })
}

fn check(args: SwarmArgs) -> Result<Check, CliError> {
    if args.entry.is_empty() {
        return Err(CliError::new("--entry needs the name of a function"));
    }
    let source = ProgramArgs { inputs: args.inputs, compiler: args.compiler };
    let mut program = program(source)?;
    program.allocations_fail = args.malloc_fails;
    program.arguments = args.args.as_deref().map_or(Ok(Arguments::Unsaid), arguments)?;
    Ok(Check {
        program,
        entry: args.entry,
        model: args.mm,
        properties: args.check,
        engine: Some(Engine::Swarm),
        algorithm: None,
        without: Vec::new(),
        unwind: args.unwind,
        prp: None,
        quiet: false,
        detail: Detail::Folded,
        max_threads: None,
        max_steps: None,
        max_switches: None,
        strict_states: false,
        delays: false,
        why_new: false,
        seed: 0,
        runs: None,
        depth_first: false,
        jobs: None,
        method: Method::Lazy,
        bound: args.rounds,
        bits: args.bits,
        spurious: !args.no_spurious,
        limits: Limits { timeout: args.timeout, memory: None },
        format: args.format.into(),
        trace: args.trace,
        files: args.files,
        stats: args.stats,
        explain: false,
        strict: args.strict,
    })
}

/// As it was begun, but for who works and what is printed.
fn resumed(args: &SwarmArgs, workers: Workers, folder: PathBuf) -> Result<Swarm, CliError> {
    let subject = Subject::read(&folder)?;
    // What comes is done where the swarm was begun.
    let trace = args.trace.as_ref().map(|path| {
        let about = |error| CliError::new(format!("{}: {error}", path.display()));
        std::path::absolute(path).map_err(about)
    });
    let check = Check {
        program: subject.compiler()?,
        entry: subject.entry.clone(),
        model: subject.model()?,
        properties: subject.properties()?,
        engine: Some(Engine::Swarm),
        algorithm: None,
        without: Vec::new(),
        unwind: subject.unwind,
        prp: None,
        quiet: false,
        detail: Detail::Folded,
        max_threads: None,
        max_steps: None,
        max_switches: None,
        strict_states: false,
        delays: false,
        why_new: false,
        seed: 0,
        runs: None,
        depth_first: false,
        jobs: None,
        method: Method::Lazy,
        bound: subject.rounds,
        bits: subject.bits,
        spurious: !subject.signals_only,
        limits: Limits { timeout: args.timeout, memory: None },
        format: args.format.into(),
        trace: trace.transpose()?,
        files: args.files.clone(),
        stats: args.stats,
        explain: false,
        strict: args.strict,
    };
    Ok(Swarm {
        check,
        search: subject.search.clone(),
        engine: subject.engine,
        choose_size: false,
        backend: subject.backend.clone(),
        workers,
        folder: Some(folder),
        resume: true,
    })
}
