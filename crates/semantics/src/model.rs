//! The face that a shared memory abstraction shows to the interpreter.
//!
//! Store buffers are the interpreter's (`heddle_machine::buffers`): stores of one thread
//! wait in queues, and a queue is an actor of its own whose steps take its oldest
//! store to memory. A model says which stores wait, in which queue, and what makes
//! a thread wait until its queues are empty. Only accesses that another thread can
//! see come here; private memory is always consistent.

use heddle_ir::Ordering;

/// What becomes of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreRule {
    /// It is in memory at once.
    Direct,
    /// It waits in a queue. `ordered`: until all earlier stores of its thread are
    /// in memory.
    Buffer { ordered: bool },
    /// The thread waits until its queues are empty; then it is in memory at once.
    /// Since the thread does nothing in between, this is the same as a store that
    /// waits and a full fence after it.
    Drain,
}

/// What a fence does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FenceRule {
    Nothing,
    /// Stores after it reach memory after all stores before it.
    Order,
    /// The thread waits until its queues are empty.
    Drain,
}

pub trait MemoryModel: Clone + Send {
    fn name(&self) -> &'static str;

    /// For a plain store (`None`) or an atomic one.
    fn store(&self, order: Option<Ordering>) -> StoreRule;

    fn fence(&self, order: Ordering) -> FenceRule;

    /// The queue of its thread that a store to these bytes waits in.
    fn queue(&self, addr: u64, len: u32) -> (u64, u32);

    /// Are there queues at all? If not, nobody asks further.
    fn buffers(&self) -> bool;

    /// May a store to an object reach memory after a later one that publishes the
    /// object's address? Then stores to private objects must wait like others.
    fn reorders_publication(&self) -> bool;
}
