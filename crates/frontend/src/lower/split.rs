//! Instructions on values that take several registers: vectors, which are computed element
//! by element, and integers of over 64 bits (see [`super::wide`]).

use heddle_ir::{BinOp, Cast, Op, Operand, Ty};
use smallvec::SmallVec;

use super::arith::{self, float_predicate, int_predicate};
use super::function::FunctionLowering;
use super::operands::{Scalar, Scalars};
use super::wide::Words;
use crate::leaves::scalar;
use crate::llvm::{Opcode, Type, TypeKind, Value};

/// The type of an element of a vector, or of a value that is none.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    Scalar(Ty),
    /// An integer of so many bits, over 64.
    Wide(u32),
}

/// The operands that an element is.
pub(super) type Parts = SmallVec<[Operand; 2]>;

/// Is the type a vector or an integer of over 64 bits?
pub(super) fn is_split(ty: Type<'_>) -> bool {
    match ty.kind() {
        TypeKind::LLVMVectorTypeKind => true,
        TypeKind::LLVMIntegerTypeKind => ty.int_width() > 64,
        _ => false,
    }
}

/// How many elements a value has, and their type.
fn shape(ty: Type<'_>) -> (u32, Type<'_>) {
    match ty.kind() {
        TypeKind::LLVMVectorTypeKind => (ty.length() as u32, ty.element()),
        _ => (1, ty),
    }
}

impl<'m> FunctionLowering<'_, 'm> {
    /// Arithmetic, comparisons and conversions of values that take several registers.
    pub(super) fn lower_split(&mut self, inst: Value<'m>, opcode: Opcode) {
        let before = self.insts.len();
        let results = match opcode {
            Opcode::LLVMBitCast => self.reinterpret(inst.operand(0), inst.ty()),
            _ => self.each_element(inst, |this, operands| this.element(inst, opcode, operands)),
        };
        match results {
            Ok(results) => self.alias(inst, results.into_iter().map(Scalar::Known).collect()),
            Err(what) => {
                self.insts.truncate(before);
                self.unsupported(what);
            }
        }
    }

    /// What `compute` makes of each element of the operands of `inst`.
    pub(super) fn each_element(
        &mut self,
        inst: Value<'m>,
        mut compute: impl FnMut(&mut Self, &[Parts]) -> Result<Parts, String>,
    ) -> Result<Parts, String> {
        let (count, _) = shape(inst.operand(0).ty());
        let operands = operand_count(inst);
        let mut elements: Vec<std::vec::IntoIter<Parts>> = Vec::new();
        for index in 0..operands {
            elements.push(self.elements(inst.operand(index))?.into_iter());
        }
        let mut results = Parts::new();
        for _ in 0..count {
            let parts: Option<Vec<Parts>> = elements.iter_mut().map(Iterator::next).collect();
            let parts = parts.ok_or("vectors of different lengths")?;
            results.extend(compute(self, &parts)?);
        }
        Ok(results)
    }

    /// The operands of each element of a value.
    pub(super) fn elements(&mut self, value: Value<'m>) -> Result<Vec<Parts>, String> {
        let (count, element) = shape(value.ty());
        let size = self.cx.leaves.of(element)?.len().max(1);
        let operands = self.operands(value);
        if operands.len() != size * count as usize {
            return Err(format!("value of type {}", value.ty().text()));
        }
        Ok(operands.chunks(size).map(Parts::from_slice).collect())
    }

    pub(super) fn element_of(&self, ty: Type<'m>) -> Result<Element, String> {
        let (_, element) = shape(ty);
        match is_split(element) {
            true => Ok(Element::Wide(element.int_width())),
            false => scalar(element).map(Element::Scalar),
        }
    }

    fn element(
        &mut self,
        inst: Value<'m>,
        opcode: Opcode,
        operands: &[Parts],
    ) -> Result<Parts, String> {
        let from = self.element_of(inst.operand(0).ty())?;
        if let Some(op) = arith::cast(opcode) {
            let to = self.element_of(inst.ty())?;
            return self.cast_element(op, from, to, &operands[0]);
        }
        match from {
            Element::Scalar(ty) => self.scalar_element(inst, opcode, ty, operands),
            Element::Wide(bits) => self.wide_element(inst, opcode, bits, operands),
        }
    }

    fn scalar_element(
        &mut self,
        inst: Value<'m>,
        opcode: Opcode,
        ty: Ty,
        operands: &[Parts],
    ) -> Result<Parts, String> {
        let a = operands[0][0];
        let b = operands.get(1).map_or(a, |parts| parts[0]);
        let compares = matches!(opcode, Opcode::LLVMICmp | Opcode::LLVMFCmp);
        let dst = self.fresh(if compares { Ty::BOOL } else { ty });
        let width = ty.bits(self.cx.program.pointer_bytes) as u8;
        let op = match (opcode, ty) {
            (Opcode::LLVMICmp, _) => {
                Op::Compare { pred: int_predicate(inst.int_predicate()), width, dst, a, b }
            }
            (Opcode::LLVMFCmp, Ty::Float(ty)) => {
                Op::FloatCompare { pred: float_predicate(inst.real_predicate()), ty, dst, a, b }
            }
            (Opcode::LLVMFNeg, Ty::Float(ty)) => Op::FloatNeg { ty, dst, a },
            (_, Ty::Float(ty)) => match arith::float_binary(opcode) {
                Some(op) => Op::FloatBinary { op, ty, dst, a, b },
                None => return Err(arith::name_of(opcode).to_owned()),
            },
            _ => match arith::binary(opcode) {
                Some(op) => {
                    let nsw = arith::can_wrap(op) && inst.no_signed_wrap();
                    Op::Binary { op, width, nsw, dst, a, b }
                }
                None => return Err(arith::name_of(opcode).to_owned()),
            },
        };
        self.emit(op);
        Ok([Operand::Reg(dst)].into_iter().collect())
    }

    fn wide_element(
        &mut self,
        inst: Value<'m>,
        opcode: Opcode,
        bits: u32,
        operands: &[Parts],
    ) -> Result<Parts, String> {
        let [a, b] = operands else { return Err(arith::name_of(opcode).to_owned()) };
        if opcode == Opcode::LLVMICmp {
            let pred = int_predicate(inst.int_predicate());
            return Ok([self.compare_wide(pred, bits, a, b)].into_iter().collect());
        }
        let op = arith::binary(opcode).ok_or_else(|| arith::name_of(opcode).to_owned())?;
        let nsw = arith::can_wrap(op) && inst.no_signed_wrap();
        self.binary_wide(op, bits, nsw, a, b)
    }

    fn cast_element(
        &mut self,
        op: Cast,
        from: Element,
        to: Element,
        parts: &[Operand],
    ) -> Result<Parts, String> {
        match (from, to) {
            (Element::Scalar(from), Element::Scalar(to)) => {
                let op = self.exact_cast(op, from, to);
                Ok([self.emit_cast(op, from, to, parts[0])].into_iter().collect())
            }
            _ => self.cast_wide(op, from, to, parts),
        }
    }

    /// The same bits as another type.
    pub(super) fn reinterpret(&mut self, value: Value<'m>, to: Type<'m>) -> Result<Parts, String> {
        let from = self.cx.leaves.of(value.ty())?;
        let to = self.cx.leaves.of(to)?;
        let operands = self.operands(value);
        let pointer_bytes = self.cx.program.pointer_bytes;
        let mut source = Vec::new();
        for (leaf, operand) in from.iter().zip(operands) {
            let width = leaf.ty.bits(pointer_bytes) as u8;
            let bits = self.bits_of(operand, leaf.ty, width);
            source.push((bits, u32::from(width)));
        }
        let whole = self.pack(&source);
        let mut at = 0;
        let mut parts = Parts::new();
        for leaf in to.iter() {
            let width = leaf.ty.bits(pointer_bytes);
            let bits = self.unpack(&whole, at, width as u8);
            parts.push(self.read_bits(bits, leaf.ty, width as u8));
            at += width;
        }
        Ok(parts)
    }

    fn bits_of(&mut self, operand: Operand, ty: Ty, width: u8) -> Operand {
        let to = Ty::Int(width);
        match ty {
            Ty::Int(_) => operand,
            Ty::Ptr => self.emit_cast(Cast::Trunc, ty, to, operand),
            Ty::Float(_) => self.emit_cast(Cast::Bits, ty, to, operand),
        }
    }

    fn read_bits(&mut self, bits: Operand, ty: Ty, width: u8) -> Operand {
        let from = Ty::Int(width);
        match ty {
            Ty::Int(_) => bits,
            Ty::Ptr => self.emit_cast(Cast::Trunc, from, ty, bits),
            Ty::Float(_) => self.emit_cast(Cast::Bits, from, ty, bits),
        }
    }

    /// Numbers of so many bits, one after the other from the lowest bit on.
    fn pack(&mut self, numbers: &[(Operand, u32)]) -> Words {
        let total: u32 = numbers.iter().map(|(_, bits)| bits).sum();
        let mut words: Words = vec![Operand::Const(0); total.div_ceil(64) as usize];
        let mut at = 0;
        for &(number, bits) in numbers {
            let number = self.zero_extended(number, bits as u8);
            let (word, shift) = ((at / 64) as usize, at % 64);
            let low = self.word(BinOp::Shl, number, Operand::Const(shift.into()));
            words[word] = self.word(BinOp::Or, words[word], low);
            if shift + bits > 64 {
                let by = Operand::Const(u64::from(64 - shift));
                words[word + 1] = self.word(BinOp::LShr, number, by);
            }
            at += bits;
        }
        words
    }

    /// The number of `width` bits at a bit.
    fn unpack(&mut self, words: &[Operand], at: u32, width: u8) -> Operand {
        let (word, shift) = ((at / 64) as usize, at % 64);
        let mut number = self.word(BinOp::LShr, words[word], Operand::Const(shift.into()));
        if shift + u32::from(width) > 64 {
            let by = Operand::Const(u64::from(64 - shift));
            let high = self.word(BinOp::Shl, words[word + 1], by);
            number = self.word(BinOp::Or, number, high);
        }
        self.truncated(number, width)
    }

    /// Gives an instruction its scalars, undefined ones included.
    pub(super) fn alias_parts(&mut self, inst: Value<'m>, parts: Vec<Scalar>) {
        self.alias(inst, parts.into_iter().collect::<Scalars>());
    }
}

/// The operands of an instruction or the arguments of a call.
fn operand_count(inst: Value<'_>) -> u32 {
    match inst.opcode() {
        Opcode::LLVMCall => inst.argument_count(),
        _ => inst.operand_count(),
    }
}
