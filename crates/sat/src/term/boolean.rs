//! Bitwise logic, and its names for truths.

use super::{Binary, Node, Term, Terms, mask};

impl Terms {
    pub fn not(&mut self, a: Term) -> Term {
        let width = self.width(a);
        match self.node(a) {
            Node::Constant { bits, .. } => self.constant(!bits, width),
            Node::Not(inner) => inner,
            Node::Select(c, x, y) => match (self.as_constant(x), self.as_constant(y)) {
                (Some(x), Some(y)) => {
                    let (x, y) = (self.constant(!x, width), self.constant(!y, width));
                    self.select(c, x, y)
                }
                _ => self.intern(Node::Not(a)),
            },
            _ => self.intern(Node::Not(a)),
        }
    }

    pub fn and(&mut self, a: Term, b: Term) -> Term {
        self.binary(Binary::And, a, b)
    }

    pub fn or(&mut self, a: Term, b: Term) -> Term {
        self.binary(Binary::Or, a, b)
    }

    pub fn xor(&mut self, a: Term, b: Term) -> Term {
        self.binary(Binary::Xor, a, b)
    }

    /// Of truths (or bit by bit).
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let a = self.not(a);
        self.or(a, b)
    }

    /// The conjunction of truths; true if there is none.
    pub fn and_all(&mut self, all: &[Term]) -> Term {
        self.balanced(all, true)
    }

    /// The disjunction of truths; false if there is none.
    pub fn or_all(&mut self, all: &[Term]) -> Term {
        self.balanced(all, false)
    }

    /// A tree of logarithmic depth over the distinct operands; `neutral` tells
    /// conjunction from disjunction.
    fn balanced(&mut self, all: &[Term], neutral: bool) -> Term {
        let op = if neutral { Binary::And } else { Binary::Or };
        let mut level = all.to_vec();
        level.sort_unstable();
        level.dedup();
        let contradiction = level.iter().any(|&term| match self.node(term) {
            Node::Not(inner) => level.binary_search(&inner).is_ok(),
            _ => false,
        });
        if contradiction {
            return self.truth(!neutral);
        }
        while level.len() > 1 {
            let pairs = level.chunks(2).map(|pair| match *pair {
                [a, b] => self.binary(op, a, b),
                _ => pair[0],
            });
            level = pairs.collect();
        }
        level.pop().unwrap_or_else(|| self.truth(neutral))
    }

    pub(super) fn is_complement(&self, a: Term, b: Term) -> bool {
        self.node(a) == Node::Not(b) || self.node(b) == Node::Not(a)
    }

    /// Operands in order, not equal and not both constant.
    pub(super) fn and_rules(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if self.is_complement(a, b) {
            return self.constant(0, width);
        }
        if let Some(bits) = self.as_constant(b) {
            return self.and_constant(a, bits);
        }
        for (a, b) in [(a, b), (b, a)] {
            if let Some(term) = self.absorb(a, b) {
                return term;
            }
        }
        if let Some(both) = self.join_cases(a, b) {
            return self.not(both);
        }
        self.intern(Node::Binary(Binary::And, a, b))
    }

    fn and_constant(&mut self, a: Term, bits: u64) -> Term {
        let width = self.width(a);
        let (zero, _) = self.known_bits(a);
        if zero | bits == mask(width) {
            return a;
        }
        if bits == 0 {
            return self.constant(0, width);
        }
        if (bits + 1).is_power_of_two() {
            let low = self.extract(a, 0, bits.trailing_ones());
            return self.zero_extend(low, width);
        }
        if let Node::Binary(Binary::And, x, y) = self.node(a)
            && let Some(inner) = self.as_constant(y)
        {
            return self.and_constant(x, inner & bits);
        }
        let bits = self.constant(bits, width);
        self.intern(Node::Binary(Binary::And, a, bits))
    }

    /// `a & b` where `b` is a conjunction, or the complement of one, that has `a` or
    /// its complement as an operand.
    fn absorb(&mut self, a: Term, b: Term) -> Option<Term> {
        match self.node(b) {
            Node::Binary(Binary::And, x, y) => {
                if x == a || y == a {
                    return Some(b);
                }
                if self.is_complement(x, a) || self.is_complement(y, a) {
                    return Some(self.constant(0, self.width(a)));
                }
                None
            }
            Node::Not(inner) => {
                let Node::Binary(Binary::And, x, y) = self.node(inner) else { return None };
                for (x, y) in [(x, y), (y, x)] {
                    if x == a {
                        let other = self.not(y);
                        return Some(self.and(a, other));
                    }
                    if self.is_complement(x, a) {
                        return Some(a);
                    }
                }
                None
            }
            _ => None,
        }
    }

    /// Operands in order, not equal and not both constant.
    pub(super) fn xor_rules(&mut self, a: Term, b: Term) -> Term {
        let width = self.width(a);
        if self.is_complement(a, b) {
            return self.constant(mask(width), width);
        }
        if let Some(bits) = self.as_constant(b) {
            if bits == 0 {
                return a;
            }
            if bits == mask(width) {
                return self.not(a);
            }
            if let Node::Binary(Binary::Xor, x, y) = self.node(a)
                && let Some(inner) = self.as_constant(y)
            {
                let bits = self.constant(inner ^ bits, width);
                return self.xor(x, bits);
            }
        }
        // Complements move out, so that they can meet.
        match (self.node(a), self.node(b)) {
            (Node::Not(a), Node::Not(b)) => return self.xor(a, b),
            (Node::Not(a), _) => {
                let xor = self.xor(a, b);
                return self.not(xor);
            }
            (_, Node::Not(b)) => {
                let xor = self.xor(a, b);
                return self.not(xor);
            }
            _ => {}
        }
        for (a, b) in [(a, b), (b, a)] {
            if let Node::Binary(Binary::Xor, x, y) = self.node(b) {
                if x == a {
                    return y;
                }
                if y == a {
                    return x;
                }
            }
        }
        self.intern(Node::Binary(Binary::Xor, a, b))
    }
}
