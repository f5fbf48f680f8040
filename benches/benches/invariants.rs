//! How long invariants take, by lines, variables and threads: programs made of modules, each a ring
//! buffer and two counters under a lock of their own, with functions that threads call in turn.
//!
//!     cargo bench -p heddle-benches --bench invariants [-- LINES:THREADS:MODULES …]
//!
//! The aim is under 10 s and 1 GB for 5,000 lines with 10 threads.

use std::fmt::Write;
use std::path::PathBuf;

use heddle_analysis::invariants::{Check, Options, invariants};
use heddle_frontend as frontend;

/// Ticks of the clock that processes are measured by, in a second.
const TICKS: f64 = 100.0;
/// Lines of a function.
const LINES: usize = 25;

/// Growth in one of the three at a time.
const ROWS: &[&str] = &[
    "600:4:8",
    "1200:4:8",
    "2400:4:8",
    "1200:8:8",
    "1200:10:8",
    "1200:4:16",
    "1200:4:32",
    "5000:10:40",
];

fn program(lines: usize, threads: usize, modules: usize) -> String {
    let mut text = String::from("#include <assert.h>\n#include <pthread.h>\n#define N 16\n");
    for m in 0..modules {
        let _ = writeln!(
            text,
            "static pthread_mutex_t lock{m} = PTHREAD_MUTEX_INITIALIZER;\n\
             static int level{m}, top{m}, ring{m}[N];\nstatic unsigned head{m}, tail{m};"
        );
    }
    let functions = (lines / LINES).max(threads);
    for f in 0..functions {
        let m = (f * 7 + f % threads) % modules;
        let _ = writeln!(
            text,
            "static int step{f}(int given) {{
    int seen = 0, sum = 0;
    for (int n = 0; n < N; n++) {{
        if (given > n)
            sum += n;
    }}
    pthread_mutex_lock(&lock{m});
    if (head{m} - tail{m} < N) {{
        ring{m}[head{m} % N] = given & 7;
        head{m}++;
    }}
    assert(head{m} - tail{m} <= N);
    if (level{m} < 100) {{
        level{m}++;
        top{m} = level{m};
    }} else {{
        level{m} = 0;
        top{m} = 0;
    }}
    assert(level{m} <= 100);
    if (head{m} != tail{m})
        seen = ring{m}[tail{m}++ % N];
    pthread_mutex_unlock(&lock{m});
    return seen + (sum & 3);
}}"
        );
    }
    for t in 0..threads {
        let _ = writeln!(
            text,
            "static void *work{t}(void *unused) {{\n    int given = {t};\n    for (;;) {{"
        );
        for f in (t..functions).step_by(threads) {
            let _ = writeln!(text, "        given = step{f}(given);");
        }
        text.push_str("    }\n    return unused;\n}\n");
    }
    let _ = writeln!(text, "int main(void) {{\n    pthread_t id[{threads}];");
    for t in 0..threads {
        let _ = writeln!(text, "    pthread_create(&id[{t}], 0, work{t}, 0);");
    }
    let _ = writeln!(
        text,
        "    for (int n = 0; n < {threads}; n++)\n        pthread_join(id[n], 0);\n    return 0;\n}}"
    );
    text
}

fn row(what: &str) -> Option<()> {
    let mut parts = what.split(':').map(|part| part.parse::<usize>().ok());
    let (lines, threads, modules) = (parts.next()??, parts.next()??, parts.next()??);
    let text = program(lines, threads, modules);
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("invariants.c");
    std::fs::write(&path, &text).expect("the folder is there");
    let options = frontend::Options { inputs: vec![path], ..frontend::Options::default() };
    let program = frontend::compile(&options).expect("it compiles");
    let entry = program.find_function("main").expect("there is one");
    let began = user_seconds();
    let options = Options { budget: u64::MAX, ..Options::default() };
    let found = invariants(&program, entry, &options);
    let seconds = user_seconds() - began;
    let said = match found {
        Ok(found) => {
            let mut checks = found.obligations.iter().filter(|one| one.check == Check::Assertion);
            let all = if checks.all(|one| one.holds) { "yes" } else { "no" };
            format!("{:>12}  {:>6}  {:>5}  {all}", found.instructions, found.rounds, found.cells)
        }
        Err(why) => why.why,
    };
    let peak = peak().map_or("?".to_string(), |kib| (kib / 1024).to_string());
    println!(
        "{:>6}  {threads:>7}  {modules:>7}  {seconds:>8.2}  {peak:>6}  {said}",
        text.lines().count()
    );
    Some(())
}

/// Of the process so far, in user mode.
fn user_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(11));
    ticks.and_then(|ticks| ticks.parse::<f64>().ok()).unwrap_or(f64::NAN) / TICKS
}

/// Of the process so far, in KiB.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn main() {
    let named: Vec<String> = std::env::args().skip(1).filter(|a| a.contains(':')).collect();
    println!(" lines  threads  modules    user s     MiB  instructions  rounds  cells  proven");
    let rows = ROWS.iter().map(|row| (*row).to_string());
    let rows: Vec<String> = if named.is_empty() { rows.collect() } else { named };
    for what in rows {
        if row(&what).is_none() {
            eprintln!("'{what}' is not LINES:THREADS:MODULES");
        }
    }
}
