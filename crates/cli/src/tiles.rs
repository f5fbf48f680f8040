//! Uniform window tilings, and which instances `heddle emit` makes of them.
//!
//! Nguyen et al. (ASE 2017, sections II.A and V; `docs/papers.md`): the points of each thread
//! are cut into tiles of the same size, and an instance may preempt a thread only in some of
//! its tiles, as many for each thread.

use std::ops::Range;

use heddle_encode::{Restriction, ThreadPlaces};

/// Which instances are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiles {
    /// Tiles of a thread in which it may be preempted; all, if it has no more.
    pub selected: u32,
    /// Points of a tile.
    pub size: u32,
    /// So many of them, spread evenly over all; `None`: all.
    pub instances: Option<u32>,
}

/// More files than that are made only if they are asked for.
const MOST: u128 = 1000;

/// The instances, and how many there are of all.
pub fn choose(tiles: Tiles, threads: &[ThreadPlaces]) -> Result<(Vec<Restriction>, u128), String> {
    let windows: Vec<Vec<Range<u32>>> =
        threads.iter().map(|thread| windows(thread.points.len() as u32, tiles.size)).collect();
    let picked = |all: usize| all.min(tiles.selected as usize);
    let ways: Vec<u128> =
        windows.iter().map(|windows| binomial(windows.len(), picked(windows.len()))).collect();
    let all = ways.iter().fold(1, |all: u128, &ways| all.saturating_mul(ways));
    let count = match tiles.instances {
        Some(count) => all.min(u128::from(count)),
        None if all > MOST => {
            let hint = "--instances says how many to make";
            return Err(format!("there are {all} instances; {hint}"));
        }
        None => all,
    };
    let instance = |number: u128| {
        let mut rank = spread(number, count, all);
        let closed = windows.iter().zip(&ways).map(|(windows, &ways)| {
            let selected = unrank(rank % ways, windows.len(), picked(windows.len()));
            rank /= ways;
            let others = windows.iter().enumerate().filter(|(at, _)| !selected.contains(at));
            others.map(|(_, window)| window.clone()).collect()
        });
        Restriction { closed: closed.collect(), ..Restriction::default() }
    };
    Ok(((0..count).map(instance).collect(), all))
}

fn windows(points: u32, size: u32) -> Vec<Range<u32>> {
    (0..points.div_ceil(size)).map(|at| at * size..((at + 1) * size).min(points)).collect()
}

/// `number` of `count`, spread over `all`.
fn spread(number: u128, count: u128, all: u128) -> u128 {
    let (step, rest) = (all / count, all % count);
    number * step + number.min(rest)
}

fn binomial(n: usize, k: usize) -> u128 {
    let factor = |value: u128, at: usize| value.saturating_mul((n - at) as u128) / (at as u128 + 1);
    (0..k.min(n - k)).fold(1, factor)
}

/// The selection of `k` of `n` with this number, in the order of their smallest members.
fn unrank(mut rank: u128, n: usize, k: usize) -> Vec<usize> {
    let mut selected = Vec::with_capacity(k);
    for at in 0..n {
        let left = k - selected.len();
        if left == 0 {
            break;
        }
        let with = binomial(n - at - 1, left - 1);
        if rank < with {
            selected.push(at);
        } else {
            rank -= with;
        }
    }
    selected
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_encode::PointPlace;

    fn thread(points: usize) -> ThreadPlaces {
        let points = vec![PointPlace::default(); points];
        ThreadPlaces { name: String::new(), points, stores: Vec::new() }
    }

    #[test]
    fn every_selection_is_there_once() {
        let threads = [thread(10), thread(4), thread(0)];
        let tiles = Tiles { selected: 2, size: 3, instances: None };
        let (made, all) = choose(tiles, &threads).expect("not many");
        // Two of four windows, and both of two.
        assert_eq!((made.len(), all), (6, 6));
        let distinct: std::collections::HashSet<_> = made.iter().cloned().collect();
        assert_eq!(distinct.len(), 6);
        for restriction in &made {
            assert_eq!(restriction.closed[0].len(), 2);
            assert!(restriction.closed[1].is_empty());
        }
    }

    #[test]
    fn some_are_spread_over_all() {
        let threads = [thread(100), thread(100)];
        let tiles = Tiles { selected: 3, size: 5, instances: Some(7) };
        let (made, all) = choose(tiles, &threads).expect("seven");
        assert_eq!((made.len(), all), (7, 1140 * 1140));
        let distinct: std::collections::HashSet<_> = made.iter().cloned().collect();
        assert_eq!(distinct.len(), 7);
        let many = Tiles { instances: None, ..tiles };
        let error = choose(many, &threads).expect_err("too many");
        assert!(error.contains("1299600 instances"), "{error}");
    }
}
