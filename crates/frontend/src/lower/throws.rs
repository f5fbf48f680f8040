//! Exceptions: whatever throws one stops there, by the exception's name.

use super::function::FunctionLowering;
use crate::demangle::{demangle, demangle_function};
use crate::llvm::{Opcode, Value, ValueKind};

impl<'m> FunctionLowering<'_, 'm> {
    /// Whether the call of `called` throws; then it has been lowered.
    pub(super) fn lower_throw(&mut self, inst: Value<'m>, called: Value<'m>) -> bool {
        if called.kind() != ValueKind::LLVMFunctionValueKind || !called.is_declaration() {
            return false;
        }
        let Some(what) = thrown_by(inst, &called.name()) else { return false };
        self.unsupported(format!("exceptions are not supported: {what} thrown here"));
        true
    }
}

/// What a call of the function throws.
fn thrown_by(inst: Value<'_>, function: &str) -> Option<String> {
    match function {
        "__cxa_throw" => Some(type_named(inst.operand(1))),
        // The expression that is thrown is made next; that it is made says enough.
        "__cxa_allocate_exception" => {
            let throw = inst.users().into_iter().find(|user| {
                matches!(user.opcode(), Opcode::LLVMCall | Opcode::LLVMInvoke)
                    && user.called_value().name() == "__cxa_throw"
            });
            Some(throw.map_or("an exception".to_owned(), |throw| type_named(throw.operand(1))))
        }
        "__cxa_rethrow" | "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE" => {
            Some("an exception".to_owned())
        }
        // `std::__throw_bad_alloc()` and its like.
        _ if function.starts_with("_ZSt") && function.contains("__throw_") => {
            let name = demangle_function(function)?;
            let thrown = name.strip_prefix("std::__throw_")?;
            Some(format!("std::{}", thrown.strip_suffix("_fmt").unwrap_or(thrown)))
        }
        _ => None,
    }
}

/// The type behind a `type_info` object.
fn type_named(info: Value<'_>) -> String {
    let name = demangle(&info.name());
    let ty = name.as_deref().and_then(|name| name.strip_prefix("typeinfo for "));
    ty.map_or("an exception".to_owned(), str::to_owned)
}
