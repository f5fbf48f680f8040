//! Programs that Heddle runs: the compiler, and what some commands need.

use std::path::Path;
use std::process::{Command, Stdio};

use heddle_frontend as frontend;

use super::{Finding, State};

pub fn look() -> Vec<Finding> {
    let mut findings = vec![clang()];
    findings.push(optional("gdb", "--version", "heddle replay --native --gdb: install gdb"));
    findings.push(optional("sbatch", "--version", "heddle swarm --runner slurm: install slurm"));
    findings
}

/// The first line that a program prints.
fn first_line(program: &Path, flag: &str) -> Option<String> {
    let output = Command::new(program).arg(flag).stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Some(text.lines().next().unwrap_or_default().to_string())
}

/// A number behind the word `version`.
fn version_in(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once("version ")?;
    rest.split(|c: char| !c.is_ascii_digit() && c != '.').next().filter(|it| !it.is_empty())
}

/// Its bitcode is read by the LLVM that is linked, which must not be older.
fn clang() -> Finding {
    let linked = frontend::llvm_version();
    let install = "install clang-22, or set HEDDLE_CLANG to its path";
    let Some(path) = frontend::compiler() else {
        return Finding::bad("clang", State::Broken, ("none on the path".to_string(), install));
    };
    let shown = path.display();
    let Some(line) = first_line(&path, "--version") else {
        let what = format!("{shown} can't be run");
        return Finding::bad("clang", State::Broken, (what, install));
    };
    let major = |version: &str| version.split('.').next().and_then(|it| it.parse::<u32>().ok());
    match version_in(&line).map(|version| (version, major(version))) {
        Some((version, Some(found))) if Some(found) <= major(&linked) => {
            Finding::good("clang", format!("{version} ({shown}), for LLVM {linked}"))
        }
        Some((version, _)) => {
            let what = format!("{version} ({shown}) is newer than LLVM {linked}");
            Finding::bad("clang", State::Broken, (what, install))
        }
        None => {
            let what = format!("{shown} says no version: {line}");
            Finding::bad("clang", State::Broken, (what, install))
        }
    }
}

fn optional(name: &'static str, flag: &str, advice: &str) -> Finding {
    match first_line(Path::new(name), flag) {
        Some(line) => Finding::good(name, line),
        None => Finding::bad(name, State::Missing, ("not on the path".to_string(), advice)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(version_in("Debian clang version 22.1.0 (++x)"), Some("22.1.0"));
        assert_eq!(version_in("clang version 21git"), Some("21"));
        assert_eq!(version_in("gcc (Debian) 14"), None);
    }
}
