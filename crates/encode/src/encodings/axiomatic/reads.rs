//! What reads take, and what that asks of the order.

use heddle_sat::Term;
use heddle_sat::order::{Clocks, Location, Read};
use heddle_semantics::MemoryModel;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bounded::Action;
use crate::encodings::Formula;
use crate::encodings::axiomatic::candidates::{Look, find_waits, find_wanted};
use crate::encodings::axiomatic::{Axiomatic, END, START};
use crate::unfold::facts::Cell;
use crate::watch::Stop;

/// What cells hold in the end, and when a store found its object gone.
type Seen = (FxHashMap<Cell, Term>, Vec<Term>);

impl Axiomatic {
    pub(super) fn read<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>) -> Result<Seen, Stop> {
        let mut looks = self.loads(f);
        let late = self.visits(f, &mut looks);
        let content = self.last(f, &mut looks);
        self.find_must(f, &looks);
        let mut by_cell: FxHashMap<Cell, Vec<&Look>> = FxHashMap::default();
        for look in &looks {
            by_cell.entry(look.cell).or_default().push(look);
        }
        let mut cells: Vec<Cell> = by_cell.keys().copied().collect();
        cells.sort_unstable();
        for cell in cells {
            f.watch.ask()?;
            self.locate(f, cell, &by_cell[&cell])?;
        }
        Ok((content, late))
    }

    fn loads<M: MemoryModel>(&self, f: &mut Formula<'_, M>) -> Vec<Look> {
        let waits = find_waits(f);
        let mut looks = Vec::new();
        for take in &self.accesses.takes {
            let at = (take.thread, take.point);
            let guard = f.event(take.thread, take.event).guard;
            looks.push(Look {
                node: self.point(take.thread, take.point),
                cell: take.cell,
                acts: f.and(self.passed[take.thread][take.point as usize], take.when),
                value: take.value,
                load: Some(at),
                wants: find_wanted(f, &waits, at, (guard, take.value)),
            });
        }
        looks
    }

    /// Stores that look whether their objects are gone.
    fn visits<M: MemoryModel>(&self, f: &mut Formula<'_, M>, looks: &mut Vec<Look>) -> Vec<Term> {
        let mut late = Vec::new();
        for visit in &self.accesses.visits {
            let node = match visit.store {
                Some(store) => self.arrival(visit.thread, store),
                None => self.point(visit.thread, visit.point),
            };
            let acts = f.and(self.passed[visit.thread][visit.point as usize], visit.when);
            let value = self.accesses.holder(f, visit.life);
            looks.push(Look { node, cell: visit.life, acts, value, load: None, wants: None });
            late.push(f.is_gone(value, acts));
        }
        late
    }

    /// What is in the cells in the end that somebody may wait for.
    fn last<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        looks: &mut Vec<Look>,
    ) -> FxHashMap<Cell, Term> {
        let mut wanted: FxHashSet<Cell> = FxHashSet::default();
        for code in &f.bounded.threads {
            let tests = code.waits.iter().flat_map(|wait| &wait.tests);
            let cells = tests.flat_map(|test| &test.targets).flat_map(|target| &target.0);
            wanted.extend(cells.map(|cell| cell.0));
            for spin in &code.spins {
                let reads = &code.events[spin.reads.start as usize..spin.reads.end as usize];
                let reads = reads.iter().filter(|it| matches!(it.action, Action::Read { .. }));
                wanted.extend(reads.flat_map(|event| &event.targets).map(|target| target.0));
            }
        }
        let mut wanted: Vec<Cell> = wanted.into_iter().collect();
        wanted.sort_unstable();
        let mut content = FxHashMap::default();
        for cell in wanted {
            let Some(&initial) = f.bounded.initial.get(&cell) else { continue };
            let none = Vec::new();
            let writers = self.writers.get(&cell).unwrap_or(&none);
            let leaves: Vec<_> = writers.iter().map(|&at| self.accesses.leaves[at]).collect();
            let mut value = initial;
            if leaves.windows(2).all(|pair| pair[0].thread == pair[1].thread) {
                for leave in &leaves {
                    let acts = self.acts(f, leave);
                    value = f.terms().select(acts, leave.value, value);
                }
            } else {
                value = self.accesses.holder(f, cell);
                let (node, acts) = (END, f.always());
                looks.push(Look { node, cell, acts, value, load: None, wants: None });
            }
            content.insert(cell, value);
        }
        content
    }

    /// The reads and writes of a cell.
    fn locate<M: MemoryModel>(
        &mut self,
        f: &mut Formula<'_, M>,
        cell: Cell,
        looks: &[&Look],
    ) -> Result<(), Stop> {
        if let Some(lock) = self.find_lock(f, cell, looks) {
            self.keep_apart(f, &lock);
            self.locks.push(lock.history);
            return Ok(());
        }
        let always = |f: &Formula<'_, M>, when: Term| {
            (f.symbolic.terms.as_constant(when) != Some(1)).then_some(when)
        };
        let mut location = Location { writes: vec![(START, None)], reads: Vec::new() };
        let mut index: FxHashMap<usize, u32> = FxHashMap::default();
        let writers = self.writers.get(&cell).cloned().unwrap_or_default();
        for &at in &writers {
            let leave = self.accesses.leaves[at];
            let acts = self.acts(f, &leave);
            index.insert(at, location.writes.len() as u32);
            location.writes.push((self.effect(&leave), always(f, acts)));
        }
        let must = std::mem::replace(&mut self.must, Clocks::new(&[]));
        let leaves = || writers.iter().map(|&at| self.accesses.leaves[at].thread);
        let writer = leaves().next().filter(|&first| leaves().all(|other| other == first));
        for look in looks {
            f.watch.ask()?;
            let own = look.load.is_some_and(|(thread, _)| Some(thread) == writer);
            if writer.is_some() && !own {
                self.take_latest(f, look, &writers);
                continue;
            }
            let found = self.candidates(f, look, &must);
            let takes = self.choose(f, look, &found);
            let from = found.iter().zip(takes);
            let from = from.map(|(at, takes)| (at.map_or(0, |at| index[&at]), always(f, takes)));
            location.reads.push(Read { node: look.node, from: from.collect() });
        }
        for (at, &first) in writers.iter().enumerate() {
            for &second in &writers[at + 1..] {
                let (a, b) = (&self.accesses.leaves[first], &self.accesses.leaves[second]);
                // A thread's own stores to a cell stay in order.
                let known = a.thread == b.thread;
                let (a, b) = (self.effect(a), self.effect(b));
                if !known && !must.is_before(a, b) && !must.is_before(b, a) {
                    self.pair(f, a, b);
                }
            }
        }
        self.must = must;
        if !location.reads.is_empty() {
            self.orders.locations.push(location);
        }
        Ok(())
    }

    /// Of writes that stay in order, a read of another thread takes the last one before it.
    /// Truths of that are better than one for each candidate: what is known of a read that
    /// comes before some write is known of all earlier ones.
    fn take_latest<M: MemoryModel>(
        &mut self,
        f: &mut Formula<'_, M>,
        look: &Look,
        writers: &[usize],
    ) {
        self.orders.paired += writers.len() + 1;
        let mut open = look.acts;
        for &at in writers.iter().rev() {
            let leave = self.accesses.leaves[at];
            let acts = self.acts(f, &leave);
            let before = self.pair(f, self.effect(&leave), look.node);
            let seen = f.and(acts, before);
            let takes = f.and(open, seen);
            f.equal_if(takes, look.value, leave.value);
            open = f.and_not(open, seen);
        }
        f.equal_if(open, look.value, f.bounded.initial[&look.cell]);
    }

    /// Truths that say which of the candidates is taken.
    fn choose<M: MemoryModel>(
        &mut self,
        f: &mut Formula<'_, M>,
        look: &Look,
        found: &[Option<usize>],
    ) -> Vec<Term> {
        let takes = match found {
            [_] => vec![look.acts],
            _ => f.truths(found.len()),
        };
        f.imply_any(look.acts, &takes);
        for (&from, &takes) in found.iter().zip(&takes) {
            f.imply(takes, look.acts);
            let Some(at) = from else {
                f.equal_if(takes, look.value, f.bounded.initial[&look.cell]);
                self.see_own(f, look, (takes, None));
                continue;
            };
            let leave = self.accesses.leaves[at];
            f.equal_if(takes, look.value, leave.value);
            let acts = self.acts(f, &leave);
            f.imply(takes, acts);
            if !self.is_own(look, &leave) {
                let node = self.effect(&leave);
                self.edge(f, takes, node, look.node);
            }
            self.see_own(f, look, (takes, Some(at)));
        }
        takes
    }

    /// What a thread has stored itself is not to be overlooked, whether it waits or not:
    /// nothing that was there before it is read, nor anything that came to memory before it.
    fn see_own<M: MemoryModel>(
        &mut self,
        f: &mut Formula<'_, M>,
        look: &Look,
        (takes, from): (Term, Option<usize>),
    ) {
        let writers = self.writers.get(&look.cell).cloned().unwrap_or_default();
        for &own in writers.iter().rev() {
            let leave = self.accesses.leaves[own];
            if !self.is_own(look, &leave) {
                continue;
            }
            let source = from.map(|at| self.accesses.leaves[at]);
            match source {
                Some(source) if self.is_own(look, &source) => {
                    if from == Some(own) {
                        break;
                    }
                    let not = f.not(leave.when);
                    f.imply(takes, not);
                }
                Some(source) => {
                    let both = f.and(takes, leave.when);
                    let (first, second) = (self.effect(&leave), self.effect(&source));
                    if leave.store.is_some() {
                        self.edge(f, both, first, second);
                    }
                }
                None => {
                    let not = f.not(leave.when);
                    f.imply(takes, not);
                }
            }
            if f.symbolic.terms.as_constant(leave.when) == Some(1) {
                break;
            }
        }
    }
}
