//! What programs mean.
//!
//! [`eval`] gives each instruction its meaning once, over a [`Domain`] of values
//! and a [`Host`] that owns registers, memory and threads. [`library`] does the
//! same for library functions. [`Machine`] is the interpreter: the host over
//! [`Concrete`] values, whose every step can be undone.

mod addresses;
mod arguments;
pub mod capture;
mod code;
mod digest;
mod domain;
pub mod draining;
mod ends;
mod eval;
mod event;
mod gate;
mod guide;
mod host;
pub mod library;
mod liveness;
mod machine;
mod model;
mod names;
mod native;
mod needs;
mod null_tests;
mod overflow;
mod partial;
mod race;
mod record;
mod schedule;
mod store;
pub mod sync;
mod thread;
mod unwritten;
mod verdict;
mod violation;

pub use addresses::{Number, compares, computes_with};
pub use arguments::words;
pub use domain::{Concrete, Domain, mask, sign_extend};
pub use draining::Draining;
pub use ends::{Ends, VACUOUS};
pub use eval::eval;
pub use event::{Access, AccessKind, Event, Fences, Footprint, conflict};
pub use gate::{Gate, Opening, Test};
pub use guide::{Guide, Known, Reach, Role};
pub use host::{
    BarrierOp, ConditionOp, Flow, Host, InputKind, MutexOp, OnceOp, Processor, RwLockOp,
    SemaphoreOp, SpinOp, StackObject, SyncOp, Val,
};
pub use machine::{
    Cause, Config, End, HEAD, Machine, Meetings, Mention, PIECE, Part, SetupError, Stands,
    Unsupported, Wait, WaitingStore, holder_of,
};
pub use model::{FenceRule, MemoryModel, StoreRule};
pub use names::Names;
pub use native::{
    Before, EventName, Instructions, Order, Passed, Place, VisibleSites, announces, is_uncounted,
};
pub use needs::Need;
pub use null_tests::{NullTests, TestSite};
pub use partial::{Partial, PartlyKnown, Site, Source, Tracked};
pub use race::{Race, find_race, find_races};
pub use record::{Action, Record};
pub use schedule::{Choice, Schedule, ThreadId, ThreadPath};
pub use store::{BadAddress, Contents, FIRST_STATIC, Life, Location, ObjectId, Origin, Store};
pub use thread::{Fate, Halt, Pending, Status, looks_like_thread};
pub use unwritten::{Holder, Unwritten};
pub use verdict::{Assumption, Bounds, Failure, Stopped, Verdict};
pub use violation::{StackEntry, Violation, ViolationKind, traps_end};
