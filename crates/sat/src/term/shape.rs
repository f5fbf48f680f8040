//! Building terms that only move bits: extract, concat, extensions.

use super::{Node, Term, Terms, fold, mask};

/// How far chains of selects are followed.
const CHAIN: usize = 64;

impl Terms {
    /// Bits `low .. low + width`.
    pub fn extract(&mut self, t: Term, low: u32, width: u32) -> Term {
        let from = self.width(t);
        assert!(width >= 1 && low + width <= from, "bits {low}..{} of {from}", low + width);
        if width == from {
            return t;
        }
        match self.node(t) {
            Node::Constant { bits, .. } => self.constant(fold::extract(bits, low, width), width),
            Node::Extract { of, low: inner, .. } => self.extract(of, low + u32::from(inner), width),
            Node::Concat(high, rest) => self.extract_concat(high, rest, low, width),
            Node::ZeroExtend(x, _) => {
                let inner = self.width(x);
                if low >= inner {
                    return self.constant(0, width);
                }
                let part = self.extract(x, low, width.min(inner - low));
                self.zero_extend(part, width)
            }
            Node::SignExtend(x, _) => {
                let inner = self.width(x);
                let start = low.min(inner - 1);
                let part = self.extract(x, start, width.min(inner - start));
                self.sign_extend(part, width)
            }
            Node::Select(c, x, y) => match (self.as_constant(x), self.as_constant(y)) {
                (Some(x), Some(y)) => {
                    let x = self.constant(fold::extract(x, low, width), width);
                    let y = self.constant(fold::extract(y, low, width), width);
                    self.select(c, x, y)
                }
                _ => self.intern_extract(t, low, width),
            },
            Node::Not(x) => {
                let part = self.extract(x, low, width);
                self.not(part)
            }
            _ => self.intern_extract(t, low, width),
        }
    }

    fn intern_extract(&mut self, of: Term, low: u32, width: u32) -> Term {
        self.intern(Node::Extract { of, low: low as u8, width: width as u8 })
    }

    fn extract_concat(&mut self, high: Term, rest: Term, low: u32, width: u32) -> Term {
        let split = self.width(rest);
        if low >= split {
            return self.extract(high, low - split, width);
        }
        if low + width <= split {
            return self.extract(rest, low, width);
        }
        let high = self.extract(high, 0, low + width - split);
        let rest = self.extract(rest, low, split - low);
        self.concat(high, rest)
    }

    /// `high` above `low`; at most 64 bits together.
    pub fn concat(&mut self, high: Term, low: Term) -> Term {
        let (upper, lower) = (self.width(high), self.width(low));
        let width = upper + lower;
        assert!(width <= 64, "a concatenation of {width} bits");
        if let Some(term) = self.adjacent(high, low) {
            return term;
        }
        if self.as_constant(high) == Some(0) {
            return self.zero_extend(low, width);
        }
        match (self.node(high), self.node(low)) {
            (Node::ZeroExtend(x, _), _) => {
                let rest = self.concat(x, low);
                return self.zero_extend(rest, width);
            }
            (_, Node::Concat(middle, rest)) => {
                if let Some(merged) = self.adjacent(high, middle) {
                    return self.concat(merged, rest);
                }
            }
            (Node::Concat(rest, middle), _) => {
                if let Some(merged) = self.adjacent(middle, low) {
                    return self.concat(rest, merged);
                }
            }
            _ => {}
        }
        if let Some((c, (h1, l1), (h0, l0))) = self.constant_cases(high, low) {
            let then = self.constant(fold::concat(h1, l1, lower), width);
            let other = self.constant(fold::concat(h0, l0, lower), width);
            return self.select(c, then, other);
        }
        match self.concat_selects(high, low) {
            Some(term) => term,
            None => self.intern(Node::Concat(high, low)),
        }
    }

    /// Neighbouring parts of one chain of selects: what a word that is stored under
    /// conditions looks like when it is read byte by byte. Only if the parts join in
    /// every branch; otherwise the chain would be there twice.
    fn concat_selects(&mut self, mut high: Term, mut low: Term) -> Option<Term> {
        // Condition, joined branch, and whether that is the one to take if it holds.
        let mut chain = Vec::new();
        let mut whole = loop {
            if let Some(joined) = self.adjacent(high, low) {
                break joined;
            }
            let (Node::Select(c, h1, h0), Node::Select(d, l1, l0)) =
                (self.node(high), self.node(low))
            else {
                return None;
            };
            if c != d || chain.len() == CHAIN {
                return None;
            }
            if let Some(joined) = self.adjacent(h1, l1) {
                chain.push((c, joined, true));
                (high, low) = (h0, l0);
            } else if let Some(joined) = self.adjacent(h0, l0) {
                chain.push((c, joined, false));
                (high, low) = (h1, l1);
            } else {
                return None;
            }
        };
        for (condition, joined, holds) in chain.into_iter().rev() {
            let (then, other) = if holds { (joined, whole) } else { (whole, joined) };
            whole = self.select(condition, then, other);
        }
        Some(whole)
    }

    /// The concatenation, if it is a constant or adjacent bits of one term.
    pub(super) fn adjacent(&mut self, high: Term, low: Term) -> Option<Term> {
        let (upper, lower) = (self.width(high), self.width(low));
        match (self.node(high), self.node(low)) {
            (Node::Constant { bits: h, .. }, Node::Constant { bits: l, .. }) => {
                Some(self.constant(fold::concat(h, l, lower), upper + lower))
            }
            (Node::Extract { of: a, low: from, .. }, Node::Extract { of: b, low, width })
                if a == b && from == low + width =>
            {
                Some(self.extract(a, low.into(), upper + lower))
            }
            (Node::Not(a), Node::Not(b)) => {
                let whole = self.adjacent(a, b)?;
                Some(self.not(whole))
            }
            _ => None,
        }
    }

    /// To `width` bits, with zeros above.
    pub fn zero_extend(&mut self, t: Term, width: u32) -> Term {
        let from = self.width(t);
        assert!(from <= width && width <= 64, "an extension of {from} bits to {width}");
        if from == width {
            return t;
        }
        match self.node(t) {
            Node::Constant { bits, .. } => self.constant(bits, width),
            Node::ZeroExtend(x, _) => self.zero_extend(x, width),
            _ => match self.extended_cases(t, width, |bits| bits) {
                Some(term) => term,
                None => self.intern(Node::ZeroExtend(t, width as u8)),
            },
        }
    }

    /// To `width` bits, with copies of the highest bit above.
    pub fn sign_extend(&mut self, t: Term, width: u32) -> Term {
        let from = self.width(t);
        assert!(from <= width && width <= 64, "an extension of {from} bits to {width}");
        if from == width {
            return t;
        }
        let extend = |bits: u64| fold::signed(bits, from) as u64 & mask(width);
        if self.known_bits(t).0 >> (from - 1) & 1 == 1 {
            return self.zero_extend(t, width);
        }
        match self.node(t) {
            Node::Constant { bits, .. } => self.constant(extend(bits), width),
            Node::SignExtend(x, _) => self.sign_extend(x, width),
            _ => match self.extended_cases(t, width, extend) {
                Some(term) => term,
                None => self.intern(Node::SignExtend(t, width as u8)),
            },
        }
    }

    /// An extension of a single bit or of a select of constants, as a select.
    fn extended_cases(&mut self, t: Term, width: u32, extend: impl Fn(u64) -> u64) -> Option<Term> {
        let (c, x, y) = match self.node(t) {
            _ if self.width(t) == 1 => (t, 1, 0),
            Node::Select(c, x, y) => (c, self.as_constant(x)?, self.as_constant(y)?),
            _ => return None,
        };
        let (x, y) = (self.constant(extend(x), width), self.constant(extend(y), width));
        Some(self.select(c, x, y))
    }
}
