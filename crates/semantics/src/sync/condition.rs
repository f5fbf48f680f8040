//! Condition variables, in the bytes of a `pthread_cond_t`: the last word says whether it
//! was destroyed. Those before are the host's, to keep who sleeps.
//!
//! A wait takes three steps: to release the mutex and fall asleep, to wake up, and to lock
//! the mutex again. The first is what [`usable`], [`release`](super::mutex::release) and
//! the host's way to fall asleep do together.

use super::{DESTROYED, Outcome, SleeperHost, SyncHost, Word};
use crate::event::AccessKind;
use crate::host::ConditionOp;

pub(super) const SIZE: u32 = 16;
pub const STATE: Word = Word::at(12);

pub(super) fn operate<S: SleeperHost>(s: &mut S, op: ConditionOp) -> Outcome<S> {
    if op == ConditionOp::Init {
        return init(s);
    }
    s.step(AccessKind::Write)?;
    usable(s)?;
    match op {
        ConditionOp::Init => unreachable!("handled above"),
        ConditionOp::Signal => s.wake_one()?,
        ConditionOp::Broadcast => s.wake_all()?,
        ConditionOp::Destroy => {
            let asleep = s.somebody_sleeps()?;
            s.misuse_if(&asleep, "destruction of a condition variable that a thread waits for")?;
            s.write_number(STATE, u64::from(DESTROYED))?;
        }
    }
    Ok(s.number(0))
}

pub(super) fn init<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    s.clear(SIZE)?;
    Ok(s.number(0))
}

/// It is misuse if the condition variable cannot be used.
pub fn usable<S: SyncHost>(s: &mut S) -> Result<(), S::Stop> {
    s.check_made(SIZE, "use of a condition variable that was never initialised")?;
    let state = s.read(STATE)?;
    let destroyed = s.is(&state, u64::from(DESTROYED));
    s.misuse_if(&destroyed, "use of a condition variable that was destroyed")
}
