//! Which operations of the library wait for the stores of their thread.
//!
//! Decided by what C libraries do on x86: where that is a read-modify-write or a call of
//! the system, the thread waits until its stores are in memory. Where it is loads and
//! stores, these are like the program's own. The interpreter and the unfolding ask here,
//! and so does the page that tells people (`docs/memory-models.md`).

use crate::host::{BarrierOp, ConditionOp, MutexOp, OnceOp, RwLockOp, SemaphoreOp, SpinOp, SyncOp};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draining {
    /// The thread waits until all its stores are in memory.
    Drains,
    /// Loads and stores, of which the latter wait.
    Plain,
    /// A store that comes after all earlier ones of its thread, and waits.
    Release,
}

/// The end of a heap block, and of a variable, that others can see.
pub const END_OF_LIFE: Draining = Draining::Release;

impl MutexOp {
    pub fn draining(self) -> Draining {
        match self {
            MutexOp::Init(_) | MutexOp::Destroy => Draining::Plain,
            MutexOp::Lock | MutexOp::TryLock | MutexOp::Unlock => Draining::Drains,
        }
    }
}

impl SyncOp {
    pub fn draining(self) -> Draining {
        let plain = match self {
            SyncOp::Semaphore(op) => {
                matches!(op, SemaphoreOp::Init(_) | SemaphoreOp::Value | SemaphoreOp::Destroy)
            }
            SyncOp::RwLock(op) => matches!(op, RwLockOp::Init | RwLockOp::Destroy),
            SyncOp::Spin(op) => matches!(op, SpinOp::Init | SpinOp::Destroy),
            SyncOp::Barrier(op) => matches!(op, BarrierOp::Init(_)),
            SyncOp::Condition(op) => op == ConditionOp::Init,
            // A load has found before that it is not done.
            SyncOp::Once(_) => false,
        };
        if plain { Draining::Plain } else { Draining::Drains }
    }
}

/// For people: operations that are decided here, what they do, and programs that show it.
pub fn rows() -> Vec<(&'static str, Draining, &'static str)> {
    let mutex = |op: MutexOp| op.draining();
    let sync = |op: SyncOp| op.draining();
    let semaphore = |op| sync(SyncOp::Semaphore(op));
    vec![
        ("lock, also one that fails", mutex(MutexOp::Lock), "`order_lock.c`"),
        ("unlock", mutex(MutexOp::Unlock), "`order_unlock.c`"),
        ("`pthread_mutex_init`", mutex(MutexOp::Init(0)), "`order_plain.c` (mutex_init)"),
        ("`pthread_mutex_destroy`", mutex(MutexOp::Destroy), "`order_plain.c` (mutex_destroy)"),
        (
            "read-write lock: lock and unlock",
            sync(SyncOp::RwLock(RwLockOp::Write)),
            "`order_drains.c` (rwlock)",
        ),
        (
            "`pthread_rwlock_init`",
            sync(SyncOp::RwLock(RwLockOp::Init)),
            "`order_plain.c` (rwlock_init)",
        ),
        (
            "`pthread_rwlock_destroy`",
            sync(SyncOp::RwLock(RwLockOp::Destroy)),
            "`order_plain.c` (rwlock_destroy)",
        ),
        ("spin lock: lock and unlock", sync(SyncOp::Spin(SpinOp::Lock)), "`order_drains.c` (spin)"),
        ("`pthread_spin_init`", sync(SyncOp::Spin(SpinOp::Init)), "`order_plain.c` (spin_init)"),
        (
            "`pthread_spin_destroy`",
            sync(SyncOp::Spin(SpinOp::Destroy)),
            "`order_plain.c` (spin_destroy)",
        ),
        ("`sem_wait`, `sem_post`", semaphore(SemaphoreOp::Wait), "`order_drains.c` (semaphore)"),
        ("`sem_init`", semaphore(SemaphoreOp::Init(0)), "`order_plain.c` (semaphore_init)"),
        ("`sem_getvalue`", semaphore(SemaphoreOp::Value), "`order_plain.c` (semaphore_value)"),
        ("`sem_destroy`", semaphore(SemaphoreOp::Destroy), "`order_plain.c` (semaphore_destroy)"),
        (
            "`pthread_cond_signal`, `pthread_cond_wait`",
            sync(SyncOp::Condition(ConditionOp::Signal)),
            "`order_drains.c` (signal)",
        ),
        (
            "`pthread_cond_init`",
            sync(SyncOp::Condition(ConditionOp::Init)),
            "`order_plain.c` (condition_init)",
        ),
        (
            "`pthread_cond_destroy`",
            sync(SyncOp::Condition(ConditionOp::Destroy)),
            "`order_drains.c` (condition_destroy)",
        ),
        (
            "`pthread_barrier_wait`",
            sync(SyncOp::Barrier(BarrierOp::Wait)),
            "`order_drains.c` (barrier)",
        ),
        (
            "`pthread_barrier_init`",
            sync(SyncOp::Barrier(BarrierOp::Init(1))),
            "`order_plain.c` (barrier_init)",
        ),
        (
            "`pthread_barrier_destroy`",
            sync(SyncOp::Barrier(BarrierOp::Destroy)),
            "`order_drains.c` (barrier_destroy)",
        ),
        (
            "`pthread_once` that is not done",
            sync(SyncOp::Once(OnceOp::Begin)),
            "`order_drains.c` (once)",
        ),
        (
            "`free`, `realloc` of a block that others can see",
            END_OF_LIFE,
            "`order_plain.c` (give_back, resize), `free_own.c`",
        ),
        (
            "return from a function whose variables others can see",
            END_OF_LIFE,
            "`order_plain.c` (scope)",
        ),
    ]
}
