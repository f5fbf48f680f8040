//! Integers of over 64 bits, as words of 64 from the lowest on.
//!
//! In registers and memory an integer of 72 bits is one of 64 and one of 8. To compute, the
//! highest part is extended to a word, and cut again afterwards.

mod atomic;
mod casts;
mod compare;
mod multiply;
mod shift;

pub(crate) use atomic::wide_atomic;

use heddle_ir::{BinOp, Cast, Compare, Op, Operand, OverflowOp, Ty};

use super::function::FunctionLowering;
use super::split::Parts;
use crate::constants::mask;
use crate::needs::{division, floats};

pub(super) type Words = Vec<Operand>;

const WORD: Ty = Ty::Int(64);

/// How the highest part becomes a word.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Extend {
    Zero,
    Sign,
}

/// Bits of the highest part.
fn top_bits(bits: u32) -> u8 {
    match bits % 64 {
        0 => 64,
        rest => rest as u8,
    }
}

impl FunctionLowering<'_, '_> {
    /// An operation on words, or its result where that is known.
    pub(super) fn word(&mut self, op: BinOp, a: Operand, b: Operand) -> Operand {
        match fold(op, a, b) {
            Some(known) => known,
            None => self.emit_binary(op, 64, a, b),
        }
    }

    pub(super) fn zero_extended(&mut self, a: Operand, width: u8) -> Operand {
        match a {
            Operand::Const(_) => a,
            _ if width == 64 => a,
            _ => self.emit_cast(Cast::ZeroExt, Ty::Int(width), WORD, a),
        }
    }

    fn sign_extended(&mut self, a: Operand, width: u8) -> Operand {
        match a {
            _ if width == 64 => a,
            Operand::Const(bits) => {
                let shift = 64 - u32::from(width);
                Operand::Const(((bits << shift).cast_signed() >> shift).cast_unsigned())
            }
            _ => self.emit_cast(Cast::SignExt, Ty::Int(width), WORD, a),
        }
    }

    pub(super) fn truncated(&mut self, a: Operand, width: u8) -> Operand {
        match a {
            _ if width == 64 => a,
            Operand::Const(bits) => Operand::Const(mask(bits, width.into())),
            _ => self.emit_cast(Cast::Trunc, WORD, Ty::Int(width), a),
        }
    }

    fn words(&mut self, parts: &[Operand], bits: u32, extend: Extend) -> Words {
        let mut words = parts.to_vec();
        if let Some(top) = words.pop() {
            words.push(match extend {
                Extend::Zero => self.zero_extended(top, top_bits(bits)),
                Extend::Sign => self.sign_extended(top, top_bits(bits)),
            });
        }
        words
    }

    /// The parts of an integer of `bits`, from as many words or more.
    fn parts(&mut self, words: &[Operand], bits: u32) -> Parts {
        let count = bits.div_ceil(64) as usize;
        let mut parts = Parts::from_slice(&words[..count]);
        if let Some(top) = parts.pop() {
            let top = self.truncated(top, top_bits(bits));
            parts.push(top);
        }
        parts
    }

    /// All bits of it are the sign.
    fn sign_word(&mut self, word: Operand) -> Operand {
        self.word(BinOp::AShr, word, Operand::Const(63))
    }

    pub(super) fn binary_wide(
        &mut self,
        op: BinOp,
        bits: u32,
        nsw: bool,
        a: &[Operand],
        b: &[Operand],
    ) -> Result<Parts, String> {
        if let Some(function) = division(op) {
            return self.divide(function, bits, a, b);
        }
        if nsw && op != BinOp::Shl {
            let (result, overflow) = self.overflow_wide(signed(op), bits, a, b)?;
            self.assert_fits(overflow);
            return Ok(result);
        }
        let extend = if op == BinOp::AShr { Extend::Sign } else { Extend::Zero };
        let (a, b) = (self.words(a, bits, extend), self.words(b, bits, Extend::Zero));
        let words = match op {
            BinOp::Add => self.add_words(&a, &b),
            BinOp::Sub => self.subtract_words(&a, &b),
            BinOp::Mul => self.multiply_words(&a, &b, a.len()),
            BinOp::Shl | BinOp::LShr | BinOp::AShr => self.shift_words(op, &a, b[0]),
            BinOp::And | BinOp::Or | BinOp::Xor => {
                a.iter().zip(&b).map(|(&a, &b)| self.word(op, a, b)).collect()
            }
            _ => return Err(format!("{op:?} of integers of {bits} bits").to_lowercase()),
        };
        Ok(self.parts(&words, bits))
    }

    /// The result in `bits`, and whether it does not fit.
    pub(super) fn overflow_wide(
        &mut self,
        op: OverflowOp,
        bits: u32,
        a: &[Operand],
        b: &[Operand],
    ) -> Result<(Parts, Operand), String> {
        use OverflowOp::*;
        let extend = if matches!(op, SAdd | SSub | SMul) { Extend::Sign } else { Extend::Zero };
        // With words to spare, nothing is lost.
        let (mut a, mut b) = (self.words(a, bits, extend), self.words(b, bits, extend));
        let length = if matches!(op, UMul | SMul) { 2 * a.len() } else { a.len() + 1 };
        for words in [&mut a, &mut b] {
            let above = match extend {
                Extend::Zero => Operand::Const(0),
                Extend::Sign => self.sign_word(words[words.len() - 1]),
            };
            words.resize(length, above);
        }
        let exact = match op {
            UAdd | SAdd => self.add_words(&a, &b),
            USub | SSub => self.subtract_words(&a, &b),
            UMul | SMul => self.multiply_words(&a, &b, length),
        };
        let result = self.parts(&exact, bits);
        let mut again = self.words(&result, bits, extend);
        let above = match extend {
            Extend::Zero => Operand::Const(0),
            Extend::Sign => self.sign_word(again[again.len() - 1]),
        };
        again.resize(length, above);
        let overflow = self.compare_words(Compare::Ne, &exact, &again);
        Ok((result, overflow))
    }

    /// A sum that overflows where the flag says that another one did.
    fn assert_fits(&mut self, overflow: Operand) {
        let most = Operand::Const(i64::MAX.cast_unsigned());
        let a = self.select_word(overflow, most, Operand::Const(0));
        let b = self.zero_extended(overflow, 1);
        let dst = self.fresh(WORD);
        self.emit(Op::Binary { op: BinOp::Add, width: 64, nsw: true, dst, a, b });
    }

    fn select_word(&mut self, cond: Operand, then: Operand, other: Operand) -> Operand {
        if then == other {
            return then;
        }
        let dst = self.fresh(WORD);
        self.emit(Op::Select { dst, cond, then, other });
        Operand::Reg(dst)
    }

    fn add_words(&mut self, a: &[Operand], b: &[Operand]) -> Words {
        let mut carry = Operand::Const(0);
        let mut sums = Words::new();
        for (&a, &b) in a.iter().zip(b) {
            let first = self.word(BinOp::Add, a, b);
            let sum = self.word(BinOp::Add, first, carry);
            let over = [(first, a), (sum, first)].map(|(sum, part)| self.is_below(sum, part));
            carry = self.word(BinOp::Or, over[0], over[1]);
            sums.push(sum);
        }
        sums
    }

    fn subtract_words(&mut self, a: &[Operand], b: &[Operand]) -> Words {
        let mut borrow = Operand::Const(0);
        let mut differences = Words::new();
        for (&a, &b) in a.iter().zip(b) {
            let first = self.word(BinOp::Sub, a, b);
            let under = [self.is_below(a, b), self.is_below(first, borrow)];
            differences.push(self.word(BinOp::Sub, first, borrow));
            borrow = self.word(BinOp::Or, under[0], under[1]);
        }
        differences
    }

    /// 1 or 0, as a word.
    fn is_below(&mut self, a: Operand, b: Operand) -> Operand {
        match (a, b) {
            (Operand::Const(a), Operand::Const(b)) => Operand::Const(u64::from(a < b)),
            (_, Operand::Const(0)) => Operand::Const(0),
            _ if a == b => Operand::Const(0),
            _ => {
                let below = self.emit_compare(Compare::ULt, 64, a, b);
                self.zero_extended(below, 1)
            }
        }
    }

    fn divide(
        &mut self,
        function: &'static str,
        bits: u32,
        a: &[Operand],
        b: &[Operand],
    ) -> Result<Parts, String> {
        if bits > 128 {
            return Err(format!("division of integers of {bits} bits"));
        }
        let signed = function.starts_with("__div") || function.starts_with("__mod");
        let extend = if signed { Extend::Sign } else { Extend::Zero };
        let mut args = self.words(a, bits, extend);
        args.extend(self.words(b, bits, extend));
        let words = self.call_words(function, args, vec![WORD; 4], 2);
        Ok(self.parts(&words, bits))
    }

    /// Calls a support function whose result is so many words.
    fn call_words(
        &mut self,
        function: &str,
        args: Words,
        arg_tys: Vec<Ty>,
        results: usize,
    ) -> Words {
        let dsts: Vec<_> = (0..results).map(|_| self.fresh(WORD)).collect();
        self.call_library(function, args, arg_tys, dsts.clone(), None);
        dsts.into_iter().map(Operand::Reg).collect()
    }
}

fn signed(op: BinOp) -> OverflowOp {
    match op {
        BinOp::Add => OverflowOp::SAdd,
        BinOp::Sub => OverflowOp::SSub,
        _ => OverflowOp::SMul,
    }
}

/// What constants decide: bit-fields are masks and shifts by constants.
fn fold(op: BinOp, a: Operand, b: Operand) -> Option<Operand> {
    use Operand::Const;
    Some(match (op, a, b) {
        (BinOp::Add, Const(a), Const(b)) => Const(a.wrapping_add(b)),
        (BinOp::Sub, Const(a), Const(b)) => Const(a.wrapping_sub(b)),
        (BinOp::Mul, Const(a), Const(b)) => Const(a.wrapping_mul(b)),
        (BinOp::And, Const(a), Const(b)) => Const(a & b),
        (BinOp::Or, Const(a), Const(b)) => Const(a | b),
        (BinOp::Xor, Const(a), Const(b)) => Const(a ^ b),
        (BinOp::Shl, Const(a), Const(b @ 0..64)) => Const(a << b),
        (BinOp::LShr, Const(a), Const(b @ 0..64)) => Const(a >> b),
        (BinOp::AShr, Const(a), Const(b @ 0..64)) => Const((a.cast_signed() >> b).cast_unsigned()),
        (BinOp::And | BinOp::Mul, Const(0), _) | (BinOp::And | BinOp::Mul, _, Const(0)) => Const(0),
        (BinOp::Add | BinOp::Or | BinOp::Xor, other, Const(0))
        | (BinOp::Add | BinOp::Or | BinOp::Xor, Const(0), other)
        | (BinOp::And, other, Const(u64::MAX))
        | (BinOp::And, Const(u64::MAX), other)
        | (BinOp::Sub | BinOp::Shl | BinOp::LShr | BinOp::AShr, other, Const(0)) => other,
        (BinOp::Shl | BinOp::LShr, Const(0), _) => Const(0),
        _ => return None,
    })
}
