//! Heap blocks that are lost when the program ends.
//!
//! A block is lost if it was not freed and no chain of pointers leads to it, from a
//! global variable, from a thread that has not ended, or from what a thread that
//! can still be joined returned. A pointer into a block counts as one to it, at any
//! alignment. What is lost stays lost, so the state at the end of an execution tells
//! of all of it, and threads that the end of the process cut off may be anywhere.

use heddle_semantics::{MemoryModel, ObjectId, Violation, ViolationKind};

use crate::Machine;
use crate::observers::record::Action;
use crate::store::{Life, Object, Origin};
use crate::threads::ProcessEnd;
use crate::threads::thread::{Status, Thread};

impl<M: MemoryModel> Machine<'_, M> {
    /// If the program has ended: a block that is lost. Of several, the one that the
    /// first thread allocated first.
    pub fn leak(&self) -> Option<Violation> {
        let over =
            |thread: &Thread| matches!(thread.scalars.status, Status::Unborn | Status::Finished);
        let ended =
            self.threads.exited == Some(ProcessEnd::Exited) || self.threads.iter().all(over);
        if !ended {
            return None;
        }
        let reached = self.store.reachable_from(&self.roots(), self.program.pointer_bytes);
        let lost = self.store.objects.iter().zip(reached).filter(|(object, reached)| {
            !reached && object.life == Life::Live && matches!(object.origin, Origin::Heap { .. })
        });
        let age = |object: &Object| match object.origin {
            Origin::Heap { thread, nth, .. } => (self.threads[thread.index()].code, nth),
            _ => (0, 0),
        };
        let lost: Vec<&Object> = lost.map(|(object, _)| object).collect();
        let first = *lost.iter().min_by_key(|object| age(object))?;
        let Origin::Heap { span, thread, .. } = first.origin else { return None };
        let made =
            |action: &Action| matches!(action, Action::Allocate { addr } if *addr == first.base);
        let record = self.watch.records.iter().find(|record| made(&record.action));
        let plural = |n: u64| if n == 1 { "" } else { "s" };
        let mut message = format!(
            "a block of {} byte{} is not freed, and nothing points to it at the end",
            first.bytes,
            plural(first.bytes)
        );
        if lost.len() > 1 {
            let bytes: u64 = lost.iter().map(|object| object.bytes).sum();
            message.push_str(&format!(" (in all {} blocks, {bytes} bytes)", lost.len()));
        }
        Some(Violation {
            kind: ViolationKind::Leak,
            thread,
            span,
            other: heddle_ir::Span::UNKNOWN,
            message,
            stack: record.map_or_else(Vec::new, |record| record.stack.clone()),
        })
    }

    /// Values that keep blocks alive.
    fn roots(&self) -> Vec<u64> {
        let globals = self.store.objects.iter().filter(|o| matches!(o.origin, Origin::Global(_)));
        let mut roots: Vec<u64> = globals.map(|object| object.base).collect();
        let base = |id: &ObjectId| self.store.object(*id).base;
        for thread in self.threads.iter() {
            let scalars = &thread.scalars;
            match scalars.status {
                Status::Unborn => {}
                Status::Finished if scalars.fate.joined || scalars.fate.detached => {}
                Status::Finished => roots.push(scalars.result),
                Status::Waiting(_) | Status::Halted(_) => {
                    roots.extend(&thread.regs);
                    roots.extend(thread.objects.iter().map(base));
                    roots.extend(thread.locals.iter().map(|local| base(&local.1)));
                }
            }
        }
        roots
    }
}
