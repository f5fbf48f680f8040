//! What `heddle races` prints: the runs of real pairs, the table, and the verdict.

use std::fmt::Write;

use heddle_analysis::invariants::{Apart, Side};
use heddle_analysis::lockset::Warnings;
use heddle_ir::{Program, Span};
use heddle_semantics::Bounds;
use heddle_witness::json::{JsonStep, JsonViolation};
use heddle_witness::text::{self, Style};
use serde::Serialize;

use super::args::Races;
use super::search::Searched;
use super::table::{Decision, Row};
use super::{replay_hint, trace_name};
use crate::interrupt::{Cause, Limits};
use crate::json::to_line;
use crate::units::show_count;
use crate::watchdog::LastWords;

/// Raised when the meaning of a field changes.
const SCHEMA: u32 = 1;

pub struct Told<'a> {
    pub races: &'a Races,
    pub program: &'a Program,
    /// Real pairs first.
    pub rows: &'a [Row],
    pub warnings: &'a Warnings,
    pub searched: &'a Searched,
    pub invariants: &'a Result<Apart, String>,
    pub interrupted: Option<Cause>,
}

impl Told<'_> {
    fn count(&self, decision: Decision) -> usize {
        self.rows.iter().filter(|row| row.decision == decision).count()
    }

    /// Is something left that nobody has decided?
    pub fn is_open(&self) -> bool {
        self.count(Decision::Open) > 0 || self.warnings.lost && !self.is_proven()
    }

    /// Not only each warning is decided: nothing else can race.
    fn is_proven(&self) -> bool {
        self.searched.exhausted || self.invariants.as_ref().is_ok_and(Apart::all)
    }

    fn verdict(&self) -> (&'static str, String) {
        let count = |number: usize, what: &str| match number {
            1 => format!("1 {what}"),
            _ => format!("{number} {what}s"),
        };
        let (real, open) = (self.count(Decision::Real), self.count(Decision::Open));
        let others = match open {
            0 => String::new(),
            _ => format!(", {open} open"),
        };
        if real > 0 {
            return ("unsafe", format!("{}{others}", count(real, "data race")));
        }
        if open > 0 {
            let why = &self.searched.why;
            return ("unknown", format!("{} open: {why}", count(open, "pair")));
        }
        if self.is_proven() {
            let by = match self.searched.exhausted {
                true => format!("{} executions", show_count(self.searched.executions)),
                false => "by invariants, locks, create and join".to_string(),
            };
            return ("safe", format!("no data race; {by}"));
        }
        if self.warnings.lost {
            let why = &self.searched.why;
            return ("unknown", format!("a pointer made from a number is called; {why}"));
        }
        let why = &self.searched.why;
        (
            "bounded",
            format!(
                "no pair of lines may race where pointers and indices stay in their objects; {why}"
            ),
        )
    }

    pub fn text(&self) -> String {
        let style = self.races.check.style;
        let mut out = String::new();
        let real = self.rows.iter().filter_map(|row| row.evidence.as_ref());
        for (nth, (_, trace)) in real.enumerate().filter(|_| !self.races.check.quiet) {
            let hint = replay_hint(self.races, nth + 1);
            out.push_str(&text::report(self.program, trace, &hint, self.races.check.detail, style));
            out.push('\n');
        }
        if !self.rows.is_empty() {
            out.push_str(&self.table(style));
            out.push('\n');
        }
        let ordered = self.warnings.ordered.len();
        if ordered > 0 {
            let plural = if ordered == 1 { "" } else { "s" };
            let _ = writeln!(
                out,
                "{ordered} other pair{plural} of accesses: kept apart by locks or creation"
            );
        }
        let (word, detail) = self.verdict();
        let _ = writeln!(out, "verdict: {word} ({})", detail.replace('\n', " "));
        out
    }

    fn table(&self, style: Style) -> String {
        let mut out = String::new();
        for (nth, row) in self.rows.iter().enumerate() {
            let title = format!("{:>3}  {:<10} {}", nth + 1, row.decision.word(), row.place);
            let _ = writeln!(out, "{}  ({})", style.strong(&title), row.why);
            let sides: Vec<(String, String)> =
                row.sides.iter().map(|side| (self.line(side.span), access(row, side))).collect();
            let width = sides.iter().map(|(line, _)| line.chars().count()).max().unwrap_or(0);
            for (line, what) in sides {
                let _ = writeln!(out, "     {line:<width$}  {what}");
            }
        }
        out
    }

    fn line(&self, span: Span) -> String {
        match self.program.files.get(span.file as usize).filter(|_| span.is_known()) {
            Some(file) => format!("{}:{}", file.path, span.line),
            None => "(no line is known)".to_string(),
        }
    }

    pub fn json(&self) -> String {
        let (verdict, detail) = self.verdict();
        let mut number = 0;
        let pairs = self.rows.iter().map(|row| {
            number += usize::from(row.evidence.is_some());
            self.pair(row, number)
        });
        let pairs = pairs.collect();
        to_line(&JsonRaces {
            schema: SCHEMA,
            verdict,
            detail: &detail,
            model: self.races.check.model.to_string(),
            pairs,
            ordered: self.warnings.ordered.len(),
            exhausted: self.searched.exhausted,
            bounds: &self.searched.bounds,
            executions: self.searched.executions,
            runs_at_random: self.searched.runs,
            invariants: self.invariants.as_ref().err().map(String::as_str),
        })
    }

    fn pair<'a>(&'a self, row: &'a Row, number: usize) -> JsonPair<'a> {
        let side = |side: &'a Side| JsonSide {
            file: self.program.files.get(side.span.file as usize).map(|file| file.path.as_str()),
            line: side.span.line,
            access: kind(side),
            locks: &side.locks,
        };
        let trace = row.evidence.as_ref().map(|(_, trace)| trace);
        let folder = self.races.traces.as_ref().filter(|_| trace.is_some());
        let file = folder.map(|folder| folder.join(trace_name(number)));
        JsonPair {
            decision: row.decision.word(),
            why: &row.why,
            warned: row.warned,
            place: &row.place,
            accesses: row.sides.iter().map(side).collect(),
            violation: trace.map(|trace| heddle_witness::json::violation(self.program, trace)),
            trace: trace.map(|trace| heddle_witness::json::steps(self.program, trace)),
            file: file.map(|path| path.to_string_lossy().into_owned()),
        }
    }
}

fn kind(side: &Side) -> &'static str {
    if side.write { "write" } else { "read" }
}

/// `write, holds m`; of a pair that no warning spoke of, nothing is known but its run.
fn access(row: &Row, side: &Side) -> String {
    match (row.warned, side.locks.as_slice()) {
        (false, _) => "not among the warnings".to_string(),
        (true, []) => format!("{}, holds no lock", kind(side)),
        (true, locks) => format!("{}, holds {}", kind(side), locks.join(", ")),
    }
}

#[derive(Serialize)]
struct JsonRaces<'a> {
    schema: u32,
    verdict: &'static str,
    detail: &'a str,
    model: String,
    pairs: Vec<JsonPair<'a>>,
    /// Pairs of accesses that locks or creation keep apart.
    ordered: usize,
    /// All executions were looked at.
    exhausted: bool,
    bounds: &'a Bounds,
    executions: u64,
    runs_at_random: u64,
    /// Why invariants say nothing, if they do not.
    #[serde(skip_serializing_if = "Option::is_none")]
    invariants: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonPair<'a> {
    decision: &'static str,
    why: &'a str,
    /// It was among the warnings, before any search.
    warned: bool,
    place: &'a str,
    accesses: Vec<JsonSide<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<JsonViolation<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<Vec<JsonStep<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
}

#[derive(Serialize)]
struct JsonSide<'a> {
    file: Option<&'a str>,
    line: u32,
    access: &'static str,
    locks: &'a [String],
}

/// What the watchdog says if it has to.
pub fn last_words(json: bool, limits: Limits, what: &'static str) -> LastWords {
    Box::new(move |cause| {
        let detail = format!("{}; {what}", cause.tell(limits));
        let text = match json {
            true => to_line(&serde_json::json!({
                "schema": SCHEMA, "verdict": "unknown", "detail": detail, "pairs": [],
            })),
            false => format!("verdict: unknown ({detail})\n"),
        };
        (text, cause.exit_code())
    })
}
