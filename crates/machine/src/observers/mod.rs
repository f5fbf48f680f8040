//! What watches a run: for what was supposed about the program, for what a native run would
//! count, and for people.

pub(crate) mod critical_sections;
mod events;
pub(crate) mod guide;
pub(crate) mod meetings;
pub(crate) mod order;
pub(crate) mod own;
pub(crate) mod pairs;
pub(crate) mod record;

use heddle_ir::Span;
use heddle_semantics::{Site, ThreadId};
use rustc_hash::FxHashMap;

use record::Record;

#[derive(Default)]
pub(crate) struct Observers {
    /// See [`Machine::visits`](crate::Machine::visits).
    pub visits: Option<FxHashMap<(ThreadId, Site), u32>>,
    /// Where the last step was, or the critical section began that it is.
    pub place: Span,
    pub pairs: pairs::Pairs,
    pub discipline: critical_sections::Discipline,
    pub arrivals: meetings::Arrivals,
    pub ownership: own::Ownership,
    pub records: Vec<Record>,
    /// What threads are about to have printed, if that is recorded.
    pub printing: FxHashMap<ThreadId, Vec<u8>>,
}

impl Observers {
    /// Takes over what was noticed in another machine of the same program.
    pub fn merge(&mut self, other: &Observers) {
        self.discipline.merge(&other.discipline);
        self.arrivals.merge(&other.arrivals);
        self.ownership.merge(&other.ownership);
    }
}
