//! Instructions of inline assembly that read and write memory in one step.

use heddle_ir::{BinOp, Cast, Compare, Op, Operand, Ordering, RmwOp, Ty};

use super::cells::{Memory, Target, Word};
use super::execute::Run;
use super::flags::Flags;
use super::text::Register;

impl Run<'_, '_, '_> {
    /// `target = target op source`; what both were.
    pub(super) fn combine(
        &mut self,
        op: BinOp,
        lock: bool,
        width: u8,
        source: Target,
        target: Target,
    ) -> Option<(Operand, Operand)> {
        let b = self.read_number(source, width)?;
        if lock {
            let Target::Memory(memory) = target else { return None };
            let op = match op {
                BinOp::Add => RmwOp::Add,
                BinOp::Sub => RmwOp::Sub,
                BinOp::And => RmwOp::And,
                BinOp::Or => RmwOp::Or,
                BinOp::Xor => RmwOp::Xor,
                _ => return None,
            };
            return Some((self.atomic(op, memory, Ty::Int(width), b), b));
        }
        let a = self.read_number(target, width)?;
        let operand = self.lowering.emit_binary(op, width, a, b);
        self.write(target, width, Word { operand, ty: Ty::Int(width) })?;
        Some((a, b))
    }

    /// One atomic step; gives the old value.
    pub(super) fn atomic(&mut self, op: RmwOp, memory: Memory, ty: Ty, value: Operand) -> Operand {
        let dst = self.lowering.fresh(ty);
        let order = Ordering::SeqCst;
        let op = Op::Rmw { op, ty, dst, addr: memory.addr, value, order };
        self.lowering.emit_access(op, memory.place);
        Operand::Reg(dst)
    }

    pub(super) fn exchange(&mut self, width: u8, a: Target, b: Target) -> Option<()> {
        let (memory, register) = match (a, b) {
            (Target::Memory(memory), other) | (other, Target::Memory(memory)) => (memory, other),
            _ => {
                let (first, second) = (self.read(a, width)?, self.read(b, width)?);
                self.write(a, width, second)?;
                return self.write(b, width, first);
            }
        };
        let new = self.read(register, width)?;
        let ty = self.access_type(memory, width);
        let value = self.convert(new, ty);
        let old = self.atomic(RmwOp::Exchange, memory, ty, value);
        self.write(register, width, Word { operand: old, ty })
    }

    pub(super) fn exchange_add(
        &mut self,
        lock: bool,
        width: u8,
        source: Target,
        target: Target,
    ) -> Option<()> {
        let (a, b) = self.combine(BinOp::Add, lock, width, source, target)?;
        self.flags = Flags::Result { op: BinOp::Add, width, a, b, carry: true };
        self.write(source, width, Word { operand: a, ty: Ty::Int(width) })
    }

    pub(super) fn compare_exchange(
        &mut self,
        lock: bool,
        width: u8,
        new: Target,
        memory: Memory,
    ) -> Option<()> {
        let accumulator = self.cell(Register::AX);
        let ty = self.access_type(memory, width);
        let expected = self.read(accumulator, width)?;
        let expected = self.convert(expected, ty);
        let new = self.read(new, width)?;
        let new = self.convert(new, ty);
        let old = self.compare_and_store(lock, memory, ty, expected, new)?;
        let [a, b] = [expected, old].map(|operand| self.number(Word { operand, ty }));
        self.flags = Flags::Result { op: BinOp::Sub, width, a, b, carry: true };
        self.write(accumulator, width, Word { operand: old, ty })
    }

    /// Without `lock` it is a load and a store, and it always stores.
    fn compare_and_store(
        &mut self,
        lock: bool,
        memory: Memory,
        ty: Ty,
        expected: Operand,
        new: Operand,
    ) -> Option<Operand> {
        let width = self.bits(ty);
        if !lock {
            let old = self.read(Target::Memory(memory), width)?;
            let equal = self.lowering.emit_compare(Compare::Eq, width, old.operand, expected);
            let dst = self.lowering.fresh(ty);
            let other = old.operand;
            self.lowering.emit(Op::Select { dst, cond: equal, then: new, other });
            self.write(Target::Memory(memory), width, Word { operand: Operand::Reg(dst), ty })?;
            return Some(old.operand);
        }
        let (dst, ok) = (self.lowering.fresh(ty), self.lowering.fresh(Ty::BOOL));
        let (addr, success, failure) = (memory.addr, Ordering::SeqCst, Ordering::SeqCst);
        let op = Op::CmpXchg { ty, dst, ok, addr, expected, new, success, failure };
        self.lowering.emit_access(op, memory.place);
        Some(Operand::Reg(dst))
    }

    /// `cmpxchg8b`: of `edx:eax` and `ecx:ebx`.
    pub(super) fn exchange_pair(&mut self, lock: bool, targets: &[Target]) -> Option<()> {
        let &[Target::Memory(memory)] = targets else { return None };
        let expected = self.read_pair(Register::AX, Register::DX)?;
        let new = self.read_pair(Register::BX, Register::CX)?;
        let old = self.compare_and_store(lock, memory, Ty::Int(64), expected, new)?;
        self.flags = Flags::Result { op: BinOp::Sub, width: 64, a: expected, b: old, carry: false };
        self.write_pair(Register::AX, Register::DX, old)
    }

    /// `lock; cmpxchg16b`: of `rdx:rax` and `rcx:rbx`.
    pub(super) fn exchange_16(&mut self, lock: bool, targets: &[Target]) -> Option<()> {
        let (&[Target::Memory(memory)], true, 64) = (targets, lock, self.pointer_bits()) else {
            return None;
        };
        let [low, high] = [Register::AX, Register::DX].map(|register| self.cell(register));
        let expected = [self.read_number(low, 64)?, self.read_number(high, 64)?];
        let [b, c] = [Register::BX, Register::CX].map(|register| self.cell(register));
        let new = [self.read_number(b, 64)?, self.read_number(c, 64)?];
        let ordered = Operand::Const(0);
        let place = memory.place;
        let old = self.lowering.compare_and_store_16(memory.addr, &expected, &new, ordered, place);
        let [a, b] =
            [0, 1].map(|half| self.lowering.emit_binary(BinOp::Xor, 64, old[half], expected[half]));
        let difference = self.lowering.emit_binary(BinOp::Or, 64, a, b);
        let b = Operand::Const(0);
        self.flags = Flags::Result { op: BinOp::Sub, width: 64, a: difference, b, carry: false };
        for (target, operand) in [(low, old[0]), (high, old[1])] {
            self.write(target, 64, Word { operand, ty: Ty::Int(64) })?;
        }
        Some(())
    }

    fn cell(&mut self, register: Register) -> Target {
        Target::Cell(self.register(register), None)
    }

    pub(super) fn read_pair(&mut self, low: Register, high: Register) -> Option<Operand> {
        let [low, high] = [low, high].map(|register| self.cell(register));
        let (low, high) = (self.read_number(low, 32)?, self.read_number(high, 32)?);
        let [low, high] = [low, high].map(|half| self.widen(half, 32, 64));
        let high = self.lowering.emit_binary(BinOp::Shl, 64, high, Operand::Const(32));
        Some(self.lowering.emit_binary(BinOp::Or, 64, high, low))
    }

    pub(super) fn write_pair(
        &mut self,
        low: Register,
        high: Register,
        value: Operand,
    ) -> Option<()> {
        let [low, high] = [low, high].map(|register| self.cell(register));
        let above = self.lowering.emit_binary(BinOp::LShr, 64, value, Operand::Const(32));
        for (target, half) in [(low, value), (high, above)] {
            let operand = self.lowering.emit_cast(Cast::Trunc, Ty::Int(64), Ty::Int(32), half);
            self.write(target, 32, Word { operand, ty: Ty::Int(32) })?;
        }
        Some(())
    }
}
