//! Shifts of integers of over 64 bits. As with others, all bits are gone where the distance
//! is too long.

use heddle_ir::{BinOp, Compare, Operand};

use super::Words;
use crate::lower::function::FunctionLowering;

impl FunctionLowering<'_, '_> {
    /// `by` is the lowest word of the distance.
    pub(super) fn shift_words(&mut self, op: BinOp, words: &[Operand], by: Operand) -> Words {
        let fill = match (op, words.last()) {
            (BinOp::AShr, Some(&top)) => self.sign_word(top),
            _ => Operand::Const(0),
        };
        let within = self.word(BinOp::And, by, Operand::Const(63));
        let shifted = self.shift_within(op, words, within, fill);
        let distance = self.word(BinOp::LShr, by, Operand::Const(6));
        (0..words.len()).map(|at| self.moved(op, &shifted, at, distance, fill)).collect()
    }

    /// By less than a word.
    fn shift_within(&mut self, op: BinOp, words: &[Operand], by: Operand, fill: Operand) -> Words {
        let back = match op {
            BinOp::Shl => BinOp::LShr,
            _ => BinOp::Shl,
        };
        let mut shifted = Words::new();
        for (at, &word) in words.iter().enumerate() {
            let neighbour = match op {
                BinOp::Shl if at == 0 => Operand::Const(0),
                BinOp::Shl => words[at - 1],
                _ => words.get(at + 1).copied().unwrap_or(fill),
            };
            let first = if op == BinOp::Shl { BinOp::Shl } else { BinOp::LShr };
            let own = self.word(first, word, by);
            let across = self.shift_across(back, neighbour, by);
            shifted.push(self.word(BinOp::Or, own, across));
        }
        shifted
    }

    /// What comes into a word from its neighbour: shifted by `64 - by`, which may be 64.
    fn shift_across(&mut self, op: BinOp, neighbour: Operand, by: Operand) -> Operand {
        match by {
            Operand::Const(0) => Operand::Const(0),
            Operand::Const(by) => self.word(op, neighbour, Operand::Const(64 - by)),
            _ => {
                let rest = self.word(BinOp::Sub, Operand::Const(63), by);
                let once = self.word(op, neighbour, Operand::Const(1));
                self.word(op, once, rest)
            }
        }
    }

    /// The word that comes to `at` from so many words away.
    fn moved(
        &mut self,
        op: BinOp,
        words: &[Operand],
        at: usize,
        distance: Operand,
        fill: Operand,
    ) -> Operand {
        let source = |distance: usize| match op {
            BinOp::Shl => at.checked_sub(distance).map(|from| words[from]),
            _ => words.get(at + distance).copied(),
        };
        if let Operand::Const(distance) = distance {
            return usize::try_from(distance).ok().and_then(source).unwrap_or(fill);
        }
        let mut found = fill;
        for step in 0..words.len() {
            let Some(word) = source(step) else { continue };
            let is_it = self.emit_compare(Compare::Eq, 64, distance, Operand::Const(step as u64));
            found = self.select_word(is_it, word, found);
        }
        found
    }
}
