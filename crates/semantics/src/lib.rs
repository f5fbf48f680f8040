//! What programs mean.
//!
//! [`eval`] gives each instruction its meaning once, over a [`Domain`] of values
//! and a [`Host`] that owns registers, memory and threads. [`library`] does the
//! same for library functions. The interpreter, `heddle-machine`, is the host over
//! [`Concrete`] values, whose every step can be undone.

mod addresses;
mod arguments;
pub mod capture;
mod domain;
pub mod draining;
mod ends;
mod eval;
mod event;
mod gate;
mod host;
pub mod library;
mod model;
mod null_tests;
mod overflow;
mod partial;
mod race;
mod schedule;
pub mod sync;
mod unwritten;
mod verdict;
mod violation;

pub use addresses::{Number, compares, computes_with};
pub use arguments::words;
pub use domain::{Concrete, Domain, arithmetic, mask, sign_extend};
pub use draining::Draining;
pub use ends::{Ends, VACUOUS};
pub use eval::eval;
pub use event::{Access, AccessKind, Event, Fences, Footprint, conflict};
pub use gate::{Gate, Opening, Test};
pub use host::{
    BarrierOp, ConditionOp, Flow, Host, InputKind, MutexOp, OnceOp, Processor, RwLockOp,
    SemaphoreOp, SpinOp, StackObject, SyncOp, Val,
};
pub use model::{FenceRule, MemoryModel, StoreRule};
pub use null_tests::{NullTests, TestSite};
pub use partial::{Partial, PartlyKnown, Site, Source, Tracked};
pub use race::{Race, find_race, find_races};
pub use schedule::{Choice, ObjectId, Schedule, ThreadId, ThreadPath};
pub use unwritten::{Holder, Unwritten, all_of, valued_bits};
pub use verdict::{Assumption, Bounds, Failure, Stopped, Verdict};
pub use violation::{StackEntry, Violation, ViolationKind, traps_end};
