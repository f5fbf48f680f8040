//! LLVM types and the data layout.

use std::marker::PhantomData;

use inkwell::llvm_sys::core;
use inkwell::llvm_sys::prelude::LLVMTypeRef;
use inkwell::llvm_sys::target::{self, LLVMByteOrdering, LLVMTargetDataRef};

pub(crate) use inkwell::llvm_sys::LLVMTypeKind as TypeKind;

use super::call;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Type<'m> {
    raw: LLVMTypeRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Type<'m> {
    pub(super) fn new(raw: LLVMTypeRef) -> Self {
        Type { raw, module: PhantomData }
    }

    pub fn kind(self) -> TypeKind {
        call!(core::LLVMGetTypeKind, self.raw)
    }

    pub fn int_width(self) -> u32 {
        call!(core::LLVMGetIntTypeWidth, self.raw)
    }

    /// Elements of an array or vector.
    pub fn length(self) -> u64 {
        match self.kind() {
            TypeKind::LLVMArrayTypeKind => call!(core::LLVMGetArrayLength2, self.raw),
            _ => u64::from(call!(core::LLVMGetVectorSize, self.raw)),
        }
    }

    pub fn element(self) -> Type<'m> {
        Type::new(call!(core::LLVMGetElementType, self.raw))
    }

    pub fn field_count(self) -> u32 {
        call!(core::LLVMCountStructElementTypes, self.raw)
    }

    pub fn field(self, index: u32) -> Type<'m> {
        Type::new(call!(core::LLVMStructGetTypeAtIndex, self.raw, index))
    }

    pub fn is_sized(self) -> bool {
        call!(core::LLVMTypeIsSized, self.raw) != 0
    }

    /// For function types.
    pub fn result(self) -> Type<'m> {
        Type::new(call!(core::LLVMGetReturnType, self.raw))
    }

    /// For function types.
    pub fn param_count(self) -> u32 {
        call!(core::LLVMCountParamTypes, self.raw)
    }

    /// For function types.
    pub fn is_variadic(self) -> bool {
        call!(core::LLVMIsFunctionVarArg, self.raw) != 0
    }

    pub fn is_pointer(self) -> bool {
        self.kind() == TypeKind::LLVMPointerTypeKind
    }

    /// How LLVM writes the type, to name what is unsupported.
    pub fn text(self) -> String {
        let text = call!(core::LLVMPrintTypeToString, self.raw);
        // SAFETY: the C function returns a fresh NUL-terminated string.
        let copy = unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned();
        call!(core::LLVMDisposeMessage, text);
        copy
    }
}

/// Sizes and offsets on the program's target.
#[derive(Clone, Copy)]
pub(crate) struct Layout<'m> {
    raw: LLVMTargetDataRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Layout<'m> {
    pub(super) fn new(raw: LLVMTargetDataRef) -> Self {
        Layout { raw, module: PhantomData }
    }

    /// Bytes from one element of an array of this type to the next.
    pub fn size(self, ty: Type<'m>) -> u64 {
        if ty.is_sized() { call!(target::LLVMABISizeOfType, self.raw, ty.raw) } else { 0 }
    }

    pub fn align(self, ty: Type<'m>) -> u64 {
        if ty.is_sized() {
            u64::from(call!(target::LLVMABIAlignmentOfType, self.raw, ty.raw))
        } else {
            1
        }
    }

    pub fn field_offset(self, ty: Type<'m>, index: u32) -> u64 {
        call!(target::LLVMOffsetOfElement, self.raw, ty.raw, index)
    }

    pub fn pointer_bytes(self) -> u32 {
        call!(target::LLVMPointerSize, self.raw)
    }

    pub fn is_little_endian(self) -> bool {
        call!(target::LLVMByteOrder, self.raw) == LLVMByteOrdering::LLVMLittleEndian
    }
}
