//! The reduced search under constraints sees what the naive one sees.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use heddle_constraint::{Edge, Trace};
use heddle_explore::{Algorithm, Constraints, Options};
use heddle_irs::prover::order_of;
use heddle_irs::{Subject, relax, starts};
use heddle_memory::Model;
use heddle_semantics::Verdict;

const PROGRAMS: &[&str] = &[
    "tests/native/figure_one.c",
    "tests/native/publication.c",
    "tests/native/shape.c",
    "tests/programs/unsafe/lost_update.c",
    "tests/programs/unsafe/lazy_init.c",
    "tests/programs/unsafe/check_then_act.c",
    "tests/programs/unsafe/condition_lost_wakeup.c",
    "tests/programs/unsafe/deadlock_two_locks.c",
    "tests/programs/unsafe/semaphore_two_inside.c",
    "tests/programs/unsafe/wrong_lock.c",
    "tests/programs/unsafe/broken_peterson.c",
    "tests/programs/safe/trylock.c",
];

fn compile(path: &str) -> heddle_ir::Program {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let options = heddle_frontend::Options { inputs: vec![root.join(path)], ..Default::default() };
    heddle_frontend::compile(&options).expect("it compiles")
}

/// What a search finds: the verdict's word, violations and final states.
fn findings(subject: &Subject<'_>, trace: &Trace, run: &heddle_irs::Run, by: Algorithm) -> String {
    let order = Arc::new(order_of(&run.threads, trace));
    let options = Options {
        algorithm: by,
        keep_going: true,
        max_executions: Some(30_000),
        constraints: Some(Constraints { sites: subject.sites.clone(), order }),
        ..Options::default()
    };
    let report = heddle_explore::check(subject.program, subject.entry, Model::Sc, &options)
        .expect("it starts");
    let mut violations: Vec<String> =
        report.findings.violations.iter().map(|found| format!("{found:?}")).collect();
    violations.sort();
    let mut states: Vec<u64> = report.findings.final_states.into_iter().collect();
    states.sort_unstable();
    let word = match report.verdict {
        Verdict::Unknown(reason) => reason,
        // A search that goes on after a violation names the first.
        other => other.word().to_string(),
    };
    match word.starts_with("given up") {
        true => "given up".to_string(),
        // Where constraints can't be relied on, searches stop at different times.
        false if word.starts_with("constraints") => word,
        false => format!("{word} {violations:?} {states:x?}"),
    }
}

#[test]
fn the_naive_search_agrees() {
    let mut compared = 0;
    for path in PROGRAMS {
        let program = compile(path);
        let main = program.find_function("main").expect("main");
        let subject = Subject::new(&program, main);
        let interrupt = Arc::new(AtomicBool::new(false));
        let Ok(found) = starts(&subject, &interrupt, 2) else { continue };
        for start in found {
            for choice in subsets(&start.run.edges) {
                let mut trace = start.run.trace.clone();
                choice.iter().for_each(|&edge| trace.remove_edge(edge));
                let naive = findings(&subject, &trace, &start.run, Algorithm::Naive);
                let optimal = findings(&subject, &trace, &start.run, Algorithm::Optimal);
                if naive == "given up" {
                    continue;
                }
                assert_eq!(naive, optimal, "{path} without {choice:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 30, "{compared}");
}

/// Edges to drop: none, all, each one, all but one.
fn subsets(edges: &[Edge]) -> Vec<Vec<Edge>> {
    let mut all = vec![Vec::new(), edges.to_vec()];
    for &edge in edges {
        all.push(vec![edge]);
        all.push(edges.iter().copied().filter(|&other| other != edge).collect());
    }
    all
}

/// What is left is needed, and what was proven is safe by itself.
#[test]
fn constraints_that_stay_are_needed() {
    for path in &PROGRAMS[..10] {
        let program = compile(path);
        let main = program.find_function("main").expect("main");
        let subject = Subject::new(&program, main);
        let interrupt = Arc::new(AtomicBool::new(false));
        let found = starts(&subject, &interrupt, 1).expect("a safe trace");
        let start = &found[0];
        let mut last = usize::MAX;
        let relaxed = relax(&subject, start, &interrupt, &mut |step| {
            assert!(step.trace.constraints() < last && step.trace.is_weaker_than(&start.run.trace));
            last = step.trace.constraints();
            true
        });
        assert!(relaxed.finished, "{path}");
        assert_eq!(relaxed.needed.len(), relaxed.trace.constraints(), "{path}");
        let proven = findings(&subject, &relaxed.trace, &start.run, Algorithm::Naive);
        assert!(proven.starts_with("safe") || proven == "given up", "{path}: {proven}");
        for edge in relaxed.trace.edges() {
            let mut fewer = relaxed.trace.clone();
            fewer.remove_edge(edge);
            let without = findings(&subject, &fewer, &start.run, Algorithm::Optimal);
            assert!(!without.starts_with("safe"), "{path} without {edge:?}: {without}");
        }
    }
}
