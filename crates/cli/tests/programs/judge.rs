//! Runs one case and compares.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::common;
use crate::dialect::{Case, Expectations};

/// How the result differs from the expectations, if it does.
pub fn judge(path: &Path, expectations: &Expectations, case: &Case) -> Option<String> {
    let mut args = vec![format!("--algorithm={}", case.algorithm), format!("--mm={}", case.model)];
    if let Some(unwind) = expectations.unwind {
        args.push(format!("--unwind={unwind}"));
    }
    args.extend(expectations.args.iter().cloned());
    let limit = Duration::from_secs(expectations.seconds);
    let compare = |result: &Value, code| compare(expectations, case, result, code);
    let problem = run(path, expectations, args, limit).map_or_else(Some, |(r, c)| compare(&r, c));
    problem.map(|problem| format!("[{},{}] {problem}", case.algorithm, case.model))
}

/// The same with the engine `lazy`: a right program need not be shown to be right,
/// and a wrong one may be beyond the bounds if it says so.
pub fn judge_lazy(path: &Path, expectations: &Expectations, model: &str) -> Option<String> {
    judge_formula(path, expectations, model, LAZY)
}

/// The same with another encoding.
pub fn judge_formula(
    path: &Path,
    expectations: &Expectations,
    model: &str,
    engine: &[&str],
) -> Option<String> {
    let mut args = vec![format!("--mm={model}")];
    // Where it must find something it gets the time for it.
    let must = expectations.is_lazy_only() || expectations.verdict(model) == "unsafe";
    let seconds = if must { LONG_SECONDS } else { LAZY_SECONDS };
    args.push(format!("--timeout={seconds}"));
    args.extend(expectations.args.iter().cloned());
    let own = expectations.is_lazy_only();
    let bounds: &[&str] = if own { &[] } else { &["--unwind=3"] };
    let words = engine.iter().take(if own { 1 } else { usize::MAX });
    args.extend(words.chain(bounds).map(ToString::to_string));
    // The engine ends by itself; a run that is ended from here is a bug.
    let limit = Duration::from_secs(2 * LONG_SECONDS);
    let compare = |result: &Value, code| compare_lazy(expectations, model, result, code);
    let problem = run(path, expectations, args, limit).map_or_else(Some, |(r, c)| compare(&r, c));
    problem.map(|problem| format!("[{},{model}] {problem}", engine.join(" ")))
}

/// The engine, and the bounds for programs that do not give their own.
const LAZY: &[&str] = &["--engine=lazy", "--rounds=3"];

/// The other encodings; those of `mu` and `steps` know sequential consistency only.
pub const ENCODINGS: &[&[&str]] = &[
    &["--engine=lal-reps", "--rounds=3"],
    &["--engine=imu", "--writes=8"],
    &["--engine=order"],
    &["--engine=mu", "--schema=explicit", "--writes=24"],
    &["--engine=mu", "--schema=implicit", "--writes=24"],
    &["--engine=mu", "--schema=hybrid", "--writes=24"],
    &["--engine=mu", "--schema=coarse", "--writes=8"],
    &["--engine=steps", "--reduction=none"],
    &["--engine=steps", "--reduction=mpor"],
    &["--engine=steps", "--reduction=sir"],
];

/// For right programs, which need not be decided; and for others.
const LAZY_SECONDS: u64 = 20;
const LONG_SECONDS: u64 = 300;

/// Runs heddle; gives its report and exit code, or what is wrong.
fn run(
    path: &Path,
    expectations: &Expectations,
    settings: Vec<String>,
    limit: Duration,
) -> Result<(Value, Option<i32>), String> {
    let mut args = vec!["check".to_string(), "--format=json".to_string()];
    args.extend(settings);
    args.push(path.to_string_lossy().into_owned());
    if !expectations.cflags.is_empty() {
        args.push("--".to_string());
        args.extend(expectations.cflags.iter().cloned());
    }
    let Some(run) = common::heddle(&args, limit) else {
        return Err(format!("did not end within {} s", limit.as_secs()));
    };
    match serde_json::from_str::<Value>(&run.stdout) {
        Ok(result) => Ok((result, run.code)),
        Err(_) => Err(format!("no JSON, exit code {:?}: {}", run.code, run.stderr.trim())),
    }
}

/// What was found, for people.
fn describe(result: &Value) -> String {
    let verdict = result["verdict"].as_str().unwrap_or("none");
    let violation = &result["violation"];
    let detail = match verdict {
        "unsafe" => format!(" ({} on line {})", violation["kind"], violation["line"]),
        "unknown" => format!(" ({})", result["reason"]),
        "bounded" => format!(" ({})", result["bounds"]),
        _ => String::new(),
    };
    verdict.to_string() + &detail
}

fn wrong_code(verdict: &str, code: Option<i32>) -> Option<String> {
    let expected = match verdict {
        "safe" | "bounded" => 0,
        "unsafe" => 10,
        _ => 20,
    };
    (code != Some(expected)).then(|| format!("exit code {code:?} for {verdict}"))
}

fn wrong_violation(expectations: &Expectations, model: &str, result: &Value) -> Option<String> {
    let line = result["violation"]["line"].as_u64().unwrap_or(0);
    let kind = result["violation"]["kind"].as_str().unwrap_or("none");
    let marked = expectations.violations(model).contains(&(line, kind));
    (!marked).then(|| format!("{kind} on line {line}, which is not marked"))
}

fn compare_lazy(
    expectations: &Expectations,
    model: &str,
    result: &Value,
    code: Option<i32>,
) -> Option<String> {
    let verdict = result["verdict"].as_str().unwrap_or("none");
    if result["reason"].as_str().is_some_and(|reason| reason.contains("internal error")) {
        return Some(describe(result));
    }
    let expected = expectations.verdict(model);
    let as_expected = match expectations.lazy_verdict(model) {
        Some(expected) => verdict == expected,
        None if expected == "unsafe" || expectations.is_lazy_only() => verdict == expected,
        None => verdict != "unsafe",
    };
    if !as_expected {
        let expected = expectations.lazy_verdict(model).unwrap_or(expected);
        return Some(format!("{} instead of {expected}", describe(result)));
    }
    wrong_code(verdict, code).or_else(|| match verdict {
        "unsafe" => wrong_violation(expectations, model, result),
        _ => None,
    })
}

fn compare(
    expectations: &Expectations,
    case: &Case,
    result: &Value,
    code: Option<i32>,
) -> Option<String> {
    let expected = expectations.verdict(&case.model);
    let verdict = result["verdict"].as_str().unwrap_or("none");
    if verdict != expected {
        return Some(format!("{} instead of {expected}", describe(result)));
    }
    if let Some(wrong) = wrong_code(verdict, code) {
        return Some(wrong);
    }
    if verdict == "unsafe"
        && let Some(wrong) = wrong_violation(expectations, &case.model, result)
    {
        return Some(wrong);
    }
    if verdict == "unknown" {
        let reason = result["reason"].as_str().unwrap_or("");
        let fits = |(line, text): &(u64, String)| {
            reason.contains(text.as_str()) && reason.contains(&format!(":{line}"))
        };
        if !expectations.unsupported.iter().any(fits) {
            return Some(format!("the reason is {reason:?}"));
        }
    }
    let executions = result["stats"]["executions"].as_u64();
    match expectations.executions(case) {
        Some(expected) if executions != Some(expected) => {
            Some(format!("{} executions instead of {expected}", executions.unwrap_or(0)))
        }
        _ => None,
    }
}
