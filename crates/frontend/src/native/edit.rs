//! Changes to LLVM modules: the few that instrumentation makes.
#![allow(unsafe_code, reason = "LLVM is reached through its C interface")]

use std::ffi::CString;

use inkwell::context::Context;
use inkwell::llvm_sys::prelude::{LLVMBuilderRef, LLVMTypeRef, LLVMValueRef};
use inkwell::llvm_sys::{
    LLVMAtomicOrdering, LLVMLinkage, LLVMOpcode, LLVMTypeKind, LLVMVisibility, core, debuginfo,
};
use inkwell::module::Module;

use crate::llvm::{Value, call};

/// Builds calls of functions that take numbers and pointers.
pub(super) struct Editor<'a, 'ctx> {
    module: &'a Module<'ctx>,
    context: &'ctx Context,
    builder: LLVMBuilderRef,
}

impl Drop for Editor<'_, '_> {
    fn drop(&mut self) {
        call!(core::LLVMDisposeBuilder, self.builder);
    }
}

impl<'a, 'ctx> Editor<'a, 'ctx> {
    pub fn new(context: &'ctx Context, module: &'a Module<'ctx>) -> Self {
        let builder = call!(core::LLVMCreateBuilderInContext, context.raw());
        Editor { module, context, builder }
    }

    /// What is built next comes right before `inst`, at its position in the source.
    pub fn before(&self, inst: Value<'_>) {
        call!(core::LLVMPositionBuilderBefore, self.builder, inst.raw());
        let mut location = call!(debuginfo::LLVMInstructionGetDebugLoc, inst.raw());
        if location.is_null() {
            // A call that may be inlined needs one.
            let block = call!(core::LLVMGetInstructionParent, inst.raw());
            let function = call!(core::LLVMGetBasicBlockParent, block);
            let scope = call!(debuginfo::LLVMGetSubprogram, function);
            if !scope.is_null() {
                let (context, nowhere) = (self.context.raw(), std::ptr::null_mut());
                location = call!(
                    debuginfo::LLVMDIBuilderCreateDebugLocation,
                    context,
                    0,
                    0,
                    scope,
                    nowhere
                );
            }
        }
        call!(core::LLVMSetCurrentDebugLocation2, self.builder, location);
    }

    /// A call of a runtime function with one 32-bit number.
    pub fn call_number(&self, name: &str, number: u32) {
        let int = call!(core::LLVMInt32TypeInContext, self.context.raw());
        let ty = self.function_type(&mut [int]);
        let argument = call!(core::LLVMConstInt, int, u64::from(number), 0);
        self.call(name, ty, &mut [argument]);
    }

    /// A call of a runtime function with two 32-bit numbers around an address.
    pub fn call_access(&self, name: &str, number: u32, address: LLVMValueRef, bytes: u32) {
        let int = call!(core::LLVMInt32TypeInContext, self.context.raw());
        let pointer = call!(core::LLVMPointerTypeInContext, self.context.raw(), 0);
        let ty = self.function_type(&mut [int, pointer, int]);
        let [number, bytes] =
            [number, bytes].map(|number| call!(core::LLVMConstInt, int, u64::from(number), 0));
        self.call(name, ty, &mut [number, address, bytes]);
    }

    /// A call of a runtime function without arguments.
    pub fn call_plain(&self, name: &str) {
        let ty = self.function_type(&mut []);
        self.call(name, ty, &mut []);
    }

    /// A call of a runtime function with a text.
    pub fn call_text(&self, name: &str, text: &str) {
        let pointer = call!(core::LLVMPointerTypeInContext, self.context.raw(), 0);
        let ty = self.function_type(&mut [pointer]);
        let text = CString::new(text.replace('\0', "")).unwrap_or_default();
        let value = call!(core::LLVMBuildGlobalString, self.builder, text.as_ptr(), c"".as_ptr());
        self.call(name, ty, &mut [value]);
    }

    fn function_type(&self, params: &mut [LLVMTypeRef]) -> LLVMTypeRef {
        let void = call!(core::LLVMVoidTypeInContext, self.context.raw());
        call!(core::LLVMFunctionType, void, params.as_mut_ptr(), params.len() as u32, 0)
    }

    fn call(&self, name: &str, ty: LLVMTypeRef, args: &mut [LLVMValueRef]) {
        let name = CString::new(name).unwrap_or_default();
        let raw = self.module.as_mut_ptr();
        let mut callee = call!(core::LLVMGetNamedFunction, raw, name.as_ptr());
        if callee.is_null() {
            callee = call!(core::LLVMAddFunction, raw, name.as_ptr(), ty);
        }
        let count = args.len() as u32;
        let (builder, args) = (self.builder, args.as_mut_ptr());
        call!(core::LLVMBuildCall2, builder, ty, callee, args, count, c"".as_ptr());
    }

    /// Replaces the access to a whole structure by one to each of its members, which
    /// `around` puts calls around: it is told the member before each, with its address, and
    /// after each. `false` if the structure is made of others.
    pub fn split(
        &self,
        inst: Value<'_>,
        members: u32,
        around: impl Fn(u32, Option<LLVMValueRef>),
    ) -> bool {
        let stores = inst.opcode() == LLVMOpcode::LLVMStore;
        let whole = if stores { inst.operand(0).raw() } else { inst.raw() };
        let address = inst.operand(u32::from(stores)).raw();
        let ty = call!(core::LLVMTypeOf, whole);
        let is = |ty, kind: LLVMTypeKind| call!(core::LLVMGetTypeKind, ty) == kind;
        let simple = |ty| {
            use LLVMTypeKind::*;
            [LLVMIntegerTypeKind, LLVMPointerTypeKind, LLVMFloatTypeKind, LLVMDoubleTypeKind]
                .into_iter()
                .any(|kind| is(ty, kind))
        };
        if !is(ty, LLVMTypeKind::LLVMStructTypeKind)
            || call!(core::LLVMCountStructElementTypes, ty) != members
            || (0..members).any(|at| !simple(call!(core::LLVMStructGetTypeAtIndex, ty, at)))
        {
            return false;
        }
        self.before(inst);
        let builder = self.builder;
        let mut value = call!(core::LLVMGetPoison, ty);
        for at in 0..members {
            let member = call!(core::LLVMStructGetTypeAtIndex, ty, at);
            let place = call!(core::LLVMBuildStructGEP2, builder, ty, address, at, c"".as_ptr());
            let part = match stores {
                true => call!(core::LLVMBuildExtractValue, builder, whole, at, c"".as_ptr()),
                false => std::ptr::null_mut(),
            };
            around(at, Some(place));
            let access = match stores {
                true => call!(core::LLVMBuildStore, builder, part, place),
                false => call!(core::LLVMBuildLoad2, builder, member, place, c"".as_ptr()),
            };
            let order = LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent;
            call!(core::LLVMSetOrdering, access, order);
            around(at, None);
            if !stores {
                value = call!(core::LLVMBuildInsertValue, builder, value, access, at, c"".as_ptr());
            }
        }
        if !stores {
            call!(core::LLVMReplaceAllUsesWith, inst.raw(), value);
        }
        erase(inst);
        true
    }

    /// Calls `function` with the first three arguments of an intrinsic such as
    /// `llvm.memcpy`, in its place.
    pub fn replace_intrinsic(&self, intrinsic: Value<'_>, function: Value<'_>) {
        self.before(intrinsic);
        let ty = call!(core::LLVMGlobalGetValueType, function.raw());
        let mut wanted = vec![std::ptr::null_mut(); function.params().len()];
        call!(core::LLVMGetParamTypes, ty, wanted.as_mut_ptr());
        let mut args: Vec<LLVMValueRef> = Vec::new();
        for (at, &want) in wanted.iter().enumerate() {
            let argument = intrinsic.operand(at as u32).raw();
            let is_int = |ty| call!(core::LLVMGetTypeKind, ty) == LLVMTypeKind::LLVMIntegerTypeKind;
            let have = call!(core::LLVMTypeOf, argument);
            args.push(match is_int(want) && is_int(have) {
                true => {
                    call!(core::LLVMBuildIntCast2, self.builder, argument, want, 0, c"".as_ptr())
                }
                false => argument,
            });
        }
        let count = args.len() as u32;
        let args = args.as_mut_ptr();
        call!(core::LLVMBuildCall2, self.builder, ty, function.raw(), args, count, c"".as_ptr());
        erase(intrinsic);
    }
}

/// Why an access can't be made atomic, if it can't.
pub(super) fn make_atomic(inst: Value<'_>, layout_bytes: u64) -> Option<&'static str> {
    let order = LLVMAtomicOrdering::LLVMAtomicOrderingSequentiallyConsistent;
    match inst.opcode() {
        LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMStore => {
            if !matches!(layout_bytes, 1 | 2 | 4 | 8) {
                return Some("an access to shared memory of a size that no instruction has");
            }
            if inst.alignment() < layout_bytes {
                return Some("an access to shared memory that is not aligned");
            }
            call!(core::LLVMSetOrdering, inst.raw(), order);
        }
        LLVMOpcode::LLVMAtomicRMW => call!(core::LLVMSetOrdering, inst.raw(), order),
        LLVMOpcode::LLVMAtomicCmpXchg => {
            call!(core::LLVMSetCmpXchgSuccessOrdering, inst.raw(), order);
            call!(core::LLVMSetCmpXchgFailureOrdering, inst.raw(), order);
        }
        _ => return Some("an access to shared memory in an unusual instruction"),
    }
    None
}

pub(super) fn erase(inst: Value<'_>) {
    call!(core::LLVMInstructionEraseFromParent, inst.raw());
}

/// All uses of a value get zero instead.
pub(super) fn replace_by_zero(value: Value<'_>) {
    let ty = call!(core::LLVMTypeOf, value.raw());
    let zero = call!(core::LLVMConstNull, ty);
    call!(core::LLVMReplaceAllUsesWith, value.raw(), zero);
}

pub(super) fn rename(value: Value<'_>, name: &str) {
    call!(core::LLVMSetValueName2, value.raw(), name.as_ptr().cast(), name.len());
}

/// Nobody outside the module uses it.
pub(super) fn make_internal(value: Value<'_>) {
    call!(core::LLVMSetLinkage, value.raw(), LLVMLinkage::LLVMInternalLinkage);
    call!(core::LLVMSetVisibility, value.raw(), LLVMVisibility::LLVMDefaultVisibility);
    let none: *mut inkwell::llvm_sys::LLVMComdat = std::ptr::null_mut();
    call!(inkwell::llvm_sys::comdat::LLVMSetComdat, value.raw(), none);
}

/// The definition of a variable is found elsewhere.
pub(super) fn make_declaration(value: Value<'_>) {
    call!(core::LLVMSetInitializer, value.raw(), std::ptr::null_mut());
    make_external(value);
}

/// Other parts of the program use it.
pub(super) fn make_external(value: Value<'_>) {
    call!(core::LLVMSetLinkage, value.raw(), LLVMLinkage::LLVMExternalLinkage);
}

/// Everybody who uses `old` uses a function of this name instead.
pub(super) fn use_instead(module: &Module<'_>, old: Value<'_>, name: &str) {
    let text = CString::new(name).unwrap_or_default();
    let raw = module.as_mut_ptr();
    let mut new = call!(core::LLVMGetNamedFunction, raw, text.as_ptr());
    if new.is_null() {
        let ty = call!(core::LLVMGlobalGetValueType, old.raw());
        new = call!(core::LLVMAddFunction, raw, text.as_ptr(), ty);
    }
    call!(core::LLVMReplaceAllUsesWith, old.raw(), new);
}

/// The definition `old` gives its uses and its name to a declaration of the same type,
/// to be found in the C library.
pub(super) fn leave_to_system(module: &Module<'_>, old: Value<'_>) {
    let name = old.name();
    rename(old, &format!("heddle.s.{name}"));
    let ty = call!(core::LLVMGlobalGetValueType, old.raw());
    let name = CString::new(name).unwrap_or_default();
    let new = call!(core::LLVMAddFunction, module.as_mut_ptr(), name.as_ptr(), ty);
    call!(core::LLVMReplaceAllUsesWith, old.raw(), new);
    make_internal(old);
}

/// What the runtime wants to know of the program.
pub(super) fn add_constants<'ctx>(
    context: &'ctx Context,
    module: &Module<'ctx>,
    hash: u64,
    embedded: Option<&[u8]>,
) {
    let long = context.i64_type();
    let number = |name: &str, value: u64| {
        let global = module.add_global(long, None, name);
        global.set_initializer(&long.const_int(value, false));
        global.set_constant(true);
    };
    number("heddle_program_hash", hash);
    let bytes = embedded.unwrap_or(&[]);
    number("heddle_embedded_bytes", bytes.len() as u64);
    let data = context.const_string(bytes, false);
    let global = module.add_global(data.get_type(), None, "heddle_embedded_schedule");
    global.set_initializer(&data);
    global.set_constant(true);
    global.set_alignment(8);
}
