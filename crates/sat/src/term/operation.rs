//! Building `Binary` operations: folding, identities, normal form.

use super::{Binary, Node, Term, Terms, fold, mask};

impl Terms {
    pub fn binary(&mut self, op: Binary, a: Term, b: Term) -> Term {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "widths of {op:?}");
        if let (Some(a), Some(b)) = (self.as_constant(a), self.as_constant(b)) {
            return self.constant(fold::binary(op, a, b, width), width);
        }
        if op == Binary::Or {
            let (a, b) = (self.not(a), self.not(b));
            let neither = self.binary(Binary::And, a, b);
            return self.not(neither);
        }
        let (a, b) = if op.commutes() { self.in_order(a, b) } else { (a, b) };
        if a == b
            && let Some(term) = self.with_itself(op, a)
        {
            return term;
        }
        if let Some(term) = self.binary_of_selects(op, a, b) {
            return term;
        }
        match op {
            Binary::Add => self.add_rules(a, b),
            Binary::Sub => self.sub_rules(a, b),
            Binary::And => self.and_rules(a, b),
            Binary::Xor => self.xor_rules(a, b),
            Binary::Or => unreachable!("rewritten above"),
            _ => match self.as_constant(b) {
                Some(bits) => self.with_constant(op, a, b, bits),
                None => self.with_variable(op, a, b),
            },
        }
    }

    /// Operands of a commutative operation: constants last, else by age.
    pub(super) fn in_order(&self, a: Term, b: Term) -> (Term, Term) {
        let key = |t: Term| (self.as_constant(t).is_some(), t);
        if key(a) <= key(b) { (a, b) } else { (b, a) }
    }

    fn with_itself(&mut self, op: Binary, a: Term) -> Option<Term> {
        let width = self.width(a);
        match op {
            Binary::Sub | Binary::Xor | Binary::URem | Binary::SRem => {
                Some(self.constant(0, width))
            }
            Binary::And => Some(a),
            _ => None,
        }
    }

    /// `op` over selects of constants by one condition (or one such and a constant)
    /// is again a select of constants.
    fn binary_of_selects(&mut self, op: Binary, a: Term, b: Term) -> Option<Term> {
        let (c, (a1, b1), (a0, b0)) = self.constant_cases(a, b)?;
        let width = self.width(a);
        let then = self.constant(fold::binary(op, a1, b1, width), width);
        let other = self.constant(fold::binary(op, a0, b0, width), width);
        Some(self.select(c, then, other))
    }

    /// If both terms are constant once some condition is decided: the condition, and
    /// the constants if it holds and if it does not.
    #[allow(clippy::type_complexity)]
    pub(super) fn constant_cases(
        &self,
        a: Term,
        b: Term,
    ) -> Option<(Term, (u64, u64), (u64, u64))> {
        let cases = |t: Term| match self.node(t) {
            Node::Constant { bits, .. } => Some((None, bits, bits)),
            Node::Select(c, x, y) => Some((Some(c), self.as_constant(x)?, self.as_constant(y)?)),
            _ => None,
        };
        let ((ca, a1, a0), (cb, b1, b0)) = (cases(a)?, cases(b)?);
        match (ca, cb) {
            (Some(c), Some(d)) if c != d => None,
            _ => Some((ca.or(cb)?, (a1, b1), (a0, b0))),
        }
    }

    /// A sum as base and constant.
    pub(super) fn split_sum(&self, t: Term) -> (Term, u64) {
        match self.node(t) {
            Node::Binary(Binary::Add, base, offset) => match self.as_constant(offset) {
                Some(offset) => (base, offset),
                None => (t, 0),
            },
            _ => (t, 0),
        }
    }

    fn add_rules(&mut self, a: Term, b: Term) -> Term {
        if self.width(a) == 1 {
            return self.xor(a, b);
        }
        if let Some(offset) = self.as_constant(b) {
            return self.add_constant(a, offset);
        }
        let ((x, c), (y, d)) = (self.split_sum(a), self.split_sum(b));
        if c != 0 || d != 0 {
            let sum = self.binary(Binary::Add, x, y);
            return self.add_constant(sum, c.wrapping_add(d));
        }
        // (x - y) + y
        for (x, y) in [(a, b), (b, a)] {
            if let Node::Binary(Binary::Sub, from, what) = self.node(x)
                && what == y
            {
                return from;
            }
        }
        self.intern(Node::Binary(Binary::Add, a, b))
    }

    pub(super) fn add_constant(&mut self, a: Term, offset: u64) -> Term {
        let width = self.width(a);
        let (base, inner) = self.split_sum(a);
        let offset = self.constant(inner.wrapping_add(offset), width);
        if self.as_constant(offset) == Some(0) {
            return base;
        }
        if let Node::Binary(Binary::Sub, from, what) = self.node(base)
            && let (Some(x), Some(y)) = (self.as_constant(from), self.as_constant(offset))
        {
            return self.sub_from(x.wrapping_add(y), what);
        }
        if self.as_constant(base).is_some() || matches!(self.node(base), Node::Select(..)) {
            // `base` is no sum, so this does not come back here with it.
            if let (Some(x), Some(y)) = (self.as_constant(base), self.as_constant(offset)) {
                return self.constant(x.wrapping_add(y), width);
            }
            if let Some(term) = self.binary_of_selects(Binary::Add, base, offset) {
                return term;
            }
        }
        self.intern(Node::Binary(Binary::Add, base, offset))
    }

    fn sub_rules(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if width == 1 {
            return self.xor(a, b);
        }
        if let Some(bits) = self.as_constant(b) {
            return self.add_constant(a, bits.wrapping_neg());
        }
        let ((x, c), (y, d)) = (self.split_sum(a), self.split_sum(b));
        if let Some(bits) = self.as_constant(a) {
            return self.sub_from(bits.wrapping_sub(d), y);
        }
        if c != 0 || d != 0 {
            let difference = self.binary(Binary::Sub, x, y);
            return self.add_constant(difference, c.wrapping_sub(d));
        }
        if let Node::Binary(Binary::Add, x, y) = self.node(a) {
            if x == b {
                return y;
            }
            if y == b {
                return x;
            }
        }
        if let Node::Binary(Binary::Sub, x, y) = self.node(b)
            && x == a
        {
            return y;
        }
        self.intern(Node::Binary(Binary::Sub, a, b))
    }

    /// `bits - b` where `b` is no sum with a constant.
    fn sub_from(&mut self, bits: u64, b: Term) -> Term {
        let width = self.width(b);
        if let Node::Binary(Binary::Sub, from, what) = self.node(b) {
            if let Some(from) = self.as_constant(from) {
                return self.add_constant(what, bits.wrapping_sub(from));
            }
            if bits & mask(width) == 0 {
                return self.binary(Binary::Sub, what, from);
            }
        }
        let bits = self.constant(bits, width);
        match self.binary_of_selects(Binary::Sub, bits, b) {
            Some(term) => term,
            None => self.intern(Node::Binary(Binary::Sub, bits, b)),
        }
    }

    /// Multiplications, divisions and shifts by a constant.
    fn with_constant(&mut self, op: Binary, a: Term, b: Term, bits: u64) -> Term {
        let width = self.width(a);
        let power = bits.is_power_of_two().then(|| bits.trailing_zeros());
        match (op, power) {
            (Binary::Mul, _) if bits == 0 => return b,
            (Binary::Mul, Some(power)) => return self.shift_left(a, power),
            (Binary::UDiv, Some(power)) => return self.shift_right(a, power),
            (Binary::URem, Some(_)) => return self.and_mask(a, bits - 1),
            (Binary::SDiv, _) if bits == 1 && width > 1 => return a,
            (Binary::SRem, _) if bits == 1 || bits == mask(width) => {
                return self.constant(0, width);
            }
            (Binary::URem, _) if bits == 0 => return a,
            (Binary::SRem, _) if bits == 0 => return a,
            (Binary::Shl | Binary::LShr, _) if bits >= u64::from(width) => {
                return self.constant(0, width);
            }
            (Binary::Shl, _) => return self.shift_left(a, bits as u32),
            (Binary::LShr, _) => return self.shift_right(a, bits as u32),
            (Binary::AShr, _) => {
                let shift = bits.min(u64::from(width) - 1) as u32;
                let high = self.extract(a, shift, width - shift);
                return self.sign_extend(high, width);
            }
            _ => {}
        }
        if op == Binary::Mul
            && let Node::Binary(Binary::Mul, x, y) = self.node(a)
            && let Some(inner) = self.as_constant(y)
        {
            let product = self.constant(inner.wrapping_mul(bits), width);
            return self.binary(Binary::Mul, x, product);
        }
        self.intern(Node::Binary(op, a, b))
    }

    /// Multiplications, divisions and shifts of which the right operand varies.
    fn with_variable(&mut self, op: Binary, a: Term, b: Term) -> Term {
        if self.width(a) == 1 && op == Binary::Mul {
            return self.and(a, b);
        }
        let shift = matches!(op, Binary::Shl | Binary::LShr | Binary::AShr);
        if shift && self.as_constant(a) == Some(0) {
            return a;
        }
        // Signed operations on numbers that are not negative are unsigned ones.
        let sign = 1 << (self.width(a) - 1);
        let positive = |t: Term| self.known_bits(t).0 & sign != 0;
        let op = match op {
            Binary::AShr if positive(a) => Binary::LShr,
            Binary::SRem if positive(a) && positive(b) => Binary::URem,
            // Not so for a divisor of 0.
            Binary::SDiv if positive(a) && positive(b) && self.range(b).0 > 0 => Binary::UDiv,
            _ => op,
        };
        self.intern(Node::Binary(op, a, b))
    }

    fn and_mask(&mut self, a: Term, bits: u64) -> Term {
        let bits = self.constant(bits, self.width(a));
        self.and(a, bits)
    }

    /// By less than the width.
    fn shift_left(&mut self, a: Term, shift: u32) -> Term {
        if shift == 0 {
            return a;
        }
        let low = self.extract(a, 0, self.width(a) - shift);
        let zeros = self.constant(0, shift);
        self.concat(low, zeros)
    }

    /// By less than the width.
    fn shift_right(&mut self, a: Term, shift: u32) -> Term {
        let width = self.width(a);
        let high = self.extract(a, shift, width - shift);
        self.zero_extend(high, width)
    }
}
