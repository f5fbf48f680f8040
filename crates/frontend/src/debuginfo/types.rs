//! Source types.
//!
//! The C interface gives operands, tags and sizes of type nodes, but not the
//! encoding of a basic type nor the value of an enumerator; these two are read
//! from how LLVM prints the node.

use heddle_ir::{DebugType, DebugTypeId, Member};
use rustc_hash::FxHashMap;

use crate::llvm::{MdOperand, Metadata, MetadataKind};

#[derive(Default)]
pub(crate) struct TypeTable {
    types: Vec<DebugType>,
    ids: FxHashMap<usize, DebugTypeId>,
}

/// Positions of operands in type nodes (see `DIType` and its subclasses in LLVM
/// 22; earlier versions had size and offset elsewhere).
const NAME: usize = 2;
const BASE_TYPE: usize = 5;
const ELEMENTS: usize = 6;

/// DWARF tags.
mod tag {
    pub const ARRAY: u16 = 0x01;
    pub const CLASS: u16 = 0x02;
    pub const ENUMERATION: u16 = 0x04;
    pub const MEMBER: u16 = 0x0d;
    pub const POINTER: u16 = 0x0f;
    pub const REFERENCE: u16 = 0x10;
    pub const STRUCTURE: u16 = 0x13;
    pub const TYPEDEF: u16 = 0x16;
    pub const UNION: u16 = 0x17;
    pub const INHERITANCE: u16 = 0x1c;
    pub const CONST: u16 = 0x26;
    pub const VOLATILE: u16 = 0x35;
    pub const RESTRICT: u16 = 0x37;
    pub const RVALUE_REFERENCE: u16 = 0x42;
    pub const ATOMIC: u16 = 0x47;
}

impl TypeTable {
    pub fn finish(self) -> Vec<DebugType> {
        self.types
    }

    pub fn get(&self, id: DebugTypeId) -> &DebugType {
        &self.types[id.0 as usize]
    }

    /// Size of a type in bytes, where it has one.
    pub fn bytes(&self, id: DebugTypeId, pointer_bytes: u8) -> Option<u64> {
        Some(match self.get(id) {
            DebugType::Unsigned { bytes }
            | DebugType::Signed { bytes }
            | DebugType::Float { bytes }
            | DebugType::Enum { bytes, .. } => u64::from(*bytes),
            DebugType::Bool | DebugType::Char => 1,
            DebugType::Pointer { .. } => u64::from(pointer_bytes),
            DebugType::Array { stride, count, .. } => stride * count,
            DebugType::Record { bytes, .. } => *bytes,
            DebugType::Opaque => return None,
        })
    }

    /// The id of a type node, entering it and what it is made of.
    pub fn id(&mut self, node: Metadata<'_>) -> DebugTypeId {
        if let Some(&known) = self.ids.get(&node.address()) {
            return known;
        }
        if let Some(transparent) = self.through(node) {
            self.ids.insert(node.address(), transparent);
            return transparent;
        }
        // Entered before its parts, because types may contain pointers to themselves.
        let id = self.push(DebugType::Opaque);
        self.ids.insert(node.address(), id);
        let described = self.describe(node);
        self.types[id.0 as usize] = described;
        id
    }

    fn push(&mut self, ty: DebugType) -> DebugTypeId {
        self.types.push(ty);
        DebugTypeId(self.types.len() as u32 - 1)
    }

    /// Typedefs and qualifiers are what they stand for. The name of a typedef goes
    /// to a record that has none (`pthread_mutex_t`).
    fn through(&mut self, node: Metadata<'_>) -> Option<DebugTypeId> {
        if !matches!(node.kind(), MetadataKind::LLVMDIDerivedTypeMetadataKind) {
            return None;
        }
        let tag = node.tag();
        let qualifier = [tag::CONST, tag::VOLATILE, tag::RESTRICT, tag::ATOMIC].contains(&tag);
        if tag != tag::TYPEDEF && !qualifier {
            return None;
        }
        let operands = node.operands();
        let Some(base) = part(&operands, BASE_TYPE) else {
            return Some(self.push(DebugType::Opaque));
        };
        let id = self.id(base);
        if let (Some(typedef), DebugType::Record { name, .. }) =
            (part(&operands, NAME).and_then(Metadata::string), &mut self.types[id.0 as usize])
            && name.is_empty()
        {
            *name = typedef;
        }
        Some(id)
    }

    fn describe(&mut self, node: Metadata<'_>) -> DebugType {
        match node.kind() {
            MetadataKind::LLVMDIBasicTypeMetadataKind => basic(node),
            MetadataKind::LLVMDIDerivedTypeMetadataKind => match node.tag() {
                tag::POINTER | tag::REFERENCE | tag::RVALUE_REFERENCE => {
                    let to = part(&node.operands(), BASE_TYPE).map(|base| self.id(base));
                    DebugType::Pointer { to }
                }
                _ => DebugType::Opaque,
            },
            MetadataKind::LLVMDICompositeTypeMetadataKind => match node.tag() {
                tag::ARRAY => self.array(node),
                tag::STRUCTURE | tag::CLASS | tag::UNION => self.record(node),
                tag::ENUMERATION => enumeration(node),
                _ => DebugType::Opaque,
            },
            _ => DebugType::Opaque,
        }
    }

    fn record(&mut self, node: Metadata<'_>) -> DebugType {
        let operands = node.operands();
        let name = part(&operands, NAME).and_then(Metadata::string).unwrap_or_default();
        let mut members = Vec::new();
        for member in elements(&operands) {
            let is_derived = matches!(member.kind(), MetadataKind::LLVMDIDerivedTypeMetadataKind);
            if !is_derived || ![tag::MEMBER, tag::INHERITANCE].contains(&member.tag()) {
                continue;
            }
            let parts = member.operands();
            let Some(base) = part(&parts, BASE_TYPE) else { continue };
            members.push(Member {
                name: part(&parts, NAME).and_then(Metadata::string).unwrap_or_default(),
                bit_offset: member.type_bit_offset(),
                // A base class has no size of its own there.
                bits: match member.tag() {
                    tag::INHERITANCE => base.type_bits(),
                    _ => member.type_bits(),
                },
                ty: self.id(base),
            });
        }
        DebugType::Record { name, bytes: node.type_bits() / 8, members }
    }

    /// An array of arrays is one node with several ranges; the last is innermost.
    fn array(&mut self, node: Metadata<'_>) -> DebugType {
        let operands = node.operands();
        let Some(base) = part(&operands, BASE_TYPE) else { return DebugType::Opaque };
        let counts: Vec<u64> = elements(&operands).into_iter().map(count).collect();
        let total: u64 = counts.iter().product();
        if counts.is_empty() {
            return DebugType::Opaque;
        }
        let mut element = self.id(base);
        let mut stride = match (node.type_bits() / 8).checked_div(total) {
            Some(stride) if stride > 0 => stride,
            // An array of unknown length: the size of its element type.
            _ => base_bytes(base),
        };
        for &count in counts[1..].iter().rev() {
            element = self.push(DebugType::Array { element, stride, count });
            stride *= count;
        }
        DebugType::Array { element, stride, count: counts[0] }
    }
}

fn part<'m>(operands: &[Option<MdOperand<'m>>], index: usize) -> Option<Metadata<'m>> {
    operands.get(index).copied().flatten()?.node()
}

/// The nodes in the list of elements of a composite type.
fn elements<'m>(operands: &[Option<MdOperand<'m>>]) -> Vec<Metadata<'m>> {
    let list = part(operands, ELEMENTS).map(Metadata::operands).unwrap_or_default();
    list.into_iter().flatten().filter_map(MdOperand::node).collect()
}

/// Elements of a `DISubrange`, 0 when unknown.
fn count(range: Metadata<'_>) -> u64 {
    match range.operands().first().copied().flatten() {
        Some(MdOperand::Constant(value)) => value.signed().try_into().unwrap_or(0),
        _ => 0,
    }
}

/// Size of a type node, through typedefs and qualifiers (whose own size is 0).
fn base_bytes(node: Metadata<'_>) -> u64 {
    let mut node = node;
    while node.type_bits() == 0 {
        match part(&node.operands(), BASE_TYPE) {
            Some(base) => node = base,
            None => return 0,
        }
    }
    node.type_bits() / 8
}

fn basic(node: Metadata<'_>) -> DebugType {
    let bytes = u32::try_from(node.type_bits() / 8).unwrap_or(0);
    match field(&node.text(), "encoding: ").as_deref() {
        Some("DW_ATE_boolean") => DebugType::Bool,
        Some("DW_ATE_signed_char" | "DW_ATE_unsigned_char") => {
            let name = part(&node.operands(), NAME).and_then(Metadata::string);
            match name.as_deref() {
                Some("char") => DebugType::Char,
                Some("signed char") => DebugType::Signed { bytes },
                _ => DebugType::Unsigned { bytes },
            }
        }
        Some("DW_ATE_signed") => DebugType::Signed { bytes },
        Some("DW_ATE_unsigned" | "DW_ATE_UTF") => DebugType::Unsigned { bytes },
        Some("DW_ATE_float") => DebugType::Float { bytes },
        _ => DebugType::Opaque,
    }
}

fn enumeration(node: Metadata<'_>) -> DebugType {
    let bytes = u32::try_from(node.type_bits() / 8).unwrap_or(0);
    let mut names = Vec::new();
    for enumerator in elements(&node.operands()) {
        let text = enumerator.text();
        let name = part(&enumerator.operands(), 0).and_then(Metadata::string);
        let value = field(&text, "value: ").and_then(|value| match value.parse::<i64>() {
            Ok(value) => Some(value),
            Err(_) => value.parse::<u64>().ok().map(u64::cast_signed),
        });
        if let (Some(name), Some(value)) = (name, value) {
            names.push((value, name));
        }
    }
    DebugType::Enum { bytes, names }
}

/// The text after `key` up to the next comma or parenthesis.
fn field(text: &str, key: &str) -> Option<String> {
    let start = text.rfind(key)? + key.len();
    let rest = &text[start..];
    Some(rest[..rest.find([',', ')']).unwrap_or(rest.len())].trim().to_owned())
}
