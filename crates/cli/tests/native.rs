//! Native programs: replays fail every time, programs under proven constraints never.
//!
//! The tests that are left out by default take minutes; run them with
//!
//!     cargo test --release -p heddle-cli --test native -- --ignored --nocapture

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use common::{heddle, root, run};

const LIMIT: Duration = Duration::from_secs(120);

/// Programs with a bug that some schedules avoid, each of another kind.
const TAMED: &[&str] = &[
    "tests/native/figure_one.c",
    "tests/native/aba_stack.c",
    "tests/native/publication.c",
    "tests/native/use_after_free.c",
    "tests/programs/unsafe/account.c",
    "tests/programs/unsafe/bluetooth.c",
    "tests/programs/unsafe/broken_peterson.c",
    "tests/programs/unsafe/check_then_act.c",
    "tests/programs/unsafe/condition_lost_wakeup.c",
    "tests/programs/unsafe/deadlock_two_locks.c",
    "tests/programs/unsafe/lazy_init.c",
    "tests/programs/unsafe/lost_update.c",
    "tests/programs/unsafe/wrong_lock.c",
];

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a folder"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }
}

/// Finds a violation and repeats it natively; tells how many of the runs failed as found.
fn replay(folder: &Folder, program: &str, runs: u32) -> Result<u64, String> {
    let trace = folder.text("trace.json");
    heddle(&["check", "--trace", &trace, program], LIMIT).ok_or("the check takes too long")?;
    if !Path::new(&trace).exists() {
        return Err("no violation under sc".to_string());
    }
    let runs = runs.to_string();
    let args = ["replay", &trace, program, "--native", "--format=json", "--runs", &runs];
    let run = heddle(&args, LIMIT * 10).ok_or("the replay takes too long")?;
    let _ = std::fs::remove_file(&trace);
    let value: serde_json::Value =
        serde_json::from_str(&run.stdout).map_err(|_| run.stderr.trim().to_string())?;
    value["failed"].as_u64().ok_or_else(|| run.stdout.clone())
}

#[test]
fn replays_fail_every_time() {
    let folder = Folder::new();
    for program in ["lost_update.c", "condition_if.c", "nondet_rare.c", "cpp_missing_lock.cpp"] {
        let program = format!("tests/programs/unsafe/{program}");
        assert_eq!(replay(&folder, &program, 20), Ok(20), "{program}");
    }
}

/// Programs of the folder whose violation is an assertion, under sc too.
fn failing_assertions() -> Vec<String> {
    let folder = root().join("tests/programs/unsafe");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let marked = |line: &str| {
            let (_, mark) = line.split_once("//~ VIOLATION")?;
            let (models, kind) = mark.split_once(':')?;
            let sc = models.is_empty() || models.contains("sc");
            Some(sc && kind.trim().starts_with("assertion"))
        };
        let special = ["//@ args:", "//@ cflags:", "//@ unwind:"];
        if text.lines().any(|line| marked(line) == Some(true))
            && !special.iter().any(|flag| text.contains(flag))
        {
            let short = path.strip_prefix(root()).expect("inside").to_string_lossy().into_owned();
            found.push(short);
        }
    }
    found.sort();
    found
}

#[test]
#[ignore = "takes minutes"]
fn all_replays_fail_a_thousand_times() {
    let folder = Folder::new();
    let mut bad = Vec::new();
    for program in failing_assertions() {
        let result = replay(&folder, &program, 1000);
        println!("{program}: {result:?}");
        if result != Ok(1000) {
            bad.push((program, result));
        }
    }
    assert!(bad.is_empty(), "{bad:?}");
}

/// Proves and builds; tells the executable and the schedule.
fn tame(folder: &Folder, program: &str) -> (PathBuf, PathBuf) {
    let (executable, schedule) = (folder.path("program"), folder.path("program.sched"));
    let args = ["prove", program, "--timeout=20s", "-o", &folder.text("program.sched")];
    let run = heddle(&args, LIMIT).expect("ends");
    assert!(run.stdout.contains("verdict: safe (under "), "{program}: {}", run.stdout);
    let run = heddle(&["build", program, "-o", &folder.text("program")], LIMIT).expect("ends");
    assert_eq!(run.code, Some(0), "{program}: {}", run.stderr);
    (executable, schedule)
}

/// Runs the program under its schedule with delays of all kinds; the first failure.
fn stress(executable: &Path, schedule: &Path, runs: u32, one_core: bool) -> Option<String> {
    for seed in 0..runs {
        let mut command = match one_core {
            true => {
                let mut command = Command::new("taskset");
                command.args(["-c", "0"]).arg(executable);
                command
            }
            false => Command::new(executable),
        };
        command.env("HEDDLE_SCHEDULE", schedule);
        if seed % 2 == 1 {
            command.env("HEDDLE_TEST_DELAY", format!("{seed}:{}:{}", seed * 37 % 900, seed % 60));
        }
        let result = run(&mut command, Duration::from_secs(20));
        match result {
            None => return Some(format!("run {seed} does not end")),
            Some(run) if run.code != Some(0) => {
                return Some(format!("run {seed}: {:?} {}", run.code, run.stderr));
            }
            Some(_) => {}
        }
    }
    None
}

#[test]
fn tamed_programs_do_not_fail() {
    for program in [TAMED[0], TAMED[1], "tests/programs/unsafe/lazy_init.c"] {
        let folder = Folder::new();
        let (executable, schedule) = tame(&folder, program);
        assert_eq!(stress(&executable, &schedule, 40, false), None, "{program}");
    }
}

/// As many runs as `HEDDLE_STRESS_RUNS` says, of each program.
#[test]
#[ignore = "takes long"]
fn tamed_programs_do_not_fail_under_stress() {
    let runs = std::env::var("HEDDLE_STRESS_RUNS").ok().and_then(|n| n.parse().ok());
    let runs: u32 = runs.unwrap_or(1000);
    for program in TAMED {
        let folder = Folder::new();
        let began = Instant::now();
        let (executable, schedule) = tame(&folder, program);
        for one_core in [false, true] {
            let failure = stress(&executable, &schedule, runs / 2, one_core);
            assert_eq!(failure, None, "{program}, one core: {one_core}");
        }
        println!("{program}: {runs} runs, none failed, {:?}", began.elapsed());
    }
}

#[test]
fn nothing_to_prove_where_everything_fails() {
    let run = heddle(&["prove", "tests/native/always_fails.c"], LIMIT).expect("ends");
    assert_eq!(run.code, Some(10), "{}", run.stderr);
    let line = run.stdout.lines().last().unwrap_or("");
    assert!(line.starts_with("verdict: unsafe (assertion at "), "{line}");
    assert!(line.ends_with("every execution fails)"), "{line}");
}

#[test]
fn a_run_relaxes_and_ends_as_the_program() {
    let args = ["run", "tests/native/figure_one.c", "--stats"];
    let run = heddle(&args, LIMIT).expect("ends");
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.stderr.contains("constraints left"), "{}", run.stderr);
}

/// The schedule was proven for three rounds, the program makes more.
#[test]
fn leaving_the_proven_schedules_is_noticed() {
    let folder = Folder::new();
    let (executable, schedule) = (folder.path("program"), folder.path("program.sched"));
    let program = "tests/native/shape.c";
    heddle(&["prove", program, "-o", &folder.text("program.sched")], LIMIT).expect("ends");
    heddle(&["build", program, "-o", &folder.text("program")], LIMIT).expect("ends");
    let start = |action: &str| {
        let mut command = Command::new(&executable);
        command.arg("other").env("HEDDLE_SCHEDULE", &schedule).env("HEDDLE_ON_LEAVE", action);
        run(&mut command, LIMIT).expect("ends")
    };
    let stopped = start("stop");
    assert_eq!(stopped.code, Some(98), "{}", stopped.stderr);
    assert!(stopped.stderr.contains("has left the proven schedules"), "{}", stopped.stderr);
    // Whether it fails then is a matter of luck.
    let goes_on = start("continue");
    assert!(goes_on.stderr.contains("going on without constraints"), "{}", goes_on.stderr);
}

#[test]
fn schedules_of_others_are_refused() {
    let folder = Folder::new();
    let (executable, schedule) = tame(&folder, "tests/programs/unsafe/lost_update.c");
    let refused = |text: &str| {
        let mut command = Command::new(&executable);
        let run = run(command.env("HEDDLE_SCHEDULE", &schedule), LIMIT).expect("ends");
        assert_eq!(run.code, Some(97), "{}", run.stderr);
        assert!(run.stderr.contains(text), "{}", run.stderr);
    };
    let whole = std::fs::read(&schedule).unwrap();
    std::fs::write(&schedule, &whole[..whole.len() - 8]).unwrap();
    refused("cut off");
    let mut damaged = whole.clone();
    *damaged.last_mut().unwrap() ^= 1;
    std::fs::write(&schedule, &damaged).unwrap();
    refused("damaged");
    std::fs::write(&schedule, b"something else entirely").unwrap();
    refused("not a schedule");
    let args = ["prove", "tests/native/figure_one.c", "-o", &folder.text("program.sched")];
    heddle(&args, LIMIT).expect("ends");
    refused("another program");
}

/// A program that runs for a while gets ten schedules, each weaker than the one before,
/// and none of its threads misses one.
#[test]
fn a_running_program_takes_up_new_schedules() {
    use heddle_irs::{Step, Subject, schedule, starts};
    let program = "tests/native/updates.c";
    let folder = Folder::new();
    heddle(&["build", program, "-o", &folder.text("program")], LIMIT).expect("ends");
    let options =
        heddle_frontend::Options { inputs: vec![root().join(program)], ..Default::default() };
    let compiled = heddle_frontend::compile(&options).expect("it compiles");
    let subject = Subject::new(&compiled, compiled.find_function("main").expect("main"));
    let found = starts(&subject, &Default::default(), 4).expect("safe traces");
    let start = found.iter().max_by_key(|start| start.run.edges.len()).expect("a trace");
    assert!(start.run.edges.len() > 60, "threads take turns");
    for round in 0..3 {
        let path = folder.path(&format!("control{round}"));
        let threads = start.run.threads.len() as u32 + 1;
        let mut control = heddle_runtime::Control::create(&path, threads).expect("a file");
        let mut step: Step = start.step();
        let bytes = |step: &Step| schedule(&subject, &start.run, step).to_bytes();
        control.publish(&bytes(&step)).expect("room");
        let mut command = Command::new(folder.path("program"));
        let child = command.env("HEDDLE_CONTROL", &path).spawn().expect("it starts");
        let mut edges = start.run.edges.clone();
        let share = edges.len() / 10;
        for update in 1..=10 {
            std::thread::sleep(Duration::from_millis(10));
            let left = if update == 10 { 0 } else { edges.len() - share };
            edges.split_off(left).into_iter().for_each(|edge| step.trace.remove_edge(edge));
            control.publish(&bytes(&step)).expect("room");
        }
        let run = common::finish(child, Duration::from_secs(30)).expect("nobody waits for ever");
        assert_eq!(run.code, Some(0));
        assert_eq!(control.taken_up(), 11, "all updates came while it ran");
    }
}

/// Every operation that is a step of the verifier has its counterpart in the runtime, or
/// the two would count differently.
#[test]
fn the_runtime_has_every_operation_that_counts() {
    let page = std::fs::read_to_string(root().join("docs/library.md")).expect("the page");
    let texts = heddle_runtime::FILES.iter().map(|(_, text)| *text);
    let words: std::collections::HashSet<&str> = texts
        .flat_map(|text| text.split(|c: char| !(c.is_alphanumeric() || c == '_')))
        .map(|word| word.strip_prefix("heddle_w_").unwrap_or(word))
        .collect();
    // Those that nobody waits for and that change nothing which others see.
    let plain = |name: &str| {
        ["attr", "_self", "_equal", "_detach", "_yield", "_current", "_sleep", "setname"]
            .iter()
            .any(|part| name.contains(part))
    };
    let mut counted = 0;
    for line in page.lines().filter(|line| line.contains("| handler |")) {
        let name = line.split('`').nth(1).unwrap_or("");
        let group = line.split('|').nth(2).unwrap_or("").trim();
        let waits = ["pthread.h", "threads.h", "semaphore.h"].contains(&group);
        let frees = name.starts_with("_Zd") && !name.contains("Pvj");
        let counts = waits && !plain(name) || frees || matches!(name, "free" | "realloc" | "exit");
        if counts {
            assert!(words.contains(name), "{name} of {group}");
            counted += 1;
        }
    }
    assert!(counted >= 60, "{counted}");
}
