//! Objects that threads wait for: what each operation does, written once.
//!
//! An operation is a transition of the object's words, in the program's own memory, at one
//! point of the execution: what it waits for, when it is misuse, which words change, and
//! the result. It is written over a [`SyncHost`] with values of any [`Domain`]. The
//! interpreter is a host over numbers, and the unfolding in `encode` one over terms, where
//! all ways an operation can go are followed at once. So nothing here branches on a value:
//! a word is written *if* a condition holds, and a result chosen by it.
//!
//! How the readers of a read-write lock and the sleepers of a condition variable are kept
//! is left to the host ([`ReaderHost`], [`SleeperHost`]).

pub mod barrier;
pub mod condition;
mod host;
pub mod mutex;
mod once;
mod plain;
mod rwlock;
mod semaphore;
mod spin;

pub use condition::STATE as CONDITION_STATE;
pub use host::{Ending, Outcome, ReaderHost, SleeperHost, SyncHost, Value};
pub(crate) use once::RUNS as ONCE_RUNS;
pub use plain::{operate_mutex_plainly, operate_plainly};
pub use rwlock::READERS;
pub(crate) use semaphore::LIVE as SEMAPHORE_LIVES;

use crate::host::{BarrierOp, MutexOp, SyncOp};

/// Owner of a lock that was destroyed, and state of other objects that were.
pub const DESTROYED: u32 = u32::MAX;

const EPERM: u64 = 1;
const EAGAIN: u64 = 11;
const EBUSY: u64 = 16;
const EINVAL: u64 = 22;
const EDEADLK: u64 = 35;
const EOVERFLOW: u64 = 75;

/// A word of an object: where it begins, and its bytes. Its value has 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    pub at: u32,
    pub bytes: u32,
}

impl Word {
    pub const fn at(at: u32) -> Word {
        Word { at, bytes: 4 }
    }

    /// Two bytes.
    pub const fn half(at: u32) -> Word {
        Word { at, bytes: 2 }
    }
}

/// An operation on an object other than a mutex. A wait at a barrier is two: see [`barrier`].
pub fn operate<S: ReaderHost + SleeperHost>(s: &mut S, op: SyncOp) -> Outcome<S> {
    match op {
        SyncOp::Semaphore(op) => semaphore::operate(s, op),
        SyncOp::RwLock(op) => rwlock::operate(s, op),
        SyncOp::Barrier(BarrierOp::Init(count)) => barrier::init(s, count),
        SyncOp::Barrier(BarrierOp::Destroy) => barrier::destroy(s),
        SyncOp::Barrier(BarrierOp::Wait) => Err(s.unsupported("a wait at a barrier at once")),
        SyncOp::Condition(op) => condition::operate(s, op),
        SyncOp::Spin(op) => spin::operate(s, op),
        SyncOp::Once(op) => once::operate(s, op),
    }
}

impl MutexOp {
    /// Bytes of a mutex that are looked at.
    pub fn bytes(pointer_bytes: u32) -> u32 {
        mutex::kind(pointer_bytes).at + 4
    }
}

impl SyncOp {
    /// Bytes of the object that are looked at.
    pub fn bytes(self, pointer_bytes: u32) -> u32 {
        match self {
            SyncOp::Semaphore(_) | SyncOp::Barrier(_) => 8,
            SyncOp::RwLock(_) => rwlock::size(pointer_bytes),
            SyncOp::Condition(_) => condition::SIZE,
            SyncOp::Spin(_) | SyncOp::Once(_) => 4,
        }
    }

    /// What messages call it.
    pub fn name(self) -> &'static str {
        match self {
            SyncOp::Semaphore(_) => "semaphore operation",
            SyncOp::RwLock(_) => "read-write lock operation",
            SyncOp::Barrier(_) => "barrier operation",
            SyncOp::Condition(_) => "condition variable operation",
            SyncOp::Spin(_) => "spin lock operation",
            SyncOp::Once(_) => "once operation",
        }
    }
}
