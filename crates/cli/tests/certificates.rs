//! What `heddle check --proof` writes, `heddle certify` believes; and nothing else.

mod common;

use std::path::{Path, PathBuf};
use std::time::Duration;

use common::{Run, heddle};
use tempfile::TempDir;

const LIMIT: Duration = Duration::from_secs(120);

fn run(args: &[&str]) -> Run {
    heddle(args, LIMIT).unwrap_or_else(|| panic!("{args:?} did not end"))
}

fn program(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    folder.join(name).to_string_lossy().into_owned()
}

struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_string_lossy().into_owned()
    }
}

fn last(text: &str) -> &str {
    text.lines().last().unwrap_or_default()
}

/// Checks and certifies: the two verdicts. `None`: there is nothing to certify.
fn both(name: &str, flags: &[&str]) -> Option<(String, String)> {
    let (folder, program) = (Folder::new(), program(name));
    let proof = folder.path("proof");
    let mut args = vec!["check", "--proof", &proof];
    args.extend(flags);
    args.push(&program);
    let checked = run(&args);
    if !Path::new(&proof).exists() {
        let said = checked.stderr.contains("no certificate is written");
        assert!(said || checked.code == Some(2), "{name}: {}{}", checked.stdout, checked.stderr);
        return None;
    }
    let certified = run(&["certify", &proof]);
    // Whoever certifies has not chosen what was looked for.
    let model = flags.windows(2).find(|pair| pair[0] == "--mm").map_or("sc", |pair| pair[1]);
    let about = format!("about: --mm {model}, from main; not looked for: ");
    assert!(certified.stdout.contains(&about), "{name}: {}", certified.stdout);
    Some((last(&checked.stdout).to_string(), last(&certified.stdout).to_string()))
}

/// Of the same kind, and the second one certified.
#[track_caller]
fn agree(name: &str, (checked, certified): &(String, String)) {
    let word = |line: &str| line.split(' ').nth(1).unwrap_or_default().to_string();
    assert_eq!(word(checked), word(certified), "{name}: {checked}\n{certified}");
    assert!(certified.contains("certified)"), "{name}: {certified}");
}

#[test]
fn verdicts_are_certified() {
    for model in ["sc", "tso", "pso"] {
        for name in ["safe/condition.c", "safe/detached.c", "safe/errorcheck_mutex.c"] {
            let found = both(name, &["--mm", model]).expect("there is a certificate");
            agree(name, &found);
        }
    }
    let bounded = both("endless/ticket_lock.c", &["--unwind", "1", "--check", "assert"]);
    agree("bounded", &bounded.expect("there is a certificate"));
}

fn all(kind: &str) -> Vec<PathBuf> {
    let folder = program(kind);
    let entries = std::fs::read_dir(folder).expect("readable");
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    all.retain(|path| path.extension().is_some_and(|kind| kind == "c"));
    all.sort();
    all
}

/// Each answer on these programs: the command behind the figure in docs/formulas.md.
#[test]
#[ignore = "takes minutes"]
fn every_answer_is_certified() {
    let kinds = ["safe", "lockfree", "litmus", "endless"];
    let names: Vec<String> = kinds
        .iter()
        .flat_map(|kind| all(kind).into_iter().map(move |path| (kind, path)))
        .map(|(kind, path)| format!("{kind}/{}", path.file_name().unwrap().to_string_lossy()))
        .collect();
    let half = |from: usize| {
        let found =
            names.iter().skip(from).step_by(2).map(|name| {
                both(name, &["--timeout", "3"]).map(|found| agree(name, &found)).is_some()
            });
        let found: Vec<bool> = found.collect();
        let certified = found.iter().filter(|certified| **certified).count();
        (certified, found.len() - certified)
    };
    let (one, two) = std::thread::scope(|scope| {
        let other = scope.spawn(|| half(1));
        (half(0), other.join().expect("no failure"))
    });
    let (certified, without) = (one.0 + two.0, one.1 + two.1);
    println!("{certified} certified, {without} without an answer to certify");
    assert!(certified > 150);
}

#[test]
fn a_violation_has_no_certificate() {
    let folder = Folder::new();
    let proof = folder.path("proof");
    let found = run(&["check", "--proof", &proof, &program("unsafe/lost_update.c")]);
    assert_eq!(found.code, Some(10), "{}", found.stderr);
    assert!(found.stderr.contains("nothing to certify"), "{}", found.stderr);
    assert!(!Path::new(&proof).exists());
}

#[test]
fn certificates_of_something_else_are_refused() {
    let folder = Folder::new();
    let proof = folder.path("proof");
    let other = folder.path("other.c");
    std::fs::write(&other, "int main(void) { return 0; }\n").expect("writable");
    run(&["check", "--proof", &proof, &other]);
    let refused = run(&["certify", &proof, &program("safe/condition.c")]);
    assert_eq!(refused.code, Some(2));
    assert!(refused.stderr.contains("another program"), "{}", refused.stderr);
    for text in ["", "junk", "{\"certificate\":99}\n", "{\"certificate\":1}\n", "{}\n"] {
        std::fs::write(&proof, text).expect("writable");
        let refused = run(&["certify", &proof]);
        assert_eq!(refused.code, Some(2), "{text}: {}", refused.stdout);
        assert_eq!(refused.stderr.lines().count(), 1, "{text}: {}", refused.stderr);
    }
    let missing = run(&["certify", &folder.path("nowhere")]);
    assert!(missing.stderr.contains("no such file"), "{}", missing.stderr);
}

/// Steps on which the answer rests, each changed or left out by itself.
#[test]
fn what_was_tampered_with_is_refused() {
    let folder = Folder::new();
    let proof = folder.path("proof");
    run(&["check", "--proof", &proof, &program("safe/condition.c")]);
    let text = std::fs::read_to_string(&proof).expect("readable");
    let lines: Vec<&str> = text.lines().collect();
    let refused = |change: &dyn Fn(usize, &str) -> Option<String>| {
        let changed = lines.iter().enumerate().filter_map(|(at, line)| change(at, line));
        let text: String = changed.map(|line| format!("{line}\n")).collect();
        std::fs::write(&proof, text).expect("writable");
        let run = run(&["certify", &proof]);
        run.code == Some(20) && run.stdout.contains("refused")
    };
    let kept = |line: &str| Some(line.to_string());
    assert!(!refused(&|_, line| kept(line)), "it is fine as it is");
    let answers: Vec<usize> = (1..lines.len()).filter(|&at| lines[at].starts_with('u')).collect();
    for answer in answers {
        assert!(refused(&|at, line| (at != answer).then(|| line.to_string())), "{answer} left out");
        let other = |at: usize, line: &str| kept(if at == answer { "u 1 0" } else { line });
        assert!(refused(&other), "{answer} by another clause");
    }
    let no_end = |at: usize, line: &str| (at + 1 < lines.len()).then(|| line.to_string());
    assert!(refused(&no_end), "cut off");
    let no_lemmas = |_: usize, line: &str| (!line.starts_with('t')).then(|| line.to_string());
    if text.contains("\nt ") {
        assert!(refused(&no_lemmas), "without lemmas");
    }
    let strange =
        |at: usize, line: &str| kept(&line.replacen("o ", if at == 5 { "o 7" } else { "o " }, 1));
    assert!(refused(&strange), "another clause");
}
