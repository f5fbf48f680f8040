//! Which accesses make the order of two transitions matter.

use std::collections::BTreeMap;

use heddle_sat::Term;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::encodings::accesses::Accesses;
use crate::encodings::steps::traversal::Place;
use crate::unfold::facts::Cell;

/// A transition touches a cell.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    pub thread: usize,
    pub point: u32,
    pub when: Term,
}

/// Touches of one cell that conflict with the same others.
#[derive(Default)]
pub(super) struct Group {
    pub touches: Vec<Touch>,
    /// Groups whose touches are not to be exchanged with those of this one.
    pub near: Vec<usize>,
}

pub(super) struct Conflicts {
    pub groups: Vec<Group>,
}

impl Conflicts {
    /// Of all pairs that conflict, or only of these.
    pub fn of(accesses: &Accesses, pairs: Option<&FxHashSet<(Place, Place)>>) -> Conflicts {
        let mut conflicts = Conflicts { groups: Vec::new() };
        let mut cells: FxHashMap<Cell, (Vec<Touch>, Vec<Touch>)> = FxHashMap::default();
        for leave in &accesses.leaves {
            let touch = Touch { thread: leave.thread, point: leave.point, when: leave.when };
            cells.entry(leave.cell).or_default().0.push(touch);
        }
        let takes = accesses.takes.iter().map(|it| (it.thread, it.point, it.cell, it.when));
        let visits = accesses.visits.iter().map(|it| (it.thread, it.point, it.life, it.when));
        for (thread, point, cell, when) in takes.chain(visits) {
            cells.entry(cell).or_default().1.push(Touch { thread, point, when });
        }
        for cell in accesses.cells() {
            let Some((writes, reads)) = cells.remove(&cell) else { continue };
            if is_shared(&writes, &reads) {
                match pairs {
                    Some(pairs) => conflicts.add_pairs(&writes, &reads, pairs),
                    None => conflicts.add(writes, reads),
                }
            }
        }
        conflicts
    }

    /// Touches of a thread that are sensitive to the same others are one group.
    fn add_pairs(&mut self, writes: &[Touch], reads: &[Touch], pairs: &FxHashSet<(Place, Place)>) {
        let all: Vec<&Touch> = writes.iter().chain(reads).collect();
        let is_near = |a: usize, b: usize| {
            let ordered = if all[a].thread < all[b].thread { [a, b] } else { [b, a] };
            let [one, other] = ordered.map(|at| (all[at].thread, all[at].point));
            one.0 != other.0
                && (a < writes.len() || b < writes.len())
                && pairs.contains(&(one, other))
        };
        let near = |a: usize| (0..all.len()).filter(|&b| is_near(a, b)).collect::<Vec<usize>>();
        let mut groups: BTreeMap<(usize, Vec<usize>), Vec<usize>> = BTreeMap::new();
        for (at, touch) in all.iter().enumerate() {
            let near = near(at);
            if !near.is_empty() {
                groups.entry((touch.thread, near)).or_default().push(at);
            }
        }
        let first = self.groups.len();
        let keys: Vec<_> = groups.keys().cloned().collect();
        for (at, members) in groups.values().enumerate() {
            let others = groups.values().enumerate();
            let near = others.filter(|(_, other)| keys[at].1.contains(&other[0]));
            self.groups.push(Group {
                touches: members.iter().map(|&at| *all[at]).collect(),
                near: near.map(|(other, _)| first + other).collect(),
            });
        }
    }

    fn add(&mut self, writes: Vec<Touch>, reads: Vec<Touch>) {
        let first = self.groups.len();
        match reads.is_empty() {
            true => self.groups.push(Group { touches: writes, near: vec![first] }),
            false => {
                self.groups.push(Group { touches: writes, near: vec![first, first + 1] });
                self.groups.push(Group { touches: reads, near: vec![first] });
            }
        }
    }
}

/// Cells that two threads touch, one of which writes.
pub(super) fn shared(accesses: &Accesses) -> FxHashSet<Cell> {
    let touched = |cell, thread, point, when| (cell, Touch { thread, point, when });
    let leaves = accesses.leaves.iter();
    let takes = accesses.takes.iter().map(|it| touched(it.cell, it.thread, it.point, it.when));
    let mut cells: FxHashMap<Cell, (Vec<Touch>, Vec<Touch>)> = FxHashMap::default();
    for (cell, touch) in leaves.map(|it| touched(it.cell, it.thread, it.point, it.when)) {
        cells.entry(cell).or_default().0.push(touch);
    }
    for (cell, touch) in takes {
        cells.entry(cell).or_default().1.push(touch);
    }
    let shared = cells.into_iter().filter(|(_, (writes, reads))| is_shared(writes, reads));
    shared.map(|(cell, _)| cell).collect()
}

/// Two threads touch the cell, one of which writes.
fn is_shared(writes: &[Touch], reads: &[Touch]) -> bool {
    let Some(writer) = writes.first() else { return false };
    writes.iter().chain(reads).any(|touch| touch.thread != writer.thread)
}
