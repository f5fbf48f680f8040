//! The interpreter: threads over one store, stopped before their next visible
//! step, with an undo log.
//!
//! A *step* of a thread is its pending visible operation followed by everything
//! private up to the next one. [`Machine::step`] executes a step,
//! [`Machine::undo`] takes the last one back.
//!
//! Which accesses are visible. An access is visible when another thread may
//! reach the object: globals always, heap and stack objects from the moment their
//! owner publishes their address (stores it into a visible object, passes it to a
//! new thread, or returns it from one). Whatever the owner did before is ordered
//! before every access of another thread by the publication itself. Nothing is
//! visible while no other thread exists that has not been joined. All this
//! depends only on what the thread itself did, or what happened before it, so a
//! thread has the same visible steps in equivalent executions. An address that
//! reaches another thread by a way we do not see (xor-ed, split into bytes) is
//! noticed when it is used: [`End::Smuggled`]; the search starts again with
//! [`Config::share_everything`].

use std::sync::atomic::Ordering as AtomicOrdering;

use heddle_ir::{FuncId, Program, Reg, Span, Terminator};
use rustc_hash::FxHashSet;

use heddle_semantics::{
    Bounds, Choice, Concrete, Event, Flow, MemoryModel, ThreadId, ThreadPath, Violation, eval,
};

use crate::buffers::Buffers;
use crate::config::Config;
use crate::findings::Findings;
use crate::image::Image;
use crate::observers::Observers;
use crate::observers::record::Record;
use crate::running::Running;
use crate::store::{Location, Store};
use crate::threads::Threads;
use crate::threads::thread::{Halt, Pending, Status};
use crate::undo::UndoLog;

/// A construct without a model that was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    pub what: String,
    pub span: Span,
}

/// Why no thread can move any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The program ran to its end.
    Complete,
    /// Threads wait for ever.
    Deadlock(Box<Violation>),
    /// The run is redundant or does not count: an assumption failed, or a waiting
    /// loop gave up although what it waits for has happened since.
    Blocked,
    /// A bound, a violation or an unsupported construct stopped a thread.
    Cut,
}

/// Why the running thread stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Before a visible step; the status says which.
    Pending,
    Finished,
    Halt(Halt),
    /// The instruction is done; what it gives is undefined in part, and not assigned yet.
    Undefined,
}

/// A run of a program, and what is known from all runs so far. Each part is written by the
/// files of its folder; what others need to know of it they ask.
pub struct Machine<'p, M: MemoryModel> {
    pub(crate) program: &'p Program,
    pub(crate) config: Config,
    pub(crate) model: M,
    pub(crate) image: Image<'p, M>,

    pub(crate) threads: Threads,
    pub(crate) store: Store,
    pub(crate) buffers: Buffers,
    pub(crate) undo: UndoLog,

    pub(crate) running: Running,
    pub(crate) event: Event,
    pub(crate) domain: Concrete,

    pub(crate) watch: Observers,
    pub(crate) findings: Findings,
}

impl<'p, M: MemoryModel> Machine<'p, M> {
    pub fn program(&self) -> &'p Program {
        self.program
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    pub fn model(&self) -> &M {
        &self.model
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Threads known so far, in any execution; some may not exist in this one.
    pub fn thread_count(&self) -> usize {
        self.threads.len()
    }

    /// Paths of threads 1, 2, ….
    pub fn thread_paths(&self) -> &[ThreadPath] {
        &self.threads.paths
    }

    /// Learns of all threads and objects that other machines have given numbers to.
    pub fn catch_up(&mut self) {
        if let Some(names) = self.config.names.clone() {
            names.threads(self.threads.paths.len(), None, |path| {
                self.threads.intern(path);
            });
            self.store.catch_up();
        }
    }

    /// Takes over what another machine of the same program has noticed.
    pub fn take_notes(&mut self, other: &Machine<'_, M>) {
        self.findings.merge(&other.findings);
        self.watch.merge(&other.watch);
    }

    /// Gives the threads of a recorded schedule their ids.
    pub fn intern_threads(&mut self, paths: &[ThreadPath]) {
        for &path in paths {
            self.intern(path);
        }
    }

    #[inline]
    pub fn enabled(&self, thread: ThreadId) -> bool {
        self.can_step(thread)
            && (!self.findings.stops_in_sections
                || self.section().is_none_or(|inside| inside == thread))
            && (self.config.order.is_none() || self.awaited(thread).is_none())
    }

    /// Could the thread step, if no order were to be kept?
    #[inline]
    pub(crate) fn can_step(&self, thread: ThreadId) -> bool {
        let state = &self.threads[thread.index()];
        match &state.scalars.status {
            Status::Waiting(Pending::Ready | Pending::Input(_)) => true,
            Status::Waiting(Pending::Drained) => self.buffers.is_drained(thread),
            Status::Waiting(Pending::Clear { addr, len }) => self.is_clear(thread, *addr, *len),
            Status::Waiting(Pending::Gate { addr, gate }) => {
                self.gate_is_open(*addr, *gate) && self.buffers.is_drained(thread)
            }
            Status::Waiting(Pending::Join { target }) => {
                *self.status(*target) == Status::Finished && self.buffers.is_drained(thread)
            }
            Status::Waiting(Pending::Joins) => {
                self.joined_together(thread).all(|target| *self.status(target) == Status::Finished)
                    && self.buffers.is_drained(thread)
            }
            Status::Unborn => state.queue.is_some_and(|queue| self.buffers.can_flush(queue)),
            Status::Finished | Status::Halted(_) => false,
        }
    }

    /// Has the last step come to the end of a loop's iteration?
    pub fn looped(&self) -> bool {
        self.running.looped
    }

    /// The event of the last step.
    pub fn last_event(&self) -> &Event {
        &self.event
    }

    pub fn take_violations(&mut self) -> Vec<Violation> {
        std::mem::take(&mut self.findings.violations)
    }

    pub fn has_violations(&self) -> bool {
        !self.findings.violations.is_empty()
    }

    pub fn bounds(&self) -> &Bounds {
        &self.findings.bounds
    }

    /// Most iterations with a visible step that any loop has had in any execution.
    pub fn iterations(&self) -> u32 {
        self.findings.iterations
    }

    /// The first unsupported construct that was reached in any execution.
    pub fn unsupported(&self) -> Option<&Unsupported> {
        self.findings.unsupported.as_ref()
    }

    /// Why there is nothing to be said about the program, if no execution so far was
    /// complete.
    pub fn vacuous(&self) -> Option<String> {
        self.findings.ends.vacuous(self.program)
    }

    /// Has the program a branch for allocations that fail which was never taken?
    pub fn leaves_allocations_open(&self) -> bool {
        !self.program.allocations_fail && self.findings.null_tests.leaves_open(self.program)
    }

    /// A thread reached memory of another without publication.
    pub fn smuggled(&self) -> bool {
        self.findings.smuggled
    }

    /// Something happened that the guide does not reckon with, so that it is no good.
    pub fn surprised(&self) -> bool {
        self.findings.surprised
    }

    /// Reads, by number, that were executed although the guide supposes that nobody comes
    /// there.
    pub fn first_reads(&self) -> &FxHashSet<u32> {
        &self.findings.first_reads
    }

    /// The first loop that ran on for reasons that the guide hides, by its function
    /// and header.
    pub fn strayed(&self) -> Option<(FuncId, u32)> {
        self.findings.strayed
    }

    /// How far a thread has come: grows with every instruction it executes, and is the
    /// same in all machines that run it in the same way.
    pub fn progress(&self, thread: ThreadId) -> (u64, u32) {
        let thread = &self.threads[thread.index()];
        (thread.scalars.jumps, thread.frames.last().map_or(0, |frame| frame.pc))
    }

    pub fn records(&self) -> &[Record] {
        &self.watch.records
    }

    pub fn locate(&self, addr: u64) -> Option<Location> {
        self.store.locate(addr)
    }

    /// Steps taken since the start.
    pub fn depth(&self) -> usize {
        self.undo.depth()
    }

    /// An estimate of the bytes this machine holds.
    pub fn heap_bytes(&self) -> u64 {
        self.store.heap_bytes() + self.undo.heap_bytes()
    }

    /// Executes one step of an enabled thread.
    pub fn step(&mut self, choice: Choice) {
        let thread = choice.thread();
        debug_assert!(self.enabled(thread), "step of {thread}, which is not enabled");
        self.findings.violations.clear();
        self.running.looped = false;
        self.event.thread = thread;
        self.event.footprint.clear();
        self.event.spans.clear();
        self.event.joined = None;
        self.event.input = None;
        self.event.varies = false;
        self.event.continues = false;
        self.event.unfinished = false;
        self.event.conditional = false;
        self.event.words.clear();
        self.event.compared = None;
        self.event.exchanged = None;
        self.event.under = None;
        self.event.gate = None;
        self.event.follows.clear();
        self.event.flush_of = None;
        self.event.own = None;
        self.event.order = None;
        self.event.updates = false;
        self.event.fences = Default::default();
        self.event.created.clear();
        if let Some(queue) = self.threads[thread.index()].queue {
            self.begin_flush(thread);
            self.flush(queue);
            return;
        }
        self.begin_step(thread);
        let scalars = &mut self.threads[thread.index()].scalars;
        scalars.steps += 1;
        self.event.time = scalars.steps + scalars.stores;
        self.follow_order(thread);
        match choice {
            Choice::Step(_) => self.running.permit = true,
            Choice::Input(_, value) => {
                let value = match &self.threads[thread.index()].scalars.status {
                    Status::Waiting(Pending::Input(kind)) => kind.fill(value),
                    _ => value,
                };
                self.event.input = Some(value);
                self.running.given = Some(value);
                if self.is_in_section(thread) {
                    self.event.continues = true;
                    self.event.varies = true;
                    self.event.order = Some(heddle_ir::Ordering::SeqCst);
                }
            }
        }
        self.run_thread(thread);
        self.stop_log();
        self.watch_discipline();
        self.watch_ownership();
        self.running.permit = false;
        self.running.given = None;
        self.run_newborn();
    }

    pub(crate) fn run_newborn(&mut self) {
        while !self.threads.newborn.is_empty() {
            let child = self.threads.newborn.remove(0);
            self.run_thread(child);
        }
    }

    pub(crate) fn run_thread(&mut self, thread: ThreadId) {
        self.running.thread = thread;
        self.running.base = self.threads[thread.index()].top().regs as usize;
        let status = match self.run() {
            Stop::Pending => return,
            Stop::Finished => Status::Finished,
            Stop::Halt(halt) => Status::Halted(halt),
            Stop::Undefined => unreachable!("only instructions end so"),
        };
        let scalars = &mut self.threads[thread.index()].scalars;
        scalars.status = status;
        scalars.pending_footprint.clear();
    }

    /// Runs the current thread until it stops.
    fn run(&mut self) -> Stop {
        let program = self.program;
        let mut budget = self.config.max_steps;
        loop {
            let frame = *self.threads[self.running.thread.index()].top();
            let function = &program.functions[frame.function.0 as usize];
            let block = &function.blocks[frame.block as usize];
            let mut entered = false;
            let mut careful = self.is_careful();
            self.running.pc = frame.pc as usize;
            while self.running.pc < block.insts.len() {
                let op = &block.insts[self.running.pc].op;
                let reg_ty = |reg: Reg| function.regs[reg.0 as usize];
                let flow = match careful {
                    false => eval(self, op, reg_ty),
                    true => self.eval_careful(op, reg_ty),
                };
                match flow {
                    Ok(Flow::Next) => self.running.pc += 1,
                    Ok(Flow::Enter) => {
                        entered = true;
                        break;
                    }
                    Err(Stop::Undefined) => {
                        self.keep_undefined(op);
                        self.running.pc += 1;
                        careful = true;
                    }
                    Err(stop) => {
                        let pc = self.running.pc as u32;
                        self.threads[self.running.thread.index()].top().pc = pc;
                        if self.config.interchangeable && self.goes_on_to_join() {
                            entered = true;
                            break;
                        }
                        return stop;
                    }
                }
            }
            let executed = block.insts.len() as u64 + 1;
            if budget < executed {
                self.findings.bounds.steps = Some(self.config.max_steps);
                return Stop::Halt(Halt::Cut);
            }
            budget -= executed;
            if budget & 0xffff < executed && self.is_in_vain() {
                return Stop::Halt(Halt::Cut);
            }
            if entered {
                continue;
            }
            if let Err(stop) = self.terminate(frame, &block.term) {
                let pc = self.running.pc as u32;
                if let Some(top) = self.threads[self.running.thread.index()].frames.last_mut() {
                    top.pc = top.pc.max(pc);
                }
                return stop;
            }
        }
    }

    /// Whatever comes of it, the run does not count.
    fn is_in_vain(&self) -> bool {
        self.config.interrupt.load(AtomicOrdering::Relaxed) || !self.findings.first_reads.is_empty()
    }

    pub(crate) fn terminate(
        &mut self,
        frame: crate::threads::thread::Frame,
        term: &'p Terminator,
    ) -> Result<(), Stop> {
        match term {
            Terminator::Jump(edge) => self.jump(frame, edge),
            Terminator::Branch { cond, then, other } => {
                let edge = if self.decided_operand(*cond)? != 0 { then } else { other };
                self.jump(frame, edge)
            }
            Terminator::Switch { value, cases, default, .. } => {
                let value = self.decided_operand(*value)?;
                self.note_number(value, false);
                self.note_placement(value);
                let edge =
                    cases.iter().find(|case| case.0 == value).map_or(default, |case| &case.1);
                self.jump(frame, edge)
            }
            Terminator::Return(values) => self.return_from(frame, values),
            Terminator::Unreachable => {
                Err(self.stop_unsupported("code that was said to be unreachable"))
            }
            Terminator::Unsupported { what } => Err(self.stop_unsupported(what)),
        }
    }

    pub(crate) fn stop_unsupported(&mut self, what: &str) -> Stop {
        if self.findings.unsupported.is_none() {
            self.findings.unsupported =
                Some(Unsupported { what: what.to_string(), span: self.here() });
        }
        Stop::Halt(Halt::Cut)
    }

    /// Why no thread is enabled.
    pub fn end(&mut self) -> End {
        let any = |wanted: fn(Halt) -> bool| {
            let mut statuses = self.threads.iter().map(|thread| &thread.scalars.status);
            statuses.any(|status| matches!(status, Status::Halted(halt) if wanted(*halt)))
        };
        let cut = any(|halt| matches!(halt, Halt::Cut | Halt::Failed));
        if !cut && any(|halt| halt == Halt::Assumption) {
            return End::Blocked;
        }
        let all = (0..self.threads.len() as u32).map(ThreadId);
        let gave_up = |&t: &ThreadId| *self.status(t) == Status::Halted(Halt::Wait);
        if !cut && all.into_iter().filter(gave_up).any(|thread| !self.waits_in_vain(thread)) {
            return End::Blocked;
        }
        self.findings.ends.complete();
        match self.deadlock() {
            Some(deadlock) => End::Deadlock(Box::new(deadlock)),
            None if cut => End::Cut,
            None => End::Complete,
        }
    }
}
