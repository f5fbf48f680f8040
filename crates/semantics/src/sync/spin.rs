//! Spin locks: a word, 0 when free, else the owner's code.

use super::{DESTROYED, EBUSY, Ending, Outcome, SyncHost, Word};
use crate::Gate;
use crate::event::AccessKind;
use crate::host::SpinOp;

const OWNER: Word = Word::at(0);

pub(super) fn operate<S: SyncHost>(s: &mut S, op: SpinOp) -> Outcome<S> {
    match op {
        SpinOp::Init => init(s),
        SpinOp::Lock => lock(s),
        SpinOp::TryLock => try_lock(s),
        SpinOp::Unlock => unlock(s),
        SpinOp::Destroy => destroy(s),
    }
}

pub(super) fn init<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    if s.may_be_made(OWNER.bytes)? {
        let owner = s.read(OWNER)?;
        let held = s.is_thread(&owner);
        s.misuse_if(&held, "initialisation of a spin lock that is held")?;
    }
    s.clear(OWNER.bytes)?;
    Ok(s.number(0))
}

fn lock<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.wait(Gate::Spin, None)?;
    owner(s)?;
    let me = s.me();
    s.write(OWNER, &me)?;
    Ok(s.number(0))
}

fn try_lock<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    let owner = owner(s)?;
    let free = s.is(&owner, 0);
    let busy = s.not(&free);
    s.ends_if(&busy, Ending::Busy);
    let me = s.me();
    s.write_if(&free, OWNER, &me)?;
    Ok(s.success_if(&free, EBUSY))
}

fn unlock<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    let (owner, me) = (owner(s)?, s.me());
    let mine = s.same(&owner, &me);
    let not_mine = s.not(&mine);
    let free = s.is(&owner, 0);
    let problem = match s.is_never(&free) {
        true => "unlock of a spin lock that another thread holds",
        false => "unlock of a spin lock that is not locked",
    };
    s.misuse_if(&not_mine, problem)?;
    s.write_number(OWNER, 0)?;
    Ok(s.number(0))
}

pub(super) fn destroy<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    let owner = owner(s)?;
    let held = s.is_not(&owner, 0);
    s.misuse_if(&held, "destruction of a spin lock that is held")?;
    s.write_number(OWNER, u64::from(DESTROYED))?;
    Ok(s.number(0))
}

/// The owner of a lock that can be used.
fn owner<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.check_made(OWNER.bytes, "use of a spin lock that was never initialised")?;
    let owner = s.read(OWNER)?;
    let destroyed = s.is(&owner, u64::from(DESTROYED));
    s.misuse_if(&destroyed, "use of a spin lock that was destroyed")?;
    Ok(owner)
}
