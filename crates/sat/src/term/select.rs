//! Building `Select`.

use super::{Node, Term, Terms};

impl Terms {
    /// `then` if `cond` (of width 1) is 1, else `other`.
    pub fn select(&mut self, cond: Term, then: Term, other: Term) -> Term {
        let width = self.width(then);
        assert_eq!(width, self.width(other), "widths of a select");
        assert_eq!(self.width(cond), 1, "width of a condition");
        if then == other {
            return then;
        }
        if let Some(cond) = self.as_constant(cond) {
            return if cond == 1 { then } else { other };
        }
        if let Node::Not(inner) = self.node(cond) {
            return self.select(inner, other, then);
        }
        // Under the condition, a select by the same condition is decided.
        if let Node::Select(c, x, _) = self.node(then)
            && c == cond
        {
            return self.select(cond, x, other);
        }
        if let Node::Select(c, _, y) = self.node(other)
            && c == cond
        {
            return self.select(cond, then, y);
        }
        if width == 1 {
            return self.select_truth(cond, then, other);
        }
        if let Some(term) = self.shared_branch(cond, then, other) {
            return term;
        }
        self.intern(Node::Select(cond, then, other))
    }

    fn select_truth(&mut self, cond: Term, then: Term, other: Term) -> Term {
        match (self.as_constant(then), self.as_constant(other)) {
            (Some(1), _) => return self.or(cond, other),
            (_, Some(0)) => return self.and(cond, then),
            (Some(_), _) => {
                let cond = self.not(cond);
                return self.and(cond, other);
            }
            (_, Some(_)) => return self.implies(cond, then),
            (None, None) => {}
        }
        if then == cond {
            return self.or(cond, other);
        }
        if other == cond {
            return self.and(cond, then);
        }
        if self.is_complement(then, cond) {
            return self.and(then, other);
        }
        if self.is_complement(other, cond) {
            return self.or(other, then);
        }
        if self.is_complement(then, other) {
            return self.xor(cond, other);
        }
        self.intern(Node::Select(cond, then, other))
    }

    /// A branch that is a select with the other branch in it.
    fn shared_branch(&mut self, cond: Term, then: Term, other: Term) -> Option<Term> {
        if let Node::Select(inner, x, y) = self.node(other)
            && (x == then || y == then)
        {
            let inner = if x == then { inner } else { self.not(inner) };
            let either = self.or(cond, inner);
            return Some(self.select(either, then, if x == then { y } else { x }));
        }
        if let Node::Select(inner, x, y) = self.node(then)
            && (x == other || y == other)
        {
            let inner = if y == other { inner } else { self.not(inner) };
            let both = self.and(cond, inner);
            return Some(self.select(both, if y == other { x } else { y }, other));
        }
        None
    }
}
