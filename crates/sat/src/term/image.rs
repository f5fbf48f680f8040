//! The values of terms under sets of values of their inputs.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{Node, Term, Terms};

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
}
