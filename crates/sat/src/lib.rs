//! Bit-vector terms and their satisfiability.
//!
//! A pool of [`Terms`] holds hash-consed bit-vector terms, simplified as they are
//! built. A [`Session`] takes terms of width 1 as constraints: it blasts them into
//! gates (`gates`, `blast`), the gates into clauses (`cnf`), hands these to a
//! [`Solver`], and reads values of terms out of the model.
//!
//! What a solver refutes can be written down and checked ([`proof`]).
//!
//! ```text
//! terms ── blast ──> gates ── cnf ──> clauses ── Solver ──> model ──> values
//! ```

mod blast;
mod cadical;
mod cnf;
mod gates;
pub mod order;
pub mod proof;
mod propagator;
mod session;
mod solver;
mod term;

pub use cadical::Cadical;
pub use session::{Session, Size};
pub use solver::{Answer, OrderSolver, Solver, Statistics};
pub use term::{Binary, Cone, FEW, Limit, Node, Range, Relation, Term, Terms};
