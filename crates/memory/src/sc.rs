//! Sequential consistency: a write is in memory at once, a read takes what is
//! there.

use heddle_semantics::{MemoryModel, ObjectId, Store, ThreadId};

#[derive(Clone, Copy, Debug, Default)]
pub struct Sc;

impl MemoryModel for Sc {
    fn name(&self) -> &'static str {
        "sc"
    }

    #[inline]
    fn read(&self, store: &Store, _: ThreadId, object: ObjectId, offset: u32, len: u32) -> u64 {
        store.read(object, offset, len)
    }

    #[inline]
    fn write(
        &mut self,
        store: &mut Store,
        _: ThreadId,
        object: ObjectId,
        offset: u32,
        len: u32,
        value: u64,
        written: u8,
    ) -> bool {
        store.write_masked(object, offset, len, value, written)
    }
}
