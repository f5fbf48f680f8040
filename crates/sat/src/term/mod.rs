//! A pool of hash-consed bit-vector terms.
//!
//! A term refers only to terms with smaller numbers, so the pool is a DAG in
//! topological order. Nothing walks it recursively: terms may be millions deep.
//!
//! Normal form, so that the same function is the same term more often:
//! `Or` is `Not` of an `And`; `<=` is `Not` of the flipped `<`; a difference with a
//! constant is a sum; shifts by constants are extracts and extensions; an extended
//! single bit is a `Select` of constants.

mod boolean;
mod compose;
mod facts;
mod fold;
mod image;
mod operation;
mod range;
mod relation;
mod select;
mod shape;
mod structure;
mod value;

use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use facts::FEW;
use facts::Facts;
pub use image::Cone;
pub use range::{Limit, Range};
pub(crate) use value::Values;

/// A bit-vector of 1 to 64 bits: a number in the pool of [`Terms`] that made it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(u32);

impl Term {
    /// Its number in the pool, to print it.
    pub fn number(self) -> u32 {
        self.0
    }

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Operations on two terms of one width, with a result of that width.
///
/// Arithmetic wraps. Division is total, as in SMT-LIB: `x UDiv 0` is all ones,
/// `x SDiv 0` is 1 for negative `x` and -1 otherwise, `x URem 0` and `x SRem 0` are
/// `x`; the least number divided by -1 is itself, with remainder 0. A shift by the
/// width or more gives 0 (`Shl`, `LShr`) or copies of the sign (`AShr`).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

impl Binary {
    pub const ALL: [Binary; 13] = [
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::UDiv,
        Binary::SDiv,
        Binary::URem,
        Binary::SRem,
        Binary::Shl,
        Binary::LShr,
        Binary::AShr,
        Binary::And,
        Binary::Or,
        Binary::Xor,
    ];

    fn commutes(self) -> bool {
        matches!(self, Binary::Add | Binary::Mul | Binary::And | Binary::Or | Binary::Xor)
    }
}

/// Relations of two terms of one width; the result has width 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Relation {
    Eq,
    ULt,
    ULe,
    SLt,
    SLe,
}

impl Relation {
    pub const ALL: [Relation; 5] =
        [Relation::Eq, Relation::ULt, Relation::ULe, Relation::SLt, Relation::SLe];
}

/// How a term is made. `Or`, `ULe` and `SLe` are never in the pool (normal form).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    Constant {
        bits: u64,
        width: u8,
    },
    Variable {
        serial: u32,
        width: u8,
    },
    /// One of `sets[set]`, by an index of as few bits as will do.
    Choice {
        serial: u32,
        set: u32,
        width: u8,
    },
    Not(Term),
    Binary(Binary, Term, Term),
    Relate(Relation, Term, Term),
    Select(Term, Term, Term),
    Extract {
        of: Term,
        low: u8,
        width: u8,
    },
    Concat(Term, Term),
    ZeroExtend(Term, u8),
    SignExtend(Term, u8),
}

impl Node {
    /// The terms that the node is made of.
    pub fn operands(self) -> impl Iterator<Item = Term> {
        let operands = match self {
            Node::Constant { .. } | Node::Variable { .. } | Node::Choice { .. } => [None; 3],
            Node::Not(a)
            | Node::Extract { of: a, .. }
            | Node::ZeroExtend(a, _)
            | Node::SignExtend(a, _) => [Some(a), None, None],
            Node::Binary(_, a, b) | Node::Relate(_, a, b) | Node::Concat(a, b) => {
                [Some(a), Some(b), None]
            }
            Node::Select(c, a, b) => [Some(c), Some(a), Some(b)],
        };
        operands.into_iter().flatten()
    }
}

/// The pool.
#[derive(Default)]
pub struct Terms {
    nodes: Vec<Node>,
    facts: Vec<Facts>,
    known: FxHashMap<Node, Term>,
    /// Sorted, without repetition.
    sets: Vec<Arc<[u64]>>,
    known_sets: FxHashMap<Arc<[u64]>, u32>,
    /// Variables that need fewer bits than they have in all that is asked.
    limits: FxHashMap<Term, Limit>,
    /// Number of variables and choices so far.
    serials: u32,
    /// How deep the rules for relations have called themselves.
    depth: u32,
}

/// All bits of a width.
pub(crate) fn mask(width: u32) -> u64 {
    debug_assert!((1..=64).contains(&width), "width {width}");
    u64::MAX >> (64 - width)
}

impl Terms {
    pub fn new() -> Terms {
        Terms::default()
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// 1 to 64.
    pub fn width(&self, t: Term) -> u32 {
        u32::from(self.facts[t.index()].width)
    }

    /// The constant with these bits, cut to the width.
    pub fn constant(&mut self, bits: u64, width: u32) -> Term {
        self.intern(Node::Constant { bits: bits & mask(width), width: width as u8 })
    }

    pub fn as_constant(&self, t: Term) -> Option<u64> {
        match self.node(t) {
            Node::Constant { bits, .. } => Some(bits),
            _ => None,
        }
    }

    /// A constant of width 1.
    pub fn truth(&mut self, b: bool) -> Term {
        self.constant(u64::from(b), 1)
    }

    /// A fresh variable.
    pub fn variable(&mut self, width: u32) -> Term {
        assert!((1..=64).contains(&width), "width {width}");
        let serial = self.next_serial();
        self.intern(Node::Variable { serial, width: width as u8 })
    }

    /// From now on the variable needs no more bits. What was made of it is not simplified, but
    /// its circuits are: before a session has seen it.
    pub fn limit(&mut self, variable: Term, limit: Limit) {
        debug_assert!(matches!(self.node(variable), Node::Variable { .. }));
        if limit.bits < self.width(variable) {
            self.limits.insert(variable, limit);
        }
    }

    pub fn limit_of(&self, variable: Term) -> Limit {
        let all = Limit { bits: self.width(variable), signed: false };
        self.limits.get(&variable).copied().unwrap_or(all)
    }

    /// A fresh variable that takes exactly one of `values`, of which there must be
    /// at least one.
    pub fn choice(&mut self, values: &[u64], width: u32) -> Term {
        let mut values: Vec<u64> = values.iter().map(|value| value & mask(width)).collect();
        values.sort_unstable();
        values.dedup();
        assert!(!values.is_empty(), "a choice of nothing");
        if let [only] = values[..] {
            return self.constant(only, width);
        }
        let serial = self.next_serial();
        let set = self.intern_set(&values);
        self.intern(Node::Choice { serial, set, width: width as u8 })
    }

    /// How it was made.
    pub fn node(&self, t: Term) -> Node {
        self.nodes[t.index()]
    }

    /// The values of a choice, in the order of their codes.
    pub fn set(&self, set: u32) -> &[u64] {
        &self.sets[set as usize]
    }

    fn next_serial(&mut self) -> u32 {
        self.serials += 1;
        self.serials
    }

    fn intern_set(&mut self, values: &[u64]) -> u32 {
        if let Some(&set) = self.known_sets.get(values) {
            return set;
        }
        let set = self.sets.len() as u32;
        let values: Arc<[u64]> = values.into();
        self.sets.push(values.clone());
        self.known_sets.insert(values, set);
        set
    }

    /// The term of a node to which no rule applies. If what is known of the term
    /// leaves one value, the term is that constant.
    fn intern(&mut self, node: Node) -> Term {
        if let Some(&term) = self.known.get(&node) {
            return term;
        }
        let facts = self.facts_of(node);
        if !matches!(node, Node::Constant { .. })
            && let Some(bits) = facts.only_value()
        {
            let term = self.constant(bits, u32::from(facts.width));
            self.known.insert(node, term);
            return term;
        }
        let term = Term(u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms"));
        self.nodes.push(node);
        self.facts.push(facts);
        self.known.insert(node, term);
        term
    }
}
