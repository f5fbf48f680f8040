//! From a program to a verdict: formulas are solved with growing bounds, and a model is
//! turned into a schedule.

pub(crate) mod certify;
mod complete;
pub(crate) mod decode;
pub(crate) mod dimacs;
pub(crate) mod engine;
pub(crate) mod instances;
pub(crate) mod interleavings;
pub(crate) mod method;
mod session;
