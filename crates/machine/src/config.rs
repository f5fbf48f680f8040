//! What bounds and watches a machine.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use heddle_semantics::Unwritten;

use crate::names::Names;
use crate::observers::guide::Guide;
use crate::observers::meetings::Meetings;
use crate::observers::order::{Order, VisibleSites};

/// What bounds and watches a machine.
#[derive(Clone, Debug)]
pub struct Config {
    /// Iterations of a loop that contain a visible step; `None` for no bound.
    pub unwind: Option<u32>,
    /// Threads of a run, main among them; `None` for no bound.
    pub max_threads: Option<u32>,
    pub max_stack: u32,
    /// Instructions between two visible steps.
    pub max_steps: u64,
    /// Treat every object as reachable by every thread from its birth.
    pub share_everything: bool,
    /// Keep the source position of every event.
    pub positions: bool,
    /// Signed overflow is a violation.
    pub overflow: bool,
    /// A decision that depends on an undefined value is a violation.
    pub uninitialised: bool,
    /// What is never written and has a value all the same, which is asked for.
    pub unwritten: Arc<BTreeSet<Unwritten>>,
    /// The state will be taken out and put back: see [`Machine::part`].
    pub stateful: bool,
    /// Threads may wake up without a signal any number of times.
    pub endless_wakeups: bool,
    /// Threads may change places: see `joins`.
    pub interchangeable: bool,
    /// Objects may not change places: for programs to which their addresses are numbers
    /// ([`Machine::addresses_matter`](crate::Machine::addresses_matter)).
    pub fixed_addresses: bool,
    /// Threads and objects get the same numbers as in other machines.
    pub names: Option<Arc<Names>>,
    /// Keep [`Record`]s for people.
    pub record: bool,
    /// Accesses that are no steps.
    pub guide: Option<Arc<Guide>>,
    /// Which arrivals at barriers are in no order.
    pub meetings: Option<Arc<Meetings>>,
    /// The instructions that are steps, whatever they touch. Excludes a guide.
    pub sites: Option<Arc<VisibleSites>>,
    /// What events wait for. Needs `sites`.
    pub order: Option<Arc<Order>>,
    /// Count how often each thread makes each access, for those who drive a machine along a
    /// run that they know. No step is taken back then.
    pub count_visits: bool,
    /// Set from outside to end a long private computation.
    pub interrupt: Arc<AtomicBool>,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            unwind: None,
            max_threads: None,
            max_stack: 20_000,
            max_steps: 50_000_000,
            share_everything: false,
            positions: false,
            overflow: false,
            uninitialised: false,
            unwritten: Arc::default(),
            stateful: false,
            endless_wakeups: false,
            interchangeable: false,
            fixed_addresses: false,
            names: None,
            record: false,
            guide: None,
            meetings: None,
            sites: None,
            order: None,
            count_visits: false,
            interrupt: Arc::default(),
        }
    }
}
