//! The command line as it is typed. Nothing here is checked beyond its shape;
//! `settings` turns it into what the commands work with.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use heddle_explore::{Algorithm, Part};
use heddle_memory::Model;

use crate::certificate::CertifyArgs;
use crate::doctor::DoctorArgs;
use crate::formats::args::{ExplainArgs, FileArgs};
use crate::habits::{CompletionsArgs, ManArgs};
pub use crate::property::Property;
use crate::races::args::RacesArgs;
use crate::swarm::args::{SwarmArgs, WorkerArgs};
use crate::transactions::Drawing;
use crate::units::{parse_bytes, parse_seconds};
use crate::version;
use crate::watch::WatchArgs;

const EXIT_CODES: &str = "\
Exit codes:
  0    safe, or bounded (no violation within the bounds that are named)
  10   unsafe
  20   unknown, as after a time-out; with --strict, bounded too
  130  unknown, since Ctrl-C or another signal ended the search
  2    wrong usage, unreadable input, an error of the compiler, or a report or file that
       cannot be written";

/// Finds the interleavings of a multi-threaded C or C++ program that fail, or
/// shows that there are none.
#[derive(Debug, Parser)]
#[command(name = "heddle", version, long_version = version::long(), after_help = EXIT_CODES)]
pub struct Cli {
    /// Colours: on a terminal only, or as this says
    #[arg(long, global = true, value_enum, value_name = "WHEN", default_value_t = Colour::Auto)]
    pub color: Colour,

    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Check(Box<CheckArgs>),
    Watch(WatchArgs),
    Races(Box<RacesArgs>),
    Replay(ReplayArgs),
    Explain(ExplainArgs),
    Certify(CertifyArgs),
    Run(RunArgs),
    Prove(ProveArgs),
    Build(BuildArgs),
    Report(ReportArgs),
    Emit(EmitArgs),
    Swarm(Box<SwarmArgs>),
    #[command(hide = true)]
    Worker(WorkerArgs),
    Dump(DumpArgs),
    Doctor(DoctorArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
}

const CHECK_EXAMPLES: &str = "\
Examples:
  heddle check prog.c
  heddle check main.c queue.c -- -Iinclude -DN=3
  heddle check - -- -x c++ < prog
  heddle check --unwind 4 --timeout 5m prog.c
  heddle check --trace fail.json prog.c; heddle replay fail.json

The last line on standard output is `verdict: safe|bounded|unsafe|unknown (…)`.";

/// Find a bug, or prove that there is none
#[derive(Debug, Args)]
#[command(after_help = format!("{CHECK_EXAMPLES}\n\n{EXIT_CODES}"))]
pub struct CheckArgs {
    #[command(flatten)]
    pub program: ProgramArgs,

    #[command(flatten)]
    pub search: SearchArgs,

    /// What counts as a violation
    #[arg(
        long,
        value_enum,
        value_name = "LIST",
        value_delimiter = ',',
        default_values_t = Property::DEFAULT
    )]
    pub check: Vec<Property>,

    /// How to search [default: both for a program that reads inputs, else explore; and
    /// invariants beside them if that takes long or ends with a bound]
    #[arg(long, value_enum, value_name = "ENGINE")]
    pub engine: Option<Engine>,

    /// Which explorer: `optimal` runs each class of equivalent interleavings
    /// once, `dpor` at least once, `naive` every interleaving; `guided` is `optimal`
    /// on what can influence a property; `stateful` visits each state once, loops
    /// without bound included, fewest preemptions first; `random` takes a sample of the
    /// interleavings and tells the chance that a bug was missed
    /// [default: guided, and stateful and random beside it if that takes over a second]
    #[arg(long, value_name = "NAME", value_parser = algorithms())]
    pub algorithm: Option<Algorithm>,

    /// For `guided` (slice, peek, ww) and `stateful` (slice, peek, own, symmetry): leave
    /// these parts out
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parts())]
    pub without: Vec<Part>,

    /// For the explorers: cut runs that have more than N threads, main among them [default: grow
    /// the bound until nothing is cut]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_threads: Option<u32>,

    /// For the explorers: cut a thread that runs N instructions without a step that others
    /// can see [default: 50,000,000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_steps: Option<u64>,

    /// For `stateful`: leave out runs with more than N preemptive context switches
    #[arg(long, value_name = "N")]
    pub max_switches: Option<u32>,

    /// For `stateful`: visit states in the order of delays (Emmi, Qadeer and Rakamarić, 2011)
    /// instead of preemptions: better where there are many threads
    #[arg(long, conflicts_with_all = ["max_switches", "depth_first"])]
    pub delays: bool,

    /// For developers, with `stateful`: tell in what the states of a long run differ, and from
    /// where most steps are taken
    #[arg(long)]
    pub why_new: bool,

    /// For `stateful`: keep whole states instead of hashes of them, so that none can be
    /// taken for another one; takes more memory
    #[arg(long)]
    pub strict_states: bool,

    /// For `stateful`: go on from the state that was found last, on one core; needs less
    /// memory for states that wait, and the runs it finds are longer
    #[arg(long, conflicts_with_all = ["max_switches", "jobs"])]
    pub depth_first: bool,

    /// For `random`: where its random numbers begin; the same seed finds the same violation
    /// [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,

    /// For `random`: make N runs [default: until runs show nothing new for long]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: Option<u64>,

    /// For `stateful` and `random`: search on N cores [default: all; without `--algorithm`,
    /// all but the one that `guided` is on]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,

    /// For `lazy` and `lal-reps`: turns that each thread gets [default: grow until every
    /// interleaving is covered]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,

    /// For `mu`: writes to shared memory; for `imu`: writes to each location [default: grow
    /// until every interleaving is covered]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub writes: Option<u32>,

    /// For `mu`: what is kept of the sequence of writes [default: hybrid]
    #[arg(long, value_enum, value_name = "NAME")]
    pub schema: Option<Schema>,

    /// For `steps`: steps of all threads together [default: grow until every interleaving is
    /// covered]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: Option<u32>,

    /// For `steps`: which interleavings are left out for others [default: sir]
    #[arg(long, value_enum, value_name = "NAME")]
    pub reduction: Option<Reduction>,

    /// For formulas: look only for runs in which inputs and what is read from shared
    /// memory fit into N bits; faster, and any violation is a real one
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub bits: Option<u32>,

    /// Stop after this time (30, 30s, 5m, 2h), compiling included, and say what was covered
    #[arg(long, value_name = "TIME", value_parser = parse_seconds)]
    pub timeout: Option<std::time::Duration>,

    /// Stop when heddle holds more memory than this (500M, 2G) and say what was covered
    /// [default: none; for `stateful`, three quarters of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub memory_limit: Option<u64>,

    /// `text` for people, `json` for programs, `svcomp`: one line such as `false(no-data-race)`
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = CheckFormat::Text)]
    pub format: CheckFormat,

    /// Write the schedule of a violation to FILE, for `heddle replay`
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    #[command(flatten)]
    pub files: FileArgs,

    /// Write to FILE what shows that the verdict is right, if it is safe or bounded, for
    /// `heddle certify`; by --engine order
    #[arg(long, value_name = "FILE")]
    pub proof: Option<PathBuf>,

    /// Look for what a property file of SV-COMP says, from the function that it names
    #[arg(long, value_name = "FILE", conflicts_with_all = ["check", "entry"])]
    pub prp: Option<PathBuf>,

    /// Print the verdict only
    #[arg(long, short)]
    pub quiet: bool,

    /// Show every step of a long run; without it, what a library does in a call is one line, and
    /// reads of what never changes are left out
    #[arg(long)]
    pub full: bool,

    /// Print the effort of the search
    #[arg(long)]
    pub stats: bool,

    /// Print all there is: the same as --stats --full
    #[arg(long, short, conflicts_with = "quiet")]
    pub verbose: bool,

    /// If the program is safe by invariants: print what each check holds by. They are waited for
    /// then, if others are ready
    #[arg(long)]
    pub explain: bool,

    /// Count a bounded verdict as a failure: exit code 20
    #[arg(long)]
    pub strict: bool,

    /// Search, also if this heddle has told before whether this program is safe. Answers that took
    /// over two seconds are kept in $XDG_CACHE_HOME/heddle, 64 MB at most
    #[arg(long)]
    pub no_cache: bool,
}

/// What every search is told of a program and its runs.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// Function to start with
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,

    /// Memory model
    #[arg(long, value_name = "MODEL", default_value_t = Model::Sc, value_parser = models())]
    pub mm: Model,

    /// Cut loops after N iterations [default: grow the bound until nothing is cut]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub unwind: Option<u32>,

    /// Let waits for condition variables end by signals only; without it they may end at
    /// any time, once a thread, where the program does not check again in a loop
    #[arg(long)]
    pub no_spurious: bool,

    /// What is so without --no-spurious
    #[arg(long, hide = true, conflicts_with = "no_spurious")]
    pub spurious: bool,

    /// Arguments of the program in one string, split like a shell does; or `any`: up to two
    /// of up to two characters, as inputs [default: none, which is a bound of the verdict if
    /// the program looks at them]
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true, conflicts_with = "entry")]
    pub args: Option<String>,

    /// Let any allocation fail; without it they succeed, which is a bound of the verdict if
    /// the program has something to do when one fails
    #[arg(long)]
    pub malloc_fails: bool,
}

/// Run a recorded schedule again and show it
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  heddle check --trace fail.json prog.c
  heddle replay fail.json prog.c
  heddle replay fail.json prog.c --native")]
pub struct ReplayArgs {
    /// File written by `heddle check --trace`
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,

    /// The program [default: the files and flags that the trace names]
    #[arg(value_name = "FILE")]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub compiler: CompilerArgs,

    /// Run the program itself, compiled, in the recorded order
    #[arg(long)]
    pub native: bool,

    /// With --native: do so this many times
    #[arg(long, value_name = "N", requires = "native", default_value_t = 1)]
    pub runs: u32,

    /// With --native: run it in gdb, which stops where it fails
    #[arg(long, requires = "native", conflicts_with = "runs")]
    pub gdb: bool,

    /// Show every step of a long run
    #[arg(long, conflicts_with = "native")]
    pub full: bool,

    /// Write the report to FILE as a page for a browser
    #[arg(long, value_name = "FILE", conflicts_with = "native")]
    pub html: Option<PathBuf>,

    /// `text` for people, `json` for programs
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,
}

/// Run a program so that only proven interleavings happen
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  heddle run prog.c -- --verbose input.txt

Starts under the constraints of one safe execution. While the program runs, constraints
are dropped as more is proven. The exit code is the program's.")]
pub struct RunArgs {
    /// Source files or LLVM modules (.c .cpp .i .ii .ll .bc), linked together; `-` is
    /// standard input, C or what `-x` among the compiler's flags says
    #[arg(value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,

    /// Compiler flags in one string, split like a shell does
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Option<String>,

    /// Write what was proven by the end of the run to FILE
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Tell at the end how many constraints are left
    #[arg(long)]
    pub stats: bool,

    /// Arguments of the program; what is proven holds for exactly these
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
}

/// Find constraints on the order of events under which a program is safe
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  heddle prove prog.c -o prog.sched
  heddle build prog.c -o prog && HEDDLE_SCHEDULE=prog.sched ./prog

Starts with one safe execution and drops constraints as long as every execution that
keeps the rest is proven to be safe. The file is written as soon as there is a first
execution, and again whenever fewer constraints are enough.")]
pub struct ProveArgs {
    #[command(flatten)]
    pub program: ProgramArgs,

    /// Where to write the schedule
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Arguments of the program in one string, split like a shell does. What is proven
    /// holds for exactly these [default: none]
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true)]
    pub args: Option<String>,

    /// Run the program under several first executions and start with the fastest; and
    /// tell what the constraints of each step cost. The program is run some hundred times
    #[arg(long)]
    pub measure: bool,

    /// Stop after this time (30, 30s, 5m, 2h) with what has been proven by then
    #[arg(long, value_name = "TIME", value_parser = parse_seconds)]
    pub timeout: Option<std::time::Duration>,

    /// `text` for people, `json` for programs
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,
}

/// Compile a program to an executable that keeps to a schedule
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  heddle prove prog.c -o prog.sched
  heddle build prog.c -o prog && HEDDLE_SCHEDULE=prog.sched ./prog
  heddle build prog.c -o prog --embed prog.sched && ./prog

Without a schedule the program runs as it likes. Environment of the executable:
  HEDDLE_SCHEDULE=FILE       the schedule; wins over one that is embedded
  HEDDLE_ON_LEAVE=continue   go on without constraints, with a warning, when the
                             program does what was never proven [default: stop]")]
pub struct BuildArgs {
    #[command(flatten)]
    pub program: ProgramArgs,

    /// The executable
    #[arg(short, long, value_name = "FILE", default_value = "a.out")]
    pub output: PathBuf,

    /// A schedule to put into the executable
    #[arg(long, value_name = "SCHEDULE")]
    pub embed: Option<PathBuf>,
}

/// Draw the events and constraints of a schedule, as SVG
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// File written by `heddle prove`
    #[arg(value_name = "SCHEDULE")]
    pub schedule: PathBuf,

    /// Where to write it [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// Print the intermediate representation of a program
#[derive(Debug, Args)]
pub struct DumpArgs {
    #[command(flatten)]
    pub program: ProgramArgs,

    /// Print what `--engine lazy` makes of the program instead: each thread's points
    /// and accesses to shared memory, loops unwound
    #[arg(long)]
    pub bounded: bool,

    /// Print the source with the lines marked that can influence an assertion, a
    /// deadlock or a bad access, instead
    #[arg(long, conflicts_with = "bounded")]
    pub slice: bool,

    /// Print the source with what is known at each line, by invariants of all threads,
    /// instead
    #[arg(long, conflicts_with_all = ["bounded", "slice"])]
    pub invariants: bool,

    /// Print the transaction graph, instead: where threads can be at the same time, with as few
    /// changes of the thread as what is shared and locks allow
    #[arg(long, value_enum, value_name = "FORM", num_args = 0..=1, require_equals = true,
          default_missing_value = "dot", conflicts_with_all = ["bounded", "slice", "invariants"])]
    pub transactions: Option<Drawing>,

    /// With --transactions: leave out orders of steps that no condition of the program tells
    /// apart
    #[arg(long, requires = "transactions")]
    pub insensitive: bool,

    /// Write the formula of `--engine` (lazy, lal-reps, mu, imu, order or steps) for a SAT solver, in DIMACS
    /// format, instead; `-` is standard output
    #[arg(long, value_name = "FILE", conflicts_with_all = ["bounded", "slice", "transactions"])]
    pub formula: Option<PathBuf>,

    /// For --formula: the encoding
    #[arg(long, value_enum, value_name = "ENGINE", requires = "formula")]
    pub engine: Option<Engine>,

    /// For --formula with `--engine mu`: what is kept of the sequence of writes
    #[arg(long, value_enum, value_name = "NAME", requires = "formula")]
    pub schema: Option<Schema>,

    /// For --formula with `--engine steps`: which interleavings are left out for others
    #[arg(long, value_enum, value_name = "NAME", requires = "formula")]
    pub reduction: Option<Reduction>,

    /// For --formula: the bound of the encoding (rounds, writes or steps)
    #[arg(long, value_name = "N", requires = "formula",
          visible_aliases = ["rounds", "writes", "depth"],
          value_parser = clap::value_parser!(u32).range(1..))]
    pub bound: Option<u32>,

    /// For --formula: the memory model
    #[arg(long, value_name = "MODEL", requires = "formula", value_parser = models())]
    pub mm: Option<Model>,

    /// For --bounded and --formula: cut loops after N iterations [default: 1]
    #[arg(long, value_name = "N")]
    pub unwind: Option<u32>,

    /// Print the library functions that are modelled, instead
    #[arg(long, exclusive = true)]
    pub library: bool,
}

const EMIT_EXAMPLES: &str = "\
Examples:
  heddle emit prog.c -o seq.c
  heddle emit prog.c --mm tso --rounds 3 --unwind 2 --for cbmc -o seq.c; cbmc seq.c
  heddle emit prog.c --for gcc -o seq.c; gcc seq.c; ./a.out 7
  heddle emit prog.c --tiles 4 --tile-size 11 --instances 200 -o instances

The C has no threads: it fails if the program does within the bounds. Deadlocks, data races
and leaks are not asked for.";

/// Write the program as sequential C, for other verifiers
#[derive(Debug, Args)]
#[command(after_help = EMIT_EXAMPLES)]
pub struct EmitArgs {
    #[command(flatten)]
    pub program: ProgramArgs,

    /// How interleavings become choices: threads take turns (lazy), or the memory at the
    /// start of rounds (lal-reps), the sequence of all writes (mu) or that of each location
    /// (imu) is guessed
    #[arg(long, value_name = "NAME", default_value = "lazy", value_parser = sequentializations())]
    pub sequentialize: heddle_encode::Sequentialization,

    /// The memory model: sc, and for lazy and imu also tso or pso
    #[arg(long, value_name = "MODEL", default_value = "sc", value_parser = models())]
    pub mm: Model,

    /// Whose functions choose, assume and fail: cbmc, esbmc, klee, svcomp, or gcc for a
    /// native program
    #[arg(long = "for", value_name = "TOOL", default_value = "svcomp", value_parser = backends())]
    pub backend: heddle_encode::Backend,

    /// Cut loops after N iterations
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub unwind: u32,

    /// For lazy and lal-reps: rounds in which threads take turns [default: 3]
    #[arg(long, value_name = "N", conflicts_with = "writes",
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub rounds: Option<u32>,

    /// For mu: writes to shared memory; for imu: to each location [default: 6]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub writes: Option<u32>,

    /// Make instances in which each thread is preempted only in N of its tiles, or where it
    /// may wait (lazy only)
    #[arg(long, value_name = "N", requires = "tile_size",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub tiles: Option<u32>,

    /// Points of a tile
    #[arg(long, value_name = "N", requires = "tiles",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub tile_size: Option<u32>,

    /// Make N instances, spread evenly over all [default: all, if there are at most 1000]
    #[arg(long, value_name = "N", requires = "tiles",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub instances: Option<u32>,

    /// Where to write; a folder for instances; `-` is standard output
    #[arg(short, long, value_name = "PATH", default_value = "-")]
    pub output: PathBuf,
}

fn sequentializations() -> impl TypedValueParser<Value = heddle_encode::Sequentialization> {
    let all = heddle_encode::Sequentialization::ALL;
    let find = |name: String| all.iter().copied().find(|one| one.name() == name);
    PossibleValuesParser::new(all.iter().map(|one| one.name()))
        .map(move |name| find(name).expect("a possible value"))
}

pub fn backends() -> impl TypedValueParser<Value = heddle_encode::Backend> {
    let all = heddle_encode::Backend::ALL;
    let find = |name: String| all.iter().copied().find(|one| one.name() == name);
    PossibleValuesParser::new(all.iter().map(|one| one.name()))
        .map(move |name| find(name).expect("a possible value"))
}

/// What to compile, and how.
#[derive(Debug, Args)]
pub struct ProgramArgs {
    /// Source files or LLVM modules (.c .cpp .i .ii .ll .bc), linked together; `-` is
    /// standard input, C or what `-x` among the compiler's flags says
    #[arg(value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub compiler: CompilerArgs,
}

#[derive(Debug, Args)]
pub struct CompilerArgs {
    /// Compile for 32 bits (int, long and pointers of four bytes)
    #[arg(long = "32")]
    pub ilp32: bool,

    /// More compiler flags in one string, split like a shell does
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    pub cflags: Option<String>,

    /// What a call of a function does that has neither a body nor a model; the verdict names it
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = UnknownCall::Stop)]
    pub unknown_calls: UnknownCall,

    /// Compiler flags, such as -I, -D, -std=, -m32
    #[arg(last = true, value_name = "COMPILER FLAGS")]
    pub flags: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UnknownCall {
    /// Stop the search there
    Stop,
    /// Nothing, and give any value
    Input,
    /// Nothing, and give zero
    Ignore,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Engine {
    /// Run the interleavings one by one, without repeating equivalent ones
    Explore,
    /// All inputs and the interleavings of some rounds at once, as a formula for a
    /// SAT solver
    Lazy,
    /// The same, with the memory between rounds guessed
    LalReps,
    /// A formula in which the sequence of all writes to shared memory is guessed (SC)
    Mu,
    /// A formula in which the writes to each location are a sequence of their own
    Imu,
    /// Shows by numeric invariants of all threads that nothing can fail, for any number of
    /// steps (SC)
    Invariants,
    /// A formula in which reads choose what they take, and a theory in the solver that keeps
    /// the order of events free of cycles: every interleaving, with no bound but `--unwind`
    Order,
    /// The same with clocks in the formula instead of a theory
    OrderClocks,
    /// A formula that takes one transition after another, and of interleavings that lead
    /// every condition the same way only one (SC)
    Steps,
    /// `explore` and `lazy` side by side; the first definite answer wins
    Both,
    /// Instances of `lazy`, by `heddle swarm`
    #[value(skip)]
    Swarm,
}

impl Engine {
    pub fn name(self) -> &'static str {
        match self {
            Engine::Explore => "explore",
            Engine::Lazy => "lazy",
            Engine::LalReps => "lal-reps",
            Engine::Mu => "mu",
            Engine::Imu => "imu",
            Engine::Invariants => "invariants",
            Engine::Order => "order",
            Engine::OrderClocks => "order-clocks",
            Engine::Steps => "steps",
            Engine::Both => "both",
            Engine::Swarm => "swarm",
        }
    }

    /// Does it solve formulas, alone?
    pub fn is_formula(self) -> bool {
        !matches!(self, Engine::Explore | Engine::Both | Engine::Invariants | Engine::Swarm)
    }

    /// Does it cover every interleaving whatever the bounds?
    pub fn is_ordering(self) -> bool {
        matches!(self, Engine::Order | Engine::OrderClocks)
    }
}

/// What `mu` keeps of the sequence of writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Schema {
    /// The value of every variable after every write
    Explicit,
    /// What is written; reads look for it
    Implicit,
    /// The one for variables by themselves, the other for arrays
    #[default]
    Hybrid,
    /// The values of all variables after clusters of writes; `--writes` counts clusters
    Coarse,
}

/// Of which interleavings `steps` takes one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Reduction {
    /// Takes all
    None,
    /// Takes one of those that order dependent transitions the same way (monotonic
    /// partial-order reduction)
    Mpor,
    /// Takes one of those in which every condition comes out the same way, as far as that
    /// can be told (schedule insensitivity)
    #[default]
    Sir,
}

/// When there are colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    Auto,
    Always,
    Never,
}

impl Colour {
    /// Whether somebody wants them, if that was said.
    pub fn asked(self) -> Option<bool> {
        match self {
            Colour::Auto => None,
            Colour::Always => Some(true),
            Colour::Never => Some(false),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    Text,
    Json,
    Svcomp,
}

impl From<Format> for CheckFormat {
    fn from(format: Format) -> CheckFormat {
        match format {
            Format::Text => CheckFormat::Text,
            Format::Json => CheckFormat::Json,
        }
    }
}

pub fn models() -> impl TypedValueParser<Value = Model> {
    PossibleValuesParser::new(Model::ALL.iter().map(|it| it.name()))
        .try_map(|name| name.parse::<Model>())
}

fn parts() -> impl TypedValueParser<Value = Part> {
    PossibleValuesParser::new(Part::ALL.iter().map(|it| it.name()))
        .try_map(|name| name.parse::<Part>())
}

fn algorithms() -> impl TypedValueParser<Value = Algorithm> {
    PossibleValuesParser::new(Algorithm::ALL.iter().map(|it| it.name()))
        .try_map(|name| name.parse::<Algorithm>())
}
