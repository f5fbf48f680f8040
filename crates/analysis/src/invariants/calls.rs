//! Calls of functions with a body: each is analysed where it is called.

use heddle_ir::{Callee, FuncId, Operand, Reg, Ty};

use super::flow::Frame;
use super::objects::{Object, ObjectId};
use super::state::{Lock, State, as_cell, register_var};
use super::value::Value;
use super::{Analysis, Stop};
use crate::library::is_library;

/// The arguments of a call and their types.
pub type Arguments<'a> = (&'a [Operand], &'a [Ty]);

impl Analysis<'_> {
    pub(super) fn call(
        &mut self,
        frame: &Frame,
        state: State,
        results: &[Reg],
        callee: &Callee,
        arguments: Arguments,
    ) -> Result<Option<State>, Stop> {
        let targets = match callee {
            Callee::Direct(id) => vec![*id],
            Callee::Indirect(operand) => self.functions(frame, &state, *operand)?,
        };
        let mut after: Option<State> = None;
        for target in targets {
            let function = self.program.function(target);
            let state = state.clone();
            let returned = match is_library(function) {
                true => self.library_call(frame, state, target, results, arguments)?,
                false => self.call_body(frame, state, target, results, arguments)?,
            };
            after = match (after, returned) {
                (Some(a), Some(b)) => Some(a.join(&b)),
                (a, b) => a.or(b),
            };
        }
        // Who may come between, and what is locked, may be another now.
        Ok(after.map(|mut after| {
            self.drop_unsteady(&mut after);
            after
        }))
    }

    pub(super) fn functions(
        &mut self,
        frame: &Frame,
        state: &State,
        it: Operand,
    ) -> Result<Vec<FuncId>, Stop> {
        let value = self.operand(frame, state, it, self.pointer_bits());
        let Value::Pointer(pointer) = &value else {
            return Err(self.give_up("what is called is not known"));
        };
        let function = |id: ObjectId| match self.objects.get(id) {
            Object::Function(function) => Some(function),
            _ => None,
        };
        let targets: Option<Vec<FuncId>> = pointer.targets.keys().map(|&id| function(id)).collect();
        match targets.filter(|all| !all.is_empty() && !pointer.null) {
            Some(targets) => Ok(targets),
            None => Err(self.give_up("what is called is not known")),
        }
    }

    fn call_body(
        &mut self,
        frame: &Frame,
        mut state: State,
        target: FuncId,
        results: &[Reg],
        (arguments, _): Arguments,
    ) -> Result<Option<State>, Stop> {
        let function = self.program.function(target);
        if function.variadic || arguments.len() != function.params.len() {
            return Err(self.give_up("a call with a variable number of arguments"));
        }
        if self.is_running(frame, target) {
            return Err(self.give_up("a function calls itself"));
        }
        if self.recording {
            self.deeds.entry((self.class, self.at)).or_default().calls.insert(target);
        }
        let atomic = function.name.starts_with("__VERIFIER_atomic_");
        if atomic && !self.acquire(&mut state, Lock::Atomic) {
            return Ok(None);
        }
        let base = frame.base + self.program.function(frame.function).regs.len() as u32;
        self.path.push(self.at);
        let context = self.context(target);
        let callee = Frame {
            function: target,
            context,
            base,
            results: results.iter().map(|reg| frame.register(*reg)).collect(),
            widths: results.iter().map(|reg| self.width_of(frame, *reg)).collect(),
        };
        for (param, argument) in function.params.iter().zip(arguments) {
            let width = self.bits(function.regs[param.0 as usize]);
            self.copy(frame, &mut state, callee.register(*param), *argument, width);
        }
        let at = self.at;
        let after = self.run(&callee, state);
        self.path.pop();
        self.at = at;
        let mut after = after?;
        if let Some(state) = &mut after
            && atomic
        {
            self.release(state, Lock::Atomic);
        }
        Ok(after)
    }

    fn is_running(&self, frame: &Frame, target: FuncId) -> bool {
        frame.function == target || self.path.iter().any(|site| site.function == target)
    }

    /// The state after a function has returned: its registers and variables are gone.
    pub(super) fn return_from(
        &mut self,
        frame: &Frame,
        mut state: State,
        values: &[Operand],
    ) -> Result<State, Stop> {
        for (at, &value) in values.iter().enumerate() {
            if let (Some(&var), Some(&width)) = (frame.results.get(at), frame.widths.get(at)) {
                self.copy(frame, &mut state, var, value, width);
            }
        }
        let low = register_var(frame.base);
        let own = |var: u32| as_cell(var).is_none() && var >= low && !frame.results.contains(&var);
        let gone: Vec<u32> = state.values.keys().copied().filter(|&var| own(var)).collect();
        gone.into_iter().for_each(|var| state.forget(var));
        let ends_process = self.path.is_empty() && frame.function == self.entry;
        if !ends_process {
            self.end_variables(frame, &mut state)?;
        }
        if !ends_process && self.path.is_empty() {
            self.end_locals(&state);
        }
        Ok(state)
    }

    /// The end of a thread is a write to its thread-local variables, for whoever has their
    /// addresses.
    pub(super) fn end_locals(&mut self, state: &State) {
        let own = |id: &ObjectId| matches!(self.objects.get(*id), Object::Local(class, _) if class == self.class);
        let all = (0..self.objects.count()).map(ObjectId);
        let ending: Vec<ObjectId> = all.filter(own).collect();
        let cells: Vec<_> = ending.into_iter().flat_map(|id| self.objects.cells_of(id)).collect();
        cells.into_iter().for_each(|cell| self.note_access(state, cell, true, false));
    }

    /// A thread ends in the middle of calls.
    pub(super) fn abandon_frames(&mut self) -> Result<(), Stop> {
        let own = |id: ObjectId| match self.objects.get(id) {
            Object::Stack(context, _) => self.context_classes[context.0 as usize] == self.class,
            _ => false,
        };
        let mut all = (0..self.objects.count()).map(ObjectId);
        match all.any(|id| own(id) && self.objects.escaped[id.0 as usize]) {
            true => Err(self.give_up("the address of a variable may outlive it")),
            false => Ok(()),
        }
    }

    /// Variables of a function cease to exist. Whoever could still have their address is not
    /// followed any further.
    fn end_variables(&mut self, frame: &Frame, state: &mut State) -> Result<(), Stop> {
        if self.keep_variables {
            return Ok(());
        }
        let dying = |id: ObjectId| matches!(self.objects.get(id), Object::Stack(context, _) if context == frame.context);
        let all = (0..self.objects.count()).map(ObjectId);
        let objects: Vec<ObjectId> = all.filter(|&id| dying(id)).collect();
        if objects.is_empty() {
            return Ok(());
        }
        if objects.iter().any(|id| self.objects.escaped[id.0 as usize]) {
            return Err(self.give_up("the address of a variable may outlive it"));
        }
        for id in &objects {
            for cell in self.objects.cells_of(*id) {
                state.forget(super::state::cell_var(cell));
            }
        }
        let kept = state.values.values().any(|value| value.objects().any(dying));
        match kept {
            true => Err(self.give_up("the address of a variable outlives it")),
            false => Ok(()),
        }
    }
}
