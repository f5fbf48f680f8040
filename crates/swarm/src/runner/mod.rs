//! Who runs instances.

pub mod local;
pub mod slurm;

use std::time::Duration;

use crate::task::{Reply, Task};

#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct RunError(pub String);

/// What has become of a task.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    Reply(Reply),
    /// Its worker is gone.
    Lost {
        id: String,
        seconds: f64,
    },
    /// It did not answer in time, nor stop by itself.
    Late {
        id: String,
        seconds: f64,
    },
    /// Something to be kept in the journal: jobs that were started on a cluster.
    Jobs(String),
}

/// Takes tasks and gives their answers, in any order.
pub trait Runner {
    /// How many more tasks it would take now.
    fn room(&self) -> usize;
    fn submit(&mut self, task: Task) -> Result<(), RunError>;
    /// What has happened; waits for it so long.
    fn poll(&mut self, wait: Duration) -> Result<Vec<Event>, RunError>;
    /// Ends whatever is under way. No answers come any more.
    fn stop(&mut self);
}
