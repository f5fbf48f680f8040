//! Where threads may be preempted: reduced interleaving instances for explorers.
//!
//! Nguyen, Schrammel, Fischer, La Torre and Parlato, "Parallel Bug-Finding in Concurrent
//! Programs via Reduced Interleaving Instances" (ASE 2017; `docs/papers.md`), section II.A.
//!
//! Deviations.
//! 1. A place is an instruction of the program, not a statement of a program whose loops are
//!    unwound: nothing is cut, and a place is closed in all turns of a loop.
//! 2. All threads that begin with the same function have the same closed places, so they may
//!    still change places with each other. A run with z preemptions, whoever is preempted, has
//!    them at no more than z instructions; so it is in some instance in which z tiles of each
//!    function that threads begin with are open.
//!
//! What is not listed is open. A thread can always be left where it waits (at a lock, a join),
//! even if it could go on; a store that reaches memory is no preemption, and neither is an
//! input. Instances are about the steps that there are if nothing is reduced: the run that a
//! reduction looks at may break a restriction that an equivalent one keeps, so the searches
//! that reduce refuse ([`Algorithm::takes_places`]), and the one that keeps states makes every
//! access a step of its own.

use heddle_analysis::ThreadSites;
use heddle_ir::FuncId;
use heddle_machine::{Machine, Stands};
use heddle_semantics::{MemoryModel, ThreadId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Algorithm;

/// A function, a block of it, and an instruction of that.
pub type Place = (FuncId, u32, u32);

/// Places before which a thread is not preempted, by the function that it began with.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    pub closed: FxHashMap<FuncId, FxHashSet<Place>>,
}

impl Places {
    /// Spans of points of each thread, of which the first is its start and the others are its
    /// sites.
    pub fn closing(threads: &[ThreadSites], closed: &[Vec<(u32, u32)>]) -> Places {
        let mut places = Places::default();
        for (thread, spans) in threads.iter().zip(closed) {
            let all = places.closed.entry(thread.entry).or_default();
            for &(from, to) in spans {
                let those = (from.max(1)..to).filter_map(|at| thread.sites.get(at as usize - 1));
                all.extend(those.map(|site| (site.function, site.block, site.index)));
            }
        }
        places
    }

    /// May the thread be left where it stands, though it could go on?
    pub(crate) fn may_leave<M: MemoryModel>(
        &self,
        machine: &Machine<'_, M>,
        thread: ThreadId,
    ) -> bool {
        let Some(closed) = self.closed.get(&machine.thread_entry(thread).0) else { return true };
        let waits =
            matches!(machine.stands(thread), Stands::Gate | Stands::Join(_) | Stands::Joins);
        waits || machine.stands_at(thread).is_none_or(|place| !closed.contains(&place))
    }
}

impl Algorithm {
    /// Can it leave out runs that are preempted elsewhere, and nothing else?
    pub fn takes_places(self) -> bool {
        matches!(self, Algorithm::Naive | Algorithm::Stateful)
    }
}
