//! What `heddle prove` tells: the constraints of each step, and what they were proven to be
//! enough for.

use heddle_ir::Program;
use heddle_irs::{Relaxed, Step, distinct};

use crate::args::Format;
use crate::interrupt::Cause;
use crate::json::{self, ProveResult, ProveStep, RuledOut};

/// What was proven.
pub struct Proven {
    constraints: usize,
    conditional: usize,
    traces: u64,
    /// Nothing is left to be decided.
    finished: bool,
    steps: Vec<ProveStep>,
    ruled_out: Vec<RuledOut>,
}

impl Proven {
    pub fn of(program: &Program, relaxed: &Relaxed, steps: Vec<ProveStep>) -> Proven {
        let ruled_out = distinct(&relaxed.ruled_out).into_iter().map(|failure| RuledOut {
            kind: failure.violation.kind.name(),
            position: program.position(failure.violation.span),
        });
        Proven {
            constraints: relaxed.trace.constraints(),
            conditional: relaxed.trace.conditional(),
            traces: relaxed.traces,
            finished: relaxed.finished,
            steps,
            ruled_out: ruled_out.collect(),
        }
    }

    /// While it goes on.
    pub fn so_far(step: &Step, steps: Vec<ProveStep>) -> Proven {
        Proven {
            constraints: step.trace.constraints(),
            conditional: step.trace.conditional(),
            traces: step.traces,
            finished: false,
            steps,
            ruled_out: Vec::new(),
        }
    }

    pub fn render(&self, format: Format, stopped: Option<Cause>) -> String {
        let stopped = stopped.map(|cause| match cause {
            Cause::Timeout => "timeout",
            Cause::Signal => "interrupted",
            Cause::Memory => "memory limit",
        });
        match format {
            Format::Text => self.text(stopped),
            Format::Json => self.json(stopped),
        }
    }

    fn text(&self, stopped: Option<&str>) -> String {
        let mut out = String::from("constraints  waiting threads       traces  seconds");
        let measured = self.steps.iter().any(|step| step.quartile.is_some());
        out.push_str(if measured { "  native µs  overhead\n" } else { "\n" });
        for step in &self.steps {
            out.push_str(&format!(
                "{:>11}  {:>15}  {:>11}  {:>7.2}",
                step.constraints,
                step.waiting_threads,
                step.traces.map_or("all".to_string(), |traces| traces.to_string()),
                step.seconds
            ));
            if let (Some(quartile), Some(overhead)) = (step.quartile, step.overhead) {
                out.push_str(&format!("  {quartile:>9.1}  {overhead:>7.0}%"));
            }
            out.push('\n');
        }
        for RuledOut { kind, position } in &self.ruled_out {
            let place = position.as_deref().unwrap_or_default();
            out.push_str(&format!("ruled out: {kind} at {place}\n"));
        }
        match self.conditional {
            0 => {}
            1 => out.push_str("1 constraint counts only where both events touch the same memory\n"),
            count => out.push_str(&format!(
                "{count} constraints count only where both events touch the same memory\n"
            )),
        }
        out.push_str(&self.verdict_line(stopped));
        out
    }

    fn verdict_line(&self, stopped: Option<&str>) -> String {
        let traces = traces(self.traces);
        let constraints = match self.constraints {
            0 => "without any constraints".to_string(),
            1 => "under 1 constraint".to_string(),
            count => format!("under {count} constraints"),
        };
        let rest = match (self.finished, stopped) {
            (true, _) => String::new(),
            (false, Some(cause)) => format!("; {cause} before the rest was decided"),
            (false, None) => "; the rest is not decided".to_string(),
        };
        format!("verdict: safe ({constraints}, {traces} verified{rest})\n")
    }

    fn json(&self, stopped: Option<&str>) -> String {
        json::to_line(&ProveResult {
            schema: json::SCHEMA,
            verdict: "safe",
            reason: stopped,
            finished: self.finished,
            constraints: self.constraints,
            conditional: self.conditional,
            traces: looked_at(self.traces),
            steps: &self.steps,
            ruled_out: &self.ruled_out,
        })
    }
}

/// For a program without a first trace: the verdict and why.
pub fn without_any(word: &'static str, line: &str, format: Format) -> String {
    match format {
        Format::Text => format!("{line}\n"),
        Format::Json => json::to_line(&ProveResult {
            schema: json::SCHEMA,
            verdict: word,
            reason: Some(line.strip_prefix("verdict: ").unwrap_or(line)),
            finished: true,
            constraints: 0,
            conditional: 0,
            traces: Some(0),
            steps: &[],
            ruled_out: &[],
        }),
    }
}

/// Traces that were looked at one by one.
pub fn looked_at(traces: u64) -> Option<u64> {
    (traces != 0).then_some(traces)
}

/// The same in words.
pub fn traces(count: u64) -> String {
    match count {
        0 => "all traces for all inputs".to_string(),
        1 => "1 trace".to_string(),
        count => format!("{count} traces"),
    }
}
