//! Choices: a code of as few bits as will do, and multiplexers from it to the values.

use super::Blaster;
use crate::gates::Lit;
use crate::term::Term;

/// The index that a code means, of `count`. The last of an odd number of branches is
/// taken whatever the bit of the code that would choose says, so every code means
/// something and the tree has no spare branches.
pub fn chosen(code: u64, count: usize) -> usize {
    let bits = code_width(count);
    (0..bits).rev().fold(0, |index, bit| {
        let branches = count.div_ceil(1 << bit);
        let right = 2 * index + (code >> bit & 1) as usize;
        right.min(branches - 1)
    })
}

fn code_width(count: usize) -> u32 {
    usize::BITS - (count - 1).leading_zeros()
}

impl Blaster {
    pub(super) fn choice(&mut self, t: Term, values: &[u64], width: usize) -> Vec<Lit> {
        let code: Vec<Lit> = (0..code_width(values.len())).map(|_| self.gates.input()).collect();
        let bit = |place: usize| {
            let mut level: Vec<Lit> =
                values.iter().map(|value| Lit::truth(value >> place & 1 == 1)).collect();
            for &code in &code {
                let pairs = level.chunks(2).map(|pair| match *pair {
                    [a, b] => self.gates.choose(code, b, a),
                    _ => pair[0],
                });
                level = pairs.collect();
            }
            level[0]
        };
        let bits = (0..width).map(bit).collect();
        self.inputs.push((t, code));
        bits
    }
}
