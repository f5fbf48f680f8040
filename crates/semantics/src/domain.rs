//! Domains of values. Instruction meaning (see `eval`) is written once over this
//! trait; the interpreter is its instance [`Concrete`], an encoder is another.

use heddle_ir::{
    BinOp, Cast, Compare, FloatBinOp, FloatCompare, FloatTy, OverflowOp, RmwOp, Ty, UnOp,
};

/// A domain of scalar values. Widths are in bits, 1 to 64. Every operation is
/// total: where C leaves a result undefined (division by zero, over-long
/// shifts), the evaluator has checked before, and any value will do.
pub trait Domain {
    type Value: Clone;

    fn constant(&mut self, bits: u64, width: u32) -> Self::Value;
    fn binary(&mut self, op: BinOp, width: u32, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// The i1 that says whether the operation overflows.
    fn overflows(
        &mut self,
        op: OverflowOp,
        width: u32,
        a: &Self::Value,
        b: &Self::Value,
    ) -> Self::Value;
    fn unary(&mut self, op: UnOp, width: u32, a: &Self::Value) -> Self::Value;
    fn compare(&mut self, op: Compare, width: u32, a: &Self::Value, b: &Self::Value)
    -> Self::Value;
    fn select(
        &mut self,
        cond: &Self::Value,
        then: &Self::Value,
        other: &Self::Value,
    ) -> Self::Value;
    /// `from` and `to` with pointers already turned into integers.
    fn cast(&mut self, op: Cast, from: Ty, to: Ty, a: &Self::Value) -> Self::Value;
    fn float_binary(
        &mut self,
        op: FloatBinOp,
        ty: FloatTy,
        a: &Self::Value,
        b: &Self::Value,
    ) -> Self::Value;
    fn float_neg(&mut self, ty: FloatTy, a: &Self::Value) -> Self::Value;
    fn float_compare(
        &mut self,
        op: FloatCompare,
        ty: FloatTy,
        a: &Self::Value,
        b: &Self::Value,
    ) -> Self::Value;

    /// What a read-modify-write stores, given the old value and its operand.
    fn rmw(
        &mut self,
        op: RmwOp,
        width: u32,
        old: &Self::Value,
        operand: &Self::Value,
    ) -> Self::Value {
        match (op, arithmetic(op)) {
            (RmwOp::Nand, _) => {
                let both = self.binary(BinOp::And, width, old, operand);
                let ones = self.constant(u64::MAX, width);
                self.binary(BinOp::Xor, width, &both, &ones)
            }
            (_, Some(simple)) => self.binary(simple, width, old, operand),
            (_, None) => operand.clone(),
        }
    }
}

/// What a read-modify-write computes first, if it computes.
pub fn arithmetic(op: RmwOp) -> Option<BinOp> {
    Some(match op {
        RmwOp::Exchange => return None,
        RmwOp::Add => BinOp::Add,
        RmwOp::Sub => BinOp::Sub,
        RmwOp::And | RmwOp::Nand => BinOp::And,
        RmwOp::Or => BinOp::Or,
        RmwOp::Xor => BinOp::Xor,
        RmwOp::Max => BinOp::SMax,
        RmwOp::Min => BinOp::SMin,
        RmwOp::UMax => BinOp::UMax,
        RmwOp::UMin => BinOp::UMin,
    })
}

/// The `width` low bits.
#[inline]
pub fn mask(bits: u64, width: u32) -> u64 {
    if width >= 64 { bits } else { bits & ((1u64 << width) - 1) }
}

/// The `width` low bits as a signed number.
#[inline]
pub fn sign_extend(bits: u64, width: u32) -> i64 {
    let shift = 64 - width.min(64);
    ((bits << shift) as i64) >> shift
}

/// Plain numbers, zero-extended to 64 bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Concrete;

fn f32_of(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn float_of(ty: FloatTy, bits: u64) -> f64 {
    match ty {
        FloatTy::F32 => f64::from(f32_of(bits)),
        FloatTy::F64 => f64::from_bits(bits),
    }
}

fn bits_of(ty: FloatTy, value: f64) -> u64 {
    match ty {
        FloatTy::F32 => u64::from((value as f32).to_bits()),
        FloatTy::F64 => value.to_bits(),
    }
}

fn int_width(ty: Ty) -> u32 {
    // Pointers were turned into integers by the evaluator.
    ty.bits(8)
}

impl Domain for Concrete {
    type Value = u64;

    #[inline]
    fn constant(&mut self, bits: u64, width: u32) -> u64 {
        mask(bits, width)
    }

    #[inline]
    fn binary(&mut self, op: BinOp, width: u32, a: &u64, b: &u64) -> u64 {
        let (a, b) = (*a, *b);
        let signed = |x| sign_extend(x, width);
        let bits = match op {
            BinOp::Add => a.wrapping_add(b),
            BinOp::Sub => a.wrapping_sub(b),
            BinOp::Mul => a.wrapping_mul(b),
            BinOp::UDiv => a.checked_div(b).unwrap_or(0),
            BinOp::SDiv => signed(a).checked_div(signed(b)).unwrap_or(0) as u64,
            BinOp::URem => a.checked_rem(b).unwrap_or(0),
            BinOp::SRem => signed(a).checked_rem(signed(b)).unwrap_or(0) as u64,
            BinOp::Shl if b < u64::from(width) => a << b,
            BinOp::LShr if b < u64::from(width) => a >> b,
            BinOp::Shl | BinOp::LShr => 0,
            BinOp::AShr => (signed(a) >> b.min(63)) as u64,
            BinOp::And => a & b,
            BinOp::Or => a | b,
            BinOp::Xor => a ^ b,
            BinOp::UMin => a.min(b),
            BinOp::UMax => a.max(b),
            BinOp::SMin => signed(a).min(signed(b)) as u64,
            BinOp::SMax => signed(a).max(signed(b)) as u64,
        };
        mask(bits, width)
    }

    fn overflows(&mut self, op: OverflowOp, width: u32, a: &u64, b: &u64) -> u64 {
        let (ua, ub) = (u128::from(*a), u128::from(*b));
        let (sa, sb) = (i128::from(sign_extend(*a, width)), i128::from(sign_extend(*b, width)));
        let unsigned_max = (1u128 << width) - 1;
        let (signed_min, signed_max) = (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1);
        let signed = |exact: i128| exact < signed_min || exact > signed_max;
        u64::from(match op {
            OverflowOp::UAdd => ua + ub > unsigned_max,
            OverflowOp::USub => ua < ub,
            OverflowOp::UMul => ua * ub > unsigned_max,
            OverflowOp::SAdd => signed(sa + sb),
            OverflowOp::SSub => signed(sa - sb),
            OverflowOp::SMul => signed(sa * sb),
        })
    }

    fn unary(&mut self, op: UnOp, width: u32, a: &u64) -> u64 {
        let a = *a;
        let bits = match op {
            UnOp::Abs => sign_extend(a, width).wrapping_abs() as u64,
            UnOp::CountOnes => u64::from(a.count_ones()),
            UnOp::LeadingZeros => u64::from(a.leading_zeros()) - u64::from(64 - width),
            UnOp::TrailingZeros => u64::from(a.trailing_zeros().min(width)),
            UnOp::SwapBytes => a.swap_bytes() >> (64 - width),
            UnOp::ReverseBits => a.reverse_bits() >> (64 - width),
        };
        mask(bits, width)
    }

    #[inline]
    fn compare(&mut self, op: Compare, width: u32, a: &u64, b: &u64) -> u64 {
        let (a, b) = (*a, *b);
        let (sa, sb) = (sign_extend(a, width), sign_extend(b, width));
        u64::from(match op {
            Compare::Eq => a == b,
            Compare::Ne => a != b,
            Compare::ULt => a < b,
            Compare::ULe => a <= b,
            Compare::UGt => a > b,
            Compare::UGe => a >= b,
            Compare::SLt => sa < sb,
            Compare::SLe => sa <= sb,
            Compare::SGt => sa > sb,
            Compare::SGe => sa >= sb,
        })
    }

    #[inline]
    fn select(&mut self, cond: &u64, then: &u64, other: &u64) -> u64 {
        if *cond != 0 { *then } else { *other }
    }

    fn cast(&mut self, op: Cast, from: Ty, to: Ty, a: &u64) -> u64 {
        let a = *a;
        let width = int_width(to);
        match (op, from, to) {
            (Cast::SignExt, ..) => mask(sign_extend(a, int_width(from)) as u64, width),
            (Cast::FloatToFloat, Ty::Float(source), Ty::Float(target)) => {
                bits_of(target, float_of(source, a))
            }
            (Cast::FloatToUnsigned, Ty::Float(source), _) => {
                mask(float_of(source, a) as u64, width)
            }
            (Cast::FloatToSigned, Ty::Float(source), _) => {
                mask(float_of(source, a) as i64 as u64, width)
            }
            // Through f64 a 64-bit integer would be rounded twice on its way to f32.
            (Cast::UnsignedToFloat, _, Ty::Float(FloatTy::F32)) => u64::from((a as f32).to_bits()),
            (Cast::UnsignedToFloat, _, Ty::Float(FloatTy::F64)) => (a as f64).to_bits(),
            (Cast::SignedToFloat, _, Ty::Float(FloatTy::F32)) => {
                u64::from((sign_extend(a, int_width(from)) as f32).to_bits())
            }
            (Cast::SignedToFloat, _, Ty::Float(FloatTy::F64)) => {
                (sign_extend(a, int_width(from)) as f64).to_bits()
            }
            _ => mask(a, width),
        }
    }

    fn float_binary(&mut self, op: FloatBinOp, ty: FloatTy, a: &u64, b: &u64) -> u64 {
        // Single precision through double is exact after rounding for + − × ÷
        // (double has more than twice the digits); % is exact in both.
        let (x, y) = (float_of(ty, *a), float_of(ty, *b));
        let result = match op {
            FloatBinOp::Add => x + y,
            FloatBinOp::Sub => x - y,
            FloatBinOp::Mul => x * y,
            FloatBinOp::Div => x / y,
            FloatBinOp::Rem => x % y,
        };
        bits_of(ty, result)
    }

    fn float_neg(&mut self, ty: FloatTy, a: &u64) -> u64 {
        match ty {
            FloatTy::F32 => *a ^ (1 << 31),
            FloatTy::F64 => *a ^ (1 << 63),
        }
    }

    fn float_compare(&mut self, op: FloatCompare, ty: FloatTy, a: &u64, b: &u64) -> u64 {
        let (x, y) = (float_of(ty, *a), float_of(ty, *b));
        let unordered = x.is_nan() || y.is_nan();
        u64::from(match op {
            FloatCompare::False => false,
            FloatCompare::True => true,
            FloatCompare::OEq => x == y,
            FloatCompare::OGt => x > y,
            FloatCompare::OGe => x >= y,
            FloatCompare::OLt => x < y,
            FloatCompare::OLe => x <= y,
            FloatCompare::ONe => !unordered && x != y,
            FloatCompare::Ord => !unordered,
            FloatCompare::Uno => unordered,
            FloatCompare::UEq => unordered || x == y,
            FloatCompare::UGt => unordered || x > y,
            FloatCompare::UGe => unordered || x >= y,
            FloatCompare::ULt => unordered || x < y,
            FloatCompare::ULe => unordered || x <= y,
            FloatCompare::UNe => x != y,
        })
    }
}
