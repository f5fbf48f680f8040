//! Bounded programs as formulas.
//!
//! `unfold` follows all runs of each thread at once and leaves a [`Bounded`]
//! program: points, accesses to shared cells, checks. `lazy` says what its
//! interleavings are, as a formula; `engine` grows the bounds, solves, and `decode`
//! turns a model into a schedule.

mod bounded;
mod emit;
mod encodings;
mod print;
mod solve;
mod symbolic;
mod unfold;
mod watch;

pub use bounded::Bounded;
pub use emit::{Backend, Emission, EmitError, Emitted, Sequentialization, emit};
pub use encodings::{Reduction, Stakes};
pub use heddle_sat::proof::Counts;
pub use solve::certify::{Certified, CertifyError, certify};
pub use solve::decode::DecodeError;
pub use solve::dimacs::{DumpError, Wanted, dimacs};
pub use solve::engine::{Options, OrderStats, Progress, Proof, Report, Stats, check};
pub use solve::instances::{
    Answer, Fixed, Instances, PointPlace, Restriction, ThreadPlaces, thread_places, with_instances,
};
pub use solve::interleavings::{Interleaving, Interleavings, interleavings};
pub use solve::method::{Keeping, Method, Schema};
pub use unfold::constrained::{Constraints, UNUSABLE};
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

/// Which SAT solver is built in.
pub fn solver() -> String {
    format!("CaDiCaL {}", heddle_sat::Cadical::version())
}
