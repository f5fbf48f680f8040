//! `semaphore.h`: unnamed semaphores.
//!
//! A wait with a deadline takes the semaphore or finds its count 0 and gives up:
//! how long it waited before cannot be told from when it came.

use heddle_ir::Ty;

use super::{Entry, Outcome, Result, arg, int};
use crate::Domain;
use crate::host::{Host, SemaphoreOp, SyncOp, Val};

const EAGAIN: u64 = 11;
const ETIMEDOUT: u64 = 110;

pub(super) fn entries<H: Host>() -> Vec<Entry<H>> {
    vec![
        ("sem_init", init),
        ("sem_wait", |h, a, _| operate(h, a, SemaphoreOp::Wait)),
        ("sem_trywait", |h, a, _| operate(h, a, SemaphoreOp::TryWait)),
        ("sem_timedwait", timed_wait),
        ("sem_clockwait", timed_wait),
        ("sem_post", |h, a, _| operate(h, a, SemaphoreOp::Post)),
        ("sem_getvalue", value),
        ("sem_destroy", |h, a, _| operate(h, a, SemaphoreOp::Destroy)),
    ]
}

/// 0, or -1 and `errno`.
fn report<H: Host>(host: &mut H, error: u64) -> Result<H> {
    if error == 0 {
        return int(host, 0);
    }
    host.set_errno(error)?;
    int(host, u64::from(u32::MAX))
}

fn operate<H: Host>(host: &mut H, args: &[Val<H>], op: SemaphoreOp) -> Result<H> {
    let addr = arg(host, args, 0)?;
    let error = host.sync(SyncOp::Semaphore(op), &addr)?;
    let error = host.concrete(&error)?;
    report(host, error)
}

fn init<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let count = arg(host, args, 2)?;
    let count = host.concrete(&count)? as u32;
    operate(host, args, SemaphoreOp::Init(count))
}

fn timed_wait<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let addr = arg(host, args, 0)?;
    let error = host.sync(SyncOp::Semaphore(SemaphoreOp::TryWait), &addr)?;
    let error = match host.concrete(&error)? {
        EAGAIN => ETIMEDOUT,
        other => other,
    };
    report(host, error)
}

fn value<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let (addr, slot) = (arg(host, args, 0)?, arg(host, args, 1)?);
    let count = host.sync(SyncOp::Semaphore(SemaphoreOp::Value), &addr)?;
    host.store_now(&slot, Ty::Int(32), &count)?;
    Ok(Outcome::Value(host.domain().constant(0, 32)))
}
