//! `heddle watch`: checks again whenever a file of the program changes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, SystemTime};

use clap::Args;
use heddle_frontend as frontend;

use crate::args::CheckArgs;
use crate::error::CliError;
use crate::interrupt::Interrupt;
use crate::output;
use crate::settings::Check;

/// How often files are looked at.
const EVERY: Duration = Duration::from_millis(200);
/// Editors write a file in several goes.
const SETTLED: Duration = Duration::from_millis(100);

/// Check a program, and again whenever one of its files changes
#[derive(Debug, Args)]
#[command(after_help = "\
Example:
  heddle watch prog.c --timeout 20s -- -Iinclude

Takes what `heddle check` takes. Ends with Ctrl-C.")]
pub struct WatchArgs {
    /// Stop after so many checks
    #[arg(long, value_name = "N")]
    pub checks: Option<u32>,

    #[command(flatten)]
    pub check: Box<CheckArgs>,
}

/// Size and time of files, or that they are not there.
type Seen = BTreeMap<PathBuf, Option<(u64, SystemTime)>>;

/// `words`: all of the command line, of which `heddle check` gets the rest.
pub fn run(args: WatchArgs, words: &[OsString]) -> Result<ExitCode, CliError> {
    let words = check_words(words);
    let settings = Check::try_from(*args.check)?;
    if settings.program.standard_input.is_some() {
        return Err(CliError::new("standard input does not change"));
    }
    let interrupt = Interrupt::watch()?;
    let me = std::env::current_exe()
        .map_err(|error| CliError::new(format!("where is heddle? {error}")))?;
    let mut done = 0;
    loop {
        let before = look(&files(&settings.program));
        let status = Command::new(&me).args(&words).status();
        let status = status.map_err(|error| CliError::new(format!("heddle check: {error}")))?;
        done += 1;
        let stopped = || interrupt.cause().is_some();
        if args.checks == Some(done) || stopped() {
            return Ok(ExitCode::from(u8::try_from(status.code().unwrap_or(2)).unwrap_or(2)));
        }
        output::print("watching for changes\n")?;
        while look(&before.keys().cloned().collect::<Vec<_>>()) == before {
            std::thread::sleep(EVERY);
            if stopped() {
                return Ok(ExitCode::SUCCESS);
            }
        }
        std::thread::sleep(SETTLED);
    }
}

/// `heddle watch …` as `heddle check …`, without what only `watch` knows.
fn check_words(words: &[OsString]) -> Vec<OsString> {
    let mut rest = Vec::new();
    let (mut words, mut named, mut own) = (words.iter().skip(1), false, true);
    while let Some(word) = words.next() {
        own = own && word != "--";
        if own && word == "--checks" {
            words.next();
        } else if own && word.to_string_lossy().starts_with("--checks=") {
        } else if !named && word == "watch" {
            named = true;
            rest.push("check".into());
        } else {
            rest.push(word.clone());
        }
    }
    rest
}

/// The files of the program, and headers as the compiler tells them; if it does not, those that
/// were named.
fn files(options: &frontend::Options) -> Vec<PathBuf> {
    let mut files = options.inputs.clone();
    let is_source = |path: &&PathBuf| {
        !path.extension().is_some_and(|end| end == "ll" || end == "bc" || end == "o")
    };
    let sources = options.inputs.iter().filter(is_source);
    let told = frontend::compiler().and_then(|clang| {
        let mut command = Command::new(clang);
        command.args(&options.flags).arg("-MM").args(sources).stderr(Stdio::null());
        command.output().ok()
    });
    if let Some(told) = told {
        files.extend(prerequisites(&String::from_utf8_lossy(&told.stdout)));
    }
    files
}

/// Of rules for make: `main.o: main.c a\\ b.h \\` and so on.
fn prerequisites(rules: &str) -> Vec<PathBuf> {
    let text = rules.replace("\\\n", " ").replace("\\ ", "\0");
    let words = text.split_whitespace().filter(|word| !word.ends_with(':'));
    words.map(|word| PathBuf::from(word.replace('\0', " "))).collect()
}

fn look(files: &[PathBuf]) -> Seen {
    let about = |path: &Path| {
        let about = std::fs::metadata(path).ok()?;
        Some((about.len(), about.modified().ok()?))
    };
    files.iter().map(|path| (path.clone(), about(path))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_of_make() {
        let rules = "main.o: main.c queue.h \\\n  a\\ b.h\nqueue.o: queue.c\n";
        let files = prerequisites(rules);
        assert_eq!(files, ["main.c", "queue.h", "a b.h", "queue.c"].map(PathBuf::from));
    }

    #[test]
    fn what_is_left_for_check() {
        let of = |line: &str| {
            let words: Vec<OsString> = line.split(' ').map(Into::into).collect();
            check_words(&words).join(std::ffi::OsStr::new(" ")).into_string().expect("plain")
        };
        assert_eq!(of("heddle watch a.c"), "check a.c");
        assert_eq!(of("heddle watch --checks 2 a.c -- -Dwatch"), "check a.c -- -Dwatch");
        assert_eq!(of("heddle watch --checks=2 watch -- --checks"), "check watch -- --checks");
        assert_eq!(of("heddle --color never watch a.c"), "--color never check a.c");
    }
}
