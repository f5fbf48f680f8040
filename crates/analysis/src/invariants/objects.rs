//! Objects, and the cells that their memory is divided into.
//!
//! An object is a global, a thread's instance of a thread-local one, or what an instruction
//! allocates, once for each way to call it. It *stands for several* if the instruction may be
//! executed again, or by several instances of a thread: then writes to it keep what was there.
//!
//! Cells are as wide as what is read and written. Where an access at an unknown offset goes
//! to several places at a fixed distance, these are one cell; where accesses of different
//! widths overlap, the bytes are not divided at all and hold anything. Both are found while
//! the program is analysed; whatever changes cells starts the analysis again.

use std::collections::BTreeMap;

use heddle_ir::{FuncId, GlobalId};

use crate::numeric::Word;
use crate::site::Site;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// Threads that are created at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClassId(pub u32);

impl ClassId {
    pub const MAIN: ClassId = ClassId(0);
}

/// A way to call a function, in the threads of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContextId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CellId(pub u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Object {
    Global(GlobalId),
    Local(ClassId, GlobalId),
    Stack(ContextId, Site),
    Heap(ContextId, Site),
    Function(FuncId),
    /// What a handle of a thread is taken for: any instance, or the one that the thread which has
    /// the handle has created last.
    Thread(ClassId),
    Latest(ClassId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Plain,
    /// A mutex or the like: 1 if it can be used.
    Sync,
    /// Bytes that are not divided.
    Blob,
    /// 1 while the object exists.
    Alive,
}

/// Part of an object: `count` times `size` bytes at a distance of `stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Field {
    pub start: u64,
    pub size: u64,
    pub stride: u64,
    pub count: u64,
    pub kind: Kind,
}

impl Field {
    fn single(start: u64, size: u64, kind: Kind) -> Field {
        Field { start, size, stride: size, count: 1, kind }
    }

    pub fn end(&self) -> u64 {
        self.start + self.stride * (self.count - 1) + self.size
    }

    /// Do any bytes belong to both?
    fn overlaps(&self, other: &Field) -> bool {
        if self.end() <= other.start || other.end() <= self.start {
            return false;
        }
        // Interleaved elements of the same distance do not touch.
        if self.stride == other.stride && self.kind != Kind::Blob && other.kind != Kind::Blob {
            let (a, b) = (self.start % self.stride, other.start % self.stride);
            let clear = |a: u64, size: u64, b: u64| a + size <= b;
            return !(clear(a, self.size, b) && clear(b, other.size, a + self.stride)
                || clear(b, other.size, a) && clear(a, self.size, b + self.stride));
        }
        if self.count > 1 && other.count == 1 || self.count == 1 && other.count > 1 {
            let (many, one) = if self.count > 1 { (self, other) } else { (other, self) };
            let before = one.start.saturating_sub(many.start) / many.stride;
            return (before.saturating_sub(1)..=before + 1 + one.size / many.stride).any(|k| {
                let start = many.start + k * many.stride;
                k < many.count && start < one.end() && one.start < start + many.size
            });
        }
        true
    }

    /// Is every element of the other one of these?
    fn covers(&self, other: &Field) -> bool {
        self.kind == other.kind
            && self.size == other.size
            && other.start >= self.start
            && other.end() <= self.end()
            && (other.start - self.start).is_multiple_of(self.stride)
            && (other.count == 1 || other.stride.is_multiple_of(self.stride))
    }
}

/// The analysis has to start again.
pub struct Recast;

#[derive(Clone, Debug, Default)]
pub struct Objects {
    all: Vec<Object>,
    numbers: BTreeMap<Object, ObjectId>,
    fields: Vec<Vec<Field>>,
    cells: Vec<(ObjectId, Field)>,
    cell_numbers: BTreeMap<(ObjectId, Field), CellId>,
    /// Objects that stand for several.
    pub several: Vec<bool>,
    /// Objects whose address other threads may know.
    pub escaped: Vec<bool>,
    /// How many bytes they have.
    pub sizes: Vec<Option<Word>>,
    /// Something is new since this was last false.
    pub grown: bool,
    /// How often something was new.
    pub changes: u64,
}

impl Objects {
    pub fn intern(&mut self, object: Object) -> ObjectId {
        if let Some(&id) = self.numbers.get(&object) {
            return id;
        }
        let id = ObjectId(self.all.len() as u32);
        self.all.push(object);
        self.numbers.insert(object, id);
        self.fields.push(Vec::new());
        self.several.push(false);
        self.escaped.push(matches!(object, Object::Global(_) | Object::Heap(..)));
        self.sizes.push(None);
        self.grow();
        id
    }

    /// Something is new.
    pub fn grow(&mut self) {
        self.grown = true;
        self.changes += 1;
    }

    /// An array is accessed at unknown places: `field` is one cell from the start.
    pub fn expect(&mut self, id: ObjectId, field: Field) {
        let fields = &mut self.fields[id.0 as usize];
        if !fields.iter().any(|known| known.overlaps(&field)) {
            fields.push(field);
        }
    }

    pub fn get(&self, id: ObjectId) -> Object {
        self.all[id.0 as usize]
    }

    pub fn find(&self, object: Object) -> Option<ObjectId> {
        self.numbers.get(&object).copied()
    }

    pub fn cell(&self, id: CellId) -> (ObjectId, Field) {
        self.cells[id.0 as usize]
    }

    pub fn count(&self) -> u32 {
        self.all.len() as u32
    }

    pub fn cell_count(&self) -> u32 {
        self.cells.len() as u32
    }

    pub fn stands_for_several(&mut self, id: ObjectId) {
        if !std::mem::replace(&mut self.several[id.0 as usize], true) {
            self.grow();
        }
    }

    pub fn escapes(&mut self, id: ObjectId) {
        if !std::mem::replace(&mut self.escaped[id.0 as usize], true) {
            self.grow();
        }
    }

    /// Cells of an object that are there so far.
    pub fn cells_of(&self, id: ObjectId) -> Vec<CellId> {
        let all = self.fields[id.0 as usize].iter();
        let mut cells: Vec<CellId> =
            all.filter_map(|&field| self.cell_numbers.get(&(id, field)).copied()).collect();
        cells.extend(self.cell_numbers.get(&(id, ALIVE)));
        cells
    }

    fn number(&mut self, id: ObjectId, field: Field) -> CellId {
        if let Some(&cell) = self.cell_numbers.get(&(id, field)) {
            return cell;
        }
        let cell = CellId(self.cells.len() as u32);
        self.cells.push((id, field));
        self.cell_numbers.insert((id, field), cell);
        self.grow();
        cell
    }

    /// The cell that says whether an object exists.
    pub fn alive(&mut self, id: ObjectId) -> CellId {
        self.number(id, ALIVE)
    }

    /// The cell of an access of `size` bytes at these offsets, all of which are in the object.
    pub fn access(
        &mut self,
        id: ObjectId,
        offset: &Word,
        size: u64,
        kind: Kind,
    ) -> Result<CellId, Recast> {
        let wanted = wanted(offset, size, kind);
        let fields = &self.fields[id.0 as usize];
        if let Some(&field) = fields.iter().find(|field| field.covers(&wanted)) {
            return Ok(self.number(id, field));
        }
        let blob =
            |f: &&Field| f.kind == Kind::Blob && wanted.start >= f.start && wanted.end() <= f.end();
        if let Some(&field) = fields.iter().find(blob) {
            return Ok(self.number(id, field));
        }
        let overlapping: Vec<Field> =
            fields.iter().copied().filter(|field| field.overlaps(&wanted)).collect();
        if overlapping.is_empty() {
            self.fields[id.0 as usize].push(wanted);
            return Ok(self.number(id, wanted));
        }
        let merged = overlapping.iter().fold(wanted, merge);
        let fields = &mut self.fields[id.0 as usize];
        fields.retain(|field| !overlapping.contains(field));
        let touched = |field: &Field, fields: &[Field]| fields.iter().any(|f| f.overlaps(field));
        let mut merged = merged;
        while touched(&merged, fields) {
            let more: Vec<Field> = fields.iter().copied().filter(|f| f.overlaps(&merged)).collect();
            fields.retain(|field| !more.contains(field));
            merged = more.iter().fold(merged, merge);
        }
        fields.push(merged);
        // Cells are numbered anew.
        self.cells.clear();
        self.cell_numbers.clear();
        self.grow();
        Err(Recast)
    }
}

const ALIVE: Field = Field { start: 0, size: 0, stride: 1, count: 1, kind: Kind::Alive };

/// Elements that an access may go to.
fn wanted(offset: &Word, size: u64, kind: Kind) -> Field {
    let (low, high) = offset.signed();
    let (modulus, _) = offset.congruence();
    let (start, last) = (low.max(0) as u64, high.max(0) as u64);
    if start >= last {
        return Field::single(start, size, kind);
    }
    if modulus < size || kind != Kind::Plain {
        return Field::single(start, last + size - start, Kind::Blob);
    }
    Field { start, size, stride: modulus, count: (last - start) / modulus + 1, kind }
}

/// A field for all that two overlapping ones are for.
fn merge(a: Field, b: &Field) -> Field {
    let (start, end) = (a.start.min(b.start), a.end().max(b.end()));
    let stride = match (a.count, b.count) {
        (1, 1) => 0,
        (1, _) => b.stride,
        (_, 1) => a.stride,
        _ if a.stride == b.stride => a.stride,
        _ => 0,
    };
    let aligned = stride > 0 && a.start.abs_diff(b.start).is_multiple_of(stride);
    if aligned && a.kind == Kind::Plain && b.kind == Kind::Plain && a.size == b.size {
        let count = (end - a.size - start) / stride + 1;
        return Field { start, size: a.size, stride, count, kind: Kind::Plain };
    }
    Field::single(start, end - start, Kind::Blob)
}
