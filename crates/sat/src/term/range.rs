//! Bounds of terms under bounds of their inputs.
//!
//! A term of `w` bits is one of the whole numbers between the bounds, modulo 2^w. So a number
//! that is a little below or above 0 has narrow bounds, whether it is meant to have a sign or
//! not. Bounds lie between -2^(w-1) and 2^w - 1.

use rustc_hash::FxHashMap;

use super::{Binary, Cone, Node, Relation, Term, Terms};

/// The least and the greatest number that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    pub least: i128,
    pub greatest: i128,
}

/// How many bits say what a term is: the others are 0, or like the highest of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Limit {
    pub bits: u32,
    pub signed: bool,
}

fn size(width: u32) -> i128 {
    1 << width
}

impl Range {
    /// Anything of so many bits.
    #[must_use]
    pub fn all(width: u32) -> Range {
        Range { least: 0, greatest: size(width) - 1 }
    }

    fn of(least: i128, greatest: i128) -> Range {
        Range { least, greatest }
    }

    /// These numbers modulo 2^width, of which there may be any.
    fn wrapped(least: i128, greatest: i128, width: u32) -> Range {
        let all = size(width);
        if greatest - least >= all {
            return Range::all(width);
        }
        let fits = |shift: i128| least + shift >= -all / 2 && greatest + shift < all;
        let around = least.div_euclid(all) * -all;
        let shift = [0, around, around - all].into_iter().find(|&shift| fits(shift));
        shift.map_or(Range::all(width), |shift| Range::of(least + shift, greatest + shift))
    }

    /// What is in one of them, of so many bits.
    #[must_use]
    pub fn join(self, other: Range, width: u32) -> Range {
        let (least, greatest) = (self.least.min(other.least), self.greatest.max(other.greatest));
        Range::wrapped(least, greatest, width)
    }

    /// What is in both, of so many bits: exactly, if all of both are meant alike.
    fn both(self, other: Range, width: u32) -> Range {
        let half = size(width) / 2;
        let unsigned = self.least >= 0 && other.least >= 0;
        let signed = self.greatest < half && other.greatest < half;
        let both = self.meet(other).filter(|_| unsigned || signed);
        both.unwrap_or(if other.span() < self.span() { other } else { self })
    }

    fn meet(self, other: Range) -> Option<Range> {
        let both = Range::of(self.least.max(other.least), self.greatest.min(other.greatest));
        (both.least <= both.greatest).then_some(both)
    }

    fn span(self) -> i128 {
        self.greatest - self.least
    }

    /// As numbers without a sign.
    fn unsigned(self, width: u32) -> Range {
        match self.least >= 0 {
            true => self,
            false if self.greatest < 0 => {
                Range::of(self.least + size(width), self.greatest + size(width))
            }
            false => Range::all(width),
        }
    }

    /// As numbers with a sign.
    fn signed(self, width: u32) -> Range {
        let half = size(width) / 2;
        match self.greatest < half {
            true => self,
            false if self.least >= half => {
                Range::of(self.least - size(width), self.greatest - size(width))
            }
            false => Range::of(-half, half - 1),
        }
    }

    fn has(self, number: i128) -> bool {
        (self.least..=self.greatest).contains(&number)
    }

    /// Is the value of so many bits one of these?
    #[must_use]
    pub fn contains(self, bits: u64, width: u32) -> bool {
        let number = i128::from(bits);
        self.has(number) || self.has(number - size(width))
    }

    /// What is enough to say which it is, of so many bits.
    #[must_use]
    pub fn limit(self, width: u32) -> Limit {
        let bits = |number: i128| i128::BITS - number.leading_zeros();
        match self.least >= 0 {
            true => Limit { bits: bits(self.greatest).min(width), signed: false },
            false => {
                let bits = bits(self.greatest.max(0)).max(bits(-1 - self.least)) + 1;
                Limit { bits: bits.min(width), signed: bits < width }
            }
        }
    }
}

impl Terms {
    /// What is known of a term from how it was made.
    #[must_use]
    pub fn known_range(&self, t: Term) -> Range {
        let (least, greatest) = self.range(t);
        let unsigned = Range::of(least.into(), greatest.into());
        let (least, greatest) = self.signed_range(t);
        let signed = Range::of(least.into(), greatest.into());
        if signed.span() < unsigned.span() { signed } else { unsigned }
    }
}

impl Cone {
    /// How many terms there are.
    #[must_use]
    pub fn size(&self) -> usize {
        self.all.len()
    }

    /// Bounds of all of them, where those of inputs are what `of` gives.
    pub fn ranges(&self, terms: &Terms, of: impl Fn(Term) -> Range) -> FxHashMap<Term, Range> {
        let mut ranges = FxHashMap::default();
        for &term in &self.all {
            let range = match terms.node(term) {
                Node::Variable { .. } | Node::Choice { .. } => of(term),
                node => {
                    let range = range_of(terms, node, terms.width(term), &|t| ranges[&t]);
                    range.both(terms.known_range(term), terms.width(term))
                }
            };
            ranges.insert(term, range);
        }
        ranges
    }
}

/// All ones up to the highest bit of a number that has no sign.
fn ones(number: i128) -> i128 {
    (1 << (i128::BITS - number.leading_zeros())) - 1
}

/// Bounds of a node of so many bits, where `of` gives those of its operands.
fn range_of(terms: &Terms, node: Node, width: u32, of: &dyn Fn(Term) -> Range) -> Range {
    match node {
        Node::Variable { .. } | Node::Choice { .. } => Range::all(width),
        Node::Constant { bits, .. } => {
            let number = i128::from(bits);
            let number = if number < size(width) / 2 { number } else { number - size(width) };
            Range::of(number, number)
        }
        // One less than the negative.
        Node::Not(a) => Range::wrapped(-1 - of(a).greatest, -1 - of(a).least, width),
        Node::Binary(op, a, b) => binary(op, of(a), of(b), width),
        Node::Relate(op, a, b) => match relate(op, of(a), of(b), terms.width(a)) {
            Some(truth) => Range::of(truth.into(), truth.into()),
            None => Range::all(1),
        },
        Node::Select(c, a, b) => match of(c).unsigned(1) {
            Range { least: 1, .. } => of(a),
            Range { greatest: 0, .. } => of(b),
            _ => of(a).join(of(b), width),
        },
        Node::Extract { of: a, low: 0, .. } => Range::wrapped(of(a).least, of(a).greatest, width),
        Node::Extract { of: a, low, .. } => {
            let a = of(a).unsigned(terms.width(a));
            Range::wrapped(a.least >> low, a.greatest >> low, width)
        }
        Node::Concat(high, low) => {
            let shift = terms.width(low);
            let (high, low) = (of(high), of(low).unsigned(shift));
            let (least, greatest) = (high.least << shift, high.greatest << shift);
            Range::wrapped(least + low.least, greatest + low.greatest, width)
        }
        Node::ZeroExtend(a, _) => of(a).unsigned(terms.width(a)),
        Node::SignExtend(a, _) => of(a).signed(terms.width(a)),
    }
}

fn binary(op: Binary, a: Range, b: Range, width: u32) -> Range {
    let all = Range::all(width);
    let half = size(width) / 2;
    let (ua, ub) = (a.unsigned(width), b.unsigned(width));
    let is_natural = ua.greatest < half && ub.greatest < half;
    let quotient = |a: Range, b: Range| Range::of(a.least / b.greatest, a.greatest / b.least);
    let remainder = |a: Range, b: Range| Range::of(0, a.greatest.min(b.greatest - 1));
    match op {
        Binary::Add => Range::wrapped(a.least + b.least, a.greatest + b.greatest, width),
        Binary::Sub => Range::wrapped(a.least - b.greatest, a.greatest - b.least, width),
        Binary::Mul => {
            let mut corners = Vec::new();
            for a in [a.least, a.greatest] {
                corners.extend([b.least, b.greatest].map(|b| a.checked_mul(b)));
            }
            let corners: Option<Vec<i128>> = corners.into_iter().collect();
            let ends = corners.and_then(|all| Some((*all.iter().min()?, *all.iter().max()?)));
            ends.filter(|ends| ends.1 - ends.0 < size(width))
                .map_or(all, |ends| Range::wrapped(ends.0, ends.1, width))
        }
        Binary::UDiv if ub.least > 0 => quotient(ua, ub),
        Binary::SDiv if is_natural && ub.least > 0 => quotient(ua, ub),
        Binary::URem if ub.least > 0 => remainder(ua, ub),
        Binary::SRem if is_natural && ub.least > 0 => remainder(ua, ub),
        Binary::URem => Range::of(0, ua.greatest),
        Binary::And => {
            // As a disjunction of complements, in which there are no more ones than this.
            let (x, y) = (all.greatest - ua.least, all.greatest - ub.least);
            let holes = (x + y).min(ones(x | y)).min(all.greatest);
            Range::of(all.greatest - holes, ua.greatest.min(ub.greatest))
        }
        Binary::Or => Range::of(ua.least.max(ub.least), ones(ua.greatest | ub.greatest)),
        Binary::Xor => Range::of(0, ones(ua.greatest | ub.greatest)),
        Binary::LShr => Range::of(0, ua.greatest),
        // Towards 0, or -1.
        Binary::AShr => {
            let a = a.signed(width);
            Range::of(a.least.min(0), a.greatest.max(-1))
        }
        Binary::UDiv | Binary::SDiv | Binary::SRem | Binary::Shl => all,
    }
}

/// The truth of a relation, if it is always the same.
fn relate(op: Relation, a: Range, b: Range, width: u32) -> Option<bool> {
    let (ua, ub) = (a.unsigned(width), b.unsigned(width));
    let (sa, sb) = (a.signed(width), b.signed(width));
    let below = |a: Range, b: Range| match (a.greatest < b.least, a.least >= b.greatest) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        _ => None,
    };
    match op {
        Relation::ULt => below(ua, ub),
        Relation::SLt => below(sa, sb),
        Relation::Eq => {
            let apart = ua.meet(ub).is_none() || sa.meet(sb).is_none();
            apart.then_some(false)
        }
        Relation::ULe | Relation::SLe => None,
    }
}
