//! Evidence for people: a schedule that fails is run again, made as simple as
//! possible, and shown.
//!
//! [`replay`] is the only thing here that executes programs. [`confirm`] and
//! [`minimise`] decide by it; [`text`], [`html`], [`json`], [`sarif`] and [`svcomp`] draw the [`Trace`] it gives;
//! [`file`] keeps a schedule for another day.
//!
//! What is deliberately absent: any way to make a [`Trace`] without a replay. A
//! report of a violation therefore always shows a run that happened.

mod confirm;
mod context;
mod deadlock;
mod explain;
pub mod file;
pub mod html;
pub mod json;
mod locks;
mod minimise;
mod name;
mod order;
mod race;
mod replay;
pub mod sarif;
pub mod svcomp;
pub mod text;
mod trace;
mod value;
pub mod xml;

pub use confirm::confirm;
pub use context::{Context, HeldLock, Place};
pub use deadlock::{DeadlockReport, Holder, Note, Waiting};
pub use explain::{Explanation, explain};
pub use minimise::minimise;
pub use race::{Creation, LockInfo, ObjectInfo, RaceAccess, RaceReport};
pub use replay::{ReplayError, Subject};
pub use trace::{Operation, Step, ThreadInfo, Trace};
