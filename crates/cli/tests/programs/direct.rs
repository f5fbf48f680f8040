//! Judges one variant of a program without the command line: compiled once for all
//! its cases, which for tiny programs is nearly all the time there is.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use heddle_explore::Options;
use heddle_ir::{FuncId, Program};
use heddle_memory::Model;
use heddle_semantics::{Failure, Verdict};

use crate::dialect::{Case, Expectations};

/// How the results differ from the expectations. The program must not ask for
/// arguments of the command line.
pub fn judge(path: &Path, expectations: &Expectations) -> Vec<String> {
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
        let problem = compare(&program, entry, expectations, case)?;
        Some(format!("[{},{}] {problem}", case.algorithm, case.model))
    };
    expectations.cases().iter().filter_map(named).collect()
}

fn compare(
    program: &Program,
    entry: FuncId,
    expectations: &Expectations,
    case: &Case,
) -> Option<String> {
    let model: Model = case.model.parse().expect("a model");
    let limit = Duration::from_secs(expectations.seconds);
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
    let report = match heddle_explore::check(program, entry, model, &options) {
        Ok(report) => report,
        Err(error) => return Some(error.to_string()),
    };
    if options.interrupt.load(Ordering::Relaxed) {
        return Some(format!("did not end within {} s", limit.as_secs()));
    }
    let (verdict, expected) = (report.verdict.word(), expectations.verdict(&case.model));
    if verdict != expected {
        return Some(format!("{:?} instead of {expected}", report.verdict));
    }
    if let Verdict::Unsafe(failure) = &report.verdict {
        let problem = misplaced(expectations, case, failure);
        let replayed = heddle_witness::confirm(program, entry, model, failure);
        if let Some(problem) = problem.or(replayed.err().map(|error| error.to_string())) {
            return Some(problem);
        }
    }
    match expectations.executions(case) {
        Some(expected) if report.stats.executions != expected => {
            Some(format!("{} executions instead of {expected}", report.stats.executions))
        }
        _ => None,
    }
}

fn misplaced(expectations: &Expectations, case: &Case, failure: &Failure) -> Option<String> {
    let (line, kind) = (failure.violation.span.line, failure.violation.kind.to_string());
    let marked = expectations.violations(&case.model).contains(&(u64::from(line), kind.as_str()));
    (!marked).then(|| format!("{kind} on line {line}, which is not marked"))
}
