//! The value of a term under values of its variables.

use rustc_hash::FxHashMap;

use super::{Node, Term, Terms, fold, mask};

/// Values found so far, under one assignment.
pub(crate) type Values = FxHashMap<Term, u64>;

impl Terms {
    /// The value of `t` where `vars` gives the values of variables and choices. (A
    /// value that a choice cannot have counts as its least.)
    pub fn evaluate(&self, t: Term, vars: &dyn Fn(Term) -> u64) -> u64 {
        self.evaluate_with(t, vars, &mut Values::default())
    }

    pub(crate) fn evaluate_with(
        &self,
        t: Term,
        vars: &dyn Fn(Term) -> u64,
        values: &mut Values,
    ) -> u64 {
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            if values.contains_key(&top) {
                stack.pop();
                continue;
            }
            let node = self.node(top);
            let open = stack.len();
            stack.extend(node.operands().filter(|operand| !values.contains_key(operand)));
            if stack.len() == open {
                let value = self.value_of(top, vars, values);
                values.insert(top, value);
                stack.pop();
            }
        }
        values[&t]
    }

    /// Operands have their values.
    fn value_of(&self, t: Term, vars: &dyn Fn(Term) -> u64, values: &Values) -> u64 {
        let width = self.width(t);
        match self.node(t) {
            Node::Constant { bits, .. } => bits,
            Node::Variable { .. } => vars(t) & mask(width),
            Node::Choice { set, .. } => {
                let (value, set) = (vars(t), self.set(set));
                if set.binary_search(&value).is_ok() { value } else { set[0] }
            }
            node => {
                let mut operands = [(0, 0); 3];
                let mut count = 0;
                for operand in node.operands() {
                    operands[count] = (values[&operand], self.width(operand));
                    count += 1;
                }
                fold::node(node, width, &operands[..count])
            }
        }
    }
}
