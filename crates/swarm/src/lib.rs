//! Many small searches instead of a large one.
//!
//! [`tiling`] cuts threads into tiles, [`selection`] numbers the ways to select some, [`tree`]
//! halves what was not decided. [`campaign`] hands instances to a [`runner::Runner`] and
//! keeps the [`journal`], from which [`statistics`] and [`plot`] are made. What an instance is
//! decided by is no matter here: a worker is a process that answers.

pub mod campaign;
pub mod journal;
pub mod natural;
mod plan;
pub mod plot;
pub mod runner;
pub mod selection;
mod shuffle;
mod sizing;
pub mod statistics;
mod tally;
mod task;
mod threads;
pub mod tiling;
mod tree;
pub mod worker;

pub use campaign::{Hooks, Options, SwarmError, run};
pub use journal::{Header, Journal, JournalError};
pub use plan::{Plan, Sample};
pub use tally::{Conclusion, Tally};
pub use task::{Answer, Reply, Task, Why};
pub use threads::{Depth, Point, Restriction, Span, Thread};
pub use tree::{Side, Split, split};
