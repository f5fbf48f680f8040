//! Which instances `heddle emit` makes of a program: selections of windows, as in a swarm.

use heddle_encode::{Restriction, ThreadPlaces};
use heddle_swarm::selection::Selections;
use heddle_swarm::tiling::Windows;

use crate::swarm::threads;
use crate::swarm::worker::restriction;

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
const MOST: u64 = 1000;

/// The instances, and how many there are of all, as text.
pub fn choose(tiles: Tiles, places: &[ThreadPlaces]) -> Result<(Vec<Restriction>, String), String> {
    let threads = threads(places.to_vec());
    let windows = (&Windows(tiles.size) as _, tiles.selected as usize);
    let selections = Selections::new(&threads, windows, None).map_err(|error| error.to_string())?;
    let (all, numbers) = (selections.count(), selections.numbers().end);
    let count = match tiles.instances {
        Some(count) => numbers.min(u64::from(count)),
        None if numbers > MOST => {
            let hint = "--instances says how many to make";
            return Err(format!("there are {all} instances; {hint}"));
        }
        None => numbers,
    };
    // A seed mixes them, so that the first ones are spread over all.
    let instance = |number| restriction(&selections.restriction(number, 0));
    Ok(((0..count).map(instance).collect(), all.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_encode::PointPlace;

    #[test]
    fn many_are_made_only_on_demand() {
        let points = vec![PointPlace::default(); 100];
        let thread = ThreadPlaces { name: String::new(), points, stores: Vec::new() };
        let threads = [thread.clone(), thread];
        let tiles = Tiles { selected: 3, size: 5, instances: Some(7) };
        let (made, _) = choose(tiles, &threads).expect("seven");
        let distinct: std::collections::HashSet<_> = made.iter().cloned().collect();
        assert_eq!((made.len(), distinct.len()), (7, 7));
        let many = Tiles { instances: None, ..tiles };
        let error = choose(many, &threads).expect_err("too many");
        assert!(error.contains("1,299,600 instances"), "{error}");
    }
}
