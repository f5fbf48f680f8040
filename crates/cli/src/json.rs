//! The result of a check for machines: one object, schema 1.

use heddle_semantics::Bounds;
use heddle_witness::json::{JsonStep, JsonViolation};
use serde::Serialize;

use crate::effort::Effort;

pub const SCHEMA: u32 = 1;

#[derive(Serialize)]
pub struct CheckResult<'a> {
    pub schema: u32,
    pub verdict: &'static str,
    /// Why the verdict is not a better one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub violation: Option<JsonViolation<'a>>,
    /// What was cut; empty for safe.
    pub bounds: &'a Bounds,
    /// Within these bounds a search that was stopped had looked at everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covered: Option<&'a Bounds>,
    /// Internal errors of an engine whose answer this is not.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub warnings: &'a [String],
    pub model: String,
    pub engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    pub stats: &'a Effort,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<JsonStep<'a>>>,
}

/// The result of a replay for machines.
#[derive(Serialize)]
pub struct ReplayResult<'a> {
    pub schema: u32,
    pub verdict: &'static str,
    pub violation: JsonViolation<'a>,
    pub model: String,
    pub trace: Vec<JsonStep<'a>>,
}

/// Why a recorded run fails, for machines.
#[derive(Serialize)]
pub struct ExplainResult<'a> {
    pub schema: u32,
    pub violation: JsonViolation<'a>,
}

/// The result of a proof of constraints, for machines.
#[derive(Serialize)]
pub struct ProveResult<'a> {
    pub schema: u32,
    pub verdict: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'a str>,
    /// Nothing is left to be decided.
    pub finished: bool,
    pub constraints: usize,
    /// How many of them count only where both events touch the same memory.
    pub conditional: usize,
    /// Absent if they were not looked at one by one, but all at once, for all inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traces: Option<u64>,
    pub steps: &'a [ProveStep],
    pub ruled_out: &'a [RuledOut],
}

/// Constraints that were proven to be enough.
#[derive(Clone, Serialize)]
pub struct ProveStep {
    pub constraints: usize,
    pub waiting_threads: usize,
    /// Absent if they were not looked at one by one, but all at once, for all inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traces: Option<u64>,
    pub seconds: f64,
    /// Lower quartile of native runs, in microseconds, and in percent of those without
    /// constraints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quartile: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overhead: Option<f64>,
}

/// A violation that constraints rule out.
#[derive(Serialize)]
pub struct RuledOut {
    pub kind: &'static str,
    pub position: Option<String>,
}

/// The result of native replays for machines.
#[derive(Serialize)]
pub struct NativeResult {
    pub schema: u32,
    pub verdict: &'static str,
    pub runs: u32,
    /// Those that failed as recorded.
    pub failed: u32,
    pub events: u32,
    pub constraints: usize,
}

pub fn to_line<T: Serialize>(result: &T) -> String {
    let mut line = serde_json::to_string(result).expect("plain data");
    line.push('\n');
    line
}
