//! Barriers, in the bytes of a `pthread_barrier_t`: how many threads meet, how many have
//! arrived, and the number of meetings so far.
//!
//! A wait takes two steps: to arrive, and to leave once the last one has arrived. Leaving
//! only looks, and may come after the barrier's destruction, as with the GNU C library,
//! where destruction waits for those that leave.

use super::{EINVAL, Ending, Outcome, SyncHost, Value, Word};
use crate::event::AccessKind;

const COUNT: Word = Word::half(0);
const ARRIVED: Word = Word::half(2);
/// Who has arrived leaves when this is another one.
pub const GENERATION: Word = Word::at(4);
/// All of them.
const BYTES: u32 = 8;
/// Number of threads that marks a barrier that was destroyed.
const DESTROYED: u32 = u16::MAX as u32;

const BUSY: &str = "initialisation or destruction of a barrier that threads wait at";

/// A thread has arrived.
pub struct Arrival<V> {
    /// As the last one, which need not wait.
    pub last: V,
    /// The number of the meeting that it waits for.
    pub generation: V,
}

pub(super) fn init<S: SyncHost>(s: &mut S, count: u32) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    let mut generation = s.number(0);
    if s.may_be_made(BYTES)? {
        let arrived = s.read(ARRIVED)?;
        let busy = s.is_not(&arrived, 0);
        s.misuse_if(&busy, BUSY)?;
        generation = s.read(GENERATION)?;
    }
    if count == 0 {
        s.ends(Ending::Refused);
        return Ok(s.number(EINVAL));
    }
    if count >= DESTROYED {
        return Err(s.unsupported("a barrier for more than 65534 threads"));
    }
    s.write_number(COUNT, u64::from(count))?;
    s.write_number(ARRIVED, 0)?;
    // Threads of an earlier life of the barrier may still have to leave.
    let next = s.plus_one(&generation);
    s.write(GENERATION, &next)?;
    Ok(s.number(0))
}

pub(super) fn destroy<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    s.check_made(BYTES, NEVER)?;
    let arrived = s.read(ARRIVED)?;
    let busy = s.is_not(&arrived, 0);
    s.misuse_if(&busy, BUSY)?;
    count(s)?;
    s.write_number(COUNT, u64::from(DESTROYED))?;
    Ok(s.number(0))
}

/// The first half of a wait.
pub fn arrive<S: SyncHost>(s: &mut S) -> Result<Arrival<Value<S>>, S::Stop> {
    s.step(AccessKind::Write)?;
    s.check_made(BYTES, NEVER)?;
    let (count, arrived) = (count(s)?, s.read(ARRIVED)?);
    let more = s.plus_one(&arrived);
    let last = s.same(&more, &count);
    let nobody = s.number(0);
    let now = s.choose(&last, &nobody, &more);
    s.write(ARRIVED, &now)?;
    let generation = s.read(GENERATION)?;
    let next = s.plus_one(&generation);
    s.write_if(&last, GENERATION, &next)?;
    Ok(Arrival { last, generation })
}

const NEVER: &str = "use of a barrier that was never initialised";

/// How many threads meet at a barrier that can be used.
fn count<S: SyncHost>(s: &mut S) -> Outcome<S> {
    let count = s.read(COUNT)?;
    let (never, destroyed) = (s.is(&count, 0), s.is(&count, u64::from(DESTROYED)));
    let bad = s.or(&never, &destroyed);
    let problem = match s.is_never(&destroyed) {
        true => NEVER,
        false => "use of a barrier that was destroyed",
    };
    s.misuse_if(&bad, problem)?;
    Ok(count)
}
