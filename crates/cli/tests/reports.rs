//! What people see, as snapshots. `INSTA_UPDATE=always cargo test -p heddle-cli`
//! accepts new ones.

mod common;

use std::time::Duration;

/// `heddle` in the folder of the test programs.
fn run(args: &[&str]) -> common::Run {
    let mut command = common::command(args);
    command.current_dir(common::root().join("tests/programs"));
    common::run(&mut command, Duration::from_secs(30)).expect("ends")
}

/// Its standard output, if it has nothing else to say.
fn output(args: &[&str]) -> String {
    let run = run(args);
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
fn smallest_input() {
    report("smallest_input", "unsafe/nondet_threshold.c");
}

#[test]
fn inside_a_library_function() {
    let run = run(&["check", "unsafe/memcpy_overflow.c"]);
    insta::assert_snapshot!("library_function", run.stdout);
    // The compiler has seen it coming, and says so once.
    assert_eq!(run.stderr.matches("warning: 'memcpy' will always overflow").count(), 1);
}

#[test]
fn waiting_loop() {
    report("waiting_loop", "unsafe/deadlock_spin.c");
}

/// A run of many steps is shown with the turns of a loop folded, and whole with `--full`.
#[test]
fn long_runs_are_folded() {
    let folded = output(&["check", "unsafe/polls_often.c"]);
    insta::assert_snapshot!("folded", folded);
    let full = output(&["check", "--full", "unsafe/polls_often.c"]);
    assert!(full.lines().count() > 2 * folded.lines().count(), "{full}");
    assert!(!full.contains("--full"), "{full}");
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
    let last = |text: &str| text.lines().last().unwrap_or("").to_string();
    let line = |args: &[&str]| last(&output(args));
    insta::assert_snapshot!(
        "verdict_lines",
        [
            line(&["check", "safe/mutex_counter.c"]),
            line(&["check", "--engine", "lazy", "safe/nondet_bounded.c"]),
            line(&["check", "safe/endless_recursion.c"]),
            line(&["check", "--unwind", "3", "safe/endless_loop_bounded.c"]),
            line(&["check", "unsafe/lost_update.c"]),
            // With a warning.
            last(&run(&["check", "unsupported/unknown_function.c"]).stdout),
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

#[test]
fn cpp_deadlock() {
    report("cpp_deadlock", "unsafe/cpp_lock_order.cpp");
}

#[test]
fn cpp_data_race() {
    report_above_table("cpp_data_race", &["--check=race", "unsafe/cpp_race.cpp"]);
}

#[test]
fn cpp_leak() {
    report_above_table("cpp_leak", &["--check=leak", "unsafe/cpp_leak.cpp"]);
}

/// With more arguments.
fn report_with(name: &str, args: &[&str]) {
    let args: Vec<&str> = ["check"].into_iter().chain(args.iter().copied()).collect();
    insta::assert_snapshot!(name, output(&args));
}

/// What comes before the interleaving, which has steps of the C++ library: other
/// versions of it take others.
fn report_above_table(name: &str, args: &[&str]) {
    let args: Vec<&str> = ["check"].into_iter().chain(args.iter().copied()).collect();
    let text = output(&args);
    let (above, _) = text.split_once("the interleaving").expect("an interleaving");
    insta::assert_snapshot!(name, above);
}

#[test]
fn data_race() {
    report_with("data_race", &["--check=race", "unsafe/race_two_locks.c"]);
}

#[test]
fn data_race_of_a_store_that_waits() {
    report_with("data_race_tso", &["--check=race", "--mm=tso", "unsafe/race_store_buffering.c"]);
}

#[test]
fn data_race_on_the_heap() {
    report_with("data_race_heap", &["--check=race", "unsafe/race_free.c"]);
}

#[test]
fn data_race_on_the_stack() {
    report_with("data_race_stack", &["--check=race", "unsafe/race_copy.c"]);
}

#[test]
fn leak() {
    report_with("leak", &["--check=leak", "unsafe/leak_in_one_interleaving.c"]);
}

#[test]
fn overflow() {
    report_with("overflow", &["--check=overflow", "unsafe/overflow_in_one_interleaving.c"]);
}

/// What each kind of deadlock says of who waits for what.
#[test]
fn who_waits() {
    let programs = [
        "deadlock_beside_others",
        "deadlock_endless_thread",
        "deadlock_forgotten_unlock",
        "deadlock_self",
        "condition_lost_wakeup",
        "barrier_wrong_count",
        "semaphore_deadlock",
        "once_in_itself",
        "deadlock_exchange_loop",
    ];
    let part = |program: &&str| {
        let text = output(&["check", &format!("unsafe/{program}.c")]);
        let headline = text.lines().next().unwrap_or("").to_string();
        let sections: Vec<&str> = text.split("\n\n").collect();
        let waiting = sections.iter().rev().nth(2).unwrap_or(&"");
        format!("{headline}\n{waiting}\n")
    };
    insta::assert_snapshot!("who_waits", programs.iter().map(part).collect::<Vec<_>>().join("\n"));
}

fn json_violation(args: &[&str]) -> String {
    let args: Vec<&str> = ["check", "--format=json"].iter().chain(args).copied().collect();
    let value: serde_json::Value = serde_json::from_str(&output(&args)).unwrap();
    serde_json::to_string_pretty(&value["violation"]).unwrap()
}

#[test]
fn json_of_a_data_race() {
    let args = ["--check=race", "unsafe/race_two_locks.c"];
    insta::assert_snapshot!("json_data_race", json_violation(&args));
}

#[test]
fn json_of_a_deadlock() {
    insta::assert_snapshot!("json_deadlock", json_violation(&["unsafe/deadlock_two_locks.c"]));
}
