//! How an LLVM type splits into scalars.

use std::rc::Rc;

use heddle_ir::{FloatTy, Ty};
use rustc_hash::FxHashMap;

use crate::llvm::{Layout, Type, TypeKind};

/// A scalar of a type and where it lies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    pub ty: Ty,
    pub offset: u64,
}

/// First-class aggregates with more scalars than this are left unsupported.
const MAX_LEAVES: usize = 4096;

/// Integers of more bits than this, too.
const MAX_BITS: u32 = 1024;

/// The scalars of each type, or the name of what is unsupported in it.
pub(crate) struct LeafTable<'m> {
    layout: Layout<'m>,
    known: FxHashMap<Type<'m>, Result<Rc<[Leaf]>, String>>,
}

impl<'m> LeafTable<'m> {
    pub fn new(layout: Layout<'m>) -> Self {
        LeafTable { layout, known: FxHashMap::default() }
    }

    pub fn of(&mut self, ty: Type<'m>) -> Result<Rc<[Leaf]>, String> {
        if let Some(found) = self.known.get(&ty) {
            return found.clone();
        }
        let mut leaves = Vec::new();
        let result = self.collect(ty, 0, &mut leaves).map(|()| leaves.into());
        self.known.insert(ty, result.clone());
        result
    }

    fn collect(&self, ty: Type<'m>, offset: u64, out: &mut Vec<Leaf>) -> Result<(), String> {
        if out.len() > MAX_LEAVES {
            return Err("a value with too many elements".to_owned());
        }
        match ty.kind() {
            TypeKind::LLVMVoidTypeKind => {}
            TypeKind::LLVMStructTypeKind => {
                for index in 0..ty.field_count() {
                    let inner = offset + self.layout.field_offset(ty, index);
                    self.collect(ty.field(index), inner, out)?;
                }
            }
            TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => {
                let element = ty.element();
                let stride = self.layout.size(element);
                for index in 0..ty.length() {
                    self.collect(element, offset + index * stride, out)?;
                }
            }
            TypeKind::LLVMIntegerTypeKind if ty.int_width() > 64 => {
                if ty.int_width() > MAX_BITS {
                    return Err(format!("integer type {}", ty.text()));
                }
                for at in (0..ty.int_width()).step_by(64) {
                    let part = Ty::Int((ty.int_width() - at).min(64) as u8);
                    out.push(Leaf { ty: part, offset: offset + u64::from(at / 8) });
                }
            }
            _ => out.push(Leaf { ty: scalar(ty)?, offset }),
        }
        Ok(())
    }

    /// Whether the offsets of the scalars are right. Elements of a vector lie bit by bit.
    pub fn in_memory(&self, ty: Type<'m>) -> Result<(), String> {
        match ty.kind() {
            TypeKind::LLVMStructTypeKind => {
                (0..ty.field_count()).try_for_each(|index| self.in_memory(ty.field(index)))
            }
            TypeKind::LLVMArrayTypeKind => self.in_memory(ty.element()),
            TypeKind::LLVMVectorTypeKind => {
                let element = ty.element();
                let is_packed = element.kind() == TypeKind::LLVMIntegerTypeKind
                    && u64::from(element.int_width()) != 8 * self.layout.size(element);
                match is_packed {
                    true => Err(format!("vector type {} in memory", ty.text())),
                    false => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }
}

/// The register type of an LLVM type that is one scalar, or the name of an unsupported one.
pub(crate) fn scalar(ty: Type<'_>) -> Result<Ty, String> {
    match ty.kind() {
        TypeKind::LLVMIntegerTypeKind => match u8::try_from(ty.int_width()) {
            Ok(width @ 1..=64) => Ok(Ty::Int(width)),
            _ => Err(format!("integer type {}", ty.text())),
        },
        TypeKind::LLVMPointerTypeKind => Ok(Ty::Ptr),
        TypeKind::LLVMFloatTypeKind => Ok(Ty::Float(FloatTy::F32)),
        TypeKind::LLVMDoubleTypeKind => Ok(Ty::Float(FloatTy::F64)),
        TypeKind::LLVMX86_FP80TypeKind => Err("long double".to_owned()),
        TypeKind::LLVMVectorTypeKind | TypeKind::LLVMScalableVectorTypeKind => {
            Err(format!("vector type {}", ty.text()))
        }
        _ => Err(format!("type {}", ty.text())),
    }
}
