//! What Heddle asks of a SAT solver.

use crate::order::{Effort, Orders};

/// The outcome of a search for a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    Sat,
    Unsat,
    /// The search was given up.
    Unknown,
}

/// How much work the solver did so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    pub conflicts: u64,
    pub decisions: u64,
    pub propagations: u64,
}

/// An incremental SAT solver. Literals are as in DIMACS: a variable, from 1 on, or its
/// negative.
pub trait Solver {
    fn add_clause(&mut self, lits: &[i32]);

    /// Searches for a model of all clauses and assumptions; the assumptions are then
    /// forgotten. `watch` is asked now and then, and ends the search by `true`.
    fn solve(&mut self, assumptions: &[i32], watch: &mut dyn FnMut() -> bool) -> Answer;

    /// The literal in the model. Only after `Sat`, until the next clause; a variable
    /// that no clause has may have either value.
    fn value(&self, lit: i32) -> bool;

    /// Whether the assumption was needed to refute. Only after `Unsat`, until the
    /// next clause.
    fn failed(&self, lit: i32) -> bool;

    fn statistics(&self) -> Statistics {
        Statistics::default()
    }

    /// Sets an option of the solver by its own name for it, before the first clause.
    /// False if there is no such option, or it is too late.
    fn set_option(&mut self, name: &str, value: i32) -> bool {
        let _ = (name, value);
        false
    }
}

/// A solver whose models can be made to keep orders.
pub trait OrderSolver: Solver {
    /// From now on they do. Once, between searches.
    fn keep(&mut self, orders: &Orders<i32>);

    /// What was done about them, if somebody counts.
    fn effort(&self) -> Option<Effort> {
        None
    }

    /// The last model is none, for this reason.
    fn refuse(&mut self, why: &str) {
        panic!("{why}");
    }
}
