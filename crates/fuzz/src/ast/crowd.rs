//! Threads by number: several instances of a function, whose handles are elements of an array.

/// What is done with such threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crowd {
    /// Creates instances of a thread in a loop.
    Create { thread: u8, count: u8, slots: Slots },
    /// Creates one and joins it, in a loop.
    InTurn { thread: u8, count: u8 },
    /// Joins the first ones in a loop.
    Join { count: u8 },
    /// Joins one of them.
    JoinAt(u8),
    /// Creates a thread in a function that others are created in too.
    Start(u8),
    /// Joins it in a function that others are joined in too.
    Finish(u8),
    /// Creates a thread in such a function, which puts its handle into an element.
    StartAt { thread: u8, slot: u8 },
    /// Joins whoever is there in such a function.
    FinishAt(u8),
    /// Joins it, and keeps the block that is its result.
    CollectAt(u8),
    /// Creates one, joins it, and keeps the block that is its result, in a loop.
    Collect { thread: u8, count: u8 },
}

/// Where handles go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slots {
    /// To an element each.
    Own,
    /// Behind those that are there: from this element on.
    From(u8),
    /// All to the same.
    Same,
}

/// How many elements the array has.
pub const SLOTS: u8 = 4;

impl Crowd {
    /// The thread that it speaks of, if it is one by number.
    pub fn thread_mut(&mut self) -> Option<&mut u8> {
        match self {
            Crowd::Create { thread, .. }
            | Crowd::InTurn { thread, .. }
            | Crowd::Start(thread)
            | Crowd::StartAt { thread, .. }
            | Crowd::Collect { thread, .. }
            | Crowd::Finish(thread) => Some(thread),
            Crowd::Join { .. } | Crowd::JoinAt(_) | Crowd::FinishAt(_) | Crowd::CollectAt(_) => {
                None
            }
        }
    }

    /// How often it is done.
    pub fn count_mut(&mut self) -> Option<&mut u8> {
        match self {
            Crowd::Create { count, .. }
            | Crowd::InTurn { count, .. }
            | Crowd::Collect { count, .. }
            | Crowd::Join { count } => Some(count),
            _ => None,
        }
    }
}
