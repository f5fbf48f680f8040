//! A data race as people want to see it: both accesses with their call stacks and
//! locks, what was accessed, and where the threads come from.

use heddle_ir::{Ordering, Span};
use heddle_machine::{Action, Origin, Record};
use heddle_semantics::{Access, Event, MemoryModel, Race, StackEntry, ThreadId};

use crate::locks::held;
use crate::trace::Describer;

#[derive(Clone, Debug)]
pub struct RaceReport {
    /// What both accesses touch, by name.
    pub place: String,
    /// The one that came second, and the one before it.
    pub accesses: [RaceAccess; 2],
    pub object: ObjectInfo,
    /// Where the two threads were created; not for the first thread.
    pub creations: Vec<Creation>,
}

#[derive(Clone, Debug)]
pub struct RaceAccess {
    pub thread: ThreadId,
    /// `read`, `write`, `read-modify-write`, `free`, `end of life`.
    pub kind: &'static str,
    pub bytes: u32,
    pub place: String,
    /// The memory order of an atomic access.
    pub order: Option<&'static str>,
    /// Innermost call first.
    pub stack: Vec<StackEntry>,
    /// Locks held, in the order in which they were taken.
    pub locks: Vec<LockInfo>,
    /// Index of its step in the trace, if it is shown there.
    pub step: Option<usize>,
}

/// A lock that a thread holds.
#[derive(Clone, Debug)]
pub struct LockInfo {
    pub name: String,
    /// `locked`, `read-locked`, `write-locked`.
    pub how: &'static str,
    pub span: Span,
}

/// What an address belongs to.
#[derive(Clone, Debug)]
pub struct ObjectInfo {
    /// `global`, `thread-local`, `heap`, `stack`.
    pub kind: &'static str,
    /// Of a variable.
    pub name: Option<String>,
    pub bytes: u64,
    /// Whose heap block or variable it is.
    pub thread: Option<ThreadId>,
    /// The function whose variable it is.
    pub function: Option<String>,
    /// Where it was declared, or else its function.
    pub span: Span,
    /// Where a heap block was allocated.
    pub stack: Vec<StackEntry>,
}

#[derive(Clone, Debug)]
pub struct Creation {
    pub thread: ThreadId,
    pub parent: ThreadId,
    pub stack: Vec<StackEntry>,
}

impl<M: MemoryModel> Describer<'_, '_, M> {
    /// `shown`: the step of each record.
    pub(crate) fn race(
        &self,
        race: &Race,
        events: &[Event],
        shown: &[Option<usize>],
    ) -> RaceReport {
        let (first, second) = race.accesses;
        let accesses = [
            self.race_access(race.second, &events[race.second], second, shown),
            self.race_access(race.first, &events[race.first], first, shown),
        ];
        // A whole block that is freed is not called by the part that the other touched.
        let smaller = if first.len < second.len { 1 } else { 0 };
        let addr = first.addr.max(second.addr);
        let mut threads = [accesses[1].thread, accesses[0].thread];
        threads.sort();
        RaceReport {
            place: accesses[smaller].place.clone(),
            object: self.object(addr),
            creations: threads.into_iter().filter_map(|thread| self.creation(thread)).collect(),
            accesses,
        }
    }

    fn race_access(
        &self,
        index: usize,
        event: &Event,
        access: Access,
        shown: &[Option<usize>],
    ) -> RaceAccess {
        let thread = event.actor();
        let records = self.machine.records();
        let at = self.record_of(index, event, access);
        let record = at.map(|at| &records[at]);
        let place = match record {
            Some(record) => self.named(record, access.addr, access.len).text,
            None => self.pointer(access.addr, thread),
        };
        let kind = match record.map(|record| &record.action) {
            Some(Action::Free { .. } | Action::Ends { heap: true, .. }) => "free",
            Some(Action::EndOfScope { .. } | Action::Ends { .. }) => "end of life",
            Some(Action::Rmw { .. } | Action::CmpXchg { ok: true, .. }) => "read-modify-write",
            _ if access.kind.is_read() => "read",
            _ => "write",
        };
        let locks = held(&records[..at.unwrap_or(records.len())], thread);
        RaceAccess {
            thread,
            kind,
            bytes: access.len,
            place,
            order: event.order.map(order_name),
            stack: record.map_or_else(Vec::new, |record| record.stack.clone()),
            locks: locks
                .iter()
                .map(|held| LockInfo {
                    name: self.mutex(held.addr, thread, None),
                    how: held.how,
                    span: held.span,
                })
                .collect(),
            step: at.and_then(|at| shown[at]),
        }
    }

    /// The record that tells of an access. For a store that waited, the one from when
    /// it was made.
    fn record_of(&self, index: usize, event: &Event, access: Access) -> Option<usize> {
        let records = self.machine.records();
        if let (Some(owner), Some(&(_, steps))) = (event.flush_of, event.follows.first()) {
            let number = (event.time - steps - 1) as usize;
            let waits =
                |r: &Record| matches!(r.action, Action::Buffer { .. } | Action::Ends { .. });
            let made = |r: &Record| r.thread == owner && waits(r);
            return (0..records.len()).filter(|&at| made(&records[at])).nth(number);
        }
        let touches = |record: &Record| {
            let Some((addr, bytes)) = range(&record.action) else { return false };
            record.step == Some(index)
                && record.thread == event.thread
                && addr < access.addr + u64::from(access.len)
                && access.addr < addr + u64::from(bytes)
        };
        records.iter().position(touches)
    }

    fn object(&self, addr: u64) -> ObjectInfo {
        let mut info = ObjectInfo {
            kind: "unknown",
            name: None,
            bytes: 0,
            thread: None,
            function: None,
            span: Span::UNKNOWN,
            stack: Vec::new(),
        };
        let Some(location) = self.machine.locate(addr) else { return info };
        info.bytes = location.bytes;
        match &location.origin {
            Origin::Global(id) | Origin::ThreadLocal(id, _) => {
                let global = self.program.global(*id);
                info.name = Some(global.source_name.as_ref().unwrap_or(&global.name).clone());
                info.span = global.span;
                info.kind = "global";
                if let Origin::ThreadLocal(_, owner) = location.origin {
                    info.kind = "thread-local";
                    info.thread = Some(owner);
                }
            }
            Origin::Heap { span, thread, .. } => {
                info.kind = "heap";
                info.thread = Some(*thread);
                info.span = *span;
                let base = addr.wrapping_sub(location.offset as u64);
                let made =
                    |r: &&Record| matches!(r.action, Action::Allocate { addr } if addr == base);
                let record = self.machine.records().iter().find(made);
                info.stack = record.map_or_else(Vec::new, |record| record.stack.clone());
            }
            Origin::Stack { function, name, thread, .. } => {
                let function = self.program.function(*function);
                info.kind = "stack";
                info.name = name.clone();
                info.thread = Some(*thread);
                info.function = Some(function.display_name().to_string());
                info.span = function.span;
            }
            Origin::Function(id) => {
                info.name = Some(self.program.function(*id).display_name().to_string());
            }
        }
        info
    }

    fn creation(&self, thread: ThreadId) -> Option<Creation> {
        let made =
            |r: &&Record| matches!(r.action, Action::Create { child, .. } if child == thread);
        let record = self.machine.records().iter().find(made)?;
        Some(Creation { thread, parent: record.thread, stack: record.stack.clone() })
    }
}

/// What an action touches, for those that accesses are told by.
fn range(action: &Action) -> Option<(u64, u32)> {
    match *action {
        Action::Read { addr, bytes, .. }
        | Action::Write { addr, bytes, .. }
        | Action::Rmw { addr, bytes, .. }
        | Action::CmpXchg { addr, bytes, .. } => Some((addr, bytes)),
        Action::Lock { addr }
        | Action::TryLock { addr, .. }
        | Action::Unlock { addr }
        | Action::MutexInit { addr }
        | Action::MutexDestroy { addr }
        | Action::Sync { addr, .. }
        | Action::Wait { addr, .. }
        | Action::Free { addr }
        | Action::EndOfScope { addr } => Some((addr, 1)),
        _ => None,
    }
}

fn order_name(order: Ordering) -> &'static str {
    match order {
        Ordering::Relaxed => "relaxed",
        Ordering::Acquire => "acquire",
        Ordering::Release => "release",
        Ordering::AcqRel => "acq_rel",
        Ordering::SeqCst => "seq_cst",
    }
}
