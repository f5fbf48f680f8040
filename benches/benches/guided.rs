//! Guided exploration: `cargo bench -p heddle-benches --bench guided`.
//!
//! Executions of `optimal` and `guided` for the indexer, by the number of threads
//! (Figure 2 of Kusano and Wang 2014), and for a hash table, by the number of
//! compare-and-exchange operations (Figure 12). Then those for programs of a few hundred
//! lines, all properties checked, and the time until a bug in each is found. Then the
//! time of the analysis, by the lines of the program.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use heddle_analysis::{Facts, Property, guide};
use heddle_benches::{Subject, slices};
use heddle_explore::{Algorithm, Options, Progress, Report, Stats, check};
use heddle_ir::Program;
use heddle_memory::Model;
use heddle_semantics::ViolationKind;

/// Transitions after which a search is given up.
const MOST: u64 = 300_000;

fn main() {
    // `cargo test` runs benches with this flag, only to see that they work.
    if std::env::args().any(|arg| arg == "--test") {
        let program = Subject { name: "indexer", file: "indexer.c", size: 12 }.compile();
        assert_eq!(executions(&program, Algorithm::Guided).0, Some(1));
        assert!(seconds(200).1 < 10.0);
        return;
    }
    table("indexer", "threads", "indexer.c", 11..=20);
    table("hash table", "exchanges", "hash_table.c", 4..=8);
    larger();
    println!("{:<10}{:>14}{:>12}", "lines", "instructions", "seconds");
    for lines in [1_250, 2_500, 5_000, 10_000, 20_000] {
        let (count, seconds) = seconds(lines);
        println!("{lines:<10}{count:>14}{seconds:>12.3}");
    }
}

fn table(name: &str, what: &str, file: &'static str, sizes: std::ops::RangeInclusive<u32>) {
    println!("{name}\n{what:<12}{:>12}{:>10}{:>12}{:>10}", "optimal", "s", "guided", "s");
    for size in sizes {
        let program = Subject { name: "", file, size }.compile();
        print!("{size:<12}");
        for algorithm in [Algorithm::Optimal, Algorithm::Guided] {
            let (count, seconds) = executions(&program, algorithm);
            let count = count.map_or("×".to_string(), |count| count.to_string());
            print!("{count:>12}{seconds:>10.2}");
        }
        println!();
    }
    println!();
}

/// Programs of `tests/programs/larger`.
const LARGER: &[&str] = &["list", "hash_table", "skip_list", "allocator", "scanner"];

/// Seconds after which a search for a larger program is given up.
const PATIENCE: f64 = 60.0;

fn larger() {
    println!("{:<12}{:>12}{:>10}{:>12}{:>10}{:>10}", "", "optimal", "s", "guided", "s", "bug s");
    for name in LARGER {
        print!("{name:<12}");
        let program = compile_larger(name, "-DGOOD");
        for algorithm in [Algorithm::Optimal, Algorithm::Guided] {
            let options = Options { algorithm, ..Options::default() };
            let (report, seconds) = run(&program, options, |stats| stats.seconds > PATIENCE);
            assert_ne!(report.verdict.word(), "unsafe", "{name}");
            let finished = report.verdict.word() == "safe";
            let star = if finished { "" } else { ">" };
            print!("{:>12}{seconds:>10.2}", format!("{star}{}", report.stats.executions));
        }
        let options = Options { algorithm: Algorithm::Guided, ..Options::default() };
        let program = compile_larger(name, "-DBUG");
        let (report, seconds) = run(&program, options, |stats| stats.seconds > PATIENCE);
        assert_eq!(report.verdict.word(), "unsafe", "{name}");
        println!("{seconds:>10.2}");
    }
    println!();
}

fn compile_larger(name: &str, flag: &str) -> Program {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/programs/larger");
    let inputs = vec![folder.join(name).with_extension("c")];
    let flags = vec![flag.to_string()];
    let options = heddle_frontend::Options { inputs, flags, ..Default::default() };
    heddle_frontend::compile(&options).expect("a test program compiles")
}

/// How many executions show that no assertion fails, and the time that takes.
fn executions(program: &Program, algorithm: Algorithm) -> (Option<u64>, f64) {
    let ignored = vec![ViolationKind::Deadlock];
    let options = Options { algorithm, unwind: Some(2000), ignored, ..Options::default() };
    let (report, seconds) = run(program, options, |stats| stats.transitions > MOST);
    (report.verdict.word().ne("unknown").then_some(report.stats.executions), seconds)
}

/// Searches until the end, or until it is enough; and the time that takes.
fn run(
    program: &Program,
    options: Options,
    enough: impl Fn(&Stats) -> bool + Send + Sync + 'static,
) -> (Report, f64) {
    let entry = program.find_function("main").expect("main");
    let interrupt = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupt);
    let progress: Progress = Box::new(move |stats| {
        flag.fetch_or(enough(stats), Ordering::Relaxed);
    });
    let options = Options { interrupt, progress: Some(progress), ..options };
    let started = Instant::now();
    let report = check(program, entry, Model::Sc, &options).expect("the program fits into memory");
    (report, started.elapsed().as_secs_f64())
}

/// Instructions of a generated program, and the time to find its slice.
fn seconds(lines: usize) -> (usize, f64) {
    let folder = std::env::temp_dir().join(format!("heddle-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let path = folder.join("program.c");
    std::fs::write(&path, slices::source(lines)).expect("a temporary file");
    let options = heddle_frontend::Options { inputs: vec![path], ..Default::default() };
    let program = heddle_frontend::compile(&options).expect("a bench program compiles");
    let _ = std::fs::remove_dir_all(&folder);
    let entry = program.find_function("main").expect("main");
    let started = Instant::now();
    let facts = Facts::of(&program, entry);
    let properties = [Property::Assert, Property::Memory, Property::Deadlock];
    let guidance = guide(&facts, &properties, &Default::default(), None).expect("plain pointers");
    (guidance.all, started.elapsed().as_secs_f64())
}
