//! The interleavings that a scheduler of the step-wise encoding lets through, one by one.
//!
//! Each model is one complete run; it is blocked by a clause over its selectors, and the
//! solver is asked again. For small programs: it shows what a reduction leaves of them.

use std::time::{Duration, Instant};

use heddle_ir::{FuncId, Program};
use heddle_memory::Sc;
use heddle_sat::Term;

use crate::bounded::Bounded;
use crate::encodings::{Formula, Reduction, Run, stillness};
use crate::solve::method::Method;
use crate::solve::session::Pass;
use crate::unfold::{Limits, UnfoldError, Unfolder};
use crate::watch::{Stop, Watch};

/// A complete run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interleaving {
    /// Thread and point of each step.
    pub steps: Vec<(u32, u32)>,
    /// What is decided in it, in an order that depends on the program only: which accesses
    /// happen and where they go, and which checks are reached.
    pub control: Vec<bool>,
}

#[derive(Clone, Debug, Default)]
pub struct Interleavings {
    pub all: Vec<Interleaving>,
    /// There are more than were asked for.
    pub more: bool,
    /// Some run comes to a violation, a cut loop, a waiting loop, an assumption, or an exit that others do not
    /// wait for, so these are not all.
    pub open: bool,
}

/// All complete interleavings under sequential consistency, up to `most`, if they can be told
/// in so much time.
pub fn interleavings(
    program: &Program,
    entry: FuncId,
    (reduction, unwind): (Reduction, u32),
    (most, time): (usize, Duration),
) -> Result<Interleavings, UnfoldError> {
    let limits = Limits { unwind, weak: false, everything: false, bits: None, overflow: false };
    let watch = Watch::default();
    watch.until(Some(Instant::now() + time));
    let unfolder = Unfolder::new(program, entry, limits, watch.clone());
    let (bounded, symbolic, objects) = unfolder.unfold()?;
    let counts = |_| true;
    let method = Method::Steps(reduction);
    let mut pass = Formula::new(&bounded, &objects, symbolic, Sc, &watch)
        .and_then(|formula| Pass::new((program, entry), formula, method, &counts))
        .map_err(UnfoldError::Stopped)?;
    enumerate(&mut pass, &bounded, most).map_err(UnfoldError::Stopped)
}

fn enumerate(
    pass: &mut Pass<'_, Sc>,
    bounded: &Bounded,
    most: usize,
) -> Result<Interleavings, Stop> {
    let depth = pass.encoding.enough(&pass.formula);
    let (run, question) = pass.extend(depth)?;
    let still = stillness(&mut pass.formula, &run, &[]).any;
    let (exited, done) = ended(&mut pass.formula, &run);
    let f = &mut pass.formula;
    let (orderly, early) = (f.and(exited, done), f.and_not(exited, done));
    let complete = f.or(still, orderly);
    let decisions = decisions(&mut pass.formula, &run);
    let selectors = pass.encoding.selectors().to_vec();
    pass.hand_over()?;
    let threads = &bounded.threads;
    let stops = threads.iter().any(|it| !it.drops.is_empty() || !it.spins.is_empty());
    let mut all = Interleavings { open: stops, ..Interleavings::default() };
    let asked = [question.violation, question.cut, question.far, early];
    let unsupported = question.unsupported.iter().map(|it| it.0);
    for what in asked.into_iter().chain(unsupported) {
        all.open |= pass.exists(&run, what)?;
    }
    while pass.exists(&run, complete)? {
        if all.all.len() == most {
            all.more = true;
            break;
        }
        let found = read(pass, &run, &selectors, &decisions);
        block(pass, &selectors, &found);
        pass.hand_over()?;
        all.all.push(found);
    }
    Ok(all)
}

/// The process has ended, and every thread has come past its last point.
fn ended(f: &mut Formula<'_, Sc>, run: &Run) -> (Term, Term) {
    let (mut exited, mut done) = (f.never(), f.always());
    for (at, thread) in f.bounded.threads.iter().enumerate() {
        for &exit in &thread.exits {
            let reached = run.reached(f, at, exit);
            exited = f.or(exited, reached);
        }
        let last = run.passed(f, at, thread.points.checked_sub(1));
        done = f.and(done, last);
    }
    (exited, done)
}

/// What is decided in a run.
fn decisions(f: &mut Formula<'_, Sc>, run: &Run) -> Vec<Term> {
    let bounded = f.bounded;
    let mut all = Vec::new();
    for (at, thread) in bounded.threads.iter().enumerate() {
        for event in &thread.events {
            let here = run.reached(f, at, (Some(event.point), event.guard));
            all.push(here);
            for &(_, is_it) in &event.targets {
                all.push(f.and(here, is_it));
            }
        }
        for check in &thread.checks {
            all.push(run.reached(f, at, (check.point, check.condition)));
        }
    }
    all
}

fn read(
    pass: &mut Pass<'_, Sc>,
    run: &Run,
    selectors: &[Vec<Term>],
    decisions: &[Term],
) -> Interleaving {
    let terms = &pass.formula.symbolic.terms;
    let session = &mut pass.session;
    let mut value = |term: Term| session.value(terms, term);
    let control = decisions.iter().map(|&term| value(term) != 0).collect();
    let mut order = Vec::new();
    for (thread, keys) in run.timeline.points.iter().enumerate() {
        let mut last = 0;
        for (point, key) in keys.iter().enumerate() {
            let time = key.time(&mut value);
            let passed = value(run.passed[thread][point]) != 0;
            // What is passed beside another point of the thread is no step.
            if passed && time > last {
                order.push((time, (thread as u32, point as u32)));
                last = time;
            }
        }
    }
    order.sort_unstable();
    let steps: Vec<(u32, u32)> = order.into_iter().map(|(_, step)| step).collect();
    for (selected, &(thread, _)) in selectors.iter().zip(&steps) {
        debug_assert!(value(selected[thread as usize]) != 0, "the selector names who steps");
    }
    Interleaving { steps, control }
}

fn block(pass: &mut Pass<'_, Sc>, selectors: &[Vec<Term>], found: &Interleaving) {
    let f = &mut pass.formula;
    let steps = selectors.iter().zip(&found.steps);
    let other: Vec<Term> = steps.map(|(selected, step)| f.not(selected[step.0 as usize])).collect();
    f.any(&other);
}
