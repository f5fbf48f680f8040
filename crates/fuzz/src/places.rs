//! Do explorers that may preempt at some places only find the same, and together everything?
//!
//! Two questions about `explore/src/places.rs`. Does the one that keeps states find, in each
//! instance, what `naive` finds that leaves out other preemptions? And the theorem of section
//! II.A: what takes p preemptions is in some instance with p open tiles of each function that
//! threads begin with, whatever the tiling.

use heddle_analysis::{ThreadSites, thread_sites};
use heddle_explore::{Algorithm, Part, Places, Report};
use heddle_semantics::{Verdict, ViolationKind};
use heddle_swarm::selection::Selections;
use heddle_swarm::tiling::{NAMES, named};
use heddle_swarm::{Point, Thread};
use rustc_hash::FxHashSet;

use crate::batch::Compiled;
use crate::compare::{Wish, search_first_for, search_for};
use crate::outcome::{Disagreement, Limits, Respect};

/// Instances that are compared one by one.
const SOME: u64 = 6;
/// More selections are not gone through.
const MOST: u64 = 60;
/// Tiles of a thread.
const TILES: u32 = 3;
const SEED: u64 = 1;

/// `None` if nothing was compared. `waits`: it has loops that wait.
pub fn agree(
    test: &Compiled,
    naive: &Report,
    limits: &Limits,
    waits: bool,
) -> Result<Option<bool>, Disagreement> {
    let sites = thread_sites(&test.program, test.entry);
    let threads = sites.iter().map(|it| thread(test, it)).collect();
    Comparison { test, naive, limits, waits, sites, threads }.run()
}

struct Comparison<'a> {
    test: &'a Compiled,
    naive: &'a Report,
    limits: &'a Limits,
    waits: bool,
    sites: Vec<ThreadSites>,
    threads: Vec<Thread>,
}

fn fail<T>(detail: String) -> Result<T, Disagreement> {
    Err(Disagreement { respect: Respect::Places, detail })
}

type Kinds = FxHashSet<ViolationKind>;

fn kinds(report: &Report) -> Kinds {
    report.findings.violations.iter().map(|found| found.0).collect()
}

impl Comparison<'_> {
    fn run(&self) -> Result<Option<bool>, Disagreement> {
        let mut random = fastrand::Rng::with_seed(SEED);
        for round in 0..SOME {
            // From hardly anything open to hardly anything closed.
            let share = (round + 1) as f64 / (SOME + 1) as f64;
            let points = |thread: &Thread| 0..thread.points.len() as u32;
            let closed = self.threads.iter().map(|thread| {
                points(thread).filter(|_| random.f64() > share).map(|at| (at, at + 1)).collect()
            });
            let closed: Vec<Vec<(u32, u32)>> = closed.collect();
            self.instance(&Places::closing(&self.sites, &closed))?;
        }
        // The same steps: how many preemptions it takes to see that all spin depends on them.
        let open = Places::default();
        let wish = Wish { places: Some(&open), ..self.wish(Algorithm::Stateful, 1) };
        let report = search_first_for(self.test, wish, self.limits, self.most());
        let Some(report) = report else { return Ok(None) };
        if matches!(report.verdict, Verdict::Unsafe(_)) {
            for name in NAMES {
                self.selections(report.stats.switches, name)?;
            }
        }
        Ok(Some(true))
    }

    fn most(&self) -> u64 {
        self.naive.stats.transitions + 10_000
    }

    fn wish(&self, algorithm: Algorithm, jobs: usize) -> Wish<'_> {
        let without = if jobs == 1 { &[Part::Symmetry][..] } else { &[] };
        Wish { algorithm, without, jobs, ignored: &[], places: None }
    }

    fn search(&self, algorithm: Algorithm, places: &Places, jobs: usize) -> Option<Report> {
        let wish = Wish { places: Some(places), ..self.wish(algorithm, jobs) };
        search_for(self.test, wish, self.limits, self.most())
    }

    /// Both explorers, on one instance.
    fn instance(&self, places: &Places) -> Result<(), Disagreement> {
        let Some(naive) = self.search(Algorithm::Naive, places, 1) else {
            return fail("a part takes more steps than the whole".to_string());
        };
        let cut = naive.stats.cut > 0
            || matches!(&naive.verdict, Verdict::Bounded(bounds) if bounds.unwind.is_some());
        for jobs in [1, 2] {
            let Some(stateful) = self.search(Algorithm::Stateful, places, jobs) else { continue };
            let (ours, theirs) = (kinds(&stateful), kinds(&naive));
            let tell = |what: &str| {
                fail(format!("{what}: naive {theirs:?}, stateful {ours:?} ({jobs}), {places:?}"))
            };
            // A loop that waits is left by itself in `naive`, and goes round in the other.
            if !self.waits && !ours.is_superset(&theirs) {
                return tell("lost");
            }
            if !cut && !ours.is_subset(&theirs) {
                return tell("not there");
            }
            let ends = |report: &Report| report.findings.final_states.clone();
            let fixed = jobs == 1 && theirs.is_empty() && !cut && !self.waits;
            if fixed && ends(&stateful) != ends(&naive) {
                return tell("ends");
            }
        }
        Ok(())
    }

    /// Some instance fails in which as many tiles are open as a violation has preemptions.
    fn selections(&self, open: u32, name: &str) -> Result<(), Disagreement> {
        let longest = self.threads.iter().map(|thread| thread.points.len() as u32).max();
        let size = longest.unwrap_or(1).div_ceil(TILES).max(1);
        let tiling = named(name, size).expect("a tiling");
        let tiles = (tiling.as_ref(), open as usize);
        let Ok(selections) = Selections::new(&self.threads, tiles, None) else { return Ok(()) };
        if selections.count() > MOST.into() {
            return Ok(());
        }
        for number in selections.numbers() {
            let restriction = selections.restriction(number, SEED);
            let places = Places::closing(&self.sites, &restriction.closed);
            match self.search(Algorithm::Stateful, &places, 2) {
                Some(report) if report.findings.violations.is_empty() => {}
                _ => return Ok(()),
            }
        }
        fail(format!("{open} preemptions suffice, but no selection of {open} tiles ({name}) fails"))
    }
}

fn thread(test: &Compiled, of: &ThreadSites) -> Thread {
    let name = |id| test.program.function(id).display_name().to_string();
    let start = Point { waits: true, ..Point::default() };
    let points = of.sites.iter().enumerate();
    let points = points.map(|(at, site)| Point {
        function: name(site.function),
        region: at as u32 / 2,
        ..Point::default()
    });
    Thread {
        name: name(of.entry),
        points: std::iter::once(start).chain(points).collect(),
        stores: Vec::new(),
    }
}
