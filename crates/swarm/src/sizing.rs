//! The size of tiles, by the times of the first instances: as large as can be decided, since
//! larger tiles have more of the violations (Nguyen et al., ASE 2017, section VI.C).

use crate::tally::PROBES;
use crate::threads::Thread;

/// Tiles of the longest thread to begin with.
const FIRST_TILES: u32 = 8;
/// Instances that take less than this part of their time could be larger.
const QUICK: f64 = 0.1;

#[derive(Debug, Default)]
pub(crate) struct Sizing {
    /// Sizes were made smaller, or larger; they are not changed back.
    smaller: bool,
    larger: bool,
    /// The most that makes a difference.
    most: u32,
}

impl Sizing {
    /// The first size; `None` if no thread can be preempted.
    pub fn first(&mut self, threads: &[Thread]) -> Option<u32> {
        let count = |thread: &Thread| {
            (0..thread.points.len() as u32).filter(|&at| thread.is_preemptible(at)).count()
        };
        self.most = threads.iter().map(count).max().unwrap_or(0) as u32;
        (self.most > 0).then(|| self.most.div_ceil(FIRST_TILES))
    }

    /// Another size, if the first times with this one ask for it.
    pub fn next(&mut self, size: u32, times: &[Option<f64>], allowed: f64) -> Option<u32> {
        if times.len() < PROBES {
            return None;
        }
        let undecided = times.iter().filter(|time| time.is_none()).count();
        let quick = times.iter().all(|time| time.is_some_and(|time| time < allowed * QUICK));
        if undecided * 2 >= times.len() && size > 1 && !self.larger {
            self.smaller = true;
            return Some(size.div_ceil(2));
        }
        // With half of all points in a tile, two tiles are everything.
        if quick && size * 4 <= self.most && !self.smaller {
            self.larger = true;
            return Some(size * 2);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::Point;

    #[test]
    fn sizes_follow_times() {
        let points = vec![Point::default(); 81];
        let threads = [Thread { name: String::new(), points, stores: Vec::new() }];
        let mut sizing = Sizing::default();
        assert_eq!(sizing.first(&threads), Some(10));
        assert_eq!(sizing.next(10, &[Some(0.1); 3], 10.0), None);
        assert_eq!(sizing.next(10, &[Some(0.1); 4], 10.0), Some(20));
        assert_eq!(sizing.next(20, &[Some(5.0); 4], 10.0), None);
        // Never back.
        assert_eq!(sizing.next(20, &[None; 4], 10.0), None);
        let mut sizing = Sizing::default();
        sizing.first(&threads);
        assert_eq!(sizing.next(10, &[None, None, Some(1.0), Some(1.0)], 10.0), Some(5));
        assert_eq!(sizing.next(1, &[None; 4], 10.0), None);
        assert_eq!(sizing.next(5, &[Some(0.1); 4], 10.0), None);
    }
}
