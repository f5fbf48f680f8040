//! The interpreter: threads over one store, steps and undo, state taken out and put back.
//!
//! What instructions and library functions mean is `heddle_semantics`; [`Machine`] is its
//! host over concrete values. Its state is divided as the folders are: `threads`, `store`,
//! `buffers`, and `observers`, which watch what was supposed about a program; beside them the
//! step under way (`running`) and what was noticed in all executions (`findings`). `run` executes
//! instructions, `sync` operations on objects that threads wait for, `ends` says how executions
//! end, `state` takes states out and puts them back.

mod buffers;
mod config;
mod ends;
mod findings;
mod image;
mod machine;
mod names;
mod observers;
mod positions;
mod queries;
mod run;
mod running;
mod setup;
mod state;
mod store;
mod sync;
mod threads;
mod undo;

pub use buffers::WaitingStore;
pub use config::Config;
pub use ends::deadlock::{Cause, Wait};
pub use machine::{End, Machine, Unsupported};
pub use names::Names;
pub use observers::guide::{Guide, Known, Reach, Role};
pub use observers::meetings::Meetings;
pub use observers::order::{
    Before, EventName, Instructions, Order, Passed, Place, VisibleSites, announces, is_uncounted,
};
pub use observers::record::{Action, Record};
pub use setup::SetupError;
pub use state::{HEAD, Mention, PIECE, Part, Stands, holder_of};
pub use store::needs::Need;
pub use store::{BadAddress, Contents, FIRST_STATIC, Life, Location, Origin, Store};
pub use threads::thread::{Fate, Halt, Pending, Status, looks_like_thread};
