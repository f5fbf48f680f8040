//! What people expect of a command line: a version, colours when asked for, little or much to
//! read, hints, completions, manual pages, and a look at whether everything works.

mod common;

use std::time::Duration;

use common::heddle;
use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(60);
const BANK: &str = "examples/bank.c";

fn stdout(args: &[&str]) -> String {
    heddle(args, LIMIT).expect("in time").stdout
}

#[test]
fn the_version_says_what_is_built_in() {
    let text = stdout(&["--version"]);
    let lines: Vec<&str> = text.lines().collect();
    let [name, commit, llvm, solver] = lines[..] else { panic!("{text}") };
    assert_eq!(name, format!("heddle {}", env!("CARGO_PKG_VERSION")));
    let commit = commit.strip_prefix("commit ").expect("a commit");
    assert!(commit == "unknown" || commit.chars().all(|c| c.is_ascii_hexdigit()), "{commit}");
    assert!(llvm.starts_with("LLVM 22."), "{llvm}");
    assert!(solver.starts_with("CaDiCaL "), "{solver}");
    assert_eq!(stdout(&["-V"]).trim_end(), name);
}

#[test]
fn the_doctor_tries_everything() {
    let run = heddle(&["doctor", "--format", "json"], LIMIT).expect("in time");
    assert_eq!(run.code, Some(0), "{}", run.stdout);
    let value: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(value["works"], true);
    let findings = value["findings"].as_array().expect("findings");
    let names: Vec<&str> = findings.iter().filter_map(|it| it["name"].as_str()).collect();
    for name in ["clang", "memory", "limits", "explorer", "states", "formulas", "check", "C++"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert!(stdout(&["doctor"]).ends_with("Heddle works here.\n"));
}

#[test]
fn the_doctor_says_what_is_missing() {
    let mut command = common::command(&["doctor"]);
    command.env("HEDDLE_CLANG", "/nowhere/clang");
    let run = common::run(&mut command, LIMIT).expect("in time");
    assert_eq!(run.code, Some(2));
    assert!(
        run.stdout.contains("BAD   clang        /nowhere/clang can't be run"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("install clang-22"), "{}", run.stdout);
    let mut command = common::command(&["doctor"]);
    command.env("TMPDIR", "/nowhere");
    let run = common::run(&mut command, LIMIT).expect("in time");
    assert_eq!(run.code, Some(2));
    assert!(run.stdout.contains("BAD   scratch      /nowhere"), "{}", run.stdout);
}

#[test]
fn colours_as_asked_for() {
    let (trace, folder) = recorded();
    for args in [
        &["check", BANK][..],
        &["races", BANK],
        &["swarm", BANK],
        &["replay", &trace],
        &["explain", &trace],
    ] {
        let with = |when: &str| stdout(&[args, &["--color", when]].concat()).contains("\x1b[");
        assert!(with("always") && !with("never") && !with("auto"), "{args:?}");
    }
    drop(folder);
}

/// A violation of the bank.
fn recorded() -> (String, tempfile::TempDir) {
    let folder = tempfile::tempdir().expect("a folder");
    let trace = folder.path().join("trace.json").to_string_lossy().into_owned();
    stdout(&["check", BANK, "--trace", &trace]);
    (trace, folder)
}

#[test]
fn little_or_much_to_read() {
    for command in ["check", "swarm"] {
        let quiet = stdout(&[command, BANK, "-q"]);
        assert_eq!(quiet, "verdict: unsafe (assertion at examples/bank.c:37)\n", "{command}");
    }
    let much = stdout(&["check", BANK, "-v"]);
    assert!(much.contains("effort: ") && much.len() > stdout(&["check", BANK]).len(), "{much}");
    let both = heddle(&["check", BANK, "-q", "-v"], LIMIT).expect("in time");
    assert_eq!(both.code, Some(2), "{}", both.stderr);
}

/// A check, a header that changes, a check.
#[test]
fn watched_programs_are_checked_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("limit.h"), "#define LIMIT 1\n").expect("written");
    let program =
        "#include <assert.h>\n#include \"limit.h\"\nint main(void) { assert(LIMIT == 1); }\n";
    std::fs::write(path("main.c"), program).expect("written");
    let main = path("main.c").to_string_lossy().into_owned();
    let mut command = common::command(&["watch", "-q", "--checks", "2", &main]);
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().expect("starts");
    std::thread::sleep(Duration::from_secs(3));
    std::fs::write(path("limit.h"), "#define LIMIT 22\n").expect("written");
    let run = common::finish(child, LIMIT).expect("in time");
    let lines: Vec<&str> = run.stdout.lines().collect();
    let [first, watching, second] = lines[..] else { panic!("{}{}", run.stdout, run.stderr) };
    assert!(first.starts_with("verdict: safe") && watching == "watching for changes", "{first}");
    assert!(second.starts_with("verdict: unsafe (assertion at ") && run.code == Some(10));
}

#[test]
fn shells_and_man_know_all_commands() {
    let commands = ["check", "races", "swarm", "replay", "emit", "doctor"];
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = stdout(&["completions", shell]);
        assert!(commands.iter().all(|name| text.contains(name)), "{shell}");
    }
    let main = stdout(&["man"]);
    for name in commands {
        assert!(main.contains(&format!("heddle\\-{name}(1)")), "{name}");
        let page = stdout(&["man", name]);
        assert!(page.starts_with(".ie") && page.contains(&format!("heddle-{name}")), "{name}");
    }
    assert_eq!(heddle(&["man", "nothing"], LIMIT).expect("in time").code, Some(2));
}
