//! Points in the slots of one sequence of writes: what the unwindings of the whole memory
//! have in common (chapter 5 of the thesis in `docs/papers.md`).
//!
//! Slot 0 is before the first write; each further one belongs to a thread that writes
//! there. A thread passes its points in slots that only grow. In a slot the owner acts
//! first, then the others look, each where the thesis's nested simulation would have it.

use heddle_sat::Term;
use heddle_semantics::MemoryModel;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::encodings::accesses::{Accesses, Leave, Take};
use crate::encodings::{Formula, Key, Timeline};
use crate::unfold::facts::Cell;

#[derive(Default)]
pub(crate) struct Slots {
    /// Thread, point, slot: passed by the end of it.
    pub passed: Vec<Vec<Vec<Term>>>,
    /// Slot, thread: it belongs to the thread.
    pub owners: Vec<Vec<Term>>,
    /// Thread, point: when it writes something that counts.
    pub writes: Vec<Vec<Term>>,
    /// Creation, end and result of threads, which take no slots.
    signals: FxHashSet<Cell>,
    /// Thread, point: where it is in the simulation of each thread where it is created.
    places: Vec<Vec<u64>>,
    /// Some thread is joined by another one than its creator.
    pub strangers: bool,
}

impl Slots {
    pub fn of<M: MemoryModel>(f: &mut Formula<'_, M>, accesses: &Accesses) -> Slots {
        let cells = accesses.cells().into_iter();
        let signals = cells.filter(|&cell| f.objects.is_signal(cell.object, cell.offset));
        let mut slots = Slots { signals: signals.collect(), ..Slots::default() };
        for thread in 0..f.threads() {
            let points = f.points(thread);
            slots.passed.push(vec![Vec::new(); points]);
            slots.writes.push(vec![f.never(); points]);
        }
        for leave in &accesses.leaves {
            if !slots.signals.contains(&leave.cell) {
                let writes = &mut slots.writes[leave.thread][leave.point as usize];
                *writes = f.or(*writes, leave.when);
            }
        }
        slots.places = places(f, accesses);
        slots.strangers = accesses
            .takes
            .iter()
            .filter(|take| slots.signals.contains(&take.cell))
            .any(|take| signallers(accesses, take).any(|leave| !is_natural(f, leave, take)));
        slots
    }

    pub fn is_signal(&self, cell: Cell) -> bool {
        self.signals.contains(&cell)
    }

    /// Slots so far.
    pub fn count(&self) -> usize {
        self.owners.len()
    }

    /// How many slots there can be at most, beside the first.
    pub fn most<M: MemoryModel>(&self, f: &Formula<'_, M>) -> u32 {
        let writing = self.writes.iter().flatten().filter(|&&writes| !f.is_never(writes));
        // A join by a stranger may need a slot that nobody writes in.
        let empty = match self.strangers {
            true => self.passed.iter().map(Vec::len).sum(),
            false => 0,
        };
        (writing.count() + empty).max(1) as u32
    }

    /// Adds a slot.
    pub fn add<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>) {
        for rows in &mut self.passed {
            f.move_on(rows);
        }
        let slot = self.count();
        let owners = f.truths(self.passed.len());
        f.at_most_one(&owners);
        for (thread, &owner) in owners.iter().enumerate() {
            // Nobody writes in the first.
            let may_write = if slot == 0 { f.never() } else { owner };
            for point in 0..self.passed[thread].len() {
                let now = self.now(f, thread, point as u32, slot);
                let writes = f.and(now, self.writes[thread][point]);
                f.imply(writes, may_write);
            }
        }
        self.owners.push(owners);
    }

    /// Is the point passed in this slot?
    pub fn now<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        thread: usize,
        point: u32,
        slot: usize,
    ) -> Term {
        let row = &self.passed[thread][point as usize];
        match slot.checked_sub(1) {
            None => row[slot],
            Some(before) => f.and_not(row[slot], row[before]),
        }
    }

    pub fn last(&self) -> Vec<Vec<Term>> {
        let last =
            |rows: &Vec<Vec<Term>>| rows.iter().filter_map(|row| row.last().copied()).collect();
        self.passed.iter().map(last).collect()
    }

    /// Somebody writes in this slot.
    pub fn is_used<M: MemoryModel>(&self, f: &mut Formula<'_, M>, slot: usize) -> Term {
        let mut writes = Vec::new();
        for thread in 0..self.passed.len() {
            for point in 0..self.passed[thread].len() {
                if !f.is_never(self.writes[thread][point]) {
                    let now = self.now(f, thread, point as u32, slot);
                    writes.push(f.and(now, self.writes[thread][point]));
                }
            }
        }
        f.terms().or_all(&writes)
    }

    /// A thread is created, or has ended: whoever looks at that waits for it. `beside` says
    /// when the one who looks, in the same slot, comes after the other.
    pub fn signal<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        accesses: &Accesses,
        slot: usize,
        beside: &dyn Fn(&mut Formula<'_, M>, &Leave, &Take) -> Term,
    ) {
        for take in accesses.takes.iter().filter(|take| self.is_signal(take.cell)) {
            let now = self.now(f, take.thread, take.point, slot);
            let acts = f.and(now, take.when);
            let mut ways = Vec::new();
            for leave in signallers(accesses, take) {
                let row = &self.passed[leave.thread][leave.point as usize];
                let earlier = match slot.checked_sub(1) {
                    Some(earlier) => row[earlier],
                    None => f.never(),
                };
                let beside = beside(f, leave, take);
                let beside = f.and(row[slot], beside);
                let before = f.or(earlier, beside);
                let seen = f.and(before, leave.when);
                let here = f.and(acts, seen);
                f.equal_if(here, take.value, leave.value);
                ways.push(seen);
            }
            f.imply_any(acts, &ways);
        }
    }

    /// What the signals are in the end.
    pub fn settle<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        accesses: &Accesses,
        content: &mut FxHashMap<Cell, Term>,
    ) {
        for leave in accesses.leaves.iter().filter(|leave| self.is_signal(leave.cell)) {
            let Some(&passed) = self.passed[leave.thread][leave.point as usize].last() else {
                continue;
            };
            let here = f.and(passed, leave.when);
            let old = content[&leave.cell];
            let new = f.terms().select(here, leave.value, old);
            content.insert(leave.cell, new);
        }
    }

    /// When points are passed. `after` says when a point comes after what the owner of its
    /// slot does.
    pub fn timeline<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        after: &dyn Fn(&mut Formula<'_, M>, usize, u32) -> Term,
    ) -> Timeline {
        let all: u64 = self.passed.iter().map(|rows| rows.len() as u64).sum();
        let mut timeline = Timeline::default();
        for (thread, rows) in self.passed.iter().enumerate() {
            let mut keys = Vec::with_capacity(rows.len());
            for (point, row) in rows.iter().enumerate() {
                let not_yet = row.iter().map(|&done| (f.terms().not(done), 2 * all));
                let mut parts: Vec<(Term, u64)> = not_yet.collect();
                parts.push((after(f, thread, point as u32), all));
                keys.push(Key { base: self.places[thread][point], parts });
            }
            timeline.points.push(keys);
            timeline.arrivals.push(Vec::new());
        }
        timeline
    }
}

/// Who writes what somebody waits for.
fn signallers<'a>(accesses: &'a Accesses, take: &Take) -> impl Iterator<Item = &'a Leave> {
    let cell = take.cell;
    accesses.leaves.iter().filter(move |leave| leave.cell == cell)
}

/// A thread begins after its creation, and its creator joins it after its end: so no two
/// threads can wait for each other in one slot. Others join in a later one.
pub(crate) fn is_natural<M: MemoryModel>(f: &Formula<'_, M>, leave: &Leave, take: &Take) -> bool {
    let parent = |thread: usize| f.bounded.threads[thread].parent as usize;
    parent(take.thread) == leave.thread && take.point == 0 || parent(leave.thread) == take.thread
}

/// The order of the points if every thread ran to its end where it is created.
fn places<M: MemoryModel>(f: &Formula<'_, M>, accesses: &Accesses) -> Vec<Vec<u64>> {
    let mut created: FxHashMap<(usize, u32), Vec<usize>> = FxHashMap::default();
    for thread in 1..f.threads() {
        let parent = f.bounded.threads[thread].parent as usize;
        let birth = accesses.takes.iter().find(|take| take.thread == thread && take.point == 0);
        let creation = birth
            .and_then(|birth| signallers(accesses, birth).find(|leave| leave.thread == parent));
        let point = creation.map_or(0, |leave| leave.point);
        created.entry((parent, point)).or_default().push(thread);
    }
    let mut places: Vec<Vec<u64>> =
        (0..f.threads()).map(|thread| vec![0; f.points(thread)]).collect();
    let mut next = 0;
    let mut stack = vec![(0usize, 0u32)];
    while let Some((thread, point)) = stack.pop() {
        if point as usize >= f.points(thread) {
            continue;
        }
        places[thread][point as usize] = next;
        next += 1;
        stack.push((thread, point + 1));
        for &child in created.get(&(thread, point)).into_iter().flatten().rev() {
            stack.push((child, 0));
        }
    }
    places
}
