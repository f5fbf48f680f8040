//! Functions of the support files that lowering calls, so that a program needs them without
//! declaring them.

use heddle_ir::{BinOp, Cast, FloatTy, Ty};
use inkwell::module::Module;

use crate::cancellation::NOTE_END;
use crate::leaves::scalar;
use crate::llvm::{BasicBlock, Opcode, Type, TypeKind, Value, ValueKind, View, attribute_kind};
use crate::lower::{binary, cast, has_filter, is_setjmp, wide_atomic};

/// How often the processor's clock has ticked.
pub(crate) const CYCLES: &str = "__heddle_cycles";

/// What is behind the point of a number.
pub(crate) const FRACTION: &str = "__heddle_fraction";
pub(crate) const FRACTION_SINGLE: &str = "__heddle_fractionf";

/// Atomic accesses of 16 bytes.
pub(crate) const LOAD_16: &str = "__heddle_load16";
pub(crate) const STORE_16: &str = "__heddle_store16";
pub(crate) const UPDATE_16: &str = "__heddle_update16";
pub(crate) const COMPARE_16: &str = "__heddle_compare16";

/// What landing pads ask: whether a clause takes an exception, and whether a dynamic
/// exception specification allows it.
pub(crate) const CATCH: &str = "__heddle_catch";
pub(crate) const FILTER: &str = "__heddle_filter";
/// Where an exception ends the program.
pub(crate) const UNCAUGHT: &str = "__heddle_uncaught";
/// Throws where there is no memory left.
pub(crate) const BAD_ALLOC: &str = "__heddle_bad_alloc";

/// What functions that call `setjmp` do: at their beginning and end, at the call, where a call
/// ends with an exception, and where a jump leads to.
pub(crate) const ENTER_FRAME: &str = "__heddle_enter_frame";
pub(crate) const LEAVE_FRAME: &str = "__heddle_leave_frame";
pub(crate) const SETJMP: &str = "__heddle_setjmp";
pub(crate) const SAVE_MASK: &str = "__heddle_save_mask";
pub(crate) const ARRIVE: &str = "__heddle_arrive";
pub(crate) const ARRIVED: &str = "__heddle_arrived";
/// What functions ask that no exception may leave.
pub(crate) const PASSES: &str = "__heddle_passes";
/// In place of `pthread_exit`, where functions are called on the way.
pub(crate) const LEAVE: &str = "__heddle_leave";
const JUMPS: &[&str] = &[ENTER_FRAME, LEAVE_FRAME, SETJMP, SAVE_MASK, ARRIVE, ARRIVED, PASSES];

/// What functions for output do with a stream that the program opened.
const STREAMS: &[&str] = &["__heddle_file_put", "__heddle_file_flush", "__heddle_file_buffering"];

/// Whether a function opens a stream.
pub(crate) fn opens_stream(name: &str) -> bool {
    matches!(name, "fopen" | "fopen64" | "fdopen" | "tmpfile" | "fmemopen")
}

/// The function that divides integers of 128 bits.
pub(crate) fn division(op: BinOp) -> Option<&'static str> {
    Some(match op {
        BinOp::UDiv => "__udivti3",
        BinOp::SDiv => "__divti3",
        BinOp::URem => "__umodti3",
        BinOp::SRem => "__modti3",
        _ => return None,
    })
}

/// The function that converts between integers of 128 bits and floating point.
pub(crate) fn floats(op: Cast, float: Ty) -> Option<&'static str> {
    let double = match float {
        Ty::Float(FloatTy::F64) => true,
        Ty::Float(FloatTy::F32) => false,
        _ => return None,
    };
    Some(match (op, double) {
        (Cast::SignedToFloat, true) => "__floattidf",
        (Cast::SignedToFloat, false) => "__floattisf",
        (Cast::UnsignedToFloat, true) => "__floatuntidf",
        (Cast::UnsignedToFloat, false) => "__floatuntisf",
        (Cast::FloatToSigned, true) => "__fixdfti",
        (Cast::FloatToSigned, false) => "__fixsfti",
        (Cast::FloatToUnsigned, true) => "__fixunsdfti",
        (Cast::FloatToUnsigned, false) => "__fixunssfti",
        _ => return None,
    })
}

/// What lowering will call for `program`.
pub(crate) fn needs(program: &Module<'_>) -> Vec<&'static str> {
    let byval = attribute_kind("byval");
    let mut found: Vec<&'static str> = Vec::new();
    for function in View::new(program).functions() {
        found.extend(of_intrinsic(&function.name()));
        found.extend(of_function(&function.name()));
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
        ("modf.f64", FRACTION),
        ("modf.f32", FRACTION_SINGLE),
    ];
    let name = name.strip_prefix("llvm.")?;
    STANDS_FOR.iter().find(|(start, _)| name.starts_with(start)).map(|(_, function)| *function)
}

/// What goes with a function.
fn of_function(name: &str) -> &'static [&'static str] {
    match name {
        // What is said of one that nobody catches depends on its type.
        "__cxa_throw"
        | "__cxa_rethrow"
        | "_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE" => {
            &[UNCAUGHT, "_ZTISt9exception"]
        }
        "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk" | "__heddle_builtin_longjmp" => {
            &[PASSES]
        }
        "pthread_tryjoin_np" | "pthread_timedjoin_np" | "pthread_clockjoin_np" => &[NOTE_END],
        _ if is_setjmp(name) => JUMPS,
        _ if opens_stream(name) => STREAMS,
        _ if throws_without_memory(name) => &[BAD_ALLOC],
        _ => &[],
    }
}

/// Whether it is an `operator new` that throws.
pub(crate) fn throws_without_memory(name: &str) -> bool {
    ["_Znwm", "_Znam", "_Znwj", "_Znaj"].iter().any(|start| name.starts_with(start))
        && !name.ends_with("RKSt9nothrow_t")
}

fn of_instruction(inst: Value<'_>, byval: u32) -> Option<&'static str> {
    match inst.opcode() {
        Opcode::LLVMCall | Opcode::LLVMInvoke => of_call(inst, byval),
        Opcode::LLVMLandingPad if has_filter(inst) => Some(FILTER),
        Opcode::LLVMLandingPad if !inst.clauses().is_empty() => Some(CATCH),
        opcode => wide_atomic(inst).or_else(|| of_wide(inst, opcode)),
    }
}

/// What stands for an instruction on integers of over 64 bits.
fn of_wide(inst: Value<'_>, opcode: Opcode) -> Option<&'static str> {
    let is_wide = |ty: Type<'_>| {
        let element = if ty.kind() == TypeKind::LLVMVectorTypeKind { ty.element() } else { ty };
        element.kind() == TypeKind::LLVMIntegerTypeKind && element.int_width() > 64
    };
    if let Some(function) = binary(opcode).and_then(division) {
        return is_wide(inst.ty()).then_some(function);
    }
    let op = cast(opcode)?;
    let (from, to) = (inst.operand(0).ty(), inst.ty());
    let float = match (is_wide(from), is_wide(to)) {
        (true, false) => to,
        (false, true) => from,
        _ => return None,
    };
    let float = if float.kind() == TypeKind::LLVMVectorTypeKind { float.element() } else { float };
    floats(op, scalar(float).ok()?)
}

fn of_call(call: Value<'_>, byval: u32) -> Option<&'static str> {
    let called = call.called_value();
    if called.kind() == ValueKind::LLVMInlineAsmValueKind {
        let text = called.asm_text();
        let stands_for = [("rdtsc", CYCLES), ("cmpxchg16b", COMPARE_16)];
        return stands_for.iter().find(|(name, _)| text.contains(name)).map(|(_, of)| *of);
    }
    // Structures that are variadic arguments.
    let mut arguments = 0..call.argument_count();
    let copies = call.called_type().is_variadic()
        && arguments.any(|argument| call.argument_type(argument, byval).is_some());
    copies.then_some("memcpy")
}
