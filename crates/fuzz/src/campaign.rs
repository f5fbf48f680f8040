//! Many seeds on several processors.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use heddle_explore::Algorithm;
use heddle_semantics::ViolationKind;

use crate::ast::Test;
use crate::feature::Features;
use crate::generate::generate;
use crate::outcome::{Disagreement, Effort, Limits};
use crate::shrink::{check_all, shrink};

/// Programs that are compiled together.
const TOGETHER: u64 = 40;

pub struct Campaign {
    pub seeds: Range<u64>,
    pub features: Features,
    pub limits: Limits,
    pub jobs: usize,
    pub time: Option<Duration>,
    /// Stop after this many disagreements.
    pub most: usize,
}

/// What a campaign has seen.
#[derive(Debug, Default)]
pub struct Summary {
    pub programs: u64,
    /// Programs that `naive` was through with.
    pub compared: u64,
    /// Programs that `naive` gave up on; the reductions were compared.
    pub skipped: u64,
    /// Programs that were too large for all.
    pub too_large: u64,
    pub unsafe_programs: u64,
    pub kinds: BTreeMap<ViolationKind, u64>,
    /// Executions of each algorithm, in the order of [`Algorithm::ALL`].
    pub executions: [u64; Algorithm::ALL.len()],
    /// Programs about which the formula said the same, and those about which it said
    /// nothing.
    pub formula: [u64; 2],
    pub disagreements: Vec<Failing>,
}

/// A disagreement, cut down.
#[derive(Debug)]
pub struct Failing {
    /// How many programs had been looked at.
    pub after: u64,
    pub original: Test,
    pub test: Test,
    pub shows: Disagreement,
}

impl Campaign {
    /// Runs all seeds. `report` is called after each file of programs.
    pub fn run(&self, report: impl Fn(&Summary, Duration) + Sync) -> Summary {
        let started = Instant::now();
        let next = Mutex::new(self.seeds.start);
        let summary = Mutex::new(Summary::default());
        let take = || {
            let mut next = next.lock().expect("no worker panics with the lock held");
            let from = *next;
            *next = (from + TOGETHER).min(self.seeds.end);
            from..*next
        };
        let late = || self.time.is_some_and(|time| started.elapsed() > time);
        let enough = || summary.lock().is_ok_and(|s| s.disagreements.len() >= self.most);
        let work = || {
            while !late() && !enough() {
                let seeds = take();
                if seeds.is_empty() {
                    break;
                }
                self.file(seeds, &summary);
                report(&summary.lock().expect("not poisoned"), started.elapsed());
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.jobs.max(1) {
                scope.spawn(work);
            }
            work();
        });
        summary.into_inner().expect("no worker panicked")
    }

    fn file(&self, seeds: Range<u64>, summary: &Mutex<Summary>) {
        let tests: Vec<Test> = seeds.map(|seed| generate(seed, self.features)).collect();
        check_all(&tests, &self.limits, |at, result| {
            match result {
                Ok(effort) => summary.lock().expect("not poisoned").add(&effort),
                Err(shows) => {
                    let after = {
                        let mut summary = summary.lock().expect("not poisoned");
                        summary.programs += 1;
                        summary.programs
                    };
                    let (test, shows) = shrink(&tests[at], shows, &self.limits);
                    let original = tests[at].clone();
                    let failing = Failing { after, original, test, shows };
                    summary.lock().expect("not poisoned").disagreements.push(failing);
                }
            }
            summary.lock().is_ok_and(|s| s.disagreements.len() < self.most)
        });
    }
}

impl Summary {
    fn add(&mut self, effort: &Effort) {
        self.programs += 1;
        match (effort.skipped, effort.too_large) {
            (_, true) => self.too_large += 1,
            (true, _) => self.skipped += 1,
            _ => self.compared += 1,
        }
        self.unsafe_programs += u64::from(!effort.violations.is_empty());
        for &kind in &effort.violations {
            *self.kinds.entry(kind).or_default() += 1;
        }
        match effort.formula {
            Some(_) => self.formula[0] += 1,
            None => self.formula[1] += 1,
        }
        for (sum, count) in self.executions.iter_mut().zip(effort.executions) {
            *sum += count;
        }
    }
}

impl std::fmt::Display for Summary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(
            f,
            "{} programs: {} compared with naive, {} too large for it, {} too large for all",
            self.programs, self.compared, self.skipped, self.too_large
        )?;
        let share = 100.0 * self.unsafe_programs as f64 / self.programs.max(1) as f64;
        write!(f, "{} with a violation ({share:.0} %)", self.unsafe_programs)?;
        for (kind, count) in &self.kinds {
            write!(f, ", {kind} {count}")?;
        }
        write!(f, "\nexecutions:")?;
        for (algorithm, count) in Algorithm::ALL.iter().zip(self.executions) {
            write!(f, " {algorithm} {count}")?;
        }
        let [same, silent] = self.formula;
        write!(f, "\nformula: {same} the same, {silent} without an answer in time")?;
        write!(f, "\n{} disagreements", self.disagreements.len())
    }
}
