//! Races by pairs of places: do reductions find those that `naive` finds, are all of them among
//! the warnings, and none of them among those that invariants exclude?

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use heddle_analysis::invariants::{self, Apart, invariants};
use heddle_analysis::lockset;
use heddle_explore::{Algorithm, Options, check};
use heddle_ir::Span;
use heddle_semantics::ViolationKind;

use crate::batch::Compiled;
use crate::outcome::{Disagreement, Effort, Limits, Respect};

type Pairs = BTreeSet<(Span, Span)>;

pub fn agree(test: &Compiled, limits: &Limits) -> Result<Effort, Disagreement> {
    let Some(naive) = pairs(test, Algorithm::Naive, limits, limits.naive) else {
        return Ok(Effort { skipped: true, too_large: true, ..Effort::default() });
    };
    let line = |span: Span| (span.line.wrapping_sub(test.line), span.column);
    let show = |pairs: &Pairs| {
        format!("{:?}", pairs.iter().map(|p| (line(p.0), line(p.1))).collect::<Vec<_>>())
    };
    for algorithm in [Algorithm::Dpor, Algorithm::Optimal] {
        let Some(found) = pairs(test, algorithm, limits, limits.naive * 2) else { continue };
        if found != naive {
            let (ours, all) = (show(&found), show(&naive));
            return fail(format!("{}: {ours}, naive {all}", algorithm.name()));
        }
    }
    let warnings = lockset::warnings(&test.program, test.entry);
    let missed: Pairs =
        naive.iter().filter(|pair| !warnings.pairs.contains_key(pair)).copied().collect();
    if !warnings.lost && !missed.is_empty() {
        return fail(format!("not among the warnings: {}", show(&missed)));
    }
    let known = invariants(&test.program, test.entry, &invariants::Options::default()).ok();
    let apart = known.as_ref().map(|found| Apart::of(&test.program, found));
    if let Some(apart) = &apart {
        let wrong: Pairs =
            naive.iter().filter(|pair| apart.excludes(&test.program, **pair)).copied().collect();
        if !wrong.is_empty() || apart.all() && !naive.is_empty() {
            return fail(format!("excluded by invariants: {}", show(&wrong)));
        }
    }
    let mut effort = Effort { formula: apart.map(|apart| apart.all()), ..Effort::default() };
    if !naive.is_empty() {
        effort.violations.insert(ViolationKind::DataRace);
    }
    Ok(effort)
}

/// Pairs that race, the smaller place first; `None` if that takes too long.
fn pairs(test: &Compiled, algorithm: Algorithm, limits: &Limits, most: u64) -> Option<Pairs> {
    let interrupt = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupt);
    let found: Arc<Mutex<Pairs>> = Arc::default();
    let keep = Arc::clone(&found);
    let options = Options {
        algorithm,
        unwind: Some(limits.unwind),
        max_threads: Some(1_000),
        races: true,
        keep_going: true,
        on_race: Some(Box::new(move |failure| {
            let (a, b) = (failure.violation.span, failure.violation.other);
            keep.lock().expect("nobody panics with it").insert((a.min(b), a.max(b)));
        })),
        interrupt: Arc::clone(&interrupt),
        progress: Some(Box::new(move |stats| {
            if stats.transitions > most {
                flag.store(true, Ordering::Relaxed);
            }
        })),
        ..Options::default()
    };
    let report = check(&test.program, test.entry, limits.model, &options).expect("a small program");
    // Where an index leaves its array is not asked.
    let strays = |kind: &ViolationKind| *kind == ViolationKind::OutOfBounds;
    if report.findings.violations.iter().any(|(kind, _)| strays(kind)) {
        return None;
    }
    let done = !interrupt.load(Ordering::Relaxed);
    let found = std::mem::take(&mut *found.lock().expect("nobody panics with it"));
    done.then_some(found)
}

fn fail<T>(detail: String) -> Result<T, Disagreement> {
    Err(Disagreement { respect: Respect::Races, detail })
}
