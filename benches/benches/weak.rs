//! Cost of the memory models: `cargo bench -p heddle-benches --bench weak`.
//!
//! A table like that of the explorer, each program under SC, TSO and PSO, with how
//! many times as long as under SC a transition takes. A transition is a step of a
//! thread or of a store buffer. Times are the shortest of several runs, the models
//! taking turns, so that other work on the machine disturbs them alike.

use std::time::Instant;

use heddle_benches::counting::{Counting, allocated};
use heddle_benches::{Subject, WEAK, explore_under};
use heddle_explore::Algorithm::Optimal;
use heddle_ir::Program;
use heddle_memory::Model;

#[global_allocator]
static ALLOC: Counting = Counting;

const RUNS: usize = 25;

fn main() {
    // `cargo test` runs benches with this flag, only to see that they work.
    if std::env::args().any(|arg| arg == "--test") {
        let program = WEAK[0].compile();
        let executions = |&model| explore_under(&program, model, Optimal).stats.executions;
        let all: Vec<u64> = Model::ALL.iter().map(executions).collect();
        assert_eq!(all, [3, 4, 4]);
        return;
    }
    println!(
        "{:<20}{:<6}{:>11}{:>14}{:>15}{:>14}{:>13}{:>7}",
        "program",
        "model",
        "executions",
        "executions/s",
        "transitions/s",
        "µs/execution",
        "B/execution",
        "to SC"
    );
    for &subject in WEAK {
        rows(subject);
    }
}

fn rows(subject: Subject) {
    let program = subject.compile();
    let shortest = shortest(&program);
    let mut sc = None;
    for (&model, seconds) in Model::ALL.iter().zip(shortest) {
        let before = allocated();
        let stats = explore_under(&program, model, Optimal).stats;
        let bytes = allocated() - before;
        let (executions, transitions) = (stats.executions as f64, stats.transitions as f64);
        let step = seconds / transitions;
        println!(
            "{:<20}{:<6}{:>11}{:>14.0}{:>15.0}{:>14.2}{:>13.0}{:>7.2}",
            subject.name,
            model.name(),
            stats.executions,
            executions / seconds,
            transitions / seconds,
            seconds * 1e6 / executions,
            bytes as f64 / executions,
            step / *sc.get_or_insert(step),
        );
    }
}

/// Seconds of the shortest search under each model.
fn shortest(program: &Program) -> Vec<f64> {
    let mut shortest = vec![f64::INFINITY; Model::ALL.len()];
    for _ in 0..RUNS {
        for (&model, best) in Model::ALL.iter().zip(&mut shortest) {
            let started = Instant::now();
            explore_under(program, model, Optimal);
            *best = best.min(started.elapsed().as_secs_f64());
        }
    }
    shortest
}
