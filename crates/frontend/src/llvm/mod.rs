//! A thin, copyable view of LLVM's C interface: just what lowering reads.
//!
//! Every wrapper carries the lifetime `'m` of the module it points into; nothing
//! is created or destroyed through it, so a wrapper is valid as long as `'m` is.
//! That is the reason why each `unsafe` in this folder is sound, and it is stated
//! once, at [`call!`].
#![allow(unsafe_code, reason = "LLVM is reached through its C interface")]

mod metadata;
mod types;
mod value;

use std::marker::PhantomData;

use inkwell::llvm_sys::core;
use inkwell::llvm_sys::prelude::LLVMModuleRef;
use inkwell::llvm_sys::target::{LLVMGetModuleDataLayout, LLVMTargetDataRef};
use inkwell::module::Module;

pub(crate) use metadata::{DbgRecord, MdOperand, Metadata, MetadataKind};
pub(crate) use types::{Layout, Type, TypeKind};
pub(crate) use value::{
    AtomicOrdering, BasicBlock, IntPredicate, Opcode, RealPredicate, RmwKind, Value, ValueKind,
    attribute_kind,
};

/// One call of a C function that only reads.
macro_rules! call {
    ($function:path $(, $argument:expr)* $(,)?) => {
        // SAFETY: all wrappers passed here point into a module that outlives `'m`,
        // and callers check the kind of value that the C function asks for.
        unsafe { $function($($argument),*) }
    };
}
pub(crate) use call;

/// A whole module.
#[derive(Clone, Copy)]
pub(crate) struct View<'m> {
    raw: LLVMModuleRef,
    module: PhantomData<&'m ()>,
}

impl<'m> View<'m> {
    pub fn new(module: &'m Module<'_>) -> Self {
        View { raw: module.as_mut_ptr(), module: PhantomData }
    }

    pub fn layout(self) -> Layout<'m> {
        let raw: LLVMTargetDataRef = call!(LLVMGetModuleDataLayout, self.raw);
        Layout::new(raw)
    }

    pub fn functions(self) -> Vec<Value<'m>> {
        let first = call!(core::LLVMGetFirstFunction, self.raw);
        Value::chain(first, |f| call!(core::LLVMGetNextFunction, f))
    }

    pub fn globals(self) -> Vec<Value<'m>> {
        let first = call!(core::LLVMGetFirstGlobal, self.raw);
        Value::chain(first, |g| call!(core::LLVMGetNextGlobal, g))
    }
}

/// Copies a string that LLVM owns, given with its length.
///
/// # Safety
/// `text` points to `length` readable bytes, or `length` is 0.
unsafe fn copy_text(text: *const std::ffi::c_char, length: usize) -> String {
    if text.is_null() || length == 0 {
        return String::new();
    }
    // SAFETY: by this function's contract.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), length) };
    String::from_utf8_lossy(bytes).into_owned()
}
