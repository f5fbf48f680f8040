//! `heddle dump --transactions`: the graphs of small programs, against what can be counted by
//! hand.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

fn dump(file: &str, flags: &[&str]) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").join(file);
    let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .arg("dump")
        .args(flags)
        .arg(&path)
        .output()
        .expect("heddle runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
    text
}

/// Places of the first two threads that are created, and steps between them, once both have
/// begun; where `main` is does not count.
fn of_two_threads(dot: &str) -> (BTreeSet<String>, BTreeSet<(String, String)>) {
    let mut places = std::collections::BTreeMap::new();
    for line in dot.lines() {
        let Some((name, rest)) = line.trim().split_once(" [label=\"") else { continue };
        let label = rest.trim_end_matches("\"];");
        let of = |thread: &str| label.split("\\n").find(|part| part.starts_with(thread));
        if let (Some(one), Some(other)) = (of("T1 "), of("T2 ")) {
            places.insert(name.to_string(), format!("{one}, {other}"));
        }
    }
    let mut edges = BTreeSet::new();
    for line in dot.lines() {
        let Some((from, rest)) = line.trim().split_once(" -> ") else { continue };
        let to = rest.split(' ').next().unwrap_or_default();
        if let (Some(from), Some(to)) = (places.get(from), places.get(to))
            && from != to
        {
            edges.insert((from.clone(), to.clone()));
        }
    }
    (places.into_values().collect(), edges)
}

/// Figure 1 of the paper: the threads have three steps each; all orders but that of the two
/// reads make a difference to values, few of them to conditions.
#[test]
fn figure_1() {
    let file = "safe/figure1_schedule_insensitivity.c";
    let (places, edges) = of_two_threads(&dump(file, &["--transactions", "--insensitive"]));
    assert_eq!((places.len(), edges.len()), (16, 18), "{places:#?} {edges:#?}");
    let (places, edges) = of_two_threads(&dump(file, &["--transactions"]));
    // 24 steps of the whole grid, less one at the two reads.
    assert_eq!((places.len(), edges.len()), (16, 23), "{places:#?} {edges:#?}");
}

/// In a critical section nobody comes between who needs the same lock.
#[test]
fn sections_are_transactions() {
    let dot = dump("invariants/transfer.c", &["--transactions"]);
    assert!(dot.contains("digraph transactions"), "{dot}");
}

#[test]
fn a_picture_has_a_box_for_each_state() {
    let file = "safe/figure1_schedule_insensitivity.c";
    let svg = dump(file, &["--transactions=svg", "--insensitive"]);
    let states = svg.split(">").find_map(|part| part.split_once(" states")).map(|(n, _)| n);
    let states: usize = states.and_then(|n| n.parse().ok()).expect("a title");
    assert_eq!(svg.matches("rx=\"3\"").count(), states);
}
