//! Read-write locks, in the bytes of a `pthread_rwlock_t`: the writer's code, the number
//! of read locks, and behind them who holds those.
//!
//! A reader may come in while writers wait: implementations differ in whom they prefer,
//! and a program must work with all of them.

use super::{DESTROYED, EBUSY, Ending, Outcome, ReaderHost, SyncHost, Word};
use crate::Gate;
use crate::event::AccessKind;
use crate::host::RwLockOp;

const WRITER: Word = Word::at(0);
pub const READERS: Word = Word::at(4);
/// Both.
const HEAD: u32 = 8;

/// Size of a `pthread_rwlock_t`.
pub(super) fn size(pointer_bytes: u32) -> u32 {
    if pointer_bytes == 8 { 56 } else { 32 }
}

pub(super) fn operate<S: ReaderHost>(s: &mut S, op: RwLockOp) -> Outcome<S> {
    match op {
        RwLockOp::Init => init(s),
        RwLockOp::Read => {
            s.wait(Gate::ReadLock, None)?;
            lock_to_read(s, false)
        }
        RwLockOp::TryRead => {
            s.step(AccessKind::Write)?;
            lock_to_read(s, true)
        }
        RwLockOp::Write => {
            s.wait(Gate::WriteLock, None)?;
            lock_to_write(s, false)
        }
        RwLockOp::TryWrite => {
            s.step(AccessKind::Write)?;
            lock_to_write(s, true)
        }
        RwLockOp::Unlock => unlock(s),
        RwLockOp::Destroy => destroy(s),
    }
}

pub(super) fn init<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    if s.may_be_made(HEAD)? {
        let (writer, readers) = (s.read(WRITER)?, s.read(READERS)?);
        let (written, read) = (s.is_thread(&writer), s.is_not(&readers, 0));
        let held = s.or(&written, &read);
        s.misuse_if(&held, "initialisation of a read-write lock that is held")?;
    }
    s.clear(size(s.pointer_bytes()))?;
    Ok(s.number(0))
}

pub(super) fn destroy<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    let free = is_free(s)?;
    let held = s.not(&free);
    s.misuse_if(&held, "destruction of a read-write lock that is held")?;
    s.write_number(WRITER, u64::from(DESTROYED))?;
    Ok(s.number(0))
}

fn lock_to_read<S: ReaderHost>(s: &mut S, tries: bool) -> Outcome<S> {
    let writer = writer(s)?;
    let taken = match tries {
        true => s.is(&writer, 0),
        false => s.truth(true),
    };
    let busy = s.not(&taken);
    s.ends_if(&busy, Ending::Busy);
    s.add_reader_if(&taken)?;
    let readers = s.read(READERS)?;
    let more = s.plus_one(&readers);
    s.write_if(&taken, READERS, &more)?;
    Ok(s.success_if(&taken, EBUSY))
}

fn lock_to_write<S: SyncHost>(s: &mut S, tries: bool) -> Outcome<S> {
    let free = is_free(s)?;
    let taken = match tries {
        true => free,
        false => s.truth(true),
    };
    let busy = s.not(&taken);
    s.ends_if(&busy, Ending::Busy);
    let me = s.me();
    s.write_if(&taken, WRITER, &me)?;
    Ok(s.success_if(&taken, EBUSY))
}

fn unlock<S: ReaderHost>(s: &mut S) -> Outcome<S> {
    s.step(AccessKind::Write)?;
    let (writer, me) = (writer(s)?, s.me());
    let (writes, reads) = (s.same(&writer, &me), s.reads()?);
    let holds = s.or(&writes, &reads);
    let bad = s.not(&holds);
    s.misuse_if(&bad, "unlock of a read-write lock that the thread does not hold")?;
    let nobody = s.number(0);
    s.write_if(&writes, WRITER, &nobody)?;
    let leaves = s.not(&writes);
    s.remove_reader_if(&leaves)?;
    let readers = s.read(READERS)?;
    let less = s.minus_one(&readers);
    s.write_if(&leaves, READERS, &less)?;
    Ok(s.number(0))
}

/// The writer of a lock that can be used.
fn writer<S: SyncHost>(s: &mut S) -> Outcome<S> {
    s.check_made(HEAD, "use of a read-write lock that was never initialised")?;
    let writer = s.read(WRITER)?;
    let destroyed = s.is(&writer, u64::from(DESTROYED));
    s.misuse_if(&destroyed, "use of a read-write lock that was destroyed")?;
    Ok(writer)
}

fn is_free<S: SyncHost>(s: &mut S) -> Outcome<S> {
    let (writer, readers) = (writer(s)?, s.read(READERS)?);
    let (unwritten, unread) = (s.is(&writer, 0), s.is(&readers, 0));
    Ok(s.and(&unwritten, &unread))
}
