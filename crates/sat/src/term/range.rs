//! Bounds of terms under bounds of their inputs.

use rustc_hash::FxHashMap;

use super::{Binary, Cone, Node, Relation, Term, Terms, mask};

/// The least and the greatest value, as unsigned numbers.
pub type Range = (u64, u64);

impl Cone {
    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Bounds of all of them, where those of inputs are what `of` gives.
    pub fn ranges(&self, terms: &Terms, of: impl Fn(Term) -> Range) -> FxHashMap<Term, Range> {
        let mut ranges = FxHashMap::default();
        for &term in &self.all {
            let range = match terms.node(term) {
                Node::Variable { .. } | Node::Choice { .. } => of(term),
                node => {
                    let range = range_of(terms, node, terms.width(term), &|t| ranges[&t]);
                    let known = terms.range(term);
                    match (range.0.max(known.0), range.1.min(known.1)) {
                        (least, greatest) if least <= greatest => (least, greatest),
                        // Inputs that nothing can be: then anything is right.
                        _ => range,
                    }
                }
            };
            ranges.insert(term, range);
        }
        ranges
    }
}

/// All ones up to the highest bit of the number.
fn ones(bits: u64) -> u64 {
    if bits == 0 { 0 } else { u64::MAX >> bits.leading_zeros() }
}

/// `range` of a node of so many bits, where `of` gives those of its operands.
fn range_of(terms: &Terms, node: Node, width: u32, of: &dyn Fn(Term) -> Range) -> Range {
    let all = (0, mask(width));
    match node {
        Node::Constant { bits, .. } => (bits, bits),
        Node::Variable { .. } | Node::Choice { .. } => all,
        Node::Not(a) => (all.1 - of(a).1, all.1 - of(a).0),
        Node::Binary(op, a, b) => binary(op, of(a), of(b), width),
        Node::Relate(op, a, b) => relate(op, of(a), of(b), terms.width(a)),
        Node::Select(c, a, b) => match of(c) {
            (1, _) => of(a),
            (_, 0) => of(b),
            _ => (of(a).0.min(of(b).0), of(a).1.max(of(b).1)),
        },
        Node::Extract { of: a, low, .. } => match (of(a).0 >> low, of(a).1 >> low) {
            shifted if shifted.1 <= all.1 => shifted,
            _ => all,
        },
        Node::Concat(high, low) => {
            let (shift, high, low) = (terms.width(low), of(high), of(low));
            (high.0 << shift | low.0, high.1 << shift | low.1)
        }
        Node::ZeroExtend(a, _) => of(a),
        Node::SignExtend(a, _) => {
            let from = terms.width(a);
            let upper = all.1 & !mask(from);
            match of(a) {
                range if range.1 < 1 << (from - 1) => range,
                range if range.0 >= 1 << (from - 1) => (range.0 | upper, range.1 | upper),
                _ => all,
            }
        }
    }
}

fn binary(op: Binary, a: Range, b: Range, width: u32) -> Range {
    let most = mask(width);
    let all = (0, most);
    let is_natural = |range: Range| range.1 < 1 << (width - 1);
    match op {
        Binary::Add => {
            let wide = |a: u64, b: u64| u128::from(a) + u128::from(b);
            let (least, greatest) = (wide(a.0, b.0), wide(a.1, b.1));
            // It wraps in all cases or in none.
            match (least > u128::from(most), greatest > u128::from(most)) {
                (false, true) => all,
                _ => (least as u64 & most, greatest as u64 & most),
            }
        }
        Binary::Sub if a.0 >= b.1 => (a.0 - b.1, a.1 - b.0),
        Binary::Mul => match a.1.checked_mul(b.1) {
            Some(greatest) if greatest <= most => (a.0 * b.0, greatest),
            _ => all,
        },
        Binary::UDiv if b.0 > 0 => (a.0 / b.1, a.1 / b.0),
        Binary::URem if b.0 > 0 => (0, a.1.min(b.1 - 1)),
        Binary::URem => (0, a.1),
        Binary::SDiv if is_natural(a) && is_natural(b) && b.0 > 0 => (a.0 / b.1, a.1 / b.0),
        Binary::SRem if is_natural(a) && is_natural(b) && b.0 > 0 => (0, a.1.min(b.1 - 1)),
        Binary::And => {
            // As a disjunction of complements, of which there are no more ones than this.
            let (x, y) = (most - a.0, most - b.0);
            let holes = x.saturating_add(y).min(ones(x | y));
            (most - holes.min(most), a.1.min(b.1))
        }
        Binary::Or => (a.0.max(b.0), ones(a.1 | b.1)),
        Binary::Xor => (0, ones(a.1 | b.1)),
        Binary::LShr => (0, a.1),
        Binary::AShr if is_natural(a) => (0, a.1),
        Binary::Sub | Binary::UDiv | Binary::SDiv | Binary::SRem | Binary::Shl | Binary::AShr => {
            all
        }
    }
}

/// The bounds of a truth.
fn relate(op: Relation, a: Range, b: Range, width: u32) -> Range {
    let sign = 1 << (width - 1);
    let one_sign = a.1 < sign && b.1 < sign || a.0 >= sign && b.0 >= sign;
    let (first, second) = (a.1 < b.0, a.0 >= b.1);
    match op {
        Relation::Eq if first || b.1 < a.0 => (0, 0),
        Relation::ULt if first => (1, 1),
        Relation::ULt if second => (0, 0),
        Relation::SLt if one_sign && first => (1, 1),
        Relation::SLt if one_sign && second => (0, 0),
        Relation::Eq | Relation::ULt | Relation::SLt | Relation::ULe | Relation::SLe => (0, 1),
    }
}
