//! What a register or a cell of memory may hold: a number, or a pointer to some objects.

use std::collections::BTreeMap;

use super::objects::ObjectId;
use crate::numeric::{Lattice, Thresholds, Word};

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Number(Word),
    Pointer(Pointer),
    /// Anything, also the address of anything.
    Any,
}

/// Addresses in objects, by their offsets, and possibly null.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Pointer {
    pub targets: BTreeMap<ObjectId, Word>,
    pub null: bool,
}

impl Value {
    pub fn top(width: u8) -> Value {
        Value::Number(Word::top(width))
    }

    pub fn number(width: u8, bits: u64) -> Value {
        Value::Number(Word::constant(width, bits))
    }

    pub fn to(object: ObjectId, offset: Word) -> Value {
        Value::Pointer(Pointer { targets: BTreeMap::from([(object, offset)]), null: false })
    }

    pub fn is_bottom(&self) -> bool {
        match self {
            Value::Number(word) => word.is_bottom(),
            Value::Pointer(pointer) => pointer.targets.is_empty() && !pointer.null,
            Value::Any => false,
        }
    }

    /// As a number of so many bits; all of them for an address.
    pub fn word(&self, width: u8) -> Word {
        match self {
            Value::Number(word) if word.width() == width => *word,
            _ => Word::top(width),
        }
    }

    /// Objects that it may be an address in.
    pub fn objects(&self) -> impl Iterator<Item = ObjectId> + '_ {
        let targets = match self {
            Value::Pointer(pointer) => Some(pointer.targets.keys().copied()),
            _ => None,
        };
        targets.into_iter().flatten()
    }

    /// As a pointer, if a number that it may be is null only.
    pub fn pointer(&self) -> Option<Pointer> {
        match self {
            Value::Pointer(pointer) => Some(pointer.clone()),
            Value::Number(word) if word.only() == Some(0) => {
                Some(Pointer { null: true, ..Pointer::default() })
            }
            _ => None,
        }
    }

    fn combine(&self, other: &Value, how: impl Fn(&Word, &Word) -> Word) -> Value {
        if self.is_bottom() {
            return other.clone();
        }
        if other.is_bottom() {
            return self.clone();
        }
        if let (Value::Number(a), Value::Number(b)) = (self, other) {
            // Different widths at the same place: the same bits, read in different ways.
            return match a.width() == b.width() {
                true => Value::Number(how(a, b)),
                false => Value::Any,
            };
        }
        let (Some(a), Some(b)) = (self.pointer(), other.pointer()) else { return Value::Any };
        let mut joined = Pointer { null: a.null || b.null, ..a };
        for (object, offset) in b.targets {
            let known = joined.targets.get(&object).map(|known| how(known, &offset));
            joined.targets.insert(object, known.unwrap_or(offset));
        }
        Value::Pointer(joined)
    }
}

impl Lattice for Value {
    fn leq(&self, other: &Value) -> bool {
        if self.is_bottom() || *other == Value::Any {
            return true;
        }
        match (self, other) {
            (Value::Number(a), Value::Number(b)) => a.width() == b.width() && a.leq(b),
            _ => match (self.pointer(), other.pointer()) {
                (Some(a), Some(b)) => {
                    (!a.null || b.null)
                        && a.targets.iter().all(|(object, offset)| {
                            b.targets.get(object).is_some_and(|other| offset.leq(other))
                        })
                }
                _ => false,
            },
        }
    }

    fn join(&self, other: &Value) -> Value {
        self.combine(other, Word::join)
    }

    fn meet(&self, other: &Value) -> Value {
        match (self, other) {
            (Value::Any, it) | (it, Value::Any) => it.clone(),
            (Value::Number(a), Value::Number(b)) if a.width() == b.width() => {
                Value::Number(a.meet(b))
            }
            (Value::Pointer(a), Value::Pointer(b)) => {
                let both = a.targets.iter().filter_map(|(object, offset)| {
                    Some((*object, offset.meet(b.targets.get(object)?)))
                });
                let targets = both.filter(|(_, offset)| !offset.is_bottom()).collect();
                Value::Pointer(Pointer { targets, null: a.null && b.null })
            }
            // Either alone is sound.
            (it, _) => it.clone(),
        }
    }

    fn widen(&self, other: &Value, thresholds: &Thresholds) -> Value {
        self.combine(other, |a, b| a.widen(b, thresholds))
    }
}
