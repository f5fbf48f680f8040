//! The reduced search under constraints sees what the naive one sees, and the formula says
//! the same.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use heddle_constraint::{ANY_SITE, Edge, Event, Trace};
use heddle_explore::{Algorithm, Constraints, Options};
use heddle_irs::prover::{Answer, Explorer, Prover, order_of};
use heddle_irs::{Formula, Subject, relax, starts};
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

/// Programs with events of other kinds.
const COUNTED: &[&str] = &[
    "tests/native/aba_stack.c",
    "tests/native/use_after_free.c",
    "tests/programs/safe/barrier.c",
    "tests/programs/safe/condition.c",
    "tests/programs/safe/once.c",
    "tests/programs/safe/rwlock.c",
    "tests/programs/safe/heap_handover.c",
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

/// The formula has other means to find out the same, for programs without inputs.
#[test]
fn the_formula_agrees() {
    let mut compared = 0;
    for path in PROGRAMS {
        let program = compile(path);
        let main = program.find_function("main").expect("main");
        let subject = Subject::new(&program, main);
        let interrupt = Arc::new(AtomicBool::new(false));
        let Ok(found) = starts(&subject, &interrupt, 1) else { continue };
        let explorer = Explorer { subject: &subject, interrupt: interrupt.clone() };
        let formula = Formula { subject: &subject, interrupt: interrupt.clone() };
        let start = &found[0];
        for choice in subsets(&start.run.edges).into_iter().take(8) {
            let mut trace = start.run.trace.clone();
            choice.iter().for_each(|&edge| trace.remove_edge(edge));
            let one = explorer.prove(&start.run.threads, &trace, 10_000);
            let other = formula.prove(&start.run.threads, &trace, 64 * 3);
            let same = match (&one, &other) {
                (Answer::Proven { sites, .. }, Answer::Proven { sites: theirs, .. }) => {
                    // The formula may have followed ways that no run takes.
                    sites
                        .iter()
                        .all(|(event, site)| [site.site, ANY_SITE].contains(&theirs[event].site))
                }
                (Answer::Violation(_) | Answer::Unusable(_), other) => {
                    // Several things may be wrong.
                    !matches!(other, Answer::Proven { .. })
                }
                (Answer::Proven { .. }, Answer::Violation(_) | Answer::Unusable(_)) => false,
                _ => true,
            };
            assert!(same, "{path} without {choice:?}: {one:?}, but {other:?}");
            compared += usize::from(matches!(other, Answer::Proven { .. } | Answer::Violation(_)));
        }
    }
    assert!(compared > 40, "{compared}");
}

/// The last event of each thread, before that of the main thread, is the same for both:
/// they count frees, returns, waits and whatever else is an event alike.
#[test]
fn the_formula_counts_as_the_explorer() {
    let mut compared = 0;
    for path in PROGRAMS.iter().chain(COUNTED) {
        let program = compile(path);
        let main = program.find_function("main").expect("main");
        let subject = Subject::new(&program, main);
        let interrupt = Arc::new(AtomicBool::new(false));
        let Ok(found) = starts(&subject, &interrupt, 1) else { continue };
        let run = &found[0].run;
        let mut trace = run.trace.clone();
        let last = |thread: usize| Event::new(thread as u32, run.events[thread] - 1);
        for thread in (1..run.events.len()).filter(|&thread| run.events[thread] > 0) {
            trace.add_edge(Edge::new(last(thread), last(0)));
        }
        let explorer = Explorer { subject: &subject, interrupt: interrupt.clone() };
        let formula = Formula { subject: &subject, interrupt };
        let one = explorer.prove(&run.threads, &trace, 10_000);
        let other = formula.prove(&run.threads, &trace, 64 * 5);
        if let (Answer::Proven { sites, .. }, Answer::Proven { sites: theirs, .. }) = (one, other) {
            for (event, site) in sites {
                let told = theirs.get(&event).map(|told| told.site);
                let same = told == Some(site.site) || told == Some(ANY_SITE);
                assert!(same, "{path}: {event} is {site:?}, but {told:?}");
            }
            compared += 1;
        }
    }
    assert!(compared >= 10, "{compared}");
}

/// With the input 0 the event is the first one of its thread, otherwise the second.
#[test]
fn the_formula_knows_which_event_it_is() {
    let program = compile("tests/native/input_paths.c");
    let main = program.find_function("main").expect("main");
    let subject = Subject::new(&program, main);
    let interrupt = Arc::new(AtomicBool::new(false));
    let found = starts(&subject, &interrupt, 1).expect("a trace that is safe for all inputs");
    let formula = Formula { subject: &subject, interrupt };
    let answer = |index: u32| {
        let mut trace = Trace::new();
        trace.add_edge(Edge::new(Event::new(1, index), Event::new(2, 0)));
        formula.prove(&found[0].run.threads, &trace, 640)
    };
    assert!(matches!(answer(0), Answer::Violation(_)), "{:?}", answer(0));
    // Without the first event, the second one is the end of the thread.
    assert!(matches!(answer(1), Answer::Proven { .. }), "{:?}", answer(1));
    assert!(matches!(answer(2), Answer::Proven { .. }), "{:?}", answer(2));
    // Who waits for an event of a thread that has ended goes on.
    assert!(matches!(answer(9), Answer::Proven { .. }), "{:?}", answer(9));
    // A thread that waits for one which waits for it.
    let mut trace = Trace::new();
    trace.add_edge(Edge::new(Event::new(2, 0), Event::new(1, 0)));
    trace.add_edge(Edge::new(Event::new(1, 1), Event::new(2, 0)));
    let answer = formula.prove(&found[0].run.threads, &trace, 640);
    assert!(matches!(answer, Answer::Unusable(_)), "{answer:?}");
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
