//! Keeping states: `cargo bench -p heddle-benches --bench stateful`.
//!
//! States, states a second and bytes a state (without those that wait for their turn), for
//! programs with a bug until it is found and for others to the end; then how the number of
//! states grows with the number of threads that count under a mutex.

use std::time::Instant;

use heddle_benches::{Subject, explore_under};
use heddle_explore::Algorithm::Stateful;
use heddle_memory::Model;

const PROGRAMS: &[Subject] = &[
    Subject { name: "safestack", file: "safestack.c", size: 3 },
    Subject { name: "peterson(3)", file: "peterson.c", size: 3 },
    Subject { name: "fibonacci(5)", file: "fibonacci.c", size: 5 },
    Subject { name: "seqlock(3)", file: "seqlock.c", size: 3 },
    Subject { name: "deque(3)", file: "deque.c", size: 3 },
    Subject { name: "treiber(3)", file: "treiber.c", size: 3 },
];

const THREADS: &[Subject] = &[
    Subject { name: "mutex-counter(2)", file: "mutex_counter.c", size: 2 },
    Subject { name: "mutex-counter(3)", file: "mutex_counter.c", size: 3 },
    Subject { name: "mutex-counter(4)", file: "mutex_counter.c", size: 4 },
    Subject { name: "mutex-counter(5)", file: "mutex_counter.c", size: 5 },
    Subject { name: "mutex-counter(6)", file: "mutex_counter.c", size: 6 },
];

fn main() {
    // `cargo test` runs benches with this flag, only to see that they work.
    if std::env::args().any(|arg| arg == "--test") {
        let report = explore_under(&THREADS[0].compile(), Model::Sc, Stateful);
        assert_eq!(report.verdict.word(), "safe");
        return;
    }
    println!(
        "{:<20}{:<6}{:>9}{:>12}{:>13}{:>10}{:>14}{:>9}",
        "program", "model", "verdict", "states", "transitions", "seconds", "states/s", "B/state"
    );
    for subject in PROGRAMS {
        for &model in Model::ALL {
            row(*subject, model);
        }
    }
    for subject in THREADS {
        row(*subject, Model::Sc);
    }
}

fn row(subject: Subject, model: Model) {
    let program = subject.compile();
    let start = Instant::now();
    let report = explore_under(&program, model, Stateful);
    let (seconds, stats) = (start.elapsed().as_secs_f64(), report.stats);
    println!(
        "{:<20}{:<6}{:>9}{:>12}{:>13}{:>10.2}{:>14.0}{:>9}",
        subject.name,
        model.name(),
        report.verdict.word(),
        stats.states,
        stats.transitions,
        seconds,
        stats.states as f64 / seconds,
        stats.state_bytes / stats.states.max(1),
    );
}
