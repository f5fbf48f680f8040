//! Writes down what CaDiCaL does.

use std::cell::RefCell;
use std::io::{self, Write};
use std::rc::Rc;

use cadical_sys::ProofTracer;
use rustc_hash::FxHashSet;

use crate::order::Theory;

/// A proof under way. What goes wrong with it is told by [`Record::finish`].
pub struct Record {
    out: Box<dyn Write>,
    error: Option<io::Error>,
    theory: Option<Rc<RefCell<Theory>>>,
    /// Clauses that the solver set aside: it may come back to them.
    aside: FxHashSet<i64>,
    /// A clause was added that does not follow.
    strange: bool,
}

impl Record {
    pub fn new(out: Box<dyn Write>) -> Record {
        Record { out, error: None, theory: None, aside: FxHashSet::default(), strange: false }
    }

    /// Where clauses of the theory get their reasons from.
    pub(crate) fn explained_by(&mut self, theory: Rc<RefCell<Theory>>) {
        self.theory = Some(theory);
    }

    pub(crate) fn question(&mut self, assumptions: &[i32]) {
        self.line("q", None, assumptions, "");
    }

    /// Whether all is there.
    pub fn finish(&mut self) -> io::Result<()> {
        if self.strange {
            self.fail(io::Error::other("the solver took a step that can't be checked"));
        }
        let flushed = self.out.flush();
        self.error.take().map_or(flushed, Err)
    }

    fn fail(&mut self, error: io::Error) {
        self.error.get_or_insert(error);
    }

    fn line(&mut self, kind: &str, id: Option<i64>, literals: &[i32], rest: &str) {
        if self.error.is_some() {
            return;
        }
        let mut line = kind.to_string();
        let id = id.iter().map(ToString::to_string);
        for word in id.chain(literals.iter().map(ToString::to_string)) {
            line.push(' ');
            line.push_str(&word);
        }
        line.push_str(" 0");
        if !rest.is_empty() {
            line.push(' ');
            line.push_str(rest);
        }
        line.push('\n');
        if let Err(error) = self.out.write_all(line.as_bytes()) {
            self.fail(error);
        }
    }

    fn derived(&mut self, id: i64, clause: &[i32], antecedents: &[i64]) {
        let mut rest = String::new();
        for antecedent in antecedents {
            rest.push_str(&format!("{antecedent} "));
        }
        rest.push('0');
        self.line("a", Some(id), clause, &rest);
    }
}

impl ProofTracer for Record {
    fn add_original_clause(&mut self, id: i64, _: bool, clause: &[i32], _: bool) {
        if self.aside.contains(&id) {
            return;
        }
        let lemma = self.theory.as_ref().and_then(|theory| theory.borrow_mut().lemma(clause));
        match lemma {
            Some(lemma) => self.line("t", Some(id), clause, &lemma.to_string()),
            None => self.line("o", Some(id), clause, ""),
        }
    }

    fn add_derived_clause(&mut self, id: i64, _: bool, witness: i32, clause: &[i32], by: &[i64]) {
        self.strange |= witness != 0;
        self.derived(id, clause, by);
    }

    fn delete_clause(&mut self, id: i64, _: bool, _: &[i32]) {
        if !self.aside.contains(&id) {
            self.line("d", Some(id), &[], "");
        }
    }

    fn weaken_minus(&mut self, id: i64, _: &[i32]) {
        self.aside.insert(id);
    }

    fn strengthen(&mut self, _: i64) {}
    fn finalize_clause(&mut self, _: i64, _: &[i32]) {}
    fn add_assumption(&mut self, _: i32) {}

    fn add_constraint(&mut self, _: &[i32]) {
        self.strange = true;
    }

    fn reset_assumptions(&mut self) {}

    fn add_assumption_clause(&mut self, id: i64, clause: &[i32], antecedents: &[i64]) {
        self.derived(id, clause, antecedents);
    }

    fn conclude_sat(&mut self, _: i32, model: &[i32]) {
        self.line("s", None, model, "");
    }

    fn conclude_unsat(&mut self, _: i32, ids: &[i64]) {
        match ids {
            [id] => self.line("u", Some(*id), &[], ""),
            _ => self.strange = true,
        }
    }

    fn conclude_unknown(&mut self, _: &[i32]) {}
}
