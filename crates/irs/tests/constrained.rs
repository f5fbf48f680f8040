//! The reduced search under constraints sees what the naive one sees, and the formula says
//! the same.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use heddle_constraint::{ANY_SITE, Condition, Edge, Event, SCOPE_SITE, Thread, Trace};
use heddle_explore::{Algorithm, Constraints, Options};
use heddle_irs::prover::{Answer, Explorer, Prover, order_of};
use heddle_irs::{Formula, Subject, relax, starts};
use heddle_memory::Model;
use heddle_semantics::Verdict;

const PROGRAMS: &[&str] = &[
    "tests/native/figure_one.c",
    "tests/native/publication.c",
    "tests/native/shape.c",
    "tests/native/chosen_cells.c",
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
    let program = heddle_frontend::compile(&options).expect("it compiles");
    heddle_ir::Program { arguments: heddle_ir::Arguments::Given(Vec::new()), ..program }
}

fn subject(program: &heddle_ir::Program) -> Subject<'_> {
    Subject::new(program, program.find_function("main").expect("main"))
}

/// Nobody interrupts.
fn nobody() -> Arc<AtomicBool> {
    Arc::new(AtomicBool::new(false))
}

fn provers<'s, 'p>(subject: &'s Subject<'p>) -> (Explorer<'s, 'p>, Formula<'s, 'p>) {
    let interrupt = nobody();
    (Explorer { subject, interrupt: interrupt.clone() }, Formula { subject, interrupt })
}

/// Two events, each a thread and a number.
type Pair = ((u32, u32), (u32, u32));

fn trace_of(edges: &[Pair]) -> Trace {
    let mut trace = Trace::new();
    for &((first, at), (second, then)) in edges {
        trace.add_edge(Edge::new(Event::new(first, at), Event::new(second, then)));
    }
    trace
}

/// Three children of the main thread.
fn children() -> Vec<Thread> {
    (0..3).map(|nth| Thread { parent: 0, nth }).collect()
}

/// What both provers say about constraints on a main thread and its three children.
fn answers(path: &str, trace: &Trace) -> [Answer; 2] {
    let program = compile(path);
    let subject = subject(&program);
    let (explorer, formula) = provers(&subject);
    let threads = children();
    [explorer.prove(&threads, trace, 10_000), formula.prove(&threads, trace, 64 * 20)]
}

/// What a search finds: the verdict's word, violations and final states.
fn findings(subject: &Subject<'_>, trace: &Trace, threads: &[Thread], by: Algorithm) -> String {
    let order = Arc::new(order_of(threads, trace));
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
        let subject = subject(&program);
        let Ok(found) = starts(&subject, &nobody(), 2) else { continue };
        for start in found {
            for choice in subsets(&start.run.edges) {
                let mut trace = start.run.trace.clone();
                choice.iter().for_each(|&edge| trace.remove_edge(edge));
                for trace in [conditional(&trace), trace] {
                    let naive = findings(&subject, &trace, &start.run.threads, Algorithm::Naive);
                    let optimal =
                        findings(&subject, &trace, &start.run.threads, Algorithm::Optimal);
                    if naive == "given up" {
                        continue;
                    }
                    assert_eq!(naive, optimal, "{path} without {choice:?}");
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 60, "{compared}");
}

/// The formula has other means to find out the same, for programs without inputs.
#[test]
fn the_formula_agrees() {
    let mut compared = 0;
    for path in PROGRAMS {
        let program = compile(path);
        let subject = subject(&program);
        let Ok(found) = starts(&subject, &nobody(), 1) else { continue };
        let (explorer, formula) = provers(&subject);
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
        let subject = subject(&program);
        let Ok(found) = starts(&subject, &nobody(), 1) else { continue };
        let run = &found[0].run;
        let mut trace = run.trace.clone();
        let last = |thread: usize| Event::new(thread as u32, run.events[thread] - 1);
        for thread in (1..run.events.len()).filter(|&thread| run.events[thread] > 0) {
            trace.add_edge(Edge::new(last(thread), last(0)));
        }
        let (explorer, formula) = provers(&subject);
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
    let subject = subject(&program);
    let found = starts(&subject, &nobody(), 1).expect("a trace that is safe for all inputs");
    let (_, formula) = provers(&subject);
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

/// The same edges, which count only if both events touch the same memory.
fn conditional(trace: &Trace) -> Trace {
    let mut all = trace.clone();
    for edge in trace.edges() {
        all.remove_edge(edge);
        all.add_edge(Edge { condition: Some(Condition::SameMemory), ..edge });
    }
    all
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
    for path in &PROGRAMS[..11] {
        let program = compile(path);
        let subject = subject(&program);
        let found = starts(&subject, &nobody(), 1).expect("a safe trace");
        let start = &found[0];
        let mut last = start.run.trace.clone();
        let relaxed = relax(&subject, start, &nobody(), &mut |step| {
            assert!(step.trace.is_weaker_than(&last) && !last.is_weaker_than(&step.trace));
            last = step.trace.clone();
            true
        });
        assert!(relaxed.finished, "{path}");
        assert_eq!(relaxed.needed.len(), relaxed.trace.constraints(), "{path}");
        let proven = findings(&subject, &relaxed.trace, &start.run.threads, Algorithm::Naive);
        assert!(proven.starts_with("safe") || proven == "given up", "{path}: {proven}");
        for edge in relaxed.trace.edges() {
            let mut fewer = relaxed.trace.clone();
            fewer.remove_edge(edge);
            let without = findings(&subject, &fewer, &start.run.threads, Algorithm::Optimal);
            assert!(!without.starts_with("safe"), "{path} without {edge:?}: {without}");
        }
    }
}

/// The variable is lent before the borrower asks for it, and looked at before its function
/// returns.
#[test]
fn returns_are_events() {
    const LENT: &str = "tests/native/lent_variable.c";
    const ASKED: Pair = ((1, 1), (2, 0));
    for answer in answers(LENT, &trace_of(&[ASKED, ((2, 1), (1, 2))])) {
        let Answer::Proven { sites, .. } = answer else { panic!("{answer:?}") };
        assert_eq!(sites[&Event::new(1, 2)].site, SCOPE_SITE);
    }
    // One event later it has returned.
    for answer in answers(LENT, &trace_of(&[ASKED, ((2, 1), (1, 3))])) {
        assert!(matches!(answer, Answer::Violation(_)), "{answer:?}");
    }
}

/// The reader waits for the writer only if both come to the same cell.
#[test]
fn memory_decides() {
    const CELLS: &str = "tests/native/chosen_cells.c";
    const WRITTEN: Pair = ((2, 1), (3, 0));
    for answer in answers(CELLS, &conditional(&trace_of(&[WRITTEN]))) {
        assert!(matches!(answer, Answer::Proven { .. }), "{answer:?}");
    }
    // The writer's end touches nothing, so it is waited for.
    for answer in answers(CELLS, &conditional(&trace_of(&[((2, 2), (3, 0))]))) {
        assert!(matches!(answer, Answer::Proven { .. }), "{answer:?}");
    }
    // It is not enough that the writer has chosen: that touches something else.
    for answer in answers(CELLS, &conditional(&trace_of(&[((2, 0), (3, 0))]))) {
        assert!(matches!(answer, Answer::Violation(_)), "{answer:?}");
    }
}

/// The writer waits for the reader, and the reader for the writer if the cells are the same.
/// They are not if nobody chooses before the writer ends.
#[test]
fn memory_decides_who_is_blocked() {
    const CHOSEN_LATE: Pair = ((2, 2), (1, 0));
    let blocked = |written: Trace, others: &[Pair]| {
        let mut trace = trace_of(others);
        trace.add_edge(Edge::new(Event::new(3, 0), Event::new(2, 1)));
        written.edges().for_each(|edge| trace.add_edge(edge));
        answers("tests/native/chosen_cells.c", &trace)
            .map(|answer| matches!(answer, Answer::Unusable(_)))
    };
    let written = trace_of(&[((2, 1), (3, 0))]);
    assert_eq!(blocked(written.clone(), &[CHOSEN_LATE]), [true; 2]);
    assert_eq!(blocked(conditional(&written), &[]), [true; 2]);
    assert_eq!(blocked(conditional(&written), &[CHOSEN_LATE]), [false; 2]);
}

/// Figure 2 of the paper: only if the two inputs are the same does the order matter.
#[test]
fn what_stays_gets_a_condition() {
    let program = compile("tests/native/input_index.c");
    let subject = subject(&program);
    let found = starts(&subject, &nobody(), 1).expect("a trace that is safe for all inputs");
    let relaxed = relax(&subject, &found[0], &nobody(), &mut |_| true);
    assert!(relaxed.finished);
    let conditions: Vec<_> = relaxed.trace.edges().map(|edge| edge.condition).collect();
    assert_eq!(conditions, [Some(Condition::SameMemory)]);
    assert!(relaxed.needed.iter().copied().eq(relaxed.trace.edges()));
}

const LOCKED: &str = "tests/native/locked_out.c";
const FLAG: Pair = ((1, 0), (3, 0));

/// The reader's first event comes after those of both others, or after what they never
/// come to before they end.
#[test]
fn an_event_waits_for_several_others() {
    for writer in [1, 99] {
        for answer in answers(LOCKED, &trace_of(&[FLAG, ((2, writer), (3, 0))])) {
            assert!(matches!(answer, Answer::Proven { .. }), "{answer:?}");
        }
    }
    let program = compile(LOCKED);
    let both = trace_of(&[FLAG, ((2, 1), (3, 0))]);
    let naive = findings(&subject(&program), &both, &children(), Algorithm::Naive);
    assert!(naive.starts_with("safe"), "{naive}");
    for answer in answers(LOCKED, &trace_of(&[FLAG, ((2, 0), (3, 0))])) {
        assert!(matches!(answer, Answer::Violation(_)), "{answer:?}");
    }
}

/// A thread waits for one that it has not created yet.
#[test]
fn nobody_waits_for_the_unborn() {
    for answer in answers(LOCKED, &trace_of(&[((1, 0), (0, 0))])) {
        assert!(matches!(answer, Answer::Unusable(_)), "{answer:?}");
    }
}

/// Without the first constraint nothing fails, but the second one may block everybody.
#[test]
fn constraints_that_block_are_not_accepted() {
    const DATA: Pair = ((2, 1), (3, 2));
    for answer in answers(LOCKED, &trace_of(&[FLAG, DATA])) {
        assert!(matches!(answer, Answer::Proven { .. }), "{answer:?}");
    }
    for answer in answers(LOCKED, &trace_of(&[DATA])) {
        assert!(matches!(answer, Answer::Unusable(_)), "{answer:?}");
    }
    let program = compile(LOCKED);
    let subject = subject(&program);
    let found = starts(&subject, &nobody(), 4).expect("a safe trace");
    let whole = trace_of(&[FLAG, DATA]);
    let start = found.iter().find(|start| whole.is_weaker_than(&start.run.trace));
    let start = start.expect("the flag is set, then the data is written, then both are read");
    let relaxed = relax(&subject, start, &nobody(), &mut |_| true);
    assert!(relaxed.finished);
    assert!(relaxed.trace.edges().eq(whole.edges()), "{:?}", relaxed.trace);
    assert_eq!((relaxed.needed.len(), relaxed.ruled_out.len()), (2, 1));
}
