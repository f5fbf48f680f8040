//! Total store order: one first-in first-out store buffer a thread, as on x86
//! (Owens, Sarkar and Sewell, "A Better x86 Memory Model: x86-TSO", TPHOLs 2009).

use heddle_ir::Ordering;
use heddle_semantics::{FenceRule, MemoryModel, StoreRule};

#[derive(Clone, Copy, Debug, Default)]
pub struct Tso;

impl MemoryModel for Tso {
    fn name(&self) -> &'static str {
        "tso"
    }

    /// Compilers put a full fence after a sequentially consistent store (or use
    /// an exchange); weaker ones are plain.
    #[inline]
    fn store(&self, order: Option<Ordering>) -> StoreRule {
        match order {
            Some(Ordering::SeqCst) => StoreRule::Drain,
            _ => StoreRule::Buffer { ordered: false },
        }
    }

    /// Everything weaker than a full fence holds of itself.
    fn fence(&self, order: Ordering) -> FenceRule {
        match order {
            Ordering::SeqCst => FenceRule::Drain,
            _ => FenceRule::Nothing,
        }
    }

    #[inline]
    fn queue(&self, _: u64, _: u32) -> (u64, u32) {
        (0, 0)
    }

    #[inline]
    fn buffers(&self) -> bool {
        true
    }

    #[inline]
    fn reorders_publication(&self) -> bool {
        false
    }
}
