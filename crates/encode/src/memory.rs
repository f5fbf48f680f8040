//! Memory in the unfolding: which cells an access can touch, and what becomes of it.
//!
//! A cell that only one thread uses is part of that thread's state. A cell that one
//! thread writes and another one uses is shared: reading it gives a fresh variable
//! and an event, writing it an event. Nothing is shared before the first thread is
//! created.

use std::rc::Rc;

use heddle_ir::Ordering;
use heddle_sat::{Binary, Relation, Term};
use heddle_semantics::ViolationKind;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bounded::{Action, Cells, Event, Goal, Require, Targets};
use crate::facts::{Cell, LIFE, Values, WRITTEN};
use crate::objects::{Contents, Kind};
use crate::state::State;
use crate::unfold::{Dead, Unfolder};

/// Addresses below this are null dereferences.
const NULL_PAGE: u64 = 4096;
/// Places that one access may go to.
const MOST_TARGETS: usize = 4096;
/// Stands in a shared cell that was never written.
const NEVER: u64 = 0x5ead_beef_dead_c0de;

/// That mark, in a cell of so many bits.
pub(crate) fn mark_of(width: u32) -> u64 {
    NEVER & (u64::MAX >> (64 - width))
}

/// A range of bytes of an object that an access goes to if `when` holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub object: u32,
    pub offset: u32,
    pub when: Term,
}

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
    /// The point of a shared operation.
    pub(crate) fn point(&mut self) -> u32 {
        if let Some(section) = self.state.section {
            return section;
        }
        let thread = &mut self.threads[self.current as usize];
        thread.points += 1;
        thread.points - 1
    }

    /// Where an access of `len` bytes at `addr` can go. Runs in which it goes wrong
    /// are noted as violations.
    pub(crate) fn targets(&mut self, addr: Term, len: u32) -> Result<Vec<Target>, Dead> {
        let mut targets = Vec::new();
        match self.symbolic.terms.values(addr).map(<[u64]>::to_vec) {
            Some(values) => {
                let single = values.len() == 1;
                for value in values {
                    let when = match single {
                        true => self.symbolic.terms.truth(true),
                        false => self.symbolic.equals(addr, value),
                    };
                    self.add_target(value, len, when, &mut targets)?;
                }
            }
            None => self.add_ranges(addr, len, &mut targets)?,
        }
        if targets.is_empty() {
            // It fails, which is a step of the interpreter's all the same.
            self.note_operation(None);
            return Err(Dead);
        }
        Ok(targets)
    }

    fn add_target(
        &mut self,
        addr: u64,
        len: u32,
        when: Term,
        targets: &mut Vec<Target>,
    ) -> Result<(), Dead> {
        let guarded = self.symbolic.terms.and(self.state.guard, when);
        if self.symbolic.terms.as_constant(guarded) == Some(0) {
            return Ok(());
        }
        let Some(object) = self.objects.at(addr) else {
            let kind = match addr < NULL_PAGE {
                true => ViolationKind::NullDereference,
                false => ViolationKind::OutOfBounds,
            };
            self.note_violation(when, kind);
            return Ok(());
        };
        let offset = self.objects.offset(object, addr);
        let known = &self.objects.all[object as usize];
        if known.undefined && !matches!(known.kind, Kind::Function(_)) {
            let what = format!("access of '{}', which is declared but defined nowhere", known.name);
            self.note_check(guarded, Goal::Unsupported(what), self.span());
            return Ok(());
        }
        let end = offset.checked_add(u64::from(len));
        if matches!(known.kind, Kind::Function(_)) || end.is_none_or(|end| end > known.bytes) {
            self.note_violation(when, ViolationKind::OutOfBounds);
            return Ok(());
        }
        let inside = self.is_inside(object, offset + u64::from(len));
        let beyond = self.symbolic.terms.not(inside);
        let bad = self.symbolic.terms.and(when, beyond);
        self.note_violation(bad, ViolationKind::OutOfBounds);
        targets.push(Target { object, offset: offset as u32, when });
        Ok(())
    }

    /// For an address with too many values to list: the objects that it may be
    /// made from, each at every offset that the access may have.
    fn add_ranges(&mut self, addr: Term, len: u32, targets: &mut Vec<Target>) -> Result<(), Dead> {
        let Some(objects) = self.bases(addr) else {
            self.note_unsupported("a pointer that may lead anywhere".to_string());
            return Err(Dead);
        };
        let width = self.program.pointer_bits();
        let mut inside = self.symbolic.terms.truth(false);
        for object in objects {
            let bytes = self.objects.all[object as usize].bytes;
            if bytes < u64::from(len) {
                continue;
            }
            let base = self.symbolic.terms.constant(self.objects.base(object), width);
            let offset = self.symbolic.terms.binary(Binary::Sub, addr, base);
            let last = self.symbolic.terms.constant(bytes - u64::from(len), width);
            let fits = self.symbolic.terms.relate(Relation::ULe, offset, last);
            inside = self.symbolic.terms.or(inside, fits);
            let (zeros, ones) = self.symbolic.terms.known_bits(addr);
            let low = (zeros | ones).trailing_ones().min(3);
            let step = 1u64 << low;
            let first = ones & (step - 1);
            let count = (bytes - u64::from(len)) / step + 1;
            if count as usize > MOST_TARGETS {
                self.note_unsupported("an access that may go to too many places".to_string());
                return Err(Dead);
            }
            let mut at = first;
            while at + u64::from(len) <= bytes {
                let value = self.objects.base(object) + at;
                let when = self.symbolic.equals(addr, value);
                self.add_target(value, len, when, targets)?;
                at += step;
            }
        }
        let outside = self.symbolic.terms.not(inside);
        self.note_violation(outside, ViolationKind::OutOfBounds);
        Ok(())
    }

    /// The objects whose addresses a term is made from.
    pub(crate) fn bases(&self, addr: Term) -> Option<Vec<u32>> {
        let mut found = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut stack = vec![addr];
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            if let Some(values) = self.symbolic.terms.values(term) {
                let objects = values.iter().filter_map(|&value| self.objects.at(value));
                found.extend(objects);
                continue;
            }
            stack.extend(self.symbolic.terms.address_parts(term));
        }
        let mut all: Vec<u32> = found.into_iter().collect();
        all.sort_unstable();
        (!all.is_empty()).then_some(all)
    }

    /// The cells of a target.
    pub(crate) fn cells(&mut self, target: Target, len: u32) -> Cells {
        let Target { object, offset, .. } = target;
        let cells = self.facts.access(object, offset, offset + len);
        let cells: Cells =
            cells.into_iter().map(|(offset, len)| (Cell { object, offset }, len)).collect();
        // Stores that wait are told apart by all of their bytes.
        if self.weak && cells.len() > 1 && !self.state.alone {
            self.facts.join(cells.iter().map(|part| part.0));
        }
        cells
    }

    /// A load of several cells waits for stores of its own thread to some of them.
    fn clear(&mut self, cells: &[(Cell, u32)], point: Option<u32>, here: Term) {
        let Some(point) = point else { return };
        let waits = self.weak && self.state.section.is_none() && cells.len() > 1;
        if waits && cells.iter().any(|part| self.facts.is_shared(part.0)) {
            let targets: Targets = cells.iter().map(|part| (part.0, here)).collect();
            self.push_event(point, Action::Clear, targets, here);
        }
    }

    fn is_constant(&self, cell: Cell) -> bool {
        self.objects.all[cell.object as usize].constant
    }

    /// Must an access go through an event? Notes the access.
    fn is_shared(&mut self, cell: Cell, write: bool) -> bool {
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
    fn private_value(&mut self, cell: Cell) -> Option<Term> {
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
    fn marks_unwritten(&self, cell: Cell) -> bool {
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
            let width = this.facts.length(cell) * 8;
            let default = |this: &mut Self| {
                let known = this.snapshot_value(cell).or_else(|| this.static_initial(cell));
                known.unwrap_or_else(|| this.symbolic.terms.variable(width))
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

    fn push_event(&mut self, point: u32, action: Action, targets: Targets, when: Term) {
        let guard = self.symbolic.terms.and(self.state.guard, when);
        let site = self.site();
        let lives = Targets::new();
        let event = Event { point, guard, action, targets, lives, site };
        self.threads[self.current as usize].events.push(event);
    }

    pub(crate) fn push_plain(&mut self, point: u32, action: Action) {
        let always = self.symbolic.terms.truth(true);
        self.push_event(point, action, Targets::new(), always);
    }

    /// A variable for what a read of one of these cells gives.
    fn read_variable(&mut self, targets: &Targets) -> Term {
        let mut all: Vec<u64> = Vec::new();
        let mut any = false;
        let mut width = 8;
        for &(cell, _) in targets {
            width = self.facts.length(cell) * 8;
            let initial = self.initial_shared(cell);
            match self.symbolic.terms.values(initial) {
                Some(values) => all.extend(values),
                None => any = true,
            }
            match self.facts.values(cell) {
                Values::None => {}
                Values::Few(few) => all.extend(few),
                Values::Any => any = true,
            }
        }
        all.sort_unstable();
        all.dedup();
        let value = match any {
            true => self.unknown(width),
            false => self.symbolic.terms.choice(&all, width),
        };
        if !any && self.symbolic.terms.as_constant(value).is_none() {
            self.read_from.insert(value, targets.iter().map(|target| target.0).collect());
        }
        value
    }

    /// Reads shared cells of one width, one of which it is.
    fn read_shared(&mut self, point: u32, targets: Targets, when: Term) -> Term {
        let value = self.read_variable(&targets);
        let mut unwritten = self.symbolic.terms.truth(false);
        for &(cell, is_it) in &targets {
            if !self.marks_unwritten(cell) {
                continue;
            }
            let never = match self.facts.values(cell) {
                Values::Any => {
                    let mark = Cell { offset: cell.offset | WRITTEN, ..cell };
                    self.is_shared(mark, false);
                    let targets = smallvec::smallvec![(mark, is_it)];
                    let written = self.read_variable(&targets);
                    self.push_event(point, Action::Read { value: written }, targets, when);
                    self.symbolic.equals(written, 0)
                }
                _ => {
                    let width = self.symbolic.terms.width(value);
                    let never = self.symbolic.terms.constant(NEVER, width);
                    self.symbolic.terms.relate(Relation::Eq, value, never)
                }
            };
            let here = self.symbolic.terms.and(never, is_it);
            unwritten = self.symbolic.terms.or(unwritten, here);
        }
        self.push_event(point, Action::Read { value }, targets, when);
        if self.symbolic.terms.as_constant(unwritten) != Some(0) {
            let guarded = self.symbolic.terms.and(self.state.guard, when);
            let condition = self.symbolic.terms.and(guarded, unwritten);
            let what = "a read of shared memory that was never written".to_string();
            self.note_check(condition, Goal::Unsupported(what), self.span());
            let written = self.symbolic.terms.not(condition);
            self.state.guard = self.symbolic.terms.and(self.state.guard, written);
            return self.without_mark(point, value);
        }
        value
    }

    /// A value that was read and is not the mark for "never written", so that the
    /// mark does not spread to where the value is stored.
    fn without_mark(&mut self, point: u32, value: Term) -> Term {
        let width = self.symbolic.terms.width(value);
        let mark = mark_of(width);
        let Some(values) = self.symbolic.terms.values(value) else { return value };
        let others: Vec<u64> = values.iter().copied().filter(|&value| value != mark).collect();
        if others.len() == values.len() {
            return value;
        }
        if others.is_empty() {
            // Nobody has written it so far; these runs have ended.
            return self.symbolic.terms.constant(0, width);
        }
        let clean = self.symbolic.terms.choice(&others, width);
        if let Some(cells) = self.read_from.get(&value).cloned() {
            self.read_from.insert(clean, cells);
        }
        let same = self.symbolic.terms.equals(clean, value);
        let condition = self.symbolic.terms.implies(self.state.guard, same);
        self.threads[self.current as usize].requires.push(Require { point, condition });
        clean
    }

    fn write_shared(
        &mut self,
        point: u32,
        targets: Targets,
        value: Term,
        when: Term,
        manner: Manner,
    ) {
        let values = self.symbolic.terms.values(value).map(<[u64]>::to_vec);
        for &(cell, is_it) in &targets {
            // A value that looks like the mark for "never" is told apart by a cell.
            let mark = mark_of(self.symbolic.terms.width(value));
            let confusing =
                self.marks_unwritten(cell) && values.as_ref().is_some_and(|v| v.contains(&mark));
            match values.as_deref() {
                Some(_) if confusing => self.facts.add_values(cell, None),
                Some(values) if values.len() > 1 => {}
                values => self.facts.add_values(cell, values),
            }
            if self.marks_unwritten(cell) && *self.facts.values(cell) == Values::Any {
                let mark = Cell { offset: cell.offset | WRITTEN, ..cell };
                self.is_shared(mark, true);
                let one = self.symbolic.terms.constant(1, 8);
                self.facts.add_values(mark, Some(&[1]));
                let targets = smallvec::smallvec![(mark, is_it)];
                let action =
                    Action::Write { value: one, order: manner.order, direct: manner.direct };
                self.push_event(point, action, targets, when);
            }
        }
        for &(cell, is_it) in &targets {
            if self.facts.is_sole_writer(cell, self.current) {
                let here = self.symbolic.terms.and(when, is_it);
                self.write_private(cell, value, here);
            }
        }
        let action = Action::Write { value, order: manner.order, direct: manner.direct };
        self.push_event(point, action, targets, when);
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

    fn has_life(&self, object: u32) -> bool {
        matches!(
            self.objects.all[object as usize].kind,
            Kind::Heap | Kind::Stack | Kind::ThreadLocal
        )
    }

    /// Notes accesses to objects that are gone.
    pub(crate) fn check_life(&mut self, targets: &[Target], point: Option<u32>, when: Term) {
        for &target in targets {
            if !self.has_life(target.object) {
                continue;
            }
            let life = Cell { object: target.object, offset: LIFE };
            let here = self.symbolic.terms.and(when, target.when);
            let gone = self.read_cell(life, point, here);
            let bad = self.symbolic.equals(gone, 1);
            let bad = self.symbolic.terms.and(bad, here);
            self.note_violation(bad, ViolationKind::UseAfterFree);
        }
    }

    /// The same for a store that may wait: whether the object is still there matters
    /// when the store gets there. To be called after the store.
    pub(crate) fn check_life_on_arrival(&mut self, targets: &[Target], point: u32, manner: Manner) {
        let mut lives = Targets::new();
        for &target in targets {
            let life = Cell { object: target.object, offset: LIFE };
            if self.has_life(target.object) && self.is_shared(life, false) {
                lives.push((life, target.when));
            }
        }
        if lives.is_empty() {
            return;
        }
        // Of its own, since others may speak of some of the targets only.
        let value = self.symbolic.terms.truth(false);
        let action = Action::Write { value, order: manner.order, direct: manner.direct };
        self.push_plain(point, action);
        if let Some(event) = self.threads[self.current as usize].events.last_mut() {
            event.lives = lives;
        }
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
            None => {
                let width = self.facts.length(cell) * 8;
                self.symbolic.terms.variable(width)
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

    /// Copies a cell. What was never written stays so if only this thread uses it.
    pub(crate) fn copy_cell(&mut self, (from, to): (Cell, Cell), point: Option<u32>, when: Term) {
        let shared = self.is_shared(from, false) && point.is_some();
        let value = match shared {
            true => Some(self.read_cell(from, point, when)),
            false => self.private_value(from),
        };
        if let Some(value) = value {
            self.write_cell(to, value, point, when, Manner::DIRECT);
        }
    }

    /// What this thread knows to be in the cell, if `when` holds.
    fn write_private(&mut self, cell: Cell, value: Term, when: Term) {
        let value = match self.symbolic.terms.as_constant(when) {
            Some(1) => value,
            _ => {
                let width = self.symbolic.terms.width(value);
                let old = self.private_value(cell);
                let old = old.unwrap_or_else(|| self.symbolic.terms.variable(width));
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

    /// Objects of frames from `first` on end; with the thread, its own ones too.
    pub(crate) fn end_scope(&mut self, first: usize, ends: bool) {
        let mut doomed: Vec<u32> =
            self.state.frames[first..].iter().flat_map(|frame| frame.objects.clone()).collect();
        if ends {
            doomed.extend(self.thread_locals());
        }
        if doomed.is_empty() {
            return;
        }
        let lives: Vec<Cell> =
            doomed.into_iter().map(|object| Cell { object, offset: LIFE }).collect();
        let shared = lives.iter().any(|&cell| self.is_shared(cell, true));
        self.begin_operation();
        let point = shared.then(|| self.point());
        if let Some(point) = point {
            self.push_plain(point, Action::Drain);
        }
        let (one, always) = (self.symbolic.terms.constant(1, 8), self.symbolic.terms.truth(true));
        for cell in lives {
            self.write_cell(cell, one, point, always, Manner::DIRECT);
        }
        // The interpreter may know less of who sees them.
        self.note_operation(None);
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
