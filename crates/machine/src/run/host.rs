//! The interpreter as a [`Host`].

use heddle_ir::{BinOp, Callee, Compare, GlobalId, Operand, Ordering, Reg, RmwOp, Ty};

use heddle_semantics::{
    Assumption, Concrete, Draining, FenceRule, Flow, Host, InputKind, MemoryModel, MutexOp, Number,
    Processor, StackObject, SyncOp, ViolationKind, compares, computes_with,
};

use crate::Machine;
use crate::machine::Stop;
use crate::observers::record::Action;
use crate::run::chosen::Chosen;
use crate::store::Contents;
use crate::threads::thread::{Halt, Pending};

/// Longest text that a message may have.
const MAX_TEXT: u64 = 1 << 16;

impl<M: MemoryModel> Machine<'_, M> {
    #[inline]
    pub(crate) fn register(&self, reg: Reg) -> u64 {
        self.threads[self.running.thread.index()].regs[self.running.base + reg.0 as usize]
    }

    #[inline]
    pub(crate) fn set(&mut self, reg: Reg, value: u64) {
        let index = self.running.base + reg.0 as usize;
        if self.undo.budget != 0 {
            self.log_register(index);
        }
        self.threads[self.running.thread.index()].regs[index] = value;
    }

    #[inline]
    pub(crate) fn value(&self, operand: Operand) -> u64 {
        match operand {
            Operand::Reg(reg) => self.register(reg),
            Operand::Const(bits) => bits,
            Operand::Global(id, offset) => {
                self.image.global_addrs[id.0 as usize].wrapping_add(offset as u64)
            }
            Operand::Function(id) => self.image.function_addrs[id.0 as usize],
        }
    }
}

impl<M: MemoryModel> Machine<'_, M> {
    /// Runs an access of the given memory order.
    #[inline]
    pub(crate) fn ordered<T>(
        &mut self,
        order: Option<Ordering>,
        access: impl FnOnce(&mut Self) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        self.running.access_order = order;
        let result = access(self);
        self.running.access_order = None;
        if self.watch.visits.is_some() && matches!(result, Ok(_) | Err(Stop::Undefined)) {
            self.note_visit();
        }
        result
    }

    /// The value that is given for an input, which is asked for else.
    pub(crate) fn input_value(&mut self, kind: InputKind) -> Result<u64, Stop> {
        match self.running.given.take() {
            Some(value) => {
                let value = heddle_semantics::mask(value, kind.width);
                self.note_input(value, kind);
                Ok(value)
            }
            None => Err(self.wait_for_input(kind)),
        }
    }
}

impl<M: MemoryModel> Machine<'_, M> {
    /// An operation of a library call, which is made once: when the call runs again from
    /// its start, it gives what it gave.
    #[inline(never)]
    pub(crate) fn once(
        &mut self,
        operation: impl FnOnce(&mut Self) -> Result<u64, Stop>,
    ) -> Result<u64, Stop> {
        match self.running.in_library {
            None => operation(self),
            Some(_) => self.remember(operation),
        }
    }

    /// The same for any instruction that is executed again from its start.
    pub(crate) fn remember(
        &mut self,
        operation: impl FnOnce(&mut Self) -> Result<u64, Stop>,
    ) -> Result<u64, Stop> {
        let (thread, at) = (self.running.thread.index(), self.running.operations);
        self.running.operations += 1;
        if let Some(&result) = self.threads[thread].scalars.done.get(at) {
            return Ok(result);
        }
        let result = operation(self)?;
        self.threads[thread].scalars.done.push(result);
        Ok(result)
    }

    /// The same for one without a result.
    pub(crate) fn once_only(
        &mut self,
        operation: impl FnOnce(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        self.once(|machine| operation(machine).map(|()| 0)).map(|_| ())
    }

    fn pass_fence(&mut self, order: Ordering) -> Result<(), Stop> {
        let scalars = &mut self.threads[self.running.thread.index()].scalars;
        let time = scalars.steps + scalars.stores;
        let both = matches!(order, Ordering::AcqRel | Ordering::SeqCst);
        if both || order == Ordering::Acquire {
            scalars.fences.acquire();
        }
        if both || order == Ordering::Release {
            scalars.fences.release(time);
        }
        match self.model.fence(order) {
            FenceRule::Nothing => {}
            FenceRule::Order => {
                let scalars = &mut self.threads[self.running.thread.index()].scalars;
                scalars.ordered = scalars.stores;
            }
            FenceRule::Drain => self.drain()?,
        }
        Ok(())
    }
}

impl<M: MemoryModel> Processor for Machine<'_, M> {
    type Dom = Concrete;
    type Stop = Stop;

    #[inline]
    fn domain(&mut self) -> &mut Concrete {
        &mut self.domain
    }

    #[inline]
    fn pointer_bits(&self) -> u32 {
        self.program.pointer_bits()
    }

    #[inline]
    fn operand(&mut self, operand: Operand, _width: u32) -> u64 {
        self.value(operand)
    }

    #[inline]
    fn assign(&mut self, reg: Reg, value: u64) {
        self.set(reg, value);
    }

    #[inline]
    fn check(
        &mut self,
        bad: &u64,
        kind: ViolationKind,
        message: &dyn Fn() -> String,
    ) -> Result<(), Stop> {
        if *bad != 0 { Err(self.violate(kind, message())) } else { Ok(()) }
    }

    #[inline]
    fn checks_overflow(&self) -> bool {
        self.config.overflow
    }

    #[inline]
    fn number(&self, value: &u64) -> Option<u64> {
        Some(*value)
    }

    #[inline]
    fn note_use(&mut self, value: &u64, equality: bool) {
        self.note_number(*value, equality);
    }

    #[inline]
    fn note_comparison(&mut self, a: &u64, b: &u64) {
        if *a == 0 || *b == 0 {
            return self.note_null_test(*a | *b);
        }
        // They might be equal if the allocator gave out again what was freed.
        let freed = a != b && (self.is_given_back(*a) || self.is_given_back(*b));
        if freed && self.store.are_two_blocks(*a, *b) {
            self.findings.bounds.reuse = true;
        }
    }

    #[inline]
    fn note_computation(&mut self, op: BinOp, a: &u64, b: &u64) {
        if self.looks_at_numbers(*a | *b) {
            let numbers = (self.as_number(*a), self.as_number(*b));
            let width = self.program.pointer_bits();
            let depends = computes_with(op, width, numbers.0, numbers.1);
            // Taken apart again they are the same, but not if objects change places between.
            self.note_dependence(depends, depends || op == BinOp::Xor, numbers);
        }
    }

    #[inline]
    fn note_order(&mut self, pred: Compare, a: &u64, b: &u64) {
        if self.looks_at_numbers(*a | *b) {
            let numbers = (self.as_number(*a), self.as_number(*b));
            let width = self.program.pointer_bits();
            let depends = compares(pred, width, numbers.0, numbers.1);
            self.note_dependence(depends, depends, numbers);
        }
    }

    #[inline]
    fn note_truncation(&mut self, value: &u64) {
        if self.looks_at_numbers(*value) {
            let number = self.as_number(*value);
            let depends = matches!(number, Number::Address { .. });
            self.note_dependence(depends, depends, (number, Number::Plain(0)));
        }
    }

    fn unsupported(&mut self, what: String) -> Stop {
        self.stop_unsupported(&what)
    }

    fn load(&mut self, addr: &u64, ty: Ty, order: Option<Ordering>) -> Result<u64, Stop> {
        if self.running.in_library.is_none() {
            return self.ordered(order, |machine| machine.load_scalar(*addr, ty));
        }
        self.once(|machine| machine.ordered(order, |machine| machine.load_scalar(*addr, ty)))
    }

    fn store(
        &mut self,
        addr: &u64,
        ty: Ty,
        value: &u64,
        order: Option<Ordering>,
    ) -> Result<(), Stop> {
        if self.running.in_library.is_none() {
            return self.ordered(order, |machine| machine.store_scalar(*addr, ty, *value, order));
        }
        self.once_only(|machine| {
            machine.ordered(order, |machine| machine.store_scalar(*addr, ty, *value, order))
        })
    }

    fn rmw(
        &mut self,
        op: RmwOp,
        addr: &u64,
        ty: Ty,
        value: &u64,
        order: Ordering,
    ) -> Result<u64, Stop> {
        self.ordered(Some(order), |machine| machine.rmw_scalar(op, *addr, ty, *value))
    }

    fn cmpxchg(
        &mut self,
        addr: &u64,
        ty: Ty,
        expected: &u64,
        new: &u64,
        (success, failure): (Ordering, Ordering),
    ) -> Result<(u64, u64), Stop> {
        self.ordered(Some(success), |machine| {
            machine.cmpxchg_scalar(*addr, ty, *expected, *new, failure)
        })
    }

    fn fence(&mut self, order: Ordering) -> Result<(), Stop> {
        self.once_only(|machine| machine.pass_fence(order))
    }

    fn stack_alloc(&mut self, bytes: &u64, object: StackObject<'_>) -> Result<u64, Stop> {
        self.running.operations = 0;
        let chosen = self.chosen(*bytes)?;
        self.threads[self.running.thread.index()].scalars.done.clear();
        self.stack_object(*bytes, object, &chosen)
    }

    fn thread_local(&mut self, global: GlobalId) -> Result<u64, Stop> {
        self.local_instance(global)
    }

    fn call(
        &mut self,
        dsts: &[Reg],
        callee: &Callee,
        args: &[Operand],
        arg_tys: &[Ty],
    ) -> Result<Flow, Stop> {
        self.call_function(dsts, callee, args, arg_tys)
    }

    fn input(&mut self, kind: InputKind) -> Result<u64, Stop> {
        self.once(|machine| {
            let value = machine.input_tracked(kind)?;
            match value.word.is_defined() {
                true => Ok(value.word.bits),
                false => Err(machine.leave_undefined(value, false)),
            }
        })
    }
}

impl<M: MemoryModel> Host for Machine<'_, M> {
    fn concrete(&mut self, value: &u64) -> Result<u64, Stop> {
        Ok(*value)
    }

    fn allocate(&mut self, bytes: &u64, zeroed: bool) -> Result<u64, Stop> {
        let chosen = if zeroed { Chosen::new() } else { self.chosen(*bytes)? };
        let contents = if zeroed { Contents::Zero } else { Contents::Unwritten };
        self.once(|machine| machine.heap_object(*bytes, contents, &chosen))
    }

    fn has_endless_wakeups(&self) -> bool {
        self.config.endless_wakeups
    }

    fn note_alignment(&mut self, block: &u64, align: u64) {
        self.note_aligned(*block, align);
    }

    fn note_sure(&mut self, block: &u64) {
        self.findings.null_tests.made_block(*block, true);
    }

    fn allocations_fail(&self) -> bool {
        self.program.allocations_fail
    }

    fn reallocate(&mut self, addr: &u64, bytes: &u64) -> Result<u64, Stop> {
        let chosen = self.chosen(*bytes)?;
        self.once(|machine| machine.reallocate_block(*addr, *bytes, &chosen))
    }

    fn free(&mut self, addr: &u64) -> Result<(), Stop> {
        self.once_only(|machine| machine.free_block(*addr))
    }

    fn stack_depth(&mut self) -> u64 {
        let thread = &mut self.threads[self.running.thread.index()];
        let first = thread.top().objects as usize;
        (thread.objects.len() - first) as u64
    }

    fn leave_scope(&mut self, depth: &u64) -> Result<(), Stop> {
        self.end_private_objects(*depth as usize);
        Ok(())
    }

    fn constant_bytes(&mut self, addr: &u64) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        for at in *addr..*addr + MAX_TEXT {
            let (object, offset) = self.store.resolve(at, 1).ok()?;
            if !self.store.object(object).constant {
                return None;
            }
            match self.store.read(object, offset, 1) {
                0 => break,
                byte => bytes.push(byte as u8),
            }
        }
        Some(bytes)
    }

    fn assume(&mut self, cond: &u64) -> Result<(), Stop> {
        if *cond != 0 {
            return Ok(());
        }
        if self.findings.ends.wants_more() {
            let here = self.here();
            self.findings.ends.assumption_failed(here);
        }
        self.record(Action::AssumptionFailed);
        Err(Stop::Halt(Halt::Assumption))
    }

    fn fail(&mut self, kind: ViolationKind, message: String) -> Stop {
        self.violate(kind, message)
    }

    fn fail_uncaught(&mut self, info: &u64, what: &u64, position: &u64) -> Stop {
        self.violate_uncaught(*info, *what, *position)
    }

    fn position(&mut self) -> u64 {
        crate::run::uncaught::pack(self.here())
    }

    fn exit_process(&mut self) -> Stop {
        self.exit()
    }

    fn end_process(&mut self) -> Stop {
        match self.call_at_exit() {
            // `exit` is called again when that has returned.
            Ok(true) => {
                self.running.entered = true;
                Stop::Pending
            }
            Ok(false) => self.exit(),
            Err(stop) => stop,
        }
    }

    fn abort_process(&mut self) -> Stop {
        self.abort()
    }

    fn atomic_begin(&mut self) -> Result<(), Stop> {
        self.leave_quiet()?;
        let alone = self.alone() && self.config.sites.is_none();
        if !alone && self.threads[self.running.thread.index()].scalars.atomic == 0 {
            self.visible_step(None, Pending::Drained)?;
            self.event.varies = true;
            self.event.order = Some(Ordering::SeqCst);
            self.record(Action::AtomicBegin);
        }
        self.threads[self.running.thread.index()].scalars.atomic += 1;
        Ok(())
    }

    fn atomic_end(&mut self) -> Result<(), Stop> {
        let depth = &mut self.threads[self.running.thread.index()].scalars.atomic;
        *depth = depth.saturating_sub(1);
        if *depth == 0 && self.event.varies {
            self.record(Action::AtomicEnd);
        }
        Ok(())
    }

    fn wants_output(&self) -> bool {
        self.config.record
    }

    fn output(&mut self, bytes: &[u8]) {
        self.watch.printing.entry(self.running.thread).or_default().extend_from_slice(bytes);
    }

    fn end_output(&mut self) {
        let bytes = self.watch.printing.remove(&self.running.thread).unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        self.record(Action::Output { text });
    }

    fn next_thread(&mut self) -> u64 {
        let nth = self.threads[self.running.thread.index()].scalars.children;
        let child = self.intern(heddle_semantics::ThreadPath {
            parent: self.running.thread,
            nth,
            queue: false,
        });
        self.handle_of(child)
    }

    fn spawn(&mut self, entry: &u64, arg: &u64) -> Result<u64, Stop> {
        self.once(|machine| machine.spawn_thread(*entry, *arg))
    }

    fn join(&mut self, thread: &u64) -> Result<Result<u64, u64>, Stop> {
        let mut error = 0;
        let value = self.once(|machine| {
            let joined = machine.join_thread(*thread)?;
            error = joined.err().unwrap_or(0);
            Ok(joined.unwrap_or(0))
        })?;
        let error = self.once(|_| Ok(error))?;
        self.running.handed = self.undefined_result(*thread);
        Ok(if error == 0 { Ok(value) } else { Err(error) })
    }

    fn join_unheard(&mut self, thread: &u64) -> Result<Result<u64, u64>, Stop> {
        self.join_with_others(*thread)
    }

    fn detach(&mut self, thread: &u64) -> Result<u64, Stop> {
        Ok(self.detach_thread(*thread))
    }

    fn this_thread(&mut self) -> u64 {
        self.handle_of(self.running.thread)
    }

    fn is_main(&self) -> bool {
        self.running.thread == heddle_semantics::ThreadId::MAIN
    }

    fn exit_thread(&mut self, value: &u64) -> Stop {
        self.end_thread(*value)
    }

    fn mutex(&mut self, op: MutexOp, addr: &u64) -> Result<u64, Stop> {
        if self.model.buffers() && op.draining() == Draining::Plain {
            return self.mutex_plainly(op, *addr);
        }
        self.once(|machine| machine.mutex_op(op, *addr))
    }

    fn sync(&mut self, op: SyncOp, addr: &u64) -> Result<u64, Stop> {
        if self.model.buffers() && op.draining() == Draining::Plain {
            return self.sync_plainly(op, *addr);
        }
        self.once(|machine| machine.sync_op(op, *addr))
    }

    fn wait(&mut self, condition: &u64, mutex: &u64, timed: bool) -> Result<u64, Stop> {
        self.once(|machine| machine.condition_wait(*condition, *mutex, timed))
    }

    fn begin_wait(&mut self, condition: &u64, mutex: &u64) -> Result<u64, Stop> {
        self.once(|machine| machine.arrive(*condition, *mutex).map(u64::from))
    }

    fn end_wait(&mut self, condition: &u64, waiter: &u64) -> Result<u64, Stop> {
        self.once(|machine| machine.wake(*condition, *waiter as u8, true))
    }

    fn tokens(&mut self, condition: &u64) -> Result<u64, Stop> {
        self.once(|machine| machine.look_at_tokens(*condition))
    }

    fn note(&mut self, assumption: Assumption) {
        self.findings.bounds.note(assumption);
    }

    fn set_errno(&mut self, number: &u64, when: &u64) -> Result<(), Stop> {
        let Some(global) = self.image.errno.filter(|_| *when != 0) else { return Ok(()) };
        let addr = self.local_instance(global)?;
        self.store(&addr, Ty::Int(32), number, None)
    }
}
