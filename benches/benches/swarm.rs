//! What instances have of violations, beside the numbers of Figures 5 and 6 of Nguyen et al.
//! (ASE 2017): `cargo bench -p heddle-benches --bench swarm`. With `-- NAME`, only rows with
//! that in their names; with `-- --seconds=N`, so long for each row (300 if not said).
//!
//! Runs `target/release/heddle swarm`, which `cargo build --release -p heddle-cli` makes, or what
//! `-- --heddle=PATH` names. Times are the processor's.
//! Tiles are as many as the paper's in a thread; points are not its statements. With
//! `-- --solvers`, instead: the same instances by a solver that goes on from one to the next,
//! and by a fresh one for each.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use heddle_encode::{self as encode, Answer, Fixed, Instances, Restriction, ThreadPlaces};
use heddle_memory::Model;

/// For the comparison of solvers.
const INSTANCES: u32 = 24;

/// What the paper has: share of instances with a violation, in percent, best and mean time.
type Paper = Result<(f64, f64, f64), &'static str>;

struct Row {
    name: &'static str,
    file: &'static str,
    flags: &'static [&'static str],
    tile_size: &'static str,
    cflags: &'static [&'static str],
    paper: Paper,
}

/// What one run does not find in ten minutes.
const DIGEST: &str = "benches/programs/swarm/digest.c";
const TEN_FOLDS: &[&str] = &["-DN=10", "-DWANTED_I=4086286284u", "-DWANTED_J=4022519659u"];
const ONE_PLACE: &[&str] = &["--engine", "stateful", "--tiles", "1"];
const SAFESTACK: &str = "tests/programs/lockfree/safestack.c";
const ELIMINATION: &str = "tests/programs/lockfree/elimination_stack.c";
const EIGHT: &[&str] = &["-DBUG", "-DONCE", "-DCLIENT=\"+\",\"+\",\"+\",\"-\",\"-\",\"-\",\"-\""];
const SC: &[&str] = &["--unwind", "3", "--tiles", "4"];
const TSO: &[&str] = &["--mm", "tso", "--unwind", "3", "--tiles", "3", "--rounds", "4"];
const PSO: &[&str] = &["--mm", "pso", "--unwind", "3", "--tiles", "3", "--rounds", "4"];
/// Of instructions, so no loop is cut.
const STATES: &[&str] = &["--engine", "stateful", "--tiles", "4"];
const PSO_STATES: &[&str] = &["--engine", "stateful", "--mm", "pso", "--tiles", "3"];
const STACK: &[&str] = &["--unwind", "8", "--tiles", "2", "--rounds", "3"];

const fn row(
    name: &'static str,
    (file, flags, tile_size): (&'static str, &'static [&'static str], &'static str),
    paper: Paper,
) -> Row {
    Row { name, file, flags, tile_size, cflags: &[], paper }
}

const ROWS: &[Row] = &[
    row("safestack-sc-14", (SAFESTACK, SC, "14"), Ok((1.26, 195.6, 1172.2))),
    row("safestack-sc-18", (SAFESTACK, SC, "18"), Ok((2.14, 574.8, 1851.1))),
    row("safestack-sc-25", (SAFESTACK, SC, "25"), Ok((10.20, 313.0, 2167.5))),
    row("safestack-tso-25", (SAFESTACK, TSO, "25"), Err("no violation in 24,000 instances")),
    row("safestack-states-sc-1", (SAFESTACK, STATES, "1"), Ok((1.26, 195.6, 1172.2))),
    row("safestack-states-sc-2", (SAFESTACK, STATES, "2"), Ok((2.14, 574.8, 1851.1))),
    row("safestack-states-sc-4", (SAFESTACK, STATES, "4"), Ok((10.20, 313.0, 2167.5))),
    row("safestack-states-pso-1", (SAFESTACK, PSO_STATES, "1"), Ok((7.63, 898.1, 2929.8))),
    row("safestack-states-pso-2", (SAFESTACK, PSO_STATES, "2"), Ok((16.73, 593.5, 4607.1))),
    row("safestack-pso-15", (SAFESTACK, PSO, "15"), Ok((7.63, 898.1, 2929.8))),
    row("safestack-pso-20", (SAFESTACK, PSO, "20"), Ok((16.73, 593.5, 4607.1))),
    row("safestack-pso-25", (SAFESTACK, PSO, "25"), Ok((26.85, 1083.8, 5176.9))),
    Row {
        name: "digest",
        file: DIGEST,
        flags: ONE_PLACE,
        tile_size: "1",
        cflags: TEN_FOLDS,
        paper: Err("not in it"),
    },
    elimination("elimination-12", "12", (38.33, 34.9, 1116.3)),
    elimination("elimination-14", "14", (61.38, 39.7, 2169.5)),
    elimination("elimination-18", "18", (69.01, 37.1, 3162.4)),
];

const fn elimination(name: &'static str, tile_size: &'static str, paper: (f64, f64, f64)) -> Row {
    Row { name, file: ELIMINATION, flags: STACK, tile_size, cflags: EIGHT, paper: Ok(paper) }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    // `cargo test` runs benches with this flag, only to see that they work.
    if args.iter().any(|arg| arg == "--test") {
        return;
    }
    if args.iter().any(|arg| arg == "--solvers") {
        return solvers();
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let named = args.iter().find_map(|arg| arg.strip_prefix("--heddle="));
    let heddle = named.map_or_else(|| root.join("target/release/heddle"), PathBuf::from);
    if !heddle.exists() {
        eprintln!("NOT MEASURED: there is no {}", heddle.display());
        return;
    }
    let seconds = args.iter().find_map(|arg| arg.strip_prefix("--seconds=")).unwrap_or("300");
    let only = args.iter().find(|arg| !arg.starts_with("--"));
    for row in ROWS.iter().filter(|row| only.is_none_or(|only| row.name.contains(only.as_str()))) {
        let folder = tempfile::tempdir().expect("a folder");
        let kept = folder.path().join("kept");
        swarm(&root, &heddle, row, seconds, &kept);
        println!("\n== {}", row.name);
        match row.paper {
            Ok((share, best, mean)) => {
                println!("paper: {share} % with a violation, best {best} s, mean {mean} s");
            }
            Err(what) => println!("paper: {what}"),
        }
        let _ = Command::new(&heddle).args(["swarm", "report"]).arg(&kept).status();
    }
}

/// Instances in which each thread may be preempted in two eighths of its points.
fn some_instances(threads: &[ThreadPlaces]) -> Vec<Restriction> {
    let instance = |number: u32| {
        let closed = threads.iter().enumerate().map(|(at, thread)| {
            let size = (thread.points.len() as u32).div_ceil(8).max(1);
            let number = number + 3 * at as u32;
            let (first, second) = (number % 8, number / 8 % 8);
            let eighths = (0..8).filter(|&eighth| eighth != first && eighth != second);
            eighths.map(|eighth| (eighth * size)..((eighth + 1) * size)).collect()
        });
        Restriction { closed: closed.collect(), ..Restriction::default() }
    };
    (0..INSTANCES).map(|number| instance(number * 7)).collect()
}

fn solvers() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let inputs = vec![root.join(SAFESTACK)];
    let options = heddle_frontend::Options { inputs, ..Default::default() };
    let program = heddle_frontend::compile(&options).expect("compiles");
    let entry = program.find_function("main").expect("main");
    let fixed = Fixed { unwind: 2, rounds: 2 };
    let ask = |instances: &mut dyn Instances, which: &[Restriction]| {
        let fails = |it: &Restriction| matches!(instances.ask(it, None), Answer::Unsafe(_));
        which.iter().map(fails).collect::<Vec<bool>>()
    };
    let engine = encode::Options::default();
    let with = |work: &mut dyn FnMut(&mut dyn Instances) -> Vec<bool>| {
        encode::with_instances(&program, entry, Model::Sc, (&engine, fixed), work).expect("fits")
    };
    let begun = Instant::now();
    let together = with(&mut |instances| {
        let all = some_instances(instances.threads());
        ask(instances, &all)
    });
    let first = begun.elapsed();
    let begun = Instant::now();
    let mut apart = Vec::new();
    for number in 0..INSTANCES as usize {
        apart.extend(with(&mut |instances| {
            let all = some_instances(instances.threads());
            ask(instances, &all[number..=number])
        }));
    }
    let second = begun.elapsed();
    assert_eq!(together, apart, "what an instance is does not depend on those before it");
    println!("{INSTANCES} instances: one solver {first:.1?}, a fresh one for each {second:.1?}");
}

fn swarm(root: &Path, heddle: &PathBuf, row: &Row, seconds: &str, kept: &Path) {
    let mut command = Command::new(heddle);
    command.current_dir(root).arg("swarm").args(row.flags).args(["--tile-size", row.tile_size]);
    command.args(["--no-split", "--keep-going", "--instance-timeout", "60", "--timeout", seconds]);
    command.arg("--dir").arg(kept).arg(row.file).arg("--").args(row.cflags);
    match command.output() {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            println!("{}", text.lines().last().unwrap_or_default());
        }
        Err(error) => println!("{}: {error}", heddle.display()),
    }
}
