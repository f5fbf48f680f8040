//! Constants: to operands' raw material, and to the bytes of globals.

use heddle_ir::{FuncId, GlobalId, Init, Relocation, Symbol};
use rustc_hash::FxHashMap;

use crate::llvm::{BasicBlock, Layout, Opcode, Type, TypeKind, Value, ValueKind};

/// A scalar constant after folding.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Folded {
    Bits(u64),
    /// An address plus an offset in bytes, possibly seen as an integer.
    Address(Symbol, i64),
    /// This thread's instance of a global, plus an offset.
    ThreadLocal(GlobalId, i64),
    Undef,
    Unsupported(String),
}

/// Knows the ids of everything that has an address.
pub(crate) struct Constants<'m> {
    pub layout: Layout<'m>,
    pub functions: FxHashMap<Value<'m>, FuncId>,
    pub globals: FxHashMap<Value<'m>, GlobalId>,
    /// Blocks whose address may be taken, as offsets into an object of their own.
    pub labels: FxHashMap<BasicBlock<'m>, (GlobalId, i64)>,
}

/// The address a `getelementptr` computes: `base + offset + Σ index·bytes`.
pub(crate) struct GepParts<'m> {
    pub base: Value<'m>,
    pub offset: i64,
    pub scales: Vec<(Value<'m>, i64)>,
    /// For each scale, the length of the array by its type.
    pub counts: Vec<Option<u64>>,
}

impl<'m> Constants<'m> {
    /// Splits a `getelementptr` (instruction or constant); `Err` names what is
    /// unsupported.
    pub fn gep(&self, gep: Value<'m>) -> Result<GepParts<'m>, String> {
        let (scales, counts) = (Vec::new(), Vec::new());
        let mut parts = GepParts { base: gep.operand(0), offset: 0, scales, counts };
        let mut ty = gep.gep_element();
        for position in 1..gep.operand_count() {
            let index = gep.operand(position);
            if position > 1 && ty.kind() == TypeKind::LLVMStructTypeKind {
                let field = u32::try_from(index.unsigned()).unwrap_or(0);
                let offset = self.layout.field_offset(ty, field);
                parts.offset = parts.offset.wrapping_add(offset.cast_signed());
                ty = ty.field(field);
                continue;
            }
            let count = (position > 1).then(|| ty.length());
            if position > 1 {
                ty = ty.element();
            }
            let bytes = self.layout.size(ty).cast_signed();
            match index.kind() {
                ValueKind::LLVMConstantIntValueKind => {
                    parts.offset = parts.offset.wrapping_add(index.signed().wrapping_mul(bytes));
                }
                _ if index.ty().kind() != TypeKind::LLVMIntegerTypeKind => {
                    return Err("vector of pointers".to_owned());
                }
                _ => {
                    parts.scales.push((index, bytes));
                    parts.counts.push(count);
                }
            }
        }
        Ok(parts)
    }

    /// Folds a scalar constant.
    pub fn fold(&self, value: Value<'m>) -> Folded {
        match value.kind() {
            ValueKind::LLVMConstantIntValueKind if value.ty().int_width() <= 64 => {
                Folded::Bits(value.unsigned())
            }
            ValueKind::LLVMConstantPointerNullValueKind
            | ValueKind::LLVMConstantAggregateZeroValueKind => Folded::Bits(0),
            ValueKind::LLVMConstantFPValueKind => match value.ty().kind() {
                TypeKind::LLVMFloatTypeKind => {
                    Folded::Bits(u64::from((value.real() as f32).to_bits()))
                }
                TypeKind::LLVMDoubleTypeKind => Folded::Bits(value.real().to_bits()),
                _ => Folded::Unsupported(format!("constant of type {}", value.ty().text())),
            },
            ValueKind::LLVMFunctionValueKind => match self.functions.get(&value) {
                // The initialiser of a C++ thread-local that has none.
                Some(_) if value.is_declaration() && value.name().starts_with("_ZTH") => {
                    Folded::Bits(0)
                }
                Some(&id) => Folded::Address(Symbol::Function(id), 0),
                None => Folded::Unsupported(format!("address of {}", value.name())),
            },
            ValueKind::LLVMGlobalVariableValueKind => match self.globals.get(&value) {
                Some(&id) if value.is_thread_local() => Folded::ThreadLocal(id, 0),
                Some(&id) => Folded::Address(Symbol::Global(id), 0),
                None => Folded::Unsupported(format!("address of {}", value.name())),
            },
            ValueKind::LLVMGlobalAliasValueKind => self.fold(value.aliasee()),
            ValueKind::LLVMConstantExprValueKind => self.fold_expression(value),
            ValueKind::LLVMBlockAddressValueKind => match self.labels.get(&value.labelled()) {
                Some(&(id, offset)) => Folded::Address(Symbol::Global(id), offset),
                None => Folded::Unsupported("address of a label".to_owned()),
            },
            _ if value.is_undef_or_poison() => Folded::Undef,
            _ => Folded::Unsupported(format!("constant of type {}", value.ty().text())),
        }
    }

    fn fold_expression(&self, value: Value<'m>) -> Folded {
        let opcode = value.constant_opcode();
        match opcode {
            Opcode::LLVMGetElementPtr => {
                let Ok(parts) = self.gep(value) else {
                    return Folded::Unsupported("constant of vector type".to_owned());
                };
                let mut offset = parts.offset;
                for (index, bytes) in parts.scales {
                    match self.fold(index) {
                        Folded::Bits(bits) => {
                            let index = sign_extend(bits, index.ty().int_width());
                            offset = offset.wrapping_add(index.wrapping_mul(bytes));
                        }
                        _ => return Folded::Unsupported("constant address".to_owned()),
                    }
                }
                add(self.fold(parts.base), offset, self.width(value.ty()))
            }
            Opcode::LLVMPtrToInt
            | Opcode::LLVMPtrToAddr
            | Opcode::LLVMIntToPtr
            | Opcode::LLVMBitCast
            | Opcode::LLVMAddrSpaceCast
            | Opcode::LLVMTrunc => {
                let (from, to) = (value.operand(0).ty(), value.ty());
                match self.fold(value.operand(0)) {
                    Folded::Bits(bits) => Folded::Bits(mask(bits, self.width(to))),
                    other if self.width(from) == self.width(to) => other,
                    Folded::Undef => Folded::Undef,
                    _ => Folded::Unsupported("part of an address as a constant".to_owned()),
                }
            }
            Opcode::LLVMAdd | Opcode::LLVMSub | Opcode::LLVMXor => {
                let width = self.width(value.ty());
                combine(opcode, self.fold(value.operand(0)), self.fold(value.operand(1)), width)
            }
            _ => Folded::Unsupported(format!("constant expression {}", value.text())),
        }
    }

    fn width(&self, ty: Type<'m>) -> u32 {
        match ty.kind() {
            TypeKind::LLVMIntegerTypeKind => ty.int_width(),
            TypeKind::LLVMPointerTypeKind => self.layout.pointer_bytes() * 8,
            _ => u32::try_from(self.layout.size(ty) * 8).unwrap_or(u32::MAX),
        }
    }

    /// The initial contents of a global; `None` when they hold something that
    /// cannot be expressed, so that a use of it stops instead of reading zeros.
    pub fn initial(&self, value: Value<'m>) -> Option<Init> {
        let mut init = Init::default();
        self.write(value, 0, &mut init)?;
        Some(init)
    }

    fn write(&self, value: Value<'m>, offset: u64, init: &mut Init) -> Option<()> {
        let ty = value.ty();
        match value.kind() {
            ValueKind::LLVMConstantAggregateZeroValueKind
            | ValueKind::LLVMConstantPointerNullValueKind => {}
            ValueKind::LLVMConstantDataArrayValueKind
            | ValueKind::LLVMConstantDataVectorValueKind => {
                let size = usize::try_from(self.layout.size(ty)).unwrap_or(0);
                put(init, offset, value.raw_data(size));
            }
            ValueKind::LLVMConstantStructValueKind => {
                for index in 0..ty.field_count() {
                    if let Some(field) = value.aggregate_element(index) {
                        self.write(field, offset + self.layout.field_offset(ty, index), init)?;
                    }
                }
            }
            ValueKind::LLVMConstantArrayValueKind | ValueKind::LLVMConstantVectorValueKind => {
                let stride = self.layout.size(ty.element());
                for index in 0..value.operand_count() {
                    self.write(value.operand(index), offset + u64::from(index) * stride, init)?;
                }
            }
            _ => self.write_scalar(value, offset, init)?,
        }
        Some(())
    }

    fn write_scalar(&self, value: Value<'m>, offset: u64, init: &mut Init) -> Option<()> {
        let ty = value.ty();
        match self.fold(value) {
            Folded::Bits(bits) => {
                let bytes = usize::try_from(self.width(ty).div_ceil(8)).unwrap_or(8).min(8);
                put(init, offset, &bits.to_le_bytes()[..bytes]);
            }
            Folded::Address(symbol, addend) => {
                init.relocations.push(Relocation { offset, symbol, addend });
            }
            Folded::Undef => {}
            Folded::Unsupported(_) if ty.kind() == TypeKind::LLVMIntegerTypeKind => {
                let bytes: Vec<u8> =
                    wide_words(value)?.into_iter().flat_map(u64::to_le_bytes).collect();
                put(init, offset, &bytes[..ty.int_width().div_ceil(8) as usize]);
            }
            // Nothing computes with a long double, but a program may copy it around.
            Folded::Unsupported(_) if ty.kind() == TypeKind::LLVMX86_FP80TypeKind => {
                let bits = long_double_bits(&value.text())?;
                put(init, offset, &bits.to_le_bytes()[..10]);
            }
            Folded::Unsupported(_) | Folded::ThreadLocal(..) => return None,
        }
        Some(())
    }
}

/// Reads `x86_fp80 0xK3FFF8000000000000000` as LLVM prints it.
fn long_double_bits(text: &str) -> Option<u128> {
    let number = text.rsplit(' ').next()?;
    u128::from_str_radix(number.strip_prefix("0xK")?, 16).ok()
}

/// An integer constant of over 64 bits as words, the lowest first; bits above its width are
/// zero. LLVM tells it in decimal only.
pub(crate) fn wide_words(value: Value<'_>) -> Option<Vec<u64>> {
    if value.kind() != ValueKind::LLVMConstantIntValueKind {
        return None;
    }
    let text = value.text();
    decimal_words(text.rsplit(' ').next()?, value.ty().int_width())
}

fn decimal_words(number: &str, width: u32) -> Option<Vec<u64>> {
    let mut words = vec![0; width.div_ceil(64) as usize];
    for digit in number.trim_start_matches('-').chars() {
        multiply_add(&mut words, 10, digit.to_digit(10)?.into());
    }
    if number.starts_with('-') {
        words.iter_mut().for_each(|word| *word = !*word);
        multiply_add(&mut words, 1, 1);
    }
    if let Some(top) = words.last_mut() {
        *top = mask(*top, width - (width - 1) / 64 * 64);
    }
    Some(words)
}

/// `words * factor + more`.
fn multiply_add(words: &mut [u64], factor: u64, more: u64) {
    let mut carry = u128::from(more);
    for word in words {
        carry += u128::from(*word) * u128::from(factor);
        *word = carry as u64;
        carry >>= 64;
    }
}

fn put(init: &mut Init, offset: u64, bytes: &[u8]) {
    let Ok(start) = usize::try_from(offset) else { return };
    let end = start + bytes.len();
    if init.bytes.len() < end {
        init.bytes.resize(end, 0);
    }
    init.bytes[start..end].copy_from_slice(bytes);
}

fn add(base: Folded, offset: i64, width: u32) -> Folded {
    match base {
        Folded::Bits(bits) => Folded::Bits(mask(bits.wrapping_add_signed(offset), width)),
        Folded::Address(symbol, addend) => Folded::Address(symbol, addend.wrapping_add(offset)),
        Folded::ThreadLocal(id, addend) => Folded::ThreadLocal(id, addend.wrapping_add(offset)),
        other => other,
    }
}

fn combine(opcode: Opcode, a: Folded, b: Folded, width: u32) -> Folded {
    match (opcode, a, b) {
        (Opcode::LLVMAdd, Folded::Bits(bits), other)
        | (Opcode::LLVMAdd, other, Folded::Bits(bits)) => {
            add(other, sign_extend(bits, width), width)
        }
        (Opcode::LLVMSub, a, Folded::Bits(bits)) => {
            add(a, sign_extend(bits, width).wrapping_neg(), width)
        }
        (Opcode::LLVMSub, Folded::Address(s, x), Folded::Address(t, y)) if s == t => {
            Folded::Bits(mask(x.wrapping_sub(y).cast_unsigned(), width))
        }
        (Opcode::LLVMXor, Folded::Bits(a), Folded::Bits(b)) => Folded::Bits(a ^ b),
        _ => Folded::Unsupported("arithmetic on addresses as a constant".to_owned()),
    }
}

pub(crate) fn mask(bits: u64, width: u32) -> u64 {
    if width >= 64 { bits } else { bits & ((1 << width) - 1) }
}

fn sign_extend(bits: u64, width: u32) -> i64 {
    let shift = 64 - width.clamp(1, 64);
    (bits << shift).cast_signed() >> shift
}

#[cfg(test)]
mod tests {
    use super::decimal_words;

    #[test]
    fn decimal_numbers_are_words() {
        assert_eq!(decimal_words("5", 128), Some(vec![5, 0]));
        assert_eq!(decimal_words("-1", 128), Some(vec![u64::MAX, u64::MAX]));
        assert_eq!(decimal_words("-1", 72), Some(vec![u64::MAX, 0xff]));
        assert_eq!(decimal_words("18446744073709551616", 65), Some(vec![0, 1]));
        assert_eq!(decimal_words("-18446744073709551616", 128), Some(vec![0, u64::MAX]));
        assert_eq!(decimal_words("0xK1", 80), None);
    }
}
