//! What values that are addresses lead to.

use super::{Life, Object, Origin, Store, Undo};

impl Store {
    /// Marks the object that `value` points to, and all it leads to, as reachable
    /// by other threads.
    pub fn publish(&mut self, value: u64, pointer_bytes: u8) {
        let mut todo = vec![value];
        while let Some(value) = todo.pop() {
            let hidden = |object: &Object| !object.shared && object.life == Life::Live;
            let Some(id) = self.owner_of(value).filter(|_| self.look_at(value).is_some_and(hidden))
            else {
                continue;
            };
            // What it leads to is not noted.
            self.needs.note_others();
            let object = &mut self.objects[id as usize];
            object.shared = true;
            self.log.push(Undo::Shared { object: id });
            let width = usize::from(pointer_bytes);
            for word in object.data.chunks_exact(width) {
                let mut bytes = [0u8; 8];
                bytes[..width].copy_from_slice(word);
                let word = u64::from_le_bytes(bytes);
                if word >> self.shift != 0 {
                    todo.push(word);
                }
            }
        }
    }

    /// Which objects, by index, chains of pointers in live memory lead to. A pointer
    /// may stand at any byte.
    pub fn reachable_from(&self, roots: &[u64], pointer_bytes: u8) -> Vec<bool> {
        let mut reached = vec![false; self.objects.len()];
        let mut todo = roots.to_vec();
        while let Some(value) = todo.pop() {
            let Some(id) = self.owner_of(value) else { continue };
            let object = &self.objects[id as usize];
            if object.life != Life::Live || std::mem::replace(&mut reached[id as usize], true) {
                continue;
            }
            for word in object.data.windows(usize::from(pointer_bytes)) {
                let mut bytes = [0u8; 8];
                bytes[..word.len()].copy_from_slice(word);
                let word = u64::from_le_bytes(bytes);
                if word >> self.shift != 0 {
                    todo.push(word);
                }
            }
        }
        reached
    }

    /// True if `value` is an address in a live object that is not shared yet.
    #[inline]
    pub fn is_private_pointer(&self, value: u64) -> bool {
        value >> self.shift != 0
            && self.look_at(value).is_some_and(|object| !object.shared && object.life == Life::Live)
    }

    /// True if `value` is an address in a block that was freed.
    #[inline]
    pub fn is_freed(&self, value: u64) -> bool {
        value >> self.shift != 0
            && self.look_at(value).is_some_and(|object| object.life == Life::Freed)
    }

    /// Is it large enough for an address?
    #[inline]
    pub fn may_be_address(&self, value: u64) -> bool {
        value >> self.shift != 0
    }

    /// Where the heap block begins that a value is an address in, unless it was freed.
    pub fn live_block(&self, value: u64) -> Option<u64> {
        let live = |object: &&Object| {
            object.life == Life::Live && matches!(object.origin, Origin::Heap { .. })
        };
        let found = if value >> self.shift != 0 { self.look_at(value) } else { None };
        found.filter(live).map(|object| object.base)
    }

    /// Do two addresses lead to different heap blocks, dead or alive?
    #[cold]
    pub fn are_two_blocks(&self, a: u64, b: u64) -> bool {
        let (Some(a), Some(b)) = (self.object_at(a), self.object_at(b)) else { return false };
        let heap = |id| matches!(self.object(id).origin, Origin::Heap { .. });
        a != b && heap(a) && heap(b)
    }
}
