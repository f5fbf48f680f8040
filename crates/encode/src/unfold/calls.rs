//! Calls in the unfolding: of functions, of library models, through pointers.

use heddle_ir::{FuncId, Operand, Reg, Ty};
use heddle_sat::Term;
use heddle_semantics::library::Outcome;
use heddle_semantics::{Flow, Host, Processor, ViolationKind};

use crate::bounded::Goal;
use crate::unfold::objects::Kind;
use crate::unfold::targets::NULL_PAGE;
use crate::unfold::{Dead, Unfolder};

impl Unfolder<'_> {
    /// The function at an address that is constant.
    pub(crate) fn function_at(&mut self, addr: u64) -> Option<FuncId> {
        let object = self.objects.at(addr)?;
        match self.objects.all[object as usize].kind {
            Kind::Function(function) if self.objects.offset(object, addr) == 0 => Some(function),
            _ => None,
        }
    }

    pub(crate) fn call_one(
        &mut self,
        dsts: &[Reg],
        target: FuncId,
        args: &[Operand],
        arg_tys: &[Ty],
    ) -> Result<Flow, Dead> {
        let pointer = self.program.pointer_bytes;
        let values: Vec<Term> =
            args.iter().zip(arg_tys).map(|(&arg, ty)| self.value(arg, ty.bits(pointer))).collect();
        let function = self.program.function(target);
        if let Some(handler) = self.library[target.0 as usize] {
            self.in_library = Some(target);
            let outcome = handler(self, &values, arg_tys);
            self.in_library = None;
            if std::mem::take(&mut self.entered) {
                // Whoever set up the call has queued it.
                return Err(Dead);
            }
            let mut results = dsts.iter();
            if let Outcome::Value(value) = outcome?
                && let Some(&dst) = results.next()
            {
                self.assign(dst, value);
            }
            // No model throws.
            for &dst in results {
                let none = self.symbolic.terms.constant(0, self.program.pointer_bits());
                self.assign(dst, none);
            }
            return Ok(Flow::Next);
        }
        if function.is_declaration() {
            let what = format!("call of {}(), which has no body and no model", function.name);
            return Err(self.unsupported(what));
        }
        if self.is_too_deep(target) {
            self.note_check(self.state.guard, Goal::Unwind(self.unwind), self.span());
            return Err(Dead);
        }
        if self.atomic_functions[target.0 as usize] {
            self.atomic_begin()?;
        }
        let pc = self.pc;
        self.state.top().pc = pc + 1;
        self.push_frame(target, &values);
        Ok(Flow::Enter)
    }

    /// A call through a pointer: each function it may lead to, in states of their
    /// own.
    pub(crate) fn call_indirect(
        &mut self,
        dsts: &[Reg],
        addr: Term,
        args: &[Operand],
        arg_tys: &[Ty],
    ) -> Result<Flow, Dead> {
        let Some(values) = self.symbolic.terms.values(addr).map(|values| values.to_vec()) else {
            return Err(self.unsupported("a call through an unknown pointer".to_string()));
        };
        let state = self.state.clone();
        let pc = self.pc;
        let several = values.len() > 1;
        for value in values {
            self.state = state.clone();
            self.pc = pc;
            let is = self.symbolic.equals(addr, value);
            self.state.guard = self.symbolic.terms.and(state.guard, is);
            if self.symbolic.terms.as_constant(self.state.guard) == Some(0) {
                continue;
            }
            let Some(function) = self.function_at(value) else {
                let kind = match value < NULL_PAGE {
                    true => ViolationKind::NullDereference,
                    false => ViolationKind::OutOfBounds,
                };
                let always = self.symbolic.terms.truth(true);
                self.note_violation(always, kind);
                continue;
            };
            match self.call_one(dsts, function, args, arg_tys) {
                Ok(flow) if !several => return Ok(flow),
                Ok(Flow::Enter) => self.requeue(),
                Ok(Flow::Next) => {
                    self.state.top().pc = pc + 1;
                    self.requeue();
                }
                Err(Dead) => {}
            }
        }
        Err(Dead)
    }

    fn requeue(&mut self) {
        let state = self.state.clone();
        self.enqueue(state);
    }
}
