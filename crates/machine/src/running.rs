//! The step under way: whose it is, and how far its instruction has come.

use heddle_ir::{FuncId, Ordering};
use heddle_semantics::{ThreadId, Unwritten};

use crate::run::undefined::Fresh;

#[derive(Default)]
pub(crate) struct Running {
    /// The running thread, where its registers begin, and its instruction.
    pub thread: ThreadId,
    pub base: usize,
    pub pc: usize,
    /// It may take one visible step.
    pub permit: bool,
    /// The memory order of the access under way.
    pub access_order: Option<Ordering>,
    /// The value of the pending input.
    pub given: Option<u64>,
    /// The last step has come to the end of a loop's iteration.
    pub looped: bool,
    /// A library model has set up a call: go on there.
    pub entered: bool,
    /// The library function that is being called.
    pub in_library: Option<FuncId>,
    /// How many of its operations the call has come to, in this run of it.
    pub operations: usize,
    /// What the running instruction gives, if that is undefined in part.
    pub fresh: Option<Fresh>,
    /// Where what the running library model will store comes from, if it is undefined.
    pub handed: Option<Unwritten>,
}
