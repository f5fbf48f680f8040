//! Comparisons of integers of over 64 bits.

use heddle_ir::{BinOp, Compare, Op, Operand, Ty};

use super::Extend;
use crate::lower::function::FunctionLowering;

impl FunctionLowering<'_, '_> {
    /// An i1.
    pub(in crate::lower) fn compare_wide(
        &mut self,
        pred: Compare,
        bits: u32,
        a: &[Operand],
        b: &[Operand],
    ) -> Operand {
        let signed = matches!(pred, Compare::SLt | Compare::SLe | Compare::SGt | Compare::SGe);
        let extend = if signed { Extend::Sign } else { Extend::Zero };
        let (a, b) = (self.words(a, bits, extend), self.words(b, bits, extend));
        self.compare_words(pred, &a, &b)
    }

    pub(super) fn compare_words(&mut self, pred: Compare, a: &[Operand], b: &[Operand]) -> Operand {
        match pred {
            Compare::Eq | Compare::Ne => {
                let mut differ = Operand::Const(0);
                for (&a, &b) in a.iter().zip(b) {
                    let here = self.word(BinOp::Xor, a, b);
                    differ = self.word(BinOp::Or, differ, here);
                }
                self.emit_compare(pred, 64, differ, Operand::Const(0))
            }
            Compare::ULt | Compare::SLt => self.is_less(pred, a, b),
            Compare::UGt => self.is_less(Compare::ULt, b, a),
            Compare::SGt => self.is_less(Compare::SLt, b, a),
            Compare::ULe => self.is_not_less(Compare::ULt, b, a),
            Compare::SLe => self.is_not_less(Compare::SLt, b, a),
            Compare::UGe => self.is_not_less(Compare::ULt, a, b),
            Compare::SGe => self.is_not_less(Compare::SLt, a, b),
        }
    }

    fn is_not_less(&mut self, pred: Compare, a: &[Operand], b: &[Operand]) -> Operand {
        let less = self.is_less(pred, a, b);
        self.emit_binary(BinOp::Xor, 1, less, Operand::Const(1))
    }

    /// The highest word that differs decides; only its sign counts.
    fn is_less(&mut self, pred: Compare, a: &[Operand], b: &[Operand]) -> Operand {
        let mut less = Operand::Const(0);
        for (at, (&x, &y)) in a.iter().zip(b).enumerate() {
            let pred = if at + 1 == a.len() { pred } else { Compare::ULt };
            let here = self.emit_compare(pred, 64, x, y);
            let same = self.emit_compare(Compare::Eq, 64, x, y);
            let dst = self.fresh(Ty::BOOL);
            self.emit(Op::Select { dst, cond: same, then: less, other: here });
            less = Operand::Reg(dst);
        }
        less
    }
}
