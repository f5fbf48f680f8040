//! Memory in the unfolding: which cells an access can touch, and what becomes of it.
//!
//! A cell that only one thread uses is part of that thread's state. A cell that one
//! thread writes and another one uses is shared: reading it gives a fresh variable
//! and an event, writing it an event. Nothing is shared before the first thread is
//! created.

use std::rc::Rc;

use heddle_ir::Ordering;
use heddle_sat::Term;
use heddle_semantics::ViolationKind;

use crate::bounded::Targets;
use crate::unfold::Unfolder;
use crate::unfold::facts::{Cell, LIFE};
use crate::unfold::objects::Kind;
use crate::unfold::targets::Target;

/// How a store is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    pub order: Option<Ordering>,
    pub direct: bool,
}

impl Manner {
    pub const DIRECT: Manner = Manner { order: Some(Ordering::SeqCst), direct: true };
}

impl Unfolder<'_> {
    pub(crate) fn is_constant(&self, cell: Cell) -> bool {
        self.objects.all[cell.object as usize].constant
    }

    /// Must an access go through an event? Notes the access.
    pub(crate) fn is_shared(&mut self, cell: Cell, write: bool) -> bool {
        let kind = self.objects.all[cell.object as usize].kind;
        if !self.is_constant(cell) && !write && !self.glances {
            self.note_gaze(cell);
        }
        if self.state.alone || self.is_constant(cell) {
            return false;
        }
        match write {
            true => self.facts.note_write(cell, self.current),
            false => self.facts.note_read(cell, self.current),
        }
        let shared = self.facts.is_shared(cell);
        // In the first unfoldings others may just not have been seen yet.
        if shared || kind != Kind::Stack {
            self.note_look();
        }
        // Who alone writes a cell knows what is in it.
        shared && (write || !self.facts.is_sole_writer(cell, self.current))
    }

    /// Does an access to these targets meet other threads?
    pub(crate) fn is_visible(&mut self, targets: &[Target], len: u32, write: bool) -> bool {
        let mut visible = false;
        for &target in targets {
            if self.has_life(target.object) {
                let life = Cell { object: target.object, offset: LIFE };
                visible |= self.is_shared(life, false);
            }
            for (cell, _) in self.cells(target, len) {
                visible |= self.is_shared(cell, write);
            }
        }
        visible
    }

    /// Reads one cell, in runs in which `when` holds.
    pub(crate) fn read_cell(&mut self, cell: Cell, point: Option<u32>, when: Term) -> Term {
        let shared = self.is_shared(cell, false);
        if shared && let Some(point) = point {
            return self.read_shared(point, smallvec::smallvec![(cell, when)], when);
        }
        match self.private_value(cell) {
            Some(value) => value,
            None if cell.offset == LIFE => self.symbolic.terms.constant(0, 8),
            // Whatever it is, it is the same when it is read again.
            None => {
                let value = self.unwritten_value(cell);
                Rc::make_mut(&mut self.state.memory).insert(cell, value);
                value
            }
        }
    }

    pub(crate) fn write_cell(
        &mut self,
        cell: Cell,
        value: Term,
        point: Option<u32>,
        when: Term,
        manner: Manner,
    ) {
        let shared = self.is_shared(cell, true);
        if shared && let Some(point) = point {
            return self.write_shared(
                point,
                smallvec::smallvec![(cell, when)],
                value,
                when,
                manner,
            );
        }
        self.write_private(cell, value, when);
    }

    /// Copies a cell.
    pub(crate) fn copy_cell(&mut self, (from, to): (Cell, Cell), point: Option<u32>, when: Term) {
        let value = self.read_cell(from, point, when);
        self.write_cell(to, value, point, when, Manner::DIRECT);
    }

    /// What this thread knows to be in the cell, if `when` holds.
    pub(crate) fn write_private(&mut self, cell: Cell, value: Term, when: Term) {
        let value = match self.symbolic.terms.as_constant(when) {
            Some(1) => value,
            _ => {
                let width = self.symbolic.terms.width(value);
                let old = self.private_value(cell);
                let old = old.unwrap_or_else(|| self.unwritten_value(cell));
                let old = self.symbolic.terms.resize(old, width);
                self.symbolic.terms.select(when, value, old)
            }
        };
        Rc::make_mut(&mut self.state.memory).insert(cell, value);
    }

    /// Reads `len` bytes from one of the targets.
    pub(crate) fn read_targets(
        &mut self,
        targets: &[Target],
        len: u32,
        point: Option<u32>,
        when: Term,
    ) -> Term {
        // Targets that are one shared cell each make one event.
        let mut shared = Targets::new();
        let mut result: Option<Term> = None;
        for &target in targets {
            let cells = self.cells(target, len);
            if let [(cell, _)] = cells.as_slice()
                && point.is_some()
                && self.is_shared(*cell, false)
            {
                shared.push((*cell, target.when));
                continue;
            }
            let here = self.symbolic.terms.and(when, target.when);
            self.clear(&cells, point, here);
            let mut value: Option<Term> = None;
            for &(cell, _) in &cells {
                let part = self.read_cell(cell, point, here);
                value = Some(match value {
                    None => part,
                    Some(low) => self.symbolic.terms.concat(part, low),
                });
            }
            let value = value.expect("an access has bytes");
            result = Some(match result {
                None => value,
                Some(other) => self.symbolic.terms.select(target.when, value, other),
            });
        }
        if shared.is_empty() {
            return result.expect("an access has targets");
        }
        let conditions: Vec<Term> = shared.iter().map(|target| target.1).collect();
        let any = self.symbolic.terms.or_all(&conditions);
        let here = self.symbolic.terms.and(when, any);
        let point = point.expect("shared cells are read at a point");
        let value = self.read_shared(point, shared, here);
        match result {
            None => value,
            Some(other) => self.symbolic.terms.select(any, value, other),
        }
    }

    /// Writes `len` bytes to one of the targets.
    pub(crate) fn write_targets(
        &mut self,
        targets: &[Target],
        len: u32,
        value: Term,
        point: Option<u32>,
        when: Term,
        manner: Manner,
    ) {
        let mut shared = Targets::new();
        for &target in targets {
            if self.is_constant(Cell { object: target.object, offset: target.offset }) {
                let bad = self.symbolic.terms.and(when, target.when);
                self.note_violation(bad, ViolationKind::OutOfBounds);
                continue;
            }
            let cells = self.cells(target, len);
            if let [(cell, _)] = cells.as_slice()
                && point.is_some()
                && self.is_shared(*cell, true)
            {
                shared.push((*cell, target.when));
                continue;
            }
            let here = self.symbolic.terms.and(when, target.when);
            let mut low = 0;
            for &(cell, bytes) in &cells {
                let part = self.symbolic.terms.extract(value, low, bytes * 8);
                self.write_cell(cell, part, point, here, manner);
                low += bytes * 8;
            }
        }
        if !shared.is_empty() {
            let conditions: Vec<Term> = shared.iter().map(|target| target.1).collect();
            let any = self.symbolic.terms.or_all(&conditions);
            let here = self.symbolic.terms.and(when, any);
            let point = point.expect("shared cells are written at a point");
            self.write_shared(point, shared, value, here, manner);
        }
    }
}
