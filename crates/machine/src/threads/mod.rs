//! Threads: how they are known, created, joined and detached.

mod joins;
pub(crate) mod liveness;
pub(crate) mod loops;
mod registry;
pub(crate) mod thread;

pub(crate) use registry::{ProcessEnd, Threads};

use heddle_semantics::{MemoryModel, ThreadId, ThreadPath, Unwritten, mask};

use crate::Machine;
use crate::machine::Stop;
use crate::observers::record::Action;
use crate::threads::thread::{Fate, Halt, MOST_THREADS, Pending, Status, handle};

const ESRCH: u64 = 3;
const EINVAL: u64 = 22;
const EDEADLK: u64 = 35;
/// A thread creates this many at most without a step between.
const LITTER: u32 = 512;

impl<M: MemoryModel> Machine<'_, M> {
    pub(crate) fn intern(&mut self, path: ThreadPath) -> ThreadId {
        if let Some(&id) = self.threads.interned.get(&path) {
            return id;
        }
        let Some(names) = self.config.names.clone() else { return self.threads.intern(path) };
        names.threads(self.threads.paths.len(), Some(path), |path| {
            self.threads.intern(path);
        });
        self.threads.interned[&path]
    }

    pub(crate) fn spawn_thread(&mut self, entry: u64, arg: u64) -> Result<u64, Stop> {
        self.leave_quiet()?;
        let function = self.function_at(entry)?;
        if self.program.function(function).is_declaration() {
            return Err(self.stop_unsupported("a thread that starts in a library function"));
        }
        if self.threads.codes.len() > MOST_THREADS {
            return Err(self.stop_unsupported(&format!("more than {MOST_THREADS} threads")));
        }
        self.pause_before_child()?;
        self.store.needs.note_others();
        if self.config.max_threads.is_some_and(|most| self.born() >= most) {
            self.findings.bounds.threads = self.config.max_threads;
            return Err(Stop::Halt(Halt::Cut));
        }
        self.check_call(function)?;
        self.store.publish(arg, self.program.pointer_bytes);
        let scalars = &mut self.threads[self.running.thread.index()].scalars;
        let path = ThreadPath { parent: self.running.thread, nth: scalars.children, queue: false };
        scalars.children += 1;
        scalars.effects += 1;
        let child = self.intern(path);
        let created_at = self.here();
        let thread = &mut self.threads[child.index()];
        debug_assert_eq!(thread.scalars.status, Status::Unborn);
        thread.scalars.status = Status::Waiting(Pending::Ready);
        thread.entry = function;
        thread.created_at = created_at;
        self.undo.note_birth(child);
        self.push_frame(child, function, &[arg])?;
        self.threads.unjoined += 1;
        self.threads.newborn.push(child);
        self.event.created.push(child);
        self.record(Action::Create { child, function });
        Ok(self.handle_of(child))
    }

    /// Creating a thread is no step, since nobody can tell when it was. But who creates
    /// threads without end is to let others move.
    fn pause_before_child(&mut self) -> Result<(), Stop> {
        let children = self.threads[self.running.thread.index()].scalars.children;
        match children > 0 && children.is_multiple_of(LITTER) && self.config.sites.is_none() {
            true => self.visible_step(None, Pending::Ready),
            false => Ok(()),
        }
    }

    /// Threads that were created so far, main among them.
    pub fn born(&self) -> u32 {
        let all = (0..self.threads.len() as u32).map(ThreadId);
        all.filter(|&thread| *self.status(thread) != Status::Unborn).count() as u32
    }

    /// How a lock knows a thread.
    pub(crate) fn code_of(&self, thread: ThreadId) -> u64 {
        u64::from(self.threads[thread.index()].code)
    }

    pub(crate) fn thread_of_code(&self, code: u64) -> Option<ThreadId> {
        let id = *self.threads.codes.get(&u32::try_from(code).ok()?)?;
        self.store.needs.note_others();
        let thread = &self.threads[id.index()];
        (thread.scalars.status != Status::Unborn).then_some(id)
    }

    /// The `pthread_t` of a thread.
    pub(crate) fn handle_of(&self, thread: ThreadId) -> u64 {
        mask(handle(self.threads[thread.index()].code), u32::from(self.program.pointer_bytes) * 8)
    }

    pub(crate) fn thread_of(&self, handle: u64) -> Option<ThreadId> {
        let id = self.thread_of_code(u64::from(handle as u32))?;
        (self.handle_of(id) == handle).then_some(id)
    }

    /// The thread's result, or the error number.
    pub(crate) fn join_thread(&mut self, handle: u64) -> Result<Result<u64, u64>, Stop> {
        self.leave_quiet()?;
        let Some(target) = self.thread_of(handle) else { return Ok(Err(ESRCH)) };
        if target == self.running.thread {
            return Ok(Err(EDEADLK));
        }
        if self.threads[self.running.thread.index()].scalars.atomic != 0 {
            return Err(self.stop_unsupported("a join inside an atomic section"));
        }
        self.visible_step(None, Pending::Join { target })?;
        self.event.joined = Some(target);
        let fate = self.threads[target.index()].scalars.fate;
        self.findings.identity |= fate.is_sealed();
        if fate.joined || fate.detached {
            return Ok(Err(EINVAL));
        }
        self.set_fate(target, Fate { joined: true, ..fate });
        self.threads.unjoined -= 1;
        self.threads[self.running.thread.index()].scalars.effects += 1;
        self.record(Action::Join { target });
        Ok(Ok(self.threads[target.index()].scalars.result))
    }

    /// Where what a thread gave as its result comes from, if that is undefined.
    pub(crate) fn undefined_result(&self, handle: u64) -> Option<Unwritten> {
        let target = self.thread_of(handle)?;
        self.threads[target.index()].scalars.no_result
    }

    pub(crate) fn set_fate(&mut self, thread: ThreadId, fate: Fate) {
        let scalars = &mut self.threads[thread.index()].scalars;
        self.undo.note_fate(thread, scalars.fate);
        scalars.fate = fate;
    }

    /// The error number, or 0.
    pub(crate) fn detach_thread(&mut self, handle: u64) -> u64 {
        let Some(target) = self.thread_of(handle) else { return ESRCH };
        let fate = self.threads[target.index()].scalars.fate;
        self.findings.identity |= fate.is_sealed();
        if fate.joined || fate.detached {
            return EINVAL;
        }
        self.set_fate(target, Fate { detached: true, ..fate });
        0
    }

    /// Threads that exist, in an order that is the same in every machine.
    pub(crate) fn by_code(&self) -> Vec<ThreadId> {
        let all = (0..self.threads.len() as u32).map(ThreadId);
        let mut threads: Vec<ThreadId> =
            all.filter(|&thread| *self.status(thread) != Status::Unborn).collect();
        threads.sort_by_key(|thread| self.threads[thread.index()].code);
        threads
    }
}
