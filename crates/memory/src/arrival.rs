//! The symbolic face of the memory models: which stores of a thread reach memory in the
//! order of the program. Formulas go by this where the interpreter has queues; both are
//! made from the same rules.

use heddle_semantics::{MemoryModel, StoreRule};

/// When a store that waits reaches memory, compared with earlier ones of its thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival {
    /// After all of them.
    InOrder,
    /// After those that share a queue with it, and after those that a fence which orders
    /// stores parts from it.
    ByQueue,
}

/// For a store that waits by this rule.
pub fn arrival<M: MemoryModel>(model: &M, rule: StoreRule) -> Arrival {
    let one_queue = model.queue(0, 1) == model.queue(1, 1);
    match rule {
        StoreRule::Buffer { ordered: false } if !one_queue => Arrival::ByQueue,
        _ => Arrival::InOrder,
    }
}
