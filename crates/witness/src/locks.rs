//! Which locks a thread held at some point of a run, and where it took them.

use heddle_ir::Span;
use heddle_semantics::{Action, Record, ThreadId};

/// A lock that is held.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub addr: u64,
    /// `locked`, `read-locked`, `write-locked`.
    pub how: &'static str,
    /// Where it was taken.
    pub span: Span,
    /// How often, for one that can be locked again.
    count: u32,
}

/// The locks that `thread` holds after `records`, the first taken first.
pub(crate) fn held(records: &[Record], thread: ThreadId) -> Vec<Held> {
    let mut locks: Vec<Held> = Vec::new();
    for record in records.iter().filter(|record| record.thread == thread) {
        let (addr, how) = match record.action {
            Action::Lock { addr } | Action::TryLock { addr, ok: true } => (addr, "locked"),
            Action::Sync { verb: "lock" | "trylock", addr } => (addr, "locked"),
            Action::Sync { verb: "read lock", addr } => (addr, "read-locked"),
            Action::Sync { verb: "write lock", addr } => (addr, "write-locked"),
            Action::Unlock { addr } | Action::Sync { verb: "unlock", addr } => {
                if let Some(lock) = locks.iter_mut().find(|held| held.addr == addr) {
                    lock.count -= 1;
                }
                locks.retain(|held| held.count > 0);
                continue;
            }
            Action::Wait { mutex, .. } => {
                locks.retain(|held| held.addr != mutex);
                continue;
            }
            _ => continue,
        };
        match locks.iter_mut().find(|held| held.addr == addr) {
            Some(lock) => lock.count += 1,
            None => locks.push(Held { addr, how, span: record.span, count: 1 }),
        }
    }
    locks
}
