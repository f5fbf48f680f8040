//! Operations that are composed of others.

use super::{Binary, Relation, Term, Terms, mask};

impl Terms {
    /// The number of ones, in the width of `t`.
    ///
    /// By sums of neighbouring fields that double in width.
    pub fn count_ones(&mut self, t: Term) -> Term {
        let width = self.width(t);
        let mut fields: Vec<Term> = (0..width).map(|bit| self.extract(t, bit, 1)).collect();
        while fields.len() > 1 {
            let pairs = fields.chunks(2).map(|pair| match *pair {
                [a, b] => {
                    let wide = self.width(a).max(self.width(b)) + 1;
                    let (a, b) = (self.zero_extend(a, wide), self.zero_extend(b, wide));
                    self.binary(Binary::Add, a, b)
                }
                _ => pair[0],
            });
            fields = pairs.collect();
        }
        self.resize(fields[0], width)
    }

    /// Cut or zero-extended to `width`.
    pub fn resize(&mut self, t: Term, width: u32) -> Term {
        if self.width(t) >= width { self.extract(t, 0, width) } else { self.zero_extend(t, width) }
    }

    /// The number of zeros above the highest one, in the width of `t`; the width itself
    /// if there is no one.
    pub fn leading_zeros(&mut self, t: Term) -> Term {
        let width = self.width(t);
        let order: Vec<u32> = (0..width).collect();
        self.zeros_before(t, &order)
    }

    /// The number of zeros below the lowest one, likewise.
    pub fn trailing_zeros(&mut self, t: Term) -> Term {
        let width = self.width(t);
        let order: Vec<u32> = (0..width).rev().collect();
        self.zeros_before(t, &order)
    }

    /// How many bits stand after the last one in `order`.
    fn zeros_before(&mut self, t: Term, order: &[u32]) -> Term {
        let width = self.width(t);
        let mut count = self.constant(u64::from(width), width);
        for (place, &bit) in order.iter().enumerate() {
            let set = self.extract(t, bit, 1);
            let zeros = self.constant(u64::from(width) - 1 - place as u64, width);
            count = self.select(set, zeros, count);
        }
        count
    }

    /// The bytes in the opposite order; the width is a multiple of 8.
    pub fn swap_bytes(&mut self, t: Term) -> Term {
        assert_eq!(self.width(t) % 8, 0, "bytes of {} bits", self.width(t));
        self.reverse(t, 8)
    }

    /// The bits in the opposite order.
    pub fn reverse_bits(&mut self, t: Term) -> Term {
        self.reverse(t, 1)
    }

    fn reverse(&mut self, t: Term, piece: u32) -> Term {
        let mut whole = self.extract(t, 0, piece);
        for low in (piece..self.width(t)).step_by(piece as usize) {
            let next = self.extract(t, low, piece);
            whole = self.concat(whole, next);
        }
        whole
    }

    pub fn negate(&mut self, t: Term) -> Term {
        let zero = self.constant(0, self.width(t));
        self.binary(Binary::Sub, zero, t)
    }

    /// Without the sign; the least number stays itself.
    pub fn absolute(&mut self, t: Term) -> Term {
        let negative = self.sign(t);
        let negated = self.negate(t);
        self.select(negative, negated, t)
    }

    /// The highest bit.
    pub fn sign(&mut self, t: Term) -> Term {
        self.extract(t, self.width(t) - 1, 1)
    }

    /// Whether the term is not 0.
    pub fn is_nonzero(&mut self, t: Term) -> Term {
        let zero = self.constant(0, self.width(t));
        let is_zero = self.equals(t, zero);
        self.not(is_zero)
    }

    pub fn unsigned_add_overflows(&mut self, a: Term, b: Term) -> Term {
        let sum = self.binary(Binary::Add, a, b);
        self.relate(Relation::ULt, sum, a)
    }

    pub fn signed_add_overflows(&mut self, a: Term, b: Term) -> Term {
        let sum = self.binary(Binary::Add, a, b);
        self.flips_sign(sum, a, b)
    }

    pub fn unsigned_sub_overflows(&mut self, a: Term, b: Term) -> Term {
        self.relate(Relation::ULt, a, b)
    }

    pub fn signed_sub_overflows(&mut self, a: Term, b: Term) -> Term {
        let difference = self.binary(Binary::Sub, a, b);
        let b = self.not(b);
        self.flips_sign(difference, a, b)
    }

    /// Whether the sign of the sum is neither that of `a` nor that of `b`.
    fn flips_sign(&mut self, sum: Term, a: Term, b: Term) -> Term {
        let (from_a, from_b) = (self.xor(sum, a), self.xor(sum, b));
        let both = self.and(from_a, from_b);
        self.sign(both)
    }

    pub fn unsigned_mul_overflows(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if 2 * width <= 64 {
            let (a, b) = (self.zero_extend(a, 2 * width), self.zero_extend(b, 2 * width));
            let product = self.binary(Binary::Mul, a, b);
            let high = self.extract(product, width, width);
            return self.is_nonzero(high);
        }
        let high = self.high_product(a, b);
        self.is_nonzero(high)
    }

    pub fn signed_mul_overflows(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if 2 * width <= 64 {
            let (a, b) = (self.sign_extend(a, 2 * width), self.sign_extend(b, 2 * width));
            let product = self.binary(Binary::Mul, a, b);
            let low = self.extract(product, 0, width);
            let back = self.sign_extend(low, 2 * width);
            let fits = self.equals(back, product);
            return self.not(fits);
        }
        // By magnitudes: the product of n-bit magnitudes must be at most the greatest
        // number, or one more if the result is negative.
        let (sa, sb) = (self.sign(a), self.sign(b));
        let negative = self.xor(sa, sb);
        let (a, b) = (self.absolute(a), self.absolute(b));
        let beyond = self.unsigned_mul_overflows(a, b);
        let product = self.binary(Binary::Mul, a, b);
        let extra = self.zero_extend(negative, width);
        let most = self.constant(mask(width) >> 1, width);
        let most = self.binary(Binary::Add, most, extra);
        let greater = self.relate(Relation::ULt, most, product);
        self.or(beyond, greater)
    }

    /// The upper half of the product of two terms, by schoolbook multiplication of
    /// halves (for widths whose product has no term).
    fn high_product(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let low = width.div_ceil(2);
        let wide = |terms: &mut Terms, t: Term| {
            let upper = terms.extract(t, low, width - low);
            let lower = terms.extract(t, 0, low);
            (terms.zero_extend(upper, 2 * low), terms.zero_extend(lower, 2 * low))
        };
        assert!(2 * low <= 64, "halves of {width} bits");
        let ((a1, a0), (b1, b0)) = (wide(self, a), wide(self, b));
        let mul = |terms: &mut Terms, x, y| terms.binary(Binary::Mul, x, y);
        let (low_low, high_high) = (mul(self, a0, b0), mul(self, a1, b1));
        let (low_high, high_low) = (mul(self, a0, b1), mul(self, a1, b0));
        // None of these sums overflows: each is part of a product of 2 * low bits.
        let half = self.constant(u64::from(low), 2 * low);
        let carry = self.binary(Binary::LShr, low_low, half);
        let middle = self.binary(Binary::Add, low_high, carry);
        let middle_low = self.extract(middle, 0, low);
        let middle_low = self.zero_extend(middle_low, 2 * low);
        let middle_high = self.binary(Binary::LShr, middle, half);
        let second = self.binary(Binary::Add, high_low, middle_low);
        let second_high = self.binary(Binary::LShr, second, half);
        let upper = self.binary(Binary::Add, high_high, middle_high);
        let upper = self.binary(Binary::Add, upper, second_high);
        if width == 2 * low {
            return upper;
        }
        // For an odd width, the product above bit `2 * low` is `upper`, and the bit
        // below it belongs to the upper half as well.
        let second_low = self.extract(second, 0, low);
        let below = self.extract(second_low, low - 1, 1);
        let upper = self.extract(upper, 0, width - 1);
        self.concat(upper, below)
    }
}
