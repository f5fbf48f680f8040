//! What a machine knows of its program and never changes.

use heddle_ir::{FuncId, GlobalId, Whose};
use heddle_semantics::MemoryModel;
use heddle_semantics::library::Handler;

use crate::Machine;
use crate::threads::liveness::Liveness;
use crate::threads::loops::Loops;

pub(crate) struct Image<'p, M: MemoryModel> {
    pub library: Vec<Option<Handler<Machine<'p, M>>>>,
    pub loops: Vec<Loops>,
    pub live: Liveness,
    /// By function and register, if everything is shared: see
    /// [`captured`](heddle_semantics::capture::captured).
    pub captured: Vec<Vec<bool>>,
    /// Function ids of `__VERIFIER_atomic_…` bodies.
    pub atomic_functions: Vec<bool>,
    pub global_addrs: Vec<u64>,
    pub function_addrs: Vec<u64>,
    /// Where `errno` is kept, if the program looks at it.
    pub errno: Option<GlobalId>,
    /// What runs at the end of a thread that has thread-specific values.
    pub at_end: Option<FuncId>,
    /// What runs at the end of the process, if anything was registered for that.
    pub at_exit: Option<FuncId>,
    /// What is called with an exception that leaves a thread.
    pub uncaught: Option<FuncId>,
    /// Whose each of the program's files is.
    pub files: Vec<Whose>,
    /// For each function: its accesses are events (see `observers::order`).
    pub announcing: Vec<bool>,
}
