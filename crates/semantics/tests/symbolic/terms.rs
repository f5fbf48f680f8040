//! Expressions over inputs.

use std::rc::Rc;

use heddle_ir::{BinOp, Cast, Compare, FloatBinOp, FloatCompare, FloatTy, OverflowOp, Ty, UnOp};
use heddle_semantics::{Concrete, Domain};

/// A node knows how to compute itself from the values of its children.
type Compute = Rc<dyn Fn(&[u64]) -> u64>;

#[derive(Clone)]
pub enum Term {
    Input(usize),
    Constant(u64),
    Node(Compute, Rc<[Term]>),
}

impl Term {
    pub fn input(index: usize) -> Term {
        Term::Input(index)
    }

    pub fn compute(&self, inputs: &[u64]) -> u64 {
        match self {
            Term::Input(index) => inputs[*index],
            Term::Constant(bits) => *bits,
            Term::Node(function, children) => {
                let values: Vec<u64> = children.iter().map(|c| c.compute(inputs)).collect();
                function(&values)
            }
        }
    }

    fn node<const N: usize>(
        children: [&Term; N],
        function: impl Fn(&[u64]) -> u64 + 'static,
    ) -> Term {
        Term::Node(Rc::new(function), children.into_iter().cloned().collect())
    }
}

#[derive(Default)]
pub struct Terms;

impl Domain for Terms {
    type Value = Term;

    fn constant(&mut self, bits: u64, width: u32) -> Term {
        Term::Constant(heddle_semantics::mask(bits, width))
    }

    fn binary(&mut self, op: BinOp, width: u32, a: &Term, b: &Term) -> Term {
        Term::node([a, b], move |v| Concrete.binary(op, width, &v[0], &v[1]))
    }

    fn overflows(&mut self, op: OverflowOp, width: u32, a: &Term, b: &Term) -> Term {
        Term::node([a, b], move |v| Concrete.overflows(op, width, &v[0], &v[1]))
    }

    fn unary(&mut self, op: UnOp, width: u32, a: &Term) -> Term {
        Term::node([a], move |v| Concrete.unary(op, width, &v[0]))
    }

    fn compare(&mut self, op: Compare, width: u32, a: &Term, b: &Term) -> Term {
        Term::node([a, b], move |v| Concrete.compare(op, width, &v[0], &v[1]))
    }

    fn select(&mut self, cond: &Term, then: &Term, other: &Term) -> Term {
        Term::node([cond, then, other], |v| if v[0] != 0 { v[1] } else { v[2] })
    }

    fn cast(&mut self, op: Cast, from: Ty, to: Ty, a: &Term) -> Term {
        Term::node([a], move |v| Concrete.cast(op, from, to, &v[0]))
    }

    fn float_binary(&mut self, op: FloatBinOp, ty: FloatTy, a: &Term, b: &Term) -> Term {
        Term::node([a, b], move |v| Concrete.float_binary(op, ty, &v[0], &v[1]))
    }

    fn float_neg(&mut self, ty: FloatTy, a: &Term) -> Term {
        Term::node([a], move |v| Concrete.float_neg(ty, &v[0]))
    }

    fn float_compare(&mut self, op: FloatCompare, ty: FloatTy, a: &Term, b: &Term) -> Term {
        Term::node([a, b], move |v| Concrete.float_compare(op, ty, &v[0], &v[1]))
    }
}
