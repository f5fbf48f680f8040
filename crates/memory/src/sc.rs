//! Sequential consistency: a write is in memory at once, a read takes what is
//! there.

use heddle_ir::Ordering;
use heddle_semantics::{FenceRule, MemoryModel, StoreRule};

#[derive(Clone, Copy, Debug, Default)]
pub struct Sc;

impl MemoryModel for Sc {
    fn name(&self) -> &'static str {
        "sc"
    }

    #[inline]
    fn store(&self, _: Option<Ordering>) -> StoreRule {
        StoreRule::Direct
    }

    fn fence(&self, _: Ordering) -> FenceRule {
        FenceRule::Nothing
    }

    fn queue(&self, _: u64, _: u32) -> (u64, u32) {
        (0, 0)
    }

    #[inline]
    fn buffers(&self) -> bool {
        false
    }

    #[inline]
    fn reorders_publication(&self) -> bool {
        false
    }
}
