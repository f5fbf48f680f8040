//! CaDiCaL (Biere et al., "CaDiCaL 2.0", CAV 2024) as a `Solver`.

use std::cell::RefCell;
use std::rc::Rc;

use cadical_sys::{CaDiCal, State, Status, Terminator};

use crate::order::{Effort, Orders, Theory};
use crate::proof::Record;
use crate::propagator::Propagator;
use crate::solver::{Answer, OrderSolver, Solver, Statistics};

/// The solver is in a cell because it wants to be mutable even to read a model.
pub struct Cadical {
    solver: RefCell<CaDiCal>,
    theory: Option<Rc<RefCell<Theory>>>,
    record: Option<Rc<RefCell<Record>>>,
}

impl Cadical {
    pub fn new() -> Cadical {
        Cadical { solver: RefCell::new(CaDiCal::new()), theory: None, record: None }
    }

    /// One that writes down what it does.
    pub fn recording(record: Rc<RefCell<Record>>) -> Cadical {
        let mut cadical = Cadical::new();
        // It would take steps that are no consequences.
        cadical.set_option("factor", 0);
        let solver = cadical.solver.get_mut();
        solver.connect_proof_tracer1(Rc::clone(&record), true, false);
        Cadical { record: Some(record), ..cadical }
    }

    /// Which version it is.
    pub fn version() -> String {
        CaDiCal::version()
    }

    /// From now on models keep these orders too. Once, between searches.
    fn connect(&mut self, theory: Theory) {
        let solver = self.solver.get_mut();
        let variables = theory.variables().to_vec();
        let theory = Rc::new(RefCell::new(theory));
        if let Some(record) = &self.record {
            record.borrow_mut().explained_by(Rc::clone(&theory));
        }
        solver.connect_external_propagator(Propagator::new(Rc::clone(&theory)));
        for variable in variables {
            solver.add_observed_var(variable);
        }
        self.theory = Some(theory);
    }
}

impl Default for Cadical {
    fn default() -> Cadical {
        Cadical::new()
    }
}

/// The caller's `watch`, without its lifetime.
struct Watch(*mut (dyn FnMut() -> bool + 'static));

impl Terminator for Watch {
    fn terminated(&mut self) -> bool {
        // SAFETY: CaDiCaL calls its terminator only inside `solve`, on the thread that
        // called it; `Cadical::solve` disconnects it before the borrow that this
        // pointer came from ends.
        #[allow(unsafe_code)]
        let watch = unsafe { &mut *self.0 };
        watch()
    }
}

/// Disconnects the terminator however `solve` is left.
struct Connection<'a>(&'a mut CaDiCal);

impl Drop for Connection<'_> {
    fn drop(&mut self) {
        self.0.disconnect_terminator();
    }
}

impl Solver for Cadical {
    fn add_clause(&mut self, lits: &[i32]) {
        self.solver.get_mut().clause6(lits);
    }

    fn solve(&mut self, assumptions: &[i32], watch: &mut dyn FnMut() -> bool) -> Answer {
        if watch() {
            return Answer::Unknown;
        }
        if let Some(record) = &self.record {
            record.borrow_mut().question(assumptions);
        }
        let solver = self.solver.get_mut();
        for &assumption in assumptions {
            solver.assume(assumption);
        }
        // SAFETY: only the lifetime changes, and `connection` ends before it does.
        #[allow(unsafe_code)]
        let watch = unsafe {
            std::mem::transmute::<
                *mut (dyn FnMut() -> bool + '_),
                *mut (dyn FnMut() -> bool + 'static),
            >(watch)
        };
        solver.connect_terminator(Watch(watch));
        let connection = Connection(solver);
        match connection.0.solve() {
            Status::SATISFIABLE => Answer::Sat,
            Status::UNSATISFIABLE => Answer::Unsat,
            Status::UNKNOWN => Answer::Unknown,
        }
    }

    fn value(&self, lit: i32) -> bool {
        // It answers with the one of `lit` and `-lit` that is true.
        self.solver.borrow_mut().val(lit) == lit
    }

    fn failed(&self, lit: i32) -> bool {
        self.solver.borrow_mut().failed(lit)
    }

    fn statistics(&self) -> Statistics {
        let count = |name| self.solver.borrow().get_statistic_value(name).max(0) as u64;
        Statistics {
            conflicts: count("conflicts"),
            decisions: count("decisions"),
            propagations: count("propagations"),
        }
    }

    fn set_option(&mut self, name: &str, value: i32) -> bool {
        let solver = self.solver.get_mut();
        solver.state() == State::CONFIGURING && solver.set(name, value)
    }
}

impl OrderSolver for Cadical {
    fn keep(&mut self, orders: &Orders<i32>) {
        self.connect(Theory::new(orders, self.record.is_some()));
    }

    fn effort(&self) -> Option<Effort> {
        self.theory.as_ref().map(|theory| theory.borrow().effort)
    }
}
