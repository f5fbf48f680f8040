//! `pthread.h`: read-write locks, barriers, condition variables, spin locks.
//!
//! A lock with a deadline is taken or found busy and given up: how long the thread
//! waited before cannot be told from when it came.

use heddle_ir::Ty;

use super::pthread::{look, new_attribute};
use super::{Entry, Outcome, Result, arg, replace};
use crate::host::{BarrierOp, ConditionOp, Host, MutexOp, OnceOp, RwLockOp, SpinOp, SyncOp, Val};
use crate::{Assumption, Domain};

const EBUSY: u64 = 16;
const ETIMEDOUT: u64 = 110;

pub(super) fn entries<H: Host>() -> Vec<Entry<H>> {
    let mut all = locks();
    all.extend(meetings());
    all
}

fn locks<H: Host>() -> Vec<Entry<H>> {
    vec![
        ("pthread_rwlock_init", |h, a, _| rwlock(h, a, RwLockOp::Init)),
        ("pthread_rwlock_rdlock", |h, a, _| rwlock(h, a, RwLockOp::Read)),
        ("pthread_rwlock_tryrdlock", |h, a, _| rwlock(h, a, RwLockOp::TryRead)),
        ("pthread_rwlock_timedrdlock", |h, a, _| rwlock_timed(h, a, RwLockOp::TryRead)),
        ("pthread_rwlock_clockrdlock", |h, a, _| rwlock_timed(h, a, RwLockOp::TryRead)),
        ("pthread_rwlock_wrlock", |h, a, _| rwlock(h, a, RwLockOp::Write)),
        ("pthread_rwlock_trywrlock", |h, a, _| rwlock(h, a, RwLockOp::TryWrite)),
        ("pthread_rwlock_timedwrlock", |h, a, _| rwlock_timed(h, a, RwLockOp::TryWrite)),
        ("pthread_rwlock_clockwrlock", |h, a, _| rwlock_timed(h, a, RwLockOp::TryWrite)),
        ("pthread_rwlock_unlock", |h, a, _| rwlock(h, a, RwLockOp::Unlock)),
        ("pthread_rwlock_destroy", |h, a, _| rwlock(h, a, RwLockOp::Destroy)),
        ("pthread_rwlockattr_init", new_attribute),
        ("pthread_rwlockattr_destroy", look),
        ("pthread_rwlockattr_setpshared", look),
        ("pthread_rwlockattr_setkind_np", look),
        ("pthread_spin_init", |h, a, _| spin(h, a, SpinOp::Init)),
        ("pthread_spin_lock", |h, a, _| spin(h, a, SpinOp::Lock)),
        ("pthread_spin_trylock", |h, a, _| spin(h, a, SpinOp::TryLock)),
        ("pthread_spin_unlock", |h, a, _| spin(h, a, SpinOp::Unlock)),
        ("pthread_spin_destroy", |h, a, _| spin(h, a, SpinOp::Destroy)),
        ("pthread_mutex_timedlock", mutex_timed),
        ("pthread_mutex_clocklock", mutex_timed),
    ]
}

fn meetings<H: Host>() -> Vec<Entry<H>> {
    vec![
        ("pthread_barrier_init", barrier_init),
        ("pthread_barrier_wait", barrier_wait),
        ("pthread_barrier_destroy", |h, a, _| operate(h, a, SyncOp::Barrier(BarrierOp::Destroy))),
        ("pthread_barrierattr_init", new_attribute),
        ("pthread_barrierattr_destroy", look),
        ("pthread_barrierattr_setpshared", look),
        ("pthread_cond_init", |h, a, _| condition(h, a, ConditionOp::Init)),
        ("pthread_cond_wait", |h, a, _| wait(h, a, false)),
        ("pthread_cond_timedwait", |h, a, _| wait(h, a, true)),
        ("pthread_cond_clockwait", |h, a, _| wait(h, a, true)),
        // What the waits of the support file that move the clock are made of.
        ("__heddle_timed_wait", |h, a, _| wait(h, a, true)),
        ("__heddle_wait", |h, a, _| wait(h, a, false)),
        // What waits are made of that a cancellation may end.
        ("__heddle_begin_wait", |h, a, _| {
            let (condition, mutex) = (arg(h, a, 0)?, arg(h, a, 1)?);
            h.begin_wait(&condition, &mutex).map(Outcome::Value)
        }),
        ("__heddle_end_wait", |h, a, _| {
            let (condition, arrival) = (arg(h, a, 0)?, arg(h, a, 1)?);
            h.end_wait(&condition, &arrival).map(Outcome::Value)
        }),
        ("__heddle_tokens", |h, a, _| {
            let condition = arg(h, a, 0)?;
            h.tokens(&condition).map(Outcome::Value)
        }),
        ("pthread_cond_signal", |h, a, _| condition(h, a, ConditionOp::Signal)),
        ("pthread_cond_broadcast", |h, a, _| condition(h, a, ConditionOp::Broadcast)),
        ("pthread_cond_destroy", |h, a, _| condition(h, a, ConditionOp::Destroy)),
        ("pthread_condattr_init", new_attribute),
        ("pthread_condattr_destroy", look),
        ("pthread_condattr_setclock", look),
        ("pthread_condattr_setpshared", look),
        // What waits of the support file with spurious wake-ups say.
        ("__heddle_no_more_wakeups", |h, _, _| {
            let endless = h.has_endless_wakeups();
            if !endless {
                h.note(Assumption::Wakeups);
            }
            Ok(Outcome::Value(h.domain().constant(u64::from(!endless), 1)))
        }),
        // What `pthread_once` of the support file is made of.
        ("__heddle_once_begin", |h, a, _| operate(h, a, SyncOp::Once(OnceOp::Begin))),
        ("__heddle_once_end", |h, a, _| operate(h, a, SyncOp::Once(OnceOp::End))),
        ("__heddle_once_abort", |h, a, _| operate(h, a, SyncOp::Once(OnceOp::Abort))),
    ]
}

fn operate<H: Host>(host: &mut H, args: &[Val<H>], op: SyncOp) -> Result<H> {
    let addr = arg(host, args, 0)?;
    host.sync(op, &addr).map(Outcome::Value)
}

fn rwlock<H: Host>(host: &mut H, args: &[Val<H>], op: RwLockOp) -> Result<H> {
    operate(host, args, SyncOp::RwLock(op))
}

fn spin<H: Host>(host: &mut H, args: &[Val<H>], op: SpinOp) -> Result<H> {
    operate(host, args, SyncOp::Spin(op))
}

fn condition<H: Host>(host: &mut H, args: &[Val<H>], op: ConditionOp) -> Result<H> {
    operate(host, args, SyncOp::Condition(op))
}

/// The result of an attempt, for one that had time.
fn timed<H: Host>(host: &mut H, error: &Val<H>) -> Result<H> {
    Ok(Outcome::Value(replace(host, error, EBUSY, ETIMEDOUT)))
}

fn rwlock_timed<H: Host>(host: &mut H, args: &[Val<H>], op: RwLockOp) -> Result<H> {
    let addr = arg(host, args, 0)?;
    let error = host.sync(SyncOp::RwLock(op), &addr)?;
    timed(host, &error)
}

fn mutex_timed<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let addr = arg(host, args, 0)?;
    let error = host.mutex(MutexOp::TryLock, &addr)?;
    timed(host, &error)
}

fn barrier_init<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let count = arg(host, args, 2)?;
    let count = host.concrete(&count)? as u32;
    operate(host, args, SyncOp::Barrier(BarrierOp::Init(count)))
}

fn barrier_wait<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let addr = arg(host, args, 0)?;
    let last = host.sync(SyncOp::Barrier(BarrierOp::Wait), &addr)?;
    // PTHREAD_BARRIER_SERIAL_THREAD is -1.
    Ok(Outcome::Value(replace(host, &last, 1, u64::from(u32::MAX))))
}

fn wait<H: Host>(host: &mut H, args: &[Val<H>], timed: bool) -> Result<H> {
    let (condition, mutex) = (arg(host, args, 0)?, arg(host, args, 1)?);
    host.wait(&condition, &mutex, timed).map(Outcome::Value)
}
