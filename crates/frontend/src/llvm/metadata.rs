//! Debug metadata.

use std::marker::PhantomData;

use inkwell::llvm_sys::core;
use inkwell::llvm_sys::debuginfo as di;
use inkwell::llvm_sys::prelude::{LLVMContextRef, LLVMDbgRecordRef, LLVMMetadataRef};
use inkwell::llvm_sys::{LLVMDbgRecordKind, LLVMValueKind};

pub(crate) use di::LLVMMetadataKind as MetadataKind;

use super::{Value, call, copy_text};

#[derive(Clone, Copy)]
pub(crate) struct Metadata<'m> {
    raw: LLVMMetadataRef,
    context: LLVMContextRef,
    module: PhantomData<&'m ()>,
}

impl<'m> Metadata<'m> {
    pub(super) fn optional(raw: LLVMMetadataRef, context: LLVMContextRef) -> Option<Self> {
        (!raw.is_null()).then_some(Metadata { raw, context, module: PhantomData })
    }

    /// Identifies the node.
    pub fn address(self) -> usize {
        self.raw as usize
    }

    pub fn kind(self) -> MetadataKind {
        call!(di::LLVMGetMetadataKind, self.raw)
    }

    /// The DWARF tag of a debug info node.
    pub fn tag(self) -> u16 {
        call!(di::LLVMGetDINodeTag, self.raw)
    }

    fn as_value(self) -> Value<'m> {
        Value::new(call!(core::LLVMMetadataAsValue, self.context, self.raw))
    }

    /// Operands of a node: absent, a constant, or metadata.
    pub fn operands(self) -> Vec<Option<MdOperand<'m>>> {
        let value = self.as_value();
        let count = call!(core::LLVMGetMDNodeNumOperands, value.raw()) as usize;
        let mut raw = vec![std::ptr::null_mut(); count];
        call!(core::LLVMGetMDNodeOperands, value.raw(), raw.as_mut_ptr());
        raw.into_iter()
            .map(|operand| {
                let value = Value::optional(operand)?;
                if value.kind() != LLVMValueKind::LLVMMetadataAsValueValueKind {
                    return Some(MdOperand::Constant(value));
                }
                let node = call!(core::LLVMValueAsMetadata, operand);
                Metadata::optional(node, self.context).map(MdOperand::Node)
            })
            .collect()
    }

    /// The text of a string node.
    pub fn string(self) -> Option<String> {
        if !matches!(self.kind(), MetadataKind::LLVMMDStringMetadataKind) {
            return None;
        }
        let mut length = 0;
        let text = call!(core::LLVMGetMDString, self.as_value().raw(), &mut length);
        // SAFETY: the C function returns a string of the length it reports.
        Some(unsafe { copy_text(text, length as usize) })
    }

    /// How LLVM writes the node; used for fields that the C interface hides.
    pub fn text(self) -> String {
        self.as_value().text()
    }

    pub fn line(self) -> u32 {
        match self.kind() {
            MetadataKind::LLVMDILocationMetadataKind => call!(di::LLVMDILocationGetLine, self.raw),
            MetadataKind::LLVMDISubprogramMetadataKind => {
                call!(di::LLVMDISubprogramGetLine, self.raw)
            }
            MetadataKind::LLVMDILocalVariableMetadataKind
            | MetadataKind::LLVMDIGlobalVariableMetadataKind => {
                call!(di::LLVMDIVariableGetLine, self.raw)
            }
            _ => 0,
        }
    }

    /// Of a location.
    pub fn column(self) -> u32 {
        call!(di::LLVMDILocationGetColumn, self.raw)
    }

    /// Of a location.
    pub fn location_scope(self) -> Option<Metadata<'m>> {
        Metadata::optional(call!(di::LLVMDILocationGetScope, self.raw), self.context)
    }

    /// Where the function that a location lies in was inlined, if it was.
    pub fn inlined_at(self) -> Option<Metadata<'m>> {
        Metadata::optional(call!(di::LLVMDILocationGetInlinedAt, self.raw), self.context)
    }

    /// The file of a scope.
    pub fn file(self) -> Option<Metadata<'m>> {
        Metadata::optional(call!(di::LLVMDIScopeGetFile, self.raw), self.context)
    }

    /// The file of a variable.
    pub fn variable_file(self) -> Option<Metadata<'m>> {
        Metadata::optional(call!(di::LLVMDIVariableGetFile, self.raw), self.context)
    }

    /// Name and directory of a file node.
    pub fn file_path(self) -> (String, String) {
        let (mut name_length, mut directory_length) = (0, 0);
        let name = call!(di::LLVMDIFileGetFilename, self.raw, &mut name_length);
        let directory = call!(di::LLVMDIFileGetDirectory, self.raw, &mut directory_length);
        // SAFETY: the C functions return strings of the lengths they report.
        unsafe {
            (copy_text(name, name_length as usize), copy_text(directory, directory_length as usize))
        }
    }

    /// The variable of a global variable expression.
    pub fn global_variable(self) -> Option<Metadata<'m>> {
        let raw = call!(di::LLVMDIGlobalVariableExpressionGetVariable, self.raw);
        Metadata::optional(raw, self.context)
    }

    pub fn type_bits(self) -> u64 {
        call!(di::LLVMDITypeGetSizeInBits, self.raw)
    }

    pub fn type_bit_offset(self) -> u64 {
        call!(di::LLVMDITypeGetOffsetInBits, self.raw)
    }
}

/// One operand of a metadata node.
#[derive(Clone, Copy)]
pub(crate) enum MdOperand<'m> {
    Constant(Value<'m>),
    Node(Metadata<'m>),
}

impl<'m> MdOperand<'m> {
    pub fn node(self) -> Option<Metadata<'m>> {
        match self {
            MdOperand::Node(node) => Some(node),
            MdOperand::Constant(_) => None,
        }
    }
}

/// A `#dbg_value` or `#dbg_declare`.
#[derive(Clone, Copy)]
pub(crate) struct DbgRecord<'m> {
    raw: LLVMDbgRecordRef,
    context: LLVMContextRef,
    module: PhantomData<&'m ()>,
}

impl<'m> DbgRecord<'m> {
    pub(super) fn new(raw: LLVMDbgRecordRef, context: LLVMContextRef) -> Self {
        DbgRecord { raw, context, module: PhantomData }
    }

    /// Whether it names a variable (and is no label).
    pub fn names_variable(self) -> bool {
        let kind = call!(core::LLVMDbgRecordGetKind, self.raw);
        !matches!(kind, LLVMDbgRecordKind::LLVMDbgRecordLabel)
    }

    pub fn value(self) -> Option<Value<'m>> {
        Value::optional(call!(core::LLVMDbgVariableRecordGetValue, self.raw, 0))
    }

    pub fn variable(self) -> Option<Metadata<'m>> {
        Metadata::optional(call!(core::LLVMDbgVariableRecordGetVariable, self.raw), self.context)
    }

    pub fn expression(self) -> Option<Metadata<'m>> {
        Metadata::optional(call!(core::LLVMDbgVariableRecordGetExpression, self.raw), self.context)
    }
}
