//! Memory unwinding, fine-grained: the sequence of all writes is guessed, and each thread
//! finds its own in it.
//!
//! Follows Tomasco, Inverso, Fischer, La Torre and Parlato ("Verifying Concurrent Programs
//! by Memory Unwinding", TACAS 2015; sections 5.2 and 5.3 of the thesis in
//! `docs/papers.md`). A slot holds what one point writes. `explicit`: the value of every
//! cell in every slot (5.3.1). `implicit`: only what is written, and a read looks for the
//! last slot that has its cell (5.3.2). `hybrid`: explicit for cells by themselves,
//! implicit for those that an access picks from several, as of an array (5.3.3).
//!
//! Deviations:
//! 1. No program: a thread's position at a point is a truth for each slot, "passed by the
//!    end of it", and the jumps of Figures 5.3 to 5.14 are the order of these truths.
//!    `th_next_write` is not needed: who writes in a slot is one thread (`owners`).
//! 2. A slot is a point's, not a write's (`accesses`).
//! 3. Position 0 is before the first write, so W means W writes (in the figures position 0
//!    is never matched), and thread 0 is one as any other.
//! 4. There is no guessed number of threads or of writes, and no guess of who ends when: a
//!    run may end anywhere, as the interpreter's.
//! 5. Creation, end and join compare positions and take no slots (Figures 5.6 to 5.8);
//!    whoever joins a thread that another one created needs a later slot, since two that
//!    wait for each other could not be told from two that need not (`slots`).
//! 6. Mutexes and all other synchronisation are the reads and writes that they are in the
//!    interpreter, not tests of positions.
//!
//! Complete if no run uses all W slots: any run with more writes has a part with W.
//! Size: with P points, r reads and w writes of b bits and V cells, explicit
//! O(W · (P + b · (r + w + V))), implicit O(W · (P + b · (r + w))) gates.

use heddle_sat::Term;
use heddle_semantics::MemoryModel;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::encodings::accesses::{Accesses, Leave, Take, find_accesses};
use crate::encodings::slots::{Slots, is_natural};
use crate::encodings::{Encoding, Formula, Run};
use crate::unfold::facts::Cell;
use crate::watch::Stop;

/// How reads find what they read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reads {
    Explicit,
    Implicit,
    Hybrid,
}

pub(crate) struct Mu {
    reads: Reads,
    accesses: Accesses,
    slots: Slots,
    /// Cells whose value every slot has.
    explicit: FxHashSet<Cell>,
    /// Slot: values of cells, after what is written there.
    memory: Vec<FxHashMap<Cell, Term>>,
    /// Slot: when a cell is written there, and what.
    written: Vec<FxHashMap<Cell, (Term, Term)>>,
    late: Vec<Term>,
}

impl Mu {
    pub fn new<M: MemoryModel>(f: &mut Formula<'_, M>, reads: Reads) -> Mu {
        let accesses = find_accesses(f);
        let slots = Slots::of(f, &accesses);
        let explicit = explicit(f, &accesses, reads);
        let (memory, written, late) = (Vec::new(), Vec::new(), Vec::new());
        Mu { reads, accesses, slots, explicit, memory, written, late }
    }

    /// Cells that are read or written, other than by signals.
    fn plain(&self) -> impl Iterator<Item = Cell> {
        self.accesses.cells().into_iter().filter(|&cell| !self.slots.is_signal(cell))
    }

    fn add_slot<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>) -> Result<(), Stop> {
        let slot = self.slots.count();
        self.slots.add(f);
        self.write_last(f, slot);
        self.store(f, slot);
        let writes = &self.slots.writes;
        let beside =
            |f: &mut Formula<'_, M>, leave: &Leave, take: &Take| match is_natural(f, leave, take) {
                true => f.not(writes[take.thread][take.point as usize]),
                false => f.never(),
            };
        self.slots.signal(f, &self.accesses, slot, &beside);
        if slot > 1 && !self.slots.strangers {
            let (now, before) = (self.slots.is_used(f, slot), self.slots.is_used(f, slot - 1));
            f.imply(now, before);
        }
        for at in 0..self.accesses.takes.len() {
            f.watch.ask()?;
            let take = self.accesses.takes[at];
            if self.explicit.contains(&take.cell) && !self.slots.is_signal(take.cell) {
                self.read(f, slot, take);
            }
        }
        for at in 0..self.accesses.visits.len() {
            let visit = self.accesses.visits[at];
            let Some(earlier) = slot.checked_sub(1) else { continue };
            let now = self.slots.now(f, visit.thread, visit.point, slot);
            let here = f.and(now, visit.when);
            let bad = f.is_gone(self.memory[earlier][&visit.life], here);
            self.late.push(bad);
        }
        Ok(())
    }

    /// What a point writes is the last thing in its slot: everything before it is earlier.
    fn write_last<M: MemoryModel>(&self, f: &mut Formula<'_, M>, slot: usize) {
        for (thread, rows) in self.slots.passed.iter().enumerate() {
            for point in 1..rows.len() {
                let acts = f.and(rows[point][slot], self.slots.writes[thread][point]);
                if slot > 0 {
                    f.imply(acts, rows[point - 1][slot - 1]);
                }
            }
        }
    }

    /// The values in a slot.
    fn store<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, slot: usize) {
        let Some(earlier) = slot.checked_sub(1) else {
            let initial = self.plain().map(|cell| (cell, f.bounded.initial[&cell])).collect();
            self.memory.push(initial);
            self.written.push(FxHashMap::default());
            return;
        };
        let mut memory = FxHashMap::default();
        let mut written = FxHashMap::default();
        for cell in self.plain().collect::<Vec<_>>() {
            let leaves = self.accesses.leaves.iter().filter(|leave| leave.cell == cell);
            let value = self.accesses.holder(f, cell);
            let mut changes = Vec::new();
            for leave in leaves {
                let now = self.slots.now(f, leave.thread, leave.point, slot);
                let here = f.and(now, leave.when);
                f.equal_if(here, value, leave.value);
                changes.push(here);
            }
            let changed = f.terms().or_all(&changes);
            written.insert(cell, (changed, value));
            if self.explicit.contains(&cell) {
                let same = f.not(changed);
                f.equal_if(same, value, self.memory[earlier][&cell]);
                memory.insert(cell, value);
            }
        }
        self.memory.push(memory);
        self.written.push(written);
    }

    /// A read in this slot takes the value that the slot has, or had before its own write.
    fn read<M: MemoryModel>(&self, f: &mut Formula<'_, M>, slot: usize, take: Take) {
        let now = self.slots.now(f, take.thread, take.point, slot);
        let acts = f.and(now, take.when);
        let writes = self.slots.writes[take.thread][take.point as usize];
        let looks = f.and_not(acts, writes);
        f.equal_if(looks, take.value, self.memory[slot][&take.cell]);
        if let Some(earlier) = slot.checked_sub(1) {
            let updates = f.and(acts, writes);
            f.equal_if(updates, take.value, self.memory[earlier][&take.cell]);
        }
    }

    /// A read looks for the last slot up to its own that has the cell. Which one that is
    /// holds within the bound only.
    fn search<M: MemoryModel>(&self, f: &mut Formula<'_, M>, take: Take, within: Term) {
        let row = &self.slots.passed[take.thread][take.point as usize];
        let writes = self.slots.writes[take.thread][take.point as usize];
        let last = row[row.len() - 1];
        let acts = f.and(last, take.when);
        let mut open = f.and(acts, within);
        for slot in (1..self.slots.count()).rev() {
            let (changed, value) = self.written[slot][&take.cell];
            // Its slot is this one or a later one; if it writes itself, a later one.
            let reached = f.not(row[slot - 1]);
            let beyond = f.not(row[slot]);
            let sees = f.terms().select(writes, beyond, reached);
            let seen = f.and(sees, changed);
            let taken = f.and(open, seen);
            f.equal_if(taken, take.value, value);
            open = f.and_not(open, seen);
        }
        f.equal_if(open, take.value, f.bounded.initial[&take.cell]);
    }

    /// What is in memory in the end.
    fn content<M: MemoryModel>(&self, f: &mut Formula<'_, M>) -> FxHashMap<Cell, Term> {
        let mut content = f.bounded.initial.clone();
        let last = self.slots.count() - 1;
        for cell in self.plain() {
            if let Some(&value) = self.memory[last].get(&cell) {
                content.insert(cell, value);
                continue;
            }
            let mut value = f.bounded.initial[&cell];
            for slot in 1..=last {
                let (changed, written) = self.written[slot][&cell];
                value = f.terms().select(changed, written, value);
            }
            content.insert(cell, value);
        }
        self.slots.settle(f, &self.accesses, &mut content);
        content
    }
}

/// Cells whose value every slot has; those that tell whether an object is gone always do.
fn explicit<M: MemoryModel>(
    f: &Formula<'_, M>,
    accesses: &Accesses,
    reads: Reads,
) -> FxHashSet<Cell> {
    let mut picked: FxHashSet<Cell> = FxHashSet::default();
    for event in f.bounded.threads.iter().flat_map(|thread| &thread.events) {
        if event.targets.len() > 1 {
            picked.extend(event.targets.iter().map(|target| target.0));
        }
    }
    let lives: FxHashSet<Cell> = accesses.visits.iter().map(|visit| visit.life).collect();
    let is_explicit = |cell: &Cell| match reads {
        Reads::Explicit => true,
        Reads::Implicit => lives.contains(cell),
        Reads::Hybrid => lives.contains(cell) || !picked.contains(cell),
    };
    accesses.cells().into_iter().filter(is_explicit).collect()
}

impl<M: MemoryModel> Encoding<M> for Mu {
    fn extend(&mut self, f: &mut Formula<'_, M>, writes: u32) -> Result<Run, Stop> {
        while self.slots.count() <= writes as usize {
            self.add_slot(f)?;
        }
        let mut within = Vec::new();
        if self.reads != Reads::Explicit {
            let bound = f.truth();
            for at in 0..self.accesses.takes.len() {
                f.watch.ask()?;
                let take = self.accesses.takes[at];
                if !self.explicit.contains(&take.cell) && !self.slots.is_signal(take.cell) {
                    self.search(f, take, bound);
                }
            }
            within.push(bound);
        }
        let last = self.slots.count() - 1;
        let full = match self.slots.strangers {
            false => self.slots.is_used(f, last),
            true => f.always(),
        };
        let writes = &self.slots.writes;
        let after = |f: &mut Formula<'_, M>, thread: usize, point: u32| {
            f.not(writes[thread][point as usize])
        };
        Ok(Run {
            passed: self.slots.last(),
            content: self.content(f),
            arrived: vec![Vec::new(); f.threads()],
            late: self.late.clone(),
            within,
            full: Some(full),
            timeline: self.slots.timeline(f, &after),
        })
    }

    fn enough(&self, f: &Formula<'_, M>) -> u32 {
        self.slots.most(f)
    }
}
