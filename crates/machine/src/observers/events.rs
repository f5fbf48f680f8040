//! Events as a native run counts them (see `order`), and waiting for those that an
//! order puts first.

use std::sync::Arc;

use heddle_ir::{Op, Operand};

use heddle_semantics::{MemoryModel, ThreadId};

use crate::machine::Stop;
use crate::observers::order::{Before, Place};
use crate::run::access::Use;
use crate::threads::thread::{Pending, Status};
use crate::{EventName, Instructions, Machine, Order, Passed};

impl<M: MemoryModel> Machine<'_, M> {
    /// How many events a thread has passed.
    pub fn events(&self, thread: ThreadId) -> u32 {
        self.threads[thread.index()].scalars.events
    }

    /// The events that a thread has passed.
    pub fn passed(&self, thread: ThreadId) -> &[Passed] {
        let thread = &self.threads[thread.index()];
        &thread.passed[..thread.scalars.events as usize]
    }

    /// A thread waits in a loop that it left in equivalent runs, which would make the
    /// order speak of other events than it means.
    pub fn lost_count(&self) -> bool {
        self.findings.out_of_count
    }

    /// The event that the next one of a thread has to wait for, if there is one.
    pub fn awaited(&self, thread: ThreadId) -> Option<EventName> {
        let order = self.config.order.as_ref()?;
        let next = (thread, self.events(thread));
        let waits = |before: &&Before| !self.is_over(before.event) && !self.is_void(before, thread);
        order.before(next).iter().find(waits).map(|before| before.event)
    }

    /// It is a matter of memory that both touch, its thread stands before it, and is about
    /// to touch something else than the next event of `thread` does.
    fn is_void(&self, before: &Before, thread: ThreadId) -> bool {
        let (other, index) = before.event;
        before.conditional
            && self.events(other) == index
            && are_apart(self.place(other), self.place(thread))
    }

    /// What the next event of a thread touches, if it is an access of the program.
    pub fn place(&self, thread: ThreadId) -> Option<Place> {
        let state = &self.threads[thread.index()];
        match state.scalars.status {
            Status::Waiting(Pending::Input(_)) => None,
            Status::Waiting(_) => self.place_at(thread, state.frames.last()?.pc as usize),
            _ => None,
        }
    }

    /// What the instruction of a thread touches, if it is an access.
    fn place_at(&self, thread: ThreadId, pc: usize) -> Option<Place> {
        let state = &self.threads[thread.index()];
        let frame = state.frames.last()?;
        let block = &self.program.function(frame.function).blocks[frame.block as usize];
        let (addr, ty) = match block.insts.get(pc)?.op {
            Op::Load { addr, ty, .. }
            | Op::Store { addr, ty, .. }
            | Op::Rmw { addr, ty, .. }
            | Op::CmpXchg { addr, ty, .. } => (addr, ty),
            _ => return None,
        };
        let addr = match addr {
            Operand::Reg(reg) => state.regs[frame.regs as usize + reg.0 as usize],
            other => self.value(other),
        };
        Some(Place { addr, len: ty.bytes(self.program.pointer_bytes) })
    }

    /// It has happened, or its thread has ended without it.
    fn is_over(&self, (thread, index): EventName) -> bool {
        let state = &self.threads[thread.index()];
        state.scalars.events > index || state.scalars.status == Status::Finished
    }

    /// Notes what the step that begins had to wait for.
    pub(crate) fn follow_order(&mut self, thread: ThreadId) {
        let Some(order) = &self.config.order else { return };
        if matches!(self.pending(thread), Some(Pending::Input(_))) {
            return;
        }
        let place = self.place(thread);
        for &Before { event: (other, index), conditional } in
            order.before((thread, self.events(thread)))
        {
            let state = &self.threads[other.index()];
            // A thread that ended without the event has ended with its last step; one that
            // stands before it came there with its last step.
            let step = match state.scalars.events > index {
                true => {
                    let passed = state.passed[index as usize];
                    passed.step - u32::from(conditional && are_apart(passed.place, place))
                }
                false => state.scalars.steps,
            };
            self.event.follows.push((other, step));
        }
    }

    /// Is the access under way an event, in a machine that counts by sites?
    pub(crate) fn counts(&self, doing: Use) -> bool {
        if matches!(doing, Use::Object(_)) {
            return true;
        }
        if let Some(function) = self.running.in_library {
            return self.image.announcing[function.0 as usize];
        }
        let frame = self.threads[self.running.thread.index()].frames.last();
        match (&self.config.sites, frame) {
            (Some(sites), Some(frame)) => sites.contains(frame, self.running.pc),
            _ => false,
        }
    }

    /// Is the return under way an event? `None` if the machine does not count.
    pub(crate) fn counts_end(&self, ends: bool) -> Option<bool> {
        let sites = self.config.sites.as_ref()?;
        let frame = self.threads[self.running.thread.index()].frames.last();
        Some(ends || frame.is_some_and(|frame| sites.scopes[frame.function.0 as usize]))
    }

    pub(crate) fn pass_event(&mut self) {
        let Some(sites) = &self.config.sites else { return };
        let thread = &self.threads[self.running.thread.index()];
        let site = thread.frames.last().map_or(0, |frame| sites.number(frame, self.running.pc));
        let event = (self.running.thread, thread.scalars.events);
        let told = self.config.order.as_ref().is_some_and(|order| order.is_conditional(event));
        let place = if told { self.place_at(self.running.thread, self.running.pc) } else { None };
        let thread = &mut self.threads[self.running.thread.index()];
        thread.passed.truncate(thread.scalars.events as usize);
        thread.passed.push(Passed { step: thread.scalars.steps, site, place });
        thread.scalars.events += 1;
        // In the middle of a step nobody waits, or says where it stands, but in a native run.
        let inside = thread.scalars.atomic != 0;
        let waits = |order: &Arc<Order>| inside && (told || !order.before(event).is_empty());
        self.findings.out_of_count |= self.config.order.as_ref().is_some_and(waits);
        if self.config.order.as_ref().is_some_and(|order| order.mentions(event)) {
            let known = self.findings.instructions.entry(event).or_insert(Some(site));
            *known = known.filter(|&known| known == site);
        }
    }

    /// What the events of the order were, in any execution so far.
    pub fn instructions(&self) -> &Instructions {
        &self.findings.instructions
    }

    /// A thread gives up a waiting loop, whose last turn began after as many events. In a
    /// native run it goes on counting; and what the order says about that turn is not
    /// true of another run in which the thread comes to the loop later.
    pub(crate) fn note_lost_count(&mut self, since: u32) {
        if let Some(order) = &self.config.order {
            self.findings.out_of_count |= order.end_of(self.running.thread) > since;
        }
    }

    /// A thread that waits for an event which the order puts first, and nothing else, in a
    /// run that has come to its end.
    pub fn held(&self) -> Option<(ThreadId, EventName)> {
        if self.threads.exited.is_some() {
            return None;
        }
        let threads = (0..self.threads.len() as u32).map(ThreadId);
        let mut waiting = threads.filter(|&thread| self.can_step(thread));
        waiting.find_map(|thread| Some((thread, self.awaited(thread)?)))
    }

    /// Shared memory is touched by what should not.
    #[cold]
    pub(crate) fn stop_hole(&mut self) -> Stop {
        let what = match self.running.in_library {
            Some(function) => {
                let name = self.program.function(function).display_name();
                format!("{name}() on memory that threads share, in a native run")
            }
            None => "internal: an access that was taken for private".to_string(),
        };
        self.stop_unsupported(&what)
    }
}

/// Both are known, and differ.
fn are_apart(one: Option<Place>, other: Option<Place>) -> bool {
    one.zip(other).is_some_and(|(one, other)| one.is_apart(other))
}
