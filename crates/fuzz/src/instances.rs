//! Do instances together have all runs that the naive explorer knows, and no others?
//!
//! The theorem of section II.A (`encode/src/solve/instances.rs`): what takes p preemptions
//! is in some instance in which each thread may be preempted in p tiles. And the two halves
//! of an instance are the whole: not preempted in a tile, and preempted there.

use std::ops::Range;
use std::time::Duration;

use heddle_encode::{Answer, Fixed, Instances, Options, Restriction, with_instances};
use heddle_explore::{Algorithm, Report};
use heddle_semantics::{Verdict, ViolationKind};

use crate::batch::Compiled;
use crate::compare::search_first;
use crate::outcome::{Disagreement, Limits, Respect};

/// For each instance. One that is not decided ends the comparison.
const TIME: Duration = Duration::from_millis(400);
const ROUNDS: u32 = 8;
/// Tiles of a thread.
const TILES: u32 = 3;
/// More selections are not gone through.
const MOST: usize = 200;

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
        let sizes: Vec<u32> =
            self.instances.threads().iter().map(|thread| thread.points.len() as u32).collect();
        let tiles: Vec<Vec<Range<u32>>> = sizes.iter().map(|&points| windows(points)).collect();
        self.halves(whole, &tiles)?;
        if whole && let Some(preemptions) = self.fewest() {
            self.selections(preemptions, &tiles)?;
        }
        Ok(Some(true))
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
    fn selections(&mut self, open: u32, tiles: &[Vec<Range<u32>>]) -> Result<(), Disagreement> {
        let choices: Vec<Vec<Vec<Range<u32>>>> =
            tiles.iter().map(|tiles| without(tiles, open as usize)).collect();
        let count: usize = choices.iter().map(Vec::len).product();
        if count > MOST {
            return Ok(());
        }
        for mut number in 0..count {
            let mut closed = Vec::new();
            for choices in &choices {
                closed.push(choices[number % choices.len()].clone());
                number /= choices.len();
            }
            match self.fails(&Restriction { closed, ..Restriction::default() })? {
                Some(false) => {}
                Some(true) | None => return Ok(()),
            }
        }
        fail(format!("{open} preemptions suffice, but no selection of {open} tiles fails"))
    }
}

fn windows(points: u32) -> Vec<Range<u32>> {
    let size = points.div_ceil(TILES).max(1) as usize;
    (0..points).step_by(size).map(|at| at..(at + size as u32).min(points)).collect()
}

/// What is closed, for each way to leave so many tiles open.
fn without(tiles: &[Range<u32>], open: usize) -> Vec<Vec<Range<u32>>> {
    let open = open.min(tiles.len());
    let subsets = (0u32..1 << tiles.len()).filter(|subset| subset.count_ones() as usize == open);
    let closed = subsets.map(|subset| {
        let all = tiles.iter().enumerate();
        all.filter(|(at, _)| subset & 1 << at == 0).map(|(_, tile)| tile.clone()).collect()
    });
    closed.collect()
}
