//! The prover for programs that read inputs: a formula of all inputs and all
//! interleavings that keep the constraints, within bounds that grow until nothing is cut.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use heddle_constraint::{Thread, Trace};
use heddle_encode::{Constraints, Options, Report, UNUSABLE};
use heddle_memory::Model;
use heddle_semantics::Verdict;

use crate::Subject;
use crate::prover::{Answer, Prover, event_sites, order_of};

/// Traces that would take the explorer about a second, so that efforts mean much the same.
const TRACES_A_SECOND: u64 = 64;

/// Most violations need no more; then as many as it takes to cover everything.
const FEW_ROUNDS: u32 = 2;

/// How often somebody looks whether the time is up.
const GLANCE: Duration = Duration::from_millis(20);

/// The formula engine. Bounds that are not enough are no proof.
pub struct Formula<'s, 'p> {
    pub subject: &'s Subject<'p>,
    pub interrupt: Arc<AtomicBool>,
}

impl Prover for Formula<'_, '_> {
    fn prove(&self, threads: &[Thread], trace: &Trace, effort: u64) -> Answer {
        let order = Arc::new(order_of(threads, trace));
        let constraints = Constraints { sites: self.subject.sites.clone(), order };
        let most = Duration::from_secs((effort / TRACES_A_SECOND).max(1));
        let (report, late) = self.check(&constraints, most);
        match report.verdict {
            Verdict::Safe => {
                Answer::Proven { traces: 0, sites: event_sites(self.subject, &report.instructions) }
            }
            Verdict::Unsafe(failure) => Answer::Violation(failure),
            _ if late => Answer::GivenUp { traces: 0 },
            Verdict::Bounded(bounds) => Answer::Unknown(bounds.to_string()),
            Verdict::Unknown(reason) => {
                let plain = reason.strip_prefix("unsupported: ").unwrap_or(&reason);
                match plain.starts_with(UNUSABLE) {
                    true => Answer::Unusable(plain.to_string()),
                    false => Answer::Unknown(reason),
                }
            }
        }
    }
}

impl Formula<'_, '_> {
    /// What the engine says by then, and whether it was stopped because it took longer.
    fn check(&self, constraints: &Constraints, most: Duration) -> (Report, bool) {
        let (stop, done) = (Arc::new(AtomicBool::new(false)), AtomicBool::new(false));
        let Subject { program, entry, .. } = *self.subject;
        let ask = |rounds: u32| {
            let options = Options {
                interrupt: stop.clone(),
                constraints: Some(constraints.clone()),
                bound: Some(rounds),
                ..Options::default()
            };
            heddle_encode::check(program, entry, Model::Sc, &options)
        };
        std::thread::scope(|scope| {
            let clock = scope.spawn(|| {
                let begun = Instant::now();
                while !done.load(Ordering::Relaxed) {
                    let late = begun.elapsed() > most;
                    if late || self.interrupt.load(Ordering::Relaxed) {
                        stop.store(true, Ordering::Relaxed);
                        return late;
                    }
                    std::thread::park_timeout(GLANCE);
                }
                false
            });
            let mut report = ask(FEW_ROUNDS);
            if matches!(report.verdict, Verdict::Bounded(_)) && !stop.load(Ordering::Relaxed) {
                report = ask(u32::MAX);
            }
            done.store(true, Ordering::Relaxed);
            clock.thread().unpark();
            (report, clock.join().unwrap_or(false))
        })
    }
}
