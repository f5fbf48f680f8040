//! What is known of memory before a program is unfolded for good.
//!
//! Unfolding is repeated until it finds nothing new: into which cells the accesses
//! cut each object, which threads use each cell, and which values a cell can hold.
//! All of it only grows, so this ends; a set of values that grows too long becomes
//! "any". The last unfolding used facts that it confirmed, so they hold for every
//! run within its bounds.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::unfold::targets::NULL_PAGE;

/// Bytes of an object from an offset on, up to the next cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    pub object: u32,
    pub offset: u32,
}

impl Cell {
    /// Does it say something about an object or another cell?
    pub fn is_mark(self) -> bool {
        self.offset & WRITTEN != 0
    }
}

/// The offset of the cell that says whether the object is gone.
pub const LIFE: u32 = u32::MAX;
/// Added to the offset of a cell: whether it was written at all.
pub const WRITTEN: u32 = 1 << 31;

/// More values than this are "any".
const MOST_VALUES: usize = 64;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Values {
    #[default]
    None,
    Few(BTreeSet<u64>),
    Any,
}

#[derive(Clone, Debug, Default)]
struct Users {
    readers: FxHashSet<u32>,
    writers: FxHashSet<u32>,
}

impl Users {
    /// Somebody else looks at what somebody writes.
    fn is_shared(&self) -> bool {
        let other = |writer: &u32| {
            self.readers.iter().any(|r| r != writer) || self.writers.iter().any(|w| w != writer)
        };
        self.writers.iter().any(other)
    }
}

#[derive(Debug, Default)]
pub struct Facts {
    cuts: FxHashMap<u32, BTreeSet<u32>>,
    /// Cells that were accessed.
    used: FxHashSet<Cell>,
    users: FxHashMap<Cell, Users>,
    values: FxHashMap<Cell, Known>,
    /// Cells that count as shared because others of the same access are.
    joint: FxHashSet<Cell>,
    /// Something was added since [`Facts::settle`].
    changed: bool,
    /// An object was cut anew: what is known of cells speaks of other cells.
    recut: bool,
    /// Rounds of growth so far.
    rounds: u32,
    /// More numbers than this are "any", if it is not [`MOST_VALUES`].
    listed: Option<usize>,
}

/// What a cell can hold.
#[derive(Clone, Debug, Default)]
struct Known {
    values: Values,
    /// Rounds in which there were more, and the last of them.
    growths: u32,
    grown: u32,
}

/// A set that grows in more rounds than this becomes "any": most likely it is a
/// counter.
const PATIENCE: u32 = 24;
/// After so many rounds every set that still grows does.
const LAST_PATIENCE: u32 = 250;

impl Facts {
    pub fn listing(listed: Option<usize>) -> Facts {
        Facts { listed, ..Facts::default() }
    }

    /// Makes sure that a cell begins at `from` and one ends before `to`.
    pub fn cut(&mut self, object: u32, from: u32, to: u32) {
        let cuts = self.cuts.entry(object).or_default();
        for at in [from, to] {
            if !cuts.insert(at) {
                continue;
            }
            self.changed = true;
            // Nothing is known of what lies between the cells.
            let before = cuts.range(..at).next_back();
            let split = before.is_some_and(|&offset| self.used.contains(&Cell { object, offset }));
            self.recut |= split && cuts.range(at + 1..).next().is_some();
        }
    }

    /// The same for an access: something may be known of these cells from now on.
    pub fn access(&mut self, object: u32, from: u32, to: u32) -> Vec<(u32, u32)> {
        self.cut(object, from, to);
        let cells = self.cells(object, from, to);
        self.used.extend(cells.iter().map(|&(offset, _)| Cell { object, offset }));
        cells
    }

    /// Offsets and lengths of the cells of a range whose ends are cuts.
    pub fn cells(&self, object: u32, from: u32, to: u32) -> Vec<(u32, u32)> {
        let Some(cuts) = self.cuts.get(&object) else { return vec![(from, to - from)] };
        let inner: Vec<u32> = cuts.range(from..=to).copied().collect();
        inner.windows(2).map(|pair| (pair[0], pair[1] - pair[0])).collect()
    }

    /// The length of the cell that begins there.
    pub fn length(&self, cell: Cell) -> u32 {
        if cell.offset == LIFE || cell.offset & WRITTEN != 0 {
            return 1;
        }
        let cuts = self.cuts.get(&cell.object);
        let next = cuts.and_then(|cuts| cuts.range(cell.offset + 1..).next().copied());
        next.map_or(1, |next| next - cell.offset)
    }

    pub fn note_read(&mut self, cell: Cell, thread: u32) {
        self.changed |= self.users.entry(cell).or_default().readers.insert(thread);
    }

    pub fn note_write(&mut self, cell: Cell, thread: u32) {
        self.changed |= self.users.entry(cell).or_default().writers.insert(thread);
    }

    pub fn is_shared(&self, cell: Cell) -> bool {
        self.joint.contains(&cell) || self.users.get(&cell).is_some_and(Users::is_shared)
    }

    /// Lets the cells of one access be shared if one of them is.
    pub fn join(&mut self, cells: impl Iterator<Item = Cell> + Clone) {
        if cells.clone().any(|cell| self.is_shared(cell)) {
            for cell in cells {
                self.changed |= self.joint.insert(cell);
            }
        }
    }

    /// Is this the only thread that writes the cell?
    pub fn is_sole_writer(&self, cell: Cell, thread: u32) -> bool {
        let writers = self.users.get(&cell).map(|users| &users.writers);
        writers.is_some_and(|writers| writers.len() == 1 && writers.contains(&thread))
    }

    pub fn values(&self, cell: Cell) -> &Values {
        static NONE: Values = Values::None;
        self.values.get(&cell).map_or(&NONE, |known| &known.values)
    }

    /// The cell may hold these values, or any.
    pub fn add_values(&mut self, cell: Cell, values: Option<&[u64]>) {
        let known = self.values.entry(cell).or_default();
        let Some(values) = values else {
            self.changed |= known.values != Values::Any;
            known.values = Values::Any;
            return;
        };
        if known.values == Values::None {
            known.values = Values::Few(BTreeSet::new());
        }
        let Values::Few(few) = &mut known.values else { return };
        let before = few.len();
        few.extend(values);
        if few.len() == before {
            return;
        }
        self.changed = true;
        // Counted from 1, so that the first round differs from none.
        let round = self.rounds + 1;
        known.growths += u32::from(known.grown != round);
        known.grown = round;
        let patient = known.growths <= PATIENCE && round <= LAST_PATIENCE;
        // Addresses are listed in any case: they are to be followed.
        let numbers = few.last().is_some_and(|&last| last < NULL_PAGE);
        let most = self.listed.filter(|_| numbers).unwrap_or(MOST_VALUES);
        if few.len() > most || !patient {
            known.values = Values::Any;
        }
    }

    /// After an unfolding: was nothing new found?
    pub fn settle(&mut self) -> bool {
        self.rounds += 1;
        if self.recut {
            self.recut = false;
            self.users.clear();
            self.values.clear();
            self.joint.clear();
        }
        !std::mem::take(&mut self.changed)
    }
}
