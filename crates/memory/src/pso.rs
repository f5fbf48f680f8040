//! Partial store order: one first-in first-out store buffer a thread and
//! location, so that stores to different locations may overtake each other.
//!
//! A location is a range of bytes as it is stored to. A store to bytes that
//! overlap a range of which a store still waits, without being that range, waits
//! until that one is in memory.

use heddle_ir::Ordering;
use heddle_semantics::{FenceRule, MemoryModel, StoreRule};

#[derive(Clone, Copy, Debug, Default)]
pub struct Pso;

impl MemoryModel for Pso {
    fn name(&self) -> &'static str {
        "pso"
    }

    /// A release store comes after all earlier stores of its thread; later ones
    /// may still overtake it.
    #[inline]
    fn store(&self, order: Option<Ordering>) -> StoreRule {
        match order {
            Some(Ordering::SeqCst) => StoreRule::Drain,
            Some(Ordering::Release | Ordering::AcqRel) => StoreRule::Buffer { ordered: true },
            Some(Ordering::Relaxed | Ordering::Acquire) | None => {
                StoreRule::Buffer { ordered: false }
            }
        }
    }

    fn fence(&self, order: Ordering) -> FenceRule {
        match order {
            Ordering::SeqCst => FenceRule::Drain,
            Ordering::Release | Ordering::AcqRel => FenceRule::Order,
            Ordering::Acquire | Ordering::Relaxed => FenceRule::Nothing,
        }
    }

    #[inline]
    fn queue(&self, addr: u64, len: u32) -> (u64, u32) {
        (addr, len)
    }

    #[inline]
    fn buffers(&self) -> bool {
        true
    }

    #[inline]
    fn reorders_publication(&self) -> bool {
        true
    }
}
