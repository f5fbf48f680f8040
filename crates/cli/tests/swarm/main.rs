//! `heddle swarm`, from the outside.

mod clock;
#[path = "../common/mod.rs"]
mod common;
mod disk;
mod kills;
mod slurm;

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use common::{heddle, root};
use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(120);

/// Two threads with a few steps each: many selections, none of them hard.
const COUNTERS: &str = "
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
atomic_int a, b;
static void *first(void *arg) { a++; a++; a++; a++; a++; a++; b++; b++; return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, first, 0);
    b++; b++; b++; b++; a++; a++; a++; a++;
    pthread_join(t, 0);
    assert(a == 10 && b == 6);
    return 0;
}
";

/// A folder with that program.
pub fn counters() -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("counters.c");
    std::fs::write(&program, COUNTERS).expect("written");
    (folder, program.to_string_lossy().into_owned())
}

/// Names of instances that a journal has answers to. None is there twice.
pub fn answered(folder: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(folder.join("journal.jsonl")).expect("a journal");
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut seen = BTreeSet::new();
    for id in lines.filter_map(|line| Some(line.get("done")?.get("id")?.as_str()?.to_string())) {
        assert!(seen.insert(id.clone()), "{id} was answered twice");
    }
    seen
}

fn verdict(args: &[&str]) -> (String, i32) {
    let run = heddle(args, LIMIT).expect("in time");
    let last = run.stdout.lines().last().unwrap_or_default().to_string();
    assert!(!last.is_empty(), "{args:?}: {}", run.stderr);
    (last, run.code.expect("no signal"))
}

#[test]
fn finds_what_check_finds() {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("trace.json");
    let trace = trace.to_string_lossy();
    let run = heddle(&["swarm", "examples/bank.c", "--trace", &trace], LIMIT).expect("in time");
    assert_eq!(run.code, Some(10));
    let check = heddle(&["check", "--engine", "lazy", "examples/bank.c"], LIMIT).expect("in time");
    // Who looks for the fewest switches finds the same.
    let place = |text: &str| text.lines().nth(1).map(str::to_string);
    assert_eq!(place(&run.stdout), place(&check.stdout));
    let last = "verdict: unsafe (assertion at examples/bank.c:37)";
    assert_eq!(run.stdout.lines().last(), Some(last));
    let replayed = heddle(&["replay", &trace], LIMIT).expect("in time");
    assert_eq!(replayed.stdout.lines().last(), Some(last));
}

#[test]
fn verdicts_name_what_was_covered() {
    let (_folder, program) = counters();
    let fixed = "examples/bank_fixed.c".to_string();
    let safe = ("verdict: safe (no violation in any interleaving;", 0);
    for (program, flags, (begins, code)) in [
        (&fixed, "", safe),
        (&fixed, "--tiles 99 --rounds 99", safe),
        (
            &fixed,
            "--tiles 1 --tile-size 1 --rounds 99",
            ("verdict: bounded (no violation with 1 preemption)", 0),
        ),
        (
            &program,
            "--tiles 2 --tile-size 1 --instances 5",
            ("verdict: unknown (no violation found with unwind 1, rounds 2: 5 of ", 20),
        ),
        (&program, "--tiles 1 --tiling region", ("verdict: bounded (no violation with rou", 0)),
    ] {
        let flags = flags.split_whitespace();
        let args: Vec<&str> =
            ["swarm", program.as_str()].into_iter().chain(flags.clone()).collect();
        let (line, found) = verdict(&args);
        assert!(line.starts_with(begins), "{flags:?}: {line}");
        assert_eq!(found, code, "{flags:?}");
    }
}

/// The explorer cuts no loops, so that all selections of all tiles are a proof.
#[test]
fn the_explorer_decides_instances() {
    let (_folder, program) = counters();
    let fixed = "examples/bank_fixed.c".to_string();
    let unsafe_ = ("verdict: unsafe (assertion at examples/bank.c:37)", 10);
    for (program, flags, (begins, code)) in [
        (&"examples/bank.c".to_string(), "", unsafe_),
        (&fixed, "--tiles 99", ("verdict: safe (no violation in any interleaving", 0)),
        (&fixed, "--tiles 1", ("verdict: bounded (no violation with 1 preemption)", 0)),
        (&program, "--tiles 1", ("verdict: bounded (no violation with 1 preemption)", 0)),
        (
            &program,
            "--tile-size 1 --instances 5",
            ("verdict: unknown (no violation found with any number of turns: 5 of ", 20),
        ),
    ] {
        let flags = flags.split_whitespace();
        let args = ["swarm", program.as_str(), "--engine", "stateful"].into_iter();
        let (line, found) = verdict(&args.chain(flags.clone()).collect::<Vec<_>>());
        assert!(line.starts_with(begins), "{flags:?}: {line}");
        assert_eq!(found, code, "{flags:?}");
    }
    let args = ["swarm", &program, "--engine", "stateful", "--unwind", "2"];
    let run = heddle(&args, LIMIT).expect("in time");
    assert!(run.stderr.contains("--unwind does not go with"), "{}", run.stderr);
}

#[test]
fn json_has_the_coverage() {
    let (_folder, program) = counters();
    let args = ["swarm", &program, "--tiles", "1", "--instances", "3", "--format", "json"];
    let run = heddle(&args, LIMIT).expect("in time");
    let value: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(value["engine"], "swarm");
    assert_eq!(value["verdict"], "unknown");
    assert_eq!(value["stats"]["selections"]["answered"], 3);
    assert_eq!(value["stats"]["instances"], 3);
}

#[test]
fn folders_are_gone_on_with_or_refused() {
    let (folder, program) = counters();
    let kept = folder.path().join("kept");
    let kept = kept.to_string_lossy();
    let begin = ["swarm", &program, "--tiles", "2", "--instances", "4", "--dir", &kept];
    assert!(verdict(&begin).0.contains("4 of "));
    assert!(verdict(&begin).0.contains("4 of "), "nothing is asked again");
    assert_eq!(answered(Path::new(&*kept)).len(), 4);
    assert!(verdict(&["swarm", "--resume", &kept]).0.contains("4 of "));
    let other = ["swarm", &program, "--tiles", "3", "--instances", "4", "--dir", &kept];
    let run = heddle(&other, LIMIT).expect("in time");
    assert!(run.stderr.contains("--tiles 2, not 3"), "{}", run.stderr);
    assert_eq!(run.code, Some(2));
    std::fs::write(&program, COUNTERS.replace("a == 10", "a <= 10")).expect("written");
    let run = heddle(&["swarm", "--resume", &kept], LIMIT).expect("in time");
    assert!(run.stderr.contains("has changed"), "{}", run.stderr);
    let run = heddle(&begin, LIMIT).expect("in time");
    assert!(run.stderr.contains("another program"), "{}", run.stderr);
    let run = heddle(&["swarm", "--resume", "/nowhere"], LIMIT).expect("in time");
    assert_eq!(run.code, Some(2), "{}", run.stderr);
}

#[test]
fn a_report_is_drawn() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = folder.path().join("kept");
    let kept = kept.to_string_lossy();
    let bank = ["swarm", "examples/bank.c", "--tiles", "2", "--keep-going", "--dir", &kept];
    assert_eq!(verdict(&bank).1, 10);
    let run = heddle(&["swarm", "report", &kept], LIMIT).expect("in time");
    assert!(run.stdout.contains("with a violation"), "{}", run.stdout);
    assert!(run.stdout.contains("  1  ") && run.stdout.contains("0.95 with"), "{}", run.stdout);
    let svg = std::fs::read_to_string(Path::new(&*kept).join("plot.svg")).expect("a plot");
    assert!(svg.contains("<polyline") && svg.ends_with("</svg>\n"));
}

/// 10,000 in a minute are 167 in a second.
#[test]
fn instances_that_are_nothing_take_no_time() {
    let (_folder, program) = counters();
    let begun = Instant::now();
    let flags = ["swarm", &program, "--tiles", "2", "--tile-size", "1", "--instances", "500"];
    let (line, _) = verdict(&flags);
    assert!(line.contains(" 500 of "), "{line}");
    // Several tests run at a time.
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
}

/// Another tool: heddle itself, as one that reads C.
#[test]
fn another_tool_decides() {
    let (_folder, program) = counters();
    let me = env!("CARGO_BIN_EXE_heddle");
    let backend = format!("{me} check {{file}} --timeout 20");
    let args = ["swarm", &program, "--backend", &backend, "--tiles", "1", "--instances", "2"];
    let (line, _) = verdict(&args);
    assert!(line.contains("2 of "), "{line}");
    let bank = ["swarm", "examples/bank.c", "--backend", &backend, "--tiles", "2"];
    assert_eq!(verdict(&bank).0, "verdict: unsafe (assertion at examples/bank.c:37)");
    let run = heddle(&["swarm", &program, "--backend", "cbmc"], LIMIT).expect("in time");
    assert!(run.stderr.contains("{file} is missing"), "{}", run.stderr);
    let none = ["swarm", &program, "--backend", "no-such-tool {file}"];
    assert!(verdict(&none).0.starts_with("verdict: unknown (no-such-tool"));
    assert!(root().exists());
}
