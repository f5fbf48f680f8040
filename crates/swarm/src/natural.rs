//! Natural numbers of any size: how many selections there are, exactly.

use std::cmp::Ordering;
use std::fmt;

/// The largest power of ten in a limb.
const CHUNK: u64 = 10_000_000_000_000_000_000;

/// Limbs of 64 bits, the lowest first, the last one not zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Natural(Vec<u64>);

impl Natural {
    pub const fn zero() -> Natural {
        Natural(Vec::new())
    }

    #[must_use]
    pub fn times(&self, factor: u64) -> Natural {
        let mut limbs = Vec::with_capacity(self.0.len() + 1);
        let mut carry = 0;
        for &limb in &self.0 {
            let product = u128::from(limb) * u128::from(factor) + carry;
            limbs.push(product as u64);
            carry = product >> 64;
        }
        limbs.push(carry as u64);
        Natural::trimmed(limbs)
    }

    /// `None` if it does not fit.
    pub fn to_u64(&self) -> Option<u64> {
        match self.0.as_slice() {
            [] => Some(0),
            [one] => Some(*one),
            _ => None,
        }
    }

    /// About how many, for percentages.
    pub fn to_f64(&self) -> f64 {
        self.0.iter().rev().fold(0.0, |sum, &limb| sum * 2f64.powi(64) + limb as f64)
    }

    fn trimmed(mut limbs: Vec<u64>) -> Natural {
        while limbs.last() == Some(&0) {
            limbs.pop();
        }
        Natural(limbs)
    }

    /// The quotient and the rest.
    fn split(&self, divisor: u64) -> (Natural, u64) {
        let mut limbs = vec![0; self.0.len()];
        let mut rest = 0u128;
        for (at, &limb) in self.0.iter().enumerate().rev() {
            let part = rest << 64 | u128::from(limb);
            limbs[at] = (part / u128::from(divisor)) as u64;
            rest = part % u128::from(divisor);
        }
        (Natural::trimmed(limbs), rest as u64)
    }
}

impl From<u64> for Natural {
    fn from(value: u64) -> Natural {
        Natural::trimmed(vec![value])
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Natural) -> Ordering {
        let lengths = self.0.len().cmp(&other.0.len());
        lengths.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Natural) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// In digits, in groups of three.
impl fmt::Display for Natural {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut chunks = Vec::new();
        let mut left = self.clone();
        while left != Natural::zero() {
            let (quotient, rest) = left.split(CHUNK);
            chunks.push(rest);
            left = quotient;
        }
        let mut digits = chunks.pop().unwrap_or(0).to_string();
        for chunk in chunks.iter().rev() {
            digits.push_str(&format!("{chunk:019}"));
        }
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factorials() {
        let mut product = Natural::from(1);
        for factor in 1..=30 {
            product = product.times(factor);
        }
        assert_eq!(product.to_string(), "265,252,859,812,191,058,636,308,480,000,000");
        assert!((product.to_f64() / 2.652_528_598_121_911e32 - 1.0).abs() < 1e-12);
        assert_eq!(product.to_u64(), None);
        assert!(product > Natural::from(u64::MAX));
        assert_eq!(Natural::from(7).times(0), Natural::zero());
        assert_eq!(Natural::zero().to_string(), "0");
        assert_eq!(Natural::from(12_345).to_string(), "12,345");
        assert_eq!(Natural::from(u64::MAX).times(1).to_u64(), Some(u64::MAX));
    }
}
