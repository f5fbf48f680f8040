//! Judges one variant of a program without the command line: compiled once for all
//! its cases, which for tiny programs is nearly all the time there is.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use heddle_explore::{Options, Report};
use heddle_ir::{FuncId, Program};
use heddle_memory::Model;
use heddle_semantics::{Failure, Verdict};

use crate::dialect::{Case, Expectations};

/// How the results differ from the expectations. The program must not ask for
/// arguments of the command line.
pub fn judge(path: &Path, expectations: &Expectations) -> Vec<String> {
    each(path, expectations, &expectations.cases(), |program, entry, case| {
        compare(program, entry, expectations, case)
    })
}

/// The same with the explorer that keeps states, under each model. It may take too long,
/// but it may not be wrong; loops are no reason for it not to know.
pub fn judge_stateful(path: &Path, expectations: &Expectations) -> Vec<String> {
    each(path, expectations, &expectations.stateful_cases(), |program, entry, case| {
        let (report, late) = run(program, entry, expectations, case, STATEFUL);
        let expected = expectations.verdict(&case.model);
        // Where a bound cut something, it sees what is behind.
        if late || expected == "bounded" && report.verdict.word() != "unknown" {
            return None;
        }
        wrong(program, entry, expectations, case, &report)
    })
}

/// In what `guided` is worse than `optimal` under `sc`: another verdict, more executions, or
/// much more time. Nothing is said of programs that `optimal` does not finish.
pub fn judge_guided(path: &Path, expectations: &Expectations) -> Vec<String> {
    let case = |algorithm: &str| Case { algorithm: algorithm.into(), model: "sc".into() };
    each(path, expectations, &[case("guided")], |program, entry, guided| {
        let timed = |case: &Case| {
            let start = Instant::now();
            let (report, late) = run(program, entry, expectations, case, u64::MAX);
            (report, late, start.elapsed())
        };
        let (known, late, before) = timed(&case("optimal"));
        if late {
            return None;
        }
        let (report, late, after) = timed(guided);
        let (word, known_word) = (report.verdict.word(), known.verdict.word());
        let (ends, known_ends) = (report.stats.executions, known.stats.executions);
        let slow = after > before.mul_f64(1.5) && after > before + Duration::from_millis(500);
        if late {
            Some("did not end".to_string())
        } else if word != known_word {
            Some(format!("{word} instead of {known_word}"))
        } else if ends > known_ends {
            Some(format!("{ends} executions instead of {known_ends}"))
        } else {
            slow.then(|| format!("{after:.2?} instead of {before:.2?}"))
        }
    })
}

/// How many steps a program may take that is not made for keeping states.
const STATEFUL: u64 = 50_000;

fn each(
    path: &Path,
    expectations: &Expectations,
    cases: &[Case],
    judge: impl Fn(&Program, FuncId, &Case) -> Option<String>,
) -> Vec<String> {
    let options = heddle_frontend::Options {
        inputs: vec![path.to_owned()],
        flags: expectations.cflags.clone(),
        ..Default::default()
    };
    let signals_only = expectations.args.iter().any(|arg| arg == "--no-spurious");
    let program = match compile(options, !signals_only) {
        Ok(program) => program,
        Err(error) => return vec![error.to_string()],
    };
    let Some(entry) = program.find_function("main") else { return vec!["no main".to_string()] };
    let named = |case: &Case| {
        let problem = judge(&program, entry, case)?;
        Some(format!("[{},{}] {problem}", case.algorithm, case.model))
    };
    cases.iter().filter_map(named).collect()
}

/// As the command line does it: waits may end without a signal where that matters.
fn compile(
    mut options: heddle_frontend::Options,
    spurious: bool,
) -> Result<Program, heddle_frontend::Error> {
    let program = heddle_frontend::compile(&options)?;
    if !spurious || !heddle_analysis::waits_matter(&program) {
        return Ok(program);
    }
    options.wakeups = true;
    let mut program = heddle_frontend::compile(&options)?;
    heddle_analysis::wake_spuriously(&mut program);
    Ok(program)
}

fn compare(
    program: &Program,
    entry: FuncId,
    expectations: &Expectations,
    case: &Case,
) -> Option<String> {
    let (report, late) = run(program, entry, expectations, case, u64::MAX);
    if late {
        return Some(format!("did not end within {} s", expectations.seconds));
    }
    let problem = wrong(program, entry, expectations, case, &report);
    problem.or_else(|| match expectations.executions(case) {
        Some(expected) if report.stats.executions != expected => {
            Some(format!("{} executions instead of {expected}", report.stats.executions))
        }
        _ => None,
    })
}

/// What the explorer says, and whether it was stopped, after as many steps or at last after
/// some time.
fn run(
    program: &Program,
    entry: FuncId,
    expectations: &Expectations,
    case: &Case,
    steps: u64,
) -> (Report, bool) {
    let model: Model = case.model.parse().expect("a model");
    let deadline = Instant::now() + Duration::from_secs(expectations.seconds);
    let interrupt = Arc::new(AtomicBool::new(false));
    let stop = interrupt.clone();
    let options = Options {
        algorithm: case.algorithm.parse().expect("an algorithm"),
        unwind: expectations.unwind.map(|bound| u32::try_from(bound).expect("a small bound")),
        interrupt,
        progress: Some(Box::new(move |stats| {
            let late = stats.transitions > steps || Instant::now() > deadline;
            stop.fetch_or(late, Ordering::Relaxed);
        })),
        ..Options::default()
    };
    let report = heddle_explore::check(program, entry, model, &options).expect("a small program");
    let late = options.interrupt.load(Ordering::Relaxed);
    (report, late)
}

/// How a verdict differs from what is right.
fn wrong(
    program: &Program,
    entry: FuncId,
    expectations: &Expectations,
    case: &Case,
    report: &Report,
) -> Option<String> {
    let (verdict, expected) = (report.verdict.word(), expectations.verdict(&case.model));
    if verdict != expected {
        return Some(format!("{:?} instead of {expected}", report.verdict));
    }
    let Verdict::Unsafe(failure) = &report.verdict else { return None };
    let model: Model = case.model.parse().expect("a model");
    let problem = misplaced(expectations, case, failure);
    let subject =
        heddle_witness::Subject { program, entry, model, max_steps: None, unchecked: &[] };
    let replayed = heddle_witness::confirm(subject, failure);
    problem.or(replayed.err().map(|error| error.to_string()))
}

fn misplaced(expectations: &Expectations, case: &Case, failure: &Failure) -> Option<String> {
    let (line, kind) = (failure.violation.span.line, failure.violation.kind.to_string());
    let marked = expectations.violations(&case.model).contains(&(u64::from(line), kind.as_str()));
    (!marked).then(|| format!("{kind} on line {line}, which is not marked"))
}
