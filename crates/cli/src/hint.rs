//! Commands to type next, for the end of a report.

use std::path::Path;

use heddle_frontend::Options;
use heddle_memory::Model;

use crate::args::Property;
use crate::settings::{Check, arguments_text};
use crate::unknown_calls::unknown_calls_text;

pub fn replay(trace: &Path, options: &Options) -> String {
    command(&["heddle", "replay", &trace.to_string_lossy()], options)
}

/// For a run without `--trace`: how to record it.
pub fn record(settings: &Check) -> String {
    let mut words = vec!["heddle", "check", "--trace", "trace.json"];
    let (model, unwind) = (settings.model.to_string(), settings.unwind.map(|n| n.to_string()));
    if settings.entry != "main" {
        words.extend(["--entry", &settings.entry]);
    }
    if settings.model != Model::default() {
        words.extend(["--mm", &model]);
    }
    let names: Vec<&str> = settings.properties.iter().map(|p| p.name()).collect();
    let properties = names.join(",");
    if settings.properties != Property::DEFAULT {
        words.extend(["--check", &properties]);
    }
    if settings.program.allocations_fail {
        words.push("--malloc-fails");
    }
    if !settings.spurious {
        words.push("--no-spurious");
    }
    if let Some(unwind) = &unwind {
        words.extend(["--unwind", unwind]);
    }
    format!("{}; heddle replay trace.json", command(&words, &settings.program))
}

/// For `heddle races` without `--traces`: how to record what it finds.
pub fn races(settings: &Check) -> String {
    let mut words = vec!["heddle", "races", "--traces", "found"];
    let model = settings.model.to_string();
    if settings.entry != "main" {
        words.extend(["--entry", &settings.entry]);
    }
    if settings.model != Model::default() {
        words.extend(["--mm", &model]);
    }
    command(&words, &settings.program)
}

fn command(words: &[&str], options: &Options) -> String {
    let mut words: Vec<String> = words.iter().map(|word| (*word).to_string()).collect();
    if let Some(arguments) = arguments_text(&options.arguments).filter(|_| words[1] != "replay") {
        words.extend(["--args".to_string(), arguments]);
    }
    let unknown = unknown_calls_text(options.unknown_calls).filter(|_| words[1] == "check");
    if let Some(unknown) = unknown {
        words.extend(["--unknown-calls".to_string(), unknown]);
    }
    if options.ilp32 {
        words.push("--32".to_string());
    }
    words.extend(options.inputs.iter().map(|path| path.to_string_lossy().into_owned()));
    if !options.flags.is_empty() {
        words.push("--".to_string());
        words.extend(options.flags.iter().cloned());
    }
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

/// Only what a shell would change is quoted.
fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_string();
    }
    shlex::try_quote(word).map_or_else(|_| word.to_string(), |quoted| quoted.into_owned())
}

#[test]
fn words_are_quoted_where_the_shell_needs_it() {
    let options = Options {
        inputs: vec!["my prog.c".into()],
        flags: vec!["-DX=1".to_string()],
        ilp32: true,
        ..Options::default()
    };
    let hint = replay(Path::new("t.json"), &options);
    assert_eq!(hint, "heddle replay t.json --32 'my prog.c' -- -DX=1");
}
