//! LLVM values as operands of the IR.

use heddle_ir::{BinOp, Cast, Compare, Inst, NondetReason, Op, Operand, Reg, Symbol, Ty, UnOp};
use smallvec::SmallVec;

use super::function::FunctionLowering;
use super::split::is_split;
use crate::constants::{Folded, wide_words};
use crate::llvm::{Opcode, Type, TypeKind, Value, ValueKind};

/// One scalar of a value. An undefined one becomes an input only where it is used.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scalar {
    Known(Operand),
    Undefined(Ty),
}

/// The scalars of a value, one for each leaf of its type.
pub(super) type Scalars = SmallVec<[Scalar; 1]>;

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn fresh(&mut self, ty: Ty) -> Reg {
        let reg = Reg(u32::try_from(self.regs.len()).unwrap_or(u32::MAX));
        self.regs.push(ty);
        self.reg_names.push(None);
        reg
    }

    pub(super) fn emit(&mut self, op: Op) {
        self.insts.push(Inst { op, span: self.span, place: None, origin: self.origin });
    }

    pub(super) fn emit_binary(&mut self, op: BinOp, width: u8, a: Operand, b: Operand) -> Operand {
        let dst = self.fresh(Ty::Int(width));
        self.emit(Op::Binary { op, width, nsw: false, dst, a, b });
        Operand::Reg(dst)
    }

    pub(super) fn emit_unary(&mut self, op: UnOp, width: u8, a: Operand) -> Operand {
        let dst = self.fresh(Ty::Int(width));
        self.emit(Op::Unary { op, width, dst, a });
        Operand::Reg(dst)
    }

    pub(super) fn emit_compare(
        &mut self,
        pred: Compare,
        width: u8,
        a: Operand,
        b: Operand,
    ) -> Operand {
        let dst = self.fresh(Ty::BOOL);
        self.emit(Op::Compare { pred, width, dst, a, b });
        Operand::Reg(dst)
    }

    pub(super) fn emit_cast(&mut self, op: Cast, from: Ty, to: Ty, a: Operand) -> Operand {
        let dst = self.fresh(to);
        self.emit(Op::Cast { op, from, to, dst, a });
        Operand::Reg(dst)
    }

    pub(super) fn unsupported(&mut self, what: impl Into<String>) {
        self.emit(Op::Unsupported { what: what.into() });
    }

    /// All scalars of a value, without turning undefined ones into inputs.
    pub(super) fn scalars(&mut self, value: Value<'m>) -> Scalars {
        if let Some(found) = self.values.get(&value) {
            return found.clone();
        }
        match value.kind() {
            // The value of an unsupported instruction: execution stopped there.
            ValueKind::LLVMInstructionValueKind | ValueKind::LLVMArgumentValueKind => {
                let types = self.cx.types_of(value.ty());
                types.iter().map(|_| Scalar::Known(Operand::Const(0))).collect()
            }
            _ => {
                let mut out = Scalars::new();
                self.constant(value, value.ty(), &mut out);
                out
            }
        }
    }

    /// The operands of a value, one for each leaf.
    pub(super) fn operands(&mut self, value: Value<'m>) -> SmallVec<[Operand; 1]> {
        let scalars = self.scalars(value);
        scalars.into_iter().map(|scalar| self.define(scalar)).collect()
    }

    /// The operand of a value of scalar type.
    pub(super) fn operand(&mut self, value: Value<'m>) -> Operand {
        match self.scalars(value).first() {
            Some(&scalar) => self.define(scalar),
            None => Operand::Const(0),
        }
    }

    pub(super) fn define(&mut self, scalar: Scalar) -> Operand {
        match scalar {
            Scalar::Known(operand) => operand,
            Scalar::Undefined(ty) => {
                let dst = self.fresh(ty);
                self.emit(Op::Nondet { dst, reason: NondetReason::Uninitialised });
                Operand::Reg(dst)
            }
        }
    }

    fn constant(&mut self, value: Value<'m>, ty: Type<'m>, out: &mut Scalars) {
        let is_expression = value.kind() == ValueKind::LLVMConstantExprValueKind;
        if is_expression && (is_split(ty) || is_split(value.operand(0).ty())) {
            return self.split_expression(value, ty, out);
        }
        let count = match ty.kind() {
            TypeKind::LLVMStructTypeKind => u64::from(ty.field_count()),
            TypeKind::LLVMArrayTypeKind | TypeKind::LLVMVectorTypeKind => ty.length(),
            TypeKind::LLVMIntegerTypeKind if ty.int_width() > 64 => {
                return self.wide_constant(value, ty, out);
            }
            _ => {
                let scalar = self.scalar_constant(value);
                out.push(scalar);
                return;
            }
        };
        if self.cx.leaves.of(ty).is_err() {
            return;
        }
        for index in 0..u32::try_from(count).unwrap_or(0) {
            if let Some(element) = value.aggregate_element(index) {
                self.constant(element, element.ty(), out);
            }
        }
    }

    /// A constant that takes several registers, or is made of one that does.
    fn split_expression(&mut self, value: Value<'m>, ty: Type<'m>, out: &mut Scalars) {
        let parts = match value.constant_opcode() {
            Opcode::LLVMBitCast => self.reinterpret(value.operand(0), ty),
            _ => Err(format!("constant of type {}", ty.text())),
        };
        match parts {
            Ok(parts) => out.extend(parts.into_iter().map(Scalar::Known)),
            Err(what) => {
                self.unsupported(what);
                let types = self.cx.types_of(ty).into_iter();
                out.extend(types.map(|_| Scalar::Known(Operand::Const(0))));
            }
        }
    }

    fn wide_constant(&mut self, value: Value<'m>, ty: Type<'m>, out: &mut Scalars) {
        let Ok(leaves) = self.cx.leaves.of(ty) else { return };
        if value.is_undef_or_poison() {
            return out.extend(leaves.iter().map(|leaf| Scalar::Undefined(leaf.ty)));
        }
        let words = wide_words(value).unwrap_or_else(|| {
            self.unsupported(format!("constant of type {}", ty.text()));
            vec![0; leaves.len()]
        });
        let words = words.into_iter().map(Operand::Const).map(Scalar::Known);
        out.extend(words.take(leaves.len()));
    }

    fn scalar_constant(&mut self, value: Value<'m>) -> Scalar {
        let ty = match crate::leaves::scalar(value.ty()) {
            Ok(ty) => ty,
            Err(what) => {
                self.unsupported(what);
                return Scalar::Known(Operand::Const(0));
            }
        };
        Scalar::Known(match self.cx.constants.fold(value) {
            Folded::Bits(bits) => Operand::Const(bits),
            Folded::Undef => return Scalar::Undefined(ty),
            Folded::Address(symbol, addend) => {
                let address = match symbol {
                    Symbol::Global(id) => Operand::Global(id, addend),
                    Symbol::Function(id) => self.shifted(Operand::Function(id), addend),
                };
                self.address_as(address, ty)
            }
            Folded::ThreadLocal(global, addend) => {
                let dst = self.fresh(Ty::Ptr);
                self.emit(Op::ThreadLocal { dst, global });
                let address = self.shifted(Operand::Reg(dst), addend);
                self.address_as(address, ty)
            }
            Folded::Unsupported(what) => self.compute_constant(value, ty).unwrap_or_else(|| {
                self.unsupported(what);
                Operand::Const(0)
            }),
        })
    }

    /// A constant that depends on where things lie in memory, such as the distance
    /// of two globals, is computed by instructions.
    fn compute_constant(&mut self, value: Value<'m>, ty: Ty) -> Option<Operand> {
        if value.kind() != ValueKind::LLVMConstantExprValueKind {
            return None;
        }
        let op = match value.constant_opcode() {
            Opcode::LLVMAdd => BinOp::Add,
            Opcode::LLVMSub => BinOp::Sub,
            Opcode::LLVMXor => BinOp::Xor,
            Opcode::LLVMTrunc | Opcode::LLVMPtrToInt | Opcode::LLVMIntToPtr => {
                let from = crate::leaves::scalar(value.operand(0).ty()).ok()?;
                let pointer_bytes = self.cx.program.pointer_bytes;
                let widens = from.bits(pointer_bytes) < ty.bits(pointer_bytes);
                let op = if widens { Cast::ZeroExt } else { Cast::Trunc };
                let a = self.operand(value.operand(0));
                let dst = self.fresh(ty);
                self.emit(Op::Cast { op, from, to: ty, dst, a });
                return Some(Operand::Reg(dst));
            }
            _ => return None,
        };
        let Ty::Int(width) = ty else { return None };
        let (a, b) = (self.operand(value.operand(0)), self.operand(value.operand(1)));
        let dst = self.fresh(ty);
        self.emit(Op::Binary { op, width, nsw: false, dst, a, b });
        Some(Operand::Reg(dst))
    }

    fn shifted(&mut self, base: Operand, offset: i64) -> Operand {
        if offset == 0 {
            return base;
        }
        let dst = self.fresh(Ty::Ptr);
        self.emit(Op::PtrAdd { dst, base, offset, scales: Box::default() });
        Operand::Reg(dst)
    }

    /// An address that the program uses as an integer.
    fn address_as(&mut self, address: Operand, ty: Ty) -> Operand {
        if ty == Ty::Ptr {
            return address;
        }
        let dst = self.fresh(ty);
        self.emit(Op::Cast { op: Cast::Trunc, from: Ty::Ptr, to: ty, dst, a: address });
        Operand::Reg(dst)
    }

    /// Gives `value` fresh registers, one for each leaf of its type. `None` when the
    /// type is unsupported (the stop is emitted).
    pub(super) fn assign(&mut self, value: Value<'m>) -> Option<SmallVec<[Reg; 1]>> {
        let leaves = match self.cx.leaves.of(value.ty()) {
            Ok(leaves) => leaves,
            Err(what) => {
                self.unsupported(what);
                return None;
            }
        };
        let regs: SmallVec<[Reg; 1]> = leaves.iter().map(|leaf| self.fresh(leaf.ty)).collect();
        self.bind(value, &regs);
        Some(regs)
    }

    /// Gives `value` one fresh register; for instructions with a scalar result.
    pub(super) fn assign_scalar(&mut self, value: Value<'m>) -> Option<Reg> {
        self.assign(value)?.first().copied()
    }

    /// Records which registers hold `value`, and names them after its variable.
    pub(super) fn bind(&mut self, value: Value<'m>, regs: &[Reg]) {
        if let ([reg], Some(variable)) = (regs, self.variables.get(&value)) {
            self.reg_names[reg.0 as usize] = Some(variable.name.clone());
        }
        let scalars = regs.iter().map(|&reg| Scalar::Known(Operand::Reg(reg))).collect();
        self.values.insert(value, scalars);
    }

    /// Makes `value` another name for an operand that exists already.
    pub(super) fn alias(&mut self, value: Value<'m>, scalars: Scalars) {
        self.values.insert(value, scalars);
    }
}
