//! Which locks a thread holds at some point of a run, and where it took them.

use heddle_ir::Span;
use heddle_machine::{Action, Record};
use heddle_semantics::ThreadId;

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

/// The locks of one thread, the first taken first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locks(Vec<Held>);

impl Locks {
    pub fn held(&self) -> &[Held] {
        &self.0
    }

    /// What a step of the thread does to its locks.
    pub fn take(&mut self, record: &Record) {
        let locks = &mut self.0;
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
                return;
            }
            Action::Wait { mutex, .. } => {
                locks.retain(|held| held.addr != mutex);
                return;
            }
            _ => return,
        };
        match locks.iter_mut().find(|held| held.addr == addr) {
            Some(lock) => lock.count += 1,
            None => locks.push(Held { addr, how, span: record.span, count: 1 }),
        }
    }
}

/// The locks that `thread` holds after `records`, the first taken first.
pub(crate) fn held(records: &[Record], thread: ThreadId) -> Vec<Held> {
    let mut locks = Locks::default();
    records.iter().filter(|record| record.thread == thread).for_each(|record| locks.take(record));
    locks.0
}
