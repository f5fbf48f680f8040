//! What the schedulers of the step-wise encoding let through, on programs of which that can be
//! told by hand.

use std::path::Path;
use std::time::Duration;

use heddle_encode::{Interleaving, Interleavings, Reduction, interleavings};
use rustc_hash::FxHashSet;

fn all(text: &str, reduction: Reduction) -> Interleavings {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("steps.c");
    std::fs::write(&path, text).expect("written");
    all_of(&path, reduction)
}

fn all_of(path: &Path, reduction: Reduction) -> Interleavings {
    let options =
        heddle_frontend::Options { inputs: vec![path.to_path_buf()], ..Default::default() };
    let program = heddle_frontend::compile(&options).expect("it compiles");
    let entry = program.find_function("main").expect("main");
    let most = (20_000, Duration::from_secs(60));
    let all = interleavings(&program, entry, (reduction, 3), most).expect("small");
    assert!(!all.open && !all.more, "not all were told");
    all
}

/// The steps of threads 1 and 2 at points 1 to 3, as words of `a` and `b`.
fn words(all: &Interleavings) -> FxHashSet<String> {
    let letter = |&(thread, point): &(u32, u32)| match (thread, point) {
        (1, 1..=3) => Some('a'),
        (2, 1..=3) => Some('b'),
        _ => None,
    };
    let word = |it: &Interleaving| it.steps.iter().filter_map(letter).collect();
    all.all.iter().map(word).collect()
}

/// Figure 1 of Kahlon's paper: `sh` is added to twice and then looked at, by each thread. What
/// the looks decide is where the threads write last.
const FIGURE_1: &str = "#include <pthread.h>
#include <stdatomic.h>
static atomic_int sh;
static void reached(int where);
static void *a(void *p) {
    atomic_fetch_add(&sh, 1);
    atomic_fetch_add(&sh, 1);
    if (atomic_load(&sh) >= 2) reached(0);
    return p;
}
static void *b(void *p) {
    atomic_fetch_add(&sh, 2);
    atomic_fetch_add(&sh, 3);
    if (atomic_load(&sh) >= 6) reached(1);
    return p;
}
static int places[2];
static void reached(int where) { places[where] = 1; }
int main(void) {
    pthread_t s, t;
    pthread_create(&s, 0, a, 0);
    pthread_create(&t, 0, b, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    return places[0] + places[1];
}
";

#[test]
fn figure_1() {
    assert_eq!(words(&all(FIGURE_1, Reduction::None)).len(), 20);
    let monotonic = all(FIGURE_1, Reduction::Monotonic);
    assert_eq!((monotonic.all.len(), words(&monotonic).len()), (14, 14));
    let insensitive = all(FIGURE_1, Reduction::Insensitive);
    assert_eq!(insensitive.all.len(), 4);
}

/// Threads that only write to what nobody reads: six orders of three writes, none of which
/// decides anything.
#[test]
fn nothing_at_stake() {
    let text = "#include <pthread.h>
static int x;
static void *one(void *p) { x = 1; return p; }
static void *two(void *p) { x = 2; return p; }
static void *three(void *p) { x = 3; return p; }
int main(void) {
    pthread_t s, t, u;
    pthread_create(&s, 0, one, 0);
    pthread_create(&t, 0, two, 0);
    pthread_create(&u, 0, three, 0);
    pthread_join(s, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
";
    assert_eq!(all(text, Reduction::Monotonic).all.len(), 6);
    assert_eq!(all(text, Reduction::Insensitive).all.len(), 1);
}

/// As many as the traces that `classes` has, by hand.
#[test]
fn one_interleaving_of_each_trace() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/litmus");
    for (name, traces) in [("coww", 6), ("lb", 3), ("wrc", 7), ("order_lock", 3)] {
        let path = folder.join(format!("{name}.c"));
        assert_eq!(all_of(&path, Reduction::Monotonic).all.len(), traces, "{name}");
    }
}
