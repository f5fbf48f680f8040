//! What can be asked about a machine and its threads.

use heddle_ir::{FuncId, GlobalId, Reg, Span};

use heddle_semantics::{Access, Choice, MemoryModel, Schedule, Site, ThreadId};

use crate::Machine;
use crate::threads::thread::{Pending, Status};

impl<M: MemoryModel> Machine<'_, M> {
    pub fn status(&self, thread: ThreadId) -> &Status {
        &self.threads[thread.index()].scalars.status
    }

    pub fn thread_entry(&self, thread: ThreadId) -> (FuncId, Span) {
        let thread = &self.threads[thread.index()];
        (thread.entry, thread.created_at)
    }

    /// Function, block and instruction that a thread stands at.
    pub fn stands_at(&self, thread: ThreadId) -> Option<(FuncId, u32, u32)> {
        let frame = self.threads[thread.index()].frames.last()?;
        Some((frame.function, frame.block, frame.pc))
    }

    /// These choices, as a schedule that another machine can follow.
    pub fn schedule(&self, choices: Vec<Choice>) -> Schedule {
        let unwritten = self.config.unwritten.iter().copied().collect();
        Schedule { threads: self.threads.paths.clone(), choices, unwritten }
    }

    /// How often a thread has made the access of an instruction, if that is counted.
    pub fn visits(&self, thread: ThreadId, site: Site) -> u32 {
        let visits = self.watch.visits.as_ref().and_then(|visits| visits.get(&(thread, site)));
        visits.copied().unwrap_or(0)
    }

    #[cold]
    pub(crate) fn note_visit(&mut self) {
        let key = (self.running.thread, self.site());
        if let Some(visits) = &mut self.watch.visits {
            *visits.entry(key).or_default() += 1;
        }
    }

    /// Has an atomic section stopped for an input, in any execution so far?
    pub fn stops_in_sections(&self) -> bool {
        self.findings.stops_in_sections
    }

    /// Is the thread in an atomic section that others have to wait for?
    pub(crate) fn is_in_section(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].scalars.atomic != 0 && !self.alone()
    }

    /// The thread whose atomic section has stopped for an input, if there is one: it goes
    /// on before anybody else does anything.
    pub fn section(&self) -> Option<ThreadId> {
        let stopped = |thread: &ThreadId| {
            matches!(self.status(*thread), Status::Waiting(Pending::Input(_)))
                && self.is_in_section(*thread)
        };
        (0..self.threads.len() as u32).map(ThreadId).find(stopped)
    }

    /// Are there accesses that are no steps because nothing depends on them?
    pub fn hides(&self) -> bool {
        self.config.guide.as_ref().is_some_and(|guide| guide.hides())
    }

    /// What a thread that runs was started for: a function, and its argument. Addresses of
    /// objects that were made as the program runs count as the same.
    pub fn errand(&self, thread: ThreadId) -> Option<(FuncId, u64)> {
        let thread = &self.threads[thread.index()];
        let bottom = thread.frames.first()?;
        let param = self.program.function(bottom.function).params.first();
        let value = param.map_or(0, |reg| thread.regs[(bottom.regs + reg.0) as usize]);
        let made = self.store.dynamic_at(value);
        let renamed = made.is_some_and(|(id, _)| !self.store.object(id).steady);
        Some((bottom.function, if renamed { 0 } else { value }))
    }

    /// The thread whose store queue this actor is.
    pub fn queue_owner(&self, actor: ThreadId) -> Option<ThreadId> {
        let path = self.threads.paths.get(actor.index().checked_sub(1)?)?;
        path.queue.then_some(path.parent)
    }

    /// What the thread waits to do, if it waits.
    pub fn pending(&self, thread: ThreadId) -> Option<&Pending> {
        match self.status(thread) {
            Status::Waiting(pending) => Some(pending),
            _ => None,
        }
    }

    /// What the pending step of a thread is known to touch.
    pub fn pending_footprint(&self, thread: ThreadId) -> &[Access] {
        &self.threads[thread.index()].scalars.pending_footprint
    }

    /// What a register of the innermost call of a thread holds.
    pub fn register_of(&self, thread: ThreadId, reg: Reg) -> Option<u64> {
        let thread = &self.threads[thread.index()];
        let frame = thread.frames.last()?;
        thread.regs.get((frame.regs + reg.0) as usize).copied()
    }

    /// Up to 8 bytes of a global, as they are in memory.
    pub fn global_word(&self, global: GlobalId, offset: u64, len: u32) -> Option<u64> {
        let base = self.image.global_addrs.get(global.0 as usize)?;
        let (object, offset) = self.store.resolve(base + offset, u64::from(len)).ok()?;
        Some(self.store.read_unnoted(object, offset, len))
    }
}
