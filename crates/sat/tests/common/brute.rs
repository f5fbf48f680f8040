//! A solver that tries every assignment.

use heddle_sat::{Answer, Solver};

#[derive(Default)]
pub struct Brute {
    clauses: Vec<Vec<i32>>,
    variables: u32,
    model: u64,
    assumptions: Vec<i32>,
}

impl Brute {
    fn holds(model: u64, lit: i32) -> bool {
        (model >> (lit.unsigned_abs() - 1) & 1 == 1) == (lit > 0)
    }

    fn note(&mut self, lits: &[i32]) {
        let last = lits.iter().map(|lit| lit.unsigned_abs()).max().unwrap_or(0);
        self.variables = self.variables.max(last);
    }

    fn search(
        &self,
        assumptions: &[i32],
        watch: &mut dyn FnMut() -> bool,
    ) -> Result<Option<u64>, ()> {
        if self.clauses.iter().any(Vec::is_empty) {
            return Ok(None);
        }
        for model in 0..1 << self.variables {
            if model % 1024 == 0 && watch() {
                return Err(());
            }
            let holds = |&lit: &i32| Brute::holds(model, lit);
            let satisfied = self.clauses.iter().all(|clause| clause.iter().any(holds));
            if satisfied && assumptions.iter().all(holds) {
                return Ok(Some(model));
            }
        }
        Ok(None)
    }
}

impl Solver for Brute {
    fn add_clause(&mut self, lits: &[i32]) {
        self.note(lits);
        self.clauses.push(lits.to_vec());
    }

    fn solve(&mut self, assumptions: &[i32], watch: &mut dyn FnMut() -> bool) -> Answer {
        self.note(assumptions);
        self.assumptions = assumptions.to_vec();
        match self.search(assumptions, watch) {
            Ok(Some(model)) => {
                self.model = model;
                Answer::Sat
            }
            Ok(None) => Answer::Unsat,
            Err(()) => Answer::Unknown,
        }
    }

    fn value(&self, lit: i32) -> bool {
        Brute::holds(self.model, lit)
    }

    /// Drops assumptions from the front as long as the rest cannot hold.
    fn failed(&self, lit: i32) -> bool {
        let mut core = self.assumptions.clone();
        let mut next = 0;
        while next < core.len() {
            let mut fewer = core.clone();
            fewer.remove(next);
            match self.search(&fewer, &mut || false) {
                Ok(None) => core = fewer,
                _ => next += 1,
            }
        }
        core.contains(&lit)
    }
}
