//! Checks every program under `tests/programs` with every algorithm and memory
//! model it declares, against the expectations in its comments; and those that are
//! safe, unsafe or litmus tests once more with the engine `lazy`.
//!
//! All mismatches are reported together at the end. A program in `known-gaps`
//! must still fail its expectations, so that a fix is noticed.

#[path = "../common/mod.rs"]
mod common;
mod dialect;
mod direct;
mod judge;
mod sequential;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use dialect::Expectations;
use sequential::{Loop, Outcome, WAYS};

fn folder() -> PathBuf {
    common::root().join("tests/programs")
}

fn programs(kind: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder().join(kind)).expect("the folder exists");
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.extension().is_some_and(|e| e == "c" || e == "cpp" || e == "ll"))
        .collect();
    paths.sort();
    paths
}

/// What is wrong with one program; nothing if all is as it says.
fn check(path: &Path) -> Vec<String> {
    let each = |variants: Vec<Expectations>| {
        let judged = variants.into_iter().flat_map(|variant| {
            let alone = variant.name.is_empty() || !variant.args.is_empty();
            let mismatches: Vec<String> = match alone {
                true => {
                    let cases = variant.cases();
                    cases.iter().filter_map(|case| judge::judge(path, &variant, case)).collect()
                }
                // One of many.
                false => direct::judge(path, &variant),
            };
            mismatches.into_iter().map(move |mismatch| format!("{}{mismatch}", variant.name))
        });
        judged.collect()
    };
    read(path).map_or_else(|error| vec![error], each)
}

fn read(path: &Path) -> Result<Vec<Expectations>, String> {
    let text = std::fs::read_to_string(path).expect("readable");
    Expectations::parse(&text).map(Expectations::variants)
}

/// How many variants of a program go through `lazy`.
const LAZY_VARIANTS: usize = 2;

/// The same with the engine `lazy`, which knows no algorithms and no races or leaks.
fn check_lazy(path: &Path) -> Vec<String> {
    check_lazy_under(path, usize::MAX)
}

/// Under the first model only, to save time.
fn check_lazy_once(path: &Path) -> Vec<String> {
    check_lazy_under(path, 1)
}

fn check_lazy_under(path: &Path, models: usize) -> Vec<String> {
    let beyond = ["race", "leak", "all", "--algorithm"];
    let takes = |variant: &Expectations| {
        !variant.args.iter().any(|arg| beyond.iter().any(|word| arg.contains(word)))
            && !variant.name.ends_with("OPEN")
    };
    let each = |variants: Vec<Expectations>| {
        let variants = variants.into_iter().filter(takes).take(LAZY_VARIANTS);
        let judged = variants.flat_map(|variant| {
            let judge = |model| judge::judge_lazy(path, &variant, model);
            let named = |mismatch| format!("{}{mismatch}", variant.name);
            let models = variant.lazy_models().into_iter().take(models);
            models.filter_map(judge).map(named).collect::<Vec<_>>()
        });
        judged.collect()
    };
    read(path).map_or_else(|error| vec![error], each)
}

/// One variant of a program with every other encoding, under the models that it knows.
fn check_encodings(path: &Path) -> Vec<String> {
    let each = |variants: Vec<Expectations>| {
        let plain = |variant: &Expectations| {
            variant.args.is_empty() && !variant.is_lazy_only() && !variant.name.ends_with("OPEN")
        };
        let Some(variant) = variants.into_iter().find(plain) else { return Vec::new() };
        let mut mismatches = Vec::new();
        for engine in judge::ENCODINGS {
            let strong = ["--engine=mu", "--engine=steps"].contains(&engine[0]);
            let knows = |model: &&str| !strong || *model == "sc";
            for model in variant.lazy_models().into_iter().filter(knows) {
                mismatches.extend(judge::judge_formula(path, &variant, model, engine));
            }
        }
        mismatches
    };
    read(path).map_or_else(|error| vec![error], each)
}

/// The same with the explorer that keeps states, where it ends soon.
fn check_stateful(path: &Path) -> Vec<String> {
    let each = |variants: Vec<Expectations>| {
        let open = |variant: &Expectations| variant.name.ends_with("OPEN");
        let takes = |variant: &Expectations| {
            variant.args.is_empty() && !variant.skips_stateful && !open(variant)
        };
        let variants = variants.into_iter().filter(takes).take(LAZY_VARIANTS);
        let judged = variants.flat_map(|variant| {
            let mismatches = direct::judge_stateful(path, &variant);
            mismatches.into_iter().map(move |mismatch| format!("{}{mismatch}", variant.name))
        });
        judged.collect()
    };
    read(path).map_or_else(|error| vec![error], each)
}

/// Guided exploration against `optimal`.
fn check_guided(path: &Path) -> Vec<String> {
    let each = |variants: Vec<Expectations>| {
        let open = |variant: &Expectations| variant.name.ends_with("OPEN");
        let takes = |v: &Expectations| v.args.is_empty() && !v.is_lazy_only() && !open(v);
        let judged = variants.into_iter().filter(takes).flat_map(|variant| {
            let mismatches = direct::judge_guided(path, &variant);
            mismatches.into_iter().map(move |mismatch| format!("{}{mismatch}", variant.name))
        });
        judged.collect()
    };
    read(path).map_or_else(|error| vec![error], each)
}

/// One variant of a program as sequential C, in every way and under every model that fits.
/// Notes on standard error what was not decided.
fn check_sequential(path: &Path) -> Vec<String> {
    let each = |variants: Vec<Expectations>| {
        let plain = |variant: &Expectations| {
            variant.args.is_empty() && !variant.is_lazy_only() && !variant.name.ends_with("OPEN")
        };
        let Some(variant) = variants.into_iter().find(plain) else { return Vec::new() };
        let closed_loop = Loop::new(path, &variant);
        let mut mismatches = Vec::new();
        for way in WAYS {
            for model in variant.lazy_models() {
                let name = format!("{}[{},{model}]", variant.name, way.name);
                match closed_loop.compare(way, model) {
                    Outcome::Same => eprintln!("same {} {name}", common::short(path)),
                    Outcome::Undecided(why) => {
                        eprintln!("undecided {} {name}: {why}", common::short(path));
                    }
                    Outcome::Unfit => {}
                    Outcome::Different(what) => mismatches.push(format!("{name} {what}")),
                }
            }
        }
        mismatches
    };
    read(path).map_or_else(|error| vec![error], each)
}

/// Gives what is wrong with a program.
type Check = fn(&Path) -> Vec<String>;

/// Checks programs on a few threads; gives each with its mismatches.
fn check_all(paths: &[PathBuf], check: Check) -> Vec<(PathBuf, Vec<String>)> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    let workers = std::thread::available_parallelism().map_or(2, usize::from).min(8);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let mismatches = check(path);
                    results.lock().unwrap().push((path.clone(), mismatches));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap();
    results.sort();
    results
}

fn all_as_expected(kind: &str, at_least: usize, check: Check) {
    let paths = programs(kind);
    assert!(paths.len() >= at_least, "only {} programs in {kind}", paths.len());
    let mut report = String::new();
    for (path, mismatches) in check_all(&paths, check) {
        for mismatch in mismatches {
            report.push_str(&format!("{}: {mismatch}\n", common::short(&path)));
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn safe() {
    all_as_expected("safe", 40, check);
}

#[test]
fn r#unsafe() {
    all_as_expected("unsafe", 30, check);
}

#[test]
fn rare() {
    all_as_expected("rare", 6, check);
}

#[test]
fn litmus() {
    all_as_expected("litmus", 50, check);
}

#[test]
fn lazy_safe() {
    all_as_expected("safe", 40, check_lazy_once);
}

#[test]
fn lazy_unsafe() {
    all_as_expected("unsafe", 30, check_lazy);
}

#[test]
fn lazy_litmus() {
    all_as_expected("litmus", 50, check_lazy);
}

#[test]
fn encodings_litmus() {
    all_as_expected("litmus", 50, check_encodings);
}

/// Takes some minutes.
#[test]
#[ignore = "long"]
fn encodings_unsafe() {
    all_as_expected("unsafe", 30, check_encodings);
}

/// Every program as sequential C. Takes an hour; `--nocapture` tells what was not decided.
#[test]
#[ignore = "long"]
fn sequential_all() {
    for kind in ["litmus", "unsafe", "safe"] {
        all_as_expected(kind, 30, check_sequential);
    }
}

#[test]
fn stateful_safe() {
    all_as_expected("safe", 40, check_stateful);
}

#[test]
fn stateful_unsafe() {
    all_as_expected("unsafe", 30, check_stateful);
}

#[test]
fn stateful_litmus() {
    all_as_expected("litmus", 50, check_stateful);
}

/// Programs that never end and are proven, and the same with a bug.
#[test]
fn endless() {
    all_as_expected("endless", 10, check);
}

/// Lock-free data structures with their known bugs, and corrected.
#[test]
fn lockfree() {
    all_as_expected("lockfree", 5, check);
}

/// Programs of a few hundred lines, of which only a part matters to their assertions.
#[test]
fn larger() {
    all_as_expected("larger", 5, check);
}

/// Takes minutes, and times mean little on a machine that is busy.
#[test]
#[ignore]
fn guided_is_no_worse_than_optimal() {
    for kind in ["safe", "unsafe", "larger", "lockfree", "endless"] {
        all_as_expected(kind, 1, check_guided);
    }
}

/// Each line of its table names the programs that show it.
#[test]
fn page_on_memory_models_names_programs_that_exist() {
    let page = common::root().join("docs/memory-models.md");
    let text = std::fs::read_to_string(page).expect("readable");
    let rows = text.lines().filter(|line| line.starts_with("| ") && line.contains(".c`"));
    let mut count = 0;
    for row in rows {
        for name in row.split('`').filter(|word| word.ends_with(".c")) {
            assert!(folder().join("litmus").join(name).exists(), "{name} in {row}");
        }
        count += 1;
    }
    assert!(count >= 20, "only {count} lines");
}

#[test]
fn unsupported() {
    all_as_expected("unsupported", 5, check);
}

#[test]
fn known_gaps_are_still_gaps() {
    let closed: Vec<String> = check_all(&programs("known-gaps"), check)
        .into_iter()
        .filter(|(_, mismatches)| mismatches.is_empty())
        .map(|(path, _)| common::short(&path))
        .collect();
    assert!(closed.is_empty(), "these work now; move them to safe or unsafe: {closed:?}");
}
