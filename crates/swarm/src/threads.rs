//! What is known of the threads of a bounded program, as far as tilings need it.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thread {
    pub name: String,
    pub points: Vec<Point>,
    /// Stores that may wait, by the points at which they are made.
    pub stores: Vec<u32>,
}

/// Where a thread may be left.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    pub function: String,
    pub file: String,
    /// The thread may have to wait there, so it can always be left there.
    pub waits: bool,
    /// How many operations on locks and the like the thread has come past.
    pub region: u32,
}

impl Thread {
    /// Is a thread that is left before this point preempted? Not if it may have to wait
    /// there, nor at its start.
    pub fn is_preemptible(&self, point: u32) -> bool {
        point > 0 && self.points.get(point as usize).is_some_and(|point| !point.waits)
    }
}

/// How far loops are followed, and how often each thread has a turn; zeros if neither is
/// limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Depth {
    pub unwind: u32,
    pub rounds: u32,
}

impl std::fmt::Display for Depth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Depth { unwind: 0, rounds: 0 } => write!(f, "any number of turns"),
            Depth { unwind, rounds } => write!(f, "unwind {unwind}, rounds {rounds}"),
        }
    }
}

/// A half-open range of points or stores of a thread.
pub type Span = (u32, u32);

/// Which runs an instance has: for each thread, spans. Threads beyond the end of a list are
/// not restricted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Restriction {
    /// Points before which the thread is not preempted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub closed: Vec<Vec<Span>>,
    /// Points before some of which it is preempted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forced: Vec<Vec<Span>>,
    /// Stores that reach memory at once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prompt: Vec<Vec<Span>>,
}

impl Restriction {
    /// Adds a span to a list of threads.
    pub fn add(list: &mut Vec<Vec<Span>>, thread: usize, span: Span) {
        if list.len() <= thread {
            list.resize(thread + 1, Vec::new());
        }
        list[thread].push(span);
    }
}
