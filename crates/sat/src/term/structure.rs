//! Questions about how a term is made, for those who build on terms.

use super::{Binary, Node, Term, Terms};

impl Terms {
    /// For truths `a` and `b` that exclude each other: a truth that is `a` wherever
    /// one of the two holds. Often it is much simpler than `a`.
    pub fn distinguish(&self, a: Term, b: Term) -> Term {
        if let Some((mine, _)) = self.split(a, b) {
            return mine;
        }
        a
    }

    /// If `a` is `x & c` and `b` is `x & !c`: `c` and `x`.
    fn split(&self, a: Term, b: Term) -> Option<(Term, Term)> {
        if self.is_complement(a, b) {
            return None;
        }
        let Node::Binary(Binary::And, p, q) = self.node(a) else { return None };
        let Node::Binary(Binary::And, r, s) = self.node(b) else { return None };
        for (c, x) in [(p, q), (q, p)] {
            for (d, y) in [(r, s), (s, r)] {
                if x == y && self.is_complement(c, d) {
                    return Some((c, x));
                }
            }
        }
        None
    }

    /// `!a & !b` where `a` is `x & c` and `b` is `x & !c`: that is `!x`.
    pub(super) fn join_cases(&self, a: Term, b: Term) -> Option<Term> {
        let (Node::Not(a), Node::Not(b)) = (self.node(a), self.node(b)) else { return None };
        self.split(a, b).map(|(_, x)| x)
    }

    /// Terms that an address may have come from: what is added, selected or
    /// widened, but not what decides.
    pub fn address_parts(&self, t: Term) -> Vec<Term> {
        match self.node(t) {
            Node::Binary(Binary::Add | Binary::Sub | Binary::And | Binary::Or, a, b) => vec![a, b],
            Node::Select(_, a, b) => vec![a, b],
            Node::Concat(high, low) => vec![high, low],
            _ => Vec::new(),
        }
    }
}
