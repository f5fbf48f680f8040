//! `heddle-fuzz`: looks for programs on which the explorers disagree.

use std::io::{IsTerminal, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Parser, Subcommand};
use heddle_fuzz::classes::{self, Row};
use heddle_fuzz::{
    Campaign, Failing, Feature, Features, HEADER, Limits, Waits, generate, print, standalone,
};

/// Compare the explorers with the naive one on tiny random programs.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// Seeds to try.
    #[arg(long, value_name = "FROM..TO", default_value = "0..20000", value_parser = seeds)]
    seeds: Range<u64>,
    /// Stop after this time, as 90s, 10m or 2h.
    #[arg(long, value_parser = duration)]
    time: Option<Duration>,
    /// Programs checked at the same time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
    /// Write programs that show a disagreement into this folder.
    #[arg(long, value_name = "DIR")]
    save: Option<PathBuf>,
    /// Use only these features, separated by commas.
    #[arg(long, value_delimiter = ',')]
    features: Vec<Feature>,
    /// Stop after so many disagreements.
    #[arg(long, default_value_t = 5)]
    most: usize,
    /// The memory model: sc, tso or pso.
    #[arg(long, default_value = "sc")]
    mm: heddle_memory::Model,
    /// Loop iterations.
    #[arg(long, default_value_t = Limits::default().unwind)]
    unwind: u32,
    /// Transitions after which the naive search gives a program up.
    #[arg(long, default_value_t = Limits::default().naive)]
    limit: u64,
    /// Leave out the formula, which takes most of the time.
    #[arg(long)]
    explorers_only: bool,
    /// Compare `dpor` and `optimal` only
    #[arg(long)]
    reductions_only: bool,
    /// Compare the formulas of all encodings with `naive` only
    #[arg(long)]
    encodings: bool,
    /// The same, of one encoding only
    #[arg(long, value_parser = encoding)]
    encoding: Option<heddle_encode::Method>,
    /// Formulas list no more values of a cell than these, which makes words of the others
    #[arg(long)]
    listed: Option<usize>,
    /// Compare proofs under scheduling constraints with executions that keep them.
    #[arg(long)]
    constraints: bool,
    /// Count what the schedulers of the step-wise encoding let through
    #[arg(long)]
    interleavings: bool,
    /// Compare explorers that may preempt at some places only.
    #[arg(long)]
    places: bool,
    /// Compare invariants with all states that are reached.
    #[arg(long)]
    invariants: bool,
    /// Compare the pairs of places that race with warnings and invariants.
    #[arg(long)]
    races: bool,
    /// Let threads wake up without a signal.
    #[arg(long)]
    spurious: bool,
    /// Print the programs of the seeds and do nothing else.
    #[arg(long)]
    print: bool,
}

fn encoding(name: &str) -> Result<heddle_encode::Method, String> {
    let mut all = heddle_encode::Method::ALL.iter().copied();
    all.find(|method| method.name() == name).ok_or_else(|| format!("no encoding '{name}'"))
}

#[derive(Subcommand)]
enum Command {
    /// Print how many executions `dpor` and `optimal` take for each class of
    /// executions that nobody can tell apart.
    Classes {
        /// C files, or folders of them.
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// Transitions after which a search gives up.
        #[arg(long, default_value_t = 1_000_000)]
        limit: u64,
        /// Compiler flags.
        #[arg(last = true)]
        flags: Vec<String>,
    },
}

/// The table, and below it how often the two are equal.
fn print_classes(paths: &[PathBuf], limit: u64, flags: &[String]) -> std::io::Result<bool> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        for entry in std::fs::read_dir(path)? {
            let path = entry?.path();
            files.extend(path.extension().is_some_and(|e| e == "c").then_some(path));
        }
    }
    files.sort();
    println!("{}", Row::HEAD);
    let mut rows = Vec::new();
    let mut complete = true;
    for file in files {
        match classes::count(&file, flags, limit) {
            Ok(counted) => {
                counted.iter().for_each(|row| println!("{row}"));
                rows.extend(counted);
            }
            Err(error) => {
                eprintln!("{}: {error}", file.display());
                complete = false;
            }
        }
    }
    for &model in heddle_memory::Model::ALL {
        let of_model = || rows.iter().filter(|row| row.model == model);
        let counted = of_model().filter(|row| row.ratio(row.optimal).is_some()).count();
        let one = of_model().filter(|row| row.optimal.is_some() && row.optimal == row.classes);
        println!("{model}: optimal takes one for each class in {} of {counted}", one.count());
    }
    Ok(complete)
}

fn seeds(text: &str) -> Result<Range<u64>, String> {
    let number = |part: &str| part.parse::<u64>().map_err(|error| format!("'{part}': {error}"));
    match text.split_once("..") {
        Some((from, to)) => Ok(number(from)?..number(to)?),
        None => number(text).map(|seed| seed..seed + 1),
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let (digits, unit) =
        text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let factor = match unit {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3600,
        _ => return Err(format!("unknown unit '{unit}'")),
    };
    let number: u64 = digits.parse().map_err(|error| format!("'{text}': {error}"))?;
    Ok(Duration::from_secs(number * factor))
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Some(Command::Classes { paths, limit, flags }) = &arguments.command {
        return match print_classes(paths, *limit, flags) {
            Ok(complete) => ExitCode::from(u8::from(!complete)),
            Err(error) => {
                eprintln!("{error}");
                ExitCode::from(2)
            }
        };
    }
    let features = match arguments.features.as_slice() {
        [] => Features::all(),
        some => Features::of(some),
    };
    if arguments.print {
        println!("{HEADER}");
        for seed in arguments.seeds {
            println!("{}", print(&generate(seed, features), &format!("p{seed}_"), Waits::Plain));
        }
        return ExitCode::SUCCESS;
    }
    let limits = Limits {
        model: arguments.mm,
        unwind: arguments.unwind,
        naive: arguments.limit,
        spurious: arguments.spurious,
        others: !arguments.reductions_only,
        formula: !(arguments.explorers_only || arguments.reductions_only),
        encodings: arguments.encodings || arguments.encoding.is_some(),
        encoding: arguments.encoding,
        listed: arguments.listed,
        constraints: arguments.constraints,
        places: arguments.places,
        invariants: arguments.invariants,
        interleavings: arguments.interleavings,
        pairs: arguments.races,
        ..Limits::default()
    };
    let campaign = Campaign {
        seeds: arguments.seeds,
        features,
        limits,
        jobs: arguments.jobs,
        time: arguments.time,
        most: arguments.most,
    };
    let terminal = std::io::stderr().is_terminal();
    let summary = campaign.run(|summary, elapsed| {
        if terminal {
            let mut error = std::io::stderr().lock();
            let (programs, wrong) = (summary.programs, summary.disagreements.len());
            let seconds = elapsed.as_secs();
            let _ = write!(error, "\r{programs} programs, {wrong} disagreements, {seconds} s");
        }
    });
    if terminal {
        eprintln!();
    }
    for failing in &summary.disagreements {
        show(failing, &limits, arguments.save.as_deref());
    }
    println!("{summary}");
    ExitCode::from(u8::from(!summary.disagreements.is_empty()))
}

fn show(failing: &Failing, limits: &Limits, folder: Option<&Path>) {
    let text = standalone(&failing.test, &failing.shows, limits);
    let seed = failing.test.seed;
    println!("seed {seed}, after {} programs:\n{text}", failing.after);
    if let Some(folder) = folder {
        let path = folder.join(format!("seed_{seed}.c"));
        if let Err(error) =
            std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&path, text))
        {
            eprintln!("{}: {error}", path.display());
        }
    }
}
