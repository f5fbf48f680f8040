//! What is said about each program of `tests/programs/unsafe`, beside a judgement made by
//! reading it: `right` (it names what went wrong, and where), `vague` (nothing in it is wrong,
//! but it does not get to the point), or `wrong`. At least four in five have to be right.
//!
//! A text that changes has to be judged again: `HEDDLE_RENEW=1` writes the file anew, with
//! `unjudged` where the text is another one.

mod common;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// The judgement and the text of each program.
type Judged = BTreeMap<String, (String, String)>;

fn read(text: &str) -> Judged {
    let mut all = Judged::new();
    for part in text.split("\n== ").map(|part| part.trim_start_matches("== ")) {
        let Some((head, body)) = part.split_once('\n') else { continue };
        if let Some((name, judgement)) = head.split_once(' ') {
            all.insert(name.to_string(), (judgement.to_string(), body.trim().to_string()));
        }
    }
    all
}

/// One engine by itself, on one core, so that the same violation is found each time.
fn engine(engines: &str, algorithms: &str, args: &[String]) -> Vec<String> {
    let mut listed = algorithms.split(' ');
    let algorithm = match listed.clone().any(|name| name == "guided") || algorithms.is_empty() {
        true => "guided",
        false => listed.next().unwrap_or("guided"),
    };
    let said = |flag: &str| args.iter().any(|arg| arg.starts_with(flag));
    let words: &[&str] = match algorithm {
        _ if engines.starts_with("lazy") && !said("--engine") => &["--engine", "lazy"],
        _ if engines.starts_with("lazy") || said("--algorithm") || said("--engine") => &[],
        "stateful" => &["--algorithm", "stateful", "--jobs", "1"],
        other => &["--algorithm", other],
    };
    words.iter().map(ToString::to_string).collect()
}

fn explanation(folder: &Path, name: &str) -> String {
    let source = std::fs::read_to_string(folder.join(name)).expect("readable");
    let directive = |key: &str| {
        let prefix = format!("//@ {key}: ");
        source.lines().find_map(|line| line.strip_prefix(&prefix)).unwrap_or("").to_string()
    };
    let only = source.split("VIOLATION[").nth(1).and_then(|rest| rest.split([',', ']']).next());
    let models = directive("models");
    let model = only.or(models.split(' ').next()).filter(|model| !model.is_empty());
    let mut args = vec!["check".to_string(), "--format=json".to_string()];
    args.extend(["--timeout".to_string(), "30".to_string()]);
    args.extend(["--mm".to_string(), model.unwrap_or("sc").to_string()]);
    args.extend(shlex::split(&directive("args")).expect("words"));
    args.extend(engine(&directive("engines"), &directive("algorithms"), &args));
    if !directive("unwind").is_empty() {
        args.extend(["--unwind".to_string(), directive("unwind")]);
    }
    args.extend([name.to_string(), "--".to_string()]);
    args.extend(shlex::split(&directive("cflags")).expect("words"));
    let variant = source.lines().find(|line| line.starts_with("//@ variant["));
    let names = variant.and_then(|line| line.split(": ").nth(1)).unwrap_or("");
    let names = names.split('|').next().unwrap_or("").split_whitespace();
    args.extend(names.map(|name| format!("-D{name}")));
    let mut command = common::command(&args);
    let run = common::run(command.current_dir(folder), Duration::from_secs(60)).expect("ends");
    let result: serde_json::Value = serde_json::from_str(&run.stdout).unwrap_or_default();
    let why = &result["violation"]["explanation"];
    let mut lines: Vec<String> = Vec::new();
    for sentence in why["sentences"].as_array().into_iter().flatten() {
        lines.push(sentence.as_str().unwrap_or_default().to_string());
    }
    lines.extend(why["hint"].as_str().map(|hint| format!("hint: {hint}")));
    lines.extend(why["pattern"].as_str().map(|pattern| format!("pattern: {pattern}")));
    if lines.is_empty() { result["verdict"].to_string() } else { lines.join("\n") }
}

#[test]
fn four_in_five_are_right() {
    let folder = common::root().join("tests/programs/unsafe");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/explanations.txt");
    let known = read(&std::fs::read_to_string(&file).unwrap_or_default());
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .expect("exists")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".c") || name.ends_with(".cpp"))
        .collect();
    names.sort();
    let mut now = Judged::new();
    for name in &names {
        let text = explanation(&folder, name);
        let same = known.get(name).filter(|(_, old)| *old == text);
        let judgement = same.map_or("unjudged", |(judgement, _)| judgement).to_string();
        now.insert(name.clone(), (judgement, text));
    }
    if std::env::var_os("HEDDLE_RENEW").is_some() {
        let parts =
            now.iter().map(|(name, (judged, text))| format!("== {name} {judged}\n{text}\n"));
        std::fs::write(&file, parts.collect::<Vec<_>>().join("\n")).expect("written");
    }
    let count = |word: &str| now.values().filter(|(judgement, _)| judgement == word).count();
    let (right, vague, wrong) = (count("right"), count("vague"), count("wrong"));
    println!("{right} right, {vague} vague, {wrong} wrong, of {}", now.len());
    let changed: Vec<&String> =
        now.iter().filter(|(_, (judged, _))| judged == "unjudged").map(|(name, _)| name).collect();
    assert!(changed.is_empty(), "to be judged (HEDDLE_RENEW=1 writes them): {changed:?}");
    assert!(right * 5 >= now.len() * 4, "only {right} of {} are right", now.len());
}
