//! Refutations that somebody else can check.
//!
//! [`Record`] writes what a solver does, a line each:
//!
//! ```text
//! o ID CLAUSE 0                 a clause of the formula
//! t ID CLAUSE 0 LEMMA           a clause of the theory of orders, with its cycle
//! a ID CLAUSE 0 IDS 0           a clause that follows by unit propagation over these, in turn
//! d ID 0                        a clause that is not needed any more
//! q ASSUMPTIONS 0               a question
//! u ID 0                        its answer: no model, by this clause
//! s LITERALS 0                  its answer: this model
//! ```
//!
//! It is the format LRAT (Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp, CADE 2017)
//! without its clauses that do not follow, plus lemmas and questions. [`Check`] is a solver
//! that is given the same formula and questions, and reads the answers from such lines. It
//! believes none that does not follow.

mod check;
mod premises;
mod record;

pub use check::{Check, Counts};
pub use record::Record;
