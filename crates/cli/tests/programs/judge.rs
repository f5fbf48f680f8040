//! Runs one case and compares.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::common;
use crate::dialect::{Case, Expectations};

/// How the result differs from the expectations, if it does.
pub fn judge(path: &Path, expectations: &Expectations, case: &Case) -> Option<String> {
    let mut args = vec!["check".to_string(), "--format=json".to_string()];
    args.push(format!("--algorithm={}", case.algorithm));
    args.push(format!("--mm={}", case.model));
    args.extend(expectations.args.iter().cloned());
    args.push(path.to_string_lossy().into_owned());
    if !expectations.cflags.is_empty() {
        args.push("--".to_string());
        args.extend(expectations.cflags.iter().cloned());
    }
    let limit = Duration::from_secs(expectations.seconds);
    let problem = match common::heddle(&args, limit) {
        None => Some(format!("did not end within {} s", limit.as_secs())),
        Some(run) => match serde_json::from_str::<Value>(&run.stdout) {
            Ok(result) => compare(expectations, case, &result, run.code),
            Err(_) => Some(format!("no JSON, exit code {:?}: {}", run.code, run.stderr.trim())),
        },
    };
    problem.map(|problem| format!("[{},{}] {problem}", case.algorithm, case.model))
}

fn compare(
    expectations: &Expectations,
    case: &Case,
    result: &Value,
    code: Option<i32>,
) -> Option<String> {
    let expected = expectations.verdict(&case.model);
    let verdict = result["verdict"].as_str().unwrap_or("none");
    let detail = || {
        let violation = &result["violation"];
        match verdict {
            "unsafe" => format!(" ({} on line {})", violation["kind"], violation["line"]),
            "unknown" => format!(" ({})", result["reason"]),
            "bounded" => format!(" ({})", result["bounds"]),
            _ => String::new(),
        }
    };
    if verdict != expected {
        return Some(format!("{verdict}{} instead of {expected}", detail()));
    }
    let expected_code = match verdict {
        "safe" | "bounded" => 0,
        "unsafe" => 10,
        _ => 20,
    };
    if code != Some(expected_code) {
        return Some(format!("exit code {code:?} for {verdict}"));
    }
    if verdict == "unsafe" {
        let line = result["violation"]["line"].as_u64().unwrap_or(0);
        let kind = result["violation"]["kind"].as_str().unwrap_or("none");
        if !expectations.violations(&case.model).contains(&(line, kind)) {
            return Some(format!("{kind} on line {line}, which is not marked"));
        }
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
