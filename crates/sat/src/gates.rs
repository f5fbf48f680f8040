//! A graph of gates with complemented edges, hash-consed and simplified locally.
//!
//! An and-inverter graph (Kuehlmann et al., "Robust Boolean Reasoning", TCAD 2002)
//! with native exclusive-or, multiplexer and majority gates, because these have
//! better clauses than the conjunctions they stand for.

use rustc_hash::FxHashMap;

/// A gate or its complement (lowest bit).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(u32);

pub const TRUE: Lit = Lit(0);
pub const FALSE: Lit = Lit(1);

impl Lit {
    pub fn truth(b: bool) -> Lit {
        if b { TRUE } else { FALSE }
    }

    pub fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub fn complemented(self) -> bool {
        self.0 & 1 == 1
    }

    /// The complement if `flip`.
    pub fn flipped(self, flip: bool) -> Lit {
        Lit(self.0 ^ u32::from(flip))
    }

    fn plain(self) -> Lit {
        Lit(self.0 & !1)
    }
}

impl std::ops::Not for Lit {
    type Output = Lit;

    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Gate {
    True,
    Input,
    /// Operands in order.
    And(Lit, Lit),
    /// Operands in order and not complemented.
    Xor(Lit, Lit),
    /// `If(c, a, b)`: `a` if `c`, else `b`; `c` and `a` are not complemented.
    If(Lit, Lit, Lit),
    /// Operands in order, at most one complemented.
    Majority(Lit, Lit, Lit),
}

pub struct Gates {
    gates: Vec<Gate>,
    known: FxHashMap<Gate, Lit>,
    /// How many gates have the gate as operand; not more than 2 are counted.
    uses: Vec<u8>,
}

impl Gates {
    pub fn new() -> Gates {
        Gates { gates: vec![Gate::True], known: FxHashMap::default(), uses: vec![2] }
    }

    pub fn len(&self) -> usize {
        self.gates.len()
    }

    pub fn gate(&self, lit: Lit) -> Gate {
        self.gates[lit.gate()]
    }

    /// Whether at most one other gate has it as operand.
    pub fn is_private(&self, lit: Lit) -> bool {
        self.uses[lit.gate()] < 2
    }

    pub fn input(&mut self) -> Lit {
        self.push(Gate::Input)
    }

    fn push(&mut self, gate: Gate) -> Lit {
        let index = u32::try_from(self.gates.len()).expect("fewer than 2^31 gates");
        assert!(index < 1 << 31, "fewer than 2^31 gates");
        self.gates.push(gate);
        self.uses.push(0);
        Lit(index << 1)
    }

    fn intern(&mut self, gate: Gate) -> Lit {
        if let Some(&lit) = self.known.get(&gate) {
            return lit;
        }
        let lit = self.push(gate);
        self.known.insert(gate, lit);
        let operands = match gate {
            Gate::True | Gate::Input => [TRUE; 3],
            Gate::And(a, b) | Gate::Xor(a, b) => [a, b, TRUE],
            Gate::If(a, b, c) | Gate::Majority(a, b, c) => [a, b, c],
        };
        for operand in operands {
            let uses = &mut self.uses[operand.gate()];
            *uses = (*uses + 1).min(2);
        }
        lit
    }

    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == TRUE || a == b {
            return b;
        }
        if a == FALSE || a == !b {
            return FALSE;
        }
        for (a, b) in [(a, b), (b, a)] {
            if let Gate::And(x, y) = self.gate(b) {
                match b.complemented() {
                    false if x == a || y == a => return b,
                    false if x == !a || y == !a => return FALSE,
                    true if x == !a || y == !a => return a,
                    true if x == a => return self.and(a, !y),
                    true if y == a => return self.and(a, !x),
                    _ => {}
                }
            }
        }
        self.intern(Gate::And(a, b))
    }

    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let flip = a.complemented() != b.complemented();
        let (a, b) = (a.plain(), b.plain());
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == b {
            return FALSE.flipped(flip);
        }
        if a == TRUE {
            return b.flipped(!flip);
        }
        for (a, b) in [(a, b), (b, a)] {
            if let Gate::Xor(x, y) = self.gate(b) {
                if x == a {
                    return y.flipped(flip);
                }
                if y == a {
                    return x.flipped(flip);
                }
            }
        }
        self.intern(Gate::Xor(a, b)).flipped(flip)
    }

    /// `a` if `c`, else `b`.
    pub fn choose(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        let (c, a, b) = if c.complemented() { (!c, b, a) } else { (c, a, b) };
        if c == TRUE || a == b {
            return a;
        }
        if a == !b {
            return self.xor(c, b);
        }
        if a == TRUE || a == c {
            return self.or(c, b);
        }
        if a == FALSE || a == !c {
            return self.and(!c, b);
        }
        if b == FALSE || b == c {
            return self.and(c, a);
        }
        if b == TRUE || b == !c {
            return self.or(!c, a);
        }
        // A branch that is a choice by the same condition is decided.
        let a = match self.gate(a) {
            Gate::If(d, x, _) if d == c => x.flipped(a.complemented()),
            _ => a,
        };
        let b = match self.gate(b) {
            Gate::If(d, _, y) if d == c => y.flipped(b.complemented()),
            _ => b,
        };
        if a == b || a == !b {
            return self.choose(c, a, b);
        }
        let flip = a.complemented();
        self.intern(Gate::If(c, a.flipped(flip), b.flipped(flip))).flipped(flip)
    }

    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut lits = [a, b, c];
        lits.sort_unstable();
        let [a, b, c] = lits;
        if a == TRUE {
            return self.or(b, c);
        }
        if a == FALSE {
            return self.and(b, c);
        }
        if a == b || b == c {
            return b;
        }
        if a == !b {
            return c;
        }
        if b == !c {
            return a;
        }
        // The carry where both numbers go on with their signs stays what it is.
        for (inner, [x, y]) in [(a, [b, c]), (b, [a, c]), (c, [a, b])] {
            if let Gate::Majority(p, q, r) = self.gate(inner) {
                let of = [p, q, r].map(|lit| lit.flipped(inner.complemented()));
                if of.contains(&x) && of.contains(&y) {
                    return inner;
                }
            }
        }
        let complemented = lits.iter().filter(|lit| lit.complemented()).count();
        let flip = complemented >= 2;
        let [a, b, c] = lits.map(|lit| lit.flipped(flip));
        self.intern(Gate::Majority(a, b, c)).flipped(flip)
    }

    /// Sum and carry.
    pub fn full_adder(&mut self, a: Lit, b: Lit, c: Lit) -> (Lit, Lit) {
        let half = self.xor(a, b);
        (self.xor(half, c), self.majority(a, b, c))
    }
}
