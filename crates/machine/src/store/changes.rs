//! The log of changes to objects: where steps begin, what they changed, and how it is taken
//! back.

use super::{Life, ObjectId, Store, Undo};

/// An object whose death is so many changes behind its birth leaves only that in the log.
const SHORT_LIFE: usize = 32;

impl Undo {
    pub(super) fn object(&self) -> u32 {
        match *self {
            Undo::Bytes { object, .. }
            | Undo::Undefined { object, .. }
            | Undo::Life { object, .. }
            | Undo::Shared { object } => object,
        }
    }
}

impl Store {
    /// The end of an object. Where it was made in the same step, whoever takes back its death
    /// takes back its birth: nobody needs its contents any more.
    pub fn set_life(&mut self, id: ObjectId, life: Life) {
        let object = &mut self.objects[id.0 as usize];
        let young = object.made_in == self.step;
        if young {
            (object.data, object.undefined) = (Vec::new(), None);
        }
        // Who notes what a step needs wants to know of every change.
        if !young || self.needs.is_on() || !self.forget_changes(id.0) {
            self.log.push(Undo::Life { object: id.0, old: self.objects[id.0 as usize].life });
        }
        self.objects[id.0 as usize].life = life;
    }

    /// Drops what the log says of an object behind its birth, if that is not far back.
    fn forget_changes(&mut self, id: u32) -> bool {
        let first = self.log.len().saturating_sub(SHORT_LIFE).max(self.turn);
        if first >= self.log.len() {
            return false;
        }
        let is_birth = |entry: &Undo| matches!(entry, Undo::Life { object, old: Life::Unborn } if *object == id);
        let Some(born) = self.log[first..].iter().rposition(is_birth) else { return false };
        let behind = first + born + 1;
        let mut kept = behind;
        for at in behind..self.log.len() {
            if self.log[at].object() != id {
                self.log.swap(kept, at);
                kept += 1;
            }
        }
        self.log.truncate(kept);
        true
    }

    /// From now on another step changes objects. Gives the mark for taking it back.
    pub fn begin_step(&mut self) -> usize {
        self.step += 1;
        self.log.len()
    }

    pub fn mark(&self) -> usize {
        self.log.len()
    }

    /// Bytes that were written since `mark`: object, offset and length.
    pub fn written_since(&self, mark: usize) -> impl Iterator<Item = (ObjectId, u32, u32)> + '_ {
        self.log[mark..].iter().filter_map(|entry| match *entry {
            Undo::Bytes { object, offset, len, .. } => {
                Some((ObjectId(object), offset, u32::from(len)))
            }
            _ => None,
        })
    }

    /// Takes back everything since `mark`.
    pub fn undo_to(&mut self, mark: usize) {
        self.step += 1;
        while self.log.len() > mark {
            match self.log.pop().expect("longer than mark") {
                // Unless its contents are gone: its birth is taken back too.
                Undo::Bytes { object, offset, old, len } => {
                    let object = &mut self.objects[object as usize];
                    if !object.data.is_empty() {
                        object.put(offset, u32::from(len), old);
                    }
                }
                Undo::Undefined { object, offset, old, len } => {
                    let object = &mut self.objects[object as usize];
                    if !object.data.is_empty() {
                        object.put_undefined(offset, u32::from(len), old);
                    }
                }
                Undo::Life { object, old } => {
                    let object = &mut self.objects[object as usize];
                    if old == Life::Unborn {
                        self.allocated -= object.bytes;
                    }
                    object.life = old;
                }
                Undo::Shared { object } => self.objects[object as usize].shared = false,
            }
        }
        self.turn = self.turn.min(self.log.len());
    }
}
