//! Parts up to the addresses in them.
//!
//! Objects that a program makes as it runs have addresses that depend on what was made
//! and freed before. Two states that differ in nothing else are the same: a part is known
//! by its *shape*, which has only the offset where such an address stands, and by the
//! objects that the addresses lead to, in their order. `States` numbers these objects as
//! it finds them.
//!
//! That addresses can be told from other numbers is not a matter of types: a word counts
//! as an address if it lies in the slots of an object. These are far from what programs
//! count to (see `Store`). It is sound as long as a program does not compute with
//! addresses, or compare which one is greater: see `addresses`.

use heddle_semantics::{Machine, MemoryModel, ObjectId};

use super::state::mix;

#[derive(Clone, Debug, Default)]
pub struct Shape {
    pub hash: u128,
    /// The number of the shape among shapes, if states are kept whole.
    pub id: u32,
    /// Objects that addresses in the part lead to, in the order of the addresses.
    pub refs: Box<[ObjectId]>,
    /// An address stands across words, where it can't be replaced.
    pub pinned: bool,
}

impl Shape {
    pub fn of<M: MemoryModel>(machine: &Machine<'_, M>, words: &[u64]) -> Shape {
        let mut refs = Vec::new();
        let mut hash = Hash::default();
        let mut pinned = false;
        for (at, &word) in words.iter().enumerate() {
            match machine.dynamic_object(word) {
                Some((object, offset)) => {
                    refs.push(object);
                    hash.add(offset ^ 0x5851_f42d_4c95_7f2d);
                }
                None => hash.add(word),
            }
            let next = words.get(at + 1).copied().unwrap_or(0);
            for bytes in 1..8 {
                let across = word >> (8 * bytes) | next << (64 - 8 * bytes);
                if let Some((object, _)) = machine.dynamic_object(across) {
                    refs.push(object);
                    pinned = true;
                }
            }
        }
        Shape { hash: hash.value(), id: 0, refs: refs.into(), pinned }
    }

    /// The words with offsets for addresses, and after them where these stand.
    pub fn spell<M: MemoryModel>(machine: &Machine<'_, M>, words: &mut Vec<u64>) {
        let mut places = Vec::new();
        for (at, word) in words.iter_mut().enumerate() {
            if let Some((_, offset)) = machine.dynamic_object(*word) {
                *word = offset;
                places.push(at as u64);
            }
        }
        places.push(places.len() as u64);
        words.extend(places);
    }
}

/// A hash of 128 bits of a list of words.
#[derive(Clone, Copy)]
pub struct Hash(u64, u64);

impl Default for Hash {
    fn default() -> Hash {
        Hash(0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344)
    }
}

impl Hash {
    pub fn add(&mut self, word: u64) {
        self.0 = mix(self.0 ^ word);
        self.1 = mix(self.1.rotate_left(23) ^ word.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    }

    pub fn add_all(&mut self, value: u128) {
        self.add(value as u64);
        self.add((value >> 64) as u64);
    }

    pub fn value(self) -> u128 {
        u128::from(self.0) << 64 | u128::from(self.1)
    }
}
