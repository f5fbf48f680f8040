//! What people see, as snapshots. `INSTA_UPDATE=always cargo test -p heddle-cli`
//! accepts new ones.

mod common;

use std::time::Duration;

/// Standard output of `heddle` in the folder of the test programs.
fn output(args: &[&str]) -> String {
    let mut command = common::command(args);
    command.current_dir(common::root().join("tests/programs"));
    let run = common::run(&mut command, Duration::from_secs(30)).expect("ends");
    assert_eq!(run.stderr, "", "{args:?}");
    run.stdout
}

fn report(name: &str, program: &str) {
    insta::assert_snapshot!(name, output(&["check", program]));
}

#[test]
fn lost_update() {
    report("lost_update", "unsafe/lost_update.c");
}

#[test]
fn deadlock() {
    report("deadlock", "unsafe/deadlock_two_locks.c");
}

#[test]
fn heap_objects() {
    report("heap_objects", "unsafe/treiber_pop_freed.c");
}

#[test]
fn bit_fields() {
    report("bit_fields", "unsafe/bitfield_race.c");
}

#[test]
fn call_stack() {
    report("call_stack", "unsafe/deep_in_calls.c");
}

#[test]
fn input() {
    report("input", "unsafe/nondet_negative.c");
}

#[test]
fn inside_a_library_function() {
    report("library_function", "unsafe/memcpy_overflow.c");
}

#[test]
fn waiting_loop() {
    report("waiting_loop", "unsafe/deadlock_spin.c");
}

#[test]
fn long_names_wrap() {
    report("long_names", "unsafe/long_names.c");
}

#[test]
fn many_threads() {
    report("many_threads", "unsafe/crowd.c");
}

#[test]
fn values_by_type() {
    report("values", "unsafe/kinds_of_values.c");
}

#[test]
fn verdict_lines() {
    let line = |args: &[&str]| output(args).lines().last().unwrap_or("").to_string();
    insta::assert_snapshot!(
        "verdict_lines",
        [
            line(&["check", "safe/mutex_counter.c"]),
            line(&["check", "safe/nondet_bounded.c"]),
            line(&["check", "safe/endless_recursion.c"]),
            line(&["check", "--unwind", "3", "safe/endless_loop_bounded.c"]),
            line(&["check", "unsafe/lost_update.c"]),
            line(&["check", "unsupported/unknown_function.c"]),
        ]
        .join("\n")
    );
}

/// The README shows what really happens.
#[test]
fn readme() {
    let readme = std::fs::read_to_string(common::root().join("README.md")).expect("readable");
    for program in ["examples/bank.c", "examples/bank_fixed.c"] {
        let command = format!("    $ bin/heddle check {program}\n\n");
        let (_, after) = readme.split_once(&command).expect("the command is there");
        let run = common::heddle(&["check", program], Duration::from_secs(30)).expect("ends");
        let indent = |line: &str| format!("    {line}").trim_end().to_string() + "\n";
        let expected: String = run.stdout.lines().map(indent).collect();
        assert!(after.starts_with(&expected), "{program} now prints\n{expected}");
    }
}

#[test]
fn json() {
    let mut value: serde_json::Value =
        serde_json::from_str(&output(&["check", "--format=json", "unsafe/lost_update.c"])).unwrap();
    // The only parts that differ from run to run.
    value["stats"]["seconds"] = 0.into();
    value["stats"]["peak_bytes"] = 0.into();
    insta::assert_snapshot!("json", serde_json::to_string_pretty(&value).unwrap());
}

#[test]
fn cpp_threads() {
    report("cpp_threads", "unsafe/cpp_missing_lock.cpp");
}

#[test]
fn cpp_terminate() {
    report("cpp_terminate", "unsafe/cpp_joinable_destroyed.cpp");
}
