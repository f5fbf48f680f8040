//! The domain of terms: the second instance of `Domain`, beside the interpreter's.

use heddle_ir::{BinOp, Cast, Compare, FloatBinOp, FloatCompare, FloatTy, OverflowOp, Ty, UnOp};
use heddle_sat::{Binary, Relation, Term, Terms};
use heddle_semantics::{Concrete, Domain};

#[derive(Default)]
pub struct Symbolic {
    pub terms: Terms,
    /// An operation without an encoding was asked for since this was last taken.
    pub missing: Option<&'static str>,
}

const FLOAT: &str = "arithmetic on floating-point numbers that are not constant";

impl Symbolic {
    fn constants<const N: usize>(&self, values: [Term; N]) -> Option<[u64; N]> {
        let mut numbers = [0; N];
        for (number, value) in numbers.iter_mut().zip(values) {
            *number = self.terms.as_constant(value)?;
        }
        Some(numbers)
    }

    fn float(&mut self, width: u32, result: Option<u64>) -> Term {
        match result {
            Some(bits) => self.terms.constant(bits, width),
            None => {
                self.missing = Some(FLOAT);
                self.terms.variable(width)
            }
        }
    }

    /// A one-bit term that compares with a constant.
    pub fn equals(&mut self, a: Term, bits: u64) -> Term {
        let width = self.terms.width(a);
        let b = self.terms.constant(bits, width);
        self.terms.relate(Relation::Eq, a, b)
    }
}

impl Domain for Symbolic {
    type Value = Term;

    fn constant(&mut self, bits: u64, width: u32) -> Term {
        self.terms.constant(bits, width)
    }

    fn binary(&mut self, op: BinOp, _: u32, a: &Term, b: &Term) -> Term {
        let simple = match op {
            BinOp::Add => Binary::Add,
            BinOp::Sub => Binary::Sub,
            BinOp::Mul => Binary::Mul,
            BinOp::UDiv => Binary::UDiv,
            BinOp::SDiv => Binary::SDiv,
            BinOp::URem => Binary::URem,
            BinOp::SRem => Binary::SRem,
            BinOp::Shl => Binary::Shl,
            BinOp::LShr => Binary::LShr,
            BinOp::AShr => Binary::AShr,
            BinOp::And => Binary::And,
            BinOp::Or => Binary::Or,
            BinOp::Xor => Binary::Xor,
            BinOp::UMin | BinOp::UMax | BinOp::SMin | BinOp::SMax => {
                let relation = match op {
                    BinOp::UMin | BinOp::UMax => Relation::ULt,
                    _ => Relation::SLt,
                };
                let less = self.terms.relate(relation, *a, *b);
                return match op {
                    BinOp::UMin | BinOp::SMin => self.terms.select(less, *a, *b),
                    _ => self.terms.select(less, *b, *a),
                };
            }
        };
        self.terms.binary(simple, *a, *b)
    }

    fn overflows(&mut self, op: OverflowOp, _: u32, a: &Term, b: &Term) -> Term {
        match op {
            OverflowOp::UAdd => self.terms.unsigned_add_overflows(*a, *b),
            OverflowOp::SAdd => self.terms.signed_add_overflows(*a, *b),
            OverflowOp::USub => self.terms.unsigned_sub_overflows(*a, *b),
            OverflowOp::SSub => self.terms.signed_sub_overflows(*a, *b),
            OverflowOp::UMul => self.terms.unsigned_mul_overflows(*a, *b),
            OverflowOp::SMul => self.terms.signed_mul_overflows(*a, *b),
        }
    }

    fn unary(&mut self, op: UnOp, _: u32, a: &Term) -> Term {
        match op {
            UnOp::Abs => self.terms.absolute(*a),
            UnOp::CountOnes => self.terms.count_ones(*a),
            UnOp::LeadingZeros => self.terms.leading_zeros(*a),
            UnOp::TrailingZeros => self.terms.trailing_zeros(*a),
            UnOp::SwapBytes => self.terms.swap_bytes(*a),
            UnOp::ReverseBits => self.terms.reverse_bits(*a),
        }
    }

    fn compare(&mut self, op: Compare, _: u32, a: &Term, b: &Term) -> Term {
        let (a, b) = (*a, *b);
        let (relation, a, b) = match op {
            Compare::Eq => (Relation::Eq, a, b),
            Compare::Ne => {
                let same = self.terms.relate(Relation::Eq, a, b);
                return self.terms.not(same);
            }
            Compare::ULt => (Relation::ULt, a, b),
            Compare::ULe => (Relation::ULe, a, b),
            Compare::UGt => (Relation::ULt, b, a),
            Compare::UGe => (Relation::ULe, b, a),
            Compare::SLt => (Relation::SLt, a, b),
            Compare::SLe => (Relation::SLe, a, b),
            Compare::SGt => (Relation::SLt, b, a),
            Compare::SGe => (Relation::SLe, b, a),
        };
        self.terms.relate(relation, a, b)
    }

    fn select(&mut self, cond: &Term, then: &Term, other: &Term) -> Term {
        self.terms.select(*cond, *then, *other)
    }

    fn cast(&mut self, op: Cast, from: Ty, to: Ty, a: &Term) -> Term {
        let width = to.bits(8);
        match op {
            Cast::Trunc => self.terms.extract(*a, 0, width),
            Cast::ZeroExt => self.terms.zero_extend(*a, width),
            Cast::SignExt => self.terms.sign_extend(*a, width),
            Cast::Bits => *a,
            _ => {
                let number = self.terms.as_constant(*a);
                let result = number.map(|bits| Concrete.cast(op, from, to, &bits));
                self.float(width, result)
            }
        }
    }

    fn float_binary(&mut self, op: FloatBinOp, ty: FloatTy, a: &Term, b: &Term) -> Term {
        let numbers = self.constants([*a, *b]);
        let result = numbers.map(|[a, b]| Concrete.float_binary(op, ty, &a, &b));
        self.float(Ty::Float(ty).bits(8), result)
    }

    fn float_neg(&mut self, ty: FloatTy, a: &Term) -> Term {
        let result = self.terms.as_constant(*a).map(|a| Concrete.float_neg(ty, &a));
        self.float(Ty::Float(ty).bits(8), result)
    }

    fn float_compare(&mut self, op: FloatCompare, ty: FloatTy, a: &Term, b: &Term) -> Term {
        let numbers = self.constants([*a, *b]);
        let result = numbers.map(|[a, b]| Concrete.float_compare(op, ty, &a, &b));
        self.float(1, result)
    }
}
