//! The unfolding as a host of the evaluator and the library.

use std::rc::Rc;

use heddle_ir::{BinOp, Callee, Compare, GlobalId, Operand, Ordering, Reg, RmwOp, Ty};
use heddle_sat::Term;
use heddle_semantics::{
    Assumption, Flow, Host, InputKind, MutexOp, Processor, StackObject, SyncOp, ViolationKind,
};
use heddle_semantics::{Number, compares, computes_with};

use crate::bounded::Action;
use crate::symbolic::Symbolic;
use crate::unfold::objects::{Contents, Identity, Kind, Object};
use crate::unfold::{Dead, Unfolder};

/// The longest text that is looked at.
const MAX_TEXT: u64 = 4096;

impl Unfolder<'_> {
    pub(crate) fn address(&mut self, object: u32) -> Term {
        let width = self.program.pointer_bits();
        self.symbolic.terms.constant(self.objects.base(object), width)
    }

    fn text_byte(&self, addr: u64) -> Option<u8> {
        let object = self.objects.at(addr)?;
        let known = &self.objects.all[object as usize];
        match &known.contents {
            Contents::Bytes(data) if known.constant => {
                data.get(self.objects.offset(object, addr) as usize).copied()
            }
            _ => None,
        }
    }

    pub(crate) fn thread_locals(&self) -> Vec<u32> {
        let globals = 0..self.program.globals.len() as u32;
        globals
            .filter_map(|at| {
                self.interned.get(&Identity::ThreadLocal(self.current, GlobalId(at))).copied()
            })
            .collect()
    }
}

impl Processor for Unfolder<'_> {
    type Dom = Symbolic;
    type Stop = Dead;

    fn domain(&mut self) -> &mut Symbolic {
        &mut self.symbolic
    }

    fn pointer_bits(&self) -> u32 {
        self.program.pointer_bits()
    }

    fn operand(&mut self, operand: Operand, width: u32) -> Term {
        self.value(operand, width)
    }

    fn assign(&mut self, reg: Reg, value: Term) {
        let frame = self.state.top();
        Rc::make_mut(&mut frame.regs)[reg.0 as usize] = Some(value);
    }

    fn check(
        &mut self,
        bad: &Term,
        kind: ViolationKind,
        _: &dyn Fn() -> String,
    ) -> Result<(), Dead> {
        self.note_violation(*bad, kind);
        if self.symbolic.terms.as_constant(*bad) == Some(1) { Err(Dead) } else { Ok(()) }
    }

    fn checks_overflow(&self) -> bool {
        self.overflow
    }

    fn number(&self, value: &Term) -> Option<u64> {
        self.symbolic.terms.as_constant(*value)
    }

    fn note_comparison(&mut self, a: &Term, b: &Term) {
        self.note_null_test(*a, *b);
        if self.freed.is_empty() || self.reuse {
            return;
        }
        let blocks = |this: &Self, term: Term| -> Vec<u32> {
            let values = this.symbolic.terms.values(term).unwrap_or(&[]);
            let objects = values.iter().filter_map(|&value| this.objects.at(value));
            objects.filter(|&id| this.objects.all[id as usize].kind == Kind::Heap).collect()
        };
        let (left, right) = (blocks(self, *a), blocks(self, *b));
        let meets = |x: &u32, y: &u32| x != y && (self.freed.contains(x) || self.freed.contains(y));
        self.reuse = left.iter().any(|x| right.iter().any(|y| meets(x, y)));
    }

    fn note_computation(&mut self, op: BinOp, a: &Term, b: &Term) {
        let width = self.program.pointer_bits();
        self.note_numbers(*a, *b, &|a, b| computes_with(op, width, a, b));
    }

    fn note_order(&mut self, pred: Compare, a: &Term, b: &Term) {
        let width = self.program.pointer_bits();
        self.note_numbers(*a, *b, &|a, b| compares(pred, width, a, b));
    }

    fn note_truncation(&mut self, value: &Term) {
        let is_address = |a: Number, _: Number| matches!(a, Number::Address { .. });
        self.note_numbers(*value, *value, &is_address);
    }

    fn unsupported(&mut self, what: String) -> Dead {
        self.note_unsupported(what);
        Dead
    }

    fn load(&mut self, addr: &Term, ty: Ty, _: Option<Ordering>) -> Result<Term, Dead> {
        self.load_from(*addr, ty)
    }

    fn store(
        &mut self,
        addr: &Term,
        ty: Ty,
        value: &Term,
        order: Option<Ordering>,
    ) -> Result<(), Dead> {
        self.store_to(*addr, ty, *value, order)
    }

    fn rmw(
        &mut self,
        op: RmwOp,
        addr: &Term,
        ty: Ty,
        value: &Term,
        _: Ordering,
    ) -> Result<Term, Dead> {
        self.modify(op, *addr, ty, *value)
    }

    fn cmpxchg(
        &mut self,
        addr: &Term,
        ty: Ty,
        expected: &Term,
        new: &Term,
        _: (Ordering, Ordering),
    ) -> Result<(Term, Term), Dead> {
        self.exchange(*addr, ty, *expected, *new)
    }

    fn fence(&mut self, order: Ordering) -> Result<(), Dead> {
        if self.weak && !self.state.alone {
            self.begin_operation();
            let point = self.point();
            self.push_plain(point, Action::Fence { order });
            self.note_operation(None);
        }
        Ok(())
    }

    fn stack_alloc(&mut self, bytes: &Term, object: StackObject<'_>) -> Result<Term, Dead> {
        let name = object.name.clone().unwrap_or_else(|| "a stack object".to_string());
        let id = self.new_object(*bytes, Kind::Stack, Contents::Unwritten, name)?;
        self.state.top().objects.push(id);
        self.alignments.insert(id, object.align);
        let function = self.state.top().function;
        let captured = self.captured.get(function.0 as usize);
        if captured.is_some_and(|registers| !registers[object.dst.0 as usize]) {
            self.kept.insert(id);
        }
        Ok(self.address(id))
    }

    fn thread_local(&mut self, global: GlobalId) -> Result<Term, Dead> {
        let identity = Identity::ThreadLocal(self.current, global);
        let id = match self.interned.get(&identity) {
            Some(&id) => id,
            None => {
                let declaration = self.program.global(global);
                let Some(data) = self.objects.initial_bytes(self.program, global) else {
                    let what = format!("thread-local '{}' without definition", declaration.name);
                    return Err(self.unsupported(what));
                };
                let object = Object {
                    base: 0,
                    bytes: declaration.bytes,
                    kind: Kind::ThreadLocal,
                    owner: self.current,
                    constant: false,
                    contents: Contents::Bytes(data),
                    undefined: false,
                    name: declaration.name.clone(),
                };
                let id = self.objects.intern(identity.clone(), object);
                self.interned.insert(identity, id);
                id
            }
        };
        Ok(self.address(id))
    }

    fn call(
        &mut self,
        dsts: &[Reg],
        callee: &Callee,
        args: &[Operand],
        arg_tys: &[Ty],
    ) -> Result<Flow, Dead> {
        match callee {
            Callee::Direct(function) => self.call_one(dsts, *function, args, arg_tys),
            Callee::Indirect(operand) => {
                let addr = self.value(*operand, self.program.pointer_bits());
                match self.symbolic.terms.as_constant(addr).and_then(|at| self.function_at(at)) {
                    Some(function) => self.call_one(dsts, function, args, arg_tys),
                    None => self.call_indirect(dsts, addr, args, arg_tys),
                }
            }
        }
    }

    fn input(&mut self, kind: InputKind) -> Result<Term, Dead> {
        self.begin_operation();
        let value = self.unknown(kind.width);
        let always = self.symbolic.terms.truth(true);
        self.note_effect(always);
        self.note_operation(Some(value));
        Ok(value)
    }
}

impl Host for Unfolder<'_> {
    fn concrete(&mut self, value: &Term) -> Result<u64, Dead> {
        match self.symbolic.terms.as_constant(*value) {
            Some(bits) => Ok(bits),
            None => Err(self.unsupported("a library call that needs a constant".to_string())),
        }
    }

    fn allocate(&mut self, bytes: &Term, zeroed: bool) -> Result<Term, Dead> {
        self.heap_block(*bytes, zeroed)
    }

    fn note_alignment(&mut self, block: &Term, align: u64) {
        for value in self.symbolic.terms.values(*block).unwrap_or(&[]).to_vec() {
            if let Some(object) = self.objects.at(value) {
                self.alignments.insert(object, align);
            }
        }
    }

    fn note_sure(&mut self, block: &Term) {
        for value in self.symbolic.terms.values(*block).unwrap_or(&[]).to_vec() {
            self.null_tests.made_block(value, true);
        }
    }

    fn allocations_fail(&self) -> bool {
        self.program.allocations_fail
    }

    fn reallocate(&mut self, addr: &Term, bytes: &Term) -> Result<Term, Dead> {
        self.reallocate_block(*addr, *bytes)
    }

    fn free(&mut self, addr: &Term) -> Result<(), Dead> {
        self.free_block(*addr)
    }

    fn stack_depth(&mut self) -> Term {
        let width = self.program.pointer_bits();
        let depth = self.state.top().objects.len() as u64;
        self.symbolic.terms.constant(depth, width)
    }

    fn leave_scope(&mut self, depth: &Term) -> Result<(), Dead> {
        let depth = self.concrete(depth)? as usize;
        self.end_private_objects(depth);
        Ok(())
    }

    fn constant_bytes(&mut self, addr: &Term) -> Option<Vec<u8>> {
        let addr = self.symbolic.terms.as_constant(*addr)?;
        let mut bytes = Vec::new();
        for at in addr..addr + MAX_TEXT {
            match self.text_byte(at)? {
                0 => break,
                byte => bytes.push(byte),
            }
        }
        Some(bytes)
    }

    fn assume(&mut self, cond: &Term) -> Result<(), Dead> {
        let fails = self.symbolic.terms.not(*cond);
        let guard = self.symbolic.terms.and(self.state.guard, fails);
        if self.symbolic.terms.as_constant(guard) != Some(0) {
            let point = self.latest_point();
            self.threads[self.current as usize].drops.push((point, guard));
            self.ends.assumption_failed(self.span());
        }
        self.state.guard = self.symbolic.terms.and(self.state.guard, *cond);
        if self.symbolic.terms.as_constant(self.state.guard) == Some(0) {
            Err(Dead)
        } else {
            Ok(())
        }
    }

    fn fail(&mut self, kind: ViolationKind, _: String) -> Dead {
        let always = self.symbolic.terms.truth(true);
        self.note_violation(always, kind);
        Dead
    }

    fn exit_process(&mut self) -> Dead {
        self.note_exit();
        Dead
    }

    fn end_process(&mut self) -> Dead {
        if self.call_at_exit() {
            self.entered = true;
        } else {
            self.note_exit();
        }
        Dead
    }

    fn abort_process(&mut self) -> Dead {
        let always = self.symbolic.terms.truth(true);
        self.note_violation(always, ViolationKind::Abort);
        self.note_exit();
        Dead
    }

    fn note(&mut self, assumption: Assumption) {
        self.assumed.note(assumption);
    }

    fn atomic_begin(&mut self) -> Result<(), Dead> {
        if self.state.atomic == 0 {
            self.begin_event()?;
        }
        if !self.state.alone && self.state.atomic == 0 {
            self.begin_operation();
            let point = self.point();
            self.push_plain(point, Action::Drain);
            self.state.section = Some(point);
            self.note_operation(None);
        }
        self.state.atomic += 1;
        Ok(())
    }

    fn atomic_end(&mut self) -> Result<(), Dead> {
        self.leave_section();
        Ok(())
    }

    fn wants_output(&self) -> bool {
        false
    }

    fn output(&mut self, _: &[u8]) {}

    fn end_output(&mut self) {}

    fn next_thread(&mut self) -> Term {
        let thread = self.intern_thread();
        self.handle(thread)
    }

    fn spawn(&mut self, entry: &Term, arg: &Term) -> Result<Term, Dead> {
        self.spawn_thread(*entry, *arg)
    }

    fn join(&mut self, thread: &Term) -> Result<Result<Term, Term>, Dead> {
        self.join_thread(*thread)
    }

    fn detach(&mut self, thread: &Term) -> Result<Term, Dead> {
        self.detach_thread(*thread)
    }

    fn this_thread(&mut self) -> Term {
        self.handle(self.current)
    }

    fn is_main(&self) -> bool {
        self.current == 0
    }

    fn exit_thread(&mut self, value: &Term) -> Dead {
        if !self.call_at_end() {
            if self.end_scope(0, true).is_ok() {
                self.note_end(*value, self.site());
            }
        } else {
            self.entered = true;
        }
        Dead
    }

    fn mutex(&mut self, op: MutexOp, addr: &Term) -> Result<Term, Dead> {
        self.mutex_op(op, *addr)
    }

    fn sync(&mut self, op: SyncOp, addr: &Term) -> Result<Term, Dead> {
        self.sync_op(op, *addr)
    }

    fn wait(&mut self, condition: &Term, mutex: &Term, timed: bool) -> Result<Term, Dead> {
        self.condition_wait(*condition, *mutex, timed)
    }

    fn set_errno(&mut self, number: &Term, when: &Term) -> Result<(), Dead> {
        let at = self.program.globals.iter().position(|global| global.name == "__heddle_errno");
        let never = self.symbolic.terms.as_constant(*when) == Some(0);
        let Some(at) = at.filter(|_| !never) else { return Ok(()) };
        let addr = self.thread_local(GlobalId(at as u32))?;
        let old = self.load(&addr, Ty::Int(32), None)?;
        let value = self.symbolic.terms.select(*when, *number, old);
        self.store(&addr, Ty::Int(32), &value, None)
    }
}
