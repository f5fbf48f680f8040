//! Constraints on terms, and their models.

use std::io::{self, Write};

use rustc_hash::FxHashMap;

use crate::blast::{Blaster, chosen};
use crate::cnf::Cnf;
use crate::gates::{FALSE, Lit, TRUE};
use crate::solver::{Answer, Solver};
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
    /// All constraints, to write them out.
    asserted: Vec<Lit>,
    /// Variables and choices in the last model. What is not there is 0, or the least
    /// value of a choice.
    model: FxHashMap<Term, u64>,
    /// Values of terms in that model.
    values: Values,
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
        let lit = self.truth(terms, t);
        self.asserted.push(lit);
        let Session { solver, blaster, cnf, .. } = self;
        cnf.assert(&blaster.gates, lit, &mut |clause| solver.add_clause(clause));
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

    /// Writes the constraints, and the assumptions as unit clauses, in DIMACS format.
    pub fn dump(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        out: &mut impl Write,
    ) -> io::Result<()> {
        let mut lits = self.asserted.clone();
        for &assumption in assumptions {
            lits.push(self.truth(terms, assumption));
        }
        let mut cnf = Cnf::default();
        let mut clauses: Vec<i32> = Vec::new();
        for lit in lits {
            cnf.assert(&self.blaster.gates, lit, &mut |clause| {
                clauses.extend_from_slice(clause);
                clauses.push(0);
            });
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
                debug_assert!(input != TRUE && input != FALSE);
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
