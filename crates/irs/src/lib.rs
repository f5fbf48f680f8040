//! Iteratively relaxed scheduling: schedules that native programs run under.
//!
//! Metzler, Saissi, Bokor and Suri, "Safe Execution of Concurrent Programs by Enforcement
//! of Scheduling Constraints", section 3. [`starts`] finds complete safe traces, [`relax`]
//! drops their constraints as far as the rest is proven to be enough, [`schedule`] makes a
//! file of them. [`total_order`] makes a schedule of a violation instead, which a native
//! run then repeats. Deviations:
//!
//! 1. What is proven is what the runtime keeps: edges, and nothing about events without
//!    one. The paper's algorithm lets events outside a prefix overtake those inside, but
//!    its proof takes them to come later. Here the constraints are part of the program
//!    that is explored, so no such gap is left (see [`prover`]).
//! 2. So constraints need not be those of a prefix: any set of edges of the trace will do.
//!    They are dropped from its end, but one that is needed keeps only itself, not all
//!    that come before it.
//! 3. Events behind a waiting loop have no fixed number, since nobody knows how often the
//!    loop turns. Constraints on them are kept only together with those that fix it.
//! 4. Programs with inputs are proven by a formula ([`Formula`]), all others by
//!    exploration.

mod first;
mod formula;
mod proof;
pub mod prover;
mod relax;
mod run;
mod subject;
mod total;

pub use first::{NoTrace, Way};
pub use formula::Formula;
pub use proof::{Start, distinct, relax, schedule, starts};
pub use relax::{Relaxed, Step};
pub use run::{Ended, Run};
pub use subject::Subject;
pub use total::{ReplayProblem, total_order};
