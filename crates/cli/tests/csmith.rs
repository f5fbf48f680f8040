//! Random C programs of csmith, whose checksum native code has said before: asserting it
//! is safe, or a construct stops by name. Without csmith nothing is tested.

mod common;

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use common::{heddle, run};

/// Where Debian's `libcsmith-dev` puts its headers.
const HEADERS: &str = "/usr/include/csmith";
/// What every program ends with, and prints.
const END: &str = "platform_main_end(crc32_context ^ 0xFFFFFFFFUL, print_hash_value);";

/// Small programs: they are interpreted, in the profile that tests are compiled with.
const SIZE: &[&str] = &[
    "--max-funcs",
    "4",
    "--max-block-depth",
    "3",
    "--max-block-size",
    "3",
    "--max-expr-complexity",
    "6",
    "--max-array-len-per-dim",
    "5",
    "--max-pointer-depth",
    "2",
];

#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Safe,
    /// What stopped.
    Unsupported(String),
    /// The native program does not end, so there is nothing to compare with.
    Endless,
}

fn clang() -> String {
    std::env::var("HEDDLE_CLANG").unwrap_or_else(|_| "clang-22".to_owned())
}

/// The checksum that the native program prints.
fn checksum(folder: &Path, source: &Path) -> Option<String> {
    let executable = folder.join("native");
    let mut compile = Command::new(clang());
    compile.args(["-w", "-O0", "-I", HEADERS, "-o"]).arg(&executable).arg(source);
    let compiled = run(&mut compile, Duration::from_secs(60)).expect("ends");
    assert_eq!(compiled.code, Some(0), "{}", compiled.stderr);
    let printed = run(&mut Command::new(&executable), Duration::from_secs(2))?;
    Some(printed.stdout.trim().strip_prefix("checksum = ")?.to_owned())
}

fn check(seed: u64) -> Outcome {
    let folder = tempfile::tempdir().expect("a folder");
    let mut csmith = Command::new("csmith");
    csmith.args(["--no-argc", "--seed", &seed.to_string()]).args(SIZE).current_dir(&folder);
    let text = run(&mut csmith, Duration::from_secs(60)).expect("ends").stdout;
    let source = folder.path().join("random.c");
    std::fs::write(&source, &text).expect("can be written");
    let Some(checksum) = checksum(folder.path(), &source) else { return Outcome::Endless };

    assert_eq!(text.matches(END).count(), 1, "the end of main");
    let assertion = format!("assert((uint32_t)(crc32_context ^ 0xFFFFFFFFUL) == 0x{checksum}u);");
    let asserting = format!("#include <assert.h>\n{}", text.replace(END, &assertion));
    std::fs::write(&source, &asserting).expect("can be written");
    let name = source.to_str().expect("UTF-8");
    let args = ["check", "--timeout", "60", name, "--", "-w", "-I", HEADERS];
    let checked = heddle(&args, Duration::from_secs(90)).expect("ends");
    let verdict = checked.stdout.lines().last().unwrap_or_default();
    if verdict.starts_with("verdict: safe") {
        return Outcome::Safe;
    }
    let stopped = verdict.strip_prefix("verdict: unknown (unsupported: ");
    let what = stopped.unwrap_or_else(|| panic!("seed {seed}: {verdict}\n{}", checked.stderr));
    Outcome::Unsupported(what.split(" at ").next().unwrap_or_default().to_owned())
}

fn check_all(seeds: impl Iterator<Item = u64>) {
    if !Path::new(HEADERS).is_dir() || Command::new("csmith").arg("--version").output().is_err() {
        eprintln!("csmith is not installed: no random programs are tested");
        return;
    }
    let seeds: Vec<u64> = seeds.collect();
    // As many at once as there are processors.
    let some = seeds.len().div_ceil(std::thread::available_parallelism().map_or(1, usize::from));
    let check_some = |seeds: &[u64]| -> Vec<(u64, Outcome)> {
        seeds.iter().map(|&seed| (seed, check(seed))).collect()
    };
    let outcomes: Vec<(u64, Outcome)> = std::thread::scope(|scope| {
        let parts: Vec<_> =
            seeds.chunks(some).map(|part| scope.spawn(move || check_some(part))).collect();
        parts.into_iter().flat_map(|part| part.join().expect("as it should be")).collect()
    });
    let count = |wanted: fn(&Outcome) -> bool| outcomes.iter().filter(|(_, o)| wanted(o)).count();
    let safe = count(|outcome| *outcome == Outcome::Safe);
    let endless = count(|outcome| *outcome == Outcome::Endless);
    for (seed, outcome) in &outcomes {
        if let Outcome::Unsupported(what) = outcome {
            eprintln!("seed {seed}: {what}");
        }
    }
    let all = outcomes.len();
    eprintln!("{all} programs: {safe} safe, {endless} without an end, the others unsupported");
    assert!(safe * 10 >= all * 7, "most are safe");
}

#[test]
fn random_programs_compute_what_native_code_computes() {
    check_all(1..=40);
}

/// As many as `HEDDLE_CSMITH` says, else a thousand.
#[test]
#[ignore = "takes many minutes"]
fn many_random_programs_compute_what_native_code_computes() {
    let wanted = std::env::var("HEDDLE_CSMITH").ok().and_then(|count| count.parse().ok());
    check_all((0..wanted.unwrap_or(1000)).map(|seed| 1000 + seed));
}
