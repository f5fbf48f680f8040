//! Jumps, loops, calls and returns.

use std::sync::Arc;

use heddle_ir::{Callee, Edge, FuncId, Operand, Reg, Ty, Whose};
use smallvec::SmallVec;

use heddle_semantics::library::Outcome;
use heddle_semantics::{
    Access, AccessKind, Flow, Footprint, Host, MemoryModel, ObjectId, ThreadId, ViolationKind,
};

use crate::Machine;
use crate::VisibleSites;
use crate::machine::Stop;
use crate::observers::record::Action;
use crate::store::{Life, Origin};
use crate::threads::ProcessEnd;
use crate::threads::loops::JumpKind;
use crate::threads::thread::{Anchor, Frame, HANDED, Halt, LoopMark, Pending, Visit, padded};

/// Iterations with hidden accesses only that count as one with a visible step.
const QUIET: u32 = 1000;
/// What a native run can't count.
const UNWOUND: &str =
    "an exception that leaves a function whose variables other threads can reach, in a native run";
/// Turns of a loop within one step that are too many for who keeps states.
const LONG: u32 = 10_000;

impl<'p, M: MemoryModel> Machine<'p, M> {
    pub(crate) fn jump(&mut self, frame: Frame, edge: &'p Edge) -> Result<(), Stop> {
        let values: SmallVec<[u64; 8]> =
            edge.moves.iter().map(|(_, source)| self.value(*source)).collect();
        let careful = self.is_careful();
        let undefined = if careful { self.undefined_moves(edge) } else { Vec::new() };
        match self.image.loops[frame.function.0 as usize].classify(frame.block, edge.target) {
            JumpKind::Plain => {}
            JumpKind::Enter => self.enter_loop(frame, edge.target.0),
            kind => {
                let same = |machine: &Self| match careful {
                    false => {
                        edge.moves.iter().zip(&values).all(|(m, v)| machine.register(m.0) == *v)
                    }
                    true => edge
                        .moves
                        .iter()
                        .zip(&undefined)
                        .all(|(m, v)| machine.tracked(Operand::Reg(m.0)).word == v.word),
                };
                let unchanged = kind == JumpKind::Back && same(self);
                let known = kind == JumpKind::Back && !careful && values.len() <= HANDED;
                let handed = known.then_some(values.as_slice());
                let result = self.repeat_loop(frame, edge.target.0, unchanged, handed);
                // Whoever waits stands at the head of the loop with what the turn hands on.
                if result != Ok(()) && !careful {
                    for ((reg, _), &value) in edge.moves.iter().zip(&values) {
                        self.set(*reg, value);
                    }
                }
                result?;
            }
        }
        for ((reg, _), value) in edge.moves.iter().zip(values) {
            self.set(*reg, value);
        }
        for ((reg, _), value) in edge.moves.iter().zip(undefined) {
            self.assign_tracked(*reg, value);
        }
        let thread = &mut self.threads[self.running.thread.index()];
        thread.scalars.jumps += 1;
        let top = thread.top();
        top.block = edge.target.0;
        top.pc = 0;
        if careful {
            self.forget_dead();
        }
        Ok(())
    }

    fn enter_loop(&mut self, frame: Frame, header: u32) {
        let log = self.store.begin_turn();
        let thread = &mut self.threads[self.running.thread.index()];
        let from = frame.loops as usize;
        if let Some(at) = thread.loops[from..].iter().position(|mark| mark.header == header) {
            thread.loops.truncate(from + at);
        }
        let last = thread.visit(log);
        thread.loops.push(LoopMark { header, count: 0, quiet: 0, last, anchor: None });
    }

    /// At the end of an iteration, which hands these values to the next one if all of that is
    /// known. `unchanged`: the registers that hold them are as they were. If the iteration
    /// also changed nothing in memory, the thread is where it was one iteration ago:
    /// repeating it makes sense only when what it read has changed. A run in which it repeats
    /// is equivalent to one in which it came to the loop later, so this one ends. The same
    /// goes for several iterations after which the thread is where it was.
    fn repeat_loop(
        &mut self,
        frame: Frame,
        header: u32,
        unchanged: bool,
        handed: Option<&[u64]>,
    ) -> Result<(), Stop> {
        let current = self.running.thread;
        let thread = &mut self.threads[current.index()];
        let from = frame.loops as usize;
        self.running.looped = true;
        let Some(at) = thread.loops[from..].iter().position(|mark| mark.header == header) else {
            self.enter_loop(frame, header);
            return Ok(());
        };
        thread.loops.truncate(from + at + 1);
        let mut mark = *thread.loops.last().expect("just found");
        let stateful = self.config.stateful;
        if stateful && mark.last.visible != thread.scalars.visible && thread.scalars.atomic == 0 {
            self.enter_loop(frame, header);
            return Ok(());
        }
        let log = self.store.begin_turn();
        let now = self.threads[current.index()].visit(log);
        let since = |then: &Visit, machine: &Self| {
            then.effects == now.effects
                && (then.private == now.private
                    || machine.store.is_as_it_was(then.log, current, stateful))
        };
        let back = match (handed, mark.anchor) {
            _ if unchanged && since(&mark.last, self) => Some(mark.last),
            // Within a step there may be very many turns.
            (Some(values), Some(anchor))
                if mark.last.visible != now.visible
                    && anchor.values == padded(values)
                    && since(&anchor.visit, self) =>
            {
                Some(anchor.visit)
            }
            _ => None,
        };
        if let Some(then) = back {
            // What is hidden may change all the same.
            if stateful && then.hidden != now.hidden {
                return Err(self.stop_turning());
            }
            let thread = &mut self.threads[current.index()];
            thread.loops.last_mut().expect("just found").last = then;
            self.note_stray(frame.function, header);
            // A loop that reads nothing does not wait, it just never ends.
            if then.reads == now.reads && then.looks == now.looks {
                return Err(Stop::Halt(Halt::Diverged));
            }
            self.note_lost_count(then.events);
            self.record(Action::WaitInLoop);
            return Err(Stop::Halt(Halt::Wait));
        }
        if mark.last.visible != now.visible {
            mark.count += 1;
            self.findings.iterations = self.findings.iterations.max(mark.count);
            mark.anchor = handed.map(|values| Anchor::after(mark.anchor, now, values));
        } else if mark.last.hidden != now.hidden {
            mark.quiet += 1;
        }
        if stateful {
            self.check_turns(mark.count + mark.quiet)?;
        }
        let too_many = |bound: u32| mark.count > bound || mark.quiet / QUIET > bound;
        if self.config.unwind.is_some_and(too_many) {
            self.findings.bounds.unwind = self.config.unwind;
            self.note_stray(frame.function, header);
            return Err(Stop::Halt(Halt::Cut));
        }
        mark.last = now;
        *self.threads[current.index()].loops.last_mut().expect("just found") = mark;
        Ok(())
    }

    /// Whoever keeps states sees none of those within a step: a loop in it has to end. If
    /// it does not, as many turns as this speak against what made it one step.
    fn check_turns(&mut self, turns: u32) -> Result<(), Stop> {
        if turns <= LONG {
            return Ok(());
        }
        self.leave_quiet()?;
        match self.threads[self.running.thread.index()].scalars.atomic {
            0 => Err(self.stop_turning()),
            _ => {
                self.findings.bounds.unwind = Some(turns);
                Err(Stop::Halt(Halt::Cut))
            }
        }
    }

    /// A loop goes no further. If it matters to the guide whether it ends, it does not
    /// depend on what is hidden; else the guide knows too little.
    fn note_stray(&mut self, function: FuncId, header: u32) {
        if let Some(guide) = &self.config.guide
            && guide.hides()
            && !guide.loops.contains(&(function, header))
        {
            self.findings.strayed.get_or_insert((function, header));
        }
    }

    pub(crate) fn call_function(
        &mut self,
        dsts: &[Reg],
        callee: &Callee,
        args: &[Operand],
        arg_tys: &[Ty],
    ) -> Result<Flow, Stop> {
        let target = match callee {
            Callee::Direct(function) => *function,
            Callee::Indirect(operand) => {
                let addr = self.decided_operand(*operand)?;
                let target = self.function_at(addr)?;
                self.check_call(target)?;
                target
            }
        };
        let values: SmallVec<[u64; 8]> = args.iter().map(|&arg| self.value(arg)).collect();
        let function = self.program.function(target);
        if let Some(handler) = self.image.library[target.0 as usize] {
            let undefined = self.undefined_argument(target, args)?;
            self.running.in_library = Some(target);
            self.running.operations = 0;
            let outcome = handler(self, &values, arg_tys);
            self.running.in_library = None;
            self.running.handed = None;
            let entered = std::mem::take(&mut self.running.entered);
            if entered || outcome != Err(Stop::Pending) {
                self.threads[self.running.thread.index()].scalars.done.clear();
            }
            if entered {
                return Ok(Flow::Enter);
            }
            let mut results = dsts.iter();
            if let Outcome::Value(value) = outcome?
                && let Some(&dst) = results.next()
            {
                match undefined {
                    None => self.assign_defined(dst, value),
                    Some(source) => self.assign_undefined(dst, source),
                }
            }
            // No model throws.
            for &dst in results {
                self.assign_defined(dst, 0);
            }
            return Ok(Flow::Next);
        }
        if function.is_declaration() {
            let what =
                format!("call of {}(), which has no body and no model", function.display_name());
            return Err(self.stop_unsupported(&what));
        }
        if self.image.atomic_functions[target.0 as usize] {
            self.atomic_begin()?;
        }
        let undefined = self.undefined_operands(args);
        self.threads[self.running.thread.index()].top().pc = self.running.pc as u32 + 1;
        self.push_frame(self.running.thread, target, &values)?;
        for (param, value) in function.params.iter().zip(undefined) {
            self.assign_tracked(*param, value);
        }
        Ok(Flow::Enter)
    }

    pub(crate) fn function_at(&mut self, addr: u64) -> Result<FuncId, Stop> {
        match self.store.locate(addr) {
            Some(location) if location.offset == 0 => match location.origin {
                Origin::Function(function) => Ok(function),
                _ => Err(self.violate(
                    ViolationKind::OutOfBounds,
                    "call through a pointer to data".to_string(),
                )),
            },
            None if addr < 4096 => Err(self.violate(
                ViolationKind::NullDereference,
                "call through a null function pointer".to_string(),
            )),
            _ => Err(self.violate(
                ViolationKind::OutOfBounds,
                "call through a wild function pointer".to_string(),
            )),
        }
    }

    /// Looks whether the guide reckons with a call, or a thread that starts.
    pub(crate) fn check_call(&mut self, target: FuncId) -> Result<(), Stop> {
        let Some(guide) = &self.config.guide else { return Ok(()) };
        let frame = self.threads[self.running.thread.index()].frames.last();
        let foreseen =
            frame.is_none_or(|frame| guide.foresees_call(frame, self.running.pc, target));
        if foreseen { Ok(()) } else { Err(self.stop_surprised()) }
    }

    pub(crate) fn push_frame(
        &mut self,
        thread: ThreadId,
        target: FuncId,
        args: &[u64],
    ) -> Result<(), Stop> {
        let function = self.program.function(target);
        let state = &mut self.threads[thread.index()];
        if state.frames.len() as u32 >= self.config.max_stack {
            self.findings.bounds.stack = Some(self.config.max_stack);
            return Err(Stop::Halt(Halt::Cut));
        }
        if self.config.guide.as_ref().is_some_and(|guide| guide.is_surprised(target)) {
            return Err(self.stop_surprised());
        }
        let state = &mut self.threads[thread.index()];
        let base = state.regs.len();
        state.scalars.jumps += 1;
        state.frames.push(Frame {
            function: target,
            block: 0,
            pc: 0,
            regs: base as u32,
            loops: state.loops.len() as u32,
            objects: state.objects.len() as u32,
        });
        state.regs.resize(base + function.regs.len(), 0);
        // A caller with the wrong prototype may pass fewer or more arguments.
        for (param, value) in function.params.iter().zip(args) {
            state.regs[base + param.0 as usize] = *value;
        }
        // A thread that a library starts is known by what it runs for the user.
        let entry = self.program.function(state.entry).span;
        if self.config.record
            && self.whose(entry) != Whose::User
            && self.whose(function.span) == Whose::User
        {
            self.threads[thread.index()].entry = target;
        }
        if thread == self.running.thread {
            self.running.base = base;
            self.park_log();
        }
        Ok(())
    }

    pub(crate) fn return_from(&mut self, frame: Frame, values: &[Operand]) -> Result<(), Stop> {
        let ends = self.threads[self.running.thread.index()].frames.len() == 1;
        // The end of the process frees nothing under anybody's feet.
        let exits = ends && self.running.thread == ThreadId::MAIN;
        if ends && self.program.function(frame.function).unwinds && self.call_uncaught(values)? {
            return Ok(());
        }
        self.check_unwound(frame.function, values)?;
        if ends && (if exits { self.call_at_exit()? } else { self.call_at_end()? }) {
            return Ok(());
        }
        if ends && !exits {
            self.drain()?;
        }
        if !exits {
            self.end_scope(frame.objects as usize, ends)?;
        }
        let undefined = self.undefined_operands(values);
        let values: SmallVec<[u64; 4]> = values.iter().map(|&value| self.value(value)).collect();
        self.pop_frame(exits);
        if self.image.atomic_functions[frame.function.0 as usize] {
            self.atomic_end()?;
        }
        let depth = self.threads[self.running.thread.index()].frames.len();
        if depth == 0 {
            let scalars = &mut self.threads[self.running.thread.index()].scalars;
            let source = undefined.first().and_then(|value| value.source);
            scalars.no_result = source.map(|source| source.unwritten);
            return Err(self.end_thread(values.first().copied().unwrap_or(0)));
        }
        self.save_frame(self.running.thread, depth as u32 - 1);
        self.resume_log();
        let caller = *self.threads[self.running.thread.index()].top();
        self.running.base = caller.regs as usize;
        let block = &self.program.function(caller.function).blocks[caller.block as usize];
        // A constructor returns into the start of `main`, not behind a call.
        let Some(at) = caller.pc.checked_sub(1) else { return Ok(()) };
        if let heddle_ir::Op::Call { dsts, .. } = &block.insts[at as usize].op {
            // A function that throws nothing gives no exception.
            let results = values.into_iter().chain(std::iter::repeat(0));
            for (dst, value) in dsts.iter().zip(results) {
                self.assign_defined(*dst, value);
            }
            for (dst, value) in dsts.iter().zip(undefined) {
                self.assign_tracked(*dst, value);
            }
        }
        Ok(())
    }

    /// Stack objects from `first` on are about to end, and with the thread its
    /// thread-local ones. If another thread may hold their addresses, that is a
    /// visible step.
    fn end_scope(&mut self, first: usize, ends: bool) -> Result<(), Stop> {
        let counts = self.counts_end(ends);
        if self.alone() && counts != Some(true) {
            return Ok(());
        }
        let thread = &self.threads[self.running.thread.index()];
        let locals = if ends { thread.locals.as_slice() } else { &[] };
        if thread.objects.len() == first && locals.is_empty() && counts != Some(true) {
            return Ok(());
        }
        let seen = |id: &ObjectId| {
            let object = self.store.object(*id);
            self.is_seen(object) && object.life == Life::Live
        };
        let all = thread.objects[first..].iter().chain(locals.iter().map(|local| &local.1));
        let doomed: SmallVec<[ObjectId; 4]> = all.copied().filter(seen).collect();
        // The thread has waited for its stores if it ends.
        if !ends && doomed.iter().any(|&id| self.ends_later(self.store.object(id))) {
            return doomed.into_iter().try_for_each(|id| self.put_end(id, Life::OutOfScope));
        }
        let doomed: Footprint = doomed
            .iter()
            .map(|&id| self.store.object(id))
            .map(|object| Access {
                addr: object.base,
                len: object.bytes.max(1) as u32,
                kind: AccessKind::Write,
            })
            .collect();
        match (doomed.split_first(), counts) {
            (None, None | Some(false)) => return Ok(()),
            (Some(_), Some(false)) => return Err(self.stop_hole()),
            (None, Some(true)) => self.visible_step(None, Pending::Drained)?,
            (Some((&first, rest)), None | Some(true)) => {
                self.visible_step(Some(first), Pending::Drained)?;
                self.event.footprint.extend_from_slice(rest);
            }
        }
        for access in doomed {
            self.record(Action::EndOfScope { addr: access.addr });
        }
        Ok(())
    }

    /// Stack objects of the running function beyond the first `depth` end, if no other thread
    /// can see them.
    pub(crate) fn end_private_objects(&mut self, depth: usize) {
        let thread = &mut self.threads[self.running.thread.index()];
        let first = (thread.top().objects as usize + depth).min(thread.objects.len());
        let ending: SmallVec<[ObjectId; 4]> = thread.objects.drain(first..).collect();
        for id in ending {
            match self.is_seen(self.store.object(id)) {
                true => self.threads[self.running.thread.index()].objects.push(id),
                false => self.store.set_life(id, Life::OutOfScope),
            }
        }
    }

    fn pop_frame(&mut self, exits: bool) {
        self.log_drop();
        let thread = &mut self.threads[self.running.thread.index()];
        let frame = thread.frames.pop().expect("a frame to return from");
        thread.scalars.jumps += 1;
        thread.regs.truncate(frame.regs as usize);
        thread.undefined.retain(|entry| entry.at < frame.regs);
        thread.loops.truncate(frame.loops as usize);
        let left = frame.objects as usize;
        while self.threads[self.running.thread.index()].objects.len() > left {
            let object =
                self.threads[self.running.thread.index()].objects.pop().expect("an object");
            if !exits && !self.has_ended(object) {
                self.store.set_life(object, Life::OutOfScope);
            }
        }
    }

    /// Calls what is to be called once before the thread ends, if there is
    /// anything; then the running instruction is executed again.
    fn call_at_end(&mut self) -> Result<bool, Stop> {
        self.call_once_before_end(self.image.at_end)
    }

    /// The same before the process ends. A thread does one or the other.
    pub(crate) fn call_at_exit(&mut self) -> Result<bool, Stop> {
        self.call_once_before_end(self.image.at_exit)
    }

    fn call_once_before_end(&mut self, function: Option<FuncId>) -> Result<bool, Stop> {
        let Some(function) = function else { return Ok(false) };
        let thread = &mut self.threads[self.running.thread.index()];
        if std::mem::replace(&mut thread.scalars.ending, true) {
            return Ok(false);
        }
        thread.top().pc = self.running.pc as u32;
        self.push_frame(self.running.thread, function, &[])?;
        Ok(true)
    }

    /// A native program counts no event where an exception ends a function.
    fn check_unwound(&mut self, function: FuncId, results: &[Operand]) -> Result<(), Stop> {
        let counts = |sites: &Arc<VisibleSites>| sites.scopes[function.0 as usize];
        if !self.program.function(function).unwinds
            || !self.config.sites.as_ref().is_some_and(counts)
            || results.last().is_none_or(|&value| self.value(value) == 0)
        {
            return Ok(());
        }
        Err(self.stop_unsupported(UNWOUND))
    }

    /// If the first function of a thread ends with an exception, calls what ends the program.
    fn call_uncaught(&mut self, results: &[Operand]) -> Result<bool, Stop> {
        let exception = results.last().map_or(0, |&value| self.value(value));
        let (Some(function), true) = (self.image.uncaught, exception != 0) else {
            return Ok(false);
        };
        self.threads[self.running.thread.index()].top().pc = self.running.pc as u32;
        self.push_frame(self.running.thread, function, &[exception])?;
        Ok(true)
    }

    /// The running thread has returned from its first function or called
    /// `pthread_exit`.
    pub(crate) fn end_thread(&mut self, result: u64) -> Stop {
        let returned = self.threads[self.running.thread.index()].frames.is_empty();
        if !returned {
            match self.call_at_end() {
                Ok(false) => {}
                // `pthread_exit` is called again when that has returned.
                Ok(true) => {
                    self.running.entered = true;
                    return Stop::Pending;
                }
                Err(stop) => return stop,
            }
        }
        if !returned && let Err(stop) = self.drain().and_then(|()| self.end_scope(0, true)) {
            return stop;
        }
        if self.running.thread == ThreadId::MAIN && returned {
            return self.exit();
        }
        self.store.publish(result, self.program.pointer_bytes);
        let thread = &mut self.threads[self.running.thread.index()];
        thread.scalars.result = result;
        let locals: SmallVec<[_; 4]> = thread.locals.iter().map(|local| local.1).collect();
        // After pthread_exit the frames stay for the undo log, but their objects end.
        let objects: SmallVec<[_; 4]> = thread.objects.iter().copied().collect();
        for object in locals.into_iter().chain(objects) {
            if self.store.object(object).life == Life::Live {
                self.store.set_life(object, Life::OutOfScope);
            }
        }
        self.record(Action::Exit);
        Stop::Finished
    }

    /// Ends the process as far as this thread goes. What other threads could
    /// still do is explored all the same: nothing of it depends on the exit, so it
    /// could have happened before.
    pub(crate) fn exit(&mut self) -> Stop {
        self.threads.exited = Some(ProcessEnd::Exited);
        self.findings.ends.complete();
        self.record(Action::Exit);
        Stop::Halt(Halt::Exited)
    }

    /// As [`Machine::exit`], in failure. A search that does not look for it goes on as
    /// after an exit.
    pub(crate) fn abort(&mut self) -> Stop {
        self.violate(ViolationKind::Abort, "abort() is called".to_string());
        self.threads.exited = self.threads.exited.max(Some(ProcessEnd::Aborted));
        self.findings.ends.complete();
        self.record(Action::Exit);
        Stop::Halt(Halt::Exited)
    }
}
