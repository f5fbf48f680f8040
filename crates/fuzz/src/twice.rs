//! Programs that are looked at twice, the second time with something more that may happen.
//!
//! Waits for condition variables that check again whenever they end are not made to end
//! without a signal, since that would show nothing (`heddle_analysis::wake_spuriously`). Here
//! all of them are: they show nothing else.
//!
//! Allocations succeed, and where the program has a branch for those that fail which only says
//! so and ends, that is no bound. Here they may fail: the program shows nothing else.

use heddle_analysis::wake_spuriously;
use heddle_explore::{Algorithm, Report};
use heddle_ir::{Callee, FuncId, Op, Program, Span};
use heddle_semantics::ViolationKind;
use rustc_hash::FxHashSet;

use crate::batch::Compiled;
use crate::compare::{fail, search};
use crate::outcome::{Disagreement, Limits, Respect};

const WAIT: &str = "pthread_cond_wait";
/// What it is if it may end without a signal.
const SPURIOUS: &str = "__heddle_spurious_wait";

pub fn with_wakeups(test: &Compiled, limits: &Limits) -> Result<(), Disagreement> {
    let program = &test.program;
    let (Some(wait), Some(spurious)) =
        (program.find_function(WAIT), program.find_function(SPURIOUS))
    else {
        return Ok(());
    };
    let mut all = program.clone();
    if !replace_calls(&mut all, wait, spurious) {
        return Ok(());
    }
    let mut some = program.clone();
    wake_spuriously(&mut some);
    let variant = |program| Compiled { program, ..*test };
    let Some(all) = search(&variant(all), Algorithm::Optimal, limits, limits.extra) else {
        return Ok(());
    };
    let Some(some) = search(&variant(some), Algorithm::Optimal, limits, limits.extra) else {
        return Ok(());
    };
    let lost = more_in(&all, &some, test);
    match lost.is_empty() {
        true => Ok(()),
        false => fail(Respect::Wakeups, format!("only if every wait may end: {lost:?}")),
    }
}

/// Has every function but the second itself call the second instead of the first; tells
/// whether any called it.
fn replace_calls(program: &mut Program, old: FuncId, new: FuncId) -> bool {
    let mut any = false;
    for (id, function) in program.functions.iter_mut().enumerate() {
        let insts = function.blocks.iter_mut().flat_map(|block| &mut block.insts);
        for inst in insts.filter(|_| id != new.0 as usize) {
            if let Op::Call { callee: Callee::Direct(callee), .. } = &mut inst.op
                && *callee == old
            {
                *callee = new;
                any = true;
            }
        }
    }
    any
}

/// `plain`: what `naive` has found, without a branch for failing allocations that it left open.
pub fn with_failing_allocations(
    test: &Compiled,
    plain: &Report,
    limits: &Limits,
) -> Result<(), Disagreement> {
    if !test.asks_for_blocks {
        return Ok(());
    }
    let program = Program { allocations_fail: true, ..test.program.clone() };
    let failing = Compiled { program, ..*test };
    let Some(report) = search(&failing, Algorithm::Optimal, limits, limits.extra) else {
        return Ok(());
    };
    let lost = more_in(&report, plain, test);
    match lost.is_empty() {
        true => Ok(()),
        false => fail(Respect::Allocations, format!("only if allocations fail: {lost:?}")),
    }
}

/// What the first report shows beside what the second one does: kinds, and lines of the
/// program. Of deadlocks only whether there are any.
fn more_in(report: &Report, known: &Report, test: &Compiled) -> Vec<(ViolationKind, u32)> {
    let place = |&(kind, span): &(ViolationKind, Span)| match kind {
        ViolationKind::Deadlock => (kind, 0),
        _ => (kind, span.line.wrapping_sub(test.line)),
    };
    let places = |report: &Report| -> FxHashSet<_> {
        report.findings.violations.iter().map(place).collect()
    };
    places(report).difference(&places(known)).copied().collect()
}
