//! Do instances together have all runs that the naive explorer knows, and no others?
//!
//! The theorem of section II.A (`encode/src/solve/instances.rs`): what takes p preemptions
//! is in some instance in which each thread may be preempted in p tiles, whatever the tiling.
//! And the two halves of an instance are the whole: not preempted in a tile, and preempted
//! there; so are the leaves of a tree of halves.

use std::ops::Range;
use std::time::Duration;

use heddle_encode::{
    Answer, Fixed, Instances, Options, PointPlace, Restriction, ThreadPlaces, with_instances,
};
use heddle_explore::{Algorithm, Report};
use heddle_semantics::{Verdict, ViolationKind};
use heddle_swarm::selection::Selections;
use heddle_swarm::tiling::{NAMES, named};
use heddle_swarm::{Point, Side, Thread, split};

use crate::batch::Compiled;
use crate::compare::search_first;
use crate::outcome::{Disagreement, Limits, Respect};

/// For each instance. One that is not decided ends the comparison.
const TIME: Duration = Duration::from_millis(400);
const ROUNDS: u32 = 8;
/// Tiles of a thread.
const TILES: u32 = 3;
/// More selections are not gone through.
const MOST: u64 = 200;
/// Of a tree of halves.
const LEAVES: usize = 8;
const SEED: u64 = 1;

/// `None` if nothing was decided.
pub fn agree(
    test: &Compiled,
    naive: &Report,
    limits: &Limits,
) -> Result<Option<bool>, Disagreement> {
    let ignored = [
        ViolationKind::DataRace,
        ViolationKind::Leak,
        ViolationKind::SignedOverflow,
        ViolationKind::Uninitialised,
    ];
    let options = Options { ignored: ignored.to_vec(), ..Options::default() };
    let fixed = Fixed { unwind: limits.unwind, rounds: ROUNDS };
    let comparison = |instances: &mut dyn Instances| {
        let (test, asked) = (test, 0);
        Comparison { test, naive, limits, instances, asked }.run()
    };
    with_instances(&test.program, test.entry, limits.model, (&options, fixed), comparison)
        .unwrap_or(Ok(None))
}

struct Comparison<'a> {
    test: &'a Compiled,
    naive: &'a Report,
    limits: &'a Limits,
    instances: &'a mut dyn Instances,
    asked: usize,
}

fn fail<T>(detail: String) -> Result<T, Disagreement> {
    Err(Disagreement { respect: Respect::Instances, detail })
}

impl Comparison<'_> {
    /// Does an instance fail? `None` if that is not known.
    fn fails(&mut self, restriction: &Restriction) -> Result<Option<bool>, Disagreement> {
        self.asked += 1;
        match self.instances.ask(restriction, Some(TIME)) {
            Answer::Unsafe(failure) => {
                let kind = failure.violation.kind;
                let found = &self.naive.findings.violations;
                let sampled = !matches!(self.naive.verdict, Verdict::Safe);
                match found.iter().any(|(known, _)| *known == kind) || sampled && found.is_empty() {
                    true => Ok(Some(true)),
                    false => fail(format!("{kind} in {restriction:?}, naive does not know it")),
                }
            }
            Answer::Clear { unsupported: None, bounds, .. } if bounds.rounds.is_none() => {
                Ok(Some(false))
            }
            Answer::Clear { .. } | Answer::Undecided(_) => Ok(None),
            Answer::Wrong(what) => fail(what),
        }
    }

    fn run(&mut self) -> Result<Option<bool>, Disagreement> {
        let Some(whole) = self.fails(&Restriction::default())? else { return Ok(None) };
        let threads: Vec<Thread> = self.instances.threads().iter().map(thread).collect();
        let longest = threads.iter().map(|thread| thread.points.len() as u32).max().unwrap_or(1);
        let size = longest.div_ceil(TILES).max(1);
        let tiles: Vec<Vec<Range<u32>>> =
            threads.iter().map(|thread| windows(thread.points.len() as u32)).collect();
        self.halves(whole, &tiles)?;
        self.leaves(whole, &threads)?;
        if whole && let Some(preemptions) = self.fewest() {
            for name in NAMES {
                self.selections(preemptions, &threads, (name, size))?;
            }
        }
        Ok(Some(true))
    }

    /// The leaves of a tree of halves.
    fn leaves(&mut self, whole: bool, threads: &[Thread]) -> Result<(), Disagreement> {
        let mut nodes = std::collections::VecDeque::from([heddle_swarm::Restriction::default()]);
        let mut leaves = Vec::new();
        while let Some(node) = nodes.pop_front() {
            match split(threads, &node).filter(|_| nodes.len() + leaves.len() + 2 <= LEAVES) {
                Some(split) => {
                    nodes.extend([Side::Closed, Side::Forced].map(|side| split.child(&node, side)));
                }
                None => leaves.push(node),
            }
        }
        let mut any = false;
        for leaf in &leaves {
            let Some(fails) = self.fails(&restriction(leaf))? else { return Ok(()) };
            any |= fails;
        }
        match any == whole {
            true => Ok(()),
            false => fail(format!("fails {whole}, by the leaves of a tree {any}: {leaves:?}")),
        }
    }

    /// An instance and its complement, for each tile.
    fn halves(&mut self, whole: bool, tiles: &[Vec<Range<u32>>]) -> Result<(), Disagreement> {
        for (thread, tiles) in tiles.iter().enumerate() {
            for tile in tiles {
                let mut only = vec![Vec::new(); thread + 1];
                only[thread].push(tile.clone());
                let closed = Restriction { closed: only.clone(), ..Restriction::default() };
                let forced = Restriction { forced: only, ..Restriction::default() };
                let (Some(one), Some(other)) = (self.fails(&closed)?, self.fails(&forced)?) else {
                    return Ok(());
                };
                if (one || other) != whole {
                    let parts = format!("closed {one}, forced {other}");
                    return fail(format!("fails {whole}, by halves of {thread}.{tile:?}: {parts}"));
                }
            }
        }
        Ok(())
    }

    /// The least number of preemptions of a violation.
    fn fewest(&self) -> Option<u32> {
        let most = self.naive.stats.transitions + 10_000;
        let report = search_first(self.test, Algorithm::Stateful, self.limits, most)?;
        matches!(report.verdict, Verdict::Unsafe(_)).then_some(report.stats.switches)
    }

    /// Some instance fails in which each thread has so many open tiles.
    fn selections(
        &mut self,
        open: u32,
        threads: &[Thread],
        (name, size): (&str, u32),
    ) -> Result<(), Disagreement> {
        let tiling = named(name, size).expect("a tiling");
        let selections = Selections::new(threads, (tiling.as_ref(), open as usize), None);
        let Ok(selections) = selections else { return Ok(()) };
        if selections.count() > MOST.into() {
            return Ok(());
        }
        for number in selections.numbers() {
            match self.fails(&restriction(&selections.restriction(number, SEED)))? {
                Some(false) => {}
                Some(true) | None => return Ok(()),
            }
        }
        let tiles = format!("{open} tiles ({})", tiling.name());
        fail(format!("{open} preemptions suffice, but no selection of {tiles} fails"))
    }
}

fn thread(places: &ThreadPlaces) -> Thread {
    let point = |point: &PointPlace| Point {
        function: point.function.clone(),
        file: point.file.clone(),
        waits: point.waits,
        region: point.region,
    };
    Thread {
        name: places.name.clone(),
        points: places.points.iter().map(point).collect(),
        stores: places.stores.clone(),
    }
}

fn restriction(from: &heddle_swarm::Restriction) -> Restriction {
    Restriction::from_spans(&from.closed, &from.forced, &from.prompt)
}

fn windows(points: u32) -> Vec<Range<u32>> {
    let size = points.div_ceil(TILES).max(1) as usize;
    (0..points).step_by(size).map(|at| at..(at + size as u32).min(points)).collect()
}
