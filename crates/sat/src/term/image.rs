//! The values of terms under sets of values of their inputs.

use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::{FEW, PAIRS};
use super::{Binary, Node, Term, Terms, fold};

/// Terms with everything that they are made of, to be looked at again and again.
pub struct Cone {
    /// In the order in which they are made.
    pub(super) all: Vec<Term>,
}

/// Values of the terms of a cone, or `None` where they are too many.
pub type Images = FxHashMap<Term, Option<Vec<u64>>>;

impl Cone {
    /// What `roots` are made of; `None` if that is more than `most` terms.
    pub fn of(terms: &Terms, roots: impl IntoIterator<Item = Term>, most: usize) -> Option<Cone> {
        let mut stack: Vec<Term> = roots.into_iter().collect();
        let mut seen: FxHashSet<Term> = FxHashSet::default();
        while let Some(term) = stack.pop() {
            if seen.insert(term) {
                stack.extend(terms.node(term).operands());
            }
            if seen.len() > most {
                return None;
            }
        }
        let mut all: Vec<Term> = seen.into_iter().collect();
        all.sort_unstable();
        Some(Cone { all })
    }

    /// The variables and choices among them.
    pub fn inputs<'a>(&'a self, terms: &'a Terms) -> impl Iterator<Item = Term> + 'a {
        let is_input =
            |term: &Term| matches!(terms.node(*term), Node::Variable { .. } | Node::Choice { .. });
        self.all.iter().copied().filter(is_input)
    }

    /// The values of all of them, where inputs have those that `of` gives. They may be
    /// others than the inputs were made with; conditions may be true or false.
    pub fn images(&self, terms: &Terms, of: impl Fn(Term) -> Option<Vec<u64>>) -> Images {
        let mut images = Images::default();
        for &term in &self.all {
            let node = terms.node(term);
            let image = match node {
                Node::Variable { .. } | Node::Choice { .. } => of(term),
                _ => {
                    let operand = |t: Term| images[&t].as_deref();
                    terms.values_of(node, terms.width(term), operand)
                }
            };
            images.insert(term, image);
        }
        images
    }

    /// The same, and conditions are only what they can be for these values.
    pub fn outcomes(&self, terms: &Terms, of: impl Fn(Term) -> Option<Vec<u64>>) -> Images {
        let mut images = Images::default();
        for &term in &self.all {
            let image = match terms.node(term) {
                Node::Constant { bits, .. } => Some(vec![bits]),
                Node::Variable { .. } | Node::Choice { .. } => of(term),
                node => terms.outcome(node, terms.width(term), &images),
            };
            let truth = || (terms.width(term) == 1).then(|| vec![0, 1]);
            images.insert(term, image.or_else(truth));
        }
        images
    }
}

impl Terms {
    fn outcome(&self, node: Node, width: u32, images: &Images) -> Option<Vec<u64>> {
        let of = |t: Term| images[&t].as_deref();
        if let Node::Binary(Binary::And, a, b) = node
            && [a, b].iter().any(|&t| of(t) == Some(&[0]))
        {
            return Some(vec![0]);
        }
        if let Node::Select(c, a, b) = node {
            match of(c) {
                Some([0]) => return of(b).map(<[u64]>::to_vec),
                Some([1]) => return of(a).map(<[u64]>::to_vec),
                _ => {}
            }
        }
        let mut operands: Vec<Term> = node.operands().collect();
        let twice = operands.len() == 2 && operands[0] == operands[1];
        operands.truncate(if twice { 1 } else { operands.len() });
        let mut rows: Vec<Vec<(u64, u32)>> = vec![Vec::new()];
        for operand in operands {
            let (values, from) = (of(operand)?, self.width(operand));
            if values.len() * rows.len() > PAIRS {
                return None;
            }
            let with = |row: &Vec<(u64, u32)>, value| [&row[..], &[(value, from)]].concat();
            rows = rows.iter().flat_map(|row| values.iter().map(move |&v| with(row, v))).collect();
        }
        let double = |row: Vec<(u64, u32)>| if twice { [row[0]; 2].to_vec() } else { row };
        let results = rows.into_iter().map(|row| fold::node(node, width, &double(row)));
        let mut values: Vec<u64> = results.collect();
        values.sort_unstable();
        values.dedup();
        (values.len() <= FEW).then_some(values)
    }
}
