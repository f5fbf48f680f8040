//! The formula under way: a bounded program and what holds in every run of it.

use heddle_sat::{Relation, Term, Terms};
use heddle_semantics::MemoryModel;
use smallvec::SmallVec;

use crate::bounded::{Bounded, Event};
use crate::encodings::stores::{Stores, find_stores};
use crate::symbolic::Symbolic;
use crate::unfold::facts::Cell;
use crate::unfold::objects::Objects;
use crate::watch::{Stop, Watch};

/// What holds in every run.
pub(crate) enum Constraint {
    /// At least one of these.
    Any(SmallVec<[Term; 3]>),
    /// The two are equal if `when` holds.
    Equal { when: Term, a: Term, b: Term },
}

pub(crate) struct Formula<'a, M: MemoryModel> {
    pub bounded: &'a Bounded,
    pub objects: &'a Objects,
    pub symbolic: Symbolic,
    pub model: M,
    pub watch: &'a Watch,
    /// What was not handed to a solver yet.
    pub constraints: Vec<Constraint>,
    /// For each thread, its stores that may wait.
    pub stores: Vec<Stores>,
}

impl<'a, M: MemoryModel> Formula<'a, M> {
    pub fn new(
        bounded: &'a Bounded,
        objects: &'a Objects,
        symbolic: Symbolic,
        model: M,
        watch: &'a Watch,
    ) -> Result<Formula<'a, M>, Stop> {
        let (constraints, stores) = (Vec::new(), Vec::new());
        let mut formula = Formula { bounded, objects, symbolic, model, watch, constraints, stores };
        formula.stores = find_stores(&mut formula)?;
        Ok(formula)
    }

    pub fn terms(&mut self) -> &mut Terms {
        &mut self.symbolic.terms
    }

    pub fn threads(&self) -> usize {
        self.bounded.threads.len()
    }

    pub fn points(&self, thread: usize) -> usize {
        self.bounded.threads[thread].points as usize
    }

    pub fn event(&self, thread: usize, index: u32) -> &'a Event {
        &self.bounded.threads[thread].events[index as usize]
    }

    /// A new truth.
    pub fn truth(&mut self) -> Term {
        self.symbolic.terms.variable(1)
    }

    pub fn truths(&mut self, count: usize) -> Vec<Term> {
        (0..count).map(|_| self.truth()).collect()
    }

    pub fn not(&mut self, a: Term) -> Term {
        self.symbolic.terms.not(a)
    }

    pub fn and(&mut self, a: Term, b: Term) -> Term {
        self.symbolic.terms.and(a, b)
    }

    /// A variable of so many bits for what is in a cell.
    pub fn content(&mut self, cell: Cell, width: u32) -> Term {
        let value = self.symbolic.terms.variable(width);
        if let Some(&limit) = self.bounded.bits.get(&cell) {
            self.symbolic.terms.limit(value, limit);
        }
        value
    }

    /// The first but not the second.
    pub fn and_not(&mut self, a: Term, b: Term) -> Term {
        let b = self.symbolic.terms.not(b);
        self.symbolic.terms.and(a, b)
    }

    pub fn or(&mut self, a: Term, b: Term) -> Term {
        self.symbolic.terms.or(a, b)
    }

    pub fn always(&mut self) -> Term {
        self.symbolic.terms.truth(true)
    }

    pub fn never(&mut self) -> Term {
        self.symbolic.terms.truth(false)
    }

    pub fn is_never(&self, condition: Term) -> bool {
        self.symbolic.terms.as_constant(condition) == Some(0)
    }

    /// `when` holds, and the cell that says whether an object is gone says so.
    pub fn is_gone(&mut self, life: Term, when: Term) -> Term {
        let gone = self.symbolic.equals(life, 1);
        self.symbolic.terms.and(when, gone)
    }

    /// At least one of these holds.
    pub fn any(&mut self, conditions: &[Term]) {
        self.constraints.push(Constraint::Any(conditions.into()));
    }

    /// `when` implies `then`.
    pub fn imply(&mut self, when: Term, then: Term) {
        let not = self.symbolic.terms.not(when);
        if self.symbolic.terms.as_constant(not) != Some(1) {
            self.any(&[not, then]);
        }
    }

    /// `when` implies that one of `then` holds.
    pub fn imply_any(&mut self, when: Term, then: &[Term]) {
        let not = self.symbolic.terms.not(when);
        if self.symbolic.terms.as_constant(not) != Some(1) {
            let mut any: SmallVec<[Term; 3]> = SmallVec::from_slice(&[not]);
            any.extend_from_slice(then);
            self.constraints.push(Constraint::Any(any));
        }
    }

    /// One more turn or slot of a thread: which of its points are passed by the end of it.
    /// What was passed stays so, and points are passed in order.
    pub fn move_on(&mut self, rows: &mut [Vec<Term>]) {
        let mut earlier = None;
        for row in rows {
            let now = self.truth();
            if let Some(&before) = row.last() {
                self.imply(before, now);
            }
            if let Some(earlier) = earlier {
                self.imply(now, earlier);
            }
            row.push(now);
            earlier = Some(now);
        }
    }

    /// At most one of these holds.
    pub fn at_most_one(&mut self, conditions: &[Term]) {
        let excluded: Vec<Term> = conditions.iter().map(|&c| self.symbolic.terms.not(c)).collect();
        for (at, &first) in excluded.iter().enumerate() {
            for &second in &excluded[at + 1..] {
                self.any(&[first, second]);
            }
        }
    }

    /// `when` implies that two terms are equal.
    pub fn equal_if(&mut self, when: Term, a: Term, b: Term) {
        let terms = &mut self.symbolic.terms;
        if terms.as_constant(when) == Some(0) || a == b {
            return;
        }
        // Terms with few values are compared by their codes.
        if terms.values(a).is_some() || terms.values(b).is_some() {
            let equal = terms.relate(Relation::Eq, a, b);
            self.imply(when, equal);
        } else {
            self.constraints.push(Constraint::Equal { when, a, b });
        }
    }
}
