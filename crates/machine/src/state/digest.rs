//! A digest of what a run left behind, to compare explorers by the final states
//! they reach.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};

use heddle_semantics::{MemoryModel, ObjectId};

use crate::machine::Machine;
use crate::store::{Life, Origin};

/// Objects that are not there from the start are numbered as they are met.
#[derive(Default)]
struct Digest {
    hasher: FxHasher,
    met: FxHashMap<ObjectId, u32>,
    order: Vec<ObjectId>,
}

impl<M: MemoryModel> Machine<'_, M> {
    /// Hash of the globals, of what they lead to, and of how each thread ended.
    /// Addresses count as what they point to, not as numbers: those depend on the order
    /// in which a machine first met the objects. Threads count by their codes for the
    /// same reason.
    pub fn final_state(&self) -> u64 {
        let mut digest = Digest::default();
        for object in &self.store.objects {
            if matches!(object.origin, Origin::Global(_)) && !object.constant {
                let id = self.store.object_at(object.base).expect("a global lives for ever");
                self.hash_contents(id, &mut digest);
            }
        }
        for id in self.by_code() {
            let thread = &self.threads[id.index()];
            thread.code.hash(&mut digest.hasher);
            std::mem::discriminant(&thread.scalars.status).hash(&mut digest.hasher);
            self.hash_word(thread.scalars.result, &mut digest);
        }
        let mut next = 0;
        while let Some(&id) = digest.order.get(next) {
            next += 1;
            if self.store.object(id).life == Life::Live {
                self.hash_contents(id, &mut digest);
            }
        }
        digest.hasher.finish()
    }

    fn hash_contents(&self, id: ObjectId, digest: &mut Digest) {
        let width = usize::from(self.program.pointer_bytes);
        let words = self.store.contents(id).chunks_exact(width);
        words.remainder().hash(&mut digest.hasher);
        for word in words {
            let mut bytes = [0u8; 8];
            bytes[..width].copy_from_slice(word);
            self.hash_word(u64::from_le_bytes(bytes), digest);
        }
    }

    fn hash_word(&self, word: u64, digest: &mut Digest) {
        let id = self.store.object_at(word);
        let Some((id, object)) = id.map(|id| (id, self.store.object(id))) else {
            return word.hash(&mut digest.hasher);
        };
        if matches!(object.origin, Origin::Global(_) | Origin::Function(_)) {
            return word.hash(&mut digest.hasher);
        }
        let Digest { hasher, met, order } = digest;
        let next = met.len() as u32;
        let number = *met.entry(id).or_insert(next);
        if number == next {
            order.push(id);
        }
        (u32::MAX, number, word - object.base, object.life == Life::Live).hash(hasher);
    }
}
