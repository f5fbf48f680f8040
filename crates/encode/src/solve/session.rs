//! A formula and its solver: what the runs of one bounded program show, for growing bounds.

use std::time::Instant;

use heddle_ir::{FuncId, Program};
use heddle_sat::{Answer, Cadical, OrderSolver, Session, Solver, Term};
use heddle_semantics::{Failure, MemoryModel, ViolationKind};

use crate::encodings::{Constraint, Encoding, Formula, Question, Run, ask};
use crate::solve::decode::decode;
use crate::solve::engine::{OrderStats, Stats};
use crate::solve::method::Method;
use crate::unfold::constrained::UNUSABLE;
use crate::watch::{Stop, Watch};

/// What one pass with fixed bounds has shown.
pub(super) enum Outcome {
    Unsafe(Box<Failure>),
    Clear(Clear),
    Stopped(Stop),
    Wrong(String),
}

/// No violation.
pub(super) struct Clear {
    /// A loop was cut at the bound, or after so many turns.
    pub cut: bool,
    pub far: Option<u32>,
    /// Something without a model was reached.
    pub unsupported: Option<String>,
    /// No run is complete.
    pub vacuous: bool,
    /// No run goes beyond the bound of the encoding.
    pub all: bool,
}

pub(super) struct Pass<'a, M: MemoryModel, S: Solver = Cadical> {
    pub program: &'a Program,
    pub entry: FuncId,
    pub formula: Formula<'a, M>,
    pub encoding: Box<dyn Encoding<M>>,
    pub session: Session<S>,
    pub counts: &'a dyn Fn(ViolationKind) -> bool,
    pub watch: &'a Watch,
    /// Where the events of the last model are in a line, if they have orders.
    places: Option<Vec<u32>>,
}

impl<'a, M: MemoryModel> Pass<'a, M> {
    pub fn new(
        about: (&'a Program, FuncId),
        formula: Formula<'a, M>,
        method: Method,
        counts: &'a dyn Fn(ViolationKind) -> bool,
    ) -> Result<Pass<'a, M>, Stop> {
        Pass::by(Cadical::new(), about, formula, method, counts)
    }
}

impl<'a, M: MemoryModel, S: OrderSolver> Pass<'a, M, S> {
    pub fn by(
        solver: S,
        (program, entry): (&'a Program, FuncId),
        mut formula: Formula<'a, M>,
        method: Method,
        counts: &'a dyn Fn(ViolationKind) -> bool,
    ) -> Result<Pass<'a, M, S>, Stop> {
        let encoding = method.encoding(&mut formula)?;
        let (session, watch) = (Session::new(solver), formula.watch);
        let places = None;
        Ok(Pass { program, entry, formula, encoding, session, counts, watch, places })
    }

    /// Asks about all runs within a bound, which only grows.
    pub fn ask(&mut self, bound: u32, stats: &mut Stats) -> Outcome {
        let begun = Instant::now();
        let extended = self.extend(bound);
        stats.encode_seconds += begun.elapsed().as_secs_f64();
        let (mut run, question) = match extended {
            Ok(extended) => extended,
            Err(stop) => return Outcome::Stopped(stop),
        };
        let begun = Instant::now();
        let conflicts = Solver::statistics(self.session.solver()).conflicts;
        let outcome = self.decide(bound, &mut run, &question).unwrap_or_else(Outcome::Stopped);
        stats.solve_seconds += begun.elapsed().as_secs_f64();
        let size = self.session.statistics();
        stats.variables = size.variables as u64;
        stats.clauses = size.clauses;
        stats.conflicts += Solver::statistics(self.session.solver()).conflicts - conflicts;
        stats.order = self.order_stats();
        stats.stakes = self.encoding.stakes();
        outcome
    }

    fn order_stats(&self) -> Option<OrderStats> {
        let orders = self.encoding.orders()?;
        let effort = self.session.solver().effort().unwrap_or_default();
        Some(OrderStats {
            nodes: orders.nodes() as u64,
            candidates: orders.candidates() as u64,
            orders: (orders.pairs.len() + orders.edges.len()) as u64,
            conflicts: effort.conflicts,
            propagations: effort.propagations,
        })
    }

    /// The formula for a bound, in the solver.
    pub fn extend(&mut self, bound: u32) -> Result<(Run, Question), Stop> {
        let run = self.encoding.extend(&mut self.formula, bound)?;
        let question = ask(&mut self.formula, &run, self.counts);
        self.hand_over()?;
        if let Some(orders) = self.encoding.orders().filter(|_| !self.encoding.keeps_orders()) {
            self.session.keep(&self.formula.symbolic.terms, orders);
        }
        Ok((run, question))
    }

    /// What was added to the formula goes to the solver.
    pub fn hand_over(&mut self) -> Result<(), Stop> {
        let terms = &self.formula.symbolic.terms;
        for constraint in self.formula.constraints.drain(..) {
            self.watch.ask()?;
            match constraint {
                Constraint::Any(any) => self.session.assert_any(terms, &any),
                Constraint::Equal { when, a, b } => {
                    self.session.assert_equal_if(terms, when, a, b);
                }
            }
        }
        Ok(())
    }

    /// Is there a run within the bound in which this holds?
    pub fn exists(&mut self, run: &Run, what: Term) -> Result<bool, Stop> {
        let terms = &self.formula.symbolic.terms;
        if terms.as_constant(what) == Some(0) {
            return Ok(false);
        }
        let mut assumptions = run.within.clone();
        assumptions.push(what);
        let mut watch = || self.watch.ask().is_err();
        match self.session.solve(terms, &assumptions, &mut watch) {
            Answer::Sat => {
                self.place()?;
                Ok(true)
            }
            Answer::Unsat => Ok(false),
            Answer::Unknown => Err(self.watch.ask().err().unwrap_or(Stop::Interrupted)),
        }
    }

    fn decide(&mut self, bound: u32, run: &mut Run, question: &Question) -> Result<Outcome, Stop> {
        if self.exists(run, question.violation)? {
            return Ok(self.replay(run));
        }
        if self.exists(run, question.held)? {
            return Ok(Outcome::Wrong(format!("{UNUSABLE} keep a run from going on")));
        }
        let cut = self.exists(run, question.cut)?;
        let far = self.exists(run, question.far)?.then_some(question.far_turns);
        let mut clear = Clear { cut, far, unsupported: None, vacuous: false, all: false };
        for (reached, what, span) in &question.unsupported {
            if self.exists(run, *reached)? {
                let place = self.program.position(*span);
                let place = place.map_or(String::new(), |place| format!(" at {place}"));
                clear.unsupported = Some(format!("unsupported: {what}{place}"));
                return Ok(Outcome::Clear(clear));
            }
        }
        clear.all = bound >= self.encoding.enough(&self.formula)
            || match run.full {
                Some(full) => !self.exists(run, full)?,
                None => false,
            };
        // Bounds may keep every run from its end; then they are what is to be told.
        if let Some(complete) = question.complete.filter(|_| !cut && far.is_none()) {
            clear.vacuous = !self.exists(run, complete)?;
        }
        Ok(Outcome::Clear(clear))
    }

    /// Puts the events of a model in line, which also shows that it keeps the orders.
    fn place(&mut self) -> Result<(), Stop> {
        let Some(orders) = self.encoding.orders() else { return Ok(()) };
        let terms = &self.formula.symbolic.terms;
        let session = &mut self.session;
        let places = orders.linearise(&mut |when| session.value(terms, when) != 0);
        let Some(places) = places else {
            session.solver_mut().refuse("a model keeps the orders");
            return Err(Stop::Interrupted);
        };
        if !self.encoding.is_run(&places, &mut |term| session.value(terms, term)) {
            session.solver_mut().refuse("in a model a lock keeps its sections apart");
            return Err(Stop::Interrupted);
        }
        self.places = Some(places);
        Ok(())
    }

    pub fn replay(&mut self, run: &mut Run) -> Outcome {
        let terms = &self.formula.symbolic.terms;
        let session = &mut self.session;
        let mut value = |term| session.value(terms, term);
        if let Some(places) = &self.places {
            run.timeline = self.encoding.in_line(&self.formula, places, &mut value);
        }
        let model = self.formula.model.clone();
        let (bounded, stores) = (self.formula.bounded, &self.formula.stores);
        let found = decode(
            (self.program, self.entry, model),
            (bounded, stores, &*run),
            &mut value,
            self.counts,
        );
        match found {
            Ok(failure) => Outcome::Unsafe(Box::new(failure)),
            Err(error) => Outcome::Wrong(format!(
                "internal error: a violation of the formula does not replay ({error})"
            )),
        }
    }
}
