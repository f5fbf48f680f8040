//! Ranges with congruences, of words of 1 to 64 bits.
//!
//! Intervals after Cousot and Cousot (POPL 1977), congruences after Granger, "Static analysis
//! of arithmetical congruences" (1989). Deviations:
//!
//! 1. A word has no sign: bounds are kept of it as an unsigned and as a signed number, each
//!    sharpened by the other.
//! 2. The congruence is one of the signed number.
//! 3. What may wrap around has no bounds, unless all of it does. A congruence survives that
//!    for powers of two only.

use super::{Lattice, Thresholds};

/// Values of a word of `width` bits: those within all bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Word {
    width: u8,
    unsigned: (u64, u64),
    signed: (i64, i64),
    /// The signed number is `residue` more than a multiple of `modulus`; 0 for a constant.
    modulus: u64,
    residue: i64,
}

/// The `width` low bits as a signed number.
pub fn sign_extend(bits: u64, width: u8) -> i64 {
    let shift = 64 - u32::from(width.clamp(1, 64));
    ((bits << shift) as i64) >> shift
}

pub(super) fn max_unsigned(width: u8) -> u64 {
    u64::MAX >> (64 - u32::from(width.clamp(1, 64)))
}

pub(super) fn max_signed(width: u8) -> i64 {
    (max_unsigned(width) >> 1) as i64
}

pub(super) fn min_signed(width: u8) -> i64 {
    -max_signed(width) - 1
}

pub(super) fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Numbers that are congruent in both ways (the Chinese remainder theorem); the finer of both
/// ways where the common modulus is too large, `None` if there is no such number.
fn intersect((m, r): (u64, i64), (n, s): (u64, i64)) -> Option<(u64, i64)> {
    let fits = |modulus: u64, residue: i64, number: i128| match modulus {
        0 => number == i128::from(residue),
        modulus => (number - i128::from(residue)) % i128::from(modulus) == 0,
    };
    if m == 1 || n == 1 {
        return Some(if m == 1 { (n, s) } else { (m, r) });
    }
    if m == 0 || n == 0 {
        let (number, (modulus, residue)) = if m == 0 { (r, (n, s)) } else { (s, (m, r)) };
        return fits(modulus, residue, i128::from(number)).then_some((0, number));
    }
    let common = gcd(m, n);
    if !fits(common, r, i128::from(s)) {
        return None;
    }
    let finer = if m >= n { (m, r) } else { (n, s) };
    // Few turns are needed, since moduli are sizes of things.
    let Some(both) = m.checked_mul(n / common).filter(|&both| both < 1 << 62) else {
        return Some(finer);
    };
    let (step, other) = if m >= n { (m, (n, s)) } else { (n, (m, r)) };
    let turns = other.0 / common;
    if turns > 4096 {
        return Some(finer);
    }
    let mut numbers = (0..turns).map(|k| i128::from(finer.1) + i128::from(k) * i128::from(step));
    let number = numbers.find(|&number| fits(other.0, other.1, number))?;
    Some((both, number.rem_euclid(i128::from(both)) as i64))
}

impl Word {
    /// Any value.
    pub fn top(width: u8) -> Word {
        Word {
            width,
            unsigned: (0, max_unsigned(width)),
            signed: (min_signed(width), max_signed(width)),
            modulus: 1,
            residue: 0,
        }
    }

    /// None at all.
    pub fn bottom(width: u8) -> Word {
        Word { unsigned: (1, 0), signed: (1, 0), ..Word::top(width) }
    }

    pub fn constant(width: u8, bits: u64) -> Word {
        let bits = bits & max_unsigned(width);
        let number = sign_extend(bits, width);
        Word {
            width,
            unsigned: (bits, bits),
            signed: (number, number),
            modulus: 0,
            residue: number,
        }
    }

    /// Signed numbers from the first to the second.
    pub fn signed_range(width: u8, low: i64, high: i64) -> Word {
        let top = Word::top(width);
        let signed = (low.max(top.signed.0), high.min(top.signed.1));
        Word { signed, ..top }.reduced()
    }

    /// Unsigned numbers from the first to the second.
    pub fn unsigned_range(width: u8, low: u64, high: u64) -> Word {
        Word { unsigned: (low, high.min(max_unsigned(width))), ..Word::top(width) }.reduced()
    }

    /// With signed numbers that are `residue` more than a multiple of `modulus`.
    pub(super) fn congruent(self, modulus: u64, residue: i128) -> Word {
        if modulus == 1 || self.is_bottom() {
            return self;
        }
        if modulus == 0 {
            let number = i64::try_from(residue).ok();
            return match number.filter(|&n| self.contains(n as u64 & max_unsigned(self.width))) {
                Some(number) => Word::constant(self.width, number as u64),
                None => Word::bottom(self.width),
            };
        }
        let modulus = modulus.min(1 << 62);
        let other = Word {
            modulus,
            residue: residue.rem_euclid(i128::from(modulus)) as i64,
            ..Word::top(self.width)
        };
        self.meet(&other)
    }

    pub fn width(&self) -> u8 {
        self.width
    }

    pub fn unsigned(&self) -> (u64, u64) {
        self.unsigned
    }

    pub fn signed(&self) -> (i64, i64) {
        self.signed
    }

    /// Modulus (0 for a constant) and residue of the signed number.
    pub fn congruence(&self) -> (u64, i64) {
        (self.modulus, self.residue)
    }

    pub fn is_bottom(&self) -> bool {
        self.unsigned.0 > self.unsigned.1 || self.signed.0 > self.signed.1
    }

    pub fn is_top(&self) -> bool {
        *self == Word::top(self.width)
    }

    /// The only value.
    pub fn only(&self) -> Option<u64> {
        (!self.is_bottom() && self.unsigned.0 == self.unsigned.1).then_some(self.unsigned.0)
    }

    pub fn contains(&self, bits: u64) -> bool {
        let number = sign_extend(bits, self.width);
        let congruent = match self.modulus {
            0 => number == self.residue,
            1 => true,
            modulus => (i128::from(number) - i128::from(self.residue)) % i128::from(modulus) == 0,
        };
        (self.unsigned.0..=self.unsigned.1).contains(&bits)
            && (self.signed.0..=self.signed.1).contains(&number)
            && congruent
    }

    /// Each bound as sharp as the others allow.
    pub(super) fn reduced(mut self) -> Word {
        for _ in 0..2 {
            if self.is_bottom() {
                return Word::bottom(self.width);
            }
            self.exchange();
            if self.is_bottom() || !self.align() {
                return Word::bottom(self.width);
            }
        }
        self.exchange();
        if self.is_bottom() {
            return Word::bottom(self.width);
        }
        if self.signed.0 == self.signed.1 {
            let only = self.signed.0 as u64 & max_unsigned(self.width);
            return match self.contains(only) {
                true => Word::constant(self.width, only),
                false => Word::bottom(self.width),
            };
        }
        self
    }

    /// Where both bounds of one kind are on the same side of the sign, they are bounds of the
    /// other kind too.
    fn exchange(&mut self) {
        let half = max_signed(self.width) as u64;
        let (low, high) = self.unsigned;
        if (low > half) == (high > half) {
            let (a, b) = (sign_extend(low, self.width), sign_extend(high, self.width));
            self.signed = (self.signed.0.max(a), self.signed.1.min(b));
        }
        let (low, high) = self.signed;
        if (low < 0) == (high < 0) && low <= high {
            let mask = max_unsigned(self.width);
            let (a, b) = (low as u64 & mask, high as u64 & mask);
            self.unsigned = (self.unsigned.0.max(a), self.unsigned.1.min(b));
        }
    }

    /// Moves the signed bounds to numbers that are congruent; false if there is none.
    fn align(&mut self) -> bool {
        if self.modulus == 1 {
            return true;
        }
        let (low, high) = (i128::from(self.signed.0), i128::from(self.signed.1));
        let residue = i128::from(self.residue);
        if self.modulus == 0 {
            self.signed = (self.signed.0.max(self.residue), self.signed.1.min(self.residue));
            return self.signed.0 <= self.signed.1;
        }
        let modulus = i128::from(self.modulus);
        let first = low + (residue - low).rem_euclid(modulus);
        let last = high - (high - residue).rem_euclid(modulus);
        if first > last {
            return false;
        }
        self.signed = (first as i64, last as i64);
        true
    }
}

impl Lattice for Word {
    fn leq(&self, other: &Word) -> bool {
        if self.is_bottom() {
            return true;
        }
        let congruent = match (self.modulus, other.modulus) {
            (_, 1) => true,
            (mine, 0) => mine == 0 && self.residue == other.residue,
            (mine, theirs) => {
                mine % theirs == 0
                    && (i128::from(self.residue) - i128::from(other.residue)) % i128::from(theirs)
                        == 0
            }
        };
        self.unsigned.0 >= other.unsigned.0
            && self.unsigned.1 <= other.unsigned.1
            && self.signed.0 >= other.signed.0
            && self.signed.1 <= other.signed.1
            && congruent
    }

    fn join(&self, other: &Word) -> Word {
        debug_assert_eq!(self.width, other.width);
        if self.is_bottom() {
            return *other;
        }
        if other.is_bottom() {
            return *self;
        }
        if *self == *other {
            return *self;
        }
        let apart = self.residue.abs_diff(other.residue);
        let modulus = gcd(gcd(self.modulus, other.modulus), apart);
        let residue = match modulus {
            0 => self.residue,
            1 => 0,
            modulus => i128::from(self.residue).rem_euclid(i128::from(modulus)) as i64,
        };
        Word {
            width: self.width,
            unsigned: (
                self.unsigned.0.min(other.unsigned.0),
                self.unsigned.1.max(other.unsigned.1),
            ),
            signed: (self.signed.0.min(other.signed.0), self.signed.1.max(other.signed.1)),
            modulus,
            residue,
        }
        .reduced()
    }

    fn meet(&self, other: &Word) -> Word {
        debug_assert_eq!(self.width, other.width);
        if *self == *other {
            return *self;
        }
        let congruence = intersect((self.modulus, self.residue), (other.modulus, other.residue));
        let Some((modulus, residue)) = congruence else { return Word::bottom(self.width) };
        if self.is_bottom() || other.is_bottom() {
            return Word::bottom(self.width);
        }
        Word {
            width: self.width,
            unsigned: (
                self.unsigned.0.max(other.unsigned.0),
                self.unsigned.1.min(other.unsigned.1),
            ),
            signed: (self.signed.0.max(other.signed.0), self.signed.1.min(other.signed.1)),
            modulus,
            residue,
        }
        .reduced()
    }

    fn widen(&self, other: &Word, thresholds: &Thresholds) -> Word {
        let all = self.join(other);
        if self.is_bottom() || all == *self {
            return all;
        }
        let top = Word::top(self.width);
        // Bounds that hold stay as they are, so that each only ever moves outwards.
        let mut wide = Word { unsigned: self.unsigned, signed: self.signed, ..all };
        if all.signed.0 < self.signed.0 {
            let low = thresholds.below(all.signed.0).unwrap_or(top.signed.0);
            wide.signed.0 = low.max(top.signed.0);
        }
        if all.signed.1 > self.signed.1 {
            let high = thresholds.above(all.signed.1).unwrap_or(top.signed.1);
            wide.signed.1 = high.min(top.signed.1);
        }
        // Thresholds from 0 on are the same for unsigned numbers.
        let unsigned = |bound: u64| i64::try_from(bound).ok();
        if all.unsigned.0 < self.unsigned.0 {
            let low = unsigned(all.unsigned.0).and_then(|bound| thresholds.below(bound));
            wide.unsigned.0 = low.map_or(0, |low| low.max(0) as u64);
        }
        if all.unsigned.1 > self.unsigned.1 {
            let high = unsigned(all.unsigned.1).and_then(|bound| thresholds.above(bound));
            wide.unsigned.1 = high.map_or(top.unsigned.1, |high| high as u64).min(top.unsigned.1);
        }
        // Not reduced: that could bring back a bound that was given up. A congruence has only
        // finitely many divisors.
        wide
    }
}
