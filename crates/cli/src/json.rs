//! The result of a check for machines: one object, schema 1.

use heddle_explore::Stats;
use heddle_semantics::Bounds;
use heddle_witness::json::{JsonStep, JsonViolation};
use serde::Serialize;

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
    pub model: String,
    pub engine: &'static str,
    pub algorithm: String,
    pub stats: JsonStats,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<Vec<JsonStep<'a>>>,
}

#[derive(Serialize)]
pub struct JsonStats {
    executions: u64,
    blocked: u64,
    transitions: u64,
    max_depth: u64,
    seconds: f64,
    peak_bytes: u64,
}

impl From<&Stats> for JsonStats {
    fn from(stats: &Stats) -> JsonStats {
        JsonStats {
            executions: stats.executions,
            blocked: stats.blocked,
            transitions: stats.transitions,
            max_depth: stats.max_depth,
            seconds: stats.seconds,
            peak_bytes: stats.peak_bytes,
        }
    }
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

pub fn to_line<T: Serialize>(result: &T) -> String {
    let mut line = serde_json::to_string(result).expect("plain data");
    line.push('\n');
    line
}
