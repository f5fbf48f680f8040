//! Terms to gates, bit by bit; each term once.

mod arithmetic;
mod choice;
mod compare;

pub use choice::chosen;

use crate::gates::{FALSE, Gates, Lit};
use crate::term::{Binary, Node, Relation, Term, Terms};

/// Where a term's bits start in the arena; not there yet.
const NONE: u32 = u32::MAX;

pub struct Blaster {
    pub gates: Gates,
    /// By term.
    starts: Vec<u32>,
    /// Bits of terms, lowest first.
    arena: Vec<Lit>,
    /// Variables and choices, with the inputs that are their bits or code, lowest
    /// first.
    pub inputs: Vec<(Term, Vec<Lit>)>,
}

impl Blaster {
    pub fn new() -> Blaster {
        Blaster { gates: Gates::new(), starts: Vec::new(), arena: Vec::new(), inputs: Vec::new() }
    }

    /// The bits of a term, lowest first.
    pub fn bits(&mut self, terms: &Terms, t: Term) -> &[Lit] {
        if self.starts.len() < terms.len() {
            self.starts.resize(terms.len(), NONE);
        }
        let mut stack = vec![t];
        while let Some(&top) = stack.last() {
            if self.starts[top.index()] != NONE {
                stack.pop();
                continue;
            }
            let open = stack.len();
            let operands = terms.node(top).operands();
            stack.extend(operands.filter(|operand| self.starts[operand.index()] == NONE));
            if stack.len() == open {
                let bits = self.blast(terms, top);
                debug_assert_eq!(bits.len(), terms.width(top) as usize);
                self.starts[top.index()] = self.arena.len() as u32;
                self.arena.extend(bits);
                stack.pop();
            }
        }
        self.done(terms, t)
    }

    /// The bits of a term that was blasted before.
    fn done(&self, terms: &Terms, t: Term) -> &[Lit] {
        let start = self.starts[t.index()] as usize;
        &self.arena[start..start + terms.width(t) as usize]
    }

    /// Operands are done.
    fn blast(&mut self, terms: &Terms, t: Term) -> Vec<Lit> {
        let width = terms.width(t) as usize;
        let of = |blaster: &Blaster, t: Term| blaster.done(terms, t).to_vec();
        match terms.node(t) {
            Node::Constant { bits, .. } => {
                (0..width).map(|bit| Lit::truth(bits >> bit & 1 == 1)).collect()
            }
            Node::Variable { .. } => {
                let limit = terms.limit_of(t);
                let mut bits: Vec<Lit> = (0..limit.bits).map(|_| self.gates.input()).collect();
                let top = bits.last().copied().filter(|_| limit.signed).unwrap_or(FALSE);
                bits.resize(width, top);
                self.inputs.push((t, bits.clone()));
                bits
            }
            Node::Choice { set, .. } => self.choice(t, terms.set(set), width),
            Node::Not(a) => self.done(terms, a).iter().map(|&bit| !bit).collect(),
            Node::Binary(op, a, b) => {
                let (a, b) = (of(self, a), of(self, b));
                self.binary(op, &a, &b)
            }
            Node::Relate(op, a, b) => {
                let (a, b) = (of(self, a), of(self, b));
                vec![self.relate(op, &a, &b)]
            }
            Node::Select(c, a, b) => {
                let (c, a, b) = (self.done(terms, c)[0], of(self, a), of(self, b));
                self.choose(c, &a, &b)
            }
            Node::Extract { of: a, low, .. } => {
                self.done(terms, a)[low as usize..][..width].to_vec()
            }
            Node::Concat(high, low) => {
                let mut bits = of(self, low);
                bits.extend_from_slice(self.done(terms, high));
                bits
            }
            Node::ZeroExtend(a, _) => {
                let mut bits = of(self, a);
                bits.resize(width, FALSE);
                bits
            }
            Node::SignExtend(a, _) => {
                let mut bits = of(self, a);
                bits.resize(width, bits[bits.len() - 1]);
                bits
            }
        }
    }

    fn binary(&mut self, op: Binary, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        let zip = a.iter().zip(b);
        match op {
            Binary::And => zip.map(|(&a, &b)| self.gates.and(a, b)).collect(),
            Binary::Or => zip.map(|(&a, &b)| self.gates.or(a, b)).collect(),
            Binary::Xor => zip.map(|(&a, &b)| self.gates.xor(a, b)).collect(),
            Binary::Add => self.add(a, b, FALSE),
            Binary::Sub => self.subtract(a, b),
            Binary::Mul => self.multiply(a, b),
            Binary::UDiv => self.divide(a, b).0,
            Binary::URem => self.divide(a, b).1,
            Binary::SDiv => self.divide_signed(a, b).0,
            Binary::SRem => self.divide_signed(a, b).1,
            Binary::Shl => self.shift_left(a, b),
            Binary::LShr => self.shift_right(a, b, FALSE),
            Binary::AShr => self.shift_right(a, b, a[a.len() - 1]),
        }
    }

    fn relate(&mut self, op: Relation, a: &[Lit], b: &[Lit]) -> Lit {
        match op {
            Relation::Eq => self.equal(a, b),
            Relation::ULt => self.less(a, b),
            Relation::ULe => !self.less(b, a),
            Relation::SLt => self.less_signed(a, b),
            Relation::SLe => !self.less_signed(b, a),
        }
    }

    /// `a` if `c`, else `b`.
    fn choose(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
        a.iter().zip(b).map(|(&a, &b)| self.gates.choose(c, a, b)).collect()
    }
}
