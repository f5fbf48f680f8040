//! The command line of `heddle races`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use heddle_memory::Model;
use heddle_witness::text::Detail;

use crate::args::{CheckFormat, Format, ProgramArgs, Property, models};
use crate::error::CliError;
use crate::formats::args::FileArgs;
use crate::interrupt::Limits;
use crate::settings::{self, Check, arguments};
use crate::units::{parse_bytes, parse_seconds};

const AFTER: &str = "\
Examples:
  heddle races prog.c
  heddle races main.c queue.c --timeout 5m -- -Iinclude
  heddle races --traces found prog.c; heddle replay found/race-1.json

Exit codes:
  0    no pair can race, or none within the bounds that are named
  10   some pair is a data race
  20   none is known to be one, and some are open
  130  a signal ended the search, and none is known to be one
  2    wrong usage, unreadable input, an error of the compiler, or a file that cannot be written";

/// List the pairs of lines that may be a data race, and decide each
///
/// Two lines are listed if they may touch the same memory, one of them writes, their threads
/// may run at the same time, and no lock is held at both. Then all interleavings are searched:
/// a pair is `real` if it races in one of them, which is replayed and shown; `impossible` if
/// none shows it; and `open` if the search did not come to its end.
#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct RacesArgs {
    #[command(flatten)]
    pub program: ProgramArgs,

    /// Function to start with
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub entry: String,

    /// Memory model
    #[arg(long, value_name = "MODEL", default_value_t = Model::Sc, value_parser = models())]
    pub mm: Model,

    /// Cut loops after N iterations [default: grow the bound until nothing is cut]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub unwind: Option<u32>,

    /// Cut runs that have more than N threads, main among them [default: grow the bound until
    /// nothing is cut]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_threads: Option<u32>,

    /// Search on N cores: on all but one of them, interleavings at random [default: 2]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,

    /// Let waits for condition variables end by signals only
    #[arg(long)]
    pub no_spurious: bool,

    /// Arguments of the program, as for `heddle check`
    #[arg(long, value_name = "WORDS", allow_hyphen_values = true, conflicts_with = "entry")]
    pub args: Option<String>,

    /// Let any allocation fail
    #[arg(long)]
    pub malloc_fails: bool,

    /// Stop after this time (30, 30s, 5m, 2h), compiling included
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = parse_seconds)]
    pub timeout: Duration,

    /// Stop when heddle holds more memory than this (500M, 2G)
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes)]
    pub memory_limit: Option<u64>,

    /// `text` for people, `json` for programs
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t = Format::Text)]
    pub format: Format,

    /// Write a schedule of each real pair into this folder, for `heddle replay`
    #[arg(long, value_name = "DIR")]
    pub traces: Option<PathBuf>,

    /// Print the table and the verdict only
    #[arg(long, short)]
    pub quiet: bool,
}

pub struct Races {
    /// As `heddle check --check race` would have it.
    pub check: Check,
    pub traces: Option<PathBuf>,
    pub jobs: usize,
}

impl TryFrom<RacesArgs> for Races {
    type Error = CliError;

    fn try_from(args: RacesArgs) -> Result<Races, CliError> {
        if args.entry.is_empty() {
            return Err(CliError::new("--entry needs the name of a function"));
        }
        let mut program = settings::program(args.program)?;
        program.allocations_fail = args.malloc_fails;
        if let Some(text) = &args.args {
            program.arguments = arguments(text)?;
        }
        let limits = Limits { timeout: Some(args.timeout), memory: args.memory_limit };
        let check = Check {
            program,
            entry: args.entry,
            model: args.mm,
            properties: vec![Property::Race],
            unwind: args.unwind,
            max_threads: args.max_threads,
            spurious: !args.no_spurious,
            limits,
            format: CheckFormat::from(args.format),
            quiet: args.quiet,
            engine: None,
            algorithm: None,
            without: Vec::new(),
            max_steps: None,
            max_switches: None,
            strict_states: false,
            delays: false,
            why_new: false,
            seed: 0,
            runs: None,
            depth_first: false,
            jobs: None,
            method: heddle_encode::Method::Lazy,
            bound: None,
            bits: None,
            trace: None,
            files: FileArgs::default(),
            prp: None,
            stats: false,
            explain: false,
            detail: Detail::Folded,
            strict: false,
        };
        Ok(Races { check, traces: args.traces, jobs: usize::from(args.jobs.unwrap_or(2)) })
    }
}
