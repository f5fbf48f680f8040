//! Scheduling constraints: which events of which threads come before which.
//!
//! Metzler, Saissi, Bokor and Suri, "Safe Execution of Concurrent Programs by Enforcement
//! of Scheduling Constraints", section 3.1. [`Trace`] is a symbolic trace graph, with the
//! operations of the paper; [`Schedule`] is one with what a native program needs to keep
//! it, as a file. Deviations:
//!
//! 1. In the paper, events outside a prefix may be executed at any time, but its proof of
//!    correctness takes them all to come after those inside. What is kept here are the
//!    edges and nothing else: [`Trace::admits`] says which executions that leaves, and
//!    the verifier explores exactly those.
//! 2. An edge from an event that never comes, because its thread has ended without it, is
//!    kept by everybody. So a thread that took another way blocks nobody.
//! 3. Conditions are limited to the one of the paper's example: the two events touch the
//!    same memory. Whether they do is known when both threads stand before their events.
//!    So the second one waits until the first thread has come there, in any case.

mod event;
mod file;
mod trace;

pub use event::{Event, Thread};
pub use file::{
    ANY_SITE, Constrained, FileError, LIBRARY_SITE, Purpose, SCOPE_SITE, Schedule, VERSION,
};
pub use trace::{Condition, Edge, Trace};
