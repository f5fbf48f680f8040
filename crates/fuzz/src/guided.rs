//! Guided exploration against the naive one: the same violations, with each of its
//! parts on and off, and whether or not deadlocks count.
//!
//! What a bound cuts is not the same: an iteration of a loop in which everything is
//! hidden does not count. So where the naive search was cut, the guided one may find
//! more, and where it met a bound or an input, the guided one may not.

use heddle_explore::{Algorithm, Part, Report};
use heddle_ir::Span;
use heddle_semantics::{Bounds, Verdict, ViolationKind};
use rustc_hash::FxHashSet;

use crate::batch::Compiled;
use crate::compare::{Wish, search_for};
use crate::outcome::{Disagreement, Limits, Respect};

type Violations = FxHashSet<(ViolationKind, Span)>;

/// What is switched off.
const VARIANTS: &[&[Part]] =
    &[&[], &[Part::Slice], &[Part::Peek], &[Part::WriteWrite], &[Part::Peek, Part::WriteWrite]];

/// What the naive search, or one that is as good, has found.
pub struct Known<'a> {
    pub report: &'a Report,
    pub bounds: &'a Bounds,
    /// Transitions that are enough for any reduction.
    pub most: u64,
}

/// Compares; gives the report of guided exploration with everything on.
pub fn agrees(
    test: &Compiled,
    known: &Known,
    limits: &Limits,
    replays: impl Fn(&str, &Report) -> Result<(), Disagreement>,
) -> Result<Option<Report>, Disagreement> {
    let mut first = None;
    for &without in VARIANTS {
        for ignored in [&[][..], &[ViolationKind::Deadlock][..]] {
            let wish =
                Wish { algorithm: Algorithm::Guided, without, jobs: 1, ignored, places: None };
            let Some(report) = search_for(test, wish, limits, known.most) else {
                return fail(format!("{without:?} off: over {} transitions", known.most));
            };
            let off: Vec<&str> = without.iter().map(|part| part.name()).collect();
            let name = format!("guided without [{}], ignoring {ignored:?}", off.join(", "));
            same(test, known, &name, &report, ignored)?;
            replays(&name, &report)?;
            first.get_or_insert(report);
        }
    }
    Ok(first)
}

fn same(
    test: &Compiled,
    known: &Known,
    name: &str,
    report: &Report,
    ignored: &[ViolationKind],
) -> Result<(), Disagreement> {
    let naive = known.report;
    let counted = |v: &&(ViolationKind, Span)| !ignored.contains(&v.0);
    let expected: Violations = naive.findings.violations.iter().filter(counted).copied().collect();
    let found = &report.findings.violations;
    let cut = *known.bounds != Bounds::default() || matches!(naive.verdict, Verdict::Unknown(_));
    let missing: Vec<_> = expected.difference(found).copied().collect();
    let extra: Vec<_> = found.difference(&expected).copied().collect();
    if !missing.is_empty() || !extra.is_empty() && !cut {
        let (missing, extra) = (show(test, &missing), show(test, &extra));
        return fail(format!("{name}: misses {missing}, adds {extra}"));
    }
    let word = report.verdict.word();
    let fine = match naive.verdict.word() {
        "unsafe" if expected.is_empty() => true,
        "unsafe" | "safe" => word == naive.verdict.word(),
        _ => true,
    };
    if !fine {
        let why = match &report.verdict {
            Verdict::Unknown(why) => why.as_str(),
            _ => "",
        };
        return fail(format!("{name}: {word} {why}, naive {}", naive.verdict.word()));
    }
    Ok(())
}

fn show(test: &Compiled, violations: &[(ViolationKind, Span)]) -> String {
    let place = |(kind, span): &(ViolationKind, Span)| {
        format!("{kind} at line {}", span.line.wrapping_sub(test.line))
    };
    let mut all: Vec<String> = violations.iter().map(place).collect();
    all.sort();
    format!("[{}]", all.join(", "))
}

fn fail<T>(detail: String) -> Result<T, Disagreement> {
    Err(Disagreement { respect: Respect::Guided, detail })
}
