//! The lemmas of the thesis in `docs/papers.md`: what a thread reads and writes is the same
//! whether its memory is that of the interpreter, thread interfaces (3.3), one sequence of all
//! writes (5.1), or one of each location under SC (6.1), TSO and PSO (6.2). And the symbolic
//! face of the memory models (`heddle_memory::arrival`) is that of their queues.

use std::fmt::Write;

use heddle_encode::Method;
use heddle_explore::Algorithm;
use heddle_ir::{FuncId, Ordering, Program};
use heddle_memory::arrival::{Arrival, arrival};
use heddle_memory::{Model, ModelVisitor};
use heddle_semantics::{FenceRule, MemoryModel, StoreRule, Verdict};

const ROUNDS: u32 = 5;

fn compile(text: &str) -> Program {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("lemmas.c");
    std::fs::write(&path, text).expect("written");
    let options = heddle_frontend::Options { inputs: vec![path], ..Default::default() };
    heddle_frontend::compile(&options).expect("it compiles")
}

/// Does the assertion fail, by the queues of the interpreter?
fn fails(program: &Program, entry: FuncId, model: Model) -> bool {
    let options = heddle_explore::Options { algorithm: Algorithm::Optimal, ..Default::default() };
    let report = heddle_explore::check(program, entry, model, &options).expect("starts");
    decided(&report.verdict)
}

/// The same by a formula.
fn formula_fails(program: &Program, entry: FuncId, model: Model, method: Method) -> bool {
    let rounds = matches!(method, Method::Lazy | Method::LalReps);
    // To cover all takes many; these are as many as each thread has points.
    let bound = rounds.then_some(ROUNDS);
    let options = heddle_encode::Options { method, bound, ..Default::default() };
    match heddle_encode::check(program, entry, model, &options).verdict {
        Verdict::Bounded(_) if rounds => false,
        verdict => decided(&verdict),
    }
}

fn decided(verdict: &Verdict) -> bool {
    match verdict {
        Verdict::Unsafe(_) => true,
        Verdict::Safe => false,
        other => panic!("{} is no answer here", other.word()),
    }
}

fn all_methods(model: Model) -> impl Iterator<Item = Method> {
    Method::ALL.iter().copied().filter(move |method| method.knows(model))
}

const HEADER: &str = "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n";

/// Two threads that each read twice, among writes.
const SHAPES: &[(&str, &str)] = &[
    ("x = 1; a = y; b = x;", "y = 1; c = x; d = y;"),
    ("x = 1; x = 2; a = y; b = y;", "y = 1; c = x; d = x;"),
    ("a = x; y = a + 1; b = x;", "x = 1; c = y; x = 2; d = y;"),
];

#[test]
fn every_encoding_has_the_runs_of_the_interpreter() {
    for (first, second) in SHAPES {
        // What was read is a number below 81.
        let mut text = format!("{HEADER}static int x, y, a, b, c, d;\n");
        let _ = writeln!(text, "static void *one(void *p) {{ {first} return p; }}");
        let _ = writeln!(text, "static void *two(void *p) {{ {second} return p; }}");
        text += "static void run(int wanted) {\n\
                 pthread_t s, t;\n\
                 pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);\n\
                 pthread_join(s, 0); pthread_join(t, 0);\n\
                 assert(a + 3 * b + 9 * c + 27 * d != wanted);\n}\n";
        let wanted: Vec<u32> = (0..81).step_by(2).collect();
        for number in &wanted {
            let _ = writeln!(text, "int main_{number}(void) {{ run({number}); return 0; }}");
        }
        let program = compile(&text);
        let mut reached = 0;
        for number in wanted {
            let entry = program.find_function(&format!("main_{number}")).expect("just written");
            for &model in Model::ALL {
                let known = fails(&program, entry, model);
                reached += usize::from(known);
                for method in all_methods(model) {
                    let said = formula_fails(&program, entry, model, method);
                    let name = method.name();
                    assert_eq!(said, known, "{first} | {second}: {number}, {name}, {model}");
                }
            }
        }
        assert!(reached > 3, "only {reached} outcomes of {first} | {second}");
    }
}

/// Rounds alone would have to be many: the other encoding ends the search.
#[test]
fn proofs_are_completed_by_another_encoding() {
    let text = format!(
        "{HEADER}static int x, y, a, b;\n\
         static void *one(void *p) {{ x = 1; a = y; x = 2; a += y; return p; }}\n\
         static void *two(void *p) {{ y = 1; b = x; y = 2; b += x; return p; }}\n\
         static void run(int most) {{ pthread_t s, t;\n\
         pthread_create(&s, 0, one, 0); pthread_create(&t, 0, two, 0);\n\
         pthread_join(s, 0); pthread_join(t, 0); assert(a + b <= most); }}\n\
         int right(void) {{ run(8); return 0; }}\n\
         int wrong(void) {{ run(3); return 0; }}\n"
    );
    let program = compile(&text);
    let ask = |name: &str| {
        let entry = program.find_function(name).expect("just written");
        let complete_with = Some(Method::Imu);
        let options = heddle_encode::Options { complete_with, ..Default::default() };
        heddle_encode::check(&program, entry, Model::Sc, &options)
    };
    let right = ask("right");
    assert_eq!(right.verdict.word(), "safe");
    assert_eq!(right.stats.method, Method::Imu);
    assert_eq!(ask("wrong").verdict.word(), "unsafe");
}

const STORES: &[(&str, Option<Ordering>)] = &[
    ("plain_V = 1;", None),
    ("atomic_store_explicit(&V, 1, memory_order_relaxed);", Some(Ordering::Relaxed)),
    ("atomic_store_explicit(&V, 1, memory_order_release);", Some(Ordering::Release)),
    ("atomic_store(&V, 1);", Some(Ordering::SeqCst)),
];

const FENCES: &[(&str, Option<Ordering>)] = &[
    ("", None),
    ("atomic_thread_fence(memory_order_acquire);", Some(Ordering::Acquire)),
    ("atomic_thread_fence(memory_order_release);", Some(Ordering::Release)),
    ("atomic_thread_fence(memory_order_seq_cst);", Some(Ordering::SeqCst)),
];

/// May the second of two stores to different places be in memory before the first?
struct MayOvertake(Option<Ordering>, Option<Ordering>, Option<Ordering>);

impl ModelVisitor for MayOvertake {
    type Output = bool;

    fn visit<M: MemoryModel>(self, model: M) -> bool {
        let MayOvertake(first, fence, second) = self;
        let waits = |order| matches!(model.store(order), StoreRule::Buffer { .. });
        let fenced = fence.is_some_and(|order| model.fence(order) != FenceRule::Nothing);
        waits(first)
            && waits(second)
            && !fenced
            && arrival(&model, model.store(second)) == Arrival::ByQueue
    }
}

#[test]
fn the_symbolic_face_of_models_is_that_of_their_queues() {
    let mut text = format!("{HEADER}static atomic_int a, b;\nstatic int plain_a, plain_b;\n");
    let mut cases = Vec::new();
    for &(first, kind) in STORES {
        for &(fence, between) in FENCES {
            for &(second, other) in STORES {
                let number = cases.len();
                let read = |store: &str, name: &str| match store.starts_with("plain") {
                    true => format!("plain_{name}"),
                    false => format!("atomic_load_explicit(&{name}, memory_order_relaxed)"),
                };
                let (reads_b, reads_a) = (read(second, "b"), read(first, "a"));
                let (first, second) = (first.replace('V', "a"), second.replace('V', "b"));
                let _ = writeln!(
                    text,
                    "static void *write_{number}(void *p) {{ {first} {fence} {second} return p; }}\n\
                     static void *read_{number}(void *p) {{ int s = {reads_b}; int f = {reads_a};\n\
                     assert(!s || f); return p; }}\n\
                     int main_{number}(void) {{ pthread_t s, t;\n\
                     pthread_create(&s, 0, write_{number}, 0);\n\
                     pthread_create(&t, 0, read_{number}, 0);\n\
                     pthread_join(s, 0); pthread_join(t, 0); return 0; }}"
                );
                cases.push((kind, between, other));
            }
        }
    }
    let program = compile(&text);
    for (number, (first, fence, second)) in cases.into_iter().enumerate() {
        let entry = program.find_function(&format!("main_{number}")).expect("just written");
        for &model in Model::ALL {
            let case = format!("{first:?}, {fence:?}, {second:?} under {model}");
            let told = model.with(MayOvertake(first, fence, second));
            assert_eq!(fails(&program, entry, model), told, "queues: {case}");
            for method in [Method::Lazy, Method::Imu] {
                let said = formula_fails(&program, entry, model, method);
                assert_eq!(said, told, "{}: {case}", method.name());
            }
        }
    }
}
