//! What the schedulers of the step-wise encoding let through, counted model by model: one
//! interleaving of each Mazurkiewicz trace with MPOR, as `optimal` has it; with SIR no more, and
//! whatever can be decided in some interleaving is decided so in one that is left.

use std::time::Duration;

use heddle_encode::{Interleavings, Reduction, interleavings};
use heddle_explore::Report;
use rustc_hash::FxHashSet;

use crate::batch::Compiled;
use crate::compare::ends;
use crate::outcome::{Disagreement, Limits, Respect};

/// Interleavings of a program that are looked at, one by one.
const MOST: usize = 200;
const TIME: Duration = Duration::from_secs(1);

/// Where the explorers and the formula have other steps: the words of these objects are written
/// one after another there, and looked at by one step here.
const APART: &[&str] = &["pthread_cond_", "pthread_barrier_", "cnd_"];
/// An execution for each value.
const INPUT: &[&str] = &["__VERIFIER_nondet_"];

fn calls(test: &Compiled, names: &[&str]) -> bool {
    let mut functions = test.program.functions.iter();
    functions.any(|function| names.iter().any(|name| function.name.starts_with(name)))
}

/// `None` if there are too many, or inputs and violations are in the way.
pub fn agree(
    test: &Compiled,
    optimal: &Report,
    limits: &Limits,
) -> Result<Option<bool>, Disagreement> {
    let all = |reduction| {
        interleavings(&test.program, test.entry, (reduction, limits.unwind), (MOST, TIME)).ok()
    };
    if optimal.verdict.word() != "safe" || ends(optimal) > MOST as u64 {
        return Ok(None);
    }
    let Some(monotonic) = all(Reduction::Monotonic).filter(|it| !it.open) else {
        return Ok(None);
    };
    let (ours, traces) = (monotonic.all.len() as u64, ends(optimal));
    let comparable = !calls(test, APART) && !calls(test, INPUT);
    if comparable && (ours != traces || monotonic.more) {
        return fail(format!("{ours} interleavings with MPOR for {traces} traces"));
    }
    let Some(insensitive) = all(Reduction::Insensitive) else { return Ok(None) };
    if insensitive.all.len() > monotonic.all.len() || insensitive.more {
        let with = insensitive.all.len();
        return fail(format!("{with} interleavings with SIR, {ours} with MPOR"));
    }
    let (fine, coarse) = (controls(&monotonic), controls(&insensitive));
    if fine != coarse {
        return fail(format!("SIR keeps {} of {} behaviours", coarse.len(), fine.len()));
    }
    let Some(every) = all(Reduction::None).filter(|it| !it.more) else { return Ok(Some(true)) };
    if controls(&every) != fine {
        return fail(format!("MPOR keeps {} of {}", fine.len(), controls(&every).len()));
    }
    let known: FxHashSet<_> = every.all.iter().map(|it| &it.steps).collect();
    match monotonic.all.iter().all(|it| known.contains(&it.steps)) {
        true => Ok(Some(true)),
        false => fail("MPOR adds an interleaving".to_string()),
    }
}

fn controls(all: &Interleavings) -> FxHashSet<&[bool]> {
    all.all.iter().map(|it| it.control.as_slice()).collect()
}

fn fail(detail: String) -> Result<Option<bool>, Disagreement> {
    Err(Disagreement { respect: Respect::Interleavings, detail })
}
