//! LLVM values: functions, globals, instructions, constants.

use std::marker::PhantomData;

use inkwell::llvm_sys::core;
use inkwell::llvm_sys::debuginfo::{LLVMGetSubprogram, LLVMInstructionGetDebugLoc};
use inkwell::llvm_sys::prelude::{LLVMBasicBlockRef, LLVMContextRef, LLVMValueRef};
use inkwell::llvm_sys::{LLVMInlineAsmDialect, LLVMLinkage, LLVMOpcode};

pub(crate) use inkwell::llvm_sys::{
    LLVMAtomicOrdering as AtomicOrdering, LLVMAtomicRMWBinOp as RmwKind,
    LLVMIntPredicate as IntPredicate, LLVMOpcode as Opcode, LLVMRealPredicate as RealPredicate,
    LLVMValueKind as ValueKind,
};

use super::{DbgRecord, Metadata, Type, call, copy_text};

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Value<'m> {
    raw: LLVMValueRef,
    module: PhantomData<&'m ()>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct BasicBlock<'m> {
    raw: LLVMBasicBlockRef,
    module: PhantomData<&'m ()>,
}

impl<'m> BasicBlock<'m> {
    fn new(raw: LLVMBasicBlockRef) -> Self {
        BasicBlock { raw, module: PhantomData }
    }

    pub fn instructions(self) -> Vec<Value<'m>> {
        let first = call!(core::LLVMGetFirstInstruction, self.raw);
        Value::chain(first, |i| call!(core::LLVMGetNextInstruction, i))
    }

    pub fn terminator(self) -> Option<Value<'m>> {
        Value::optional(call!(core::LLVMGetBasicBlockTerminator, self.raw))
    }
}

impl<'m> Value<'m> {
    pub(super) fn new(raw: LLVMValueRef) -> Self {
        Value { raw, module: PhantomData }
    }

    pub(super) fn optional(raw: LLVMValueRef) -> Option<Self> {
        (!raw.is_null()).then(|| Value::new(raw))
    }

    pub fn raw(self) -> LLVMValueRef {
        self.raw
    }

    /// Follows one of LLVM's intrusive lists.
    pub(super) fn chain(
        first: LLVMValueRef,
        next: impl Fn(LLVMValueRef) -> LLVMValueRef,
    ) -> Vec<Self> {
        std::iter::successors(Value::optional(first), |v| Value::optional(next(v.raw))).collect()
    }

    pub fn kind(self) -> ValueKind {
        call!(core::LLVMGetValueKind, self.raw)
    }

    pub fn ty(self) -> Type<'m> {
        Type::new(call!(core::LLVMTypeOf, self.raw))
    }

    pub fn name(self) -> String {
        let mut length = 0;
        let text = call!(core::LLVMGetValueName2, self.raw, &mut length);
        // SAFETY: the C function returns a string of the length it reports.
        unsafe { copy_text(text, length) }
    }

    /// How LLVM writes the value.
    pub fn text(self) -> String {
        let text = call!(core::LLVMPrintValueToString, self.raw);
        // SAFETY: the C function returns a fresh NUL-terminated string.
        let copy = unsafe { std::ffi::CStr::from_ptr(text) }.to_string_lossy().into_owned();
        call!(core::LLVMDisposeMessage, text);
        copy
    }

    pub fn operand_count(self) -> u32 {
        call!(core::LLVMGetNumOperands, self.raw).try_into().unwrap_or(0)
    }

    pub fn operand(self, index: u32) -> Value<'m> {
        Value::new(call!(core::LLVMGetOperand, self.raw, index))
    }

    pub fn has_uses(self) -> bool {
        !call!(core::LLVMGetFirstUse, self.raw).is_null()
    }

    /// The instructions and constants that use the value, one for each use.
    pub fn users(self) -> Vec<Value<'m>> {
        let mut users = Vec::new();
        let mut next = call!(core::LLVMGetFirstUse, self.raw);
        while !next.is_null() {
            users.push(Value::new(call!(core::LLVMGetUser, next)));
            next = call!(core::LLVMGetNextUse, next);
        }
        users
    }

    pub(super) fn context(self) -> LLVMContextRef {
        let ty = call!(core::LLVMTypeOf, self.raw);
        call!(core::LLVMGetTypeContext, ty)
    }
}

/// Functions and globals.
impl<'m> Value<'m> {
    pub fn is_declaration(self) -> bool {
        call!(core::LLVMIsDeclaration, self.raw) != 0
            || call!(core::LLVMGetLinkage, self.raw) == LLVMLinkage::LLVMAvailableExternallyLinkage
    }

    /// Only its own module knows it.
    pub fn is_internal(self) -> bool {
        matches!(
            call!(core::LLVMGetLinkage, self.raw),
            LLVMLinkage::LLVMInternalLinkage | LLVMLinkage::LLVMPrivateLinkage
        )
    }

    /// Any other definition wins over it.
    pub fn is_weak_definition(self) -> bool {
        call!(core::LLVMIsDeclaration, self.raw) == 0
            && call!(core::LLVMGetLinkage, self.raw) == LLVMLinkage::LLVMWeakAnyLinkage
    }

    /// The type of what a function or global is, not of its address.
    pub fn value_type(self) -> Type<'m> {
        Type::new(call!(core::LLVMGlobalGetValueType, self.raw))
    }

    pub fn initializer(self) -> Option<Value<'m>> {
        Value::optional(call!(core::LLVMGetInitializer, self.raw))
    }

    pub fn is_constant_global(self) -> bool {
        call!(core::LLVMIsGlobalConstant, self.raw) != 0
    }

    pub fn is_thread_local(self) -> bool {
        self.kind() == ValueKind::LLVMGlobalVariableValueKind
            && call!(core::LLVMIsThreadLocal, self.raw) != 0
    }

    /// Alignment of a global, alloca, load or store; 0 when none is given.
    pub fn alignment(self) -> u64 {
        u64::from(call!(core::LLVMGetAlignment, self.raw))
    }

    pub fn aliasee(self) -> Value<'m> {
        Value::new(call!(core::LLVMAliasGetAliasee, self.raw))
    }

    pub fn params(self) -> Vec<Value<'m>> {
        let count = call!(core::LLVMCountParams, self.raw);
        (0..count).map(|i| Value::new(call!(core::LLVMGetParam, self.raw, i))).collect()
    }

    /// Whether any parameter of a function carries the attribute.
    pub fn has_param_attribute(self, kind: u32) -> bool {
        let count = call!(core::LLVMCountParams, self.raw);
        (1..=count)
            .any(|index| !call!(core::LLVMGetEnumAttributeAtIndex, self.raw, index, kind).is_null())
    }

    /// Whether a function carries the attribute.
    pub fn has_attribute(self, kind: u32) -> bool {
        const FUNCTION: u32 = u32::MAX;
        !call!(core::LLVMGetEnumAttributeAtIndex, self.raw, FUNCTION, kind).is_null()
    }

    pub fn blocks(self) -> Vec<BasicBlock<'m>> {
        let count = call!(core::LLVMCountBasicBlocks, self.raw) as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        call!(core::LLVMGetBasicBlocks, self.raw, raw.as_mut_ptr());
        raw.into_iter().map(BasicBlock::new).collect()
    }

    pub fn subprogram(self) -> Option<Metadata<'m>> {
        Metadata::optional(call!(LLVMGetSubprogram, self.raw), self.context())
    }

    pub fn global_metadata(self) -> Vec<Metadata<'m>> {
        let mut count = 0;
        let entries = call!(core::LLVMGlobalCopyAllMetadata, self.raw, &mut count);
        let found = (0..count)
            .filter_map(|i| {
                let i = u32::try_from(i).ok()?;
                let raw = call!(core::LLVMValueMetadataEntriesGetMetadata, entries, i);
                Metadata::optional(raw, self.context())
            })
            .collect();
        call!(core::LLVMDisposeValueMetadataEntries, entries);
        found
    }

    pub fn is_intrinsic(self) -> bool {
        self.kind() == ValueKind::LLVMFunctionValueKind
            && call!(core::LLVMGetIntrinsicID, self.raw) != 0
    }
}

/// Instructions.
impl<'m> Value<'m> {
    pub fn opcode(self) -> LLVMOpcode {
        call!(core::LLVMGetInstructionOpcode, self.raw)
    }

    pub fn next_instruction(self) -> Option<Value<'m>> {
        Value::optional(call!(core::LLVMGetNextInstruction, self.raw))
    }

    pub fn parent(self) -> BasicBlock<'m> {
        BasicBlock::new(call!(core::LLVMGetInstructionParent, self.raw))
    }

    /// The function that an instruction is part of.
    pub fn function(self) -> Value<'m> {
        let block = call!(core::LLVMGetInstructionParent, self.raw);
        Value::new(call!(core::LLVMGetBasicBlockParent, block))
    }

    pub fn debug_location(self) -> Option<Metadata<'m>> {
        Metadata::optional(call!(LLVMInstructionGetDebugLoc, self.raw), self.context())
    }

    pub fn debug_records(self) -> Vec<DbgRecord<'m>> {
        let mut records = Vec::new();
        let mut raw = call!(core::LLVMGetFirstDbgRecord, self.raw);
        while !raw.is_null() {
            records.push(DbgRecord::new(raw, self.context()));
            raw = call!(core::LLVMGetNextDbgRecord, raw);
        }
        records
    }

    pub fn allocated_type(self) -> Type<'m> {
        Type::new(call!(core::LLVMGetAllocatedType, self.raw))
    }

    pub fn is_volatile(self) -> bool {
        call!(core::LLVMGetVolatile, self.raw) != 0
    }

    pub fn ordering(self) -> AtomicOrdering {
        call!(core::LLVMGetOrdering, self.raw)
    }

    pub fn is_single_thread(self) -> bool {
        call!(core::LLVMIsAtomicSingleThread, self.raw) != 0
    }

    pub fn success_ordering(self) -> AtomicOrdering {
        call!(core::LLVMGetCmpXchgSuccessOrdering, self.raw)
    }

    pub fn failure_ordering(self) -> AtomicOrdering {
        call!(core::LLVMGetCmpXchgFailureOrdering, self.raw)
    }

    pub fn rmw_kind(self) -> RmwKind {
        call!(core::LLVMGetAtomicRMWBinOp, self.raw)
    }

    pub fn no_signed_wrap(self) -> bool {
        call!(core::LLVMGetNSW, self.raw) != 0
    }

    pub fn int_predicate(self) -> IntPredicate {
        call!(core::LLVMGetICmpPredicate, self.raw)
    }

    pub fn real_predicate(self) -> RealPredicate {
        call!(core::LLVMGetFCmpPredicate, self.raw)
    }

    /// Indices of `extractvalue` and `insertvalue`.
    pub fn indices(self) -> Vec<u32> {
        let count = call!(core::LLVMGetNumIndices, self.raw) as usize;
        let first = call!(core::LLVMGetIndices, self.raw);
        // SAFETY: the instruction owns an array of `count` indices.
        if count == 0 {
            Vec::new()
        } else {
            unsafe { std::slice::from_raw_parts(first, count) }.to_vec()
        }
    }

    /// Of `shufflevector`: which element of both vectors each one is, if any.
    pub fn shuffle_mask(self) -> Vec<Option<usize>> {
        let count = call!(core::LLVMGetNumMaskElements, self.raw);
        let element = |at| usize::try_from(call!(core::LLVMGetMaskValue, self.raw, at)).ok();
        (0..count).map(element).collect()
    }

    /// For phi nodes.
    pub fn incoming(self) -> Vec<(BasicBlock<'m>, Value<'m>)> {
        let count = call!(core::LLVMCountIncoming, self.raw);
        (0..count)
            .map(|i| {
                let block = call!(core::LLVMGetIncomingBlock, self.raw, i);
                let value = call!(core::LLVMGetIncomingValue, self.raw, i);
                (BasicBlock::new(block), Value::new(value))
            })
            .collect()
    }

    /// For `getelementptr`, also as a constant expression.
    pub fn gep_element(self) -> Type<'m> {
        Type::new(call!(core::LLVMGetGEPSourceElementType, self.raw))
    }
}

/// Calls and terminators.
impl<'m> Value<'m> {
    pub fn called_value(self) -> Value<'m> {
        Value::new(call!(core::LLVMGetCalledValue, self.raw))
    }

    pub fn argument_count(self) -> u32 {
        call!(core::LLVMGetNumArgOperands, self.raw)
    }

    /// The type of the function that is called, as the call takes it.
    pub fn called_type(self) -> Type<'m> {
        Type::new(call!(core::LLVMGetCalledFunctionType, self.raw))
    }

    /// The alignment that a call promises for an argument.
    pub fn argument_align(self, argument: u32, align: u32) -> Option<u64> {
        let found = call!(core::LLVMGetCallSiteEnumAttribute, self.raw, argument + 1, align);
        (!found.is_null()).then(|| call!(core::LLVMGetEnumAttributeValue, found))
    }

    /// The type that an attribute such as `byval` gives to an argument of a call.
    pub fn argument_type(self, argument: u32, attribute: u32) -> Option<Type<'m>> {
        let found = call!(core::LLVMGetCallSiteEnumAttribute, self.raw, argument + 1, attribute);
        (!found.is_null()).then(|| Type::new(call!(core::LLVMGetTypeAttributeValue, found)))
    }

    pub fn successors(self) -> Vec<BasicBlock<'m>> {
        let count = call!(core::LLVMGetNumSuccessors, self.raw);
        (0..count).map(|i| BasicBlock::new(call!(core::LLVMGetSuccessor, self.raw, i))).collect()
    }

    pub fn is_conditional(self) -> bool {
        call!(core::LLVMIsConditional, self.raw) != 0
    }

    /// Of a conditional branch.
    pub fn condition(self) -> Value<'m> {
        Value::new(call!(core::LLVMGetCondition, self.raw))
    }

    /// `successor` is at least 1; 0 is the default destination.
    pub fn case_value(self, successor: u32) -> Value<'m> {
        Value::new(call!(core::LLVMGetSwitchCaseValue, self.raw, successor))
    }

    pub fn normal_destination(self) -> BasicBlock<'m> {
        BasicBlock::new(call!(core::LLVMGetNormalDest, self.raw))
    }

    /// Where an invoke goes on if the call ends with an exception.
    pub fn unwind_destination(self) -> BasicBlock<'m> {
        BasicBlock::new(call!(core::LLVMGetUnwindDest, self.raw))
    }

    /// What a landing pad looks for, in this order.
    pub fn clauses(self) -> Vec<Value<'m>> {
        let count = call!(core::LLVMGetNumClauses, self.raw);
        (0..count).map(|i| Value::new(call!(core::LLVMGetClause, self.raw, i))).collect()
    }

    /// Whether a call carries the attribute itself.
    pub fn has_call_attribute(self, kind: u32) -> bool {
        const FUNCTION: u32 = u32::MAX;
        !call!(core::LLVMGetCallSiteEnumAttribute, self.raw, FUNCTION, kind).is_null()
    }

    /// Constraints of inline assembly, as LLVM writes them.
    pub fn asm_constraints(self) -> String {
        let mut length = 0;
        let text = call!(core::LLVMGetInlineAsmConstraintString, self.raw, &mut length);
        // SAFETY: the C function returns a string of the length it reports.
        unsafe { copy_text(text, length) }
    }

    /// Whether inline assembly is in the dialect of Intel.
    pub fn asm_is_intel(self) -> bool {
        let dialect = call!(core::LLVMGetInlineAsmDialect, self.raw);
        dialect == LLVMInlineAsmDialect::LLVMInlineAsmDialectIntel
    }

    pub fn asm_text(self) -> String {
        let mut length = 0;
        let text = call!(core::LLVMGetInlineAsmAsmString, self.raw, &mut length);
        // SAFETY: the C function returns a string of the length it reports.
        unsafe { copy_text(text, length) }
    }
}

/// Constants.
impl<'m> Value<'m> {
    pub fn constant_opcode(self) -> LLVMOpcode {
        call!(core::LLVMGetConstOpcode, self.raw)
    }

    /// An integer constant of at most 64 bits, zero-extended.
    pub fn unsigned(self) -> u64 {
        call!(core::LLVMConstIntGetZExtValue, self.raw)
    }

    /// An integer constant of at most 64 bits, sign-extended.
    pub fn signed(self) -> i64 {
        call!(core::LLVMConstIntGetSExtValue, self.raw)
    }

    /// A `float` or `double` constant.
    pub fn real(self) -> f64 {
        let mut lost = 0;
        call!(core::LLVMConstRealGetDouble, self.raw, &mut lost)
    }

    /// The block that the address of a label is of.
    pub fn labelled(self) -> BasicBlock<'m> {
        BasicBlock::new(call!(core::LLVMGetBlockAddressBasicBlock, self.raw))
    }

    pub fn is_undef_or_poison(self) -> bool {
        call!(core::LLVMIsUndef, self.raw) != 0 || call!(core::LLVMIsPoison, self.raw) != 0
    }

    /// An element of any aggregate constant.
    pub fn aggregate_element(self, index: u32) -> Option<Value<'m>> {
        Value::optional(call!(core::LLVMGetAggregateElement, self.raw, index))
    }

    /// The bytes of a constant data array, in the order they have in memory (host
    /// and targets are both little-endian).
    pub fn raw_data(self, bytes: usize) -> &'m [u8] {
        let mut length = bytes;
        // llvm-sys declares the length, an out pointer in C, as a plain size.
        let data = call!(core::LLVMGetRawDataValues, self.raw, &raw mut length as usize);
        if data.is_null() || length == 0 {
            return &[];
        }
        // SAFETY: the constant owns `length` bytes and lives in the module's context.
        unsafe { std::slice::from_raw_parts(data.cast::<u8>(), length) }
    }
}

/// The number LLVM gives to an attribute such as `byval`.
pub(crate) fn attribute_kind(name: &str) -> u32 {
    call!(core::LLVMGetEnumAttributeKindForName, name.as_ptr().cast(), name.len())
}
