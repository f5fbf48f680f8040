//! One program, all algorithms: do they agree?

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use heddle_encode::Method;
use heddle_explore::{Algorithm, Findings, Options, Part, Places, Report, check};
use heddle_machine::Config;
use heddle_memory::Model;
use heddle_semantics::{Bounds, Verdict, ViolationKind};
use rustc_hash::FxHashSet;

use crate::batch::Compiled;
use crate::constrained;
use crate::formula;
use crate::guided::{self, Known};
use crate::instances;
use crate::interleavings;
use crate::invariants;
use crate::models::consistent;
use crate::outcome::{Disagreement, Effort, Limits, Respect};
use crate::pairs;
use crate::places;
use crate::reference::{Backtrack, Reference, enumerate};
use crate::replay::replay;
use crate::twice;

/// Compares all algorithms on a program; `counted` is the same program with
/// counted waiting loops, where it has any.
pub fn compare(
    test: &Compiled,
    counted: Option<&Compiled>,
    limits: &Limits,
) -> Result<Effort, Disagreement> {
    let result = catch_unwind(AssertUnwindSafe(|| match limits.constraints {
        true => constrained::agrees(test, limits),
        false if limits.pairs => pairs::agree(test, limits),
        false => Comparison { test, limits, config: config(limits) }.run(counted),
    }));
    result.unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<String>().cloned();
        let text = text.or_else(|| payload.downcast_ref::<&str>().map(ToString::to_string));
        Err(Disagreement { respect: Respect::Panic, detail: text.unwrap_or_default() })
    })
}

/// Runs at random of a program.
const RUNS: u64 = 200;

/// Programs that are made have fewer.
const MANY_THREADS: u32 = 1_000;

fn config(limits: &Limits) -> Config {
    Config { unwind: Some(limits.unwind), ..Config::default() }
}

/// The report of a search, or `None` if it took more than `most` transitions.
pub fn search(test: &Compiled, algorithm: Algorithm, limits: &Limits, most: u64) -> Option<Report> {
    search_for(
        test,
        Wish { algorithm, without: &[], jobs: 1, ignored: &[], places: None },
        limits,
        most,
    )
}

/// The same, up to the first violation.
pub fn search_first(
    test: &Compiled,
    algorithm: Algorithm,
    limits: &Limits,
    most: u64,
) -> Option<Report> {
    let wish = Wish { algorithm, without: &[], jobs: 1, ignored: &[], places: None };
    search_first_for(test, wish, limits, most)
}

/// As [`search_for`], up to the first violation.
pub fn search_first_for(test: &Compiled, wish: Wish, limits: &Limits, most: u64) -> Option<Report> {
    run(test, wish, limits, (most, false))
}

/// What to search with and for.
#[derive(Clone, Copy)]
pub struct Wish<'a> {
    pub algorithm: Algorithm,
    pub without: &'a [Part],
    /// Searches at the same time; 0 for one that goes on from the last state first. From three
    /// on they count delays.
    pub jobs: usize,
    pub ignored: &'a [ViolationKind],
    pub places: Option<&'a Places>,
}

/// As [`search`].
pub fn search_for(test: &Compiled, wish: Wish, limits: &Limits, most: u64) -> Option<Report> {
    run(test, wish, limits, (most, true))
}

fn run(
    test: &Compiled,
    wish: Wish,
    limits: &Limits,
    (most, keep_going): (u64, bool),
) -> Option<Report> {
    let interrupt = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupt);
    let options = Options {
        algorithm: wish.algorithm,
        without: wish.without.to_vec(),
        jobs: wish.jobs,
        depth_first: wish.jobs == 0,
        worth: Some(2),
        // States that wait go to a file and come back.
        waiting_bytes: (wish.jobs > 1).then_some(0),
        delays: wish.jobs > 2,
        ignored: wish.ignored.to_vec(),
        places: wish.places.cloned(),
        unwind: Some(limits.unwind),
        max_threads: Some(MANY_THREADS),
        races: limits.races,
        interrupt: Arc::clone(&interrupt),
        keep_going,
        runs: Some(RUNS),
        progress: Some(Box::new(move |stats| {
            if stats.transitions > most {
                flag.store(true, Ordering::Relaxed);
            }
        })),
        ..Options::default()
    };
    let report = check(&test.program, test.entry, limits.model, &options).expect("a small program");
    (!interrupt.load(Ordering::Relaxed)).then_some(report)
}

/// The ends that count. `own`: steps may be made together, so how far a thread has come
/// when the process ends is not the same.
fn counted(ends: &FxHashSet<u64>, own: bool) -> FxHashSet<u64> {
    ends.iter().filter(|&&end| !own || Findings::all_ended(end)).copied().collect()
}

/// All ways in which an execution can come to its end.
pub fn ends(report: &Report) -> u64 {
    report.stats.executions + report.stats.blocked + report.stats.cut
}

struct Comparison<'a> {
    test: &'a Compiled,
    limits: &'a Limits,
    config: Config,
}

impl Comparison<'_> {
    fn run(&self, counted: Option<&Compiled>) -> Result<Effort, Disagreement> {
        let Limits { model, naive: most, reduced, .. } = *self.limits;
        let Some(naive) = search(self.test, Algorithm::Naive, self.limits, most) else {
            let dpor = search(self.test, Algorithm::Dpor, self.limits, reduced);
            let optimal = search(self.test, Algorithm::Optimal, self.limits, reduced);
            let mut effort = Effort { skipped: true, ..Effort::default() };
            match (dpor, optimal) {
                (Some(dpor), Some(optimal)) => {
                    self.same("dpor", &dpor, "optimal", &optimal)?;
                    self.traces("optimal", &optimal, "dpor", ends(&dpor))?;
                    if model != Model::Sc {
                        consistent(self.test, &optimal, self.limits)?;
                    }
                    effort.violations = kinds(&optimal);
                    effort.executions[1] = ends(&dpor);
                    effort.executions[2] = ends(&optimal);
                }
                _ => effort.too_large = true,
            }
            return Ok(effort);
        };
        if self.limits.invariants {
            let formula = invariants::agree(self.test, &naive, &self.config, self.limits)?;
            return Ok(Effort { violations: kinds(&naive), formula, ..Effort::default() });
        }
        if self.limits.interleavings {
            let Some(optimal) = search(self.test, Algorithm::Optimal, self.limits, reduced) else {
                return Ok(Effort { too_large: true, ..Effort::default() });
            };
            let formula = interleavings::agree(self.test, &optimal, self.limits)?;
            return Ok(Effort { violations: kinds(&naive), formula, ..Effort::default() });
        }
        if self.limits.places {
            let waits = counted.is_some();
            let formula = places::agree(self.test, &naive, self.limits, waits)?;
            return Ok(Effort { violations: kinds(&naive), formula, ..Effort::default() });
        }
        if self.limits.encodings {
            let mut decided = 0;
            let only = self.limits.encoding;
            let wanted = Method::ALL.iter().filter(|&&it| only.is_none_or(|only| only == it));
            for &method in wanted.filter(|method| method.knows(model)) {
                let said = formula::agrees(self.test, method, &naive, self.limits)?;
                decided += usize::from(said.is_some());
            }
            if only.is_none() {
                instances::agree(self.test, &naive, self.limits)?;
            }
            let formula = (decided > 0).then_some(true);
            return Ok(Effort { violations: kinds(&naive), formula, ..Effort::default() });
        }
        let reference = self.enumerate(Backtrack::Undo, false, u64::MAX)?;
        let reference = reference.expect("no limit was set");
        self.agrees(&reference, &naive)?;
        let mut executions = [0; Algorithm::ALL.len()];
        executions[0] = ends(&naive);
        for (at, algorithm) in [Algorithm::Dpor, Algorithm::Optimal].into_iter().enumerate() {
            let name = algorithm.name();
            // Naive's own count is a limit that no reduction may pass.
            let enough = naive.stats.transitions + 2048;
            let Some(report) = search(self.test, algorithm, self.limits, enough) else {
                return fail(Respect::Effort, format!("{name} takes over {enough} transitions"));
            };
            self.same("naive", &naive, name, &report)?;
            if !reference.smuggled {
                self.traces(name, &report, "naive", reference.traces.len() as u64)?;
            }
            if report.stats.transitions > naive.stats.transitions {
                let (ours, all) = (report.stats.transitions, naive.stats.transitions);
                return fail(Respect::Effort, format!("{name} takes {ours} transitions of {all}"));
            }
            executions[at + 1] = ends(&report);
        }
        let most = naive.stats.transitions * 4 + 4096;
        let known = Known { report: &naive, bounds: &reference.bounds, most };
        let replays = |name: &str, report: &Report| self.replays(name, report);
        if self.limits.others
            && let Some(guided) = guided::agrees(self.test, &known, self.limits, replays)?
        {
            executions[3] = ends(&guided);
        }
        if !reference.smuggled {
            self.extras(&reference)?;
        }
        if self.limits.others {
            self.stateful(&naive)?;
            self.random(&naive)?;
        }
        if model != Model::Sc {
            consistent(self.test, &naive, self.limits)?;
        }
        if let Some(counted) = counted {
            self.waiting(&naive, counted)?;
        }
        twice::with_wakeups(self.test, self.limits)?;
        if !reference.leaves_allocations {
            twice::with_failing_allocations(self.test, &naive, self.limits)?;
        }
        let formula = match self.limits.formula {
            true => formula::agrees(self.test, Method::Lazy, &naive, self.limits)?,
            false => None,
        };
        Ok(Effort { violations: kinds(&naive), executions, formula, ..Effort::default() })
    }

    /// Runs at random show nothing that `naive` does not, and the same on two cores as on one.
    fn random(&self, naive: &Report) -> Result<(), Disagreement> {
        let wish = |jobs| Wish {
            algorithm: Algorithm::Random,
            without: &[],
            jobs,
            ignored: &[],
            places: None,
        };
        let look = |jobs| search_for(self.test, wish(jobs), self.limits, u64::MAX);
        let (Some(one), Some(two)) = (look(1), look(2)) else { return Ok(()) };
        let (seen, all) = (&one.findings, &naive.findings);
        if matches!(one.verdict, Verdict::Safe | Verdict::Bounded(_)) {
            return fail(Respect::Verdict, "a sample is taken for a proof".to_string());
        }
        if !seen.violations.is_subset(&all.violations) {
            let (ours, theirs) = (self.show(&seen.violations), self.show(&all.violations));
            return fail(Respect::Violations, format!("random {ours}, naive {theirs}"));
        }
        if !seen.final_states.is_subset(&all.final_states) {
            let text = "random comes to an end that naive does not".to_string();
            return fail(Respect::FinalStates, text);
        }
        if seen.violations != two.findings.violations
            || seen.final_states != two.findings.final_states
        {
            let text = "random on two cores is not as on one".to_string();
            return fail(Respect::FinalStates, text);
        }
        self.replays("random", &one)
    }

    /// The search that keeps states finds what `naive` finds, and more only where loops
    /// were cut. Of deadlocks only whether there are any: `naive` describes the state in
    /// which nobody moves any more, this one may describe an earlier one.
    fn stateful(&self, naive: &Report) -> Result<(), Disagreement> {
        if self.limits.races {
            return Ok(());
        }
        use Part::{Own, Peek, Slice, Symmetry};
        self.stateful_without(&[Slice, Own, Peek, Symmetry], 1, naive)?;
        self.stateful_without(&[Slice, Own, Peek], 2, naive)?;
        self.stateful_without(&[Slice, Own, Symmetry], 1, naive)?;
        self.stateful_without(&[Slice, Own], 1, naive)?;
        self.stateful_without(&[Slice, Peek, Symmetry], 1, naive)?;
        self.stateful_without(&[Slice], 0, naive)?;
        self.stateful_without(&[Slice], 3, naive)?;
        self.stateful_without(&[Own, Peek, Symmetry], 1, naive)?;
        self.stateful_without(&[], 1, naive)?;
        self.stateful_without(&[], 2, naive)?;
        self.stateful_without(&[Slice, Own, Peek, Symmetry], 3, naive)?;
        self.stateful_without(&[], 3, naive)
    }

    fn stateful_without(
        &self,
        without: &[Part],
        jobs: usize,
        naive: &Report,
    ) -> Result<(), Disagreement> {
        let most = naive.stats.transitions + 10_000;
        let wish =
            Wish { algorithm: Algorithm::Stateful, without, jobs, ignored: &[], places: None };
        let Some(mut report) = search_for(self.test, wish, self.limits, most) else {
            // Without bound there may be no end.
            return Ok(());
        };
        let symmetry = !without.contains(&Part::Symmetry);
        let left_out: Vec<_> = without.iter().map(|part| part.name()).collect();
        let name = &format!("stateful without {left_out:?}, {jobs} at a time");
        let deadlocks = |report: &Report| -> FxHashSet<_> {
            let all = report.findings.violations.iter();
            all.filter(|violation| violation.0 == ViolationKind::Deadlock).copied().collect()
        };
        let (theirs, ours) = (deadlocks(naive), deadlocks(&report));
        if !theirs.is_empty() && !ours.is_empty() {
            let violations = &mut report.findings.violations;
            violations.retain(|violation| violation.0 != ViolationKind::Deadlock);
            violations.extend(&theirs);
        }
        // Some ends are others with threads in other places, or without what does not matter. Beside a deadlock others may
        // go on for ever, and `naive` cuts them somewhere.
        let (ends, known) = (&mut report.findings.final_states, &naive.findings.final_states);
        let (sliced, own) = (!without.contains(&Part::Slice), !without.contains(&Part::Own));
        let (ours, all) = (counted(ends, own), counted(known, own));
        let fits = if symmetry || !theirs.is_empty() { ours.is_subset(&all) } else { ours == all };
        if sliced || fits {
            ends.clone_from(known);
        }
        let cut = matches!(&naive.verdict, Verdict::Bounded(bounds) if bounds.unwind.is_some())
            || naive.stats.cut > 0;
        if !cut {
            return self.same("naive", naive, name, &report);
        }
        if !report.findings.violations.is_superset(&naive.findings.violations) {
            let show = |report: &Report| self.show(&report.findings.violations);
            let text = format!("violations: naive {}, {name} {}", show(naive), show(&report));
            return fail(Respect::Violations, text);
        }
        self.replays(name, &report)
    }

    fn enumerate(
        &self,
        backtrack: Backtrack,
        share: bool,
        most: u64,
    ) -> Result<Option<Reference>, Disagreement> {
        let config = Config { share_everything: share, ..self.config.clone() };
        let model = self.limits.model;
        enumerate(&self.test.program, self.test.entry, model, &config, backtrack, most)
            .or_else(|error| fail(Respect::Panic, error.to_string()))
    }

    /// Two searches found the same.
    fn same(&self, a: &str, left: &Report, b: &str, right: &Report) -> Result<(), Disagreement> {
        let detail = |what: &str, l: String, r: String| format!("{what}: {a} {l}, {b} {r}");
        if left.findings.violations != right.findings.violations {
            let show = |report: &Report| self.show(&report.findings.violations);
            let text = detail("violations", show(left), show(right));
            return fail(Respect::Violations, text);
        }
        let bounds = |report: &Report| match &report.verdict {
            Verdict::Bounded(bounds) => bounds.clone(),
            _ => Bounds::default(),
        };
        if left.verdict.word() != right.verdict.word() || bounds(left) != bounds(right) {
            let show = |report: &Report| format!("{} {}", report.verdict.word(), bounds(report));
            return fail(Respect::Verdict, detail("verdict", show(left), show(right)));
        }
        if left.findings.final_states != right.findings.final_states {
            let count = |report: &Report| report.findings.final_states.len().to_string();
            return fail(Respect::FinalStates, detail("final states", count(left), count(right)));
        }
        self.replays(a, left)?;
        self.replays(b, right)
    }

    fn traces(&self, name: &str, report: &Report, by: &str, all: u64) -> Result<(), Disagreement> {
        // With store buffers a trace is not known by its events' order alone.
        if self.limits.model != Model::Sc {
            return Ok(());
        }
        if name == Algorithm::Optimal.name() && report.stats.sleep_blocked != 0 {
            let count = report.stats.sleep_blocked;
            return fail(Respect::SleepBlocked, format!("{name}: {count} times"));
        }
        // Arrivals at a barrier are in no order, which the traces know nothing of.
        let meets = name == Algorithm::Optimal.name()
            && heddle_machine::Meetings::of(&self.test.program).is_some();
        if ends(report) != all && !(meets && ends(report) < all) {
            let count = ends(report);
            let text = format!("{name} takes {count} executions, {all} traces by {by}");
            return fail(Respect::Traces, text);
        }
        Ok(())
    }

    fn replays(&self, name: &str, report: &Report) -> Result<(), Disagreement> {
        let Verdict::Unsafe(failure) = &report.verdict else { return Ok(()) };
        let Compiled { program, entry, .. } = self.test;
        let model = self.limits.model;
        // Hidden turns of a loop do not count as turns, so a run may have more than the bound.
        let config = Config { unwind: None, ..self.config.clone() };
        let outcome = replay(program, *entry, model, &config, failure).or_else(|_| {
            let config = Config { share_everything: true, ..config };
            replay(program, *entry, model, &config, failure)
        });
        outcome.or_else(|why| fail(Respect::Replay, format!("{name}: {why}")))
    }

    /// The reference enumeration is the same search as `naive`.
    fn agrees(&self, reference: &Reference, naive: &Report) -> Result<(), Disagreement> {
        if reference.smuggled {
            return Ok(());
        }
        if reference.initial.0 != reference.initial.1 {
            return fail(Respect::Undo, "the initial state changes".to_string());
        }
        let ours = (reference.executions, reference.blocked, reference.cut);
        let theirs = (naive.stats.executions, naive.stats.blocked, naive.stats.cut);
        if ours != theirs || reference.violations != naive.findings.violations {
            let text = format!("(executions, blocked, cut): {ours:?}, but naive {theirs:?}");
            return fail(Respect::Reference, text);
        }
        Ok(())
    }

    /// The same enumeration without undoing, and with everything shared.
    fn extras(&self, reference: &Reference) -> Result<(), Disagreement> {
        let most = self.limits.extra;
        if reference.transitions * 4 < most
            && let Some(again) = self.enumerate(Backtrack::Restart, false, most)?
        {
            let count = |r: &Reference| (r.executions, r.blocked, r.cut, r.traces.len());
            if count(&again) != count(reference)
                || again.violations != reference.violations
                || again.final_states != reference.final_states
            {
                let text = format!(
                    "without undoing {:?} {}, with undoing {:?} {}",
                    count(&again),
                    self.show(&again.violations),
                    count(reference),
                    self.show(&reference.violations)
                );
                return fail(Respect::Undo, text);
            }
        }
        // A loop on private memory that nothing can end is no deadlock; on memory
        // that is taken to be shared it is.
        let others = |r: &Reference| -> FxHashSet<_> {
            let kept = r.violations.iter().filter(|v| v.0 != ViolationKind::Deadlock);
            kept.copied().collect()
        };
        if let Some(shared) = self.enumerate(Backtrack::Undo, true, most)?
            && others(&shared) != others(reference)
        {
            let text = format!(
                "with everything shared {}, otherwise {}",
                self.show(&shared.violations),
                self.show(&reference.violations)
            );
            return fail(Respect::Sharing, text);
        }
        Ok(())
    }

    /// Whatever the program can do when its waiting loops are ordinary loops must
    /// have been found with waiting loops recognised.
    fn waiting(&self, plain: &Report, counted: &Compiled) -> Result<(), Disagreement> {
        let limits = Limits { unwind: self.limits.unwind + 2, ..*self.limits };
        let Some(report) = search(counted, Algorithm::Optimal, &limits, limits.extra) else {
            return Ok(());
        };
        let places = |report: &Report, from: u32| -> FxHashSet<_> {
            let place = |&(kind, span): &(ViolationKind, heddle_ir::Span)| {
                (kind, span.line.wrapping_sub(from))
            };
            report.findings.violations.iter().map(place).collect()
        };
        let found = places(plain, self.test.line);
        let missed: Vec<_> = places(&report, counted.line).difference(&found).copied().collect();
        if missed.is_empty() {
            return Ok(());
        }
        fail(Respect::Waiting, format!("lost when waiting is recognised: {missed:?}"))
    }

    fn show(&self, violations: &FxHashSet<(ViolationKind, heddle_ir::Span)>) -> String {
        let mut all: Vec<_> = violations
            .iter()
            .map(|(kind, span)| {
                format!("{kind} at line {}", span.line.wrapping_sub(self.test.line))
            })
            .collect();
        all.sort();
        format!("[{}]", all.join(", "))
    }
}

fn kinds(report: &Report) -> FxHashSet<ViolationKind> {
    report.findings.violations.iter().map(|violation| violation.0).collect()
}

pub fn fail<T>(respect: Respect, detail: String) -> Result<T, Disagreement> {
    Err(Disagreement { respect, detail })
}
