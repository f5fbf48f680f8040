//! Functions of the support files that lowering calls, so that a program needs them without
//! declaring them.

use inkwell::module::Module;

use crate::llvm::{BasicBlock, Opcode, Value, ValueKind, View, attribute_kind};

/// How often the processor's clock has ticked.
pub(crate) const CYCLES: &str = "__heddle_cycles";

/// What lowering will call for `program`.
pub(crate) fn needs(program: &Module<'_>) -> Vec<&'static str> {
    let byval = attribute_kind("byval");
    let mut found: Vec<&'static str> = Vec::new();
    for function in View::new(program).functions() {
        found.extend(of_intrinsic(&function.name()));
        if function.has_param_attribute(byval) {
            found.push("memcpy");
        }
        for inst in function.blocks().into_iter().flat_map(BasicBlock::instructions) {
            found.extend(of_instruction(inst, byval));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// What stands for a function of LLVM's own.
fn of_intrinsic(name: &str) -> Option<&'static str> {
    const STANDS_FOR: &[(&str, &str)] = &[
        ("memcpy", "memcpy"),
        ("memmove", "memmove"),
        ("memset", "memset"),
        ("x86.rdtsc", CYCLES),
        ("readcyclecounter", CYCLES),
    ];
    let name = name.strip_prefix("llvm.")?;
    STANDS_FOR.iter().find(|(start, _)| name.starts_with(start)).map(|(_, function)| *function)
}

fn of_instruction(inst: Value<'_>, byval: u32) -> Option<&'static str> {
    match inst.opcode() {
        Opcode::LLVMCall | Opcode::LLVMInvoke => of_call(inst, byval),
        _ => None,
    }
}

fn of_call(call: Value<'_>, byval: u32) -> Option<&'static str> {
    let called = call.called_value();
    if called.kind() == ValueKind::LLVMInlineAsmValueKind {
        return called.asm_text().contains("rdtsc").then_some(CYCLES);
    }
    // Structures that are variadic arguments.
    let mut arguments = 0..call.argument_count();
    let copies = call.called_type().is_variadic()
        && arguments.any(|argument| call.argument_type(argument, byval).is_some());
    copies.then_some("memcpy")
}
