//! What instructions do to a state. Where a result is not described, it is any value.

use heddle_ir::{BinOp, Cast, Op, Operand, OverflowOp, RmwOp, Scale, Ty};

use super::flow::Frame;
use super::objects::{Object, ObjectId};
use super::state::State;
use super::value::{Pointer, Value};
use super::{Analysis, Check, Stop};
use crate::numeric::{Lattice, Var, Word};

impl Analysis<'_> {
    pub(super) fn pointer_bits(&self) -> u8 {
        self.program.pointer_bits() as u8
    }

    pub(super) fn bits(&self, ty: Ty) -> u8 {
        ty.bits(self.program.pointer_bytes) as u8
    }

    pub(super) fn operand(&self, frame: &Frame, state: &State, it: Operand, width: u8) -> Value {
        let address = |object: Object, offset: i64| match self.objects.find(object) {
            Some(id) => Value::to(id, Word::constant(self.pointer_bits(), offset as u64)),
            None => Value::Any,
        };
        match it {
            Operand::Reg(reg) => state.value(frame.register(reg)),
            Operand::Const(bits) => Value::number(width, bits),
            Operand::Global(id, offset) => address(Object::Global(id), offset),
            Operand::Function(id) => address(Object::Function(id), 0),
        }
    }

    /// `to = from`.
    pub(super) fn copy(&self, frame: &Frame, state: &mut State, to: Var, from: Operand, width: u8) {
        let value = self.operand(frame, state, from, width);
        match (from, &value) {
            (Operand::Reg(reg), Value::Number(word)) if frame.register(reg) != to => {
                let zero = Word::constant(word.width(), 0);
                state.set_sum(to, frame.register(reg), zero, *word);
            }
            (Operand::Reg(reg), _) if frame.register(reg) == to => {}
            _ => state.set(to, value),
        }
    }

    /// The state after an instruction; `None` if it is never left.
    pub(super) fn transfer(
        &mut self,
        frame: &Frame,
        mut state: State,
        op: &Op,
    ) -> Result<Option<State>, Stop> {
        match op {
            Op::Binary { op, width, nsw, dst, a, b } => {
                self.check_binary(frame, &mut state, (*op, *nsw, *width), (*a, *b));
                self.binary(frame, &mut state, (*op, *width), frame.register(*dst), (*a, *b));
            }
            Op::Overflow { op, width, dst, flag, a, b } => {
                let words = self.words(frame, &state, (*a, *b), *width);
                let simple = match op {
                    OverflowOp::UAdd | OverflowOp::SAdd => BinOp::Add,
                    OverflowOp::USub | OverflowOp::SSub => BinOp::Sub,
                    OverflowOp::UMul | OverflowOp::SMul => BinOp::Mul,
                };
                let overflows = Word::overflows(*op, &words.0, &words.1);
                self.binary(frame, &mut state, (simple, *width), frame.register(*dst), (*a, *b));
                state.set(frame.register(*flag), truth(overflows));
            }
            Op::Unary { op, width, dst, a } => {
                let word = self.operand(frame, &state, *a, *width).word(*width);
                self.oblige(
                    Check::Overflow,
                    "no overflow",
                    word.signed().0 > Word::top(*width).signed().0
                        || !matches!(op, heddle_ir::UnOp::Abs),
                    || "range".to_string(),
                );
                state.set(frame.register(*dst), Value::Number(Word::unary(*op, &word)));
            }
            Op::Compare { pred, width, dst, a, b } => {
                let value = truth(self.decide(frame, &state, *pred, *width, (*a, *b)));
                state.set(frame.register(*dst), value);
            }
            Op::FloatBinary { ty, dst, .. } | Op::FloatNeg { ty, dst, .. } => {
                state.set(frame.register(*dst), Value::top(self.bits(Ty::Float(*ty))));
            }
            Op::FloatCompare { dst, .. } => state.set(frame.register(*dst), Value::top(1)),
            Op::Cast { op, from, to, dst, a } => {
                self.cast(frame, &mut state, (*op, *from, *to), frame.register(*dst), *a);
            }
            Op::Select { dst, cond, then, other } => {
                let width = self.width_of(frame, *dst);
                let var = frame.register(*dst);
                let choose = |this: &Self, truth: bool, from: Operand| {
                    let mut side = state.clone();
                    this.assume(frame, &mut side, *cond, truth).then(|| {
                        this.copy(frame, &mut side, var, from, width);
                        side
                    })
                };
                let (yes, no) = (choose(self, true, *then), choose(self, false, *other));
                return Ok(match (yes, no) {
                    (Some(yes), Some(no)) => Some(yes.join(&no)),
                    (yes, no) => yes.or(no),
                });
            }
            Op::Copy { dst, a } => {
                let width = self.width_of(frame, *dst);
                self.copy(frame, &mut state, frame.register(*dst), *a, width);
            }
            Op::PtrAdd { dst, base, offset, scales } => {
                let value = self.pointer_add(frame, &state, *base, *offset, scales);
                state.set(frame.register(*dst), value);
            }
            Op::StackAlloc { dst, bytes, count, .. } => {
                let width = self.pointer_bits();
                let count = self.operand(frame, &state, *count, width).word(width);
                let size = Word::binary(BinOp::Mul, &Word::constant(width, *bytes), &count);
                let object = self.objects.intern(Object::Stack(frame.context, self.at));
                // Not at the entry: it may be executed again.
                if self.at.block != 0 || count.only().is_none() {
                    self.objects.stands_for_several(object);
                }
                self.allocate(&mut state, object, size, false)?;
                state.set(frame.register(*dst), Value::to(object, Word::constant(width, 0)));
            }
            Op::ThreadLocal { dst, global } => {
                let object = self.objects.intern(Object::Local(self.class, *global));
                let zero = Word::constant(self.pointer_bits(), 0);
                state.set(frame.register(*dst), Value::to(object, zero));
            }
            Op::Load { dst, ty, addr, order, .. } => {
                let var = frame.register(*dst);
                let read = super::memory::Touch { ty: *ty, atomic: order.is_some() };
                return self.load(frame, state, var, *addr, read);
            }
            Op::Store { ty, addr, value, order, .. } => {
                let touch = super::memory::Touch { ty: *ty, atomic: order.is_some() };
                return self.store(frame, state, *addr, *value, touch);
            }
            Op::Rmw { op, ty, dst, addr, value, .. } => {
                return self.read_modify_write(
                    frame,
                    state,
                    (*op, *ty),
                    frame.register(*dst),
                    (*addr, *value),
                );
            }
            Op::CmpXchg { ty, dst, ok, addr, expected, new, .. } => {
                let vars = (frame.register(*dst), frame.register(*ok));
                return self.exchange(frame, state, *ty, vars, (*addr, *expected, *new));
            }
            Op::Fence { .. } => {}
            Op::Call { dsts, callee, args, arg_tys } => {
                return self.call(frame, state, dsts, callee, (args, arg_tys));
            }
            Op::Nondet { dst, .. } => {
                let width = self.width_of(frame, *dst);
                state.set(frame.register(*dst), Value::top(width));
            }
            Op::Unsupported { what } => return Err(self.give_up(what.clone())),
        }
        Ok(Some(state))
    }

    pub(super) fn width_of(&self, frame: &Frame, reg: heddle_ir::Reg) -> u8 {
        self.bits(self.program.function(frame.function).regs[reg.0 as usize])
    }

    pub(super) fn words(
        &self,
        frame: &Frame,
        state: &State,
        (a, b): (Operand, Operand),
        width: u8,
    ) -> (Word, Word) {
        let word = |it| self.operand(frame, state, it, width).word(width);
        (word(a), word(b))
    }

    fn check_binary(
        &mut self,
        frame: &Frame,
        state: &mut State,
        (op, nsw, width): (BinOp, bool, u8),
        operands: (Operand, Operand),
    ) {
        let (a, b) = self.words(frame, state, operands, width);
        if matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem) {
            let by = || format!("divisor {}", super::show::range(&b));
            self.oblige(Check::Memory, "divisor is not 0", !b.contains(0), by);
        }
        let overflow = match op {
            BinOp::Add => OverflowOp::SAdd,
            BinOp::Sub => OverflowOp::SSub,
            BinOp::Mul => OverflowOp::SMul,
            BinOp::SDiv | BinOp::SRem => {
                let fits = !b.contains(Word::constant(width, u64::MAX).unsigned().0)
                    || a.signed().0 > Word::top(width).signed().0;
                self.oblige(Check::Overflow, "no overflow", fits, || "range".to_string());
                return;
            }
            BinOp::Shl if nsw => {
                self.oblige(Check::Overflow, "no overflow", false, String::new);
                return;
            }
            _ => return,
        };
        if nsw {
            let fits = Word::overflows(overflow, &a, &b) == Some(false);
            self.oblige(Check::Overflow, "no overflow", fits, || super::show::range(&a));
        }
    }

    fn binary(
        &mut self,
        frame: &Frame,
        state: &mut State,
        (op, width): (BinOp, u8),
        dst: Var,
        (a, b): (Operand, Operand),
    ) {
        let (x, y) = (self.operand(frame, state, a, width), self.operand(frame, state, b, width));
        if let Some(value) = self.address_arithmetic(op, width, &x, &y) {
            return state.set(dst, value);
        }
        let (p, q) = (x.word(width), y.word(width));
        let mut word = Word::binary(op, &p, &q);
        let var = |it: Operand| match it {
            Operand::Reg(reg) if state.range(frame.register(reg)).is_some() => {
                Some(frame.register(reg))
            }
            _ => None,
        };
        let (left, right) = (var(a), var(b));
        match (op, left, right) {
            (BinOp::Sub, Some(left), Some(right)) => {
                word = state.difference(left, right).map_or(word, |known| known.meet(&word));
            }
            (BinOp::Add, Some(left), Some(right)) if left != right => {
                word = state.sum(left, right).map_or(word, |known| known.meet(&word));
            }
            _ => {}
        }
        match (op, left, right) {
            (BinOp::Add, Some(left), None) if left != dst => state.set_sum(dst, left, q, word),
            (BinOp::Add, None, Some(right)) if right != dst => state.set_sum(dst, right, p, word),
            (BinOp::Sub, Some(left), None) if left != dst => {
                state.set_sum(dst, left, q.negated(), word);
            }
            (BinOp::Sub, None, Some(right)) if right != dst => {
                state.octagon.assign_negated(dst, right, p);
                state.values.insert(dst, Value::Number(word));
            }
            (BinOp::Sub, Some(left), Some(right)) if left != dst && right != dst => {
                // The result as an offset from either operand.
                state.set_sum(dst, left, q.negated(), word);
                if left != right {
                    state.octagon.assume_sum(dst, right, p);
                }
            }
            (BinOp::Add, Some(left), Some(right)) if left != dst && right != dst => {
                state.set_sum(dst, left, q, word);
                if left != right {
                    state.octagon.assume_difference(dst, right, p);
                }
            }
            _ => {
                state.set(dst, Value::Number(word));
                if let Some(left) = left.filter(|&left| left != dst) {
                    remainder(state, op, dst, left, (&p, &q));
                }
            }
        }
    }

    /// Additions to an address, and differences of addresses, that were cast to numbers.
    fn address_arithmetic(&self, op: BinOp, width: u8, a: &Value, b: &Value) -> Option<Value> {
        let number = |value: &Value| matches!(value, Value::Number(_));
        match (op, a, b) {
            _ if number(a) && number(b) => None,
            (BinOp::Add, Value::Pointer(pointer), Value::Number(by))
            | (BinOp::Add, Value::Number(by), Value::Pointer(pointer)) => Some(shift(pointer, by)),
            (BinOp::Sub, Value::Pointer(pointer), Value::Number(by)) => {
                Some(shift(pointer, &by.negated()))
            }
            (BinOp::Sub, Value::Pointer(p), Value::Pointer(q)) => {
                let single = |p: &Pointer| match p.targets.iter().next() {
                    Some((id, offset)) if p.targets.len() == 1 && !p.null => Some((*id, *offset)),
                    _ => None,
                };
                let ((x, i), (y, j)) = (single(p)?, single(q)?);
                let same = x == y && !self.objects.several[x.0 as usize];
                Some(if same { Value::Number(i.minus(&j)) } else { Value::top(width) })
            }
            (BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Add | BinOp::Sub, ..) => Some(Value::Any),
            // Whatever comes of these is no address that anybody could use.
            _ => Some(Value::Any),
        }
    }

    fn cast(
        &mut self,
        frame: &Frame,
        state: &mut State,
        (op, from, to): (Cast, Ty, Ty),
        dst: Var,
        a: Operand,
    ) {
        let (width, target) = (self.bits(from), self.bits(to));
        let value = self.operand(frame, state, a, width);
        if width == target && matches!(op, Cast::Trunc | Cast::ZeroExt | Cast::SignExt | Cast::Bits)
        {
            return self.copy(frame, state, dst, a, width);
        }
        let Value::Number(word) = value else {
            // Part of an address is a number like any other.
            let any = Value::top(target);
            return state.set(dst, if target < width { any } else { Value::Any });
        };
        let result = match op {
            Cast::Trunc => word.truncated(target),
            Cast::ZeroExt => word.zero_extended(target),
            Cast::SignExt => word.sign_extended(target),
            _ => Word::top(target),
        };
        state.set(dst, Value::Number(result));
    }

    pub(super) fn pointer_add(
        &self,
        frame: &Frame,
        state: &State,
        base: Operand,
        offset: i64,
        scales: &[Scale],
    ) -> Value {
        let width = self.pointer_bits();
        let mut by = Word::constant(width, offset as u64);
        for scale in scales {
            let index = self.operand(frame, state, scale.index, scale.width).word(scale.width);
            let index = match scale.width > width {
                true => index.truncated(width),
                false => index.sign_extended(width),
            };
            let bytes = Word::constant(width, scale.bytes as u64);
            by = by.plus(&Word::binary(BinOp::Mul, &index, &bytes));
        }
        match self.operand(frame, state, base, width) {
            Value::Pointer(pointer) => shift(&pointer, &by),
            Value::Number(word) => Value::Number(word.plus(&by)),
            Value::Any => Value::Any,
        }
    }

    /// What a read-modify-write stores.
    pub(super) fn combined(op: RmwOp, old: &Word, operand: &Word) -> Word {
        let simple = match op {
            RmwOp::Exchange => return *operand,
            RmwOp::Nand => return Word::top(old.width()),
            RmwOp::Add => BinOp::Add,
            RmwOp::Sub => BinOp::Sub,
            RmwOp::And => BinOp::And,
            RmwOp::Or => BinOp::Or,
            RmwOp::Xor => BinOp::Xor,
            RmwOp::Max => BinOp::SMax,
            RmwOp::Min => BinOp::SMin,
            RmwOp::UMax => BinOp::UMax,
            RmwOp::UMin => BinOp::UMin,
        };
        Word::binary(simple, old, operand)
    }

    /// Does the address of an object mean one object only?
    pub(super) fn is_single(&self, id: ObjectId) -> bool {
        !self.objects.several[id.0 as usize]
    }
}

/// `dst = left % m`, where `left = z + c`, `0 <= z < m` and `0 <= c < m`: then `dst - z` is `c`
/// or `c - m`.
fn remainder(state: &mut State, op: BinOp, dst: Var, left: Var, (p, q): (&Word, &Word)) {
    let modulus = match (op, q.only()) {
        (BinOp::URem, Some(m)) => m,
        (BinOp::SRem, Some(m)) if p.signed().0 >= 0 && q.signed().0 > 0 => m,
        (BinOp::And, Some(mask)) if mask < 1 << 62 && (mask + 1).is_power_of_two() => mask + 1,
        _ => return,
    };
    let width = p.width();
    for z in state.octagon.neighbours(left) {
        let (Some(c), Some(range)) = (
            state.octagon.difference(left, z).and_then(|d| d.only()),
            state.range(z).filter(|range| range.width() == width),
        ) else {
            continue;
        };
        // No wrap-around: `z + c` is below twice the modulus.
        let fits = modulus <= Word::top(width).signed().1 as u64 / 2;
        if fits && z != dst && c < modulus && range.unsigned().1 < modulus {
            let apart =
                Word::constant(width, c).join(&Word::constant(width, c.wrapping_sub(modulus)));
            state.octagon.assume_difference(dst, z, apart);
        }
    }
}

fn shift(pointer: &Pointer, by: &Word) -> Value {
    // Null with an offset is a number.
    if pointer.null && by.only() != Some(0) {
        return match pointer.targets.is_empty() {
            true => Value::Number(*by),
            false => Value::Any,
        };
    }
    let targets = pointer.targets.iter().map(|(&id, offset)| (id, offset.plus(by))).collect();
    Value::Pointer(Pointer { targets, null: pointer.null })
}

pub(super) fn truth(known: Option<bool>) -> Value {
    match known {
        Some(known) => Value::number(1, u64::from(known)),
        None => Value::top(1),
    }
}
