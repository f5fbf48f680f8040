//! Swarms from the first instance to the last, also if they are ended in between.

mod common;

use std::collections::BTreeSet;
use std::time::Instant;

use common::{Fake, answered, clear, options, spans, splits, swarm, threads, undecided, windows};
use heddle_swarm::{Answer, Task};

#[test]
fn every_selection_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut seen = BTreeSet::new();
    let mut runner = Fake::new(5, |task: &Task| {
        assert!(seen.insert(format!("{:?}", task.restriction)), "asked twice");
        clear()
    });
    let options = options(Some(windows(2, 2, None)));
    let conclusion = swarm(folder.path(), &mut runner, &options, &threads(&[9, 7])).expect("runs");
    assert!(conclusion.decided);
    assert_eq!(conclusion.bounds.switches, Some(2));
    assert_eq!(conclusion.count.to_u64(), Some(10 * 6));
    assert_eq!(seen.len(), 60);
}

/// A sample is no proof.
#[test]
fn some_selections_decide_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut runner = Fake::new(5, |_: &Task| clear());
    let options = options(Some(windows(2, 2, Some(59))));
    let conclusion = swarm(folder.path(), &mut runner, &options, &threads(&[9, 7])).expect("runs");
    assert!(!conclusion.decided && conclusion.found.is_none());
    assert_eq!(conclusion.answered, 59);
}

/// What is undecided is split until it is decided; the whole is decided then.
#[test]
fn a_tree_that_closes() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut runner = Fake::new(2, |task: &Task| match spans(&task.restriction) {
        0..4 if !task.id.contains('.') => undecided(),
        _ => clear(),
    });
    let conclusion =
        swarm(folder.path(), &mut runner, &options(None), &threads(&[30, 30])).expect("runs");
    assert!(conclusion.decided && conclusion.bounds.is_empty());
    assert_eq!(splits(folder.path()), 15);
}

/// An instance that is given up keeps the rest from being a proof.
#[test]
fn what_is_given_up_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut runner = Fake::new(2, |task: &Task| match task.id.as_str() {
        "0.3" => undecided(),
        _ => clear(),
    });
    let options = heddle_swarm::Options { split: false, ..options(Some(windows(2, 1, None))) };
    let conclusion = swarm(folder.path(), &mut runner, &options, &threads(&[9, 7])).expect("runs");
    assert!(!conclusion.decided);
    assert_eq!(conclusion.undecided, 1);
}

#[test]
fn the_first_violation_ends_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut runner = Fake::new(1, |task: &Task| match task.id.as_str() {
        "0.7" => Answer::Unsafe("here".into()),
        _ => clear(),
    });
    let options = options(Some(windows(1, 2, None)));
    let conclusion = swarm(folder.path(), &mut runner, &options, &threads(&[9])).expect("runs");
    assert_eq!(conclusion.found, Some(("0.7".to_string(), "here".into())));
    assert_eq!(runner.answered, 8);
}

/// Ended again and again: in the end each instance was answered once.
#[test]
fn ended_and_begun_again() {
    let threads = threads(&[12, 9]);
    let decide = |task: &Task| match spans(&task.restriction) % 3 {
        0 if task.id.len() < 8 => undecided(),
        _ => clear(),
    };
    let options = options(Some(windows(3, 2, None)));
    let once = tempfile::tempdir().expect("a folder");
    swarm(once.path(), &mut Fake::new(3, decide), &options, &threads).expect("runs");
    let folder = tempfile::tempdir().expect("a folder");
    let mut begun = 0;
    loop {
        let mut runner = Fake { stop_after: Some(5), ..Fake::new(3, decide) };
        begun += 1;
        match swarm(folder.path(), &mut runner, &options, &threads) {
            Ok(conclusion) => break assert!(conclusion.decided),
            Err(error) => assert_eq!(error.to_string(), "ended"),
        }
        assert!(begun < 1000);
    }
    let (here, there) = (answered(folder.path()), answered(once.path()));
    assert!(begun > 5, "{begun}");
    assert_eq!(here, there);
    let distinct: BTreeSet<&String> = here.iter().collect();
    assert_eq!(distinct.len(), here.len());
}

fn bookkeeping(instances: u64) -> f64 {
    let folder = tempfile::tempdir().expect("a folder");
    let begun = Instant::now();
    let mut runner = Fake::new(10_000, |_: &Task| clear());
    let options = options(Some(windows(2, 4, Some(instances))));
    let conclusion =
        swarm(folder.path(), &mut runner, &options, &threads(&[60, 60, 60, 60])).expect("runs");
    assert_eq!(conclusion.answered, instances);
    begun.elapsed().as_secs_f64()
}

#[test]
fn many_instances_are_no_burden() {
    assert!(bookkeeping(20_000) < 30.0);
}

/// `cargo test --release -p heddle-swarm --test campaign -- --ignored --nocapture`
#[test]
#[ignore = "a minute"]
fn a_million_instances() {
    for instances in [10_000, 100_000, 1_000_000] {
        let seconds = bookkeeping(instances);
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
        println!("{instances} instances, 10,000 workers: {seconds:.2} s, {peak}");
    }
}
