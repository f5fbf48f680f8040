//! Encodings: formulas whose models are the interleavings of a bounded program.
//!
//! An encoding says when each point is passed and ties what is read to what was written;
//! one a file. Everything else is written once: which stores wait and for which others
//! (`stores`), what a point does to memory (`accesses`), and what is asked of a run
//! (`properties`, `deadlock`), which looks at how things stand in the end ([`Run`]).

mod accesses;
mod arrivals;
mod axiomatic;
mod coarse;
mod deadlock;
mod formula;
mod imu;
mod lazy;
mod mu;
mod order;
mod properties;
mod run;
mod slots;
mod sources;
mod steps;
mod stores;

use heddle_sat::Term;
use heddle_sat::order::Orders;
use heddle_semantics::MemoryModel;

use crate::watch::Stop;

pub(crate) use axiomatic::{Axiomatic, Keeper};
pub(crate) use coarse::Coarse;
pub(crate) use deadlock::stillness;
pub(crate) use formula::{Constraint, Formula};
pub(crate) use imu::Imu;
pub(crate) use lazy::{Boundary, Lazy};
pub(crate) use mu::{Mu, Reads};
pub(crate) use properties::{Question, ask};
pub(crate) use run::{Key, Run, Stand, Switches, Timeline};
pub(crate) use steps::Steps;
pub use steps::{Reduction, Stakes};
pub(crate) use stores::{Stores, drains, whole};

/// A way to say what the interleavings of a bounded program are, within a bound.
pub(crate) trait Encoding<M: MemoryModel> {
    /// Adds to the formula what is not in it yet for this bound, which is never less than
    /// in the call before, and tells what holds in the end of a run.
    fn extend(&mut self, formula: &mut Formula<'_, M>, bound: u32) -> Result<Run, Stop>;

    /// A bound that covers every interleaving of the bounded program.
    fn enough(&self, formula: &Formula<'_, M>) -> u32;

    /// Where threads are preempted and stores wait, if the encoding can tell.
    fn switches(&self, _formula: &mut Formula<'_, M>) -> Option<Switches> {
        None
    }

    /// What is at stake between threads, if the encoding has looked at that.
    fn stakes(&self) -> Option<Stakes> {
        None
    }

    /// For each step, who takes it, if the encoding has steps.
    fn selectors(&self) -> &[Vec<Term>] {
        &[]
    }

    /// Orders that every model has to keep, beside the formula.
    fn orders(&self) -> Option<&Orders<Term>> {
        None
    }

    /// Does the formula see to them, so that the solver need not?
    fn keeps_orders(&self) -> bool {
        true
    }

    /// Is a model a run, given the places of the nodes of [`Encoding::orders`] in a line? Of
    /// what orders alone do not say.
    fn is_run(&self, _places: &[u32], _value: &mut dyn FnMut(Term) -> u64) -> bool {
        true
    }

    /// When things happen, given the places of the nodes of [`Encoding::orders`] in a line.
    fn in_line(
        &self,
        _formula: &Formula<'_, M>,
        _places: &[u32],
        _value: &mut dyn FnMut(Term) -> u64,
    ) -> Timeline {
        Timeline::default()
    }
}
