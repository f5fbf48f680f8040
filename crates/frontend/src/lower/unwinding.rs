//! Which functions may end with an exception.
//!
//! A function does if it throws (the support files do so by [`UNWIND`]), or if a call in it
//! may end with one and nothing in it catches all. Where a function may not (`noexcept`, C),
//! the exception ends the program there. A call through a pointer may lead to any function
//! whose address is taken.

use heddle_ir::{FuncId, Symbol, Ty};
use rustc_hash::FxHashSet;

use super::Lowering;
use crate::constants::Folded;
use crate::llvm::{BasicBlock, Opcode, Value, ValueKind};
use crate::needs::{BAD_ALLOC, throws_without_memory};

/// Leaves the function that calls it with an exception.
pub(super) const UNWIND: &str = "__heddle_unwind";

#[derive(Default)]
pub(super) struct Unwinding<'m> {
    /// Functions that may end with an exception.
    functions: FxHashSet<FuncId>,
    /// Calls through pointers may, too.
    indirect: bool,
    /// Functions with a body.
    defined: FxHashSet<FuncId>,
    /// Calls of [`UNWIND`].
    leaving: FxHashSet<Value<'m>>,
}

/// What matters of a function here.
struct Body<'m> {
    id: FuncId,
    /// Calls that no landing pad looks after.
    calls: Vec<Value<'m>>,
    invokes: Vec<Value<'m>>,
    resumes: bool,
    is_pointed_to: bool,
}

impl<'m> Lowering<'m> {
    /// Finds the functions that may end with an exception, and gives each the exception as
    /// one more result.
    pub(super) fn find_unwinding(&mut self, functions: &[Value<'m>]) {
        let unwind = self.by_name.get(UNWIND).copied();
        let defined = functions.iter().filter(|function| !function.is_declaration());
        self.unwinding.defined = defined.map(|f| self.constants.functions[f]).collect();
        let bodies: Vec<Body<'m>> = functions
            .iter()
            .filter(|function| !function.is_declaration() && !function.has_attribute(self.nounwind))
            .map(|&function| self.body(function))
            .collect();
        for body in &bodies {
            for &call in &body.calls {
                if unwind.is_some() && self.callee(call) == unwind {
                    self.unwinding.leaving.insert(call);
                }
            }
        }
        loop {
            let before = self.unwinding.functions.len();
            for body in &bodies {
                let leaves = |call: &Value<'m>| {
                    self.may_throw(*call) || self.unwinding.leaving.contains(call)
                };
                let unwinds = body.calls.iter().any(leaves)
                    || body.resumes && body.invokes.iter().any(|call| self.may_throw(*call));
                if unwinds {
                    self.unwinding.functions.insert(body.id);
                    self.unwinding.indirect |= body.is_pointed_to;
                }
            }
            if self.unwinding.functions.len() == before {
                break;
            }
        }
        for id in &self.unwinding.functions {
            let function = &mut self.program.functions[id.0 as usize];
            function.unwinds = true;
            function.returns.push(Ty::Ptr);
        }
    }

    /// Whether the call may end with an exception.
    pub(super) fn may_throw(&self, call: Value<'m>) -> bool {
        match self.callee(call) {
            Some(id) => {
                self.unwinding.functions.contains(&id) || self.is_new(id) && self.throws(BAD_ALLOC)
            }
            None => {
                self.unwinding.indirect
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
        self.by_name.get(name).is_some_and(|id| self.unwinding.functions.contains(id))
    }

    /// Whether the call leaves its function with an exception, which is its argument.
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
