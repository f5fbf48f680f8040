//! Reads and writes: which cells they go to, what others may have stored there, and what
//! others are told.

use heddle_ir::{Operand, RmwOp, Ty};

use super::flow::Frame;
use super::objects::{CellId, ClassId, Kind, Object, ObjectId};
use super::state::{State, cell_var};
use super::transfer::truth;
use super::value::{Pointer, Value};
use super::{Access, Analysis, Check, Stop};
use crate::numeric::{Lattice, Var, Word};

/// How memory is accessed.
#[derive(Clone, Copy)]
pub struct Touch {
    pub ty: Ty,
    pub atomic: bool,
}

/// Where an access may go.
pub struct Spot {
    pub cells: Vec<CellId>,
    /// There is one place only, and no other value is kept.
    pub strong: bool,
}

impl Analysis<'_> {
    /// Does an object exist as long as the program runs?
    pub(super) fn lasts(&self, id: ObjectId) -> bool {
        matches!(self.objects.get(id), Object::Global(_) | Object::Function(_))
    }

    /// Is an offset in the object, or right behind it?
    pub(super) fn is_inside(&self, id: ObjectId, offset: &Word) -> bool {
        self.least_size(id)
            .is_some_and(|size| offset.signed().0 >= 0 && offset.signed().1 as u64 <= size)
    }

    fn least_size(&self, id: ObjectId) -> Option<u64> {
        match self.objects.get(id) {
            Object::Global(global) | Object::Local(_, global) => {
                let global = self.program.global(global);
                global.init.is_some().then_some(global.bytes)
            }
            Object::Stack(..) | Object::Heap(..) => {
                self.objects.sizes[id.0 as usize].map(|size| size.unsigned().0)
            }
            Object::Function(_) | Object::Thread(_) | Object::Latest(_) => None,
        }
    }

    /// Checks an access, and gives the cells that it may go to. Offsets are cut to those in
    /// the object: an access outside ends the run.
    pub(super) fn spot(
        &mut self,
        state: &State,
        address: &Value,
        size: u64,
        kind: Kind,
        write: bool,
    ) -> Result<Spot, Stop> {
        let Some(Pointer { targets, null }) = address.pointer() else {
            return Err(self.give_up("an address that may be any number is used"));
        };
        self.oblige(Check::Memory, "pointer is not null", !null, || "never null there".to_string());
        let mut cells = Vec::new();
        let count = targets.len();
        let mut strong = count == 1 && !null;
        for (id, offset) in targets {
            let Some(bytes) = self.least_size(id) else {
                self.oblige(Check::Memory, "access is in bounds", false, String::new);
                return Err(self.give_up("what is accessed is not known"));
            };
            let (low, high) = offset.signed();
            let fits = low >= 0 && high as u64 <= bytes.saturating_sub(size) && size <= bytes;
            let by = || format!("offset {} of {bytes} bytes", super::show::range(&offset));
            self.oblige(Check::Memory, "access is in bounds", fits, by);
            if let Object::Global(global) = self.objects.get(id)
                && write
            {
                let writable = !self.program.global(global).constant;
                self.oblige(Check::Memory, "object can be written", writable, String::new);
            }
            if let Object::Local(class, _) = self.objects.get(id) {
                // The process ends with `main`; another thread may have ended, if it is not this
                // one for sure.
                let exists = class == ClassId::MAIN || !self.objects.escaped[id.0 as usize];
                self.oblige(Check::Memory, "object exists", exists, || {
                    "the thread's own".to_string()
                });
            } else if !self.lasts(id) {
                let alive = self.objects.alive(id);
                let exists = self.read(state, alive);
                let exists = exists == Value::number(1, 1);
                self.oblige(Check::Memory, "object exists", exists, || {
                    "never freed before".to_string()
                });
            }
            if bytes < size {
                continue;
            }
            let inside = offset.meet(&Word::signed_range(offset.width(), 0, (bytes - size) as i64));
            if inside.is_bottom() {
                continue;
            }
            let cell = self.objects.access(id, &inside, size, kind)?;
            let field = self.objects.cell(cell).1;
            strong &= self.is_single(id) && field.count == 1 && field.kind != Kind::Blob;
            cells.push(cell);
        }
        Ok(Spot { cells, strong })
    }

    /// May others reach the cell?
    pub(super) fn is_shared(&self, cell: CellId) -> bool {
        self.objects.escaped[self.objects.cell(cell).0.0 as usize]
    }

    /// Can nobody else change the cell now?
    pub(super) fn is_steady(&self, state: &State, cell: CellId) -> bool {
        state.others.is_empty()
            || !self.is_shared(cell)
            || self.facts.is_guarded(cell, state)
            || self.facts.interference(cell, self.class, state).is_none()
    }

    /// What may be found in a cell now.
    pub(super) fn read(&self, state: &State, cell: CellId) -> Value {
        let (_, field) = self.objects.cell(cell);
        if field.kind == Kind::Blob {
            return Value::Any;
        }
        let own = match state.values.get(&cell_var(cell)) {
            Some(value) => value.clone(),
            None => self.initial(cell),
        };
        if state.others.is_empty() || !self.is_shared(cell) || self.facts.is_guarded(cell, state) {
            return own;
        }
        match self.facts.interference(cell, self.class, state) {
            Some(value) => own.join(&value),
            None => own,
        }
    }

    pub(super) fn note_access(&mut self, state: &State, cell: CellId, write: bool, atomic: bool) {
        let (id, field) = self.objects.cell(cell);
        let constant = match self.objects.get(id) {
            Object::Global(global) => self.program.global(global).constant,
            _ => false,
        };
        if !self.recording || !self.noting || !self.is_shared(cell) || constant {
            return;
        }
        if field.kind != Kind::Sync {
            let deeds = self.deeds.entry((self.class, self.at)).or_default();
            if write { &mut deeds.writes } else { &mut deeds.reads }.insert(cell);
        }
        let (locks, others) = (state.must.clone(), state.others.clone());
        let (class, span) = (self.class, self.user_span());
        self.accesses.insert(Access { cell, class, span, write, atomic, locks, others });
    }

    /// Writes a value; relations of the cell are lost.
    pub(super) fn write(&mut self, state: &mut State, cell: CellId, value: &Value, strong: bool) {
        let (_, field) = self.objects.cell(cell);
        let shared = self.is_shared(cell);
        if shared {
            let objects: Vec<ObjectId> = value.objects().collect();
            objects.into_iter().for_each(|object| self.escape(object));
        }
        if self.recording {
            self.told.writes.entry(self.class).or_default().insert(cell);
        }
        if self.recording && shared && !state.others.is_empty() {
            self.tell(state, cell, value);
        }
        if field.kind == Kind::Blob {
            return;
        }
        let old = self.read(state, cell);
        if shared && strong {
            let apart = match (&old, value) {
                (Value::Number(a), Value::Number(b)) => {
                    a.width() == b.width() && a.meet(b).is_bottom()
                }
                _ => false,
            };
            state.changed |= apart;
        }
        state.set(cell_var(cell), if strong { value.clone() } else { old.join(value) });
    }

    /// An address is known to others, and with it what is stored there.
    pub(super) fn escape(&mut self, object: ObjectId) {
        self.objects.escapes(object);
        let several = match self.objects.get(object) {
            Object::Local(..) => true,
            Object::Stack(context, _) => self.context_classes[context.0 as usize] != ClassId::MAIN,
            _ => false,
        };
        if several {
            self.objects.stands_for_several(object);
        }
    }

    /// Others may find a value in a cell.
    fn tell(&mut self, state: &State, cell: CellId, value: &Value) {
        let value = self.older(value);
        for &reader in &state.others {
            let key = (cell, self.class, reader);
            let told = self.told.interference.get(&key);
            let value = told.map_or_else(|| value.clone(), |told| told.join(&value));
            self.told.interference.insert(key, value);
        }
        let locks = state.must.clone();
        let guard = self
            .told
            .guards
            .get(&cell)
            .map_or(locks.clone(), |guard| guard.intersection(&locks).copied().collect());
        self.told.guards.insert(cell, guard);
    }

    pub(super) fn load(
        &mut self,
        frame: &Frame,
        mut state: State,
        dst: Var,
        address: Operand,
        touch: Touch,
    ) -> Result<Option<State>, Stop> {
        let address = self.operand(frame, &state, address, self.pointer_bits());
        let size = u64::from(touch.ty.bytes(self.program.pointer_bytes));
        let width = self.bits(touch.ty);
        let spot = self.spot(&state, &address, size, Kind::Plain, false)?;
        let mut value: Option<Value> = None;
        for &cell in &spot.cells {
            self.note_access(&state, cell, false, touch.atomic);
            let found = self.read(&state, cell);
            value = Some(value.map_or(found.clone(), |value| value.join(&found)));
        }
        let Some(value) = value.filter(|value| !value.is_bottom()) else { return Ok(None) };
        let value = fit(value, width, touch.ty);
        match (&value, spot.cells.as_slice()) {
            (Value::Number(word), &[cell]) if spot.strong && self.is_steady(&state, cell) => {
                let var = cell_var(cell);
                match state.range(var) {
                    Some(known) if known.width() == width => {
                        let word = *word;
                        state.set_sum(dst, var, Word::constant(width, 0), word);
                    }
                    _ => state.set(dst, value),
                }
            }
            _ => state.set(dst, value),
        }
        Ok(Some(state))
    }

    pub(super) fn store(
        &mut self,
        frame: &Frame,
        mut state: State,
        address: Operand,
        value: Operand,
        touch: Touch,
    ) -> Result<Option<State>, Stop> {
        let address = self.operand(frame, &state, address, self.pointer_bits());
        let size = u64::from(touch.ty.bytes(self.program.pointer_bytes));
        let width = self.bits(touch.ty);
        let from = match value {
            Operand::Reg(reg) => Some(frame.register(reg)),
            _ => None,
        };
        let value = self.operand(frame, &state, value, width);
        self.put(&mut state, &address, size, (&value, from), touch.atomic)?;
        Ok(Some(state))
    }

    /// Stores a value, which is also in `from`.
    pub(super) fn put(
        &mut self,
        state: &mut State,
        address: &Value,
        size: u64,
        (value, from): (&Value, Option<Var>),
        atomic: bool,
    ) -> Result<(), Stop> {
        let spot = self.spot(state, address, size, Kind::Plain, true)?;
        for &cell in &spot.cells {
            self.note_access(state, cell, true, atomic);
            let var = cell_var(cell);
            let steady = spot.strong && self.is_steady(state, cell);
            let differs = match from {
                Some(from) if steady => {
                    let odd = |sum: Word| sum.only().is_some_and(|sum| sum % 2 == 1);
                    state.difference(from, var).is_some_and(|apart| !apart.contains(0))
                        || state.sum(from, var).is_some_and(odd)
                }
                _ => false,
            };
            self.write(state, cell, value, spot.strong);
            state.changed |= differs && self.is_shared(cell);
            if let (Some(from), Value::Number(word), true) = (from, value, steady) {
                state.set_sum(var, from, Word::constant(word.width(), 0), *word);
            }
        }
        Ok(())
    }

    pub(super) fn read_modify_write(
        &mut self,
        frame: &Frame,
        mut state: State,
        (op, ty): (RmwOp, Ty),
        dst: Var,
        (addr, value): (Operand, Operand),
    ) -> Result<Option<State>, Stop> {
        let width = self.bits(ty);
        let operand = self.operand(frame, &state, value, width);
        let touch = Touch { ty, atomic: true };
        let Some(loaded) = self.load(frame, state, dst, addr, touch)? else { return Ok(None) };
        state = loaded;
        let old = state.value(dst);
        let new = match (op, &operand) {
            (RmwOp::Exchange, _) => operand.clone(),
            (_, Value::Number(by)) => Value::Number(Self::combined(op, &old.word(width), by)),
            _ => Value::Any,
        };
        let address = self.operand(frame, &state, addr, self.pointer_bits());
        let size = u64::from(ty.bytes(self.program.pointer_bytes));
        self.put(&mut state, &address, size, (&new, None), true)?;
        // The old value and the new one differ by the operand, if nobody comes in between.
        let by = match (op, &operand) {
            (RmwOp::Add, Value::Number(by)) => Some(*by),
            (RmwOp::Sub, Value::Number(by)) => Some(by.negated()),
            _ => None,
        };
        let spot = self.spot(&state, &address, size, Kind::Plain, true)?;
        if let (Some(by), &[cell], Value::Number(word)) = (by, spot.cells.as_slice(), &new)
            && spot.strong
        {
            if self.is_steady(&state, cell) && state.range(dst).is_some() {
                state.set_sum(cell_var(cell), dst, by, *word);
            }
            state.changed |= self.is_shared(cell) && !by.contains(0);
        }
        Ok(Some(state))
    }

    pub(super) fn exchange(
        &mut self,
        frame: &Frame,
        state: State,
        ty: Ty,
        (dst, ok): (Var, Var),
        (addr, expected, new): (Operand, Operand, Operand),
    ) -> Result<Option<State>, Stop> {
        let width = self.bits(ty);
        let wanted = self.operand(frame, &state, expected, width);
        let new = self.operand(frame, &state, new, width);
        let touch = Touch { ty, atomic: true };
        let Some(failed) = self.load(frame, state, dst, addr, touch)? else { return Ok(None) };
        let old = failed.value(dst);
        let equal = match (&old, &wanted) {
            (Value::Number(a), Value::Number(b)) => Word::compare(heddle_ir::Compare::Eq, a, b),
            _ => None,
        };
        let address = self.operand(frame, &failed, addr, self.pointer_bits());
        let size = u64::from(ty.bytes(self.program.pointer_bytes));
        let mut both: Option<State> = None;
        if equal != Some(false) {
            let mut done = failed.clone();
            let possible = match &wanted {
                Value::Number(word) => done.narrow(dst, *word),
                _ => true,
            };
            if possible {
                self.put(&mut done, &address, size, (&new, None), true)?;
                both = Some(done);
            }
        }
        if equal != Some(true) {
            both = Some(both.map_or(failed.clone(), |done| done.join(&failed)));
        }
        Ok(both.map(|mut state| {
            state.set(ok, truth(equal));
            self.drop_unsteady(&mut state);
            state
        }))
    }

    /// A new object, with nothing known of its contents but that it may be zero.
    pub(super) fn allocate(
        &mut self,
        state: &mut State,
        object: ObjectId,
        size: Word,
        zeroed: bool,
    ) -> Result<(), Stop> {
        let known = self.objects.sizes[object.0 as usize];
        let all = known.map_or(size, |known| known.join(&size));
        if known != Some(all) {
            self.objects.sizes[object.0 as usize] = Some(all);
            self.objects.grow();
        }
        let single = self.is_single(object);
        let alive = self.objects.alive(object);
        for cell in self.objects.cells_of(object) {
            let (_, field) = self.objects.cell(cell);
            let value = match (field.kind, zeroed) {
                _ if cell == alive => Value::number(1, 1),
                (Kind::Plain, true) => Value::number((field.size * 8).min(64) as u8, 0),
                (Kind::Sync, _) => Value::number(1, 0),
                _ => Value::Any,
            };
            let strong = single;
            let fresh = !state.values.contains_key(&cell_var(cell));
            if fresh || strong {
                state.set(cell_var(cell), Value::Number(Word::bottom(1)));
            }
            self.write(state, cell, &value, strong);
        }
        Ok(())
    }
}

/// A value as it is read by an access of a type.
fn fit(value: Value, width: u8, ty: Ty) -> Value {
    match value {
        Value::Number(word) if word.width() == width => value,
        Value::Number(_) => Value::top(width),
        // An address that is read as a number stays one; a float never is one.
        Value::Pointer(_) | Value::Any if matches!(ty, Ty::Float(_)) => Value::top(width),
        other => other,
    }
}
