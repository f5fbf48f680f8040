//! Runs the statements of inline assembly one by one, and emits what they do.

use heddle_ir::{BinOp, Cast, Op, Operand, Ordering, RmwOp, Ty, UnOp};
use rustc_hash::FxHashMap;

use super::cells::{Cell, Target, Word};
use super::flags::Flags;
use super::text::{Register, Statement};
use crate::lower::function::FunctionLowering;
use crate::needs::CYCLES;

pub(super) struct Run<'r, 'a, 'm> {
    pub lowering: &'r mut FunctionLowering<'a, 'm>,
    /// What each operand of the text is.
    pub operands: Vec<Target>,
    pub cells: Vec<Cell>,
    /// Cells of the registers that have names in the text or the constraints.
    pub registers: FxHashMap<Register, usize>,
    pub flags: Flags,
    /// The compiler moves no access over the text.
    pub orders: bool,
}

/// Instructions of one or two operands that compute.
const ARITHMETIC: &[(&str, BinOp)] = &[
    ("add", BinOp::Add),
    ("sub", BinOp::Sub),
    ("and", BinOp::And),
    ("or", BinOp::Or),
    ("xor", BinOp::Xor),
];
const SHIFTS: &[(&str, BinOp)] =
    &[("shl", BinOp::Shl), ("sal", BinOp::Shl), ("shr", BinOp::LShr), ("sar", BinOp::AShr)];
const BITS: &[(&str, Option<RmwOp>)] =
    &[("bt", None), ("bts", Some(RmwOp::Or)), ("btr", Some(RmwOp::And)), ("btc", Some(RmwOp::Xor))];
const OTHERS: &[&str] = &[
    "mov", "lea", "xchg", "xadd", "cmpxchg", "cmp", "test", "sbb", "inc", "dec", "not", "neg",
    "bsf", "bsr", "bswap",
];

/// The instruction without the letter for its width, and that width.
fn split_suffix(name: &str) -> (&str, Option<u8>) {
    let known = |name: &str| {
        OTHERS.contains(&name)
            || ARITHMETIC.iter().chain(SHIFTS).any(|(known, _)| *known == name)
            || BITS.iter().any(|(known, _)| *known == name)
    };
    if known(name) {
        return (name, None);
    }
    let Some((base, letter)) = name.split_at_checked(name.len().saturating_sub(1)) else {
        return (name, None);
    };
    let width = match letter {
        "b" => 8,
        "w" => 16,
        "l" => 32,
        "q" => 64,
        _ => return (name, None),
    };
    if known(base) { (base, Some(width)) } else { (name, None) }
}

impl Run<'_, '_, '_> {
    pub fn execute(&mut self, statement: &Statement) -> Option<()> {
        let name = &*statement.name;
        if statement.repeat && name != "nop" {
            return None;
        }
        if !statement.lock && self.execute_alone(name, statement.terms.len()).is_some() {
            return Some(());
        }
        let targets: Vec<Target> =
            statement.terms.iter().map(|term| self.target(term)).collect::<Option<_>>()?;
        let lock = statement.lock;
        let in_memory = |target: &&Target| matches!(target, Target::Memory(_) | Target::Stack);
        let accesses = targets.iter().filter(in_memory).count();
        if accesses > 1 || (lock && accesses == 0) {
            return None;
        }
        if let (Some(code), false) = (name.strip_prefix("set"), lock) {
            return self.set(code, &targets);
        }
        match name {
            "cmpxchg8b" => return self.exchange_pair(lock, &targets),
            "cmpxchg16b" => return self.exchange_16(lock, &targets),
            _ => {}
        }
        let (base, suffix) = split_suffix(name);
        let width = suffix.or_else(|| self.width(statement, &targets))?;
        if let Some((_, op)) = ARITHMETIC.iter().find(|(known, _)| *known == base) {
            let [source, target] = targets[..] else { return None };
            return self.arithmetic(*op, lock, width, source, target);
        }
        if let Some((_, op)) = BITS.iter().find(|(known, _)| *known == base) {
            let [bit, target] = targets[..] else { return None };
            return self.bit(*op, lock, width, bit, target);
        }
        match (base, &targets[..]) {
            ("xchg", &[a, b]) => self.exchange(width, a, b),
            ("xadd", &[source, target]) => self.exchange_add(lock, width, source, target),
            ("cmpxchg", &[new, Target::Memory(memory)]) => {
                self.compare_exchange(lock, width, new, memory)
            }
            ("inc" | "dec", &[target]) => self.count(base == "inc", lock, width, target),
            ("not", &[target]) => {
                self.combine(BinOp::Xor, lock, width, Target::Immediate(-1), target).map(|_| ())
            }
            _ if lock => None,
            _ => self.execute_plain(base, width, &targets),
        }
    }

    /// Instructions without operands.
    fn execute_alone(&mut self, name: &str, terms: usize) -> Option<()> {
        if terms != 0 {
            return None;
        }
        let order = match name {
            "pause" | "nop" => return Some(()),
            "mfence" => Ordering::SeqCst,
            "lfence" => Ordering::Acquire,
            "sfence" => Ordering::Release,
            "rdtsc" | "rdtscp" => return self.read_cycles(name == "rdtscp"),
            "cpuid" => return self.identify(),
            _ => return None,
        };
        self.lowering.emit(Op::Fence { order });
        Some(())
    }

    /// Instructions that take no `lock`.
    fn execute_plain(&mut self, base: &str, width: u8, targets: &[Target]) -> Option<()> {
        match (base, targets) {
            ("mov", &[source, target]) => {
                let word = self.read(source, width)?;
                self.write(target, width, word)
            }
            ("lea", &[Target::Memory(memory), target]) if width == self.pointer_bits() => {
                self.write(target, width, Word { operand: memory.addr, ty: Ty::Ptr })
            }
            ("cmp" | "test", &[b, a]) => {
                let (a, b) = (self.read_number(a, width)?, self.read_number(b, width)?);
                let op = if base == "cmp" { BinOp::Sub } else { BinOp::And };
                self.flags = Flags::Result { op, width, a, b, carry: true };
                Some(())
            }
            ("sbb", &[Target::Cell(a, _), target @ Target::Cell(b, _)]) if a == b => {
                let carry = self.flags.condition(self.lowering, "c")?;
                let carry = self.widen(carry, 1, width);
                let operand =
                    self.lowering.emit_binary(BinOp::Sub, width, Operand::Const(0), carry);
                self.flags = Flags::Unknown;
                self.write(target, width, Word { operand, ty: Ty::Int(width) })
            }
            ("neg", &[target]) => {
                let b = self.read_number(target, width)?;
                let a = Operand::Const(0);
                let operand = self.lowering.emit_binary(BinOp::Sub, width, a, b);
                self.flags = Flags::Result { op: BinOp::Sub, width, a, b, carry: true };
                self.write(target, width, Word { operand, ty: Ty::Int(width) })
            }
            ("bsf" | "bsr", &[source, target]) => self.scan(base == "bsf", width, source, target),
            ("bswap", &[target]) if width >= 32 => {
                let a = self.read_number(target, width)?;
                let operand = self.lowering.emit_unary(UnOp::SwapBytes, width, a);
                self.write(target, width, Word { operand, ty: Ty::Int(width) })
            }
            (_, &[Target::Immediate(by), target]) => {
                let (_, op) = SHIFTS.iter().find(|(known, _)| *known == base)?;
                let a = self.read_number(target, width)?;
                let by = Operand::Const(by.cast_unsigned() & if width == 64 { 63 } else { 31 });
                let operand = self.lowering.emit_binary(*op, width, a, by);
                self.flags = Flags::Unknown;
                self.write(target, width, Word { operand, ty: Ty::Int(width) })
            }
            _ => None,
        }
    }

    /// Of the registers that take part, or as the source or Intel's text says of memory.
    fn width(&self, statement: &Statement, targets: &[Target]) -> Option<u8> {
        let mut registers = targets.iter().filter_map(|target| match *target {
            Target::Cell(cell, bits) => Some(bits.unwrap_or(self.bits(self.cells[cell].ty))),
            _ => None,
        });
        let memory = targets.iter().find_map(|target| match target {
            Target::Memory(memory) => memory.ty.map(|ty| self.bits(ty)),
            _ => None,
        });
        // The bit's number may be in a register of any width.
        registers.next_back().or(statement.memory_bits).or(memory)
    }

    pub(super) fn read_number(&mut self, target: Target, width: u8) -> Option<Operand> {
        let word = self.read(target, width)?;
        Some(self.number(word))
    }

    /// Zero-extended.
    pub(super) fn widen(&mut self, a: Operand, from: u8, to: u8) -> Operand {
        match a {
            Operand::Const(_) => a,
            _ if from == to => a,
            _ => self.lowering.emit_cast(Cast::ZeroExt, Ty::Int(from), Ty::Int(to), a),
        }
    }

    fn arithmetic(
        &mut self,
        op: BinOp,
        lock: bool,
        width: u8,
        source: Target,
        target: Target,
    ) -> Option<()> {
        // The idiom for a full fence without SSE2: a locked no-op on the stack.
        if let (true, Target::Stack) = (lock, target) {
            let idle = matches!(source, Target::Immediate(0)) && op != BinOp::And;
            return idle.then(|| self.lowering.emit(Op::Fence { order: Ordering::SeqCst }));
        }
        // The idiom for zero, whatever the register held.
        if let (BinOp::Xor | BinOp::Sub, Target::Cell(a, _), Target::Cell(b, _)) =
            (op, source, target)
            && a == b
        {
            let zero = Operand::Const(0);
            self.flags = Flags::Result { op, width, a: zero, b: zero, carry: true };
            return self.write(target, width, Word { operand: zero, ty: Ty::Int(width) });
        }
        let (a, b) = self.combine(op, lock, width, source, target)?;
        self.flags = Flags::Result { op, width, a, b, carry: true };
        Some(())
    }

    fn count(&mut self, up: bool, lock: bool, width: u8, target: Target) -> Option<()> {
        let op = if up { BinOp::Add } else { BinOp::Sub };
        let (a, b) = self.combine(op, lock, width, Target::Immediate(1), target)?;
        self.flags = Flags::Result { op, width, a, b, carry: false };
        Some(())
    }

    fn set(&mut self, code: &str, targets: &[Target]) -> Option<()> {
        let &[target] = targets else { return None };
        let condition = self.flags.condition(self.lowering, code)?;
        let operand = self.widen(condition, 1, 8);
        self.write(target, 8, Word { operand, ty: Ty::Int(8) })
    }

    fn read_cycles(&mut self, with_processor: bool) -> Option<()> {
        let dst = self.lowering.fresh(Ty::Int(64));
        self.lowering.call_library(CYCLES, Vec::new(), Vec::new(), vec![dst], None);
        self.write_pair(Register::AX, Register::DX, Operand::Reg(dst))?;
        if with_processor { self.write_input(Register::CX) } else { Some(()) }
    }

    /// `cpuid` says what the processor can, which is an input, and waits for all stores.
    fn identify(&mut self) -> Option<()> {
        self.lowering.emit(Op::Fence { order: Ordering::SeqCst });
        for register in [Register::AX, Register::BX, Register::CX, Register::DX] {
            self.write_input(register)?;
        }
        Some(())
    }

    fn write_input(&mut self, register: Register) -> Option<()> {
        let ty = Ty::Int(32);
        let dst = self.lowering.fresh(ty);
        let input = "__VERIFIER_nondet_uint";
        self.lowering.call_library(input, Vec::new(), Vec::new(), vec![dst], None);
        let target = Target::Cell(self.register(register), None);
        self.write(target, 32, Word { operand: Operand::Reg(dst), ty })
    }
}
