//! What goes to a worker and what comes back, a line of JSON each.

use heddle_semantics::Bounds;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::threads::{Depth, Restriction};

/// An instance to be decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Of the node in the tree of the search.
    pub id: String,
    pub depth: Depth,
    pub restriction: Restriction,
    /// How long it may take.
    pub seconds: f64,
}

/// What a worker says of a task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reply {
    pub id: String,
    pub answer: Answer,
    /// By the clock on the wall.
    pub seconds: f64,
    /// Of the processor, which on a machine with more to do is less.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processor: Option<f64>,
    /// Resident memory of the worker afterwards.
    pub bytes: u64,
    /// It was the first task of its worker, which had all memory for it.
    pub first: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Answer {
    /// A violation, with what is needed to replay it.
    Unsafe(Value),
    /// None, within bounds. `complete`: some run comes to its end.
    Clear {
        bounds: Box<Bounds>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unsupported: Option<String>,
        complete: bool,
    },
    Undecided(Why),
    /// An internal error, or a worker that can't work at all.
    Wrong(String),
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Why {
    Time,
    Memory,
    /// The worker has died on it, more than once.
    Died,
}

impl Why {
    pub fn name(self) -> &'static str {
        match self {
            Why::Time => "time",
            Why::Memory => "memory",
            Why::Died => "died",
        }
    }
}
