//! Native programs: replays fail every time, programs under proven constraints never.
//!
//! The tests that are left out by default take minutes; run them with
//!
//!     cargo test --release -p heddle-cli --test native -- --ignored --nocapture

mod common;

use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
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
    "tests/programs/unsafe/cpp_exception_leaves_thread.cpp",
    "tests/programs/unsafe/deadlock_two_locks.c",
    "tests/programs/unsafe/lazy_init.c",
    "tests/programs/unsafe/lost_update.c",
    "tests/programs/unsafe/wrong_lock.c",
];

/// The same with inputs.
const WITH_INPUTS: &[&str] =
    &["tests/native/input_index.c", "tests/native/input_paths.c", "tests/native/input_withdraw.c"];

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

/// How many of as many runs failed, with delays of all kinds, and how the first one did.
/// Several processes make them, so that there are more threads than cores.
fn repeat(executable: &Path, schedule: Option<&Path>, wish: Wish) -> (u64, u64, String) {
    const JOBS: u32 = 4;
    let start = |job: u32| {
        let mut command = match wish.one_core {
            true => {
                let mut command = Command::new("taskset");
                command.args(["-c", "0"]).arg(executable);
                command
            }
            false => Command::new(executable),
        };
        schedule.map(|schedule| command.env("HEDDLE_SCHEDULE", schedule));
        let (share, most) = (wish.runs.div_ceil(JOBS), wish.most.div_ceil(JOBS));
        let runs = format!("{}:{share}:{}:{most}", wish.seed + job * share, wish.seconds);
        command.env("HEDDLE_TEST_RUNS", runs).stderr(Stdio::piped()).spawn().expect("it starts")
    };
    let children: Vec<_> = (0..JOBS).map(start).collect();
    let (mut failed, mut made, mut how) = (0, 0, String::new());
    for child in children {
        let output = child.wait_with_output().expect("it ends");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let line = text.lines().find(|line| line.contains(" runs failed")).expect("a summary");
        let numbers: Vec<u64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        failed += numbers[0];
        made += numbers[1];
        if how.is_empty() {
            how = line.split_once("; ").map_or("", |(_, how)| how).to_string();
        }
    }
    (failed, made, how)
}

/// What to repeat.
#[derive(Clone, Copy)]
struct Wish {
    seed: u32,
    runs: u32,
    /// For each run.
    seconds: u32,
    /// No more runs after so many failures.
    most: u32,
    one_core: bool,
}

/// Runs the program under its schedule with delays of all kinds; the first failure.
fn stress(executable: &Path, schedule: &Path, runs: u32) -> Option<String> {
    for seed in 0..runs {
        let mut command = Command::new(executable);
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
        assert_eq!(stress(&executable, &schedule, 40), None, "{program}");
        let wish = Wish { seed: 0, runs: 2000, seconds: 20, most: 4, one_core: false };
        let (failed, made, how) = repeat(&executable, Some(&schedule), wish);
        assert_eq!((failed, made), (0, 2000), "{program}: {how}");
        let (failed, ..) = repeat(&executable, None, Wish { seconds: 1, ..wish });
        assert!(failed > 0, "{program} does not fail without constraints");
    }
}

/// What is proven holds for all inputs, and natively each run has others.
#[test]
fn tamed_programs_do_not_fail_whatever_they_read() {
    for program in WITH_INPUTS {
        let folder = Folder::new();
        let (executable, schedule) = tame(&folder, program);
        for seed in 0..60 {
            let mut command = Command::new(&executable);
            command.env("HEDDLE_SCHEDULE", &schedule).env("HEDDLE_INPUT", format!("random:{seed}"));
            command.env("HEDDLE_TEST_DELAY", format!("{seed}:500:20"));
            let run = run(&mut command, LIMIT).expect("ends");
            assert_eq!(run.code, Some(0), "{program}, {seed}: {}", run.stderr);
        }
    }
}

#[test]
fn inputs_of_native_programs_are_given() {
    let folder = Folder::new();
    let program = "tests/native/input_echo.c";
    heddle(&["build", program, "-o", &folder.text("program")], LIMIT).expect("ends");
    let start = |input: Option<&str>| {
        let mut command = Command::new(folder.path("program"));
        input.map(|input| command.env("HEDDLE_INPUT", input));
        run(&mut command, LIMIT).expect("ends")
    };
    assert_eq!(start(Some("7, -2 0x10 1.5")).stdout, "7 -2 16 1.50\n");
    assert_eq!(start(Some("random:3")).stdout, start(Some("random:3")).stdout);
    for (input, text) in [(None, "set HEDDLE_INPUT"), (Some("7 x"), "'x' is not a number")] {
        let run = start(input);
        assert_eq!(run.code, Some(98), "{}", run.stderr);
        assert!(run.stderr.contains(text), "{}", run.stderr);
    }
}

/// As many runs as `HEDDLE_STRESS_RUNS` says of each program under its constraints, half
/// of them on one core. Without constraints it fails in the same way, or when its violation
/// is replayed.
#[test]
#[ignore = "takes long"]
fn tamed_programs_do_not_fail_under_stress() {
    let runs = std::env::var("HEDDLE_STRESS_RUNS").ok().and_then(|n| n.parse().ok());
    let runs: u32 = runs.unwrap_or(1000);
    println!(
        "{:<46} {:>8} {:>7} {:>14} {:>9} {:>8}",
        "program", "runs", "failed", "plain runs", "failed", "seconds"
    );
    let mut bad = Vec::new();
    for program in TAMED.iter().chain(WITH_INPUTS) {
        let folder = Folder::new();
        let began = Instant::now();
        let (executable, schedule) = tame(&folder, program);
        let wish = Wish { seed: 0, runs: runs / 2, seconds: 20, most: 4, one_core: false };
        let many = repeat(&executable, Some(&schedule), wish);
        let wish = Wish { seed: runs, one_core: true, ..wish };
        let one = repeat(&executable, Some(&schedule), wish);
        let wish = Wish { seed: 0, runs: runs.min(4000), seconds: 1, most: 40, one_core: false };
        let plain = repeat(&executable, None, wish);
        let (failed, made) = (many.0 + one.0, many.1 + one.1);
        let fails = match plain.0 {
            0 => match replay(&folder, program, 100) {
                Ok(failed) => format!("{failed}/100 replays"),
                Err(reason) => format!("none: {reason}"),
            },
            count => count.to_string(),
        };
        let seconds = began.elapsed().as_secs();
        println!("{program:<46} {made:>8} {failed:>7} {:>14} {fails:>9} {seconds:>8}", plain.1);
        if failed != 0 || made < u64::from(runs / 2 * 2) {
            bad.push(format!("{program}: {}{}", many.2, one.2));
        }
        if fails.starts_with('0') || fails.starts_with("none") {
            bad.push(format!("{program} does not fail without constraints: {fails}"));
        }
    }
    assert!(bad.is_empty(), "{bad:#?}");
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

/// Another thread runs, but never comes to what is waited for.
#[test]
fn waits_without_end_are_noticed() {
    let folder = Folder::new();
    let (executable, schedule) = tame(&folder, "tests/native/spins.c");
    let mut command = Command::new(&executable);
    command.arg("other").env("HEDDLE_SCHEDULE", &schedule).env("HEDDLE_WATCH", "1");
    let run = run(&mut command, LIMIT).expect("ends");
    assert_eq!(run.code, Some(98), "{}", run.stderr);
    assert!(run.stderr.contains("it has waited 1 s for event 0 of main.0"), "{}", run.stderr);
}

#[test]
fn signals_are_passed_on() {
    let mut command = common::command(&["run", "tests/native/sleeps.c"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().expect("starts");
    let mut line = String::new();
    let stdout = child.stdout.take().expect("a pipe");
    std::io::BufReader::new(stdout).read_line(&mut line).expect("a line");
    assert_eq!(line, "runs\n");
    let kill = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(kill.expect("kill runs").success());
    let run = common::finish(child, LIMIT).expect("ends");
    assert_eq!(run.code, Some(128 + 15), "as the program");
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
/// the two would count differently. So has what no system has: the functions beneath
/// `printf`.
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
    type Interpreter = heddle_machine::Machine<'static, heddle_memory::Sc>;
    let models = heddle_semantics::library::names::<Interpreter>();
    let output = models.into_iter().find(|(group, _)| *group == "stdio.h").expect("there is");
    for name in output.1 {
        assert!(words.contains(name), "{name}");
    }
}
