//! Arithmetic, comparisons, conversions, and the shuffling of aggregates.

use heddle_ir::{BinOp, Cast, Compare, FloatBinOp, FloatCompare, FloatTy, Op, Ty};
use smallvec::SmallVec;

use super::function::FunctionLowering;
use super::operands::{Scalar, Scalars};
use super::split::is_split;
use crate::leaves::scalar;
use crate::llvm::{IntPredicate, Opcode, RealPredicate, Type, TypeKind, Value};

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn lower_arithmetic(&mut self, inst: Value<'m>, opcode: Opcode) {
        let known = binary(opcode).is_some()
            || float_binary(opcode).is_some()
            || cast(opcode).is_some()
            || matches!(opcode, Opcode::LLVMICmp | Opcode::LLVMFCmp | Opcode::LLVMFNeg);
        if known && (is_split(inst.ty()) || is_split(inst.operand(0).ty())) {
            return self.lower_split(inst, opcode);
        }
        if let Some(op) = binary(opcode) {
            return self.lower_binary(inst, op);
        }
        if let Some(op) = float_binary(opcode) {
            return self.lower_float_binary(inst, op);
        }
        match opcode {
            Opcode::LLVMICmp => self.lower_compare(inst),
            Opcode::LLVMFCmp => self.lower_float_compare(inst),
            Opcode::LLVMFNeg => self.lower_negate(inst),
            Opcode::LLVMExtractElement => self.lower_extract_element(inst),
            Opcode::LLVMInsertElement => self.lower_insert_element(inst),
            Opcode::LLVMShuffleVector => self.lower_shuffle(inst),
            _ => match cast(opcode) {
                Some(op) => self.lower_cast(inst, op),
                None => self.unsupported(name_of(opcode)),
            },
        }
    }

    /// The scalar type of `ty`; emits a stop for an unsupported one.
    pub(super) fn scalar_type(&mut self, ty: Type<'m>) -> Option<Ty> {
        match scalar(ty) {
            Ok(ty) => Some(ty),
            Err(what) => {
                self.unsupported(what);
                None
            }
        }
    }

    fn float_type(&mut self, ty: Type<'m>) -> Option<FloatTy> {
        match self.scalar_type(ty)? {
            Ty::Float(ty) => Some(ty),
            _ => None,
        }
    }

    fn lower_binary(&mut self, inst: Value<'m>, op: BinOp) {
        let Some(Ty::Int(width)) = self.scalar_type(inst.ty()) else { return };
        let (a, b) = (self.operand(inst.operand(0)), self.operand(inst.operand(1)));
        let nsw = can_wrap(op) && inst.no_signed_wrap();
        let Some(dst) = self.assign_scalar(inst) else { return };
        self.emit(Op::Binary { op, width, nsw, dst, a, b });
    }

    fn lower_float_binary(&mut self, inst: Value<'m>, op: FloatBinOp) {
        let Some(ty) = self.float_type(inst.ty()) else { return };
        let (a, b) = (self.operand(inst.operand(0)), self.operand(inst.operand(1)));
        let Some(dst) = self.assign_scalar(inst) else { return };
        self.emit(Op::FloatBinary { op, ty, dst, a, b });
    }

    fn lower_negate(&mut self, inst: Value<'m>) {
        let Some(ty) = self.float_type(inst.ty()) else { return };
        let a = self.operand(inst.operand(0));
        let Some(dst) = self.assign_scalar(inst) else { return };
        self.emit(Op::FloatNeg { ty, dst, a });
    }

    fn lower_compare(&mut self, inst: Value<'m>) {
        let Some(ty) = self.scalar_type(inst.operand(0).ty()) else { return };
        let width = ty.bits(self.cx.program.pointer_bytes) as u8;
        let (a, b) = (self.operand(inst.operand(0)), self.operand(inst.operand(1)));
        let pred = int_predicate(inst.int_predicate());
        let Some(dst) = self.assign_scalar(inst) else { return };
        self.emit(Op::Compare { pred, width, dst, a, b });
    }

    fn lower_float_compare(&mut self, inst: Value<'m>) {
        let Some(ty) = self.float_type(inst.operand(0).ty()) else { return };
        let (a, b) = (self.operand(inst.operand(0)), self.operand(inst.operand(1)));
        let pred = float_predicate(inst.real_predicate());
        let Some(dst) = self.assign_scalar(inst) else { return };
        self.emit(Op::FloatCompare { pred, ty, dst, a, b });
    }

    fn lower_cast(&mut self, inst: Value<'m>, op: Cast) {
        let source = inst.operand(0);
        let Some(from) = self.scalar_type(source.ty()) else { return };
        let Some(to) = self.scalar_type(inst.ty()) else { return };
        let a = self.operand(source);
        let Some(dst) = self.assign_scalar(inst) else { return };
        if op == Cast::Bits && from == to {
            return self.emit(Op::Copy { dst, a });
        }
        let op = self.exact_cast(op, from, to);
        self.emit(Op::Cast { op, from, to, dst, a });
    }

    /// Pointers and integers of another width are cut or extended.
    pub(super) fn exact_cast(&self, op: Cast, from: Ty, to: Ty) -> Cast {
        let pointer_bytes = self.cx.program.pointer_bytes;
        let widens = from.bits(pointer_bytes) < to.bits(pointer_bytes);
        if op == Cast::Trunc && widens { Cast::ZeroExt } else { op }
    }

    pub(super) fn lower_select(&mut self, inst: Value<'m>) {
        if inst.operand(0).ty().kind() == TypeKind::LLVMVectorTypeKind {
            return self.lower_vector_select(inst);
        }
        let cond = self.operand(inst.operand(0));
        let then = self.operands(inst.operand(1));
        let other = self.operands(inst.operand(2));
        let Some(regs) = self.assign(inst) else { return };
        for ((dst, then), other) in regs.into_iter().zip(then).zip(other) {
            self.emit(Op::Select { dst, cond, then, other });
        }
    }

    /// `freeze` picks one value for good; for an undefined scalar that is an input.
    pub(super) fn lower_freeze(&mut self, inst: Value<'m>) {
        let operands = self.operands(inst.operand(0));
        let Some(regs) = self.assign(inst) else { return };
        for (dst, a) in regs.into_iter().zip(operands) {
            self.emit(Op::Copy { dst, a });
        }
    }

    pub(super) fn lower_extract(&mut self, inst: Value<'m>) {
        let whole = inst.operand(0);
        let Some((start, count)) = self.position(whole.ty(), &inst.indices()) else { return };
        let part: Scalars = self.scalars(whole).into_iter().skip(start).take(count).collect();
        // A named variable keeps its name on a register of its own.
        if let ([scalar @ Scalar::Known(_)], true) = (&part[..], self.variables.contains_key(&inst))
        {
            let Scalar::Known(a) = *scalar else { return };
            if let Some(dst) = self.assign_scalar(inst) {
                self.emit(Op::Copy { dst, a });
            }
            return;
        }
        self.alias(inst, part);
    }

    pub(super) fn lower_insert(&mut self, inst: Value<'m>) {
        let whole = inst.operand(0);
        let Some((start, count)) = self.position(whole.ty(), &inst.indices()) else { return };
        let mut scalars = self.scalars(whole);
        let part: SmallVec<[Scalar; 1]> = self.scalars(inst.operand(1));
        for (slot, scalar) in scalars.iter_mut().skip(start).take(count).zip(part) {
            *slot = scalar;
        }
        self.alias(inst, scalars);
    }

    /// Which leaves of `ty` the part at `indices` is.
    fn position(&mut self, mut ty: Type<'m>, indices: &[u32]) -> Option<(usize, usize)> {
        let mut start = 0;
        for &index in indices {
            if ty.kind() == TypeKind::LLVMStructTypeKind {
                for before in 0..index {
                    start += self.leaf_count(ty.field(before))?;
                }
                ty = ty.field(index);
            } else {
                ty = ty.element();
                start += index as usize * self.leaf_count(ty)?;
            }
        }
        Some((start, self.leaf_count(ty)?))
    }

    fn leaf_count(&mut self, ty: Type<'m>) -> Option<usize> {
        match self.cx.leaves.of(ty) {
            Ok(leaves) => Some(leaves.len()),
            Err(what) => {
                self.unsupported(what);
                None
            }
        }
    }
}

/// Whether the instruction may carry LLVM's `nsw`.
pub(super) fn can_wrap(op: BinOp) -> bool {
    matches!(op, BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Shl)
}

pub(crate) fn binary(opcode: Opcode) -> Option<BinOp> {
    Some(match opcode {
        Opcode::LLVMAdd => BinOp::Add,
        Opcode::LLVMSub => BinOp::Sub,
        Opcode::LLVMMul => BinOp::Mul,
        Opcode::LLVMUDiv => BinOp::UDiv,
        Opcode::LLVMSDiv => BinOp::SDiv,
        Opcode::LLVMURem => BinOp::URem,
        Opcode::LLVMSRem => BinOp::SRem,
        Opcode::LLVMShl => BinOp::Shl,
        Opcode::LLVMLShr => BinOp::LShr,
        Opcode::LLVMAShr => BinOp::AShr,
        Opcode::LLVMAnd => BinOp::And,
        Opcode::LLVMOr => BinOp::Or,
        Opcode::LLVMXor => BinOp::Xor,
        _ => return None,
    })
}

pub(super) fn float_binary(opcode: Opcode) -> Option<FloatBinOp> {
    Some(match opcode {
        Opcode::LLVMFAdd => FloatBinOp::Add,
        Opcode::LLVMFSub => FloatBinOp::Sub,
        Opcode::LLVMFMul => FloatBinOp::Mul,
        Opcode::LLVMFDiv => FloatBinOp::Div,
        Opcode::LLVMFRem => FloatBinOp::Rem,
        _ => return None,
    })
}

pub(crate) fn cast(opcode: Opcode) -> Option<Cast> {
    Some(match opcode {
        Opcode::LLVMTrunc | Opcode::LLVMPtrToInt | Opcode::LLVMPtrToAddr | Opcode::LLVMIntToPtr => {
            Cast::Trunc
        }
        Opcode::LLVMZExt => Cast::ZeroExt,
        Opcode::LLVMSExt => Cast::SignExt,
        Opcode::LLVMBitCast | Opcode::LLVMAddrSpaceCast => Cast::Bits,
        Opcode::LLVMFPTrunc | Opcode::LLVMFPExt => Cast::FloatToFloat,
        Opcode::LLVMFPToUI => Cast::FloatToUnsigned,
        Opcode::LLVMFPToSI => Cast::FloatToSigned,
        Opcode::LLVMUIToFP => Cast::UnsignedToFloat,
        Opcode::LLVMSIToFP => Cast::SignedToFloat,
        _ => return None,
    })
}

pub(super) fn int_predicate(predicate: IntPredicate) -> Compare {
    match predicate {
        IntPredicate::LLVMIntEQ => Compare::Eq,
        IntPredicate::LLVMIntNE => Compare::Ne,
        IntPredicate::LLVMIntUGT => Compare::UGt,
        IntPredicate::LLVMIntUGE => Compare::UGe,
        IntPredicate::LLVMIntULT => Compare::ULt,
        IntPredicate::LLVMIntULE => Compare::ULe,
        IntPredicate::LLVMIntSGT => Compare::SGt,
        IntPredicate::LLVMIntSGE => Compare::SGe,
        IntPredicate::LLVMIntSLT => Compare::SLt,
        IntPredicate::LLVMIntSLE => Compare::SLe,
    }
}

pub(super) fn float_predicate(predicate: RealPredicate) -> FloatCompare {
    match predicate {
        RealPredicate::LLVMRealPredicateFalse => FloatCompare::False,
        RealPredicate::LLVMRealOEQ => FloatCompare::OEq,
        RealPredicate::LLVMRealOGT => FloatCompare::OGt,
        RealPredicate::LLVMRealOGE => FloatCompare::OGe,
        RealPredicate::LLVMRealOLT => FloatCompare::OLt,
        RealPredicate::LLVMRealOLE => FloatCompare::OLe,
        RealPredicate::LLVMRealONE => FloatCompare::ONe,
        RealPredicate::LLVMRealORD => FloatCompare::Ord,
        RealPredicate::LLVMRealUNO => FloatCompare::Uno,
        RealPredicate::LLVMRealUEQ => FloatCompare::UEq,
        RealPredicate::LLVMRealUGT => FloatCompare::UGt,
        RealPredicate::LLVMRealUGE => FloatCompare::UGe,
        RealPredicate::LLVMRealULT => FloatCompare::ULt,
        RealPredicate::LLVMRealULE => FloatCompare::ULe,
        RealPredicate::LLVMRealUNE => FloatCompare::UNe,
        RealPredicate::LLVMRealPredicateTrue => FloatCompare::True,
    }
}

pub(super) fn name_of(opcode: Opcode) -> &'static str {
    match opcode {
        Opcode::LLVMVAArg => "va_arg",
        Opcode::LLVMLandingPad | Opcode::LLVMCatchPad | Opcode::LLVMCleanupPad => "C++ exception",
        _ => "instruction",
    }
}
