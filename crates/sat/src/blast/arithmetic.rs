//! Circuits of arithmetic and shifts. Numbers are lowest bit first.

use super::Blaster;
use crate::gates::{FALSE, Lit, TRUE};

impl Blaster {
    /// Ripple carry.
    pub(super) fn add(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Vec<Lit> {
        let mut sum = Vec::with_capacity(a.len());
        for (&a, &b) in a.iter().zip(b) {
            let (bit, out) = self.gates.full_adder(a, b, carry);
            sum.push(bit);
            carry = out;
        }
        sum
    }

    pub(super) fn subtract(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let complement: Vec<Lit> = b.iter().map(|&bit| !bit).collect();
        self.add(a, &complement, TRUE)
    }

    fn negate(&mut self, a: &[Lit]) -> Vec<Lit> {
        self.subtract(&vec![FALSE; a.len()], a)
    }

    /// The sum of `a` shifted to each one of `b`.
    pub(super) fn multiply(&mut self, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        // The factor with more zeros makes fewer sums.
        let zeros = |bits: &[Lit]| bits.iter().filter(|&&bit| bit == FALSE).count();
        let (a, b) = if zeros(a) > zeros(b) { (b, a) } else { (a, b) };
        let width = a.len();
        let mut product = vec![FALSE; width];
        for (shift, &bit) in b.iter().enumerate().filter(|&(_, &bit)| bit != FALSE) {
            let row: Vec<Lit> =
                a[..width - shift].iter().map(|&a| self.gates.and(a, bit)).collect();
            let sum = self.add(&product[shift..], &row, FALSE);
            product[shift..].copy_from_slice(&sum);
        }
        product
    }

    /// Quotient and remainder by restoring division, highest bit first. A divisor of 0
    /// is never greater than the remainder, which gives all ones and the dividend.
    pub(super) fn divide(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let width = a.len();
        // One bit wider than the divisor, as the remainder is doubled.
        let mut remainder = vec![FALSE; width + 1];
        let mut quotient = vec![FALSE; width];
        let mut divisor = b.to_vec();
        divisor.push(FALSE);
        for step in (0..width).rev() {
            remainder.pop();
            remainder.insert(0, a[step]);
            let fits = !self.less(&remainder, &divisor);
            let difference = self.subtract(&remainder, &divisor);
            remainder = self.choose(fits, &difference, &remainder);
            quotient[step] = fits;
        }
        remainder.pop();
        (quotient, remainder)
    }

    /// By magnitudes. The quotient is negative if one operand is, the remainder has
    /// the sign of the dividend.
    pub(super) fn divide_signed(&mut self, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
        let (sa, sb) = (a[a.len() - 1], b[b.len() - 1]);
        let (ma, mb) = (self.apply_sign(sa, a), self.apply_sign(sb, b));
        let (quotient, remainder) = self.divide(&ma, &mb);
        let sign = self.gates.xor(sa, sb);
        (self.apply_sign(sign, &quotient), self.apply_sign(sa, &remainder))
    }

    /// The negative of `a` if `sign`.
    fn apply_sign(&mut self, sign: Lit, a: &[Lit]) -> Vec<Lit> {
        let negated = self.negate(a);
        self.choose(sign, &negated, a)
    }

    pub(super) fn shift_left(&mut self, a: &[Lit], by: &[Lit]) -> Vec<Lit> {
        let mirrored: Vec<Lit> = a.iter().rev().copied().collect();
        let mut shifted = self.shift_right(&mirrored, by, FALSE);
        shifted.reverse();
        shifted
    }

    /// Barrel shifter: one stage for each bit of the shift, as far as the width goes;
    /// any higher bit shifts everything out.
    pub(super) fn shift_right(&mut self, a: &[Lit], by: &[Lit], fill: Lit) -> Vec<Lit> {
        let width = a.len();
        let mut bits = a.to_vec();
        let mut out = FALSE;
        for (stage, &bit) in by.iter().enumerate() {
            let distance = 1_usize.checked_shl(stage as u32).unwrap_or(usize::MAX);
            if distance >= width {
                out = self.gates.or(out, bit);
                continue;
            }
            let shifted: Vec<Lit> =
                (0..width).map(|i| *bits.get(i + distance).unwrap_or(&fill)).collect();
            bits = self.choose(bit, &shifted, &bits);
        }
        bits.iter().map(|&bit| self.gates.choose(out, fill, bit)).collect()
    }
}
