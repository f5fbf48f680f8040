//! `heddle swarm` and `heddle worker` as they are typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand, ValueEnum};
use heddle_swarm::tiling;
use serde::{Deserialize, Serialize};

use crate::args::{CompilerArgs, Format, Property, SearchArgs};
use crate::formats::args::FileArgs;
use crate::units::{parse_bytes, parse_seconds};

const EXAMPLES: &str = "\
Examples:
  heddle swarm prog.c                           picks tiles by itself, splits what times out
  heddle swarm prog.c --unwind 3 --tile-size 11 --tiles 4 --instances 2000
  heddle swarm prog.c --runner slurm --dir /shared/run1
  heddle swarm --resume /shared/run1            go on where it was stopped
  heddle swarm prog.c --backend 'cbmc --unwind 1 {file}' --tiles 2
  heddle swarm report /shared/run1              table and plot of a run that was kept";

/// Split the interleavings into instances and check them in parallel, here or on a cluster
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct SwarmArgs {
    #[command(subcommand)]
    pub command: Option<SwarmCommand>,

    /// Source files or LLVM modules (.c .cpp .i .ii .ll .bc), linked together; `-` is
    /// standard input, C or what `-x` among the compiler's flags says
    #[arg(value_name = "FILE", required_unless_present = "resume")]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub compiler: CompilerArgs,

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

    /// Turns that each thread gets [default: as many as --tiles; without tiles, grow until
    /// every interleaving is covered]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: Option<u32>,

    /// Look only for runs in which inputs and what is read from shared memory fit into N bits
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub bits: Option<u32>,

    /// What a tile is: so many points in a row, or those of a function, between two
    /// operations on locks, or of a file [default: windows]
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(tiling::NAMES))]
    pub tiling: Option<String>,

    /// Points of a tile [default: an eighth of the longest thread's]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub tile_size: Option<u32>,

    /// Tiles of each thread in which it may be preempted [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub tiles: Option<u32>,

    /// For tso and pso: tiles of stores of each thread that may wait; others reach memory at
    /// once [default: all may wait]
    #[arg(long, value_name = "N")]
    pub store_tiles: Option<u32>,

    /// Stores of such a tile [default: 1]
    #[arg(long, value_name = "N", requires = "store_tiles",
          value_parser = clap::value_parser!(u32).range(1..))]
    pub store_tile_size: Option<u32>,

    /// Check not more than N selections of tiles [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub instances: Option<u64>,

    /// Of the random order of selections
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Do not split what is not decided in time
    #[arg(long)]
    pub no_split: bool,

    /// Go on after a violation, to see how many instances have one
    #[arg(long)]
    pub keep_going: bool,

    /// How long an instance may take (30, 30s, 5m) [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = parse_seconds)]
    pub instance_timeout: Option<Duration>,

    /// How much memory a worker may take (500M, 2G) [default: its share of three quarters
    /// of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub instance_memory: Option<u64>,

    /// Workers at a time [default: as many as there are cores; on a cluster, 64]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,

    /// Who runs the workers
    #[arg(long, value_enum, value_name = "NAME", default_value_t = RunnerName::Local)]
    pub runner: RunnerName,

    /// Keep the journal in DIR, which all workers can reach, and go on with it if it is
    /// there [default: a temporary folder]
    #[arg(long, value_name = "DIR", conflicts_with = "resume", required_if_eq("runner", "slurm"))]
    pub dir: Option<PathBuf>,

    /// Go on with the swarm of DIR, with its program and parameters
    #[arg(long, value_name = "DIR", conflicts_with_all = [
        "inputs", "cflags", "engine", "unwind", "rounds", "bits", "tiling", "tile_size", "tiles",
        "store_tiles", "instances", "backend", "instance_timeout", "no_split", "keep_going"
    ])]
    pub resume: Option<PathBuf>,

    /// Who decides instances: the formula of the sequentialisation, or the explorer that keeps
    /// states, which cuts no loops and takes tiles of the program's instructions
    #[arg(long, value_enum, value_name = "NAME", default_value_t = Decider::Lazy)]
    pub engine: Decider,

    /// Check instances by another tool: a command in which {file} is the instance as C
    #[arg(long, value_name = "COMMAND")]
    pub backend: Option<String>,

    /// For --backend: it has found a violation if it prints this, or if this is its exit code
    /// [default: 10 for cbmc, esbmc and heddle, else any but 0]
    #[arg(long, value_name = "TEXT", requires = "backend")]
    pub backend_unsafe: Option<String>,

    /// For --backend: whose functions the C calls: cbmc, esbmc, klee, svcomp or gcc
    /// [default: by the name of the command, else svcomp]
    #[arg(long = "for", value_name = "TOOL", requires = "backend",
          value_parser = crate::args::backends())]
    pub dialect: Option<heddle_encode::Backend>,

    /// Stop after this time (30, 30s, 5m, 2h), compiling included, and say what was covered
    #[arg(long, value_name = "TIME", value_parser = parse_seconds)]
    pub timeout: Option<Duration>,

    /// `text` for people, `json` for programs
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,

    #[command(flatten)]
    pub files: FileArgs,

    /// Write the schedule of a violation to FILE, for `heddle replay`
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,

    /// Print the verdict only
    #[arg(long, short)]
    pub quiet: bool,

    /// Print the effort of the search
    #[arg(long)]
    pub stats: bool,

    /// Count a bounded verdict as a failure: exit code 20
    #[arg(long)]
    pub strict: bool,
}

#[derive(Debug, Subcommand)]
pub enum SwarmCommand {
    /// What the journal of a folder says: a table, what was covered, and a plot
    Report(SwarmReportArgs),
}

#[derive(Debug, Args)]
pub struct SwarmReportArgs {
    /// Folder of `--dir`
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// Where to write the plot [default: plot.svg in the folder]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// `text` for people, `json` for programs
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decider {
    #[default]
    Lazy,
    Stateful,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RunnerName {
    /// Processes of this machine
    Local,
    /// Jobs of a Slurm cluster
    Slurm,
}

/// Take instances on standard input, a line of JSON each, and answer
#[derive(Debug, Args)]
pub struct WorkerArgs {
    /// Folder of the swarm
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,

    /// Take instances from a file there instead, and answer in another one beside it
    #[arg(long, value_name = "FILE")]
    pub batch: Option<PathBuf>,

    /// The most memory to take
    #[arg(long, value_name = "BYTES")]
    pub memory: Option<u64>,
}
