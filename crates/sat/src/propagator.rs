//! The theory of orders as a propagator of CaDiCaL, through IPASIR-UP (Fazekas, Niemetz,
//! Preiner, Kirchweger, Szeider and Biere, "IPASIR-UP: User Propagators for CDCL", SAT 2023).

use std::cell::RefCell;
use std::rc::Rc;

use cadical_sys::ExternalPropagator;

use crate::order::Theory;

pub struct Propagator {
    theory: Rc<RefCell<Theory>>,
    /// The clause that is being handed over, from its end.
    clause: Vec<i32>,
    /// The same of a reason, and which literal it is for.
    reason: Option<(i32, Vec<i32>)>,
}

impl Propagator {
    pub fn new(theory: Rc<RefCell<Theory>>) -> Propagator {
        Propagator { theory, clause: Vec::new(), reason: None }
    }
}

impl ExternalPropagator for Propagator {
    fn are_reasons_forgettable(&mut self) -> bool {
        true
    }

    fn notify_assignment(&mut self, lits: &[i32]) {
        self.theory.borrow_mut().assign(lits);
    }

    fn notify_new_decision_level(&mut self) {
        self.theory.borrow_mut().new_level();
    }

    fn notify_backtrack(&mut self, new_level: usize) {
        self.theory.borrow_mut().backtrack(new_level);
    }

    fn cb_check_found_model(&mut self, _: &[i32]) -> bool {
        self.theory.borrow_mut().accepts()
    }

    fn cb_decide(&mut self) -> i32 {
        self.theory.borrow().decide().unwrap_or(0)
    }

    fn cb_propagate(&mut self) -> i32 {
        self.theory.borrow_mut().propagate().unwrap_or(0)
    }

    fn cb_add_reason_clause_lit(&mut self, propagated: i32) -> i32 {
        if self.reason.as_ref().is_none_or(|reason| reason.0 != propagated) {
            self.reason = Some((propagated, self.theory.borrow_mut().reason(propagated)));
        }
        let next = self.reason.as_mut().and_then(|reason| reason.1.pop());
        if next.is_none() {
            self.reason = None;
        }
        next.unwrap_or(0)
    }

    fn cb_has_external_clause(&mut self, is_forgettable: &mut bool) -> bool {
        let Some(clause) = self.theory.borrow_mut().conflict() else { return false };
        *is_forgettable = true;
        self.clause = clause;
        true
    }

    fn cb_add_external_clause_lit(&mut self) -> i32 {
        self.clause.pop().unwrap_or(0)
    }
}
