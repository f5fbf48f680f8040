//! Products of integers of over 64 bits, as on paper, word by word.

use heddle_ir::{BinOp, Operand};

use super::Words;
use crate::lower::function::FunctionLowering;

const LOW: Operand = Operand::Const(u32::MAX as u64);
const HALF: Operand = Operand::Const(32);

impl FunctionLowering<'_, '_> {
    /// The lowest `length` words of the product.
    pub(super) fn multiply_words(&mut self, a: &[Operand], b: &[Operand], length: usize) -> Words {
        let mut product: Words = vec![Operand::Const(0); length];
        for (i, &a) in a.iter().enumerate() {
            for (j, &b) in b.iter().enumerate().take(length.saturating_sub(i)) {
                if a == Operand::Const(0) || b == Operand::Const(0) {
                    continue;
                }
                let mut row: Words = vec![Operand::Const(0); length];
                row[i + j] = self.word(BinOp::Mul, a, b);
                if i + j + 1 < length {
                    row[i + j + 1] = self.multiply_high(a, b);
                }
                product = self.add_words(&product, &row);
            }
        }
        product
    }

    /// The upper word of the product of two words, from those of their halves.
    fn multiply_high(&mut self, a: Operand, b: Operand) -> Operand {
        let [(a0, a1), (b0, b1)] =
            [a, b].map(|x| (self.word(BinOp::And, x, LOW), self.word(BinOp::LShr, x, HALF)));
        let low = self.word(BinOp::Mul, a0, b0);
        let crossed = [(a0, b1), (a1, b0)].map(|(x, y)| self.word(BinOp::Mul, x, y));
        let mut middle = self.word(BinOp::LShr, low, HALF);
        let mut high = self.word(BinOp::Mul, a1, b1);
        for product in crossed {
            let below = self.word(BinOp::And, product, LOW);
            middle = self.word(BinOp::Add, middle, below);
            let above = self.word(BinOp::LShr, product, HALF);
            high = self.word(BinOp::Add, high, above);
        }
        let carried = self.word(BinOp::LShr, middle, HALF);
        self.word(BinOp::Add, high, carried)
    }
}
