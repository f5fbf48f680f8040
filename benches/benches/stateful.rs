//! Keeping states: `cargo bench -p heddle-benches --bench stateful`.
//!
//! First states, states a second and bytes a state (without those that wait for their turn),
//! for programs with a bug until it is found and for others to the end, on one core and on
//! two. Then how the number of states grows with the number of threads that count, under a
//! mutex and with compare-and-exchange, if threads may change places and if not. A value
//! that a compare-and-exchange expects is part of the state even if it is out of date, so
//! there the states double with each thread at best.

use std::time::Instant;

use heddle_benches::Subject;
use heddle_explore::{Algorithm, Options, Part, Report, check};
use heddle_ir::Program;
use heddle_memory::Model;

const PROGRAMS: &[Subject] = &[
    Subject { name: "safestack", file: "safestack.c", size: 3 },
    Subject { name: "peterson(3)", file: "peterson.c", size: 3 },
    Subject { name: "fibonacci(5)", file: "fibonacci.c", size: 5 },
    Subject { name: "seqlock(3)", file: "seqlock.c", size: 3 },
    Subject { name: "deque(3)", file: "deque.c", size: 3 },
    Subject { name: "treiber(3)", file: "treiber.c", size: 3 },
];

const COUNTERS: &[(&str, &str)] =
    &[("mutex counter", "mutex_counter.c"), ("CAS counter", "cas_counter.c")];
const THREADS: std::ops::RangeInclusive<u32> = 2..=10;
/// Beyond this, states in which threads have their places are too many.
const MOST_NAMED: u32 = 7;

fn main() {
    // `cargo test` runs benches with this flag, only to see that they work.
    if std::env::args().any(|arg| arg == "--test") {
        let subject = Subject { name: "", file: "mutex_counter.c", size: 3 };
        assert_eq!(search(&subject.compile(), Model::Sc, 2, &[]).verdict.word(), "safe");
        return;
    }
    println!(
        "{:<16}{:<6}{:>8}{:>11}{:>13}{:>9}{:>12}{:>9}{:>9}{:>12}",
        "program",
        "model",
        "verdict",
        "states",
        "transitions",
        "seconds",
        "states/s",
        "B/state",
        "2 cores",
        "states/s"
    );
    for subject in PROGRAMS {
        for &model in Model::ALL {
            row(*subject, model);
        }
    }
    println!("\n{:<16}{:>8}{:>20}{:>20}", "states", "threads", "change places", "have places");
    for &(name, file) in COUNTERS {
        for size in THREADS {
            let program = Subject { name, file, size }.compile();
            let states = |without: &[Part]| search(&program, Model::Sc, 1, without).stats.states;
            let named = match size <= MOST_NAMED {
                true => states(&[Part::Symmetry]).to_string(),
                false => "-".to_string(),
            };
            println!("{name:<16}{size:>8}{:>20}{named:>20}", states(&[]));
        }
    }
}

fn search(program: &Program, model: Model, jobs: usize, without: &[Part]) -> Report {
    // Some of these programs check nothing, so that nothing would be left of them.
    let without = [without, &[Part::Slice]].concat();
    let options = Options { algorithm: Algorithm::Stateful, jobs, without, ..Options::default() };
    let entry = program.find_function("main").expect("main");
    check(program, entry, model, &options).expect("the program fits into memory")
}

fn row(subject: Subject, model: Model) {
    let program = subject.compile();
    let timed = |jobs| {
        let start = Instant::now();
        let report = search(&program, model, jobs, &[]);
        (report, start.elapsed().as_secs_f64())
    };
    let (report, seconds) = timed(1);
    let (other, half) = timed(2);
    assert_eq!(report.verdict.word(), other.verdict.word());
    let stats = report.stats;
    println!(
        "{:<16}{:<6}{:>8}{:>11}{:>13}{:>9.2}{:>12.0}{:>9}{:>9.2}{:>12.0}",
        subject.name,
        model.name(),
        report.verdict.word(),
        stats.states,
        stats.transitions,
        seconds,
        stats.states as f64 / seconds,
        stats.state_bytes / stats.states.max(1),
        half,
        other.stats.states as f64 / half,
    );
}
