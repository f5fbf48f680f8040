//! When a blocking operation can go on.
//!
//! Every object that threads wait for keeps what matters in its first eight
//! bytes, in the program's own memory. A gate is a test of these bytes: open, or
//! not. Engines that reorder steps ask it about states of the past, to know
//! whether the operation could have run there.

use crate::ThreadId;
use crate::event::AccessKind;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// A mutex, for a thread that does not hold it (or may lock it again).
    Mutex {
        me: ThreadId,
    },
    /// A spin lock.
    Spin,
    /// A semaphore: open while its count is not 0.
    Semaphore,
    /// A read-write lock, for a reader and for a writer.
    ReadLock,
    WriteLock,
    /// A barrier, for a thread that arrived in this generation.
    Barrier {
        generation: u32,
    },
    /// A condition variable, for the waiter with this number.
    Condition {
        arrival: u8,
    },
    /// A `pthread_once_t`: open unless its function is running.
    Once,
}

impl Gate {
    /// May the operation go on when the object's first eight bytes are `word`?
    /// Objects that were destroyed let it through, to report it.
    pub fn is_open(self, word: u64) -> bool {
        let (low, high) = (word as u32, (word >> 32) as u32);
        match self {
            Gate::Mutex { .. } | Gate::Spin | Gate::ReadLock => low == 0 || low == DESTROYED,
            Gate::WriteLock => word == 0 || low == DESTROYED,
            Gate::Semaphore => low != 0 || high != LIVE_SEMAPHORE,
            Gate::Barrier { generation } => high != generation,
            Gate::Condition { arrival } => word.to_le_bytes()[1..].iter().any(|&t| t > arrival),
            Gate::Once => low != ONCE_RUNS,
        }
    }

    /// How the operation touches the object when it goes on.
    pub fn access(self) -> AccessKind {
        match self {
            Gate::Barrier { .. } => AccessKind::Read,
            _ => AccessKind::Acquire,
        }
    }

    /// How many of the eight bytes there are.
    pub fn bytes(self) -> u32 {
        match self {
            Gate::Spin | Gate::Once => 4,
            _ => 8,
        }
    }

    /// What a thread waits for that stands before the gate of a thing: `to lock`
    /// it, ….
    pub fn purpose(self) -> &'static str {
        match self {
            Gate::Mutex { .. } | Gate::Spin => "to lock",
            Gate::ReadLock => "to read-lock",
            Gate::WriteLock => "to write-lock",
            Gate::Semaphore => "for a post of",
            Gate::Barrier { .. } => "for more threads at",
            Gate::Condition { .. } => "for a signal of",
            Gate::Once => "for the end of the call by",
        }
    }
}

/// Owner of a lock that was destroyed.
pub(crate) const DESTROYED: u32 = u32::MAX;
/// Second word of a semaphore that was initialised and not destroyed.
pub(crate) const LIVE_SEMAPHORE: u32 = 1;
/// State of a `pthread_once_t` while its function runs.
pub(crate) const ONCE_RUNS: u32 = 1;
