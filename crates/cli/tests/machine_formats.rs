//! SARIF, JUnit and what SV-COMP reads, from the programs of the tests.

mod common;

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

fn check(flags: &[&str], program: &str) -> common::Run {
    let mut args = vec!["check"];
    args.extend(flags);
    args.push(program);
    common::heddle(&args, Duration::from_secs(60)).expect("ends")
}

/// What `flag` writes to a file with this name.
fn written(flag: &str, name: &str, flags: &[&str], program: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    let mut all = vec![flag, file.to_str().unwrap()];
    all.extend(flags);
    check(&all, program);
    std::fs::read_to_string(&file).unwrap_or_default()
}

/// Elements are closed in order, and nothing is left of what has to be escaped.
fn assert_well_formed(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    for part in xml.split('<').skip(1) {
        let (tag, text) = part.split_once('>').unwrap_or_else(|| panic!("an open tag: {part}"));
        assert!(!text.contains('>'), "{text}");
        for reference in text.split('&').skip(1) {
            let name = reference.split(';').next().unwrap_or("");
            assert!(["lt", "gt", "amp", "quot", "#39"].contains(&name), "&{name}");
        }
        let name = tag.split([' ', '/']).next().unwrap_or("");
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if tag.starts_with('?') || tag.ends_with('/') => {}
            None => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

/// What the schema of SARIF 2.1.0 asks for, of what is used here.
fn assert_sarif(log: &Value) {
    assert_eq!(log["version"], "2.1.0");
    for run in log["runs"].as_array().expect("runs") {
        assert!(run["tool"]["driver"]["name"].is_string());
        let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
        for result in run["results"].as_array().expect("results") {
            assert!(result["message"]["text"].as_str().is_some_and(|text| !text.is_empty()));
            let index = result["ruleIndex"].as_u64().expect("an index") as usize;
            assert_eq!(rules[index]["id"], result["ruleId"]);
            let flows = result["codeFlows"][0]["threadFlows"].as_array().expect("flows");
            let mut orders: Vec<u64> = Vec::new();
            for flow in flows {
                let locations = flow["locations"].as_array().expect("locations");
                assert!(!locations.is_empty());
                for location in locations {
                    orders.push(location["executionOrder"].as_u64().expect("a number"));
                    assert_place(&location["location"]["physicalLocation"]);
                }
            }
            orders.sort_unstable();
            assert!(orders.windows(2).all(|pair| pair[0] < pair[1]), "{orders:?}");
            for location in result["locations"].as_array().expect("locations") {
                assert_place(&location["physicalLocation"]);
            }
        }
    }
}

fn assert_place(place: &Value) {
    if place.is_null() {
        return;
    }
    let uri = place["artifactLocation"]["uri"].as_str().expect("a reference");
    assert!(uri.chars().all(|c| c.is_ascii_graphic() && !"<>\"`{}|\\^".contains(c)), "{uri}");
    assert!(place["region"]["startLine"].as_u64().is_some_and(|line| line > 0));
}

#[test]
fn sarif() {
    for (flags, program, threads) in [
        (&[][..], "examples/bank.c", 3),
        (&["--mm", "tso"], "tests/programs/unsafe/broken_peterson.c", 3),
        (&[], "tests/programs/unsafe/deadlock_two_locks.c", 3),
        (&["--check", "race"], "tests/programs/unsafe/race_free.c", 3),
        (&["--check", "leak"], "tests/programs/unsafe/leak_local.c", 1),
    ] {
        let text = written("--sarif", "out.sarif", flags, program);
        let log: Value = serde_json::from_str(&text).expect("JSON");
        assert_sarif(&log);
        let result = &log["runs"][0]["results"][0];
        let flows = result["codeFlows"][0]["threadFlows"].as_array().map_or(0, Vec::len);
        assert_eq!(flows, threads, "{program}");
    }
    let text = written("--sarif", "out.sarif", &[], "examples/bank_fixed.c");
    let log: Value = serde_json::from_str(&text).expect("JSON");
    assert_sarif(&log);
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(0));
}

#[test]
fn junit() {
    let failed = written("--junit", "out.xml", &[], "examples/bank.c");
    assert_well_formed(&failed);
    assert!(failed.contains("failures=\"1\"") && failed.contains("<failure type=\"assertion\""));
    let passed = written("--junit", "out.xml", &[], "examples/bank_fixed.c");
    assert_well_formed(&passed);
    assert!(passed.contains("failures=\"0\"") && !passed.contains("<failure"));
    assert!(passed.contains("verdict: safe"));
}

#[test]
fn results_of_the_competition() {
    let folder = tempfile::tempdir().expect("a folder");
    let prp = |name: &str, formula: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, format!("CHECK( init(main()), LTL({formula}) )\n")).expect("written");
        path.to_str().unwrap().to_string()
    };
    let reach = prp("unreach-call.prp", "G ! call(reach_error())");
    let race = prp("no-data-race.prp", "G ! data-race");
    let deref = prp("valid-deref.prp", "G valid-deref");
    let free = prp("valid-free.prp", "G valid-free");
    let overflow = prp("no-overflow.prp", "G ! overflow");
    for (prp, program, result) in [
        (&reach, "unsafe/reach_error.c", "false(unreach-call)"),
        (&reach, "../../examples/bank_fixed.c", "true"),
        (&race, "unsafe/race_plain.c", "false(no-data-race)"),
        (&race, "../../examples/bank_fixed.c", "true"),
        (&deref, "unsafe/use_after_free.c", "false(valid-deref)"),
        (&free, "unsafe/double_free.c", "false(valid-free)"),
        (&overflow, "unsafe/overflow_in_one_interleaving.c", "false(no-overflow)"),
    ] {
        let program = format!("tests/programs/{program}");
        let run = check(&["--format", "svcomp", "--prp", prp], &program);
        assert_eq!(run.stdout, format!("{result}\n"), "{program}: {}", run.stderr);
    }
    let cleanup = prp("valid-memcleanup.prp", "G valid-memcleanup");
    let run = check(&["--format=svcomp", "--prp", &cleanup], "tests/programs/unsafe/leak_local.c");
    assert_eq!(run.stdout, "false(valid-memcleanup)\n");
    // A violation of what was not asked for.
    let used = "tests/programs/unsafe/use_after_free.c";
    assert_eq!(check(&["--format=svcomp", "--prp", &free], used).stdout, "unknown\n");
    let ends = prp("termination.prp", "F end");
    let run = check(&["--format", "svcomp", "--prp", &ends], "examples/bank.c");
    assert_eq!(run.code, Some(2));
    // What is cut is not true.
    let loops = folder.path().join("loop.c");
    let text = "#include <pthread.h>\nint x;\nvoid *work(void *p) { while (x < 5) x++; return p; }\n\
        int main(void) { pthread_t t; pthread_create(&t, 0, work, 0); work(0); }\n";
    std::fs::write(&loops, text).expect("written");
    let flags = ["--format", "svcomp", "--unwind", "2", "--algorithm", "optimal"];
    assert_eq!(check(&flags, loops.to_str().unwrap()).stdout, "unknown\n");
}

fn sha256(path: &Path) -> Option<String> {
    let output = std::process::Command::new("sha256sum").arg(path).output().ok()?;
    String::from_utf8(output.stdout).ok()?.split(' ').next().map(str::to_string)
}

#[test]
fn witnesses() {
    let program = "tests/programs/unsafe/reach_error.c";
    let hash = sha256(&common::root().join(program)).expect("sha256sum");
    let graph = written("--witness", "w.graphml", &[], program);
    assert_well_formed(&graph);
    for part in [
        "<data key=\"witness-type\">violation_witness</data>",
        "<data key=\"violation\">true</data>",
        "<data key=\"createThread\">1</data>",
        "<data key=\"architecture\">64bit</data>",
        &format!("<data key=\"programhash\">{hash}</data>"),
    ] {
        assert!(graph.contains(part), "{part}: {graph}");
    }
    let yaml = written("--witness", "w.yml", &[], program);
    for part in [
        "- entry_type: violation_sequence\n",
        "    format_version: \"2.0\"\n",
        &format!("        \"{program}\": {hash}\n"),
        "      data_model: LP64\n",
        "          type: target\n          action: follow\n          location:\n",
    ] {
        assert!(yaml.contains(part), "{part:?}: {yaml}");
    }
    let safe = written("--witness", "w.yml", &[], "examples/bank_fixed.c");
    assert!(safe.contains("entry_type: invariant_set") && safe.ends_with("content: []\n"));
    let safe = written("--witness", "w.graphml", &["--32"], "examples/bank_fixed.c");
    assert_well_formed(&safe);
    assert!(safe.contains("correctness_witness") && safe.contains("32bit"));
}

#[test]
fn quiet_and_without_arguments() {
    let run = check(&["-q"], "examples/bank.c");
    assert_eq!(run.stdout, "verdict: unsafe (assertion at examples/bank.c:37)\n");
    let run = common::heddle::<&str>(&[], Duration::from_secs(20)).expect("ends");
    assert_eq!(run.code, Some(0));
    assert!(run.stdout.contains("Usage: heddle") && run.stdout.contains("check"), "{}", run.stdout);
}

#[test]
fn completions_and_manual_pages() {
    let run = |args: &[&str]| common::heddle(args, Duration::from_secs(20)).expect("ends");
    for shell in ["bash", "zsh", "fish"] {
        let text = run(&["completions", shell]).stdout;
        assert!(text.contains("--unwind") || text.contains("unwind"), "{shell}");
    }
    assert!(run(&["man"]).stdout.contains(".TH heddle 1"));
    assert!(run(&["man", "check"]).stdout.contains(".TH heddle-check 1"));
    assert_eq!(run(&["man", "nothing"]).code, Some(2));
}
