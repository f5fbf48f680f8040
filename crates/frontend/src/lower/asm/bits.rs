//! Instructions of inline assembly that test, change and look for single bits.

use heddle_ir::{BinOp, Cast, Compare, Op, Operand, RmwOp, Scale, Ty, UnOp};

use super::cells::{Memory, Target, Word};
use super::execute::Run;
use super::flags::Flags;
use crate::constants::mask;

impl Run<'_, '_, '_> {
    /// Tests a bit and changes it. A number in a register may lead to another word.
    pub(super) fn bit(
        &mut self,
        op: Option<RmwOp>,
        lock: bool,
        width: u8,
        bit: Target,
        target: Target,
    ) -> Option<()> {
        let number = self.read_number(bit, width)?;
        let target = match (bit, target) {
            (Target::Cell(..), Target::Memory(memory)) => {
                Target::Memory(self.word_of_bit(memory, width, number))
            }
            _ => target,
        };
        let low = Operand::Const(u64::from(width) - 1);
        let at = self.lowering.emit_binary(BinOp::And, width, number, low);
        let old = match op {
            None if lock => return None,
            None => self.read_number(target, width)?,
            Some(op) => {
                let bit = self.lowering.emit_binary(BinOp::Shl, width, Operand::Const(1), at);
                self.change_bit(op, lock, width, bit, target)?
            }
        };
        let shifted = self.lowering.emit_binary(BinOp::LShr, width, old, at);
        let carry = self.lowering.emit_cast(Cast::Trunc, Ty::Int(width), Ty::BOOL, shifted);
        self.flags = Flags::Carry(carry);
        Some(())
    }

    fn word_of_bit(&mut self, memory: Memory, width: u8, number: Operand) -> Memory {
        let by = Operand::Const(u64::from(width.trailing_zeros()));
        let index = self.lowering.emit_binary(BinOp::AShr, width, number, by);
        let dst = self.lowering.fresh(Ty::Ptr);
        let scales = vec![Scale { index, width, bytes: i64::from(width / 8), count: None }];
        let op = Op::PtrAdd { dst, base: memory.addr, offset: 0, scales: scales.into() };
        self.lowering.emit(op);
        Memory { addr: Operand::Reg(dst), ..memory }
    }

    fn change_bit(
        &mut self,
        op: RmwOp,
        lock: bool,
        width: u8,
        bit: Operand,
        target: Target,
    ) -> Option<Operand> {
        let (binary, value) = match op {
            RmwOp::And => {
                let ones = Operand::Const(mask(u64::MAX, width.into()));
                (BinOp::And, self.lowering.emit_binary(BinOp::Xor, width, bit, ones))
            }
            RmwOp::Or => (BinOp::Or, bit),
            _ => (BinOp::Xor, bit),
        };
        if lock {
            let Target::Memory(memory) = target else { return None };
            return Some(self.atomic(op, memory, Ty::Int(width), value));
        }
        let old = self.read_number(target, width)?;
        let operand = self.lowering.emit_binary(binary, width, old, value);
        self.write(target, width, Word { operand, ty: Ty::Int(width) })?;
        Some(old)
    }

    /// The number of the lowest or highest bit; without any, the target stays.
    pub(super) fn scan(
        &mut self,
        lowest: bool,
        width: u8,
        source: Target,
        target: Target,
    ) -> Option<()> {
        let a = self.read_number(source, width)?;
        let found = match lowest {
            true => self.lowering.emit_unary(UnOp::TrailingZeros, width, a),
            false => {
                let zeros = self.lowering.emit_unary(UnOp::LeadingZeros, width, a);
                let top = Operand::Const(u64::from(width) - 1);
                self.lowering.emit_binary(BinOp::Sub, width, top, zeros)
            }
        };
        let none = self.lowering.emit_compare(Compare::Eq, width, a, Operand::Const(0));
        let before = self.read_number(target, width)?;
        let dst = self.lowering.fresh(Ty::Int(width));
        self.lowering.emit(Op::Select { dst, cond: none, then: before, other: found });
        self.flags = Flags::Result { op: BinOp::Or, width, a, b: a, carry: false };
        self.write(target, width, Word { operand: Operand::Reg(dst), ty: Ty::Int(width) })
    }
}
