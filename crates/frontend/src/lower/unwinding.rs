//! Which functions may end with an exception, or a jump ([`super::jumps`]).
//!
//! A function does if it throws (the support files do so by [`UNWIND`]), or if a call in it
//! may end with one and nothing in it catches all. Where a function may not (`noexcept`, C),
//! the exception ends the program there; a jump leaves those functions, too. A call through a pointer may lead to any function
//! whose address is taken.

use heddle_ir::{FuncId, Symbol, Ty};
use rustc_hash::FxHashSet;

use super::Lowering;
use crate::cancellation::{MAY_CANCEL, is_possible};
use crate::constants::Folded;
use crate::llvm::{BasicBlock, Opcode, Value, ValueKind};
use crate::needs::{BAD_ALLOC, throws_without_memory};

/// Leaves the function that calls it with an exception.
const UNWIND: &str = "__heddle_unwind";
/// The same for a jump.
const UNWIND_JUMP: &str = "__heddle_unwind_jump";
/// Nobody is there behind these for whom a jump could be.
const CALLED_BY_THE_MACHINE: &[&str] = &["__heddle_end_thread", "__heddle_end_process"];

#[derive(Default)]
pub(super) struct Unwinding<'m> {
    /// Functions that may end with an exception.
    throwing: Ending,
    /// Functions that may end with a jump.
    jumping: Ending,
    /// Functions with a body.
    defined: FxHashSet<FuncId>,
    /// Calls of [`UNWIND`] and [`UNWIND_JUMP`].
    leaving: FxHashSet<Value<'m>>,
}

/// Who may end in one of these ways.
#[derive(Default)]
struct Ending {
    functions: FxHashSet<FuncId>,
    /// Calls through pointers may, too.
    indirect: bool,
}

impl Ending {
    fn add(&mut self, body: &Body<'_>) {
        self.functions.insert(body.id);
        self.indirect |= body.is_pointed_to;
    }
}

/// What matters of a function here.
struct Body<'m> {
    id: FuncId,
    /// Calls that no landing pad looks after.
    calls: Vec<Value<'m>>,
    invokes: Vec<Value<'m>>,
    resumes: bool,
    is_pointed_to: bool,
    is_nounwind: bool,
    /// No function of the program has called it.
    is_last: bool,
}

impl<'m> Lowering<'m> {
    /// Finds the functions that may end with an exception, and gives each the exception as
    /// one more result.
    pub(super) fn find_unwinding(&mut self, functions: &[Value<'m>]) {
        let defined = functions.iter().filter(|function| !function.is_declaration());
        self.unwinding.defined = defined.map(|f| self.constants.functions[f]).collect();
        let bodies: Vec<Body<'m>> = functions
            .iter()
            .filter(|function| !function.is_declaration())
            .map(|&function| self.body(function))
            .collect();
        let throws = self.calls_of(UNWIND, &bodies);
        let jumps = self.calls_of(UNWIND_JUMP, &bodies);
        loop {
            let before = self.unwinding.throwing.functions.len();
            for body in bodies.iter().filter(|body| !body.is_nounwind) {
                let leaves = |call: &Value<'m>| self.may_throw(*call) || throws.contains(call);
                let unwinds = body.calls.iter().any(leaves)
                    || body.resumes && body.invokes.iter().any(|call| self.may_throw(*call));
                if unwinds {
                    self.unwinding.throwing.add(body);
                }
            }
            if self.unwinding.throwing.functions.len() == before {
                break;
            }
        }
        loop {
            let before = self.unwinding.jumping.functions.len();
            for body in bodies.iter().filter(|body| !body.is_last) {
                let leaves = |call: &Value<'m>| self.may_jump(*call) || jumps.contains(call);
                if body.calls.iter().chain(&body.invokes).any(leaves) {
                    self.unwinding.jumping.add(body);
                }
            }
            if self.unwinding.jumping.functions.len() == before {
                break;
            }
        }
        self.unwinding.leaving = throws.into_iter().chain(jumps).collect();
        let Unwinding { throwing, jumping, .. } = &self.unwinding;
        for id in throwing.functions.union(&jumping.functions) {
            let function = &mut self.program.functions[id.0 as usize];
            function.unwinds = true;
            function.returns.push(Ty::Ptr);
        }
    }

    /// Calls that no landing pad looks after of the function of that name.
    fn calls_of(&self, name: &str, bodies: &[Body<'m>]) -> FxHashSet<Value<'m>> {
        let Some(&id) = self.by_name.get(name) else { return FxHashSet::default() };
        let calls = bodies.iter().flat_map(|body| &body.calls).copied();
        calls.filter(|&call| self.callee(call) == Some(id)).collect()
    }

    /// Whether the call may end with an exception or a jump.
    pub(super) fn may_unwind(&self, call: Value<'m>) -> bool {
        self.may_throw(call) || self.may_jump(call)
    }

    /// Whether the call may end with an exception.
    pub(super) fn may_throw(&self, call: Value<'m>) -> bool {
        self.may_end(call, &self.unwinding.throwing)
            || self.callee(call).is_some_and(|id| self.is_new(id) && self.throws(BAD_ALLOC))
    }

    /// Whether the call may end with a jump.
    pub(super) fn may_jump(&self, call: Value<'m>) -> bool {
        self.may_end(call, &self.unwinding.jumping)
            || self
                .cancels_before(call)
                .is_some_and(|id| self.unwinding.jumping.functions.contains(&id))
    }

    /// What is to be called before a call that may be a cancellation point.
    pub(super) fn cancels_before(&self, call: Value<'m>) -> Option<FuncId> {
        let id = *self.by_name.get(MAY_CANCEL)?;
        let called = call.called_value();
        let is_there = self.unwinding.defined.contains(&id)
            && called.kind() == ValueKind::LLVMFunctionValueKind
            && is_possible(&called.name());
        is_there.then_some(id)
    }

    fn may_end(&self, call: Value<'m>, ending: &Ending) -> bool {
        match self.callee(call) {
            Some(id) => ending.functions.contains(&id),
            None => {
                ending.indirect
                    && call.called_value().kind() != ValueKind::LLVMInlineAsmValueKind
                    && !call.called_value().is_intrinsic()
            }
        }
    }

    /// Whether it is an `operator new` of the library, which throws if it gives null.
    pub(super) fn is_new(&self, id: FuncId) -> bool {
        let function = &self.program.functions[id.0 as usize];
        throws_without_memory(&function.name) && !self.unwinding.defined.contains(&id)
    }

    fn throws(&self, name: &str) -> bool {
        self.by_name.get(name).is_some_and(|id| self.unwinding.throwing.functions.contains(id))
    }

    /// Whether the call leaves its function with an exception or a jump, which is its argument.
    pub(super) fn leaves(&self, call: Value<'m>) -> bool {
        self.unwinding.leaving.contains(&call)
    }

    fn callee(&self, call: Value<'m>) -> Option<FuncId> {
        let called = call.called_value();
        match called.kind() {
            ValueKind::LLVMInstructionValueKind
            | ValueKind::LLVMArgumentValueKind
            | ValueKind::LLVMInlineAsmValueKind => return None,
            _ => {}
        }
        match self.constants.fold(called) {
            Folded::Address(Symbol::Function(id), 0) => Some(id),
            _ => None,
        }
    }

    fn body(&self, function: Value<'m>) -> Body<'m> {
        let mut body = Body {
            id: self.constants.functions[&function],
            calls: Vec::new(),
            invokes: Vec::new(),
            resumes: false,
            is_pointed_to: is_pointed_to(function),
            is_nounwind: function.has_attribute(self.nounwind),
            is_last: CALLED_BY_THE_MACHINE.contains(&&*function.name()),
        };
        for inst in function.blocks().into_iter().flat_map(BasicBlock::instructions) {
            match inst.opcode() {
                Opcode::LLVMCall => body.calls.push(inst),
                Opcode::LLVMInvoke => body.invokes.push(inst),
                Opcode::LLVMResume => body.resumes = true,
                _ => {}
            }
        }
        body
    }
}

/// Whether somebody does something else with a function than to call it.
fn is_pointed_to(function: Value<'_>) -> bool {
    function.users().into_iter().any(|user| {
        let calls = user.kind() == ValueKind::LLVMInstructionValueKind
            && matches!(user.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke)
            && user.called_value() == function;
        !calls || (0..user.argument_count()).any(|at| user.operand(at) == function)
    })
}
