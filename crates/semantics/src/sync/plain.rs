//! Operations that C libraries do by loads and stores only
//! ([`Draining::Plain`](crate::Draining)): they ask nothing of their host but words.

use super::{Outcome, SyncHost, barrier, condition, mutex, rwlock, semaphore, spin};
use crate::host::{BarrierOp, ConditionOp, MutexOp, RwLockOp, SemaphoreOp, SpinOp, SyncOp};

/// A mutex is made or destroyed.
pub fn operate_mutex_plainly<S: SyncHost>(s: &mut S, op: MutexOp) -> Outcome<S> {
    match op {
        MutexOp::Init(kind) => mutex::init(s, kind),
        MutexOp::Destroy => mutex::destroy(s),
        MutexOp::Lock | MutexOp::TryLock | MutexOp::Unlock => Err(not_plain(s)),
    }
}

/// Another object is made or destroyed, or looked at.
pub fn operate_plainly<S: SyncHost>(s: &mut S, op: SyncOp) -> Outcome<S> {
    match op {
        SyncOp::Semaphore(SemaphoreOp::Init(count)) => semaphore::init(s, count),
        SyncOp::Semaphore(SemaphoreOp::Value) => semaphore::value(s),
        SyncOp::Semaphore(SemaphoreOp::Destroy) => semaphore::destroy(s),
        SyncOp::RwLock(RwLockOp::Init) => rwlock::init(s),
        SyncOp::RwLock(RwLockOp::Destroy) => rwlock::destroy(s),
        SyncOp::Barrier(BarrierOp::Init(count)) => barrier::init(s, count),
        SyncOp::Condition(ConditionOp::Init) => condition::init(s),
        SyncOp::Spin(SpinOp::Init) => spin::init(s),
        SyncOp::Spin(SpinOp::Destroy) => spin::destroy(s),
        _ => Err(not_plain(s)),
    }
}

fn not_plain<S: SyncHost>(s: &mut S) -> S::Stop {
    s.unsupported("an operation of more than loads and stores")
}
