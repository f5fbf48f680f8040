//! Events and threads.

use serde::{Deserialize, Serialize};

/// The n-th event of a thread, from 0. Threads are numbered as in [`crate::Schedule`];
/// 0 is the main thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Event {
    pub thread: u32,
    pub index: u32,
}

impl Event {
    pub fn new(thread: u32, index: u32) -> Event {
        Event { thread, index }
    }
}

impl std::fmt::Display for Event {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "T{}:{}", self.thread, self.index)
    }
}

/// A thread by its path: the `nth` child (from 0) of the thread `parent`. So it is the
/// same thread in whatever order threads are created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Thread {
    pub parent: u32,
    pub nth: u32,
}
