//! SIR against MPOR: `cargo bench -p heddle-benches --bench steps [NAME]`.
//!
//! Each row is a process of its own, since memory is counted. Beside ours are the numbers of
//! Table 1 of Kahlon's paper (`docs/papers.md`), of drivers that these programs are in the style
//! of. Seconds are user time of the whole check without the compiler.

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use heddle_benches::stakes::{DRIVERS, Driver};
use heddle_encode::{Method, Options, Reduction, Report, check};
use heddle_memory::Model;
use heddle_semantics::{Verdict, ViolationKind};

const LIMIT: Duration = Duration::from_secs(120);
/// Ticks of the clock that processes are measured by, in a second.
const TICKS: f64 = 100.0;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    // `cargo test` runs benches with this flag, only to see that they work.
    if args.iter().any(|arg| arg == "--test") {
        for driver in DRIVERS.iter().filter(|driver| driver.turns == 1) {
            for broken in [false, true] {
                let report = ask(*driver, broken, Reduction::Insensitive);
                let fails = matches!(report.verdict, Verdict::Unsafe(_));
                // One turn is too few for a packet that is sent.
                let expected = broken && !driver.name.starts_with("ipoib");
                assert_eq!(fails, expected, "{}", driver.name);
            }
        }
        return;
    }
    if let [_, row, index, reduction] = args.as_slice()
        && row == "--row"
    {
        let driver = DRIVERS[index.parse::<usize>().expect("a number")];
        return in_here(driver, reduction == "sir");
    }
    println!(
        "{:<14}{:>7}{:>10}  {:<13}{:>9}{:>8}    paper:{:>7}{:>10}{:>9}{:>8}",
        "program",
        "shared",
        "relevant",
        "verdict",
        "user s",
        "peak MB",
        "shared",
        "relevant",
        "s",
        "MB",
    );
    let only = args.iter().skip(1).find(|arg| !arg.starts_with("--"));
    for (index, driver) in DRIVERS.iter().enumerate() {
        if only.is_none_or(|only| driver.name.contains(only.as_str())) {
            for reduction in ["mpor", "sir"] {
                let me = std::env::current_exe().expect("has a path");
                let status =
                    Command::new(me).args(["--row", &index.to_string(), reduction]).status();
                if !status.is_ok_and(|status| status.success()) {
                    println!("{} with {reduction}: crashed", driver.name);
                }
            }
        }
    }
}

fn ask(driver: Driver, broken: bool, reduction: Reduction) -> Report {
    let program = driver.compile(broken);
    let entry = program.find_function("main").expect("main");
    let interrupt = Arc::new(AtomicBool::new(false));
    let options = Options {
        unwind: Some(driver.turns + 1),
        method: Method::Steps(reduction),
        ignored: vec![ViolationKind::DataRace, ViolationKind::Leak, ViolationKind::SignedOverflow],
        interrupt: interrupt.clone(),
        ..Options::default()
    };
    // What the compiler needed does not count.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
    let (done, over) = std::sync::mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            if over.recv_timeout(LIMIT) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                interrupt.store(true, Ordering::Relaxed);
            }
        });
        let report = check(&program, entry, Model::Sc, &options);
        drop(done);
        report
    })
}

fn in_here(driver: Driver, insensitive: bool) {
    let reduction = if insensitive { Reduction::Insensitive } else { Reduction::Monotonic };
    let report = ask(driver, false, reduction);
    let (seconds, peak) = (user_seconds(), peak());
    let (shared, relevant, monotonic, sensitive) = driver.paper;
    let [time, memory] = if insensitive { sensitive } else { monotonic };
    let stakes = report.stats.stakes;
    let count = |count: Option<u64>| count.map_or(String::new(), |count| count.to_string());
    println!(
        "{:<14}{:>7}{:>10}  {:<5}{:<8}{:>9.2}{:>8.0}          {:>7}{:>10}{:>9}{:>8}",
        driver.name,
        count(stakes.map(|stakes| stakes.shared)),
        count(stakes.map(|stakes| stakes.relevant)),
        if insensitive { "sir" } else { "mpor" },
        report.verdict.word(),
        seconds.unwrap_or(f64::NAN),
        peak.map_or(f64::NAN, |bytes| bytes as f64 / 1e6),
        shared,
        relevant,
        time,
        memory,
    );
}

/// Of this process, without its children.
fn user_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    let ticks: f64 = fields.split_whitespace().nth(11)?.parse().ok()?;
    Some(ticks / TICKS)
}

/// Most resident memory so far, in bytes.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kib| kib * 1024)
}
