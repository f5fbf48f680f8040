//! `pthread.h`: threads and mutexes.

use heddle_ir::{Compare, Ordering, Ty};

use super::{Entry, Outcome, Result, arg, int, succeed, word};
use crate::Domain;
use crate::host::{Host, MutexOp, Val};

pub(super) fn entries<H: Host>() -> Vec<Entry<H>> {
    vec![
        ("pthread_create", create),
        ("pthread_join", join),
        ("pthread_exit", exit),
        ("pthread_self", this),
        ("pthread_equal", equal),
        ("pthread_detach", detach),
        ("pthread_mutex_init", mutex_init),
        ("pthread_mutex_lock", |h, a, _| mutex(h, a, MutexOp::Lock)),
        ("pthread_mutex_trylock", |h, a, _| mutex(h, a, MutexOp::TryLock)),
        ("pthread_mutex_unlock", |h, a, _| mutex(h, a, MutexOp::Unlock)),
        ("pthread_mutex_destroy", |h, a, _| mutex(h, a, MutexOp::Destroy)),
        ("pthread_mutexattr_init", |h, a, _| set_attribute(h, a, 0)),
        ("pthread_mutexattr_destroy", succeed),
        ("pthread_mutexattr_settype", mutexattr_settype),
        ("pthread_attr_init", succeed),
        ("pthread_attr_destroy", succeed),
        ("pthread_attr_setstacksize", succeed),
        ("pthread_yield", succeed),
        ("sched_yield", succeed),
    ]
}

fn create<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let (slot, entry, data) = (arg(host, args, 0)?, arg(host, args, 2)?, arg(host, args, 3)?);
    // What the parent stored so far is there for the child.
    host.fence(Ordering::SeqCst)?;
    let handle = host.next_thread();
    let ty = word(host);
    host.store(&slot, ty, &handle, Some(Ordering::SeqCst))?;
    host.spawn(&entry, &data)?;
    int(host, 0)
}

fn join<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let (thread, slot) = (arg(host, args, 0)?, arg(host, args, 1)?);
    match host.join(&thread)? {
        Err(error) => Ok(Outcome::Value(error)),
        Ok(value) => {
            if host.concrete(&slot)? != 0 {
                host.store_now(&slot, Ty::Ptr, &value)?;
            }
            int(host, 0)
        }
    }
}

fn exit<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let value = arg(host, args, 0)?;
    Err(host.exit_thread(&value))
}

fn this<H: Host>(host: &mut H, _: &[Val<H>], _: &[Ty]) -> Result<H> {
    Ok(Outcome::Value(host.this_thread()))
}

fn equal<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let (a, b) = (arg(host, args, 0)?, arg(host, args, 1)?);
    let width = host.pointer_bits();
    let same = host.domain().compare(Compare::Eq, width, &a, &b);
    let same = host.domain().cast(heddle_ir::Cast::ZeroExt, Ty::BOOL, Ty::Int(32), &same);
    Ok(Outcome::Value(same))
}

fn detach<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let thread = arg(host, args, 0)?;
    host.detach(&thread)?;
    int(host, 0)
}

fn mutex<H: Host>(host: &mut H, args: &[Val<H>], op: MutexOp) -> Result<H> {
    let addr = arg(host, args, 0)?;
    host.mutex(op, &addr).map(Outcome::Value)
}

fn mutex_init<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let attributes = arg(host, args, 1)?;
    let kind = if host.concrete(&attributes)? == 0 {
        0
    } else {
        let kind = host.load(&attributes, Ty::Int(32), None)?;
        host.concrete(&kind)? as u32
    };
    mutex(host, args, MutexOp::Init(kind))
}

fn set_attribute<H: Host>(host: &mut H, args: &[Val<H>], kind: u64) -> Result<H> {
    let addr = arg(host, args, 0)?;
    let value = host.domain().constant(kind, 32);
    host.store(&addr, Ty::Int(32), &value, None)?;
    int(host, 0)
}

fn mutexattr_settype<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let kind = arg(host, args, 1)?;
    let kind = host.concrete(&kind)?;
    if kind > 3 {
        return int(host, 22); // EINVAL
    }
    set_attribute(host, args, kind)
}
