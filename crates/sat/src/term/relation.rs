//! Building relations: `Eq`, `ULt` and `SLt`, the others being complements of them.

use super::{Binary, Node, Relation, Term, Terms, fold, mask};

/// How far a comparison of a chain of selects with a constant is followed.
const CHAIN: usize = 64;
/// How many rules may follow each other inwards; terms may be deeper than the stack.
const DEPTH: u32 = 64;

impl Terms {
    pub fn relate(&mut self, op: Relation, a: Term, b: Term) -> Term {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "widths of {op:?}");
        let strict = match op {
            Relation::ULe => Relation::ULt,
            Relation::SLe => Relation::SLt,
            Relation::Eq | Relation::ULt | Relation::SLt => return self.strict(op, a, b),
        };
        let greater = self.strict(strict, b, a);
        self.not(greater)
    }

    pub fn equals(&mut self, a: Term, b: Term) -> Term {
        self.relate(Relation::Eq, a, b)
    }

    /// `op` is `Eq`, `ULt` or `SLt`.
    fn strict(&mut self, op: Relation, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if a == b {
            return self.truth(op == Relation::Eq);
        }
        if let (Some(a), Some(b)) = (self.as_constant(a), self.as_constant(b)) {
            return self.truth(fold::relate(op, a, b, width));
        }
        if let Some(truth) = self.decide(op, a, b) {
            return self.truth(truth);
        }
        if let Some((c, (a1, b1), (a0, b0))) = self.constant_cases(a, b) {
            let then = self.truth(fold::relate(op, a1, b1, width));
            let other = self.truth(fold::relate(op, a0, b0, width));
            return self.select(c, then, other);
        }
        if self.depth == DEPTH {
            let (a, b) = if op == Relation::Eq { self.in_order(a, b) } else { (a, b) };
            return self.intern(Node::Relate(op, a, b));
        }
        self.depth += 1;
        let term = match op {
            Relation::Eq => self.equals_rules(a, b),
            _ => self.less_rules(op, a, b),
        };
        self.depth -= 1;
        term
    }

    fn equals_rules(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if width == 1 {
            let differ = self.xor(a, b);
            return self.not(differ);
        }
        let (a, b) = self.in_order(a, b);
        if let Some(bits) = self.as_constant(b) {
            return self.equals_constant(a, bits);
        }
        if self.is_complement(a, b) {
            return self.truth(false);
        }
        let ((x, c), (y, d)) = (self.split_sum(a), self.split_sum(b));
        if x == y {
            return self.truth(c == d);
        }
        if c == d && c != 0 {
            return self.equals(x, y);
        }
        match (self.node(a), self.node(b)) {
            (Node::Not(x), Node::Not(y)) => return self.equals(x, y),
            (Node::ZeroExtend(x, _), Node::ZeroExtend(y, _)) => {
                let width = self.width(x).max(self.width(y));
                let (x, y) = (self.zero_extend(x, width), self.zero_extend(y, width));
                return self.equals(x, y);
            }
            (Node::SignExtend(x, _), Node::SignExtend(y, _)) => {
                let width = self.width(x).max(self.width(y));
                let (x, y) = (self.sign_extend(x, width), self.sign_extend(y, width));
                return self.equals(x, y);
            }
            (Node::Concat(h, l), Node::Concat(k, m)) if self.width(l) == self.width(m) => {
                if h == k {
                    return self.equals(l, m);
                }
                if l == m {
                    return self.equals(h, k);
                }
            }
            _ => {}
        }
        // x + y == x
        for (a, b) in [(a, b), (b, a)] {
            if let Node::Binary(Binary::Add | Binary::Xor, x, y) = self.node(a)
                && (x == b || y == b)
            {
                return self.equals_constant(if x == b { y } else { x }, 0);
            }
        }
        self.intern(Node::Relate(Relation::Eq, a, b))
    }

    /// Follows a chain of selects as long as one branch decides the comparison.
    fn equals_constant(&mut self, mut a: Term, bits: u64) -> Term {
        let width = self.width(a);
        // What is left to compare is reached if all these have the opposite truth;
        // `(condition, result)`: if the condition holds, that is the result.
        let mut cases = Vec::new();
        let end = loop {
            let Node::Select(c, x, y) = self.node(a) else { break None };
            if cases.len() == CHAIN {
                break None;
            }
            let target = self.constant(bits, width);
            let decided = |terms: &Terms, t: Term| match terms.as_constant(t) {
                Some(value) => Some(value == bits),
                None => terms.decide(Relation::Eq, t, target),
            };
            match (decided(self, x), decided(self, y)) {
                (Some(x), Some(y)) => {
                    let (x, y) = (self.truth(x), self.truth(y));
                    break Some(self.select(c, x, y));
                }
                (Some(truth), None) => {
                    cases.push((c, truth));
                    a = y;
                }
                (None, Some(truth)) => {
                    cases.push((self.not(c), truth));
                    a = x;
                }
                (None, None) => break None,
            }
        };
        let mut result = match end {
            Some(term) => term,
            None => self.equals_constant_rules(a, bits),
        };
        for (condition, truth) in cases.into_iter().rev() {
            result = if truth {
                self.or(condition, result)
            } else {
                let condition = self.not(condition);
                self.and(condition, result)
            };
        }
        result
    }

    fn equals_constant_rules(&mut self, a: Term, bits: u64) -> Term {
        let width = self.width(a);
        if width == 1 {
            return if bits == 1 { a } else { self.not(a) };
        }
        let target = self.constant(bits, width);
        match self.node(a) {
            Node::Not(x) => {
                let target = self.constant(!bits, width);
                return self.equals(x, target);
            }
            Node::Binary(Binary::Add, x, offset) => {
                if let Some(offset) = self.as_constant(offset) {
                    let target = self.constant(bits.wrapping_sub(offset), width);
                    return self.equals(x, target);
                }
            }
            Node::Binary(Binary::Xor, x, y) => {
                if let Some(y) = self.as_constant(y) {
                    let target = self.constant(bits ^ y, width);
                    return self.equals(x, target);
                }
                if bits == 0 {
                    return self.equals(x, y);
                }
            }
            Node::Binary(Binary::Sub, x, y) => {
                if bits == 0 {
                    return self.equals(x, y);
                }
                if let Some(x) = self.as_constant(x) {
                    let target = self.constant(x.wrapping_sub(bits), width);
                    return self.equals(y, target);
                }
            }
            Node::ZeroExtend(x, _) | Node::SignExtend(x, _) => {
                let inner = self.width(x);
                let back = match self.node(a) {
                    Node::ZeroExtend(..) => bits & mask(inner),
                    _ => fold::signed(bits, inner) as u64 & mask(width),
                };
                if back != bits {
                    return self.truth(false);
                }
                let target = self.constant(bits, inner);
                return self.equals(x, target);
            }
            Node::Concat(high, low) => {
                let (upper, lower) = (self.width(high), self.width(low));
                let h = self.constant(fold::extract(bits, lower, upper), upper);
                let l = self.constant(bits, lower);
                let (high, low) = (self.equals(high, h), self.equals(low, l));
                return self.and(high, low);
            }
            _ => {}
        }
        match self.decide(Relation::Eq, a, target) {
            Some(truth) => self.truth(truth),
            None => self.intern(Node::Relate(Relation::Eq, a, target)),
        }
    }

    fn less_rules(&mut self, op: Relation, a: Term, b: Term) -> Term {
        let width = self.width(a);
        let sign = 1 << (width - 1);
        let ((za, oa), (zb, ob)) = (self.known_bits(a), self.known_bits(b));
        if op == Relation::SLt && ((za & zb) | (oa & ob)) & sign != 0 {
            return self.strict(Relation::ULt, a, b);
        }
        if width == 1 {
            // Unsigned, 0 < 1; signed, -1 < 0.
            let (zero, one) = if op == Relation::ULt { (a, b) } else { (b, a) };
            let zero = self.not(zero);
            return self.and(zero, one);
        }
        let (ca, cb) = (self.as_constant(a), self.as_constant(b));
        match (op, ca, cb) {
            (Relation::ULt, None, Some(1)) => return self.equals_constant(a, 0),
            (Relation::ULt, Some(0), None) => {
                let zero = self.equals_constant(b, 0);
                return self.not(zero);
            }
            (Relation::ULt, None, Some(bits)) if bits == mask(width) => {
                let greatest = self.equals_constant(a, bits);
                return self.not(greatest);
            }
            (Relation::ULt, Some(bits), None) if bits == mask(width) - 1 => {
                return self.equals_constant(b, mask(width));
            }
            (Relation::ULt, None, Some(bits)) if bits == sign => {
                let negative = self.extract(a, width - 1, 1);
                return self.not(negative);
            }
            (Relation::ULt, Some(bits), None) if bits == sign - 1 => {
                return self.extract(b, width - 1, 1);
            }
            (Relation::SLt, None, Some(0)) => return self.extract(a, width - 1, 1),
            (Relation::SLt, Some(bits), None) if bits == mask(width) => {
                let negative = self.extract(b, width - 1, 1);
                return self.not(negative);
            }
            _ => {}
        }
        if let (Node::Not(x), Node::Not(y)) = (self.node(a), self.node(b)) {
            return self.strict(op, y, x);
        }
        if let Some((a, b)) = self.narrowed(op, a, b) {
            return self.strict(op, a, b);
        }
        self.intern(Node::Relate(op, a, b))
    }

    /// The operands without the upper bits that they got by extension.
    fn narrowed(&mut self, op: Relation, a: Term, b: Term) -> Option<(Term, Term)> {
        let width = self.width(a);
        let inner = |terms: &Terms, t: Term| match (terms.node(t), op) {
            (Node::Constant { bits, .. }, Relation::ULt) => Some(64 - bits.leading_zeros().min(63)),
            (Node::Constant { bits, .. }, _) => {
                let value = fold::signed(bits, width);
                Some(65 - value.leading_zeros().max(value.leading_ones()))
            }
            (Node::ZeroExtend(x, _), Relation::ULt) => Some(terms.width(x)),
            // One more bit for the sign.
            (Node::ZeroExtend(x, _), _) => Some(terms.width(x) + 1),
            (Node::SignExtend(x, _), Relation::SLt) => Some(terms.width(x)),
            _ => None,
        };
        let narrow = inner(self, a)?.max(inner(self, b)?);
        if narrow >= width {
            return None;
        }
        Some((self.extract(a, 0, narrow), self.extract(b, 0, narrow)))
    }
}
