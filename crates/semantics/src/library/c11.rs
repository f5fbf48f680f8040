//! C11's `threads.h`, by the same operations as `pthread.h`.

use heddle_ir::{Cast, Compare, Ty};

use super::{Entry, Outcome, Result, arg, int, pthread, succeed};
use crate::Domain;
use crate::host::{ConditionOp, Host, MutexOp, SyncOp, Val};

const EBUSY: u64 = 16;
const ETIMEDOUT: u64 = 110;
const RECURSIVE: u64 = 1;

/// Results, as the GNU C library numbers them.
const BUSY: u64 = 1;
const ERROR: u64 = 2;
const TIMED_OUT: u64 = 4;

pub(super) fn entries<H: Host>() -> Vec<Entry<H>> {
    vec![
        ("thrd_create", create),
        ("thrd_join", join),
        ("thrd_exit", pthread::exit),
        ("thrd_current", pthread::this),
        ("thrd_equal", pthread::equal),
        ("thrd_detach", detach),
        ("thrd_yield", nothing),
        ("thrd_sleep", succeed),
        ("mtx_init", mutex_init),
        ("mtx_lock", |h, a, _| mutex(h, a, MutexOp::Lock, BUSY)),
        ("mtx_trylock", |h, a, _| mutex(h, a, MutexOp::TryLock, BUSY)),
        ("mtx_timedlock", |h, a, _| mutex(h, a, MutexOp::TryLock, TIMED_OUT)),
        ("mtx_unlock", |h, a, _| mutex(h, a, MutexOp::Unlock, BUSY)),
        ("mtx_destroy", |h, a, _| {
            mutex(h, a, MutexOp::Destroy, BUSY)?;
            Ok(Outcome::Void)
        }),
        ("cnd_init", |h, a, _| condition(h, a, ConditionOp::Init)),
        ("cnd_wait", |h, a, _| wait(h, a, false)),
        ("cnd_timedwait", |h, a, _| wait(h, a, true)),
        ("cnd_signal", |h, a, _| condition(h, a, ConditionOp::Signal)),
        ("cnd_broadcast", |h, a, _| condition(h, a, ConditionOp::Broadcast)),
        ("cnd_destroy", |h, a, _| {
            condition(h, a, ConditionOp::Destroy)?;
            Ok(Outcome::Void)
        }),
    ]
}

fn nothing<H: Host>(_: &mut H, _: &[Val<H>], _: &[Ty]) -> Result<H> {
    Ok(Outcome::Void)
}

/// The result for an error number.
fn report<H: Host>(host: &mut H, error: &Val<H>, busy: u64) -> Result<H> {
    let domain = host.domain();
    let mut result = domain.constant(ERROR, 32);
    for (number, means) in [(0, 0), (EBUSY, busy), (ETIMEDOUT, TIMED_OUT)] {
        let (number, means) = (domain.constant(number, 32), domain.constant(means, 32));
        let is = domain.compare(Compare::Eq, 32, error, &number);
        result = domain.select(&is, &means, &result);
    }
    Ok(Outcome::Value(result))
}

fn create<H: Host>(host: &mut H, args: &[Val<H>], tys: &[Ty]) -> Result<H> {
    let (slot, entry, data) = (arg(host, args, 0)?, arg(host, args, 1)?, arg(host, args, 2)?);
    let bits = host.pointer_bits();
    let attributes = host.domain().constant(0, bits);
    pthread::create(host, &[slot, attributes, entry, data], tys)
}

fn detach<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let thread = arg(host, args, 0)?;
    let error = host.detach(&thread)?;
    let failed = host.concrete(&error)? != 0;
    int(host, if failed { ERROR } else { 0 })
}

fn join<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let (thread, slot) = (arg(host, args, 0)?, arg(host, args, 1)?);
    match host.join(&thread)? {
        Err(_) => int(host, ERROR),
        Ok(value) => {
            if host.concrete(&slot)? != 0 {
                let from = Ty::Int(host.pointer_bits() as u8);
                let value = match from {
                    Ty::Int(32) => value,
                    _ => host.domain().cast(Cast::Trunc, from, Ty::Int(32), &value),
                };
                host.store(&slot, Ty::Int(32), &value, None)?;
            }
            int(host, 0)
        }
    }
}

fn mutex<H: Host>(host: &mut H, args: &[Val<H>], op: MutexOp, busy: u64) -> Result<H> {
    let addr = arg(host, args, 0)?;
    let error = host.mutex(op, &addr)?;
    report(host, &error, busy)
}

fn mutex_init<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let kind = arg(host, args, 1)?;
    let kind = host.concrete(&kind)? & RECURSIVE;
    mutex(host, args, MutexOp::Init(kind as u32), BUSY)
}

fn condition<H: Host>(host: &mut H, args: &[Val<H>], op: ConditionOp) -> Result<H> {
    let addr = arg(host, args, 0)?;
    let error = host.sync(SyncOp::Condition(op), &addr)?;
    report(host, &error, BUSY)
}

fn wait<H: Host>(host: &mut H, args: &[Val<H>], timed: bool) -> Result<H> {
    let (condition, mutex) = (arg(host, args, 0)?, arg(host, args, 1)?);
    let error = host.wait(&condition, &mutex, timed)?;
    report(host, &error, BUSY)
}
