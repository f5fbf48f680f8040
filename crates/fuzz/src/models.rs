//! What every memory model has in common with sequential consistency.
//!
//! All algorithms share one interpreter, so a store that stays in its buffer for
//! too long or not long enough is the same mistake in all of them. Two things are
//! known of every model here, whatever its buffers do:
//!
//! 1. What happens under sequential consistency happens under it too.
//! 2. A program without data races whose atomic operations are all sequentially
//!    consistent does nothing else (Adve and Hill, "Weak Ordering: A New
//!    Definition", ISCA 1990).

use heddle_explore::{Algorithm, Report};
use heddle_ir::{Op, Ordering, Program, Span};
use heddle_memory::Model;
use heddle_semantics::ViolationKind;
use rustc_hash::FxHashSet;

use crate::batch::Compiled;
use crate::compare::search;
use crate::outcome::{Disagreement, Limits, Respect};

/// Compares a search under a weak model with one under sequential consistency.
pub fn consistent(test: &Compiled, weak: &Report, limits: &Limits) -> Result<(), Disagreement> {
    let strong = Limits { model: Model::Sc, ..*limits };
    let look = |limits| search(test, Algorithm::Optimal, limits, limits.extra);
    let Some(strict) = look(&strong) else { return Ok(()) };
    let fail = |detail| Err(Disagreement { respect: Respect::Models, detail });
    let (ours, theirs) = (violations(weak), violations(&strict));
    if !theirs.is_subset(&ours) {
        return fail("something that is possible under sc is missing".to_string());
    }
    // A store to memory that is gone is found when it leaves its buffer, after what
    // the thread does next.
    let late = ours.iter().any(|violation| violation.0 == ViolationKind::UseAfterFree);
    // Locks are made and destroyed by plain stores; who does that without order races, though
    // it is not called so.
    let misused = ours.iter().any(|violation| violation.0 == ViolationKind::MutexMisuse);
    if ours == theirs || late || misused {
        return Ok(());
    }
    if !only_strong_atomics(&test.program) {
        return Ok(());
    }
    let Some(raced) = look(&Limits { races: true, ..strong }) else { return Ok(()) };
    let races = raced.findings.violations.iter().any(|v| v.0 == ViolationKind::DataRace);
    if races {
        return Ok(());
    }
    fail(format!("no data race, but {} is not like sc", limits.model))
}

/// Final states hold addresses, which depend on the buffers there are. Whether a
/// loop on private memory that nothing can end is a deadlock depends on what is
/// taken to be shared.
fn violations(report: &Report) -> FxHashSet<(ViolationKind, Span)> {
    let all = report.findings.violations.iter().copied();
    all.filter(|violation| violation.0 != ViolationKind::Deadlock).collect()
}

fn only_strong_atomics(program: &Program) -> bool {
    let blocks = program.functions.iter().flat_map(|function| &function.blocks);
    blocks.flat_map(|block| &block.insts).all(|inst| match inst.op {
        Op::Load { order, .. } | Op::Store { order, .. } => {
            order.is_none_or(|order| order == Ordering::SeqCst)
        }
        Op::Rmw { order, .. } | Op::CmpXchg { success: order, .. } => order == Ordering::SeqCst,
        _ => true,
    })
}
