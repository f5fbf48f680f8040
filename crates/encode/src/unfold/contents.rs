//! What is in a cell that is not read from others: at its birth, at the start of the
//! other threads, or by what its own thread has stored.

use std::rc::Rc;

use heddle_sat::Term;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::unfold::Unfolder;
use crate::unfold::facts::{Cell, LIFE, WRITTEN};
use crate::unfold::objects::Contents;
use crate::unfold::state::State;
use crate::unfold::targets::Target;

/// Stands in a shared cell that was never written.
const NEVER: u64 = 0x5ead_beef_dead_c0de;

/// That mark, in a cell of so many bits.
pub(crate) fn mark_of(width: u32) -> u64 {
    NEVER & (u64::MAX >> (64 - width))
}

impl Unfolder<'_> {
    /// What an object holds at its birth; `None` if that is anything.
    fn static_initial(&mut self, cell: Cell) -> Option<Term> {
        let len = self.facts.length(cell);
        let width = len * 8;
        if cell.offset & WRITTEN != 0 {
            return Some(self.symbolic.terms.constant(0, width));
        }
        let bits = match &self.objects.all[cell.object as usize].contents {
            Contents::Zero => 0,
            Contents::Unwritten => return None,
            Contents::Bytes(data) => {
                let at = cell.offset as usize;
                let mut word = [0u8; 8];
                for (byte, value) in word.iter_mut().zip(&data[at..at + len.min(8) as usize]) {
                    *byte = *value;
                }
                u64::from_le_bytes(word)
            }
        };
        Some(self.symbolic.terms.constant(bits, width))
    }

    /// What a cell that only this thread uses holds.
    pub(crate) fn private_value(&mut self, cell: Cell) -> Option<Term> {
        let known = self.state.memory.get(&cell).copied();
        let known = known.or_else(|| self.snapshot_value(cell));
        known.map(|value| self.fit(cell, value)).or_else(|| self.static_initial(cell))
    }

    /// A value that was stored before the object was cut anew; the unfolding will be
    /// repeated.
    fn fit(&mut self, cell: Cell, value: Term) -> Term {
        let width = (self.facts.length(cell) * 8).min(64);
        match self.symbolic.terms.width(value) == width {
            true => value,
            false => self.symbolic.terms.resize(value, width),
        }
    }

    /// What a cell holds that nobody has written to: anything, but the same for all who look.
    pub(crate) fn unwritten_value(&mut self, cell: Cell) -> Term {
        let value = match self.unwritten.get(&cell) {
            Some(&value) => value,
            None => {
                let value = self.unknown(self.facts.length(cell) * 8);
                self.unwritten.insert(cell, value);
                value
            }
        };
        self.fit(cell, value)
    }

    fn snapshot_value(&self, cell: Cell) -> Option<Term> {
        // Main's own memory is what the snapshot was made from.
        if self.current == 0 { None } else { self.snapshot.get(&cell).copied() }
    }

    /// What a shared cell holds before other threads come.
    pub(crate) fn initial_shared(&mut self, cell: Cell) -> Term {
        if let Some(&value) = self.snapshot.get(&cell) {
            return self.fit(cell, value);
        }
        let width = self.facts.length(cell) * 8;
        match self.static_initial(cell) {
            Some(value) => value,
            None => self.symbolic.terms.constant(NEVER, width),
        }
    }

    /// Does the cell tell by its value whether it was written?
    pub(crate) fn marks_unwritten(&self, cell: Cell) -> bool {
        let object = &self.objects.all[cell.object as usize];
        object.contents == Contents::Unwritten
            && cell.offset & WRITTEN == 0
            && !self.snapshot.contains_key(&cell)
    }

    /// May some of these bytes never have been written?
    pub(crate) fn is_blank(&mut self, targets: &[Target], len: u32) -> bool {
        targets.iter().any(|&target| {
            let cells = self.cells(target, len);
            cells.iter().any(|&(cell, _)| self.marks_unwritten(cell))
        })
    }

    /// At the end of an unfolding: initial values are values of their cells too.
    pub(crate) fn note_initial_values(&mut self) {
        let mut cells = FxHashSet::default();
        for event in self.threads.iter().flat_map(|thread| &thread.events) {
            cells.extend(event.targets.iter().chain(&event.lives).map(|target| target.0));
        }
        for cell in cells {
            let initial = self.initial_shared(cell);
            let values = self.symbolic.terms.values(initial).map(<[u64]>::to_vec);
            self.facts.add_values(cell, values.as_deref());
        }
    }

    /// Main is about to be no longer alone.
    pub(crate) fn open(&mut self, state: &mut State) {
        if !std::mem::replace(&mut state.alone, false) {
            return;
        }
        let cells: Vec<(Cell, Term)> = state.memory.iter().map(|(&c, &v)| (c, v)).collect();
        for (cell, value) in cells {
            let value = match self.opened {
                false => value,
                true => {
                    let (value, old) = (self.fit(cell, value), self.initial_shared(cell));
                    self.symbolic.terms.select(state.guard, value, old)
                }
            };
            self.snapshot.insert(cell, value);
        }
        self.opened = true;
    }

    /// The memory of two states that meet; see [`State::merge`].
    pub(crate) fn merge_memory(&mut self, a: &State, b: &State) -> Rc<FxHashMap<Cell, Term>> {
        if Rc::ptr_eq(&a.memory, &b.memory) {
            return a.memory.clone();
        }
        let mine = self.symbolic.terms.distinguish(a.guard, b.guard);
        let mut merged = (*a.memory).clone();
        let mut settle = |this: &mut Self, cell: Cell, x: Option<Term>, y: Option<Term>| {
            if x == y {
                return;
            }
            let default = |this: &mut Self| {
                let known = this.snapshot_value(cell).or_else(|| this.static_initial(cell));
                known.unwrap_or_else(|| this.unwritten_value(cell))
            };
            let x = x.unwrap_or_else(|| default(this));
            let y = y.unwrap_or_else(|| default(this));
            let (x, y) = (this.fit(cell, x), this.fit(cell, y));
            let value = this.symbolic.terms.select(mine, x, y);
            merged.insert(cell, value);
        };
        for (&cell, &value) in a.memory.iter() {
            settle(self, cell, Some(value), b.memory.get(&cell).copied());
        }
        for (&cell, &value) in b.memory.iter() {
            if !a.memory.contains_key(&cell) {
                settle(self, cell, None, Some(value));
            }
        }
        Rc::new(merged)
    }

    pub(crate) fn cell_name(&self, cell: Cell) -> String {
        let object = &self.objects.all[cell.object as usize];
        match cell.offset {
            LIFE => format!("life of {}", object.name),
            offset if offset & WRITTEN != 0 => {
                format!("whether {}+{} was written", object.name, offset & !WRITTEN)
            }
            0 if self.facts.length(cell) as u64 == object.bytes => object.name.clone(),
            offset => format!("{}+{offset}", object.name),
        }
    }
}
