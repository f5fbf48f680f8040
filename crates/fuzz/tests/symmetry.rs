//! Threads that may change places, and threads that may not.

use std::path::Path;

use heddle_explore::{Algorithm, Options, Part, Report, check};
use heddle_memory::Model;

fn search(name: &str, threads: u32, without: &[Part]) -> Report {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = match name {
        "mutex_counter.c" => here.join("../../benches/programs"),
        _ => here.join("tests/symmetry"),
    };
    let mut options = heddle_frontend::Options::default();
    options.inputs.push(folder.join(name));
    options.flags.push(format!("-DN={threads}"));
    let program = heddle_frontend::compile(&options).expect("it compiles");
    let entry = program.find_function("main").expect("it has a main function");
    let options =
        Options { algorithm: Algorithm::Stateful, without: without.to_vec(), ..Options::default() };
    check(&program, entry, Model::Sc, &options).expect("a small program")
}

fn states(name: &str, threads: u32, without: &[Part]) -> (u64, &'static str) {
    let report = search(name, threads, without);
    (report.stats.states, report.verdict.word())
}

/// Threads that count under a mutex: which of them is where does not matter, so the
/// states are as many as ways to spread threads over places.
#[test]
fn states_grow_like_a_polynomial() {
    let with: Vec<u64> = (2..=8).map(|n| states("mutex_counter.c", n, &[]).0).collect();
    // Second differences of a polynomial of degree two are the same.
    let differences = |list: &[u64]| -> Vec<i64> {
        list.windows(2).map(|pair| pair[1] as i64 - pair[0] as i64).collect()
    };
    let first = differences(&with);
    assert!(first.windows(3).all(|w| w[2] - w[1] == w[1] - w[0]), "{with:?}");
    let without: Vec<u64> =
        (2..=5).map(|n| states("mutex_counter.c", n, &[Part::Symmetry]).0).collect();
    assert!(without.windows(2).all(|pair| pair[1] > 3 * pair[0]), "{without:?}");
}

/// Where a program computes with the id of a thread, each has its place.
#[test]
fn ids_that_are_numbers() {
    assert_eq!(states("parity.c", 3, &[]), states("parity.c", 3, &[Part::Symmetry]));
}

/// Where ids are only compared, threads change places with them.
#[test]
fn ids_that_are_compared() {
    let (with, verdict) = states("owner.c", 3, &[]);
    let (without, named) = states("owner.c", 3, &[Part::Symmetry]);
    assert_eq!((verdict, named), ("safe", "safe"));
    assert!(with * 2 < without, "{with} of {without} states");
}

/// An id that was joined is compared: what it was matters.
#[test]
fn ids_that_are_used_again() {
    let with = search("again.c", 2, &[]);
    let without = search("again.c", 2, &[Part::Symmetry]);
    assert_eq!(with.verdict.word(), without.verdict.word());
    assert_eq!(with.verdict.word(), "unsafe");
}
