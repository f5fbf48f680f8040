//! What the operands of inline assembly hold while it runs: registers, and memory.

use heddle_ir::{BinOp, Cast, Op, Operand, Ordering, PlaceId, Scale, Ty};

use super::execute::Run;
use super::text::{Base, Register, Term};
use crate::constants::mask;
use crate::lower::operands::Scalar;

/// A register.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    pub scalar: Scalar,
    pub ty: Ty,
    /// Bits above those of `ty` are zero: the processor clears them when it writes 32.
    pub zero_above: bool,
}

#[derive(Clone, Copy)]
pub(super) struct Memory {
    pub addr: Operand,
    /// What the source says is there.
    pub ty: Option<Ty>,
    pub place: Option<PlaceId>,
}

/// What a term stands for.
#[derive(Clone, Copy)]
pub(super) enum Target {
    /// With the bits that the text names.
    Cell(usize, Option<u8>),
    Memory(Memory),
    /// Memory of the thread's stack that nobody uses.
    Stack,
    Immediate(i64),
    /// The address that identifies the thread.
    Thread,
}

/// A value with its type.
#[derive(Clone, Copy)]
pub(super) struct Word {
    pub operand: Operand,
    pub ty: Ty,
}

impl Run<'_, '_, '_> {
    pub(super) fn pointer_bits(&self) -> u8 {
        self.lowering.cx.program.pointer_bytes * 8
    }

    pub(super) fn bits(&self, ty: Ty) -> u8 {
        ty.bits(self.lowering.cx.program.pointer_bytes) as u8
    }

    /// The cell of a register by its name; nobody knows what an unused one holds.
    pub(super) fn register(&mut self, register: Register) -> usize {
        if let Some(&cell) = self.registers.get(&register) {
            return cell;
        }
        let ty = Ty::Int(self.pointer_bits());
        self.cells.push(Cell { scalar: Scalar::Undefined(ty), ty, zero_above: false });
        self.registers.insert(register, self.cells.len() - 1);
        self.cells.len() - 1
    }

    pub(super) fn target(&mut self, term: &Term) -> Option<Target> {
        Some(match *term {
            Term::Operand(number, bits) => match *self.operands.get(number)? {
                Target::Cell(cell, _) => Target::Cell(cell, bits),
                other => other,
            },
            Term::Register(Register::SP, _) => return None,
            Term::Register(register, bits) => Target::Cell(self.register(register), Some(bits)),
            Term::Immediate(value) => Target::Immediate(value),
            Term::Memory { base: Base::Register(Register::SP), index: None, .. } => Target::Stack,
            Term::Memory { displacement, base, index } => {
                let addr = self.address(displacement, base, index)?;
                Target::Memory(Memory { addr, ty: None, place: None })
            }
            Term::Segment(letter, 0) if letter == self.thread_segment() => Target::Thread,
            Term::Segment(..) => return None,
        })
    }

    fn thread_segment(&self) -> char {
        if self.pointer_bits() == 64 { 'f' } else { 'g' }
    }

    fn base(&mut self, base: Base) -> Option<usize> {
        match base {
            Base::Register(Register::SP) => None,
            Base::Register(register) => Some(self.register(register)),
            Base::Operand(number) => match *self.operands.get(number)? {
                Target::Cell(cell, _) => Some(cell),
                _ => None,
            },
        }
    }

    fn address(&mut self, offset: i64, base: Base, index: Option<(Base, u8)>) -> Option<Operand> {
        let width = self.pointer_bits();
        let cell = self.base(base)?;
        let base = self.read_cell(cell, width)?;
        let base = self.convert(base, Ty::Ptr);
        let scales: Vec<Scale> = match index {
            None => Vec::new(),
            Some((index, bytes)) => {
                let cell = self.base(index)?;
                let index = self.read_cell(cell, width)?;
                let index = self.convert(index, Ty::Int(width));
                vec![Scale { index, width, bytes: bytes.into(), count: None }]
            }
        };
        if offset == 0 && scales.is_empty() {
            return Some(base);
        }
        let dst = self.lowering.fresh(Ty::Ptr);
        self.lowering.emit(Op::PtrAdd { dst, base, offset, scales: scales.into() });
        Some(Operand::Reg(dst))
    }

    /// The value as one of another type with as many bits.
    pub(super) fn convert(&mut self, word: Word, ty: Ty) -> Operand {
        if word.ty == ty || matches!(word.operand, Operand::Const(_)) {
            return word.operand;
        }
        self.lowering.emit_cast(Cast::Trunc, word.ty, ty, word.operand)
    }

    /// The value as an integer.
    pub(super) fn number(&mut self, word: Word) -> Operand {
        let width = self.bits(word.ty);
        self.convert(word, Ty::Int(width))
    }

    /// `None` for bits that the register has and nobody gave it.
    fn read_cell(&mut self, cell: usize, width: u8) -> Option<Word> {
        let Cell { scalar, ty, zero_above } = self.cells[cell];
        if let Ty::Float(_) = ty {
            return None;
        }
        let have = self.bits(ty);
        let operand = self.lowering.define(scalar);
        // It stays what it is.
        self.cells[cell].scalar = Scalar::Known(operand);
        let to = Ty::Int(width);
        Some(match operand {
            _ if have == width => Word { operand, ty },
            Operand::Const(bits) if have > width => {
                Word { operand: Operand::Const(mask(bits, width.into())), ty: to }
            }
            // An immediate operand is a number.
            Operand::Const(bits) => {
                let shift = 64 - u32::from(have);
                let number = (bits << shift).cast_signed() >> shift;
                let number = if zero_above { bits } else { number.cast_unsigned() };
                Word { operand: Operand::Const(mask(number, width.into())), ty: to }
            }
            _ if have > width => {
                Word { operand: self.lowering.emit_cast(Cast::Trunc, ty, to, operand), ty: to }
            }
            _ if zero_above => {
                Word { operand: self.lowering.emit_cast(Cast::ZeroExt, ty, to, operand), ty: to }
            }
            _ => return None,
        })
    }

    fn write_cell(&mut self, cell: usize, width: u8, word: Word) -> Option<()> {
        let have = self.bits(self.cells[cell].ty);
        if width >= 32 || width == have {
            let scalar = Scalar::Known(word.operand);
            self.cells[cell] = Cell { scalar, ty: word.ty, zero_above: width == 32 };
            return Some(());
        }
        let low = self.number(word);
        if width > have {
            return None;
        }
        // A write of 8 or 16 bits leaves the others.
        let old = self.read_cell(cell, have)?;
        let old = self.number(old);
        let above = mask(u64::MAX << width, have.into());
        let kept = self.lowering.emit_binary(BinOp::And, have, old, Operand::Const(above));
        let low = self.lowering.emit_cast(Cast::ZeroExt, Ty::Int(width), Ty::Int(have), low);
        let whole = self.lowering.emit_binary(BinOp::Or, have, kept, low);
        self.cells[cell].scalar = Scalar::Known(whole);
        self.cells[cell].ty = Ty::Int(have);
        Some(())
    }

    pub(super) fn read(&mut self, target: Target, width: u8) -> Option<Word> {
        match target {
            Target::Cell(cell, _) => self.read_cell(cell, width),
            Target::Immediate(value) => {
                let bits = mask(value.cast_unsigned(), width.into());
                Some(Word { operand: Operand::Const(bits), ty: Ty::Int(width) })
            }
            Target::Memory(memory) => {
                let ty = self.access_type(memory, width);
                let dst = self.lowering.fresh(ty);
                let order = Some(self.order(Ordering::Acquire));
                let op = Op::Load { dst, ty, addr: memory.addr, order, volatile: true };
                self.lowering.emit_access(op, memory.place);
                Some(Word { operand: Operand::Reg(dst), ty })
            }
            Target::Thread if width == self.pointer_bits() => {
                Some(Word { operand: self.lowering.thread_pointer(), ty: Ty::Ptr })
            }
            Target::Thread | Target::Stack => None,
        }
    }

    pub(super) fn write(&mut self, target: Target, width: u8, word: Word) -> Option<()> {
        match target {
            Target::Cell(cell, _) => self.write_cell(cell, width, word),
            Target::Memory(memory) => {
                let ty = self.access_type(memory, width);
                let value = self.convert(word, ty);
                let order = Some(self.order(Ordering::Release));
                let op = Op::Store { ty, addr: memory.addr, value, order, volatile: true };
                self.lowering.emit_access(op, memory.place);
                Some(())
            }
            Target::Immediate(_) | Target::Thread | Target::Stack => None,
        }
    }

    fn order(&self, of_processor: Ordering) -> Ordering {
        if self.orders { of_processor } else { Ordering::Relaxed }
    }

    /// A pointer stays one.
    pub(super) fn access_type(&self, memory: Memory, width: u8) -> Ty {
        match memory.ty {
            Some(Ty::Ptr) if self.pointer_bits() == width => Ty::Ptr,
            _ => Ty::Int(width),
        }
    }
}
