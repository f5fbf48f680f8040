//! `pthread.h`: threads and mutexes.

use heddle_ir::{Compare, Ordering, Ty};

use super::{Entry, Outcome, Result, arg, int, succeed, word};
use crate::Domain;
use crate::host::{Host, MutexOp, Val};

const EINVAL: u64 = 22;
/// `PTHREAD_CREATE_DETACHED`.
const DETACHED: u64 = 1;

pub(super) fn entries<H: Host>() -> Vec<Entry<H>> {
    vec![
        ("pthread_create", create),
        ("pthread_join", join),
        ("pthread_exit", exit),
        // For the support files.
        ("__heddle_exit_thread", exit),
        ("__heddle_is_main", |h, _, _| {
            let is_main = u64::from(h.is_main());
            int(h, is_main)
        }),
        ("pthread_self", this),
        ("pthread_equal", equal),
        ("pthread_detach", detach),
        ("pthread_mutex_init", mutex_init),
        ("pthread_mutex_lock", |h, a, _| mutex(h, a, MutexOp::Lock)),
        ("pthread_mutex_trylock", |h, a, _| mutex(h, a, MutexOp::TryLock)),
        ("pthread_mutex_unlock", |h, a, _| mutex(h, a, MutexOp::Unlock)),
        ("pthread_mutex_destroy", |h, a, _| mutex(h, a, MutexOp::Destroy)),
        ("pthread_mutexattr_init", new_attribute),
        ("pthread_mutexattr_destroy", look),
        ("pthread_mutexattr_settype", mutexattr_settype),
        ("pthread_attr_init", new_attribute),
        ("pthread_attr_setdetachstate", attr_setdetachstate),
        ("pthread_attr_getdetachstate", get_attribute),
        ("pthread_attr_setguardsize", look),
        ("pthread_attr_setscope", look),
        ("pthread_attr_setinheritsched", look),
        ("pthread_attr_setschedpolicy", look),
        ("pthread_mutexattr_setpshared", look),
        ("pthread_mutexattr_setprotocol", look),
        ("pthread_mutexattr_setprioceiling", look),
        // The kind is what the object holds.
        ("pthread_mutexattr_gettype", get_attribute),
        ("pthread_attr_setschedparam", look),
        ("pthread_attr_setstack", look),
        ("pthread_attr_setaffinity_np", look),
        ("pthread_setname_np", succeed),
        ("__heddle_keep", |_, _, _| Ok(Outcome::Void)),
        ("pthread_attr_destroy", look),
        ("pthread_attr_setstacksize", look),
        ("pthread_yield", succeed),
        ("sched_yield", succeed),
    ]
}

pub(super) fn create<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let (slot, entry, data) = (arg(host, args, 0)?, arg(host, args, 2)?, arg(host, args, 3)?);
    let attributes = arg(host, args, 1)?;
    let detached = attribute(host, &attributes)? == DETACHED;
    let handle = host.next_thread();
    let ty = word(host);
    // The C library stores it before the thread starts.
    host.store(&slot, ty, &handle, None)?;
    // What the parent stored so far is there for the child.
    host.fence(Ordering::SeqCst)?;
    let thread = host.spawn(&entry, &data)?;
    if detached {
        host.detach(&thread)?;
    }
    int(host, 0)
}

fn join<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let (thread, slot) = (arg(host, args, 0)?, arg(host, args, 1)?);
    let unheard = host.concrete(&slot)? == 0;
    let joined = if unheard { host.join_unheard(&thread)? } else { host.join(&thread)? };
    match joined {
        Err(error) => Ok(Outcome::Value(error)),
        Ok(value) => {
            if !unheard {
                host.store(&slot, Ty::Ptr, &value, None)?;
            }
            int(host, 0)
        }
    }
}

pub(super) fn exit<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let value = arg(host, args, 0)?;
    Err(host.exit_thread(&value))
}

pub(super) fn this<H: Host>(host: &mut H, _: &[Val<H>], _: &[Ty]) -> Result<H> {
    Ok(Outcome::Value(host.this_thread()))
}

pub(super) fn equal<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let (a, b) = (arg(host, args, 0)?, arg(host, args, 1)?);
    let width = host.pointer_bits();
    host.note_use(&a, true);
    host.note_use(&b, true);
    let same = host.domain().compare(Compare::Eq, width, &a, &b);
    let same = host.domain().cast(heddle_ir::Cast::ZeroExt, Ty::BOOL, Ty::Int(32), &same);
    Ok(Outcome::Value(same))
}

pub(super) fn detach<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let thread = arg(host, args, 0)?;
    host.detach(&thread).map(Outcome::Value)
}

fn mutex<H: Host>(host: &mut H, args: &[Val<H>], op: MutexOp) -> Result<H> {
    let addr = arg(host, args, 0)?;
    host.mutex(op, &addr).map(Outcome::Value)
}

fn mutex_init<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let attributes = arg(host, args, 1)?;
    let kind = attribute(host, &attributes)?;
    mutex(host, args, MutexOp::Init(kind as u32))
}

/// What an attribute object says, 0 if there is none.
fn attribute<H: Host>(host: &mut H, addr: &Val<H>) -> std::result::Result<u64, H::Stop> {
    if host.concrete(addr)? == 0 {
        return Ok(0);
    }
    let value = host.load(addr, Ty::Int(32), None)?;
    host.concrete(&value)
}

fn attr_setdetachstate<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let state = arg(host, args, 1)?;
    match host.concrete(&state)? {
        state @ (0 | DETACHED) => set_attribute(host, args, state),
        _ => refuse(host, args),
    }
}

fn get_attribute<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let (addr, slot) = (arg(host, args, 0)?, arg(host, args, 1)?);
    let state = host.load(&addr, Ty::Int(32), None)?;
    host.store(&slot, Ty::Int(32), &state, None)?;
    int(host, 0)
}

/// Makes an attribute object.
pub(super) fn new_attribute<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    set_attribute(host, args, 0)
}

/// Looks at an attribute object; what else is done to it makes no difference here.
pub(super) fn look<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let addr = arg(host, args, 0)?;
    host.load(&addr, Ty::Int(32), None)?;
    int(host, 0)
}

/// Leaves an attribute object as it is.
fn refuse<H: Host>(host: &mut H, args: &[Val<H>]) -> Result<H> {
    look(host, args, &[])?;
    int(host, EINVAL)
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
        return refuse(host, args);
    }
    set_attribute(host, args, kind)
}
