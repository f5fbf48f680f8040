//! What watches a run: for what was supposed about the program, for what a native run would
//! count, and for people.

pub(crate) mod critical_sections;
mod events;
pub(crate) mod guide;
pub(crate) mod meetings;
pub(crate) mod order;
pub(crate) mod own;
pub(crate) mod pairs;
pub(crate) mod record;
