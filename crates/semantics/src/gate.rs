//! When a blocking operation can go on.
//!
//! Every object that threads wait for keeps what matters in its first eight
//! bytes, in the program's own memory. A gate is a test of these bytes: open, or
//! not. Engines that reorder steps ask it about states of the past, to know
//! whether the operation could have run there.

use crate::ThreadId;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// A mutex, for a thread that does not hold it (or may lock it again).
    Mutex { me: ThreadId },
}

impl Gate {
    /// May the operation go on when the object's first eight bytes are `word`?
    pub fn is_open(self, word: u64) -> bool {
        match self {
            Gate::Mutex { .. } => word as u32 == 0 || word as u32 == DESTROYED,
        }
    }
}

/// Owner of a mutex that was destroyed.
pub(crate) const DESTROYED: u32 = u32::MAX;
