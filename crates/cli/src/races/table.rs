//! Pairs of lines and what was decided of each.

use std::collections::{BTreeMap, BTreeSet};

use heddle_analysis::invariants::Side;
use heddle_analysis::lockset::Warnings;
use heddle_ir::Span;
use heddle_semantics::Failure;
use heddle_witness::Trace;

use super::search::Searched;

/// A pair of lines, by file and number.
pub type Lines = [(u32, u32); 2];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    Real,
    Open,
    Impossible,
}

impl Decision {
    pub fn word(self) -> &'static str {
        match self {
            Decision::Real => "real",
            Decision::Open => "open",
            Decision::Impossible => "impossible",
        }
    }
}

/// A pair of lines.
pub struct Row {
    pub place: String,
    pub sides: [Side; 2],
    /// Accesses in these lines.
    pub pairs: BTreeSet<(Span, Span)>,
    /// It was among the warnings, before any search.
    pub warned: bool,
    pub decision: Decision,
    pub why: String,
    /// Of a real pair: a run that was replayed.
    pub evidence: Option<(Failure, Trace)>,
}

fn lines(pair: (Span, Span)) -> Lines {
    let line = |span: Span| (span.file, span.line);
    let mut lines = [line(pair.0), line(pair.1)];
    lines.sort_unstable();
    lines
}

/// A row for each pair of lines of which something is known.
pub fn rows(warnings: &Warnings, searched: &Searched) -> BTreeMap<Lines, Row> {
    let mut rows: BTreeMap<Lines, Row> = BTreeMap::new();
    for (&pair, warning) in &warnings.pairs {
        let new = || Row {
            place: warning.place.clone(),
            sides: warning.sides.clone(),
            pairs: BTreeSet::new(),
            warned: true,
            decision: Decision::Open,
            why: String::new(),
            evidence: None,
        };
        let row = rows.entry(lines(pair)).or_insert_with(new);
        row.pairs.insert(pair);
        for (known, new) in row.sides.iter_mut().zip(&warning.sides) {
            known.write |= new.write;
            known.locks.retain(|lock| new.locks.contains(lock));
        }
    }
    for &pair in searched.races.keys() {
        let side = |span| Side { span, write: false, locks: Vec::new() };
        let new = || Row {
            place: String::new(),
            sides: [side(pair.0), side(pair.1)],
            pairs: BTreeSet::new(),
            warned: false,
            decision: Decision::Open,
            why: String::new(),
            evidence: None,
        };
        rows.entry(lines(pair)).or_insert_with(new).pairs.insert(pair);
    }
    rows
}
