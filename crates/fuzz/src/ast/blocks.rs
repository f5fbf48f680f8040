//! Blocks that one place of the program allocates more than once: a thread keeps the last two.

/// What is done with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocks {
    /// Allocates one and stores a value there.
    New(u8),
    /// Allocates one that is zero.
    Zero,
    /// The same as the first in a function that others are allocated in too.
    Made(u8),
    /// Frees the last one, or the one before.
    Free(u8),
    /// Lets others see one.
    Show(u8),
    /// The thread ends, and the last one is its result.
    Return,
}
