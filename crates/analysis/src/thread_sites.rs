//! Where threads may stand between two steps, by the functions that they begin with.

use std::collections::VecDeque;

use heddle_ir::{Callee, FuncId, Op, Program};
use rustc_hash::FxHashSet;

use crate::address::address_of;
use crate::facts::Facts;
use crate::site::Site;

/// Threads that begin with one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadSites {
    pub entry: FuncId,
    /// Accesses, fences and calls of the library, by functions as they are reached by calls, and
    /// in each as they are written.
    pub sites: Vec<Site>,
}

/// The main thread first.
pub fn thread_sites(program: &Program, entry: FuncId) -> Vec<ThreadSites> {
    let facts = Facts::of(program, entry);
    let mut entries = vec![entry];
    entries.extend(facts.points.entries.iter().filter(|&&it| it != entry));
    let mut known = FxHashSet::default();
    entries.retain(|&it| known.insert(it));
    let sites = |entry| ThreadSites { entry, sites: sites_from(program, &facts, entry) };
    entries.into_iter().map(sites).collect()
}

fn sites_from(program: &Program, facts: &Facts<'_>, entry: FuncId) -> Vec<Site> {
    let mut known = FxHashSet::from_iter([entry]);
    let mut left = VecDeque::from([entry]);
    let mut sites = Vec::new();
    while let Some(id) = left.pop_front() {
        for (block, code) in program.function(id).blocks.iter().enumerate() {
            for (at, inst) in code.insts.iter().enumerate() {
                let site = Site { function: id, block: block as u32, index: at as u32 };
                let mut called = |it: FuncId| {
                    let inside = !program.function(it).is_declaration();
                    if inside && known.insert(it) {
                        left.push_back(it);
                    }
                    !inside
                };
                let may_stand = match &inst.op {
                    Op::Call { callee: Callee::Direct(it), .. } => called(*it),
                    Op::Call { callee: Callee::Indirect(_), .. } => {
                        let mut any = false;
                        for &it in facts.points.callees(site) {
                            any |= called(it);
                        }
                        any
                    }
                    Op::Fence { .. } => true,
                    op => address_of(op).is_some(),
                };
                if may_stand {
                    sites.push(site);
                }
            }
        }
    }
    sites
}
