//! Programs whose loops do not end: what invariants prove of them, and that their broken twins
//! are found.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Those that invariants do not show to be free of deadlocks, or at all; others say why.
const OPEN: &[(&str, &str)] = &[
    ("counter_atomic.c", "a turn in which the exchange fails changes nothing"),
    ("references_atomic.c", "a turn in which the exchange fails changes nothing"),
    ("counter_cxx.cpp", "how std::thread keeps what it starts with"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/invariants")
}

fn programs() -> Vec<PathBuf> {
    let all = std::fs::read_dir(folder()).expect("the folder is there");
    let mut all: Vec<PathBuf> = all.map(|entry| entry.expect("readable").path()).collect();
    all.sort();
    all
}

/// The last line that is printed.
fn check(arguments: &[&str], program: &Path, flags: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.arg("check").args(arguments).arg(program).arg("--").args(flags);
    let output = command.output().expect("heddle runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().last().unwrap_or_default().to_string()
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[test]
fn endless_programs_are_proven() {
    let programs = programs();
    assert!(programs.len() >= 20);
    for program in &programs {
        let said = check(&["--engine", "invariants"], program, &[]);
        let open = OPEN.iter().any(|(open, _)| *open == name(program));
        let word = if open { "verdict: unknown" } else { "verdict: safe" };
        assert!(said.starts_with(word), "{}: {said}", name(program));
    }
    assert!(programs.len() - OPEN.len() >= 15);
}

#[test]
fn broken_twins_are_not_proven_and_found() {
    for program in programs() {
        let broken = &["-DBROKEN"];
        let said = check(&["--engine", "invariants"], &program, broken);
        assert!(said.starts_with("verdict: unknown"), "{}: {said}", name(&program));
        let said = check(&["--timeout", "30"], &program, broken);
        assert!(said.starts_with("verdict: unsafe"), "{}: {said}", name(&program));
    }
}

#[test]
fn a_proof_can_be_explained() {
    let program = folder().join("counter_lock.c");
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.args(["check", "--engine", "invariants", "--explain"]).arg(program);
    let output = command.output().expect("heddle runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("lock is held by the thread that unlocks it"), "{text}");
    assert!(text.contains("no thread waits for ever"), "{text}");
}

#[test]
fn invariants_stand_in_the_margin() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heddle"));
    command.args(["dump", "--invariants"]).arg(folder().join("equal_pair.c"));
    let output = command.output().expect("heddle runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("left == right"), "{text}");
}

/// Programs with a violation, as they stand, are not called safe.
#[test]
fn what_fails_is_not_proven() {
    let unsafe_ones = folder().join("../unsafe");
    let all = std::fs::read_dir(unsafe_ones).expect("the folder is there");
    for program in all.map(|entry| entry.expect("readable").path()) {
        let text = std::fs::read_to_string(&program).expect("readable");
        // Those that need flags to fail.
        if ["//@ variant", "//@ args", "//@ cflags"].iter().any(|mark| text.contains(mark)) {
            continue;
        }
        let said = check(&["--engine", "invariants", "--timeout", "5"], &program, &[]);
        assert!(!said.starts_with("verdict: safe"), "{}: {said}", name(&program));
    }
}
