//! Tilings: the points of a thread, or its stores, in parts.
//!
//! Nguyen, Schrammel, Fischer, La Torre and Parlato (ASE 2017; `docs/papers.md`), sections
//! II.A and V; by module as in preemption sealing (Ball et al., TACAS 2010).
//!
//! Deviations:
//! 1. A window counts points at which its thread can be preempted: where it may have to wait
//!    it can be left in any instance (II.A; V.A forgets it), so these fill no tile.
//! 2. Stores that may wait (TSO, PSO) are tiled too. The paper speaks of "statement
//!    reordering" in tiles and does not say what it is; here the stores of a tile that is not
//!    selected reach memory at once.

use crate::threads::{Span, Thread};

/// A part of a thread. Not always in one piece: a function may be called twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tile(pub Vec<Span>);

/// What is tiled: places in a thread, numbered from 0.
pub struct Places<'a> {
    pub thread: &'a Thread,
    /// The point of each place.
    pub points: Vec<u32>,
    /// Does it count for the size of a window?
    pub counts: Vec<bool>,
}

impl<'a> Places<'a> {
    /// All points of a thread.
    pub fn points(thread: &'a Thread) -> Places<'a> {
        let points: Vec<u32> = (0..thread.points.len() as u32).collect();
        let counts = points.iter().map(|&point| thread.is_preemptible(point)).collect();
        Places { thread, points, counts }
    }

    /// Its stores that may wait.
    pub fn stores(thread: &'a Thread) -> Places<'a> {
        let points = thread.stores.clone();
        let counts = vec![true; points.len()];
        Places { thread, points, counts }
    }
}

/// A way to cut threads into tiles. Every place is in exactly one tile.
pub trait Tiling {
    fn name(&self) -> String;
    fn tiles(&self, places: &Places<'_>) -> Vec<Tile>;
}

/// The tilings that have a name.
pub const NAMES: [&str; 4] = ["windows", "function", "region", "module"];

/// By name; the size is that of windows.
pub fn named(name: &str, size: u32) -> Option<Box<dyn Tiling>> {
    Some(match name {
        "windows" => Box::new(Windows(size.max(1))),
        "function" => Box::new(ByFunction),
        "region" => Box::new(ByRegion),
        "module" => Box::new(ByModule),
        _ => return None,
    })
}

/// Windows of so many places that count; the last may have fewer.
pub struct Windows(pub u32);

impl Tiling for Windows {
    fn name(&self) -> String {
        format!("windows of {}", self.0)
    }

    fn tiles(&self, places: &Places<'_>) -> Vec<Tile> {
        let mut tiles: Vec<Tile> = Vec::new();
        let (mut start, mut counted) = (0, 0);
        for (at, &counts) in places.counts.iter().enumerate() {
            if counts && counted == self.0 {
                tiles.push(Tile(vec![(start, at as u32)]));
                (start, counted) = (at as u32, 0);
            }
            counted += u32::from(counts);
        }
        if counted > 0 || tiles.is_empty() {
            tiles.push(Tile(vec![(start, places.counts.len() as u32)]));
        }
        tiles.retain(|tile| tile.0.iter().any(|(from, to)| from < to));
        tiles
    }
}

/// A tile for each function.
pub struct ByFunction;

impl Tiling for ByFunction {
    fn name(&self) -> String {
        "functions".to_string()
    }

    fn tiles(&self, places: &Places<'_>) -> Vec<Tile> {
        let points = &places.thread.points;
        together(places, |point| points[point as usize].function.as_str())
    }
}

/// A tile for each file.
pub struct ByModule;

impl Tiling for ByModule {
    fn name(&self) -> String {
        "modules".to_string()
    }

    fn tiles(&self, places: &Places<'_>) -> Vec<Tile> {
        let points = &places.thread.points;
        together(places, |point| points[point as usize].file.as_str())
    }
}

/// A tile from each operation on a lock, or the like, to the next.
pub struct ByRegion;

impl Tiling for ByRegion {
    fn name(&self) -> String {
        "lock regions".to_string()
    }

    fn tiles(&self, places: &Places<'_>) -> Vec<Tile> {
        let points = &places.thread.points;
        together(places, |point| points[point as usize].region)
    }
}

/// Places whose points have the same key are a tile, in the order in which they come up.
/// Tiles in which nothing counts are left to the one before: to select them is no choice.
fn together<K: PartialEq>(places: &Places<'_>, key: impl Fn(u32) -> K) -> Vec<Tile> {
    let mut tiles: Vec<(K, Tile, bool)> = Vec::new();
    for (at, (&point, &counts)) in places.points.iter().zip(&places.counts).enumerate() {
        let (at, key) = (at as u32, key(point));
        let index = tiles.iter().position(|(known, ..)| *known == key).unwrap_or_else(|| {
            tiles.push((key, Tile::default(), false));
            tiles.len() - 1
        });
        let (_, Tile(spans), any) = &mut tiles[index];
        *any |= counts;
        match spans.last_mut() {
            Some((_, end)) if *end == at => *end += 1,
            _ => spans.push((at, at + 1)),
        }
    }
    let mut merged: Vec<Tile> = Vec::new();
    let mut idle: Vec<Span> = Vec::new();
    for (_, tile, any) in tiles {
        match (any, merged.last_mut()) {
            (true, _) => merged.push(tile),
            (false, Some(last)) => last.0.extend(tile.0),
            (false, None) => idle.extend(tile.0),
        }
    }
    match merged.first_mut() {
        Some(first) => first.0.extend(idle),
        None if idle.is_empty() => {}
        None => merged.push(Tile(idle)),
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::Point;

    fn thread(places: &[(&str, &str, u32, bool)]) -> Thread {
        let point = |&(function, file, region, waits): &(&str, &str, u32, bool)| Point {
            function: function.to_string(),
            file: file.to_string(),
            waits,
            region,
        };
        let points = places.iter().map(point).collect();
        Thread { name: "t".to_string(), points, stores: vec![1, 2, 5] }
    }

    fn example() -> Thread {
        thread(&[
            ("main", "a.c", 0, false),
            ("push", "a.c", 0, false),
            ("push", "a.c", 1, true),
            ("take", "b.c", 1, false),
            ("take", "b.c", 1, false),
            ("push", "a.c", 2, false),
            ("main", "a.c", 2, false),
        ])
    }

    #[test]
    fn windows_count_where_a_thread_can_be_preempted() {
        let thread = example();
        let tiles = Windows(2).tiles(&Places::points(&thread));
        assert_eq!(tiles, [Tile(vec![(0, 4)]), Tile(vec![(4, 6)]), Tile(vec![(6, 7)])]);
        let stores = Windows(2).tiles(&Places::stores(&thread));
        assert_eq!(stores, [Tile(vec![(0, 2)]), Tile(vec![(2, 3)])]);
    }

    #[test]
    fn functions_regions_modules() {
        let thread = example();
        let places = Places::points(&thread);
        let functions = ByFunction.tiles(&places);
        let expected = [vec![(0, 1), (6, 7)], vec![(1, 3), (5, 6)], vec![(3, 5)]];
        assert_eq!(functions, expected.map(Tile));
        assert_eq!(ByModule.tiles(&places).len(), 2);
        let regions = ByRegion.tiles(&places);
        assert_eq!(regions, [vec![(0, 2)], vec![(2, 5)], vec![(5, 7)]].map(Tile));
    }

    #[test]
    fn every_place_is_in_one_tile() {
        let waiting = thread(&[("f", "a.c", 0, false), ("f", "a.c", 1, true)]);
        for thread in [example(), waiting, Thread::default()] {
            for name in NAMES {
                for size in 1..9 {
                    let tiling = named(name, size).expect("a name");
                    for places in [Places::points(&thread), Places::stores(&thread)] {
                        if places.points.iter().any(|&at| at as usize >= thread.points.len()) {
                            continue;
                        }
                        let tiles = tiling.tiles(&places);
                        let mut seen = vec![0; places.points.len()];
                        for (from, to) in tiles.iter().flat_map(|tile| &tile.0) {
                            (*from..*to).for_each(|at| seen[at as usize] += 1);
                        }
                        assert!(seen.iter().all(|&times| times == 1), "{name} {size}: {seen:?}");
                    }
                }
            }
        }
    }
}
