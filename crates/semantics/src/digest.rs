//! A digest of what a run left behind, to compare explorers by the final states
//! they reach.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::ThreadId;
use crate::machine::Machine;
use crate::model::MemoryModel;
use crate::store::{Life, Origin};

impl<M: MemoryModel> Machine<'_, M> {
    /// Hash of the globals and of how each thread ended. Addresses count as what
    /// they point to, not as numbers: those depend on the order in which a machine
    /// first met the objects. Threads count by their codes for the same reason.
    pub fn final_state(&self) -> u64 {
        let mut hasher = FxHasher::default();
        let width = usize::from(self.program.pointer_bytes);
        for object in &self.store.objects {
            if !matches!(object.origin, Origin::Global(_)) || object.constant {
                continue;
            }
            let id = self.store.object_at(object.base).expect("a global lives for ever");
            let data = self.store.contents(id);
            let words = data.chunks_exact(width);
            words.remainder().hash(&mut hasher);
            for word in words {
                let mut bytes = [0u8; 8];
                bytes[..width].copy_from_slice(word);
                self.hash_word(u64::from_le_bytes(bytes), &mut hasher);
            }
        }
        for id in self.by_code() {
            let thread = &self.threads[id.index()];
            thread.code.hash(&mut hasher);
            std::mem::discriminant(&thread.scalars.status).hash(&mut hasher);
            self.hash_word(thread.scalars.result, &mut hasher);
        }
        hasher.finish()
    }

    fn hash_word(&self, word: u64, hasher: &mut FxHasher) {
        match self.store.object_at(word).map(|id| self.store.object(id)) {
            Some(object) if object.life != Life::Unborn => {
                let offset = word - object.base;
                let code = |thread: &ThreadId| self.threads[thread.index()].code;
                match &object.origin {
                    Origin::Heap { thread, nth, .. } => (code(thread), nth, offset).hash(hasher),
                    Origin::Stack { function, name, thread, .. } => {
                        (function, name, code(thread), offset).hash(hasher);
                    }
                    Origin::ThreadLocal(global, thread) => {
                        (global, code(thread), offset).hash(hasher);
                    }
                    Origin::Global(_) | Origin::Function(_) => word.hash(hasher),
                }
            }
            _ => word.hash(hasher),
        }
    }
}
