//! Memory unwinding, coarse-grained: writes come in clusters, of which others see only
//! what is there in the end.
//!
//! Follows section 5.4 of the thesis in `docs/papers.md` (Figures 5.15 to 5.21). Cluster i
//! is guessed as the memory after it; its thread works on a copy of the memory before.
//!
//! Deviations:
//! 1. As 1 to 6 of `mu`, with a cluster for each slot.
//! 2. A cluster is one thread's. The text lets threads take turns within a cluster, and the
//!    figures let whoever is simulated first go first, which is an order that nobody chose.
//!    With one writer a cluster, what section 5.6 claims holds: W clusters are contained in
//!    2W - 1 rounds of Lal and Reps, and k switches of theirs in k + 1 clusters.
//! 3. When a cluster is matched is not guessed: it is what its thread leaves.
//!
//! Size: with P points, r reads and w writes of b bits and V cells,
//! O(W · (P + b · (r + w + V))) gates.

use heddle_sat::Term;
use heddle_semantics::MemoryModel;
use rustc_hash::FxHashMap;

use crate::encodings::accesses::{Accesses, Leave, Take, find_accesses};
use crate::encodings::slots::{Slots, is_natural};
use crate::encodings::{Encoding, Formula, Run};
use crate::unfold::facts::Cell;
use crate::watch::Stop;

pub(crate) struct Coarse {
    accesses: Accesses,
    slots: Slots,
    cells: Vec<Cell>,
    /// The memory after the last cluster.
    memory: FxHashMap<Cell, Term>,
    late: Vec<Term>,
}

/// A thing that a point does to memory, in the order of the program.
#[derive(Clone, Copy)]
enum Deed {
    Take(Take),
    /// Index of a visit.
    Visit(usize),
    Leave(Leave),
}

impl Coarse {
    pub fn new<M: MemoryModel>(f: &mut Formula<'_, M>) -> Coarse {
        let accesses = find_accesses(f);
        let slots = Slots::of(f, &accesses);
        let cells: Vec<Cell> =
            accesses.cells().into_iter().filter(|&cell| !slots.is_signal(cell)).collect();
        let memory = cells.iter().map(|cell| (*cell, f.bounded.initial[cell])).collect();
        Coarse { accesses, slots, cells, memory, late: Vec::new() }
    }

    fn add_cluster<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>) -> Result<(), Stop> {
        let slot = self.slots.count();
        self.slots.add(f);
        let owners = self.slots.owners[slot].clone();
        let beside = |f: &mut Formula<'_, M>, leave: &Leave, take: &Take| {
            let way = match is_natural(f, leave, take) {
                true => f.always(),
                false => owners[leave.thread],
            };
            f.and_not(way, owners[take.thread])
        };
        self.slots.signal(f, &self.accesses, slot, &beside);
        let before = self.memory.clone();
        if slot > 0 {
            for cell in self.cells.clone() {
                let value = self.accesses.holder(f, cell);
                self.memory.insert(cell, value);
            }
        }
        let mut any = f.never();
        for (thread, &owner) in owners.iter().enumerate() {
            f.watch.ask()?;
            self.work(f, slot, (thread, owner), &before);
            any = f.or(any, owner);
        }
        let nobody = f.not(any);
        for cell in &self.cells {
            f.equal_if(nobody, self.memory[cell], before[cell]);
        }
        Ok(())
    }

    /// What a thread does in a slot: on its own copy if it is the owner.
    fn work<M: MemoryModel>(
        &mut self,
        f: &mut Formula<'_, M>,
        slot: usize,
        (thread, owner): (usize, Term),
        before: &FxHashMap<Cell, Term>,
    ) {
        let mut copy = before.clone();
        for deed in self.deeds(thread) {
            match deed {
                Deed::Take(take) => {
                    let now = self.slots.now(f, thread, take.point, slot);
                    let acts = f.and(now, take.when);
                    let (own, looks) = (f.and(acts, owner), f.and_not(acts, owner));
                    f.equal_if(own, take.value, copy[&take.cell]);
                    f.equal_if(looks, take.value, self.memory[&take.cell]);
                }
                Deed::Visit(at) => {
                    let visit = self.accesses.visits[at];
                    let now = self.slots.now(f, thread, visit.point, slot);
                    let here = f.and(now, visit.when);
                    let bad = f.is_gone(copy[&visit.life], here);
                    self.late.push(bad);
                }
                Deed::Leave(leave) => {
                    let now = self.slots.now(f, thread, leave.point, slot);
                    let here = f.and(now, leave.when);
                    let new = f.terms().select(here, leave.value, copy[&leave.cell]);
                    copy.insert(leave.cell, new);
                }
            }
        }
        for cell in &self.cells {
            f.equal_if(owner, self.memory[cell], copy[cell]);
        }
    }

    /// By points, and at a point what it takes before what it leaves.
    fn deeds(&self, thread: usize) -> Vec<Deed> {
        let plain = |cell: Cell| !self.slots.is_signal(cell);
        let Accesses { takes, leaves, visits } = &self.accesses;
        let takes = takes.iter().filter(|take| take.thread == thread && plain(take.cell));
        let visits = visits.iter().enumerate().filter(|visit| visit.1.thread == thread);
        let leaves = leaves.iter().filter(|leave| leave.thread == thread && plain(leave.cell));
        let mut deeds: Vec<(u32, u8, Deed)> = Vec::new();
        deeds.extend(takes.map(|&take| (take.point, 0, Deed::Take(take))));
        deeds.extend(visits.map(|(at, visit)| (visit.point, 1, Deed::Visit(at))));
        deeds.extend(leaves.map(|&leave| (leave.point, 2, Deed::Leave(leave))));
        deeds.sort_by_key(|deed| (deed.0, deed.1));
        deeds.into_iter().map(|deed| deed.2).collect()
    }
}

impl<M: MemoryModel> Encoding<M> for Coarse {
    fn extend(&mut self, f: &mut Formula<'_, M>, clusters: u32) -> Result<Run, Stop> {
        while self.slots.count() <= clusters as usize {
            self.add_cluster(f)?;
        }
        let mut content = f.bounded.initial.clone();
        content.extend(self.memory.iter().map(|(&cell, &value)| (cell, value)));
        self.slots.settle(f, &self.accesses, &mut content);
        let slots = &self.slots;
        let full = match slots.strangers {
            false => slots.is_used(f, slots.count() - 1),
            true => f.always(),
        };
        let after = |f: &mut Formula<'_, M>, thread: usize, point: u32| {
            let mut after = f.never();
            for (slot, owners) in slots.owners.iter().enumerate() {
                let now = slots.now(f, thread, point, slot);
                let looks = f.and_not(now, owners[thread]);
                after = f.or(after, looks);
            }
            after
        };
        Ok(Run {
            passed: slots.last(),
            content,
            arrived: vec![Vec::new(); f.threads()],
            late: self.late.clone(),
            within: Vec::new(),
            full: Some(full),
            timeline: slots.timeline(f, &after),
        })
    }

    fn enough(&self, f: &Formula<'_, M>) -> u32 {
        self.slots.most(f)
    }
}
