//! Bodies of functions that are `inline` in the sense of C99.
//!
//! Such a body is an alternative to a definition that some file has to have. Where none
//! has it, compilers without an optimiser leave a hole; people mean the body.

use inkwell::module::{Linkage, Module};
use rustc_hash::FxHashSet;

use crate::llvm::{Value, ValueKind, View};
use crate::module::{SymbolState, symbol_state};

/// Makes a module, which is a file of `program` once more, ready to be linked for the
/// bodies of inline functions that `program` lacks. If several files have one, any will
/// do. Everything else is taken from `program`.
pub(crate) fn keep_only_missing(module: &Module<'_>, program: &Module<'_>) {
    let tied: FxHashSet<String> = tied(View::new(module)).into_iter().map(Value::name).collect();
    for function in module.get_functions() {
        let linkage = function.get_linkage();
        if function.count_basic_blocks() == 0 || linkage == Linkage::Internal {
            continue;
        }
        let name = function.get_name().to_string_lossy();
        let state = symbol_state(program, &name);
        let wanted = linkage == Linkage::AvailableExternally
            && matches!(state, SymbolState::Absent | SymbolState::Declared)
            && !tied.contains(&*name);
        function.set_linkage(match wanted {
            true => Linkage::LinkOnceODR,
            false => Linkage::AvailableExternally,
        });
    }
    for global in module.get_globals() {
        let is_local = matches!(global.get_linkage(), Linkage::Internal | Linkage::Private);
        let is_special = global.get_name().to_bytes().starts_with(b"llvm.");
        if global.get_initializer().is_some() && !is_local && !is_special {
            global.set_linkage(Linkage::AvailableExternally);
        }
    }
}

/// Functions that use something that only their file knows, and that may change. C does
/// not allow that in an inline function: the program has its own, which can't be told
/// from here.
fn tied(view: View<'_>) -> FxHashSet<Value<'_>> {
    let variables = view.globals().into_iter().filter(|g| !g.is_constant_global());
    let mut todo: Vec<Value<'_>> = variables.filter(|g| g.is_internal()).collect();
    let mut found = FxHashSet::default();
    while let Some(used) = todo.pop() {
        for user in used.users() {
            let next = match user.kind() {
                ValueKind::LLVMInstructionValueKind => user.function(),
                _ => user,
            };
            // A function that only its file knows ties whoever uses it in turn.
            let is_known = next.kind() == ValueKind::LLVMFunctionValueKind && !next.is_internal();
            if found.insert(next) && !is_known {
                todo.push(next);
            }
        }
    }
    found.retain(|value| value.kind() == ValueKind::LLVMFunctionValueKind);
    found
}
