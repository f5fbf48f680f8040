//! The crates and their dependencies are those that ARCHITECTURE.md tells.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

type Edges = BTreeMap<String, BTreeSet<String>>;

/// Rows `| crate | job | may depend on |` of the table in ARCHITECTURE.md.
fn declared() -> Edges {
    let text = std::fs::read_to_string(common::root().join("ARCHITECTURE.md")).expect("exists");
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [name, _, dependencies] = cells.as_slice() else { panic!("not three cells: {row}") };
        let names = dependencies.split(',').map(|name| name.trim().trim_matches('`').to_string());
        (name.trim_matches('`').to_string(), names.filter(|name| name != "–").collect())
    })
    .collect()
}

/// What the crates really need, tests apart.
fn actual() -> Edges {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--no-deps", "--offline"])
        .current_dir(common::root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let crates = common::root().join("crates");
    let mut edges = Edges::new();
    for package in metadata["packages"].as_array().expect("packages") {
        let manifest = package["manifest_path"].as_str().expect("a path");
        let Ok(place) = std::path::Path::new(manifest).strip_prefix(&crates) else { continue };
        let folder = place.iter().next().unwrap().to_string_lossy();
        assert_eq!(package["name"], format!("heddle-{folder}"), "{manifest}");
        let dependencies = package["dependencies"].as_array().expect("dependencies");
        let names = dependencies
            .iter()
            .filter(|dependency| dependency["kind"] != "dev")
            .filter_map(|dependency| dependency["name"].as_str()?.strip_prefix("heddle-"));
        edges.insert(folder.into_owned(), names.map(str::to_string).collect());
    }
    edges
}

/// Everything that can be reached from `name`.
fn reachable(edges: &Edges, name: &str) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    let mut todo = vec![name.to_string()];
    while let Some(next) = todo.pop() {
        for dependency in edges.get(&next).into_iter().flatten() {
            if seen.insert(dependency.clone()) {
                todo.push(dependency.clone());
            }
        }
    }
    seen
}

#[test]
fn the_page_names_every_crate_and_no_other() {
    let named: Vec<String> = declared().into_keys().collect();
    let existing: Vec<String> = actual().into_keys().collect();
    assert_eq!(named, existing);
}

#[test]
fn no_dependency_outside_the_table() {
    let declared = declared();
    for (name, dependencies) in actual() {
        let allowed = reachable(&declared, &name);
        let extra: Vec<&String> = dependencies.difference(&allowed).collect();
        assert!(extra.is_empty(), "heddle-{name} may not depend on {extra:?}");
    }
}

#[test]
fn only_the_front_end_knows_llvm() {
    for (name, _) in actual() {
        let path = common::root().join("crates").join(&name).join("Cargo.toml");
        let manifest = std::fs::read_to_string(path).expect("readable");
        let knows = manifest.contains("inkwell") || manifest.contains("llvm-sys");
        assert_eq!(knows, name == "frontend", "crates/{name}");
    }
}

/// Pages that name files that are gone mislead.
#[test]
fn files_named_in_the_documentation_exist() {
    for page in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/papers.md"] {
        let text = std::fs::read_to_string(common::root().join(page)).expect("readable");
        for word in text.split(['`', '(', ')', '|', ' ', '\n']) {
            let word = word.trim_end_matches(['.', ',', ':', ';']);
            let is_path = word.contains('/') && word.contains(".rs") && !word.contains('*');
            if !is_path {
                continue;
            }
            let root = common::root();
            let exists = root.join(word).exists() || root.join("crates").join(word).exists();
            assert!(exists, "{page} names {word}, which does not exist");
        }
    }
}

/// The page on assumptions has the words of the verdicts, and programs that exist. Whoever
/// adds a bound comes by here.
#[test]
fn the_page_on_assumptions_is_right() {
    let all = heddle_semantics::Bounds {
        unwind: Some(1),
        threads: Some(1),
        rounds: Some(1),
        writes: Some(1),
        location_writes: Some(1),
        clusters: Some(1),
        depth: Some(1),
        switches: Some(1),
        bits: Some(1),
        stack: Some(1),
        steps: Some(1),
        queue: Some(1),
        delays: Some(1),
        inputs: true,
        reuse: true,
        mixed_widths: true,
        padding: true,
        wakeups: true,
        signals_only: true,
        arguments: true,
        short_arguments: true,
        no_signals: true,
        files: true,
        short_lines: true,
        environment: true,
        allocations: true,
        large: true,
        unknown_calls: true,
        addresses: true,
    };
    let words = all.to_string();
    // Those of the search itself, which are not chosen for the program.
    let mut left: Vec<&str> = words.split(", ").skip(13).collect();
    left.retain(|word| *word != "stores of mixed width in order");
    let page = common::root().join("docs/assumptions.md");
    let page = std::fs::read_to_string(page).expect("the page");
    for row in page.lines().filter(|line| line.starts_with("| ")).skip(1) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (word, program) = (cells[3], cells[5].trim_matches('`'));
        assert!(left.contains(&word), "{word:?} is none of {left:?}, or there twice");
        left.retain(|other| *other != word);
        let path = common::root().join("tests/programs").join(program);
        assert!(path.exists(), "{program}");
    }
    assert!(left.is_empty(), "{left:?} are not on the page");
}
