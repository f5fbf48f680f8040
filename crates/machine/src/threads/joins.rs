//! Joins that come one after the other are one wait.
//!
//! A thread that joins several others in a row waits until all of them have ended; in
//! which order it joins them can't be told, if it does nothing in between that others
//! could see, and that can't fail. So it does not stop before the first of these joins
//! but before the last, and the threads that it waits for are marked. What it holds as
//! their ids is of no use any more, nor is the id of a thread that was joined to anybody,
//! so that states in which they have changed places are the same (see
//! `explore::stateful`). Where a program uses such an id again, or computes with one, that
//! is noted ([`Machine::identity_matters`]).

use heddle_ir::{Callee, Op, Terminator, Ty};

use heddle_semantics::{MemoryModel, ThreadId, eval, mask};

use crate::Machine;
use crate::buffers::Found;
use crate::machine::Stop;
use crate::run::access::Spot;
use crate::store::needs::Need;
use crate::threads::thread::{Fate, Frame, LoopMark, Pending, Status, may_be_code, may_be_handle};

/// Instructions between two joins.
const FAR: u32 = 1_000;

/// Where a thread was when it began to look ahead.
struct Here {
    frame: Frame,
    regs: Vec<u64>,
    loops: Vec<LoopMark>,
    jumps: u64,
}

impl<M: MemoryModel> Machine<'_, M> {
    /// Has the program done anything with the id of a thread that depends on which
    /// number it is?
    pub fn identity_matters(&self) -> bool {
        self.findings.identity
    }

    /// Threads that a thread waits for together, in the order of their creation.
    pub fn joined_together(&self, by: ThreadId) -> impl Iterator<Item = ThreadId> + '_ {
        let all = (0..self.threads.len() as u32).map(ThreadId);
        all.filter(move |t| self.threads[t.index()].scalars.fate.awaited_by == Some(by))
    }

    /// The program computes with a number, or only compares it for equality.
    #[inline]
    pub(crate) fn note_number(&mut self, value: u64, equality: bool) {
        if may_be_handle(value)
            && let Some(thread) = self.threads.codes.get(&(value as u32))
        {
            self.store.needs.note_others();
            self.findings.identity |= !equality || self.threads[thread.index()].scalars.fate.joined;
        }
    }

    /// The program reads a part of a word, or what a lock knows.
    pub(crate) fn note_read(&mut self, spot: Spot) {
        let (object, offset) = (spot.object, spot.offset & !7);
        let bytes = self.store.object(object).bytes - u64::from(offset);
        if self.store.object(object).constant {
            return;
        }
        self.store.needs.note(Need::Codes { object, offset });
        let word = self.store.read_unnoted(object, offset, bytes.min(8) as u32);
        if may_be_code((word >> 32) as u32) || may_be_code(word as u32) {
            self.findings.identity |=
                spot.len != 8 || spot.offset != offset || !may_be_handle(word);
        }
    }

    /// Joins a thread whose result nobody wants.
    pub(crate) fn join_with_others(&mut self, handle: u64) -> Result<Result<u64, u64>, Stop> {
        let me = self.running.thread;
        let target = self.thread_of(handle).filter(|&target| self.can_await(target));
        let Some(target) = target else { return self.join_thread(handle) };
        self.leave_quiet()?;
        let fate = self.threads[target.index()].scalars.fate;
        if fate.awaited_by.is_none() {
            self.set_fate(target, Fate { awaited_by: Some(me), ..fate });
        }
        self.visible_step(None, Pending::Joins)?;
        let awaited: Vec<ThreadId> = self.joined_together(me).collect();
        for thread in awaited {
            let fate = self.threads[thread.index()].scalars.fate;
            self.set_fate(thread, Fate { joined: true, awaited_by: None, ..fate });
            self.threads.unjoined -= 1;
        }
        self.threads[me.index()].scalars.effects += 1;
        Ok(Ok(0))
    }

    fn can_await(&self, target: ThreadId) -> bool {
        let Fate { joined, detached, awaited_by } = self.threads[target.index()].scalars.fate;
        let free = awaited_by.is_none_or(|by| by == self.running.thread);
        self.config.interchangeable
            && target != self.running.thread
            && self.threads[self.running.thread.index()].scalars.atomic == 0
            && !(joined || detached)
            && free
    }

    /// The running thread has stopped before a join. If another one follows, it goes on
    /// to that.
    pub(crate) fn goes_on_to_join(&mut self) -> bool {
        let thread = &self.threads[self.running.thread.index()];
        if thread.scalars.status != Status::Waiting(Pending::Joins) || self.is_careful() {
            return false;
        }
        let here = Here {
            frame: thread.frames[thread.frames.len() - 1],
            regs: thread.regs[self.running.base..].to_vec(),
            loops: thread.loops.clone(),
            jumps: thread.scalars.jumps,
        };
        if self.finds_join().is_some() {
            return true;
        }
        for (at, value) in here.regs.into_iter().enumerate() {
            self.set(heddle_ir::Reg(at as u32), value);
        }
        let thread = &mut self.threads[self.running.thread.index()];
        *thread.top() = here.frame;
        thread.loops = here.loops;
        thread.scalars.jumps = here.jumps;
        false
    }

    /// Runs from behind a join to the next one, if nothing is in between that others
    /// could notice.
    fn finds_join(&mut self) -> Option<()> {
        let program = self.program;
        let mut first = true;
        let mut left = FAR;
        loop {
            let frame = *self.threads[self.running.thread.index()].top();
            let function = program.function(frame.function);
            let block = &function.blocks[frame.block as usize];
            for (at, inst) in block.insts.iter().enumerate().skip(frame.pc as usize) {
                left = left.checked_sub(1)?;
                match &inst.op {
                    Op::Call { dsts, .. } if first => {
                        first = false;
                        if let Some(&dst) = dsts.first() {
                            self.set(dst, 0);
                        }
                    }
                    Op::Call { callee: Callee::Direct(id), args, .. }
                        if program.function(*id).name == "pthread_join"
                            && self.image.library[id.0 as usize].is_some() =>
                    {
                        let [handle, slot] = args[..] else { return None };
                        let target = self.thread_of(self.value(handle))?;
                        let fate = self.threads[target.index()].scalars.fate;
                        let new = fate.awaited_by.is_none();
                        let can = self.value(slot) == 0 && new && self.can_await(target);
                        self.threads[self.running.thread.index()].top().pc = at as u32;
                        return can.then_some(());
                    }
                    Op::Load { dst, ty, addr, order: None, .. } => {
                        let addr = self.value(*addr);
                        let bits = ty.bits(program.pointer_bytes);
                        let (object, _) =
                            self.store.resolve(addr, u64::from(bits.div_ceil(8))).ok()?;
                        let object = self.store.object(object);
                        if object.shared || object.owner != self.running.thread {
                            return None;
                        }
                        let value = self.private_value(addr, *ty)?;
                        self.set(*dst, mask(value, bits));
                    }
                    op if self.is_harmless(op) => {
                        eval(self, op, |reg| function.regs[reg.0 as usize]).ok()?;
                    }
                    _ => return None,
                }
            }
            match &block.term {
                Terminator::Jump(_) | Terminator::Branch { .. } | Terminator::Switch { .. } => {
                    left = left.checked_sub(1)?;
                    self.terminate(frame, &block.term).ok()?;
                }
                _ => return None,
            }
        }
    }

    /// What the running thread finds in memory that only it can see, if all of it was
    /// written.
    fn private_value(&self, addr: u64, ty: Ty) -> Option<u64> {
        let len = ty.bytes(self.program.pointer_bytes);
        if let Found::Value { value, .. } = self.look_up(addr, len) {
            return value.is_defined().then_some(value.bits);
        }
        let (object, offset) = self.store.resolve(addr, u64::from(len)).ok()?;
        let defined = self.store.is_defined(object, offset, len);
        defined.then(|| self.store.read(object, offset, len))
    }

    /// It only computes, and can't fail.
    fn is_harmless(&self, op: &Op) -> bool {
        use heddle_ir::BinOp::*;
        match op {
            Op::Binary { op, .. } => {
                !matches!(op, UDiv | SDiv | URem | SRem) && !self.config.overflow
            }
            Op::Compare { .. } | Op::Select { .. } | Op::Copy { .. } | Op::PtrAdd { .. } => true,
            Op::Cast { .. } => true,
            _ => false,
        }
    }
}
