//! The command line of `heddle races`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use heddle_witness::text::Style;

use crate::args::{CheckFormat, Format, ProgramArgs, Property, SearchArgs};
use crate::error::CliError;
use crate::interrupt::Limits;
use crate::settings::{self, Check};
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

    #[command(flatten)]
    pub search: SearchArgs,

    /// Cut runs that have more than N threads, main among them [default: grow the bound until
    /// nothing is cut]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub max_threads: Option<u32>,

    /// Search on N cores: on all but one of them, interleavings at random [default: 2]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,

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

impl Races {
    pub fn with(self, style: Style) -> Races {
        Races { check: Check { style, ..self.check }, ..self }
    }
}

impl TryFrom<RacesArgs> for Races {
    type Error = CliError;

    fn try_from(args: RacesArgs) -> Result<Races, CliError> {
        let check = Check {
            properties: vec![Property::Race],
            max_threads: args.max_threads,
            limits: Limits { timeout: Some(args.timeout), memory: args.memory_limit },
            format: CheckFormat::from(args.format),
            quiet: args.quiet,
            ..Check::of(settings::program(args.program)?, args.search)?
        };
        Ok(Races { check, traces: args.traces, jobs: usize::from(args.jobs.unwrap_or(2)) })
    }
}
