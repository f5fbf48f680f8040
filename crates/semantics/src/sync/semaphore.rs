//! Semaphores: the first word of a `sem_t` is the count, the second says whether it was
//! initialised.

use super::{DESTROYED, EAGAIN, EINVAL, EOVERFLOW, Ending, Outcome, SyncHost, Word};
use crate::Gate;
use crate::event::AccessKind;
use crate::host::SemaphoreOp;

const COUNT: Word = Word::at(0);
const STATE: Word = Word::at(4);
/// State of a semaphore that was initialised and not destroyed.
pub(crate) const LIVE: u32 = 1;
const MOST: u64 = i32::MAX as u64;

pub(super) fn operate<S: SyncHost>(s: &mut S, op: SemaphoreOp) -> Outcome<S> {
    match op {
        SemaphoreOp::Init(count) => init(s, count),
        SemaphoreOp::Wait => wait(s),
        SemaphoreOp::TryWait => try_wait(s),
        SemaphoreOp::Post => post(s),
        SemaphoreOp::Value => value(s),
        SemaphoreOp::Destroy => destroy(s),
    }
}

pub(super) fn init<S: SyncHost>(s: &mut S, count: u32) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    if u64::from(count) > MOST {
        s.ends(Ending::Refused);
        return Ok(s.number(EINVAL));
    }
    s.write_number(COUNT, u64::from(count))?;
    s.write_number(STATE, u64::from(LIVE))?;
    Ok(s.number(0))
}

fn wait<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.wait(Gate::Semaphore, None)?;
    let count = count(s)?;
    let less = s.minus_one(&count);
    s.write(COUNT, &less)?;
    Ok(s.number(0))
}

fn try_wait<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    let count = count(s)?;
    let none = s.is(&count, 0);
    s.ends_if(&none, Ending::Busy);
    let (some, less) = (s.not(&none), s.minus_one(&count));
    s.write_if(&some, COUNT, &less)?;
    Ok(s.success_if(&some, EAGAIN))
}

fn post<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    let count = count(s)?;
    let full = s.is(&count, MOST);
    s.ends_if(&full, Ending::Refused);
    let (room, more) = (s.not(&full), s.plus_one(&count));
    s.write_if(&room, COUNT, &more)?;
    Ok(s.success_if(&room, EOVERFLOW))
}

pub(super) fn value<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.step(AccessKind::Read)?;
    s.ends(Ending::Seen);
    count(s)
}

pub(super) fn destroy<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    count(s)?;
    // Who waits for it goes on, and finds it destroyed.
    s.write_number(STATE, u64::from(DESTROYED))?;
    s.write_number(COUNT, 0)?;
    Ok(s.number(0))
}

/// The count of a semaphore that can be used.
fn count<S: SyncHost>(s: &mut S) -> Outcome<S> {
    let never = "use of a semaphore that was never initialised";
    s.check_made(8, never)?;
    let (count, state) = (s.read(COUNT)?, s.read(STATE)?);
    let dead = s.is_not(&state, u64::from(LIVE));
    let destroyed = s.is(&state, u64::from(DESTROYED));
    let problem = match s.is_never(&destroyed) {
        true => never,
        false => "use of a semaphore that was destroyed",
    };
    s.misuse_if(&dead, problem)?;
    Ok(count)
}
