//! Which lines of small programs can influence an assertion.

use heddle_analysis::{Facts, Property, Site, of_property};
use heddle_frontend::{Options, compile};

/// Lines marked `// A` must be in the slice of the assertions, other lines with an
/// instruction must not.
fn check(text: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.c");
    std::fs::write(&path, text).unwrap();
    let program = compile(&Options { inputs: vec![path], ..Options::default() }).unwrap();
    let entry = program.find_function("main").unwrap();
    let facts = Facts::of(&program, entry);
    let slice = of_property(&facts, Property::Assert);
    let mut found: Vec<u32> = Vec::new();
    for function in facts.functions() {
        for (block, body) in program.function(function).blocks.iter().enumerate() {
            for index in 0..=body.insts.len() {
                let site = Site { function, block: block as u32, index: index as u32 };
                if slice.contains(site) {
                    found.push(site.span(&program).line);
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found.retain(|&line| line != 0);
    let marked = text.lines().enumerate().filter(|(_, line)| line.ends_with("// A"));
    let marked: Vec<u32> = marked.map(|(at, _)| at as u32 + 1).collect();
    assert_eq!(found, marked, "{text}");
}

#[test]
fn data_that_flows_nowhere() {
    check(
        "#include <assert.h>
int kept, dropped;
int main(void) {
    kept = 1; // A
    dropped = 2;
    assert(kept == 1); // A
}",
    );
}

#[test]
fn a_branch_decides() {
    check(
        "#include <assert.h>
int which, kept, dropped;
int main(void) {
    which = 3; // A
    dropped = which;
    if (which) // A
        kept = 1; // A
    assert(kept == 1); // A
}",
    );
}

#[test]
fn through_pointers_and_calls() {
    check(
        "#include <assert.h>
int kept, dropped;
static void set(int *where, int what) {
    *where = what; // A
}
static void (*setter)(int *, int) = set;
int main(void) {
    setter(&kept, 1); // A
    dropped = 5;
    assert(kept == 1); // A
}",
    );
}

#[test]
fn fields_are_told_apart() {
    check(
        "#include <assert.h>
struct { int kept; long pad; int dropped; } s;
int main(void) {
    s.kept = 1; // A
    s.dropped = 2;
    assert(s.kept == 1); // A
}",
    );
}

#[test]
fn so_are_cells_at_known_places() {
    check(
        "#include <assert.h>
int cells[4], at;
int main(void) {
    at = 2; // A
    cells[at] = 1; // A
    cells[3] = 1;
    assert(cells[2] == 1); // A
}",
    );
}

#[test]
fn what_a_thread_does() {
    check(
        "#include <assert.h>
#include <pthread.h>
int kept, dropped;
static void *run(void *arg) {
    kept = 1; // A
    dropped = 1;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, run, 0); // A
    assert(kept <= 1); // A
}",
    );
}

#[test]
fn the_heap() {
    check(
        "#include <assert.h>
#include <stdlib.h>
int main(void) {
    int *kept = malloc(4), *dropped = malloc(4); // A
    *kept = 1; // A
    *dropped = 2;
    assert(*kept == 1); // A
}",
    );
}
