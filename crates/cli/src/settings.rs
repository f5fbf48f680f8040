//! The command line as the commands use it: checked, combined, with defaults
//! filled in.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use heddle_encode::{self as encode, Method};
use heddle_explore::{Algorithm, Part};
use heddle_frontend as frontend;
use heddle_ir::Arguments;
use heddle_memory::Model;
use heddle_semantics::ViolationKind;
use heddle_witness::text::{Detail, Style};

use crate::args::{
    BuildArgs, CheckArgs, CheckFormat, CompilerArgs, DumpArgs, EmitArgs, Engine, Format,
    ProgramArgs, Property, ProveArgs, Reduction, ReplayArgs, ReportArgs, RunArgs, Schema,
    SearchArgs, UnknownCall,
};
use crate::certificate::Certificate;
use crate::error::CliError;
use crate::formats::args::{ExplainArgs, FileArgs};
use crate::formats::svcomp;
use crate::interrupt::Limits;
use crate::tiles::Tiles;
use crate::transactions::Drawing;

/// What `--args` calls arguments that are inputs.
const ANY: &str = "any";

#[derive(Clone)]
pub struct Check {
    pub program: frontend::Options,
    pub entry: String,
    pub model: Model,
    pub properties: Vec<Property>,
    /// `None`: as the program needs it.
    pub engine: Option<Engine>,
    /// `None`: `guided`, and `stateful` beside it if that takes long.
    pub algorithm: Option<Algorithm>,
    /// Parts of `guided` and `stateful` that are left out.
    pub without: Vec<Part>,
    pub unwind: Option<u32>,
    pub max_threads: Option<u32>,
    pub max_steps: Option<u64>,
    pub max_switches: Option<u32>,
    pub strict_states: bool,
    pub delays: bool,
    pub why_new: bool,
    pub seed: u64,
    pub runs: Option<u64>,
    pub depth_first: bool,
    /// `None`: as many as there are cores.
    pub jobs: Option<usize>,
    /// The encoding of a formula, and its bound.
    pub method: Method,
    pub bound: Option<u32>,
    pub bits: Option<u32>,
    /// Waits for condition variables may end without a signal.
    pub spurious: bool,
    pub limits: Limits,
    pub format: CheckFormat,
    pub trace: Option<PathBuf>,
    pub files: FileArgs,
    /// The text of a property file.
    pub prp: Option<String>,
    pub quiet: bool,
    pub detail: Detail,
    pub style: Style,
    pub stats: bool,
    pub explain: bool,
    pub strict: bool,
    /// Where a certificate is to be written.
    pub proof: Option<Arc<Certificate>>,
    /// Answers are looked up and kept.
    pub cache: bool,
}

impl Check {
    /// Of a program, without a word more.
    pub fn plain(program: frontend::Options) -> Check {
        Check {
            program,
            entry: "main".to_string(),
            model: Model::Sc,
            properties: Property::DEFAULT.to_vec(),
            engine: None,
            algorithm: None,
            without: Vec::new(),
            unwind: None,
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
            bound: None,
            bits: None,
            spurious: true,
            limits: Limits::default(),
            format: CheckFormat::Text,
            trace: None,
            files: FileArgs::default(),
            prp: None,
            quiet: false,
            detail: Detail::Folded,
            style: Style::for_stdout(),
            stats: false,
            explain: false,
            strict: false,
            proof: None,
            cache: false,
        }
    }

    /// What every search is told; the rest as in [`Check::plain`].
    pub fn of(mut program: frontend::Options, args: SearchArgs) -> Result<Check, CliError> {
        if args.entry.is_empty() {
            return Err(CliError::new("--entry needs the name of a function"));
        }
        program.allocations_fail = args.malloc_fails;
        program.arguments = args.args.as_deref().map_or(Ok(Arguments::Unsaid), arguments)?;
        Ok(Check {
            entry: args.entry,
            model: args.mm,
            unwind: args.unwind,
            spurious: !args.no_spurious,
            ..Check::plain(program)
        })
    }

    /// Does a violation of this kind count?
    pub fn checks(&self, kind: ViolationKind) -> bool {
        self.properties.iter().any(|property| property.covers(kind))
    }

    /// Is something looked for that no formula tells of?
    pub fn is_for_explorers(&self) -> bool {
        self.properties.iter().any(|property| property.is_for_explorers())
    }

    /// What may end a thread without counting. The rest of what does not count is not looked
    /// for in a step.
    pub fn unchecked(&self) -> Vec<ViolationKind> {
        let ending = Property::DEFAULT;
        let ends = |kind: &ViolationKind| ending.iter().any(|property| property.covers(*kind));
        ViolationKind::ALL.iter().copied().filter(ends).filter(|&kind| !self.checks(kind)).collect()
    }
}

pub struct Replay {
    pub trace: PathBuf,
    /// `None`: the files and flags that the trace names.
    pub program: Option<frontend::Options>,
    /// How to run the program itself, if it is to be run.
    pub native: Option<Native>,
    pub detail: Detail,
    pub style: Style,
    pub html: Option<PathBuf>,
    pub format: Format,
}

pub enum Native {
    Runs(u32),
    Gdb,
}

pub struct Run {
    pub program: frontend::Options,
    pub output: Option<PathBuf>,
    pub stats: bool,
    pub arguments: Vec<String>,
}

pub fn run(args: RunArgs) -> Result<Run, CliError> {
    let RunArgs { inputs, cflags, output, stats, arguments } = args;
    let compiler =
        CompilerArgs { ilp32: false, cflags, flags: Vec::new(), unknown_calls: UnknownCall::Stop };
    let mut program = program(ProgramArgs { inputs, compiler })?;
    program.arguments = Arguments::Given(arguments.clone());
    Ok(Run { program, output, stats, arguments })
}

pub struct Prove {
    pub program: frontend::Options,
    pub output: Option<PathBuf>,
    pub measure: bool,
    pub timeout: Option<Duration>,
    pub format: Format,
}

pub fn prove(args: ProveArgs) -> Result<Prove, CliError> {
    let ProveArgs { program: source, output, args, measure, timeout, format } = args;
    let mut program = program(source)?;
    program.arguments = Arguments::Given(split_words(args.as_deref().unwrap_or(""))?);
    Ok(Prove { program, output, measure, timeout, format })
}

pub struct Report {
    pub schedule: PathBuf,
    pub output: Option<PathBuf>,
}

pub fn report(args: ReportArgs) -> Report {
    Report { schedule: args.schedule, output: args.output }
}

pub struct Build {
    pub program: frontend::Options,
    pub output: PathBuf,
    pub embed: Option<PathBuf>,
}

pub fn build(args: BuildArgs) -> Result<Build, CliError> {
    let BuildArgs { program: source, output, embed } = args;
    Ok(Build { program: program(source)?, output, embed })
}

impl TryFrom<CheckArgs> for Check {
    type Error = CliError;

    fn try_from(mut args: CheckArgs) -> Result<Check, CliError> {
        let prp = args.prp.as_deref().map(svcomp::read).transpose()?;
        if let Some(prp) = &prp {
            args.search.entry.clone_from(&prp.entry);
            args.check.clone_from(&prp.properties);
        }
        check_parts(&args)?;
        let engine = choose_engine(&args)?;
        check_stateful(&args)?;
        check_random(&args)?;
        Ok(Check {
            properties: args.check,
            engine,
            algorithm: args.algorithm,
            without: args.without,
            max_threads: args.max_threads,
            max_steps: args.max_steps,
            max_switches: args.max_switches,
            strict_states: args.strict_states,
            delays: args.delays,
            why_new: args.why_new,
            seed: args.seed.unwrap_or(0),
            runs: args.runs,
            depth_first: args.depth_first,
            jobs: args.jobs.map(usize::from),
            method: method(engine.unwrap_or(Engine::Lazy), args.schema, args.reduction),
            bound: args.rounds.or(args.writes).or(args.depth),
            bits: args.bits,
            limits: Limits { timeout: args.timeout, memory: args.memory_limit },
            format: args.format,
            trace: args.trace,
            files: args.files,
            prp: prp.map(|prp| prp.text),
            quiet: args.quiet,
            detail: detail(args.full || args.verbose),
            stats: args.stats || args.verbose,
            explain: args.explain,
            strict: args.strict,
            proof: args.proof.as_deref().map(Certificate::reserve).transpose()?.map(Arc::new),
            // A certificate is not kept.
            cache: !args.no_cache && args.proof.is_none(),
            ..Check::of(program(args.program)?, args.search)?
        })
    }
}

pub struct Explain {
    pub trace: PathBuf,
    /// `None`: the files and flags that the trace names.
    pub program: Option<frontend::Options>,
    pub style: Style,
    pub format: Format,
}

pub fn explain(args: ExplainArgs) -> Result<Explain, CliError> {
    let program = program_of_trace(args.inputs, args.compiler)?;
    let (trace, style, format) = (args.trace, Style::for_stdout(), args.format);
    Ok(Explain { trace, program, style, format })
}

/// A program for a trace, if one is given.
pub fn program_of_trace(
    inputs: Vec<PathBuf>,
    compiler: CompilerArgs,
) -> Result<Option<frontend::Options>, CliError> {
    let given = program(ProgramArgs { inputs, compiler })?;
    if given.inputs.is_empty() && (given.ilp32 || !given.flags.is_empty()) {
        return Err(CliError::new("compiler flags need the files they are for"));
    }
    Ok((!given.inputs.is_empty()).then_some(given))
}

impl TryFrom<ReplayArgs> for Replay {
    type Error = CliError;

    fn try_from(args: ReplayArgs) -> Result<Replay, CliError> {
        let program = program_of_trace(args.inputs, args.compiler)?;
        let native = match (args.native, args.gdb) {
            (false, _) => None,
            (true, false) => Some(Native::Runs(args.runs)),
            (true, true) if args.format == Format::Json => {
                return Err(CliError::new("--gdb does not go with --format json"));
            }
            (true, true) => Some(Native::Gdb),
        };
        let (trace, html, format) = (args.trace, args.html, args.format);
        let (detail, style) = (detail(args.full), Style::for_stdout());
        Ok(Replay { trace, program, native, detail, style, html, format })
    }
}

fn detail(full: bool) -> Detail {
    if full { Detail::Full } else { Detail::Folded }
}

/// The engine that the flags ask for, if they do. A flag that the engine does not read is an
/// error.
fn choose_engine(args: &CheckArgs) -> Result<Option<Engine>, CliError> {
    let explorer = args.algorithm.map(|_| "--algorithm");
    let explorer = explorer.or(args.max_steps.map(|_| "--max-steps"));
    let explorer = explorer.or(args.max_threads.map(|_| "--max-threads"));
    let explorer = explorer.or(args.jobs.map(|_| "--jobs"));
    let formula = args.rounds.map(|_| "--rounds").or(args.bits.map(|_| "--bits"));
    let formula = formula.or(args.writes.map(|_| "--writes"));
    let formula = formula.or(args.schema.map(|_| "--schema"));
    let formula = formula.or(args.depth.map(|_| "--depth"));
    let formula = formula.or(args.reduction.map(|_| "--reduction"));
    check_formula(args)?;
    let property = args.check.iter().find(|property| property.is_for_explorers());
    let wrong = |message: String| Err(CliError::new(message));
    if args.proof.is_some() && !matches!(args.engine, None | Some(Engine::Order)) {
        return wrong("--proof needs --engine order".to_string());
    }
    let asked = args.engine.or(args.proof.as_ref().map(|_| Engine::Order));
    match (asked, explorer, formula, property) {
        (Some(Engine::Explore), _, Some(flag), _) => {
            wrong(format!("{flag} is for the formula: it does not go with --engine explore"))
        }
        (Some(engine), Some(flag), ..) if engine.is_formula() => wrong(format!(
            "{flag} is for the explorers: it does not go with --engine {}",
            engine.name()
        )),
        (Some(engine), .., Some(property)) if engine != Engine::Explore => wrong(format!(
            "--check {} does not go with --engine {}: the formula does not look for races and \
             leaks",
            property.name(),
            engine.name()
        )),
        (None, _, Some(flag), Some(property)) => wrong(format!(
            "{flag} is for the formula, which does not look for --check {}",
            property.name()
        )),
        (None, Some(explorer), Some(formula), _) => wrong(format!(
            "{explorer} is for the explorers and {formula} for the formula: only with --engine \
             both they go together"
        )),
        (Some(engine), ..) => Ok(Some(engine)),
        (None, None, Some(_), None) => Ok(Some(Engine::Lazy)),
        // Who names an algorithm wants the explorer.
        (None, _, None, _) => Ok(args.algorithm.map(|_| Engine::Explore)),
    }
}

/// Each encoding has its own bounds, and not every one knows every memory model.
fn check_formula(args: &CheckArgs) -> Result<(), CliError> {
    let wrong = |message: String| Err(CliError::new(message));
    let engine = args.engine;
    let by_writes = matches!(engine, Some(Engine::Mu | Engine::Imu));
    let stepwise = args.depth.map(|_| "--depth").or(args.reduction.map(|_| "--reduction"));
    if let Some(flag) = stepwise.filter(|_| engine != Some(Engine::Steps)) {
        return wrong(format!("{flag} needs --engine steps"));
    }
    if args.rounds.is_some() && engine == Some(Engine::Steps) {
        return wrong("--rounds is for `lazy` and `lal-reps`: use --depth".to_string());
    }
    if args.rounds.is_some() && engine.is_some_and(Engine::is_ordering) {
        return wrong("--rounds is for `lazy` and `lal-reps`: `order` needs none".to_string());
    }
    if args.rounds.is_some() && by_writes {
        return wrong("--rounds is for `lazy` and `lal-reps`: use --writes".to_string());
    }
    if args.writes.is_some() && !by_writes {
        return wrong("--writes needs --engine mu or --engine imu".to_string());
    }
    if args.schema.is_some() && engine != Some(Engine::Mu) {
        return wrong("--schema needs --engine mu".to_string());
    }
    if let Some(engine) = engine.filter(|engine| engine.is_formula())
        && !method(engine, args.schema, args.reduction).knows(args.search.mm)
    {
        return wrong(format!(
            "--engine {} knows no --mm {}: use imu or lazy",
            engine.name(),
            args.search.mm
        ));
    }
    Ok(())
}

/// The encoding of an engine.
pub fn method(engine: Engine, schema: Option<Schema>, reduction: Option<Reduction>) -> Method {
    match engine {
        Engine::LalReps => Method::LalReps,
        Engine::Mu => Method::Mu(match schema.unwrap_or_default() {
            Schema::Explicit => encode::Schema::Explicit,
            Schema::Implicit => encode::Schema::Implicit,
            Schema::Hybrid => encode::Schema::Hybrid,
            Schema::Coarse => encode::Schema::Coarse,
        }),
        Engine::Imu => Method::Imu,
        Engine::Order => Method::Order(encode::Keeping::Theory),
        Engine::OrderClocks => Method::Order(encode::Keeping::Clocks),
        Engine::Steps => Method::Steps(match reduction.unwrap_or_default() {
            Reduction::None => encode::Reduction::None,
            Reduction::Mpor => encode::Reduction::Monotonic,
            Reduction::Sir => encode::Reduction::Insensitive,
        }),
        Engine::Lazy | Engine::Explore | Engine::Both => Method::Lazy,
        Engine::Swarm | Engine::Invariants => Method::Lazy,
    }
}

/// Parts can only be left out of the algorithm that has them.
fn check_parts(args: &CheckArgs) -> Result<(), CliError> {
    for part in &args.without {
        let (fits, needs) = match (part, args.algorithm) {
            (Part::Symmetry | Part::Own, algorithm) => {
                (algorithm == Some(Algorithm::Stateful), "stateful")
            }
            (Part::Slice | Part::Peek, Some(Algorithm::Stateful)) => (true, ""),
            (_, algorithm) => (algorithm == Some(Algorithm::Guided), "guided"),
        };
        if !fits {
            let part = part.name();
            return Err(CliError::new(format!("--without {part} needs --algorithm {needs}")));
        }
    }
    Ok(())
}

/// What goes with `--algorithm stateful`, and what does not.
fn check_stateful(args: &CheckArgs) -> Result<(), CliError> {
    let stateful = args.algorithm == Some(Algorithm::Stateful);
    let races = [Property::Race, Property::All];
    let flag = args.max_switches.map(|_| "--max-switches");
    let deep = args.depth_first.then_some("--depth-first");
    let deep = deep.or(args.delays.then_some("--delays"));
    let deep = deep.or(args.why_new.then_some("--why-new"));
    // Without an algorithm, `stateful` may come in beside another; but not always.
    let beside = args.algorithm.is_none() && args.engine != Some(Engine::Both);
    let jobs = args.jobs.filter(|_| !beside).map(|_| "--jobs");
    if args.jobs.is_some() && !stateful && beside {
        let looks_for_races = args.check.iter().any(|property| races.contains(property));
        let other =
            args.search.unwind.map(|_| "--unwind").or(looks_for_races.then_some("--check race"));
        if let Some(other) = other {
            return Err(CliError::new(format!(
                "--jobs is for `stateful`, which does not go with {other}"
            )));
        }
    }
    let random = args.algorithm == Some(Algorithm::Random);
    let jobs = jobs.filter(|_| !random);
    if let Some(flag) = flag.or(args.strict_states.then_some("--strict-states")).or(deep).or(jobs)
        && !stateful
    {
        return Err(CliError::new(format!("{flag} needs --algorithm stateful")));
    }
    if stateful && args.search.unwind.is_some() {
        return Err(CliError::new("--algorithm stateful does not cut loops: leave out --unwind"));
    }
    if stateful && args.check.iter().any(|property| races.contains(property)) {
        return Err(CliError::new(
            "--algorithm stateful keeps states, not what led to them, so it can't look for races",
        ));
    }
    Ok(())
}

/// What goes with `--algorithm random` only. Beside other explorers it begins with 0.
fn check_random(args: &CheckArgs) -> Result<(), CliError> {
    let flag = args.seed.map(|_| "--seed").or(args.runs.map(|_| "--runs"));
    match flag.filter(|_| args.algorithm != Some(Algorithm::Random)) {
        Some(flag) => Err(CliError::new(format!("{flag} needs --algorithm random"))),
        None => Ok(()),
    }
}

/// What `heddle dump` prints.
pub struct Dump {
    pub program: frontend::Options,
    /// For the bounded program: iterations of loops.
    pub unwind: Option<u32>,
    /// The source with what matters marked.
    pub slice: bool,
    /// The source with what is known of each line.
    pub invariants: bool,
    /// The transaction graph, and whether without orders that no condition tells apart.
    pub transactions: Option<(Drawing, bool)>,
    /// A formula, and the file that it goes to.
    pub formula: Option<(PathBuf, encode::Wanted)>,
}

/// The bound of a formula that is written out, if none is given.
const SOME: u32 = 3;

pub fn dump(args: DumpArgs) -> Result<Dump, CliError> {
    if args.unwind.is_some() && !args.bounded && args.formula.is_none() {
        return Err(CliError::new("--unwind needs --bounded or --formula"));
    }
    let unwind = args.bounded.then_some(args.unwind.unwrap_or(1));
    // No file says what a theory does; clocks say the same.
    let engine = match args.engine.unwrap_or(Engine::Lazy) {
        Engine::Order => Engine::OrderClocks,
        engine => engine,
    };
    let wanted = encode::Wanted {
        method: method(engine, args.schema, args.reduction),
        bound: args.bound.unwrap_or(SOME),
        unwind: args.unwind.unwrap_or(1),
        model: args.mm.unwrap_or_default(),
    };
    if !engine.is_formula() {
        return Err(CliError::new(format!("--engine {} has no formula", engine.name())));
    }
    if args.schema.is_some() && engine != Engine::Mu {
        return Err(CliError::new("--schema needs --engine mu"));
    }
    if args.reduction.is_some() && engine != Engine::Steps {
        return Err(CliError::new("--reduction needs --engine steps"));
    }
    if !wanted.method.knows(wanted.model) {
        let (engine, model) = (engine.name(), wanted.model);
        return Err(CliError::new(format!("--engine {engine} knows no --mm {model}")));
    }
    let formula = args.formula.map(|path| (path, wanted));
    Ok(Dump {
        program: program(args.program)?,
        unwind,
        slice: args.slice,
        invariants: args.invariants,
        transactions: args.transactions.map(|drawing| (drawing, args.insensitive)),
        formula,
    })
}

/// What `heddle emit` writes, and where.
pub struct Emit {
    pub program: frontend::Options,
    pub emission: encode::Emission,
    pub tiles: Option<Tiles>,
    pub output: PathBuf,
}

/// Writes of a sequentialisation that guesses them, if no number is given.
const SOME_WRITES: u32 = 6;

pub fn emit(args: EmitArgs) -> Result<Emit, CliError> {
    use encode::Sequentialization::{Imu, LalReps, Lazy, Mu};
    let name = args.sequentialize.name();
    let bound = match (args.sequentialize, args.rounds, args.writes) {
        (Lazy | LalReps, rounds, None) => rounds.unwrap_or(SOME),
        (Mu | Imu, None, writes) => writes.unwrap_or(SOME_WRITES),
        (Lazy | LalReps, ..) => return Err(CliError::new(format!("{name} has no --writes"))),
        (Mu | Imu, ..) => return Err(CliError::new(format!("{name} has no --rounds"))),
    };
    let counts = |kind: ViolationKind| {
        kind != ViolationKind::Deadlock && Property::DEFAULT.iter().any(|one| one.covers(kind))
    };
    let ignored = ViolationKind::ALL.iter().copied().filter(|&kind| !counts(kind)).collect();
    let emission = encode::Emission {
        sequentialization: args.sequentialize,
        backend: args.backend,
        model: args.mm,
        unwind: args.unwind,
        bound,
        ignored,
    };
    let tiles = match (args.tiles, args.tile_size) {
        (Some(selected), Some(size)) => Some(Tiles { selected, size, instances: args.instances }),
        _ => None,
    };
    if tiles.is_some() && args.sequentialize != Lazy {
        return Err(CliError::new(format!(
            "tiles say where turns of threads end, and {name} has no turns; use lazy"
        )));
    }
    if tiles.is_some() && args.output.as_os_str() == "-" {
        return Err(CliError::new("instances are several files; name a folder with -o"));
    }
    Ok(Emit { program: program(args.program)?, emission, tiles, output: args.output })
}

pub fn program(args: ProgramArgs) -> Result<frontend::Options, CliError> {
    let CompilerArgs { ilp32, cflags, flags, unknown_calls } = args.compiler;
    let mut all = match &cflags {
        Some(text) => shlex::split(text)
            .ok_or_else(|| CliError::new(format!("--cflags: unbalanced quotes in {text:?}")))?,
        None => Vec::new(),
    };
    all.extend(flags);
    // `-m32` as a compiler flag means the same as `--32`.
    let ilp32 = ilp32 || all.iter().any(|flag| flag == "-m32");
    all.retain(|flag| flag != "-m32");
    if let Some(flag) = all.iter().find(|flag| is_output_flag(flag)) {
        return Err(CliError::new(format!("the compiler flag {flag} does not fit here")));
    }
    Ok(frontend::Options {
        standard_input: standard_input(&args.inputs)?,
        inputs: args.inputs,
        flags: all,
        ilp32,
        unknown_calls: match unknown_calls {
            UnknownCall::Stop => frontend::UnknownCalls::Stop,
            UnknownCall::Input => frontend::UnknownCalls::Input,
            UnknownCall::Ignore => frontend::UnknownCalls::Ignore,
        },
        warn: Some(|text| crate::output::print_error(text.trim_end())),
        ..Default::default()
    })
}

/// The text of the input `-`, if it is one.
fn standard_input(inputs: &[PathBuf]) -> Result<Option<Arc<str>>, CliError> {
    match inputs.iter().filter(|path| path.as_os_str() == "-").count() {
        0 => Ok(None),
        1 => match std::io::read_to_string(std::io::stdin()) {
            Ok(text) => Ok(Some(text.into())),
            Err(error) => Err(CliError::new(format!("standard input: {error}"))),
        },
        _ => Err(CliError::new("standard input is given twice")),
    }
}

/// What `--args` says.
pub fn arguments(text: &str) -> Result<Arguments, CliError> {
    Ok(match text {
        ANY => Arguments::Any,
        words => Arguments::Given(split_words(words)?),
    })
}

/// The text that [`arguments`] reads.
pub fn arguments_text(arguments: &Arguments) -> Option<String> {
    match arguments {
        Arguments::Unsaid => None,
        Arguments::Any => Some(ANY.to_string()),
        // A single word that could be taken for the other case is quoted.
        Arguments::Given(words) if matches!(words.as_slice(), [word] if word == ANY) => {
            Some(format!("'{ANY}'"))
        }
        Arguments::Given(words) => shlex::try_join(words.iter().map(String::as_str)).ok(),
    }
}

fn split_words(text: &str) -> Result<Vec<String>, CliError> {
    shlex::split(text)
        .ok_or_else(|| CliError::new(format!("--args: unbalanced quotes in {text:?}")))
}

/// Flags that change what the compiler makes, where Heddle needs bitcode.
fn is_output_flag(flag: &str) -> bool {
    matches!(flag, "-c" | "-S" | "-E" | "-o" | "-fsyntax-only" | "-M" | "-MM")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;

    fn parse(line: &str) -> Result<Check, CliError> {
        let words = shlex::split(line).unwrap();
        match Cli::try_parse_from(words).unwrap().command {
            Command::Check(args) => (*args).try_into(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }

    #[test]
    fn flags_from_both_places() {
        let check = parse("heddle check a.c b.c --cflags '-DX=\"a b\"' -- -Iinc -std=c11").unwrap();
        assert_eq!(check.program.inputs.len(), 2);
        assert_eq!(check.program.flags, ["-DX=a b", "-Iinc", "-std=c11"]);
        assert!(!check.program.ilp32);
    }

    #[test]
    fn m32_is_32() {
        let check = parse("heddle check a.c -- -m32 -Wall").unwrap();
        assert!(check.program.ilp32);
        assert_eq!(check.program.flags, ["-Wall"]);
    }

    /// Each flag that the engine would not read is an error that names both.
    #[test]
    fn flags_that_contradict_each_other() {
        for (flags, first, second) in [
            ("--rounds 3 --algorithm optimal", "--rounds", "--algorithm"),
            ("--bits 8 --algorithm stateful", "--bits", "--algorithm"),
            ("--rounds 3 --max-steps 9", "--rounds", "--max-steps"),
            ("--rounds 3 --jobs 2", "--rounds", "--jobs"),
            ("--rounds 3 --engine explore", "--rounds", "--engine explore"),
            ("--rounds 3 --engine imu", "--rounds", "--writes"),
            ("--writes 3 --engine lazy", "--writes", "--engine mu"),
            ("--schema coarse --engine imu", "--schema", "--engine mu"),
            ("--depth 9 --engine mu", "--depth", "--engine steps"),
            ("--depth 9", "--depth", "--engine steps"),
            ("--reduction mpor --engine lazy", "--reduction", "--engine steps"),
            ("--rounds 3 --engine steps", "--rounds", "--depth"),
            ("--engine steps --mm tso", "--engine steps", "--mm tso"),
            ("--engine mu --mm tso", "--engine mu", "--mm tso"),
            ("--jobs 2 --engine imu", "--jobs", "--engine imu"),
            ("--bits 8 --engine explore", "--bits", "--engine explore"),
            ("--bits 8 --check race", "--bits", "--check race"),
            ("--algorithm dpor --engine lazy", "--algorithm", "--engine lazy"),
            ("--max-steps 9 --engine lazy", "--max-steps", "--engine lazy"),
            ("--jobs 2 --engine lazy", "--jobs", "--engine lazy"),
            ("--check leak --engine both", "--check leak", "--engine both"),
            ("--jobs 2 --engine both", "--jobs", "--algorithm stateful"),
            ("--jobs 2 --algorithm dpor", "--jobs", "--algorithm stateful"),
            ("--jobs 2 --unwind 3", "--jobs", "--unwind"),
            ("--jobs 2 --check race", "--jobs", "--check race"),
            ("--max-switches 2", "--max-switches", "--algorithm stateful"),
            ("--delays", "--delays", "--algorithm stateful"),
            ("--why-new", "--why-new", "--algorithm stateful"),
            ("--seed 2", "--seed", "--algorithm random"),
            ("--runs 2 --algorithm optimal", "--runs", "--algorithm random"),
            ("--strict-states --algorithm guided", "--strict-states", "--algorithm stateful"),
            ("--depth-first --engine lazy", "--depth-first", "--algorithm stateful"),
            ("--unwind 3 --algorithm stateful", "--unwind", "--algorithm stateful"),
            ("--without slice", "--without slice", "--algorithm guided"),
        ] {
            let error = parse(&format!("heddle check a.c {flags}")).err().expect(flags).to_string();
            assert!(error.contains(first) && error.contains(second), "{flags}: {error}");
        }
        for flags in [
            "--engine both --algorithm optimal --rounds 3 --max-steps 9",
            "--jobs 2",
            "--jobs 2 --algorithm stateful --engine both",
            "--jobs 2 --algorithm random --seed 3 --runs 100",
            "--max-steps 9 --check race",
        ] {
            parse(&format!("heddle check a.c {flags}")).unwrap_or_else(|e| panic!("{flags}: {e}"));
        }
    }

    #[test]
    fn wrong_flags_are_named() {
        assert!(parse("heddle check a.c --cflags '\"open'").is_err());
        assert!(parse("heddle check a.c -- -S").is_err());
        assert!(parse("heddle check a.c --entry ''").is_err());
    }
}
