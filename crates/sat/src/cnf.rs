//! Gates to clauses: Tseitin's encoding ("On the complexity of derivation in
//! propositional calculus", 1968) of the gates that an asserted or assumed literal
//! depends on, and of no others, as they come to be needed.
//!
//! 1. Exclusive-or, multiplexer and majority gates have clauses of their own; the
//!    multiplexer also the two that follow from the others but help propagation.
//! 2. A conjunction takes in operands that are conjunctions of no other use.
//! 3. What is asserted is taken apart: a conjunction into its operands, a
//!    disjunction into one clause.

use crate::gates::{FALSE, Gate, Gates, Lit, TRUE};

/// What takes the clauses.
pub type Sink<'a> = dyn FnMut(&[i32]) + 'a;

#[derive(Default)]
pub struct Cnf {
    /// The solver's variable of each gate; 0 if it has none.
    variables: Vec<i32>,
    last: i32,
    pub clauses: u64,
}

impl Cnf {
    pub fn variable_count(&self) -> usize {
        self.last as usize
    }

    /// The variable of a gate, with its sign; 0 if there is none (yet).
    pub fn existing(&self, lit: Lit) -> i32 {
        let variable = self.variables.get(lit.gate()).copied().unwrap_or(0);
        if lit.complemented() { -variable } else { variable }
    }

    /// Clauses that make the literal true.
    pub fn assert(&mut self, gates: &Gates, lit: Lit, sink: &mut Sink) {
        let mut todo = vec![lit];
        while let Some(lit) = todo.pop() {
            if lit == TRUE {
                continue;
            }
            if lit == FALSE {
                self.clause(&[], sink);
                continue;
            }
            match gates.gate(lit) {
                Gate::And(a, b) if !lit.complemented() => todo.extend([b, a]),
                Gate::And(..) if self.existing(lit) == 0 => {
                    let operands = self.conjuncts(gates, lit);
                    let clause: Vec<i32> = operands
                        .iter()
                        .map(|&operand| -self.literal(gates, operand, sink))
                        .collect();
                    self.clause(&clause, sink);
                }
                _ => {
                    let unit = self.literal(gates, lit, sink);
                    self.clause(&[unit], sink);
                }
            }
        }
    }

    /// Clauses that make one of the literals true. Disjunctions among them are taken
    /// apart, if they have no variable yet.
    pub fn assert_any(&mut self, gates: &Gates, lits: &[Lit], sink: &mut Sink) {
        if let [lit] = lits {
            return self.assert(gates, *lit, sink);
        }
        let mut parts = Vec::new();
        for &lit in lits {
            match gates.gate(lit) {
                Gate::True if lit == TRUE => return,
                Gate::True => {}
                Gate::And(..) if lit.complemented() && self.existing(lit) == 0 => {
                    parts.extend(self.conjuncts(gates, lit).into_iter().map(|part| !part));
                }
                _ => parts.push(lit),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        if parts.windows(2).any(|pair| pair[0] == !pair[1]) {
            return;
        }
        let clause: Vec<i32> = parts.iter().map(|&part| self.literal(gates, part, sink)).collect();
        self.clause(&clause, sink);
    }

    /// The solver's literal, after the clauses of everything that it depends on.
    pub fn literal(&mut self, gates: &Gates, lit: Lit, sink: &mut Sink) -> i32 {
        if self.variables.len() < gates.len() {
            self.variables.resize(gates.len(), 0);
        }
        let mut stack = vec![lit];
        while let Some(&top) = stack.last() {
            if self.variables[top.gate()] != 0 {
                stack.pop();
                continue;
            }
            let gate = gates.gate(top);
            let operands = match gate {
                Gate::True | Gate::Input => Vec::new(),
                Gate::And(..) => self.conjuncts(gates, top),
                Gate::Xor(a, b) => vec![a, b],
                Gate::If(a, b, c) | Gate::Majority(a, b, c) => vec![a, b, c],
            };
            let open = stack.len();
            stack.extend(operands.iter().filter(|lit| self.variables[lit.gate()] == 0));
            if stack.len() == open {
                let operands: Vec<i32> = operands.iter().map(|&lit| self.existing(lit)).collect();
                self.last += 1;
                self.variables[top.gate()] = self.last;
                self.define(gate, self.last, &operands, sink);
                stack.pop();
            }
        }
        self.existing(lit)
    }

    /// Operands of the conjunction, through conjunctions that nothing else uses.
    fn conjuncts(&self, gates: &Gates, lit: Lit) -> Vec<Lit> {
        let mut operands = Vec::new();
        let mut todo = vec![lit.flipped(lit.complemented())];
        while let Some(next) = todo.pop() {
            match gates.gate(next) {
                Gate::And(a, b)
                    if !next.complemented()
                        && (next.gate() == lit.gate()
                            || gates.is_private(next) && self.existing(next) == 0) =>
                {
                    todo.extend([b, a]);
                }
                _ => operands.push(next),
            }
        }
        operands.sort_unstable();
        operands.dedup();
        operands
    }

    /// Clauses that say that `g` is the gate's output.
    fn define(&mut self, gate: Gate, g: i32, operands: &[i32], sink: &mut Sink) {
        match (gate, operands) {
            (Gate::True, _) => self.clause(&[g], sink),
            (Gate::Input, _) => {}
            (Gate::And(..), operands) => {
                for &operand in operands {
                    self.clause(&[-g, operand], sink);
                }
                let mut long: Vec<i32> = operands.iter().map(|operand| -operand).collect();
                long.push(g);
                self.clause(&long, sink);
            }
            (Gate::Xor(..), &[a, b]) => {
                for clause in [[-g, a, b], [-g, -a, -b], [g, -a, b], [g, a, -b]] {
                    self.clause(&clause, sink);
                }
            }
            (Gate::If(..), &[c, a, b]) => {
                for clause in [[-g, -c, a], [g, -c, -a], [-g, c, b], [g, c, -b]] {
                    self.clause(&clause, sink);
                }
                self.clause(&[-g, a, b], sink);
                self.clause(&[g, -a, -b], sink);
            }
            (Gate::Majority(..), &[a, b, c]) => {
                for (a, b) in [(a, b), (a, c), (b, c)] {
                    self.clause(&[-g, a, b], sink);
                    self.clause(&[g, -a, -b], sink);
                }
            }
            _ => unreachable!("{gate:?} of {operands:?}"),
        }
    }

    fn clause(&mut self, literals: &[i32], sink: &mut Sink) {
        self.clauses += 1;
        sink(literals);
    }
}
