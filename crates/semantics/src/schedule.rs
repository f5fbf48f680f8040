//! The one currency between the parts: which thread took each visible step, and
//! which input was read.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Unwritten;

/// Index of an object in its store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ObjectId(pub u32);

/// A thread. 0 is the main thread. Ids are interned by *path* (parent, n-th
/// child), so a thread keeps its id in every execution of one machine, whatever
/// the order in which threads are created.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Default,
)]
#[serde(transparent)]
pub struct ThreadId(pub u32);

impl ThreadId {
    pub const MAIN: ThreadId = ThreadId(0);

    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "T{}", self.0)
    }
}

/// One decision of the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Choice {
    /// The thread takes its pending visible step and then runs to its next one.
    Step(ThreadId),
    /// The thread's pending input takes this value.
    Input(ThreadId, u64),
}

impl Choice {
    pub fn thread(self) -> ThreadId {
        match self {
            Choice::Step(thread) | Choice::Input(thread, _) => thread,
        }
    }
}

/// How an actor came to be: the `nth` child (from 0) of the thread `parent`, or
/// its `nth` store queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ThreadPath {
    pub parent: ThreadId,
    pub nth: u32,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub queue: bool,
}

/// A run of a program, as the decisions that make it happen again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Schedule {
    /// Paths of threads 1, 2, …; a machine that replays interns them in this
    /// order first, so that ids mean the same.
    pub threads: Vec<ThreadPath>,
    pub choices: Vec<Choice>,
    /// What was never written and has a value, which is among the inputs; that of all else
    /// does not matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unwritten: Vec<Unwritten>,
}

impl Schedule {
    /// How often the thread changes from one choice to the next.
    pub fn context_switches(&self) -> usize {
        self.choices.windows(2).filter(|pair| pair[0].thread() != pair[1].thread()).count()
    }
}
