//! Constraints on terms, and their models.

use std::io::{self, Write};

use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::blast::{Blaster, chosen};
use crate::cnf::Cnf;
use crate::gates::{FALSE, Lit, TRUE};
use crate::order::Orders;
use crate::solver::{Answer, OrderSolver, Solver};
use crate::term::{Node, Term, Terms, Values};

/// How large the formula is so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Size {
    pub variables: usize,
    pub clauses: u64,
    pub gates: usize,
}

/// A solver with constraints over the terms of one pool. All calls must be with the
/// same pool, which may grow between them.
pub struct Session<S: Solver> {
    solver: S,
    blaster: Blaster,
    cnf: Cnf,
    /// All constraints, to write them out: one of the literals holds.
    asserted: Vec<SmallVec<[Lit; 3]>>,
    /// Variables and choices in the last model. What is not there is 0, or the least
    /// value of a choice.
    model: FxHashMap<Term, u64>,
    /// Values of terms in that model.
    values: Values,
}

impl<S: OrderSolver> Session<S> {
    /// Models keep these orders from now on. Once, before the first search.
    pub fn keep(&mut self, terms: &Terms, orders: &Orders<Term>) {
        let orders = orders.map(&mut |when| {
            let lit = self.truth(terms, when);
            self.literal(lit)
        });
        self.solver.keep(&orders);
    }
}

impl<S: Solver> Session<S> {
    pub fn new(solver: S) -> Session<S> {
        Session {
            solver,
            blaster: Blaster::new(),
            cnf: Cnf::default(),
            asserted: Vec::new(),
            model: FxHashMap::default(),
            values: Values::default(),
        }
    }

    pub fn solver(&self) -> &S {
        &self.solver
    }

    pub fn solver_mut(&mut self) -> &mut S {
        &mut self.solver
    }

    /// Constrains the truth `t` to hold, for good.
    pub fn assert(&mut self, terms: &Terms, t: Term) {
        self.assert_any(terms, &[t]);
    }

    /// Constrains one of the truths to hold, for good.
    pub fn assert_any(&mut self, terms: &Terms, any: &[Term]) {
        let lits = any.iter().map(|&t| self.truth(terms, t)).collect();
        self.assert_lits(lits);
    }

    /// Constrains two terms of the same width to be equal where the truth `when` holds,
    /// bit by bit: that takes no gates.
    pub fn assert_equal_if(&mut self, terms: &Terms, when: Term, a: Term, b: Term) {
        assert_eq!(terms.width(a), terms.width(b), "widths of terms that are equal");
        let when = self.truth(terms, when);
        if when == FALSE {
            return;
        }
        // It has many uses, so it gets a variable.
        self.literal(when);
        let unless = !when;
        let a = self.blaster.bits(terms, a).to_vec();
        let b = self.blaster.bits(terms, b).to_vec();
        for (a, b) in a.into_iter().zip(b) {
            if a != b {
                self.assert_lits(smallvec![unless, a, !b]);
                self.assert_lits(smallvec![unless, !a, b]);
            }
        }
    }

    fn assert_lits(&mut self, lits: SmallVec<[Lit; 3]>) {
        let Session { solver, blaster, cnf, .. } = self;
        cnf.assert_any(&blaster.gates, &lits, &mut |clause| solver.add_clause(clause));
        self.asserted.push(lits);
    }

    /// Searches for a model of what was asserted in which the assumptions hold too.
    /// `watch` is asked now and then, and ends the search by `true`.
    pub fn solve(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        watch: &mut dyn FnMut() -> bool,
    ) -> Answer {
        let mut lits = Vec::with_capacity(assumptions.len());
        for &assumption in assumptions {
            let lit = self.truth(terms, assumption);
            if lit != TRUE {
                lits.push(self.literal(lit));
            }
        }
        let answer = self.solver.solve(&lits, watch);
        if answer == Answer::Sat {
            self.read_model(terms);
        }
        answer
    }

    /// Whether the assumption was needed to refute. Only after `Unsat`, until the next
    /// assertion.
    pub fn failed(&mut self, terms: &Terms, assumption: Term) -> bool {
        let lit = self.truth(terms, assumption);
        match self.cnf.existing(lit) {
            0 => false,
            literal => self.solver.failed(literal),
        }
    }

    /// The value of any term in the last model. Variables that are in no constraint
    /// count as 0, choices as their least value. Before the first model all do.
    pub fn value(&mut self, terms: &Terms, t: Term) -> u64 {
        let model = &self.model;
        // `evaluate` takes 0 for the least value of a choice that has no 0.
        let vars = |t: Term| model.get(&t).copied().unwrap_or(0);
        terms.evaluate_with(t, &vars, &mut self.values)
    }

    pub fn statistics(&self) -> Size {
        Size {
            variables: self.cnf.variable_count(),
            clauses: self.cnf.clauses,
            gates: self.blaster.gates.len(),
        }
    }

    /// Writes the constraints, and the assumptions as unit clauses, in DIMACS format. In
    /// front of them, as comments, the literals of terms that have names, lowest bit first;
    /// `-` for those that are in no clause.
    pub fn dump(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        names: &[(String, Term)],
        out: &mut impl Write,
    ) -> io::Result<()> {
        let mut all = self.asserted.clone();
        for &assumption in assumptions {
            all.push(smallvec![self.truth(terms, assumption)]);
        }
        let mut cnf = Cnf::default();
        let mut clauses: Vec<i32> = Vec::new();
        for lits in all {
            cnf.assert_any(&self.blaster.gates, &lits, &mut |clause| {
                clauses.extend_from_slice(clause);
                clauses.push(0);
            });
        }
        for (name, term) in names {
            write!(out, "c {name}:")?;
            for &bit in self.blaster.bits(terms, *term) {
                match (bit, cnf.existing(bit)) {
                    (TRUE, _) => write!(out, " true")?,
                    (FALSE, _) => write!(out, " false")?,
                    (_, 0) => write!(out, " -")?,
                    (_, literal) => write!(out, " {literal}")?,
                }
            }
            writeln!(out)?;
        }
        writeln!(out, "p cnf {} {}", cnf.variable_count(), cnf.clauses)?;
        for literal in clauses {
            match literal {
                0 => writeln!(out, "0")?,
                _ => write!(out, "{literal} ")?,
            }
        }
        Ok(())
    }

    fn truth(&mut self, terms: &Terms, t: Term) -> Lit {
        assert_eq!(terms.width(t), 1, "width of a truth");
        self.blaster.bits(terms, t)[0]
    }

    fn literal(&mut self, lit: Lit) -> i32 {
        let Session { solver, blaster, cnf, .. } = self;
        cnf.literal(&blaster.gates, lit, &mut |clause| solver.add_clause(clause))
    }

    /// Takes down the variables, since the solver forgets the model with the next
    /// clause.
    fn read_model(&mut self, terms: &Terms) {
        self.model.clear();
        self.values.clear();
        for (term, inputs) in &self.blaster.inputs {
            let mut bits = 0;
            for (place, &input) in inputs.iter().enumerate() {
                let variable = self.cnf.existing(input);
                if variable != 0 && self.solver.value(variable) {
                    bits |= 1 << place;
                }
            }
            let value = match terms.node(*term) {
                Node::Choice { set, .. } => {
                    let values = terms.set(set);
                    values[chosen(bits, values.len())]
                }
                _ => bits,
            };
            self.model.insert(*term, value);
        }
    }
}
