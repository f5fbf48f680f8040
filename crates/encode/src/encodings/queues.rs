//! Stores that wait, in the formula: when they may reach memory, and what their own
//! thread sees until then.

use heddle_sat::Term;
use heddle_semantics::{FenceRule, MemoryModel, StoreRule};
use rustc_hash::FxHashMap;

use crate::bounded::{Action, Event};
use crate::encodings::lazy::Encoder;
use crate::unfold::facts::Cell;
use crate::watch::Stop;

/// A store of a thread that may wait.
pub(crate) struct Waiting {
    pub events: Vec<u32>,
    pub point: u32,
    /// Must it stay behind all earlier stores?
    ordered: bool,
    /// Fences before it that order stores.
    fences: usize,
    pub flushed: Vec<Term>,
    /// Earlier stores that are in memory whenever it is, by number.
    pub after: Vec<bool>,
    /// When it meets an earlier one that goes to other bytes too: it then waits for
    /// all of them, and goes to memory at once.
    pub mixed: Option<Term>,
}

/// Where a store goes, and under which condition.
type Places = Vec<(Cell, Term)>;

/// A fence that orders stores, and how many stores are before it.
struct Fence {
    guard: Term,
    stores: usize,
}

impl<M: MemoryModel> Encoder<'_, '_, M> {
    /// What becomes of a store.
    pub(crate) fn rule(&self, event: &Event) -> Option<StoreRule> {
        match event.action {
            Action::Write { direct: true, .. } => Some(StoreRule::Direct),
            Action::Write { order, .. } => Some(self.lazy.model.store(order)),
            _ => None,
        }
    }

    /// Stores that may wait, and the order in which they reach memory.
    pub(crate) fn queues(&mut self) -> Result<(), Stop> {
        for at in 0..self.lazy.bounded.threads.len() {
            self.waiting.push(Vec::new());
            self.store_of.push(FxHashMap::default());
            if !self.lazy.model.buffers() {
                continue;
            }
            let fences = self.find_stores(at);
            let places: Vec<Places> =
                (0..self.waiting[at].len()).map(|store| self.places(at, store)).collect();
            for store in 0..self.waiting[at].len() {
                self.lazy.watch.ask()?;
                self.order_store(at, store, &places, &fences);
                self.mix(at, store, &places);
            }
        }
        Ok(())
    }

    fn find_stores(&mut self, at: usize) -> Vec<Fence> {
        let thread = &self.lazy.bounded.threads[at];
        let mut fences: Vec<Fence> = Vec::new();
        let mut last_point = None;
        for (index, event) in thread.events.iter().enumerate() {
            if let Action::Fence { order } = event.action
                && self.lazy.model.fence(order) == FenceRule::Order
            {
                fences.push(Fence { guard: event.guard, stores: self.waiting[at].len() });
            }
            let Some(StoreRule::Buffer { ordered }) = self.rule(event) else { continue };
            // The parts of one store go together.
            if last_point != Some(event.point) {
                last_point = Some(event.point);
                let flushed = self.flush_times(at, event.point);
                self.waiting[at].push(Waiting {
                    events: Vec::new(),
                    point: event.point,
                    ordered,
                    fences: fences.len(),
                    flushed,
                    after: Vec::new(),
                    mixed: None,
                });
            }
            let store = self.waiting[at].len() - 1;
            self.waiting[at][store].events.push(index as u32);
            self.store_of[at].insert(index as u32, store);
        }
        fences
    }

    /// For each round: is the store of this point in memory by then?
    fn flush_times(&mut self, at: usize, point: u32) -> Vec<Term> {
        let rounds = self.rounds();
        let flushed: Vec<Term> =
            (0..rounds).map(|_| self.lazy.symbolic.terms.variable(1)).collect();
        for round in 0..rounds {
            if round > 0 {
                self.imply(flushed[round - 1], flushed[round]);
            }
            let issued = self.passed[at][point as usize][round];
            self.imply(flushed[round], issued);
        }
        flushed
    }

    /// Where a store goes, each place once, with the condition.
    fn places(&mut self, at: usize, store: usize) -> Places {
        let thread = &self.lazy.bounded.threads[at];
        let mut places = Places::new();
        for &index in &self.waiting[at][store].events {
            let event = &thread.events[index as usize];
            for &(cell, is_it) in event.targets.iter().filter(|target| !target.0.is_mark()) {
                let terms = &mut self.lazy.symbolic.terms;
                let here = terms.and(event.guard, is_it);
                match places.iter_mut().find(|place| place.0 == cell) {
                    Some(place) => place.1 = terms.or(place.1, here),
                    None => places.push((cell, here)),
                }
            }
        }
        places
    }

    fn queue(&self, cell: Cell) -> (u64, u32) {
        let base = self.lazy.objects.base(cell.object);
        self.lazy.model.queue(base.wrapping_add(u64::from(cell.offset)), 1)
    }

    /// Earlier stores that must reach memory before this one does. What follows from
    /// the order of others is not said again.
    fn order_store(&mut self, at: usize, store: usize, places: &[Places], fences: &[Fence]) {
        let mine = &places[store];
        let mut after = vec![false; store];
        for earlier in (0..store).rev() {
            if after[earlier] {
                continue;
            }
            let always =
                self.waiting[at][store].ordered || self.is_one_queue(mine, &places[earlier]);
            let when = match always {
                true => self.lazy.symbolic.terms.truth(true),
                false => {
                    let before = &fences[..self.waiting[at][store].fences];
                    let fenced = self.fenced(earlier, before);
                    let meets = self.meeting(mine, &places[earlier]);
                    self.lazy.symbolic.terms.or(fenced, meets)
                }
            };
            if self.lazy.symbolic.terms.as_constant(when) == Some(1) {
                after[earlier] = true;
                for (known, &also) in after.iter_mut().zip(&self.waiting[at][earlier].after) {
                    *known |= also;
                }
            }
            for round in 0..self.rounds() {
                let later = self.waiting[at][store].flushed[round];
                let first = self.waiting[at][earlier].flushed[round];
                let both = self.lazy.symbolic.terms.and(later, when);
                self.imply(both, first);
            }
        }
        self.waiting[at][store].after = after;
    }

    /// Does each thread have a queue for each place, or one for all?
    fn has_many_queues(&self) -> bool {
        self.lazy.model.queue(0, 1) != self.lazy.model.queue(1, 1)
    }

    /// Do all places of both stores have the same queue?
    fn is_one_queue(&self, mine: &Places, theirs: &Places) -> bool {
        if !self.has_many_queues() {
            return true;
        }
        let mut queues = mine.iter().chain(theirs).map(|place| self.queue(place.0));
        let first = queues.next();
        !mine.is_empty() && !theirs.is_empty() && queues.all(|queue| Some(queue) == first)
    }

    /// When one of the fences comes after the store.
    fn fenced(&mut self, store: usize, fences: &[Fence]) -> Term {
        let after = fences.iter().filter(|fence| store < fence.stores);
        let guards: Vec<Term> = after.map(|fence| fence.guard).collect();
        self.lazy.symbolic.terms.or_all(&guards)
    }

    /// When two stores share a queue at some place.
    fn meeting(&mut self, mine: &Places, theirs: &Places) -> Term {
        let mut meets = self.lazy.symbolic.terms.truth(false);
        for &(cell, here) in mine {
            for &(other, there) in theirs {
                if self.queue(cell) == self.queue(other) {
                    let terms = &mut self.lazy.symbolic.terms;
                    let both = terms.and(here, there);
                    meets = terms.or(meets, both);
                }
            }
        }
        meets
    }

    /// Where queues are for places, a store that overlaps an earlier one of other
    /// bytes does not wait in any.
    fn mix(&mut self, at: usize, store: usize, places: &[Places]) {
        if !self.has_many_queues() {
            return;
        }
        let mut mixes = self.lazy.symbolic.terms.truth(false);
        for earlier in 0..store {
            if self.is_single(at, store) && self.is_single(at, earlier) {
                continue;
            }
            let also = self.overlap(&places[store], &places[earlier]);
            mixes = self.lazy.symbolic.terms.or(mixes, also);
        }
        let mixed = self.lazy.symbolic.terms.as_constant(mixes) != Some(0);
        self.waiting[at][store].mixed = mixed.then_some(mixes);
    }

    /// Does the store go to one cell, whichever it is?
    fn is_single(&self, at: usize, store: usize) -> bool {
        let thread = &self.lazy.bounded.threads[at];
        let events = self.waiting[at][store].events.iter();
        let places = events.flat_map(|&event| thread.events[event as usize].targets.first());
        places.filter(|target| !target.0.is_mark()).count() <= 1
    }

    /// When two stores meet somewhere, but not everywhere.
    fn overlap(&mut self, mine: &Places, theirs: &Places) -> Term {
        let meets = self.meeting(mine, theirs);
        let terms = &mut self.lazy.symbolic.terms;
        let never = terms.truth(false);
        let mut differs = never;
        for (ours, others) in [(mine, theirs), (theirs, mine)] {
            for &(cell, here) in ours {
                let other = others.iter().find(|other| other.0 == cell);
                let absent = terms.not(other.map_or(never, |other| other.1));
                let alone = terms.and(here, absent);
                differs = terms.or(differs, alone);
            }
        }
        terms.and(meets, differs)
    }

    /// A load of several cells, at `index`: the newest store that waits and has some of
    /// them must have all of them.
    pub(crate) fn clear(&mut self, thread: usize, index: usize, acts: Term, round: usize) {
        let cells = self.lazy.bounded.threads[thread].events[index].targets.clone();
        let mut clear = self.lazy.symbolic.terms.truth(true);
        for store in 0..self.waiting[thread].len() {
            if self.waiting[thread][store].events[0] as usize > index {
                break;
            }
            let places = self.places(thread, store);
            let waits = self.waiting[thread][store].flushed[round];
            let terms = &mut self.lazy.symbolic.terms;
            let waits = terms.not(waits);
            let never = terms.truth(false);
            let hits: Vec<Term> = cells
                .iter()
                .map(|&(cell, _)| places.iter().find(|place| place.0 == cell))
                .map(|place| place.map_or(never, |place| place.1))
                .collect();
            let (some, all) = (terms.or_all(&hits), terms.and_all(&hits));
            let meets = terms.and(waits, some);
            clear = terms.select(meets, all, clear);
        }
        self.imply(acts, clear);
    }

    /// The thread's own newest store to the cells of an event.
    pub(crate) fn keep(&mut self, thread: usize, event: &Event, store: usize) {
        let Action::Write { value, .. } = event.action else { return };
        let rounds = self.rounds();
        let flushed = self.waiting[thread][store].flushed.clone();
        for &(cell, is_it) in &event.targets {
            if self.sources.contains(cell) {
                continue;
            }
            let terms = &mut self.lazy.symbolic.terms;
            let here = terms.and(event.guard, is_it);
            let none = terms.truth(false);
            let (old, waits) = match self.own[thread].remove(&cell) {
                Some(known) => known,
                None => (value, vec![none; rounds]),
            };
            let newest = terms.select(here, value, old);
            let waits = (0..rounds)
                .map(|round| {
                    let waits_now = terms.not(flushed[round]);
                    terms.select(here, waits_now, waits[round])
                })
                .collect();
            self.own[thread].insert(cell, (newest, waits));
        }
    }

    /// All stores before the event are in memory when it acts.
    pub(crate) fn drain(&mut self, thread: usize, index: usize, acts: Term, round: usize) {
        let stores = &self.waiting[thread];
        let count = stores.iter().take_while(|store| (store.events[0] as usize) < index).count();
        let mut follows = vec![false; count];
        for store in (0..count).rev() {
            if follows[store] {
                continue;
            }
            for (known, &also) in follows.iter_mut().zip(&self.waiting[thread][store].after) {
                *known |= also;
            }
            let flushed = self.waiting[thread][store].flushed[round];
            self.imply(acts, flushed);
        }
    }

    pub(crate) fn all_flushed(&mut self, thread: usize, all: &mut Vec<Term>) {
        let last = self.rounds() - 1;
        for store in &self.waiting[thread] {
            let events = &self.lazy.bounded.threads[thread].events;
            let issued = self.passed[thread][store.point as usize][last];
            let guard = events[store.events[0] as usize].guard;
            let terms = &mut self.lazy.symbolic.terms;
            let issued = terms.and(issued, guard);
            all.push(terms.implies(issued, store.flushed[last]));
        }
    }
}
