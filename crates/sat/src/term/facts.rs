//! What is known of a term from the moment it is made: which bits are always 0 or
//! always 1, and the values it can have, if they are few. Both may say less than is
//! true (operands are taken as independent), never more.

use super::{Binary, Node, Relation, Term, Terms, fold, mask};

/// A set of values is kept up to this size.
pub const FEW: usize = 64;
/// Pairs of operand values that are tried to find the values of a result.
pub(super) const PAIRS: usize = 256;

#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    pub width: u8,
    /// Into `Terms::sets`.
    pub set: Option<u32>,
    /// Bits that are 0 and 1 in every value.
    pub zero: u64,
    pub one: u64,
}

impl Facts {
    fn bits(width: u32, zero: u64, one: u64) -> Facts {
        Facts { width: width as u8, set: None, zero: zero & mask(width), one: one & mask(width) }
    }

    fn least(&self) -> u64 {
        self.one
    }

    fn greatest(&self) -> u64 {
        !self.zero & mask(u32::from(self.width))
    }

    pub(super) fn only_value(&self) -> Option<u64> {
        (self.least() == self.greatest()).then_some(self.one)
    }
}

impl Terms {
    /// The values that the term can have, sorted, if they are known to be at most
    /// [`FEW`]. (A choice has its values here, however many.)
    pub fn values(&self, t: Term) -> Option<&[u64]> {
        self.facts[t.index()].set.map(|set| self.set(set))
    }

    /// Bits that are always 0, and bits that are always 1.
    pub fn known_bits(&self, t: Term) -> (u64, u64) {
        let facts = &self.facts[t.index()];
        (facts.zero, facts.one)
    }

    /// Bounds of the value as an unsigned number.
    pub fn range(&self, t: Term) -> (u64, u64) {
        match self.values(t) {
            Some(values) => (values[0], values[values.len() - 1]),
            None => (self.facts[t.index()].least(), self.facts[t.index()].greatest()),
        }
    }

    /// Bounds of the value as a signed number.
    pub fn signed_range(&self, t: Term) -> (i64, i64) {
        let width = self.width(t);
        if let Some(values) = self.values(t) {
            let signed = values.iter().map(|&value| fold::signed(value, width));
            let bounds = signed.fold((i64::MAX, i64::MIN), |(a, b), v| (a.min(v), b.max(v)));
            return bounds;
        }
        let facts = &self.facts[t.index()];
        let sign = 1 << (width - 1);
        let least = if facts.zero & sign == 0 { facts.least() | sign } else { facts.least() };
        let greatest =
            if facts.one & sign == 0 { facts.greatest() & !sign } else { facts.greatest() };
        let (inner, width) = match self.node(t) {
            Node::SignExtend(inner, _) => (self.width(inner), width),
            _ => (width, width),
        };
        // Known bits cannot say that the upper bits of an extension are equal.
        let lowest = -1_i64 << (inner - 1);
        (fold::signed(least, width).max(lowest), fold::signed(greatest, width).min(!lowest))
    }

    pub(super) fn facts_of(&mut self, node: Node) -> Facts {
        let mut facts = self.bits_of(node);
        if facts.only_value().is_some() && !matches!(node, Node::Constant { .. }) {
            return facts;
        }
        let of = |t: Term| self.values(t);
        let Some(values) = self.values_of(node, u32::from(facts.width), of) else { return facts };
        facts.zero |= !values.iter().fold(0, |all, value| all | value) & mask(facts.width.into());
        facts.one |= values.iter().fold(u64::MAX, |all, value| all & value);
        facts.set = Some(self.intern_set(&values));
        facts
    }

    /// Known bits by the structure of the node.
    fn bits_of(&self, node: Node) -> Facts {
        let of = |t: Term| &self.facts[t.index()];
        let width = |t: Term| self.width(t);
        match node {
            Node::Constant { bits, width } => Facts::bits(width.into(), !bits, bits),
            Node::Variable { width, .. } | Node::Choice { width, .. } => {
                Facts::bits(width.into(), 0, 0)
            }
            Node::Not(a) => Facts::bits(width(a), of(a).one, of(a).zero),
            Node::Binary(op, a, b) => {
                let (zero, one) = bits_of_binary(op, of(a), of(b));
                Facts::bits(width(a), zero, one)
            }
            Node::Relate(op, a, b) => match self.decide(op, a, b) {
                Some(truth) => Facts::bits(1, u64::from(!truth), u64::from(truth)),
                None => Facts::bits(1, 0, 0),
            },
            Node::Select(_, a, b) => {
                Facts::bits(width(a), of(a).zero & of(b).zero, of(a).one & of(b).one)
            }
            Node::Extract { of: a, low, width } => {
                Facts::bits(width.into(), of(a).zero >> low, of(a).one >> low)
            }
            Node::Concat(high, low) => {
                let (high, shift, low) = (of(high), width(low), of(low));
                let total = u32::from(high.width) + shift;
                Facts::bits(total, high.zero << shift | low.zero, high.one << shift | low.one)
            }
            Node::ZeroExtend(a, to) => {
                Facts::bits(to.into(), of(a).zero | !mask(width(a)), of(a).one)
            }
            Node::SignExtend(a, to) => Facts::bits(
                to.into(),
                fold::signed(of(a).zero, width(a)) as u64,
                fold::signed(of(a).one, width(a)) as u64,
            ),
        }
    }

    /// The truth of a relation, if ranges, known bits or sets of values decide it.
    pub(super) fn decide(&self, op: Relation, a: Term, b: Term) -> Option<bool> {
        match op {
            Relation::Eq => {
                let (fa, fb) = (&self.facts[a.index()], &self.facts[b.index()]);
                let differ = fa.zero & fb.one != 0
                    || fa.one & fb.zero != 0
                    || match (self.values(a), self.values(b)) {
                        (Some(a), Some(b)) => disjoint(a, b),
                        _ => false,
                    };
                differ.then_some(false)
            }
            Relation::ULt => below(self.range(a), self.range(b)),
            Relation::SLt => below(self.signed_range(a), self.signed_range(b)),
            Relation::ULe => self.decide(Relation::ULt, b, a).map(|truth| !truth),
            Relation::SLe => self.decide(Relation::SLt, b, a).map(|truth| !truth),
        }
    }

    /// The values of a node, where `of` gives those of its operands.
    pub(super) fn values_of<'v>(
        &self,
        node: Node,
        width: u32,
        of: impl Fn(Term) -> Option<&'v [u64]>,
    ) -> Option<Vec<u64>> {
        match node {
            Node::Constant { bits, .. } => return Some(vec![bits]),
            Node::Choice { set, .. } => return Some(self.set(set).to_vec()),
            _ if width == 1 => return Some(vec![0, 1]),
            _ => {}
        }
        let mut values = match node {
            Node::Constant { .. } | Node::Choice { .. } | Node::Variable { .. } => return None,
            Node::Relate(..) => return Some(vec![0, 1]),
            Node::Select(_, a, b) => [of(a)?, of(b)?].concat(),
            Node::Not(a)
            | Node::Extract { of: a, .. }
            | Node::ZeroExtend(a, _)
            | Node::SignExtend(a, _) => {
                let from = self.width(a);
                let values = of(a).filter(|values| values.len() <= PAIRS)?;
                values.iter().map(|&a| fold::node(node, width, &[(a, from)])).collect()
            }
            Node::Binary(_, a, b) | Node::Concat(a, b) => {
                let (wa, wb) = (self.width(a), self.width(b));
                let (va, vb) = (of(a)?, of(b)?);
                if a == b {
                    let square = |&v: &u64| fold::node(node, width, &[(v, wa), (v, wb)]);
                    va.iter().take(PAIRS + 1).map(square).collect()
                } else if va.len() * vb.len() <= PAIRS {
                    let pairs = va.iter().flat_map(|&a| vb.iter().map(move |&b| (a, b)));
                    pairs.map(|(a, b)| fold::node(node, width, &[(a, wa), (b, wb)])).collect()
                } else {
                    return None;
                }
            }
        };
        values.sort_unstable();
        values.dedup();
        (values.len() <= FEW).then_some(values)
    }
}

fn below<T: PartialOrd>(a: (T, T), b: (T, T)) -> Option<bool> {
    if a.1 < b.0 {
        Some(true)
    } else if a.0 >= b.1 {
        Some(false)
    } else {
        None
    }
}

/// Of two sorted lists.
fn disjoint(mut a: &[u64], mut b: &[u64]) -> bool {
    while let (Some(x), Some(y)) = (a.first(), b.first()) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => a = &a[1..],
            std::cmp::Ordering::Greater => b = &b[1..],
            std::cmp::Ordering::Equal => return false,
        }
    }
    true
}

/// Bits of `a + b + carry` that follow from bits of `a` and `b`, as in LLVM's
/// `KnownBits`: a bit of the sum is known where both bits and the carry into them
/// are, and the carry is known where the least and the greatest sum have it alike.
fn bits_of_sum(za: u64, oa: u64, zb: u64, ob: u64, carry: u64) -> (u64, u64) {
    let greatest = (!za).wrapping_add(!zb).wrapping_add(carry);
    let least = oa.wrapping_add(ob).wrapping_add(carry);
    let no_carry = !(greatest ^ za ^ zb);
    let some_carry = least ^ oa ^ ob;
    let known = (za | oa) & (zb | ob) & (no_carry | some_carry);
    (!greatest & known, least & known)
}

fn bits_of_binary(op: Binary, a: &Facts, b: &Facts) -> (u64, u64) {
    let all = mask(a.width.into());
    // Above the highest bit of a bound, everything is 0.
    let above =
        |bound: u64| if bound == 0 { u64::MAX } else { !(u64::MAX >> bound.leading_zeros()) };
    let low_zeros = |facts: &Facts| (!facts.zero).trailing_zeros();
    let below = |count: u32| if count >= 64 { u64::MAX } else { (1 << count) - 1 };
    match op {
        Binary::And => (a.zero | b.zero, a.one & b.one),
        Binary::Or => (a.zero & b.zero, a.one | b.one),
        Binary::Xor => (a.zero & b.zero | a.one & b.one, a.zero & b.one | a.one & b.zero),
        Binary::Add => bits_of_sum(a.zero, a.one, b.zero, b.one, 0),
        Binary::Sub => bits_of_sum(a.zero, a.one, b.one, b.zero, 1),
        Binary::Mul => {
            let high = match a.greatest().checked_mul(b.greatest()) {
                Some(bound) if bound <= all => above(bound),
                _ => 0,
            };
            (high | below(low_zeros(a) + low_zeros(b)), 0)
        }
        Binary::UDiv if b.least() > 0 => (above(a.greatest() / b.least()), 0),
        Binary::URem if b.least() > 0 => (above(a.greatest().min(b.greatest() - 1)), 0),
        Binary::URem => (above(a.greatest()), 0),
        Binary::Shl => {
            let shift = b.least().min(64) as u32;
            (below(low_zeros(a) + shift), 0)
        }
        Binary::LShr => {
            let shift = b.least().min(63);
            (above(a.greatest() >> shift), 0)
        }
        Binary::UDiv | Binary::SDiv | Binary::SRem | Binary::AShr => (0, 0),
    }
}
