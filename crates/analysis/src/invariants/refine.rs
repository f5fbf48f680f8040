//! What the outcome of a comparison tells of its operands.
//!
//! A condition is a register; what it was computed from is found by its definition, which
//! still holds where the condition is used, since registers are assigned at one place: a way
//! from there to the use that assigns an operand anew would be a way to the use without the
//! definition.

use heddle_ir::{BinOp, Cast, Compare, Op, Operand, Reg};

use super::Analysis;
use super::flow::Frame;
use super::state::State;
use super::value::{Pointer, Value};
use crate::numeric::{Word, negated, swapped};

/// Definitions that are followed.
const DEPTH: u32 = 8;

impl Analysis<'_> {
    /// Keeps what agrees with a condition; false if nothing does.
    pub(super) fn assume(
        &self,
        frame: &Frame,
        state: &mut State,
        cond: Operand,
        truth: bool,
    ) -> bool {
        self.assume_deep(frame, state, cond, truth, DEPTH)
    }

    fn assume_deep(
        &self,
        frame: &Frame,
        state: &mut State,
        cond: Operand,
        truth: bool,
        depth: u32,
    ) -> bool {
        let reg = match cond {
            Operand::Reg(reg) => reg,
            Operand::Const(bits) => return (bits & 1 == 1) == truth,
            _ => return true,
        };
        let var = frame.register(reg);
        if let Some(known) = state.range(var).filter(|known| known.width() == 1)
            && !known.contains(u64::from(truth))
        {
            return false;
        }
        if !state.narrow(var, Word::constant(1, u64::from(truth))) {
            return false;
        }
        let Some(depth) = depth.checked_sub(1) else { return true };
        match self.definition(frame, reg) {
            Some(Op::Compare { pred, width, a, b, .. }) => {
                let pred = if truth { *pred } else { negated(*pred) };
                self.assume_compare(frame, state, pred, *width, (*a, *b))
                    && self.assume_test(frame, state, pred, (*a, *b), depth)
            }
            Some(Op::Binary { op: BinOp::Xor, width: 1, a, b: Operand::Const(1), .. }) => {
                self.assume_deep(frame, state, *a, !truth, depth)
            }
            Some(Op::Copy { a, .. }) => self.assume_deep(frame, state, *a, truth, depth),
            Some(Op::Cast { op: Cast::Trunc, from: heddle_ir::Ty::Int(_), a, .. }) => {
                // A flag that was widened and is cut again.
                self.assume_flag(frame, state, *a, truth, depth)
            }
            Some(Op::CmpXchg { ok, dst, expected, ty, .. }) if *ok == reg && truth => {
                let width = self.bits(*ty);
                self.assume_compare(
                    frame,
                    state,
                    Compare::Eq,
                    width,
                    (Operand::Reg(*dst), *expected),
                )
            }
            _ => true,
        }
    }

    /// Keeps what agrees with a number that a function of the library was given: it is not 0.
    pub(super) fn assume_given(
        &self,
        frame: &Frame,
        state: &mut State,
        (given, width): (Operand, u8),
    ) -> bool {
        let (not, zero) = (Compare::Ne, Operand::Const(0));
        self.assume_compare(frame, state, not, width, (given, zero))
            && self.assume_test(frame, state, not, (given, zero), DEPTH)
    }

    /// A widened condition that is compared with 0.
    fn assume_test(
        &self,
        frame: &Frame,
        state: &mut State,
        pred: Compare,
        (a, b): (Operand, Operand),
        depth: u32,
    ) -> bool {
        match (pred, a, b) {
            (Compare::Ne, flag, Operand::Const(0)) => {
                self.assume_flag(frame, state, flag, true, depth)
            }
            (Compare::Eq, flag, Operand::Const(0)) => {
                self.assume_flag(frame, state, flag, false, depth)
            }
            _ => true,
        }
    }

    /// A number that was made from a condition by widening it.
    fn assume_flag(
        &self,
        frame: &Frame,
        state: &mut State,
        flag: Operand,
        truth: bool,
        depth: u32,
    ) -> bool {
        let Operand::Reg(reg) = flag else { return true };
        match self.definition(frame, reg) {
            Some(Op::Cast {
                op: Cast::ZeroExt | Cast::SignExt,
                from: heddle_ir::Ty::Int(1),
                a,
                ..
            }) => self.assume_deep(frame, state, *a, truth, depth),
            Some(Op::Copy { a, .. }) => match depth.checked_sub(1) {
                Some(depth) => self.assume_flag(frame, state, *a, truth, depth),
                None => true,
            },
            _ => true,
        }
    }

    fn definition(&self, frame: &Frame, reg: Reg) -> Option<&Op> {
        let site = (*self.definitions.get(&frame.function)?.get(reg.0 as usize)?)?;
        site.op(self.program)
    }

    /// Keeps what agrees with a comparison; false if nothing does.
    pub(super) fn assume_compare(
        &self,
        frame: &Frame,
        state: &mut State,
        pred: Compare,
        width: u8,
        (a, b): (Operand, Operand),
    ) -> bool {
        let (x, y) = (self.operand(frame, state, a, width), self.operand(frame, state, b, width));
        if self.compare_values(pred, &x, &y) == Some(false) {
            return false;
        }
        let var = |it| match it {
            Operand::Reg(reg) => Some(frame.register(reg)),
            _ => None,
        };
        let kept = self.assume_values(state, pred, (&x, &y), (var(a), var(b)));
        kept && self.explain(frame, state, a) && self.explain(frame, state, b)
    }

    /// A difference or a sum that has become sharper says something of its operands.
    fn explain(&self, frame: &Frame, state: &mut State, it: Operand) -> bool {
        let Operand::Reg(reg) = it else { return true };
        let Some(range) = state.range(frame.register(reg)) else { return true };
        match self.definition(frame, reg) {
            Some(Op::Binary { op, a: Operand::Reg(a), b: Operand::Reg(b), .. }) if a != b => {
                let (a, b) = (frame.register(*a), frame.register(*b));
                match (op, state.range(a), state.range(b)) {
                    (BinOp::Sub, Some(_), Some(_)) => state.octagon.assume_difference(a, b, range),
                    (BinOp::Add, Some(_), Some(_)) => state.octagon.assume_sum(a, b, range),
                    _ => true,
                }
            }
            _ => true,
        }
    }

    fn assume_values(
        &self,
        state: &mut State,
        pred: Compare,
        (x, y): (&Value, &Value),
        (a, b): (Option<u32>, Option<u32>),
    ) -> bool {
        match (x, y, a, b) {
            (Value::Number(_), Value::Number(_), Some(a), Some(b)) => state.assume(pred, a, b),
            (Value::Number(p), Value::Number(q), Some(a), None) => {
                state.narrow(a, p.refined(pred, q))
            }
            (Value::Number(p), Value::Number(q), None, Some(b)) => {
                state.narrow(b, q.refined(swapped(pred), p))
            }
            (Value::Pointer(p), Value::Number(q), Some(a), _) if q.only() == Some(0) => {
                narrow_pointer(state, a, p, pred);
                true
            }
            (Value::Number(p), Value::Pointer(q), _, Some(b)) if p.only() == Some(0) => {
                narrow_pointer(state, b, q, pred);
                true
            }
            _ => true,
        }
    }

    /// Whether a comparison holds, if that is known.
    pub(super) fn decide(
        &mut self,
        frame: &Frame,
        state: &State,
        pred: Compare,
        width: u8,
        (a, b): (Operand, Operand),
    ) -> Option<bool> {
        let (x, y) = (self.operand(frame, state, a, width), self.operand(frame, state, b, width));
        self.note_null_test(&x, &y);
        if let (Operand::Reg(a), Operand::Reg(b)) = (a, b)
            && let Some(known) = state.decide(pred, frame.register(a), frame.register(b))
        {
            return Some(known);
        }
        self.compare_values(pred, &x, &y)
    }

    /// The program looks whether it got a block: then it may not get one.
    fn note_null_test(&mut self, x: &Value, y: &Value) {
        let objects = &self.objects;
        let heap = |value: &Value| {
            value.objects().any(|id| matches!(objects.get(id), super::objects::Object::Heap(..)))
        };
        if (heap(x) || heap(y)) && !self.null_tested {
            self.null_tested = true;
            self.objects.grow();
        }
    }

    fn compare_values(&self, pred: Compare, x: &Value, y: &Value) -> Option<bool> {
        if let (Value::Number(a), Value::Number(b)) = (x, y) {
            return (a.width() == b.width()).then(|| Word::compare(pred, a, b)).flatten();
        }
        let (p, q) = (x.pointer()?, y.pointer()?);
        let unequal = match pred {
            Compare::Eq => false,
            Compare::Ne => true,
            _ => return self.compare_offsets(pred, &p, &q),
        };
        let null = |p: &Pointer| p.targets.is_empty();
        if null(&p) && null(&q) {
            return Some(!unequal);
        }
        // An address in an object that never goes is not null, and not one in another object.
        let apart = match (null(&p), null(&q)) {
            (true, _) => !q.null,
            (_, true) => !p.null,
            _ => {
                let lasting = |p: &Pointer| p.targets.keys().all(|id| self.lasts(*id));
                let shared = p.targets.keys().any(|id| q.targets.contains_key(id));
                let inside =
                    |p: &Pointer| p.targets.iter().all(|(id, offset)| self.is_inside(*id, offset));
                let both_null = p.null && q.null;
                !shared && !both_null && lasting(&p) && lasting(&q) && inside(&p) && inside(&q)
            }
        };
        match apart {
            true => Some(unequal),
            false => self.compare_offsets(pred, &p, &q),
        }
    }

    /// Addresses in one and the same object compare like their offsets.
    fn compare_offsets(&self, pred: Compare, p: &Pointer, q: &Pointer) -> Option<bool> {
        let single = |p: &Pointer| match p.targets.iter().next() {
            Some((id, offset)) if p.targets.len() == 1 && !p.null => Some((*id, *offset)),
            _ => None,
        };
        let ((x, i), (y, j)) = (single(p)?, single(q)?);
        let inside = self.is_inside(x, &i) && self.is_inside(x, &j);
        (x == y && self.is_single(x) && inside).then(|| Word::compare(pred, &i, &j)).flatten()
    }
}

fn narrow_pointer(state: &mut State, var: u32, pointer: &Pointer, pred: Compare) {
    let narrowed = match pred {
        Compare::Ne => Pointer { null: false, ..pointer.clone() },
        Compare::Eq if pointer.null => Pointer { null: true, ..Pointer::default() },
        _ => return,
    };
    state.values.insert(var, Value::Pointer(narrowed));
}
