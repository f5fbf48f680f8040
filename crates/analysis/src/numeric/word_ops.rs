//! What operations of the machine make of ranges: for all values of the operands, the result
//! is among those of the result. Each is compared with all values of small words (see the
//! tests).

use heddle_ir::{BinOp, Compare, OverflowOp, UnOp};

use super::Lattice;
use super::word::{Word, gcd, max_signed, max_unsigned, min_signed, sign_extend};

/// Numbers from the first to the second, of any size.
type Wide = (i128, i128);

impl Word {
    /// The result of an operation; for a division, if the divisor is not 0.
    pub fn binary(op: BinOp, a: &Word, b: &Word) -> Word {
        let width = a.width();
        if a.is_bottom() || b.is_bottom() {
            return Word::bottom(width);
        }
        match op {
            BinOp::Add => a.plus(b),
            BinOp::Sub => a.minus(b),
            BinOp::Mul => a.times(b),
            BinOp::UDiv => a.unsigned_div(b),
            BinOp::URem => a.unsigned_rem(b),
            BinOp::SDiv => a.signed_div(b),
            BinOp::SRem => a.signed_rem(b),
            BinOp::Shl => a.shift_left(b),
            BinOp::LShr => a.shift_right(b),
            BinOp::AShr => a.shift_arithmetic(b),
            BinOp::And => a.and(b),
            BinOp::Or => a.or(b),
            BinOp::Xor => a.xor(b),
            BinOp::UMin => {
                let ((a, b), (c, d)) = (a.unsigned(), b.unsigned());
                Word::unsigned_range(width, a.min(c), b.min(d))
            }
            BinOp::UMax => {
                let ((a, b), (c, d)) = (a.unsigned(), b.unsigned());
                Word::unsigned_range(width, a.max(c), b.max(d))
            }
            BinOp::SMin => {
                let ((a, b), (c, d)) = (a.signed(), b.signed());
                Word::signed_range(width, a.min(c), b.min(d))
            }
            BinOp::SMax => {
                let ((a, b), (c, d)) = (a.signed(), b.signed());
                Word::signed_range(width, a.max(c), b.max(d))
            }
        }
    }

    pub fn unary(op: UnOp, a: &Word) -> Word {
        let width = a.width();
        let bits = u64::from(width);
        match (op, a.signed()) {
            _ if a.is_bottom() => *a,
            (UnOp::Abs, (low, _)) if low >= 0 => *a,
            (UnOp::Abs, (low, high)) if low > min_signed(width) => {
                Word::signed_range(width, 0, low.abs().max(high.abs()))
            }
            (UnOp::CountOnes | UnOp::LeadingZeros | UnOp::TrailingZeros, _) => {
                Word::unsigned_range(width, 0, bits)
            }
            (UnOp::Abs | UnOp::SwapBytes | UnOp::ReverseBits, _) => Word::top(width),
        }
    }

    pub fn plus(&self, other: &Word) -> Word {
        if let (Some(a), Some(b)) = (self.only(), other.only()) {
            return Word::constant(self.width(), a.wrapping_add(b));
        }
        self.linear(other, |a, b| (a.0 + b.0, a.1 + b.1), |a, b| a + b)
    }

    pub fn minus(&self, other: &Word) -> Word {
        if let (Some(a), Some(b)) = (self.only(), other.only()) {
            return Word::constant(self.width(), a.wrapping_sub(b));
        }
        self.linear(other, |a, b| (a.0 - b.1, a.1 - b.0), |a, b| a - b)
    }

    pub fn negated(&self) -> Word {
        Word::constant(self.width(), 0).minus(self)
    }

    fn linear(
        &self,
        other: &Word,
        range: impl Fn(Wide, Wide) -> Wide,
        residue: impl Fn(i128, i128) -> i128,
    ) -> Word {
        let width = self.width();
        if self.is_bottom() || other.is_bottom() {
            return Word::bottom(width);
        }
        if self.is_top() || other.is_top() {
            return Word::top(width);
        }
        let signed = range(wide(self.signed()), wide(other.signed()));
        let (modulus, rest) = (self.congruence(), other.congruence());
        let common = gcd(modulus.0, rest.0);
        let sum = residue(i128::from(modulus.1), i128::from(rest.1));
        let unsigned = range(wide(self.unsigned()), wide(other.unsigned()));
        from_signed(width, signed)
            .meet(&from_unsigned(width, unsigned))
            .congruent(kept(width, common, fits_signed(width, signed)), sum)
    }

    fn times(&self, other: &Word) -> Word {
        let width = self.width();
        if let (Some(a), Some(b)) = (self.only(), other.only()) {
            return Word::constant(width, a.wrapping_mul(b));
        }
        let product = |a: Wide, b: Wide| {
            // Bounds are below 2⁶⁴ in size.
            let all = [a.0 * b.0, a.0 * b.1, a.1 * b.0, a.1 * b.1];
            (all.into_iter().min().unwrap_or(0), all.into_iter().max().unwrap_or(0))
        };
        let signed = product(wide(self.signed()), wide(other.signed()));
        let (ua, ub) = (self.unsigned(), other.unsigned());
        let unsigned = ua.1.checked_mul(ub.1).map(|high| (ua.0.wrapping_mul(ub.0), high));
        let unsigned = unsigned.map_or(Word::top(width), |(low, high)| {
            from_unsigned(width, (i128::from(low), i128::from(high)))
        });
        let result = from_signed(width, signed).meet(&unsigned);
        // A multiple of a constant: (m·k + r)·c.
        let (factor, congruence) = match (self.only(), other.only()) {
            (Some(factor), _) => (factor, other.congruence()),
            (_, Some(factor)) => (factor, self.congruence()),
            _ => return result,
        };
        let factor = sign_extend(factor, width);
        match congruence.0.checked_mul(factor.unsigned_abs()) {
            Some(modulus) => {
                let residue = i128::from(congruence.1) * i128::from(factor);
                result.congruent(kept(width, modulus, fits_signed(width, signed)), residue)
            }
            None => result,
        }
    }

    fn unsigned_div(&self, other: &Word) -> Word {
        let ((a, b), (c, d)) = (self.unsigned(), other.unsigned());
        Word::unsigned_range(self.width(), a / d.max(1), b / c.max(1))
    }

    fn unsigned_rem(&self, other: &Word) -> Word {
        let ((a, b), (c, d)) = (self.unsigned(), other.unsigned());
        if b < c {
            return *self;
        }
        if let Some(rest) = self.known_rest(other) {
            return rest;
        }
        let high = d.saturating_sub(1).min(b);
        let all = Word::unsigned_range(self.width(), 0, high);
        // Within one period of a constant divisor.
        match other.only() {
            Some(divisor) if divisor != 0 && a / divisor == b / divisor => {
                Word::unsigned_range(self.width(), a % divisor, b % divisor)
            }
            _ => all,
        }
    }

    /// The rest by a constant that divides the modulus.
    fn known_rest(&self, other: &Word) -> Option<Word> {
        let (modulus, residue) = self.congruence();
        let divisor = other.only().filter(|_| self.signed().0 >= 0 && other.signed().0 > 0)?;
        (modulus != 0 && modulus.is_multiple_of(divisor))
            .then(|| Word::constant(self.width(), residue as u64 % divisor))
    }

    fn signed_div(&self, other: &Word) -> Word {
        let (width, a, b) = (self.width(), wide(self.signed()), wide(other.signed()));
        // Quotients are largest next to 0.
        let divisors = [b.0, b.1, -1, 1].into_iter().filter(|&d| d != 0 && d >= b.0 && d <= b.1);
        let mut range: Option<Wide> = None;
        for divisor in divisors {
            for number in [a.0, a.1] {
                let quotient = number / divisor;
                let (low, high) = range.unwrap_or((quotient, quotient));
                range = Some((low.min(quotient), high.max(quotient)));
            }
        }
        // The minimum by -1 has a result that does not fit; then any value will do.
        range.map_or(Word::bottom(width), |range| match fits_signed(width, range) {
            true => from_signed(width, range),
            false => Word::top(width),
        })
    }

    fn signed_rem(&self, other: &Word) -> Word {
        let (a, b) = (wide(self.signed()), wide(other.signed()));
        let most = b.0.abs().max(b.1.abs()) - 1;
        if a.0 >= 0 && b.0 > 0 && a.1 < b.0 {
            return *self;
        }
        if let Some(rest) = self.known_rest(other) {
            return rest;
        }
        let low = if a.0 < 0 { (-most).max(a.0) } else { 0 };
        let high = if a.1 > 0 { most.min(a.1) } else { 0 };
        from_signed(self.width(), (low, high))
    }

    fn shift_left(&self, other: &Word) -> Word {
        let width = self.width();
        match other.only() {
            Some(by) if by < u64::from(width) => self.times(&Word::constant(width, 1u64 << by)),
            Some(_) => Word::constant(width, 0),
            None => Word::top(width),
        }
    }

    fn shift_right(&self, other: &Word) -> Word {
        let width = self.width();
        let ((a, b), (c, d)) = (self.unsigned(), other.unsigned());
        let shift = |value: u64, by: u64| if by < u64::from(width) { value >> by } else { 0 };
        Word::unsigned_range(width, shift(a, d), shift(b, c))
    }

    fn shift_arithmetic(&self, other: &Word) -> Word {
        let ((a, b), (c, d)) = (self.signed(), other.unsigned());
        let (c, d) = (c.min(63), d.min(63));
        let low = if a < 0 { a >> c } else { a >> d };
        let high = if b < 0 { b >> d } else { b >> c };
        Word::signed_range(self.width(), low, high)
    }

    fn and(&self, other: &Word) -> Word {
        let width = self.width();
        if let (Some(a), Some(b)) = (self.only(), other.only()) {
            return Word::constant(width, a & b);
        }
        // The low bits of a congruence by a power of two are known.
        for (value, mask) in [(self, other), (other, self)] {
            let (modulus, residue) = value.congruence();
            if let Some(mask) = mask.only()
                && modulus.is_power_of_two()
                && mask < modulus
            {
                return Word::constant(width, residue as u64 & mask);
            }
        }
        let high = self.unsigned().1.min(other.unsigned().1);
        let all = Word::unsigned_range(width, 0, high);
        // A mask without its low bits leaves multiples.
        match self.only().or(other.only()).filter(|&mask| mask != 0) {
            Some(mask) => all.congruent(1 << mask.trailing_zeros().min(62), 0),
            None => all,
        }
    }

    fn or(&self, other: &Word) -> Word {
        let width = self.width();
        if let (Some(a), Some(b)) = (self.only(), other.only()) {
            return Word::constant(width, a | b);
        }
        let low = self.unsigned().0.max(other.unsigned().0);
        Word::unsigned_range(width, low, ones(self.unsigned().1 | other.unsigned().1))
    }

    fn xor(&self, other: &Word) -> Word {
        let width = self.width();
        if let (Some(a), Some(b)) = (self.only(), other.only()) {
            return Word::constant(width, a ^ b);
        }
        Word::unsigned_range(width, 0, ones(self.unsigned().1 | other.unsigned().1))
    }

    /// Whether an operation overflows, if that is known.
    pub fn overflows(op: OverflowOp, a: &Word, b: &Word) -> Option<bool> {
        let width = a.width();
        let signed = matches!(op, OverflowOp::SAdd | OverflowOp::SSub | OverflowOp::SMul);
        let (x, y) = match signed {
            true => (wide(a.signed()), wide(b.signed())),
            false => (wide(a.unsigned()), wide(b.unsigned())),
        };
        let (low, high) = match op {
            OverflowOp::UAdd | OverflowOp::SAdd => (x.0 + y.0, x.1 + y.1),
            OverflowOp::USub | OverflowOp::SSub => (x.0 - y.1, x.1 - y.0),
            OverflowOp::UMul | OverflowOp::SMul => {
                let product = |a: i128, b: i128| a.checked_mul(b);
                let all = [(x.0, y.0), (x.0, y.1), (x.1, y.0), (x.1, y.1)];
                let all: Option<Vec<i128>> = all.iter().map(|&(a, b)| product(a, b)).collect();
                let all = all?;
                (*all.iter().min()?, *all.iter().max()?)
            }
        };
        let (least, most) = match signed {
            true => (i128::from(min_signed(width)), i128::from(max_signed(width))),
            false => (0, i128::from(max_unsigned(width))),
        };
        match (low >= least && high <= most, high < least || low > most) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => None,
        }
    }

    /// Whether a comparison holds, if that is known.
    pub fn compare(pred: Compare, a: &Word, b: &Word) -> Option<bool> {
        let holds = !a.refined(pred, b).is_bottom();
        let fails = !a.refined(negated(pred), b).is_bottom();
        match (holds, fails) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    /// Those values for which the comparison with some value of `other` holds.
    pub fn refined(&self, pred: Compare, other: &Word) -> Word {
        let width = self.width();
        if other.is_bottom() {
            return Word::bottom(width);
        }
        let ((ul, uh), (sl, sh)) = (other.unsigned(), other.signed());
        let unsigned = |low: u64, high: u64| self.meet(&Word::unsigned_range(width, low, high));
        let signed = |low: i64, high: i64| self.meet(&Word::signed_range(width, low, high));
        let none = Word::bottom(width);
        match pred {
            Compare::Eq => self.meet(other),
            Compare::Ne => match other.only() {
                Some(value) => self.without(value),
                None => *self,
            },
            Compare::ULt => uh.checked_sub(1).map_or(none, |high| unsigned(0, high)),
            Compare::ULe => unsigned(0, uh),
            Compare::UGt => ul.checked_add(1).map_or(none, |low| unsigned(low, u64::MAX)),
            Compare::UGe => unsigned(ul, u64::MAX),
            Compare::SLt => sh.checked_sub(1).map_or(none, |high| signed(i64::MIN, high)),
            Compare::SLe => signed(i64::MIN, sh),
            Compare::SGt => sl.checked_add(1).map_or(none, |low| signed(low, i64::MAX)),
            Compare::SGe => signed(sl, i64::MAX),
        }
    }

    /// Without a value, where that is a bound.
    pub fn without(&self, bits: u64) -> Word {
        let width = self.width();
        if self.is_bottom() || self.only() == Some(bits) {
            return Word::bottom(width);
        }
        let ((ul, uh), (sl, sh)) = (self.unsigned(), self.signed());
        let number = sign_extend(bits, width);
        let mut result = *self;
        if ul == bits {
            result = result.meet(&Word::unsigned_range(width, ul + 1, u64::MAX));
        } else if uh == bits {
            result = result.meet(&Word::unsigned_range(width, 0, uh - 1));
        }
        if sl == number {
            result = result.meet(&Word::signed_range(width, sl + 1, i64::MAX));
        } else if sh == number {
            result = result.meet(&Word::signed_range(width, i64::MIN, sh - 1));
        }
        result
    }

    pub fn zero_extended(&self, width: u8) -> Word {
        if self.is_bottom() {
            return Word::bottom(width);
        }
        let (low, high) = self.unsigned();
        let all = Word::unsigned_range(width, low, high);
        let (modulus, residue) = self.congruence();
        all.congruent(kept(self.width(), modulus, self.signed().0 >= 0), i128::from(residue))
    }

    pub fn sign_extended(&self, width: u8) -> Word {
        if self.is_bottom() {
            return Word::bottom(width);
        }
        let (low, high) = self.signed();
        let (modulus, residue) = self.congruence();
        Word::signed_range(width, low, high).congruent(modulus, i128::from(residue))
    }

    pub fn truncated(&self, width: u8) -> Word {
        if self.is_bottom() {
            return Word::bottom(width);
        }
        if let Some(only) = self.only() {
            return Word::constant(width, only);
        }
        let signed = wide(self.signed());
        let all = from_signed(width, signed).meet(&from_unsigned(width, wide(self.unsigned())));
        let (modulus, residue) = self.congruence();
        all.congruent(kept(width, modulus, fits_signed(width, signed)), i128::from(residue))
    }
}

/// The opposite of a comparison.
pub fn negated(pred: Compare) -> Compare {
    match pred {
        Compare::Eq => Compare::Ne,
        Compare::Ne => Compare::Eq,
        Compare::ULt => Compare::UGe,
        Compare::ULe => Compare::UGt,
        Compare::UGt => Compare::ULe,
        Compare::UGe => Compare::ULt,
        Compare::SLt => Compare::SGe,
        Compare::SLe => Compare::SGt,
        Compare::SGt => Compare::SLe,
        Compare::SGe => Compare::SLt,
    }
}

/// The same comparison with its operands exchanged.
pub fn swapped(pred: Compare) -> Compare {
    match pred {
        Compare::ULt => Compare::UGt,
        Compare::ULe => Compare::UGe,
        Compare::UGt => Compare::ULt,
        Compare::UGe => Compare::ULe,
        Compare::SLt => Compare::SGt,
        Compare::SLe => Compare::SGe,
        Compare::SGt => Compare::SLt,
        Compare::SGe => Compare::SLe,
        same => same,
    }
}

fn wide<T: Into<i128>>(range: (T, T)) -> Wide {
    (range.0.into(), range.1.into())
}

/// All ones up to the highest one.
fn ones(value: u64) -> u64 {
    u64::MAX.checked_shr(value.leading_zeros()).unwrap_or(0)
}

fn fits_signed(width: u8, range: Wide) -> bool {
    range.0 >= i128::from(min_signed(width)) && range.1 <= i128::from(max_signed(width))
}

/// A modulus after a computation that may have wrapped around.
fn kept(width: u8, modulus: u64, exact: bool) -> u64 {
    match (exact, modulus) {
        (true, _) => modulus,
        // A constant that wraps around is some other one.
        (false, 0) => 1,
        (false, modulus) => 1 << modulus.trailing_zeros().min(u32::from(width)).min(62),
    }
}

/// Numbers of any size, cut to words as the machine does.
fn from_signed(width: u8, (low, high): Wide) -> Word {
    let period = 1i128 << width;
    // Rounded down, as by `div_euclid`.
    let turns = (low - i128::from(min_signed(width))) >> width;
    let (low, high) = (low - turns * period, high - turns * period);
    match high <= i128::from(max_signed(width)) {
        true => Word::signed_range(width, low as i64, high as i64),
        false => Word::top(width),
    }
}

fn from_unsigned(width: u8, (low, high): Wide) -> Word {
    let period = 1i128 << width;
    let turns = low >> width;
    let (low, high) = (low - turns * period, high - turns * period);
    match high < period {
        true => Word::unsigned_range(width, low as u64, high as u64),
        false => Word::top(width),
    }
}
