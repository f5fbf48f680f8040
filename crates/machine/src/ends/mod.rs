//! How executions end, when nobody can move.

pub(crate) mod deadlock;
mod leak;
mod look_again;
