//! What a thread may do from a place on while another one stays where it is: without the locks
//! that this one holds, and not behind a join of it.

use std::collections::{BTreeMap, BTreeSet};

use heddle_ir::FuncId;

use super::{Place, Thread};
use crate::invariants::objects::ClassId;
use crate::invariants::state::Lock;
use crate::invariants::{Analysis, Deeds};
use crate::site::Site;

/// By class, places of frames, and locks.
type Key = (ClassId, Vec<Site>, Blocked);

/// What nobody gets while a thread stays where it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Blocked {
    /// It holds these.
    pub locks: BTreeSet<Lock>,
    /// It is the only thread of this class, and has not ended.
    pub ends: Option<ClassId>,
}

#[derive(Default)]
pub struct Futures {
    known: BTreeMap<Key, Deeds>,
    bodies: BTreeMap<(ClassId, FuncId, Blocked), Deeds>,
}

/// Where to look: sites that were reached before, if that is known.
pub type Reached<'a> = Option<&'a BTreeSet<(ClassId, Site)>>;

fn add(all: &mut Deeds, more: &Deeds) {
    all.reads.extend(&more.reads);
    all.writes.extend(&more.writes);
    all.takes.extend(&more.takes);
    all.creates.extend(&more.creates);
}

impl Futures {
    /// Of a thread of a class.
    pub fn of(
        &mut self,
        analysis: &Analysis,
        reached: Reached,
        (class, thread): (ClassId, &Thread),
        blocked: &Blocked,
    ) -> Deeds {
        let Thread::At(Place { frames, .. }) = thread else { return Deeds::default() };
        let sites: Vec<Site> = frames
            .iter()
            .map(|(frame, block, index)| Site {
                function: frame.function,
                block: *block,
                index: *index,
            })
            .collect();
        let key = (class, sites, blocked.clone());
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let mut all = Deeds::default();
        let innermost = key.1.len().saturating_sub(1);
        for (depth, &site) in key.1.iter().enumerate() {
            // Outer frames go on behind their calls.
            let from =
                if depth == innermost { site } else { Site { index: site.index + 1, ..site } };
            self.walk(analysis, (reached, class, blocked), from, &mut all);
        }
        self.created(analysis, (reached, blocked), &mut all);
        self.known.insert(key, all.clone());
        all
    }

    /// With what threads do that are created.
    fn created(
        &mut self,
        analysis: &Analysis,
        (reached, blocked): (Reached, &Blocked),
        all: &mut Deeds,
    ) {
        let mut done: BTreeSet<ClassId> = BTreeSet::new();
        while let Some(&class) = all.creates.difference(&done).next() {
            done.insert(class);
            if let Some(start) = analysis.facts.starts.get(&class) {
                let body = self.body(analysis, (reached, class, blocked), start.entry);
                add(all, &body);
            }
        }
    }

    fn body(
        &mut self,
        analysis: &Analysis,
        (reached, class, blocked): (Reached, ClassId, &Blocked),
        function: FuncId,
    ) -> Deeds {
        let key = (class, function, blocked.clone());
        if let Some(known) = self.bodies.get(&key) {
            return known.clone();
        }
        let mut all = Deeds::default();
        let from = Site { function, block: 0, index: 0 };
        self.walk(analysis, (reached, class, blocked), from, &mut all);
        self.bodies.insert(key, all.clone());
        all
    }

    /// All that can be executed from a place in its function.
    fn walk(
        &mut self,
        analysis: &Analysis,
        (reached, class, blocked): (Reached, ClassId, &Blocked),
        from: Site,
        all: &mut Deeds,
    ) {
        let body = analysis.program.function(from.function);
        let mut seen: BTreeSet<u32> = BTreeSet::new();
        let mut todo = vec![(from.block, from.index)];
        while let Some((block, index)) = todo.pop() {
            let code = &body.blocks[block as usize];
            let mut goes_on = true;
            for index in index..code.insts.len() as u32 {
                let site = Site { block, index, ..from };
                let Some(deeds) = analysis.deeds.get(&(class, site)) else { continue };
                if reached.is_some_and(|reached| !reached.contains(&(class, site))) {
                    goes_on = false;
                    break;
                }
                if !deeds.takes.is_empty() && deeds.takes.is_subset(&blocked.locks) {
                    goes_on = false;
                    break;
                }
                let awaited = |class: &ClassId| blocked.ends == Some(*class);
                if !deeds.joins.is_empty() && deeds.joins.iter().all(awaited) {
                    goes_on = false;
                    break;
                }
                add(all, deeds);
                for &callee in &deeds.calls {
                    let body = self.body(analysis, (reached, class, blocked), callee);
                    add(all, &body);
                }
            }
            if goes_on {
                let targets = code.term.edges();
                let new = targets.iter().map(|edge| edge.target.0).filter(|to| seen.insert(*to));
                todo.extend(new.map(|target| (target, 0)));
            }
        }
    }
}
