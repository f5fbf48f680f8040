//! What follows from an order of moments, said of the truths that compare them.

use std::collections::BTreeMap;

use heddle_sat::Term;
use heddle_semantics::MemoryModel;
use rustc_hash::FxHashMap;

use crate::encodings::Formula;
use crate::encodings::imu::Moment;

/// Rows of truths, each at a point of a thread: from one that holds on all later ones do.
pub(super) fn chain<K: Ord + Copy, M: MemoryModel>(
    f: &mut Formula<'_, M>,
    rows: &mut [(K, u32, Term)],
) {
    rows.sort_unstable();
    for next in rows.windows(2) {
        if next[0].0 == next[1].0 {
            f.imply(next[0].2, next[1].2);
        }
    }
}

/// Of two threads: their points that are compared, and when the first is earlier.
type Grid = BTreeMap<u32, BTreeMap<u32, Term>>;

/// If a point is before one of another thread, so are earlier ones, and before later ones.
pub(super) fn close<M: MemoryModel>(
    f: &mut Formula<'_, M>,
    orders: &FxHashMap<(Moment, Moment), Term>,
) {
    let mut grids: BTreeMap<(usize, usize), Grid> = BTreeMap::new();
    let mut arrivals: Vec<((Moment, usize), u32, Term)> = Vec::new();
    for (&(a, b), &before) in orders {
        match (a, b) {
            (Moment::Point(first, p), Moment::Point(second, q)) => {
                let grid = grids.entry((first, second)).or_default();
                grid.entry(p).or_default().insert(q, before);
            }
            // Points come first in the order of moments.
            (Moment::Point(thread, p), arrival) => {
                let after = f.not(before);
                arrivals.push(((arrival, thread), p, after));
            }
            _ => {}
        }
    }
    chain(f, &mut arrivals);
    grids.values().for_each(|grid| close_grid(f, grid));
}

fn close_grid<M: MemoryModel>(f: &mut Formula<'_, M>, grid: &Grid) {
    for (&p, row) in grid {
        for (&q, &before) in row {
            // The nearest that follow, each not following from those before it.
            let mut nearest = u32::MAX;
            for (&earlier, others) in grid.range(..=p).rev() {
                let from = if earlier == p { q + 1 } else { q };
                if let Some((&later, &follows)) = others.range(from..).next()
                    && later < nearest
                {
                    f.imply(before, follows);
                    nearest = later;
                }
                if nearest == q {
                    break;
                }
            }
        }
    }
}
