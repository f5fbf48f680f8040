//! Limits and signals: the search ends soon, says what it covered, and is `unknown`.
//!
//! Times are generous: what is looked at is that there is an end, and what is said then.

mod common;

use std::process::{Command, Stdio};
use std::time::Duration;

use common::{Run, finish, heddle};

const LIMIT: Duration = Duration::from_secs(120);
/// More interleavings than anybody can wait for.
const LONG: &str = "tests/programs/safe/own_variables_8.c";

fn last_line(run: &Run) -> &str {
    run.stdout.lines().last().unwrap_or("")
}

#[test]
fn a_time_out_is_unknown() {
    let run = heddle(&["check", "--algorithm=naive", "--timeout=1s", LONG], LIMIT).expect("ends");
    assert_eq!(run.code, Some(20), "{}", run.stderr);
    let line = last_line(&run);
    assert!(line.starts_with("verdict: unknown (timeout after 1 s; no violation in "), "{line}");
}

#[test]
fn a_time_out_in_json() {
    let args = ["check", "--algorithm=naive", "--timeout=3s", "--format=json", LONG];
    let run = heddle(&args, LIMIT).expect("ends");
    let value: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(value["verdict"], "unknown");
    assert!(value["reason"].as_str().unwrap().starts_with("timeout"), "{value}");
    assert!(value["stats"]["executions"].as_u64().unwrap() > 0, "{value}");
    assert!(value.get("trace").is_none() && value.get("violation").is_none());
}

/// A loop without end is deepened until the time is over; what was covered
/// before is said, whoever searched, but it is no bound that anybody asked for.
#[test]
fn what_was_covered_before_a_time_out_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("endless.c");
    let text = "#include <pthread.h>\n\
                unsigned x;\n\
                void *work(void *a) { for (;;) x++; return a; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); \
                pthread_join(t, 0); return 0; }\n";
    std::fs::write(&file, text).unwrap();
    let file = file.to_string_lossy();
    for engine in ["explore", "lazy", "both"] {
        let args = ["check", "--timeout=2s", "--engine", engine, &file];
        let run = heddle(&args, LIMIT).expect("ends");
        let line = last_line(&run);
        let start = "verdict: unknown (timeout after 2 s; no violation with unwind ";
        assert!(line.starts_with(start), "{engine}: {line}");
        assert_eq!(run.code, Some(20), "{engine}");
    }
    let run = heddle(&["check", "--unwind=3", "--strict", &file], LIMIT).expect("ends");
    assert_eq!(last_line(&run), "verdict: bounded (no violation with unwind 3)");
    assert_eq!(run.code, Some(20), "--strict");
}

#[test]
fn a_memory_limit_stops_the_search() {
    let args = ["check", "--algorithm=naive", "--memory-limit=1M", "--timeout=20s", LONG];
    let run = heddle(&args, LIMIT).expect("ends");
    assert_eq!(run.code, Some(20), "{}", run.stdout);
    let line = last_line(&run);
    assert!(line.starts_with("verdict: unknown (memory limit of 1.0 MiB reached; "), "{line}");
}

/// Writes a program and checks it; gives the last line and the exit code.
fn stop(text: &str, args: &[&str]) -> (String, Option<i32>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hard.c");
    std::fs::write(&file, text).unwrap();
    let file = file.to_string_lossy();
    let run = heddle(&[&["check"], args, &[&file]].concat(), LIMIT).expect("ends");
    assert_eq!(run.stderr, "", "{args:?}");
    (last_line(&run).to_string(), run.code)
}

/// No product of two smaller numbers: 2^62 - 57 is prime. That takes a solver long.
const PRIME: &str = "#include <assert.h>\n\
    extern unsigned __VERIFIER_nondet_uint(void);\n\
    int main(void) {\n\
    unsigned long a = __VERIFIER_nondet_uint(), b = __VERIFIER_nondet_uint();\n\
    assert(a < 2 || b < 2 || a * b != 4611686018427387847ul); return 0; }\n";

/// Formulas that grow large.
const GROWING: &str = "#include <assert.h>\n\
    #include <pthread.h>\n\
    unsigned x = 1, y = 1;\n\
    void *work(void *a) { for (;;) { x = x * y + 1; y = y * x + 3; } return a; }\n\
    int main(void) { pthread_t t, u; pthread_create(&t, 0, work, 0);\n\
    pthread_create(&u, 0, work, 0); assert(x != 0xdeadbeef);\n\
    pthread_join(t, 0); return 0; }\n";

#[test]
fn a_time_out_stops_the_solver() {
    let (line, code) = stop(PRIME, &["--engine=lazy", "--timeout=3s"]);
    assert!(line.starts_with("verdict: unknown (timeout after 3 s; no violation found"), "{line}");
    assert_eq!(code, Some(20));
}

#[test]
fn a_time_out_stops_the_encoding() {
    let bounds = ["--engine=lazy", "--timeout=3s", "--unwind=2000", "--rounds=2000"];
    let (line, _) = stop(GROWING, &bounds);
    assert!(line.starts_with("verdict: unknown (timeout after 3 s; "), "{line}");
}

#[test]
fn a_memory_limit_stops_the_encoding() {
    let args = ["--engine=lazy", "--memory-limit=200M", "--unwind=1000", "--rounds=1000"];
    let (line, code) = stop(GROWING, &args);
    assert!(line.starts_with("verdict: unknown (memory limit of 200.0 MiB reached; "), "{line}");
    assert_eq!(code, Some(20));
}

/// Names of threads end, and nobody notices in between that the time is over.
const CREATING: &str = "#include <pthread.h>\n\
    void *work(void *a) { return a; }\n\
    int main(void) { pthread_t t; while (1) pthread_create(&t, 0, work, 0); }\n";

const CREATING_WITH_ARRAYS: &str = "#include <pthread.h>\n\
    void *work(void *a) { int own[64]; own[3] = *(int *)a; return 0; }\n\
    int main(void) { while (1) { int b[10]; pthread_t t; b[0] = 1;\n\
    pthread_create(&t, 0, work, b); } }\n";

const ARRAYS: &str = "int sink;\n\
    int main(void) { for (unsigned i = 0;; i++) { int n = i % 7 + 1, v[n]; v[n - 1] = i;\n\
    sink += v[n - 1]; } }\n";

/// It may come to the end of the names before; but not go on for ever.
#[test]
fn limits_hold_for_programs_that_take_more_and_more() {
    let names = "verdict: unknown (unsupported: more than 65536 threads at ";
    for program in [CREATING, CREATING_WITH_ARRAYS, ARRAYS] {
        for (limit, reason) in [
            ("--timeout=3s", "timeout after 3 s; "),
            ("--memory-limit=300M", "memory limit of 300.0 MiB reached; "),
        ] {
            let (line, code) = stop(program, &[limit]);
            let reason = format!("verdict: unknown ({reason}");
            assert!(line.starts_with(&reason) || line.starts_with(names), "{line}");
            assert_eq!(code, Some(20));
        }
    }
}

#[test]
fn limits_hold_while_the_program_is_compiled() {
    let (line, code) = stop(CREATING, &["--timeout=1ms"]);
    let not_yet = "verdict: unknown (timeout after 0.001 s; the program was not compiled yet)";
    assert_eq!((line.as_str(), code), (not_yet, Some(20)));
}

#[test]
fn more_threads_than_there_are_names_for() {
    let text = CREATING.replace("while (1)", "for (int i = 0; i < 70000; i++)");
    let (line, code) = stop(&text, &["--algorithm=optimal", "--unwind=100000"]);
    let end = "verdict: unknown (unsupported: more than 65536 threads at ";
    assert!(line.starts_with(end), "{line}");
    assert_eq!(code, Some(20));
}

#[test]
fn the_bound_on_steps_can_be_set() {
    let text = "#include <assert.h>\n\
        int main(void) { unsigned n = 0; while (n < 20000) n++; assert(n != 20000); }\n";
    for algorithm in ["optimal", "stateful"] {
        let algorithm = format!("--algorithm={algorithm}");
        let (line, code) = stop(text, &[&algorithm, "--max-steps=1000"]);
        let cut = "verdict: bounded (no violation with 1000 steps between visible ones)";
        assert_eq!((line.as_str(), code), (cut, Some(0)));
        let (line, code) = stop(text, &[&algorithm, "--max-steps=1000000"]);
        assert!(line.starts_with("verdict: unsafe (assertion at "), "{line}");
        assert_eq!(code, Some(10));
    }
}

#[test]
fn ctrl_c_stops_the_solver() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hard.c");
    std::fs::write(&file, PRIME).unwrap();
    let file = file.to_string_lossy();
    let run = interrupt_after(&["check", "--engine=lazy", &file], Duration::from_secs(2));
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    assert!(last_line(&run).starts_with("verdict: unknown (interrupted; "), "{}", last_line(&run));
}

/// Starts Heddle and sends Ctrl-C, which must end it soon.
fn interrupt_after(args: &[&str], time: Duration) -> Run {
    signal_after(args, time, "-INT")
}

fn signal_after(args: &[&str], time: Duration, signal: &str) -> Run {
    let child = common::command(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    std::thread::sleep(time);
    let pid = child.id().to_string();
    let sent = Command::new("kill").args([signal, &pid]).status().expect("kill runs");
    assert!(sent.success());
    finish(child, LIMIT).expect("ends after a signal")
}

#[test]
fn other_signals_are_like_ctrl_c() {
    let args = ["check", "--algorithm=naive", LONG];
    let run = signal_after(&args, Duration::from_secs(2), "-TERM");
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    assert!(last_line(&run).starts_with("verdict: unknown (interrupted; "), "{}", last_line(&run));
}

#[test]
fn ctrl_c_says_what_was_covered() {
    let args = ["check", "--algorithm=naive", LONG];
    let run = interrupt_after(&args, Duration::from_secs(2));
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    let line = last_line(&run);
    assert!(line.starts_with("verdict: unknown (interrupted; "), "{line}");
}

#[test]
fn nothing_is_drawn_where_no_terminal_is() {
    let run = heddle(&["check", "--algorithm=naive", "--timeout=2s", LONG], LIMIT).expect("ends");
    assert_eq!(run.stderr, "");
    assert!(!run.stdout.contains('\u{1b}'));
}
