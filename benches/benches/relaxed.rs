//! What constraints cost: Appendix A of Metzler, Saissi, Bokor and Suri, "Safe Execution
//! of Concurrent Programs by Enforcement of Scheduling Constraints", with programs written
//! here. Each program runs plain (clang -O2) and under fewer and fewer constraints, turn
//! by turn, so that noise hits all of them; times are those of `main`, medians, with the
//! middle half of all runs beside them. Overheads are of the medians, with their standard
//! error, and of the lower tenth: other work on the machine makes runs slower, never faster.
//! An aim is missed if both are above it.
//!
//!     cargo bench -p heddle-benches --bench relaxed
//!     HEDDLE_BENCH_PLOT=docs/constraints.svg cargo bench -p heddle-benches --bench relaxed
//!     HEDDLE_BENCH_RUNS=4000 cargo bench -p heddle-benches --bench relaxed -- indexer

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use heddle_benches::plot::{Group, draw};
use heddle_frontend as frontend;
use heddle_irs::{Start, Step, Subject, relax, schedule, starts};

/// Name, file, size, and the most that all constraints should cost, in percent.
const PROGRAMS: &[(&str, &str, u32, f64)] = &[
    ("bigshot", "bigshot.c", 1, 15.0),
    ("dekker", "dekker.c", 1, 15.0),
    ("fibonacci", "fibonacci.c", 25, 15.0),
    ("lamport", "lamport.c", 1, 15.0),
    ("peterson", "peterson.c", 5, 15.0),
    ("shared pointer", "shared_pointer.c", 1, 15.0),
    ("indexer(15)", "indexer.c", 15, 100.0),
    ("last zero(16)", "last_zero.c", 15, 100.0),
    ("compute", "compute.c", 2000, 3.0),
];

/// What a program without constraints should cost, in percent.
const NONE_LEFT: f64 = 5.0;

/// Time that the proof may take, for each program.
const PROOF: Duration = Duration::from_secs(8);

/// Steps of a proof that are measured.
const STEPS: usize = 6;

/// `main` of the plain program, timed as the runtime does it.
const TIMED_MAIN: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
int heddle_user_main(int, char **, char **);
int main(int count, char **arguments, char **environment) {
  struct timespec begin, end;
  void *volatile block = malloc(1);
  free(block);
  clock_gettime(CLOCK_MONOTONIC, &begin);
  int code = heddle_user_main(count, arguments, environment);
  clock_gettime(CLOCK_MONOTONIC, &end);
  long long taken = (end.tv_sec - begin.tv_sec) * 1000000000ll + end.tv_nsec - begin.tv_nsec;
  fprintf(stderr, "heddle: main took %lld ns\n", taken);
  return code;
}
"#;

fn main() {
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let runs = std::env::var("HEDDLE_BENCH_RUNS").ok().and_then(|n| n.parse().ok());
    println!(
        "program          constraints  traces  median µs      middle half  overhead        ±  \
          of tenth    aim"
    );
    let mut groups = Vec::new();
    for &(name, file, size, aim) in PROGRAMS {
        if wanted.as_ref().is_none_or(|wanted| name.contains(wanted.as_str())) {
            groups.push(measure(name, file, size, aim, runs.unwrap_or(1000)));
        }
    }
    if let Some(path) = std::env::var_os("HEDDLE_BENCH_PLOT") {
        let title = "Native run under constraints, against the plain program (lower deciles)";
        std::fs::write(path, draw(title, &groups)).expect("written");
    }
}

fn measure(name: &str, file: &str, size: u32, aim: f64, runs: usize) -> Group {
    let folder = tempfile::tempdir().expect("a folder");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs").join(file);
    let options = frontend::Options {
        inputs: vec![source.clone()],
        flags: vec![format!("-DN={size}")],
        ..Default::default()
    };
    let program = frontend::compile(&options).expect("it compiles");
    let subject = Subject::new(&program, program.find_function("main").expect("main"));
    let (start, steps) = prove(&subject);
    let steps = some(steps);
    let plain = build_plain(folder.path(), &source, size);
    let native = build_native(folder.path(), &options);
    let mut variants = vec![(plain, None)];
    for (at, step) in steps.iter().enumerate() {
        let path = folder.path().join(format!("{at}.sched"));
        std::fs::write(&path, schedule(&subject, &start.run, step).to_bytes()).expect("written");
        variants.push((native.clone(), Some(path)));
    }
    let mut times = vec![Vec::with_capacity(runs); variants.len()];
    // The first ones warm up.
    for turn in 0..runs + runs / 20 {
        for (variant, times) in variants.iter().zip(&mut times) {
            let time = run(&variant.0, variant.1.as_deref());
            times.extend(time.filter(|_| turn >= runs / 20));
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    let base = &times[0].clone();
    row(name, "plain", "", &times[0], base, None);
    let mut bars = Vec::new();
    for (step, times) in steps.iter().zip(&times[1..]) {
        let count = step.trace.constraints();
        let first = count == steps[0].trace.constraints();
        let aim = if first { Some(aim) } else { (count == 0).then_some(NONE_LEFT.min(aim)) };
        row(name, &count.to_string(), &step.traces.to_string(), times, base, aim);
        let plural = if count == 1 { "" } else { "s" };
        bars.push((
            format!("{count} constraint{plural}"),
            (at(times, 0.1) / at(base, 0.1) - 1.0) * 100.0,
        ));
    }
    Group { name: name.to_string(), bars }
}

/// The first step, the last one, and some between.
fn some(steps: Vec<Step>) -> Vec<Step> {
    let last = steps.len() - 1;
    let wanted: Vec<usize> = (0..STEPS).map(|at| at * last / (STEPS - 1)).collect();
    let all = steps.into_iter().enumerate();
    all.filter(|(at, _)| wanted.contains(at)).map(|(_, step)| step).collect()
}

/// `base` are the times of the plain program.
fn row(name: &str, constraints: &str, traces: &str, times: &[f64], base: &[f64], aim: Option<f64>) {
    let (low, median, high) = (at(times, 0.25), at(times, 0.5), at(times, 0.75));
    let overhead = (median / at(base, 0.5) - 1.0) * 100.0;
    let of_tenth = (at(times, 0.1) / at(base, 0.1) - 1.0) * 100.0;
    let error = (error_of_median(times).powi(2) + error_of_median(base).powi(2)).sqrt() * 100.0;
    let aim = aim.map_or(String::new(), |aim| {
        format!("≤ {aim} %{}", if overhead.min(of_tenth) <= aim { "" } else { "  MISSED" })
    });
    println!(
        "{name:<15}  {constraints:>11}  {traces:>6}  {median:>9.1}  {low:>7.1}–{high:>7.1}  \
         {overhead:>7.1}%  {error:>6.1}%  {of_tenth:>9.1}%  {aim}"
    );
}

/// Standard error of the median, as a share of it, by the order statistics around it.
fn error_of_median(sorted: &[f64]) -> f64 {
    let share = 0.5 / (sorted.len() as f64).sqrt();
    (at(sorted, 0.5 + share) - at(sorted, 0.5 - share)) / 2.0 / at(sorted, 0.5)
}

fn at(sorted: &[f64], share: f64) -> f64 {
    let index = (sorted.len() as f64 * share) as usize;
    sorted.get(index.min(sorted.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
}

/// All steps of a proof that gets some seconds.
fn prove(subject: &Subject<'_>) -> (Start, Vec<Step>) {
    let interrupt = Arc::new(AtomicBool::new(false));
    let mut found = starts(subject, &interrupt, 4).expect("a safe trace");
    let start = found.remove(0);
    let mut steps = vec![start.step()];
    let flag = interrupt.clone();
    std::thread::spawn(move || {
        std::thread::sleep(PROOF);
        flag.store(true, Ordering::Relaxed);
    });
    relax(subject, &start, &interrupt, &mut |step| {
        steps.push(step.clone());
        true
    });
    (start, steps)
}

fn build_plain(folder: &Path, source: &Path, size: u32) -> PathBuf {
    let (executable, timer) = (folder.join("plain"), folder.join("timer.c"));
    std::fs::write(&timer, TIMED_MAIN).expect("written");
    let object = folder.join("plain.o");
    let clang = std::env::var("HEDDLE_CLANG").unwrap_or_else(|_| "clang-22".to_string());
    let compile = |command: &mut Command| {
        assert!(command.status().expect("clang runs").success(), "it compiles");
    };
    let mut first = Command::new(&clang);
    first.args(["-O2", "-w", "-Dmain=heddle_user_main", "-c", "-o"]).arg(&object);
    compile(first.arg(format!("-DN={size}")).arg(source));
    let mut second = Command::new(&clang);
    second.args(["-O2", "-w", "-o"]).arg(&executable).arg(&timer).arg(&object).arg("-lpthread");
    compile(&mut second);
    executable
}

fn build_native(folder: &Path, options: &frontend::Options) -> PathBuf {
    let executable = folder.join("native");
    let runtime = frontend::Runtime { files: heddle_runtime::FILES };
    frontend::build(options, runtime, &executable, |program| {
        let subject = Subject::new(program, program.find_function("main").expect("main"));
        Ok::<_, frontend::Error>(frontend::Plan {
            starts: subject.sites.starts.clone(),
            sites: subject.sites.visible.clone(),
            scopes: subject.sites.scopes.clone(),
            given_inputs: false,
            hash: subject.hash,
            embedded: None,
        })
    })
    .expect("it builds");
    executable
}

/// Microseconds that `main` took.
fn run(executable: &Path, schedule: Option<&Path>) -> Option<f64> {
    let mut command = Command::new(executable);
    command.env("HEDDLE_TEST_TIME", "1");
    if let Some(schedule) = schedule {
        command.env("HEDDLE_SCHEDULE", schedule);
    }
    let output = command.output().expect("it runs");
    let text = String::from_utf8_lossy(&output.stderr);
    let (_, rest) = text.split_once("main took ")?;
    rest.split(' ').next()?.parse::<f64>().ok().map(|nanoseconds| nanoseconds / 1000.0)
}
