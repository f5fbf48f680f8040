//! Every library function with pointer arguments gets a null pointer, a block that was
//! freed, one that is a byte too small, and one that another thread changes meanwhile: with
//! a lock that is clean, without it is a race.
//!
//! All of that is one program of many functions, each of which is checked by itself.

use std::collections::BTreeSet;
use std::fmt::Write;

use heddle_explore::Options;
use heddle_ir::Program;
use heddle_machine::Machine;
use heddle_memory::{Model, Sc};
use heddle_semantics::Verdict;

use crate::calls::{GROUPS, OTHERS, ROWS, Row};

const OPENING: &str = r#"
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>

static char other[64];
static pthread_t thread;
static pthread_mutex_t mutex, held = PTHREAD_MUTEX_INITIALIZER, guard = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static const struct timespec time_limit;
static void *P;
static void *body(void *arg) { return arg; }
static int c11(void *arg) { return arg != 0; }
static void nothing(void) {}
static int order(const void *a, const void *b) { return *(const char *)a - *(const char *)b; }
static void *hold(void) { pthread_mutex_lock(&held); return &held; }
static void start(void *slot, void *attributes) {
  pthread_create(slot, attributes, body, 0);
  pthread_join(*(pthread_t *)slot, 0);
}
static void stop(void *slot) {
  pthread_t started;
  pthread_create(&started, 0, body, 0);
  pthread_join(started, slot);
}
// Another thread that touches what P points to, and leaves it as it is.
static void touch(void) { volatile char *byte = P; char c = *byte; *byte = c; }
static void *touch_only(void *arg) { touch(); return arg; }
static void *touch_locked(void *arg) {
  pthread_mutex_lock(&guard);
  touch();
  pthread_mutex_unlock(&guard);
  return arg;
}
"#;

/// The functions that check a row: its number, how, and what is to come out.
fn checks(number: usize, row: &Row) -> Vec<(String, String, &'static str)> {
    let Row { call, bytes, made, .. } = *row;
    let room = bytes.max(8);
    let mut all = Vec::new();
    let mut check = |how: &str, body: String, outcome| {
        all.push((format!("{how}_{number}"), body, outcome));
    };
    let null = if row.optional { "safe" } else { "null-dereference" };
    check("null", format!("P = 0; sem_init(&semaphore, 0, 1); {call};"), null);
    check(
        "freed",
        format!("P = malloc({room}); free(P); sem_init(&semaphore, 0, 1); {call};"),
        row.freed,
    );
    if bytes > 1 {
        check(
            "small",
            format!(
                "P = malloc(64); {made} char *small = malloc({bytes} - 1); \
                 for (int i = 0; i < {bytes} - 1; i++) small[i] = ((char *)P)[i]; \
                 sem_init(&semaphore, 0, 1); P = small; {call};"
            ),
            "out-of-bounds",
        );
    }
    if row.unshared.is_none() {
        let begin = format!("pthread_t t; P = malloc(64); {made} sem_init(&semaphore, 0, 1);");
        let end = "pthread_join(t, 0);";
        let filled = if made.is_empty() { "memset(P, 0, 8);" } else { "" };
        check(
            "alone",
            format!("{begin} {filled} pthread_create(&t, 0, touch_only, 0); {call}; {end}"),
            "data-race",
        );
        check(
            "locked",
            format!(
                "{begin} {filled} pthread_create(&t, 0, touch_locked, 0); \
                 pthread_mutex_lock(&guard); {call}; pthread_mutex_unlock(&guard); {end}"
            ),
            "safe",
        );
    }
    all
}

fn compile(text: &str) -> Program {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("program.c");
    std::fs::write(&source, text).expect("it is written");
    let flags = vec!["-w".to_string(), "-fno-builtin".to_string()];
    let options = heddle_frontend::Options { inputs: vec![source], flags, ..Default::default() };
    heddle_frontend::compile(&options).expect("it compiles")
}

fn outcome(program: &Program, name: &str) -> String {
    let entry = program.find_function(name).expect("it is there");
    let options = Options { races: true, ..Options::default() };
    let report = heddle_explore::check(program, entry, Model::Sc, &options).expect("it starts");
    match report.verdict {
        Verdict::Unsafe(failure) => failure.violation.kind.to_string(),
        Verdict::Unknown(why) => format!("unknown: {why}"),
        // What a wait with a deadline returns, or what time it is, are inputs.
        Verdict::Bounded(_) => "safe".to_string(),
        Verdict::Safe => "safe".to_string(),
    }
}

#[test]
fn bad_pointers_are_noticed() {
    let mut text = OPENING.to_string();
    let mut all = Vec::new();
    for (number, row) in ROWS.iter().enumerate() {
        for (name, body, expected) in checks(number, row) {
            let _ = writeln!(text, "int {name}(void) {{ {body} return 0; }}");
            all.push((name, row, expected));
        }
    }
    text.push_str("int main(void) { return 0; }\n");
    let program = compile(&text);
    let mut problems = String::new();
    for (name, row, expected) in all {
        let found = outcome(&program, &name);
        if found != expected {
            let _ = writeln!(problems, "{name}: {}: {found} instead of {expected}", row.call);
        }
    }
    assert!(problems.is_empty(), "\n{problems}");
}

#[test]
fn every_function_is_listed() {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for (group, names) in heddle_semantics::library::names::<Machine<'static, Sc>>() {
        if !GROUPS.contains(&group) {
            known.extend(names);
        }
    }
    for (group, _, names) in heddle_frontend::library() {
        if !group.starts_with("C++") {
            known.extend(names);
        }
    }
    known.retain(|name| !name.starts_with("__heddle_") && !name.starts_with("_ZN"));
    let rows = ROWS.iter().map(|row| row.name);
    let listed: BTreeSet<&str> =
        rows.chain(OTHERS.iter().flat_map(|(_, names)| names.iter().copied())).collect();
    let missing: Vec<_> = known.difference(&listed).collect();
    let strange: Vec<_> = listed.difference(&known).collect();
    assert!(missing.is_empty(), "tests/library/calls.rs says nothing about {missing:?}");
    assert!(strange.is_empty(), "tests/library/calls.rs speaks of {strange:?}");
}
