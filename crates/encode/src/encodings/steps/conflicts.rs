//! Which accesses make the order of two transitions matter.

use heddle_sat::Term;
use heddle_semantics::MemoryModel;
use rustc_hash::FxHashMap;

use crate::encodings::Formula;
use crate::encodings::accesses::Accesses;
use crate::encodings::steps::relevant::Relevant;
use crate::unfold::facts::Cell;

/// Which interleavings are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    None,
    /// All but one of those that order dependent transitions the same way.
    Monotonic,
    /// All but one of those that order schedule sensitive transitions the same way.
    Insensitive,
}

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
    pub fn of<M: MemoryModel>(
        f: &mut Formula<'_, M>,
        accesses: &Accesses,
        reduction: Reduction,
    ) -> Option<Conflicts> {
        let relevant = match reduction {
            Reduction::None => return None,
            Reduction::Monotonic => None,
            Reduction::Insensitive => Some(Relevant::of(f)),
        };
        let mut conflicts = Conflicts { groups: Vec::new() };
        let mut cells: FxHashMap<Cell, (Vec<Touch>, Vec<Touch>)> = FxHashMap::default();
        for leave in &accesses.leaves {
            let touch = Touch { thread: leave.thread, point: leave.point, when: leave.when };
            cells.entry(leave.cell).or_default().0.push(touch);
        }
        let visits = accesses.visits.iter();
        let visits = visits.map(|visit| (visit.thread, visit.point, visit.life, visit.when, None));
        let takes = accesses.takes.iter();
        let reads = takes.map(|it| (it.thread, it.point, it.cell, it.when, Some(it.value)));
        for (thread, point, cell, when, value) in visits.chain(reads) {
            let counts = match (&relevant, value) {
                (Some(relevant), Some(value)) => relevant.decides(value),
                _ => true,
            };
            if counts {
                let touch = Touch { thread, point, when };
                cells.entry(cell).or_default().1.push(touch);
            }
        }
        for cell in accesses.cells() {
            let Some((writes, reads)) = cells.remove(&cell) else { continue };
            let seen = relevant.as_ref().is_none_or(|it| !reads.is_empty() || it.is_tested(cell));
            if seen && is_shared(&writes, &reads) {
                conflicts.add(writes, reads);
            }
        }
        Some(conflicts)
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
