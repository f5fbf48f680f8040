//! Speed of the explorer: `cargo bench -p heddle-benches`.
//!
//! First a table: executions and transitions a second, and bytes allocated an
//! execution, each the median of several runs. Then divan's own statistics.

use std::time::Instant;

use divan::{Bencher, counter::ItemsCount};
use heddle_benches::counting::{Counting, allocated};
use heddle_benches::{PREFIXES, SUBJECTS, Subject, explore};
use heddle_explore::Algorithm;

#[global_allocator]
static ALLOC: Counting = Counting;

const RUNS: usize = 5;

fn main() {
    // `cargo test` runs benches with this flag, only to see that they work.
    if std::env::args().any(|arg| arg == "--test") {
        let report = explore(&SUBJECTS[0].compile(), Algorithm::Optimal);
        assert_eq!(report.stats.executions, 512);
        return;
    }
    println!(
        "{:<18}{:>12}{:>14}{:>16}{:>14}{:>14}",
        "program", "executions", "executions/s", "transitions/s", "µs/execution", "B/execution"
    );
    for &subject in SUBJECTS.iter().chain(PREFIXES) {
        row(subject);
    }
    println!();
    divan::main();
}

fn row(subject: Subject) {
    let program = subject.compile();
    let mut seconds = Vec::new();
    let before = allocated();
    let mut stats = explore(&program, Algorithm::Optimal).stats;
    let bytes = allocated() - before;
    for _ in 0..RUNS {
        let started = Instant::now();
        stats = explore(&program, Algorithm::Optimal).stats;
        seconds.push(started.elapsed().as_secs_f64());
    }
    seconds.sort_by(f64::total_cmp);
    let median = seconds[RUNS / 2];
    println!(
        "{:<18}{:>12}{:>14.0}{:>16.0}{:>14.2}{:>14.0}",
        subject.name,
        stats.executions,
        stats.executions as f64 / median,
        stats.transitions as f64 / median,
        median * 1e6 / stats.executions as f64,
        bytes as f64 / stats.executions as f64,
    );
}

fn measure(bencher: Bencher, subject: Subject, algorithm: Algorithm) {
    let program = subject.compile();
    let executions = explore(&program, algorithm).stats.executions;
    bencher
        .counter(ItemsCount::new(executions))
        .bench_local(|| explore(&program, algorithm).stats.executions);
}

#[divan::bench(args = SUBJECTS, sample_count = 10)]
fn optimal(bencher: Bencher, subject: Subject) {
    measure(bencher, subject, Algorithm::Optimal);
}

#[divan::bench(args = ["fibonacci(4)", "mutex-counter(4)", "last-zero(8)"], sample_count = 10)]
fn dpor(bencher: Bencher, name: &str) {
    let subject = SUBJECTS.iter().find(|subject| subject.name == name).expect("a subject");
    measure(bencher, *subject, Algorithm::Dpor);
}

/// Time per execution must not grow with the prefix that all executions share.
#[divan::bench(args = PREFIXES, sample_count = 10)]
fn shared_prefix(bencher: Bencher, subject: Subject) {
    measure(bencher, subject, Algorithm::Optimal);
}
