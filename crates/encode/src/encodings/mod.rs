//! Encodings: formulas whose models are the interleavings of a bounded program.

pub(crate) mod deadlock;
pub(crate) mod lazy;
pub(crate) mod queues;
pub(crate) mod sources;
