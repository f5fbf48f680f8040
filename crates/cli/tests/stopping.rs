//! Time-outs, limits and Ctrl-C: the search ends soon and says what it covered.

mod common;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use common::{Run, finish, heddle};

const LIMIT: Duration = Duration::from_secs(30);
/// More interleavings than anybody can wait for.
const LONG: &str = "tests/programs/safe/own_variables_8.c";

fn last_line(run: &Run) -> &str {
    run.stdout.lines().last().unwrap_or("")
}

#[test]
fn a_time_out_is_unknown() {
    let started = Instant::now();
    let run = heddle(&["check", "--algorithm=naive", "--timeout=1s", LONG], LIMIT).expect("ends");
    assert!(started.elapsed() < Duration::from_secs(10));
    assert_eq!(run.code, Some(20), "{}", run.stderr);
    let line = last_line(&run);
    assert!(line.starts_with("verdict: unknown (timeout after 1 s, no violation in "), "{line}");
}

#[test]
fn a_time_out_in_json() {
    let args = ["check", "--algorithm=naive", "--timeout=500ms", "--format=json", LONG];
    let run = heddle(&args, LIMIT).expect("ends");
    let value: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(value["verdict"], "unknown");
    assert!(value["reason"].as_str().unwrap().starts_with("timeout"), "{value}");
    assert!(value["stats"]["executions"].as_u64().unwrap() > 0, "{value}");
    assert!(value.get("trace").is_none() && value.get("violation").is_none());
}

/// A loop without end is deepened until the time is over; what was covered
/// before counts.
#[test]
fn what_was_covered_before_a_time_out_counts() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("endless.c");
    let text = "#include <pthread.h>\n\
                unsigned x;\n\
                void *work(void *a) { for (;;) x++; return a; }\n\
                int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); \
                pthread_join(t, 0); return 0; }\n";
    std::fs::write(&file, text).unwrap();
    let file = file.to_string_lossy();
    let run = heddle(&["check", "--timeout=2s", &file], LIMIT).expect("ends");
    let line = last_line(&run);
    assert!(line.starts_with("verdict: bounded (no violation with unwind "), "{line}");
    assert_eq!(run.code, Some(0));
    let run = heddle(&["check", "--unwind=3", "--strict", &file], LIMIT).expect("ends");
    assert_eq!(last_line(&run), "verdict: bounded (no violation with unwind 3)");
    assert_eq!(run.code, Some(20), "--strict");
}

#[test]
fn a_memory_limit_stops_the_search() {
    let args = ["check", "--algorithm=naive", "--memory-limit=1M", "--timeout=20s", LONG];
    let run = heddle(&args, LIMIT).expect("ends");
    assert_eq!(run.code, Some(20), "{}", run.stdout);
    assert!(last_line(&run).contains("memory limit"), "{}", last_line(&run));
}

/// Writes a program that `lazy` is stopped on, and checks it. Compiling takes part of
/// the time, so the clock is the engine's own.
fn stop_lazy(text: &str, args: &[&str]) -> (String, f64) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hard.c");
    std::fs::write(&file, text).unwrap();
    let file = file.to_string_lossy();
    let all = [&["check", "--engine=lazy", "--format=json"], args, &[&file]].concat();
    let run = heddle(&all, LIMIT).expect("ends");
    let value: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
    let seconds = value["stats"]["seconds"].as_f64().expect("a time");
    let run = heddle(&[&all[..2], args, &[&file]].concat(), LIMIT).expect("ends");
    (last_line(&run).to_string(), seconds)
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
    let (line, seconds) = stop_lazy(PRIME, &["--timeout=1s"]);
    assert!(line.starts_with("verdict: unknown (timeout after 1 s, "), "{line}");
    assert!(seconds < 3.0, "{seconds} s");
}

#[test]
fn bounds_that_the_formulas_covered_count() {
    let (line, seconds) = stop_lazy(GROWING, &["--timeout=3s"]);
    assert!(line.starts_with("verdict: bounded (no violation with unwind "), "{line}");
    assert!(seconds < 5.0, "{seconds} s");
}

#[test]
fn a_time_out_stops_the_encoding() {
    let (line, seconds) = stop_lazy(GROWING, &["--timeout=1s", "--unwind=2000", "--rounds=2000"]);
    assert!(line.starts_with("verdict: unknown (timeout after 1 s, "), "{line}");
    assert!(seconds < 3.0, "{seconds} s");
}

#[test]
fn a_memory_limit_stops_the_encoding_and_the_solver() {
    let large = ["--memory-limit=200M", "--unwind=1000", "--rounds=1000"];
    let (line, _) = stop_lazy(GROWING, &large);
    assert_eq!(line, unknown("memory limit reached", 1000, 1000));
    let (line, _) = stop_lazy(PRIME, &["--memory-limit=1M"]);
    assert_eq!(line, unknown("memory limit reached", 1, 2));
}

fn unknown(why: &str, unwind: u32, rounds: u32) -> String {
    format!(
        "verdict: unknown ({why}, no violation found before unwind {unwind}, rounds {rounds} was \
         decided)"
    )
}

/// What the solver has learnt does not fit, though the formula does.
#[test]
fn a_memory_limit_stops_the_solver() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hard.c");
    std::fs::write(&file, GROWING).unwrap();
    let file = file.to_string_lossy();
    let bounds = ["check", "--engine=lazy", "--format=json", "--unwind=4", "--rounds=4"];
    let stats = |limits: &[&str]| {
        let run = heddle(&[&bounds, limits, &[&file]].concat(), LIMIT).expect("ends");
        let value: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!(value["verdict"], "unknown", "{value}");
        value
    };
    // A little less than what it takes when it is given time.
    let peak = stats(&["--timeout=8s"])["stats"]["peak_bytes"].as_u64().expect("a size");
    let limit = peak - peak / 20;
    let value = stats(&[&format!("--memory-limit={}K", limit >> 10), "--timeout=25s"]);
    let reason = value["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("memory limit reached, no violation found before"), "{value}");
    assert!(value["stats"]["conflicts"].as_u64().expect("a number") > 0, "{value}");
    let over = value["stats"]["peak_bytes"].as_u64().expect("a size");
    assert!(over <= peak, "{over} bytes, {peak} without limit");
}

#[test]
fn a_memory_limit_keeps_what_was_covered() {
    let (line, _) = stop_lazy(GROWING, &["--memory-limit=110M", "--timeout=25s"]);
    assert!(line.starts_with("verdict: bounded (no violation with unwind "), "{line}");
    assert!(line.ends_with("; memory limit reached)"), "{line}");
}

#[test]
fn ctrl_c_stops_the_solver() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hard.c");
    std::fs::write(&file, PRIME).unwrap();
    let file = file.to_string_lossy();
    let run = interrupt_after(&["check", "--engine=lazy", &file], Duration::from_secs(2));
    assert_eq!(run.code, Some(20), "{}", run.stderr);
    assert_eq!(last_line(&run), unknown("interrupted", 1, 1));
}

/// Starts Heddle and sends Ctrl-C, which must end it soon. The time must be long
/// enough for the compiler to be done.
fn interrupt_after(args: &[&str], time: Duration) -> Run {
    let child = common::command(args)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    std::thread::sleep(time);
    let pid = child.id().to_string();
    let sent = Command::new("kill").args(["-INT", &pid]).status().expect("kill runs");
    assert!(sent.success());
    finish(child, Duration::from_secs(10)).expect("ends after Ctrl-C")
}

#[test]
fn ctrl_c_says_what_was_covered() {
    let args = ["check", "--algorithm=naive", LONG];
    let run = interrupt_after(&args, Duration::from_secs(2));
    assert_eq!(run.code, Some(20), "{}", run.stderr);
    let line = last_line(&run);
    assert!(line.starts_with("verdict: unknown (interrupted, no violation in "), "{line}");
}

#[test]
fn nothing_is_drawn_where_no_terminal_is() {
    let run = heddle(&["check", "--algorithm=naive", "--timeout=2s", LONG], LIMIT).expect("ends");
    assert_eq!(run.stderr, "");
    assert!(!run.stdout.contains('\u{1b}'));
}
