//! What a recording machine notes for people: every visible step and the
//! happenings around it, with values and positions.

use heddle_ir::{FuncId, PlaceId, Span};

use heddle_semantics::{Partial, StackEntry, ThreadId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Index of the choice in whose course it happened; `None` before the first.
    pub step: Option<usize>,
    pub thread: ThreadId,
    pub span: Span,
    pub place: Option<PlaceId>,
    /// It happened in code that keeps the books of a library.
    pub books: bool,
    /// Where its thread was, innermost call first. For a store that reaches memory,
    /// where it was made.
    pub stack: Vec<StackEntry>,
    pub action: Action,
}

impl Record {
    /// Whether it means nothing to the user: an access of a library to its own things,
    /// or the end of one.
    pub fn is_internal(&self) -> bool {
        use Action::*;
        let of_memory =
            matches!(self.action, Read { .. } | Write { .. } | Buffer { .. } | Flush { .. });
        self.books
            && (of_memory
                || matches!(
                    self.action,
                    Free { .. } | Ends { .. } | Gone { .. } | AtomicBegin | AtomicEnd
                ))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    Read {
        addr: u64,
        bytes: u32,
        value: Partial,
    },
    Write {
        addr: u64,
        bytes: u32,
        value: Partial,
    },
    /// A store goes into the thread's store buffer.
    Buffer {
        addr: u64,
        bytes: u32,
        value: Partial,
    },
    /// A store of the thread reaches memory.
    Flush {
        addr: u64,
        bytes: u32,
        value: Partial,
    },
    Rmw {
        addr: u64,
        bytes: u32,
        old: Partial,
        new: Partial,
    },
    CmpXchg {
        addr: u64,
        bytes: u32,
        old: Partial,
        new: Partial,
        ok: bool,
    },
    Fence,
    Lock {
        addr: u64,
    },
    TryLock {
        addr: u64,
        ok: bool,
    },
    Unlock {
        addr: u64,
    },
    MutexInit {
        addr: u64,
    },
    MutexDestroy {
        addr: u64,
    },
    /// An operation on another object that threads wait for.
    Sync {
        verb: &'static str,
        addr: u64,
    },
    Create {
        child: ThreadId,
        function: FuncId,
    },
    Join {
        target: ThreadId,
    },
    /// The thread ended.
    Exit,
    /// A heap block was given out.
    Allocate {
        addr: u64,
    },
    Free {
        addr: u64,
    },
    /// The end of an object's life was put into a queue: of a heap block or a variable.
    Ends {
        addr: u64,
        heap: bool,
    },
    /// It got to memory.
    Gone {
        addr: u64,
        heap: bool,
    },
    /// Objects of a function that returns, or of a thread that ends, are gone.
    EndOfScope {
        addr: u64,
    },
    Input {
        value: u64,
        width: u32,
        signed: bool,
        uninitialised: bool,
        /// The function that the program called for it.
        asked: Option<FuncId>,
    },
    Output {
        text: String,
    },
    /// A wait for a condition variable begins and releases the mutex.
    Wait {
        addr: u64,
        mutex: u64,
    },
    /// A loop that only reads found nothing new: it waits for a change.
    WaitInLoop,
    /// The run is not one of those that count (`__VERIFIER_assume`).
    AssumptionFailed,
    AtomicBegin,
    AtomicEnd,
}
