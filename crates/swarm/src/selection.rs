//! z-selections of a tiling, numbered: the n-th one is computed, never listed.
//!
//! Section II.A of Nguyen et al. (ASE 2017; `docs/papers.md`). A run in which every thread is
//! preempted at most z times is in some z-selection: its preemptions fall into at most z
//! tiles of each thread. A thread with fewer tiles has all of them.

use std::ops::Range;

use crate::natural::Natural;
use crate::shuffle::shuffle;
use crate::threads::{Restriction, Thread};
use crate::tiling::{Places, Tile, Tiling};

/// So many ways to select tiles of a thread that they can't be numbered.
#[derive(Debug, thiserror::Error)]
#[error(
    "thread {thread} has too many selections of {select} out of {tiles} tiles; larger tiles make fewer"
)]
pub struct TooMany {
    pub thread: String,
    pub tiles: usize,
    pub select: usize,
}

/// Tiles of a thread, some of which are selected.
#[derive(Debug)]
struct Choice {
    thread: usize,
    tiles: Vec<Tile>,
    select: usize,
    /// In how many ways.
    ways: u64,
}

/// All ways to select so many tiles of each thread.
#[derive(Debug)]
pub struct Selections {
    points: Vec<Choice>,
    stores: Vec<Choice>,
    radices: Vec<u64>,
}

impl Selections {
    /// `stores`: how stores that may wait are tiled, and how many of these tiles are selected.
    pub fn new(
        threads: &[Thread],
        (tiling, select): (&dyn Tiling, usize),
        stores: Option<(&dyn Tiling, usize)>,
    ) -> Result<Selections, TooMany> {
        let choices = |of: fn(&Thread) -> Places<'_>, tiling: &dyn Tiling, select: usize| {
            let all = threads.iter().enumerate();
            all.map(|(at, thread)| Choice::new(at, thread, tiling.tiles(&of(thread)), select))
                .collect::<Result<Vec<Choice>, TooMany>>()
        };
        let points = choices(|thread| Places::points(thread), tiling, select)?;
        let stores = match stores {
            Some((tiling, select)) => choices(|thread| Places::stores(thread), tiling, select)?,
            None => Vec::new(),
        };
        let radices = points.iter().chain(&stores).map(|choice| choice.ways).collect();
        Ok(Selections { points, stores, radices })
    }

    pub fn count(&self) -> Natural {
        self.radices.iter().fold(Natural::from(1), |count, &ways| count.times(ways))
    }

    /// The numbers that can be asked for: all, or as many as there are numbers.
    pub fn numbers(&self) -> Range<u64> {
        0..self.count().to_u64().unwrap_or(u64::MAX)
    }

    /// How many tiles each thread has.
    pub fn tiles(&self) -> Vec<usize> {
        self.points.iter().map(|choice| choice.tiles.len()).collect()
    }

    /// Does every selection have all tiles of every thread?
    pub fn is_everything(&self) -> bool {
        self.radices.iter().all(|&ways| ways == 1) && self.all().all(|it| it.is_whole())
    }

    /// Does some thread have more tiles than are selected, so that it may be preempted more
    /// often than in any selection?
    pub fn limits_preemptions(&self) -> bool {
        !self.points.iter().all(Choice::is_whole)
    }

    /// The same for stores that wait.
    pub fn limits_stores(&self) -> bool {
        !self.stores.iter().all(Choice::is_whole)
    }

    fn all(&self) -> impl Iterator<Item = &Choice> {
        self.points.iter().chain(&self.stores)
    }

    /// The n-th selection in the order of a seed, as what it closes.
    pub fn restriction(&self, number: u64, seed: u64) -> Restriction {
        let mut digits = Vec::with_capacity(self.radices.len());
        let mut rest = number;
        for &radix in &self.radices {
            digits.push(rest % radix);
            rest /= radix;
        }
        shuffle(&mut digits, &self.radices, seed);
        let mut restriction = Restriction::default();
        for (choice, &rank) in self.points.iter().zip(&digits) {
            choice.close(rank, &mut restriction.closed);
        }
        for (choice, &rank) in self.stores.iter().zip(&digits[self.points.len()..]) {
            choice.close(rank, &mut restriction.prompt);
        }
        restriction
    }
}

impl Choice {
    fn new(
        thread: usize,
        about: &Thread,
        tiles: Vec<Tile>,
        select: usize,
    ) -> Result<Choice, TooMany> {
        let select = select.min(tiles.len());
        let ways = binomial(tiles.len() as u64, select as u64);
        let ways = ways.ok_or_else(|| {
            let (thread, tiles) = (about.name.clone(), tiles.len());
            TooMany { thread, tiles, select }
        })?;
        Ok(Choice { thread, tiles, select, ways })
    }

    fn is_whole(&self) -> bool {
        self.select == self.tiles.len()
    }

    fn close(&self, rank: u64, list: &mut Vec<Vec<(u32, u32)>>) {
        let selected = unrank(self.tiles.len() as u64, self.select as u64, rank);
        for (at, Tile(spans)) in self.tiles.iter().enumerate() {
            if !selected.contains(&(at as u64)) {
                spans.iter().for_each(|&span| Restriction::add(list, self.thread, span));
            }
        }
    }
}

/// How many ways there are to choose `k` out of `n`; `None` if too many.
pub fn binomial(n: u64, k: u64) -> Option<u64> {
    if k > n {
        return Some(0);
    }
    let mut ways: u128 = 1;
    for at in 0..k.min(n - k) {
        // The product of so many neighbours can be divided by each number up to there.
        ways = ways.checked_mul(u128::from(n - at))? / u128::from(at + 1);
        if ways > u128::from(u64::MAX) {
            return None;
        }
    }
    Some(ways as u64)
}

/// The `rank`-th way to choose `k` out of `n`, in the combinatorial number system: the
/// largest chosen one is the largest c with so many ways below it, and so on.
fn unrank(n: u64, k: u64, mut rank: u64) -> Vec<u64> {
    let mut chosen = Vec::with_capacity(k as usize);
    let mut below = n;
    for left in (1..=k).rev() {
        let mut at = below - 1;
        while binomial(at, left).is_none_or(|ways| ways > rank) {
            at -= 1;
        }
        rank -= binomial(at, left).unwrap_or(0);
        chosen.push(at);
        below = at;
    }
    chosen.reverse();
    chosen
}

/// The number of a choice, in increasing order.
#[cfg(test)]
fn rank(chosen: &[u64]) -> u64 {
    let ways = chosen.iter().zip(1..).map(|(&at, k)| binomial(at, k).expect("small"));
    ways.sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::Point;
    use crate::tiling::Windows;
    use std::collections::BTreeSet;

    #[test]
    fn ranks_and_choices_are_the_same() {
        for n in 0..9 {
            for k in 0..=n {
                let ways = binomial(n, k).unwrap();
                let all: BTreeSet<Vec<u64>> = (0..ways).map(|at| unrank(n, k, at)).collect();
                assert_eq!(all.len() as u64, ways, "{k} of {n}");
                for at in 0..ways {
                    let chosen = unrank(n, k, at);
                    assert!(chosen.is_sorted() && chosen.iter().all(|&one| one < n));
                    assert_eq!(rank(&chosen), at);
                }
            }
        }
        assert_eq!(binomial(14, 4), Some(1001));
        assert_eq!(binomial(1000, 500), None);
        assert_eq!(unrank(500, 3, binomial(500, 3).unwrap() - 1), [497, 498, 499]);
    }

    fn threads(sizes: &[usize]) -> Vec<Thread> {
        let thread = |&size: &usize| Thread {
            name: format!("t{size}"),
            points: vec![Point::default(); size + 1],
            stores: (0..size as u32).collect(),
        };
        sizes.iter().map(thread).collect()
    }

    /// What the paper counts: each thread's ways, multiplied.
    #[test]
    fn as_many_as_there_are() {
        let threads = threads(&[6, 4, 1]);
        let selections = Selections::new(&threads, (&Windows(2), 2), None).unwrap();
        assert_eq!(selections.tiles(), [3, 2, 1]);
        assert_eq!(selections.count().to_u64(), Some(3));
        assert!(selections.limits_preemptions() && !selections.is_everything());
        let all: BTreeSet<String> =
            selections.numbers().map(|n| format!("{:?}", selections.restriction(n, 5))).collect();
        assert_eq!(all.len(), 3);
        let with_stores =
            Selections::new(&threads, (&Windows(2), 2), Some((&Windows(3), 1))).unwrap();
        assert_eq!(with_stores.count().to_u64(), Some(3 * 2 * 2));
        assert!(with_stores.limits_stores());
        let every = Selections::new(&threads, (&Windows(2), 3), None).unwrap();
        assert!(every.is_everything());
        assert_eq!(every.restriction(0, 1), Restriction::default());
    }

    #[test]
    fn more_than_fit_into_a_word() {
        let threads = threads(&[100; 12]);
        let selections = Selections::new(&threads, (&Windows(1), 5), None).unwrap();
        assert_eq!(selections.count().to_u64(), None);
        assert!(selections.count().to_f64() > 1e90);
        let one = selections.restriction(0, 3);
        let two = selections.restriction(u64::MAX - 1, 3);
        assert_ne!(one, two);
        let error = Selections::new(&threads, (&Windows(1), 50), None).unwrap_err();
        assert!(error.to_string().contains("50 out of 100"), "{error}");
    }
}
