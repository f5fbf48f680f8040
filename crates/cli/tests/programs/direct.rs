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
        let (report, late) = run(program, entry, case, STATEFUL);
        let expected = expectations.verdict(&case.model);
        // Where a bound cut something, it sees what is behind.
        if late || expected == "bounded" && report.verdict.word() != "unknown" {
            return None;
        }
        wrong(program, entry, expectations, case, &report)
    })
}

/// How long a program may take that is not made for keeping states.
const STATEFUL: Duration = Duration::from_millis(700);

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
    let program = match heddle_frontend::compile(&options) {
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

fn compare(
    program: &Program,
    entry: FuncId,
    expectations: &Expectations,
    case: &Case,
) -> Option<String> {
    let limit = Duration::from_secs(expectations.seconds);
    let (report, late) = run(program, entry, case, limit);
    if late {
        return Some(format!("did not end within {} s", limit.as_secs()));
    }
    let problem = wrong(program, entry, expectations, case, &report);
    problem.or_else(|| match expectations.executions(case) {
        Some(expected) if report.stats.executions != expected => {
            Some(format!("{} executions instead of {expected}", report.stats.executions))
        }
        _ => None,
    })
}

/// What the explorer says, and whether it was stopped.
fn run(program: &Program, entry: FuncId, case: &Case, limit: Duration) -> (Report, bool) {
    let model: Model = case.model.parse().expect("a model");
    let deadline = Instant::now() + limit;
    let interrupt = Arc::new(AtomicBool::new(false));
    let stop = interrupt.clone();
    let options = Options {
        algorithm: case.algorithm.parse().expect("an algorithm"),
        interrupt,
        progress: Some(Box::new(move |_| {
            stop.fetch_or(Instant::now() > deadline, Ordering::Relaxed);
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
    let replayed = heddle_witness::confirm(program, entry, model, failure);
    problem.or(replayed.err().map(|error| error.to_string()))
}

fn misplaced(expectations: &Expectations, case: &Case, failure: &Failure) -> Option<String> {
    let (line, kind) = (failure.violation.span.line, failure.violation.kind.to_string());
    let marked = expectations.violations(&case.model).contains(&(u64::from(line), kind.as_str()));
    (!marked).then(|| format!("{kind} on line {line}, which is not marked"))
}
