//! `heddle races`: every pair of lines is decided, and each race that a search finds is among
//! the warnings.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn programs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs")
}

fn races(program: &Path, arguments: &[&str]) -> (Value, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(["races", "--format", "json"])
        .args(arguments)
        .arg(program)
        .output()
        .expect("heddle runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let told = serde_json::from_str(&text)
        .unwrap_or_else(|why| panic!("{}: {why}\n{text}{error}", program.display()));
    (told, output.status.code().unwrap_or(-1))
}

fn decisions(told: &Value, word: &str) -> Vec<(u64, u64)> {
    let pairs = told["pairs"].as_array().expect("a list").iter();
    let lines = |pair: &Value| {
        let line = |nth: usize| pair["accesses"][nth]["line"].as_u64().unwrap_or(0);
        (line(0), line(1))
    };
    pairs.filter(|pair| pair["decision"] == word).map(lines).collect()
}

fn write(name: &str, text: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("heddle-races-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join(name);
    std::fs::write(&path, text).expect("a file");
    path
}

const SEVERAL: &str = "#include <pthread.h>
int x, y, z, w;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *f(void *a) {
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    y++;
    z = 1;
    return a;
}
int main(void) {
    pthread_t t, u;
    w = 3;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, f, 0);
    int q = x;
    pthread_join(t, 0);
    pthread_join(u, 0);
    return x + y + z + w + q;
}
";

/// The search goes on after the first race.
#[test]
fn all_pairs_are_decided_in_one_run() {
    let program = write("several.c", SEVERAL);
    let (told, code) = races(&program, &[]);
    assert_eq!(code, 10);
    assert_eq!(told["verdict"], "unsafe");
    assert_eq!(told["exhausted"], true);
    assert_eq!(decisions(&told, "real"), [(6, 17), (8, 8), (9, 9)]);
    // After the joins there is nobody left.
    assert_eq!(decisions(&told, "impossible"), [(6, 20), (8, 20), (9, 20)]);
    assert!(decisions(&told, "open").is_empty());
    let first = &told["pairs"][0];
    assert_eq!(first["accesses"][0]["locks"], serde_json::json!(["m"]));
    assert_eq!(first["violation"]["kind"], "data-race");
}

/// A schedule that is written is one of that very pair.
#[test]
fn traces_replay() {
    let program = write("replayed.c", SEVERAL);
    let folder = program.with_file_name("found");
    let (told, _) = races(&program, &["--traces", &folder.to_string_lossy()]);
    let real = decisions(&told, "real");
    for (nth, (first, second)) in real.into_iter().enumerate() {
        let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
            .args(["replay", "--format", "json"])
            .arg(folder.join(format!("race-{}.json", nth + 1)))
            .output()
            .expect("heddle runs");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let replayed: Value = serde_json::from_str(&text).expect("JSON");
        let accesses = &replayed["violation"]["race"]["accesses"];
        let line = |nth: usize| accesses[nth]["stack"][0]["line"].as_u64().unwrap_or(0);
        let mut lines = [line(0), line(1)];
        lines.sort_unstable();
        assert_eq!(lines, [first, second], "{accesses}");
    }
}

/// A loop that does not end: invariants exclude the pair, the search alone could not.
#[test]
fn invariants_decide_endless_programs() {
    let (told, code) = races(&programs().join("invariants/counter_lock.c"), &["--timeout", "3"]);
    assert_eq!((code, &told["verdict"]), (0, &Value::from("safe")), "{told}");
    assert_eq!(told["exhausted"], false);
}

/// Programs about races: what they mark is found, and nothing that is found was not warned of.
#[test]
fn what_is_found_is_among_the_warnings() {
    for folder in ["safe", "unsafe"] {
        for entry in std::fs::read_dir(programs().join(folder)).expect("the folder is there") {
            let path = entry.expect("readable").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !name.starts_with("race_") {
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("readable");
            // Some only race where stores may wait.
            let weak = text.contains("VIOLATION[tso,pso]");
            let model = if weak { "tso" } else { "sc" };
            let (told, code) = races(&path, &["--mm", model]);
            assert_eq!(code, if folder == "safe" { 0 } else { 10 }, "{name}: {told}");
            for pair in told["pairs"].as_array().expect("a list") {
                let real = pair["decision"] == "real";
                assert!(!real || pair["warned"] == true, "{name}: {pair}");
            }
        }
    }
}

#[test]
fn bad_usage_is_told() {
    let output = Command::new(env!("CARGO_BIN_EXE_heddle"))
        .args(["races", "--entry", "", "x.c"])
        .output()
        .expect("heddle runs");
    assert_eq!(output.status.code(), Some(2));
}
