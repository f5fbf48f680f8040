//! The face that a shared memory abstraction shows to the interpreter.

use crate::ThreadId;
use crate::store::{ObjectId, Store};

/// What reads and writes of shared memory mean. Only
/// accesses that another thread can see come here; private memory is the store's.
#[allow(clippy::too_many_arguments)]
pub trait MemoryModel {
    fn name(&self) -> &'static str;
    fn read(&self, store: &Store, thread: ThreadId, object: ObjectId, offset: u32, len: u32)
    -> u64;
    /// Tells whether the write changed anything.
    fn write(
        &mut self,
        store: &mut Store,
        thread: ThreadId,
        object: ObjectId,
        offset: u32,
        len: u32,
        value: u64,
        written: u8,
    ) -> bool;
}
