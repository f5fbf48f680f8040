//! `semaphore.h`: unnamed semaphores.
//!
//! A wait with a deadline takes the semaphore or finds its count 0 and gives up:
//! how long it waited before cannot be told from when it came.

use heddle_ir::{Compare, Ty};

use super::{Entry, Outcome, Result, arg, replace};
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
fn report<H: Host>(host: &mut H, error: &Val<H>) -> Result<H> {
    let zero = host.domain().constant(0, 32);
    let failed = host.domain().compare(Compare::Ne, 32, error, &zero);
    host.set_errno(error, &failed)?;
    let minus = host.domain().constant(u64::from(u32::MAX), 32);
    Ok(Outcome::Value(host.domain().select(&failed, &minus, &zero)))
}

fn operate<H: Host>(host: &mut H, args: &[Val<H>], op: SemaphoreOp) -> Result<H> {
    let addr = arg(host, args, 0)?;
    let error = host.sync(SyncOp::Semaphore(op), &addr)?;
    report(host, &error)
}

fn init<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let count = arg(host, args, 2)?;
    let count = host.concrete(&count)? as u32;
    operate(host, args, SemaphoreOp::Init(count))
}

fn timed_wait<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let addr = arg(host, args, 0)?;
    let error = host.sync(SyncOp::Semaphore(SemaphoreOp::TryWait), &addr)?;
    let error = replace(host, &error, EAGAIN, ETIMEDOUT);
    report(host, &error)
}

fn value<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let (addr, slot) = (arg(host, args, 0)?, arg(host, args, 1)?);
    let count = host.sync(SyncOp::Semaphore(SemaphoreOp::Value), &addr)?;
    host.store(&slot, Ty::Int(32), &count, None)?;
    Ok(Outcome::Value(host.domain().constant(0, 32)))
}
