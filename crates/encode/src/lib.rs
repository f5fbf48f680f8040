//! Bounded programs as formulas.
//!
//! `unfold` follows all runs of each thread at once and leaves a [`Bounded`]
//! program: points, accesses to shared cells, checks. `lazy` says what its
//! interleavings are, as a formula; `engine` grows the bounds, solves, and `decode`
//! turns a model into a schedule.

mod access;
mod bounded;
mod calls;
mod constrained;
mod contents;
mod control;
mod deadlock;
mod decode;
mod engine;
mod facts;
mod growth;
mod heap;
mod host;
mod lazy;
mod lives;
mod loops;
mod memory;
mod notes;
mod objects;
mod order;
mod print;
mod publish;
mod queues;
mod shared;
mod sources;
mod state;
mod symbolic;
mod sync;
mod targets;
mod threads;
mod unfold;
mod watch;

pub use bounded::Bounded;
pub use constrained::{Constraints, UNUSABLE};
pub use decode::DecodeError;
pub use engine::{Options, Progress, Report, Stats, check};
pub use unfold::{Limits, UnfoldError, Unfolder};
pub use watch::{Stop, Watch};

/// The bounded program of `heddle dump --bounded`.
pub fn dump(
    program: &heddle_ir::Program,
    entry: heddle_ir::FuncId,
    limits: Limits,
) -> Result<String, UnfoldError> {
    let (bounded, symbolic, _) =
        Unfolder::new(program, entry, limits, Default::default()).unfold()?;
    Ok(print::print(program, &bounded, &symbolic))
}
