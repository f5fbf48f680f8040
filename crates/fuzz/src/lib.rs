//! Differential testing of the explorers.
//!
//! [`generate`] makes tiny random multi-threaded C programs. [`compare`] runs
//! every algorithm on one of them: all must find the same violations and final
//! states as the naive search, visit each Mazurkiewicz trace exactly once, and
//! every failing schedule must fail again. [`shrink`] cuts a program down on
//! which they disagree.

pub mod ast;
mod batch;
mod campaign;
pub mod classes;
mod compare;
mod constrained;
mod feature;
mod formula;
mod generate;
mod guided;
mod instances;
mod interleavings;
mod invariants;
mod models;
mod outcome;
mod pairs;
mod places;
mod print;
mod reference;
mod replay;
mod save;
mod shrink;
mod twice;

pub use campaign::{Campaign, Failing, Summary};

pub use feature::{Feature, Features};
pub use generate::generate;
pub use outcome::{Disagreement, Effort, Limits, Respect};
pub use print::{HEADER, Waits, print};
pub use save::standalone;
