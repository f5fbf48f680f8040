//! When a blocking operation can go on.
//!
//! Every object that threads wait for keeps what matters in its first eight
//! bytes, in the program's own memory. A gate is a test of these bytes: open, or
//! not. Engines that reorder steps ask it about states of the past, to know
//! whether the operation could have run there.

use crate::event::AccessKind;
use crate::mask;
use crate::sync::{DESTROYED, ONCE_RUNS, SEMAPHORE_LIVES, Word, barrier, mutex};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// A mutex, for a thread that does not hold it (or may lock it again).
    Mutex,
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

/// What some of the object's first eight bytes must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    pub word: Word,
    pub test: Test,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    OneOf([u64; 2]),
    Not(u64),
}

impl Gate {
    /// May the operation go on when the object's first eight bytes are `word`?
    #[inline]
    pub fn is_open(self, word: u64) -> bool {
        match self.opening() {
            Some(opening) => opening.holds(word),
            None => self.has_token(word),
        }
    }

    /// The test, unless it is that of a condition variable, where it depends on how those
    /// who sleep are kept. Objects that were destroyed, or never made, let the operation
    /// through, to report it.
    #[inline]
    pub fn opening(self) -> Option<Opening> {
        let free = Test::OneOf([0, u64::from(DESTROYED)]);
        let (word, test) = match self {
            Gate::Mutex | Gate::Spin | Gate::ReadLock => (mutex::OWNER, free),
            Gate::WriteLock => (BOTH, free),
            Gate::Semaphore => (BOTH, Test::Not(u64::from(SEMAPHORE_LIVES) << 32)),
            Gate::Barrier { generation } => (barrier::GENERATION, Test::Not(u64::from(generation))),
            Gate::Once => (Word::at(0), Test::Not(u64::from(ONCE_RUNS))),
            Gate::Condition { .. } => return None,
        };
        Some(Opening { word, test })
    }

    /// For a waiter of a condition variable: was a signal sent after it came?
    fn has_token(self, word: u64) -> bool {
        let Gate::Condition { arrival } = self else { return false };
        word.to_le_bytes()[1..].iter().any(|&token| token > arrival)
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
            Gate::Mutex | Gate::Spin => "to lock",
            Gate::ReadLock => "to read-lock",
            Gate::WriteLock => "to write-lock",
            Gate::Semaphore => "for a post of",
            Gate::Barrier { .. } => "for more threads at",
            Gate::Condition { .. } => "for a signal of",
            Gate::Once => "for the end of the call by",
        }
    }
}

/// The first eight bytes.
const BOTH: Word = Word { at: 0, bytes: 8 };

impl Opening {
    /// Does the test hold if the object's first eight bytes are these?
    #[inline]
    fn holds(self, eight: u64) -> bool {
        let value = mask(eight >> (8 * self.word.at), 8 * self.word.bytes);
        match self.test {
            Test::OneOf(values) => values.contains(&value),
            Test::Not(other) => value != other,
        }
    }
}
