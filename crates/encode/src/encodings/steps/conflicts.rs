//! Which accesses make the order of two transitions matter.

use heddle_sat::Term;
use rustc_hash::FxHashMap;

use crate::encodings::accesses::Accesses;
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
    pub fn of(accesses: &Accesses) -> Conflicts {
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
                conflicts.add(writes, reads);
            }
        }
        conflicts
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

/// Two threads touch the cell, one of which writes.
fn is_shared(writes: &[Touch], reads: &[Touch]) -> bool {
    let Some(writer) = writes.first() else { return false };
    writes.iter().chain(reads).any(|touch| touch.thread != writer.thread)
}
