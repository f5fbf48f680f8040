//! Stores that may wait: which they are, and which of a thread's stores must be in memory
//! before which others. That is the memory model's (`heddle_memory::arrival`); when each
//! of them is in memory is an encoding's.

use heddle_memory::arrival::{Arrival, arrival};
use heddle_sat::Term;
use heddle_semantics::{FenceRule, MemoryModel, StoreRule};
use rustc_hash::FxHashMap;

use crate::bounded::{Action, Event};
use crate::encodings::Formula;
use crate::unfold::facts::Cell;
use crate::watch::Stop;

/// A store of a thread that may wait.
pub(crate) struct Delayed {
    /// The parts of a store go together.
    pub events: Vec<u32>,
    pub point: u32,
    /// Where it goes, each place once, with the condition.
    pub places: Places,
    rule: StoreRule,
    /// Fences before it that order stores.
    fences: usize,
    /// Earlier stores that must be in memory first, by number, and when they must. What
    /// follows from others is not said again.
    pub behind: Vec<(usize, Term)>,
    /// Earlier stores that are in memory whenever it is, by number.
    pub after: Vec<bool>,
    /// When it meets an earlier one that goes to other bytes too: it then waits for
    /// all of them, and goes to memory at once.
    pub mixed: Option<Term>,
}

/// The stores of a thread that may wait, and which one an event belongs to.
#[derive(Default)]
pub(crate) struct Stores {
    pub all: Vec<Delayed>,
    pub of: FxHashMap<u32, usize>,
}

impl Stores {
    /// Those before an event of the thread.
    pub fn before(&self, event: usize) -> usize {
        self.all.iter().take_while(|store| (store.events[0] as usize) < event).count()
    }

    /// Of the stores before an event, the last ones: if these are in memory, all are.
    pub fn newest_before(&self, event: usize) -> Vec<usize> {
        let count = self.before(event);
        let mut follows = vec![false; count];
        let mut newest = Vec::new();
        for store in (0..count).rev() {
            if !follows[store] {
                newest.push(store);
                for (known, &also) in follows.iter_mut().zip(&self.all[store].after) {
                    *known |= also;
                }
            }
        }
        newest
    }

    pub fn are_mixed(&self) -> bool {
        self.all.iter().any(|store| store.mixed.is_some())
    }
}

/// Where a store goes, and under which condition.
pub(crate) type Places = Vec<(Cell, Term)>;

/// A fence that orders stores, and how many stores are before it.
struct Fence {
    guard: Term,
    stores: usize,
}

/// What becomes of a store.
pub(crate) fn rule<M: MemoryModel>(model: &M, event: &Event) -> Option<StoreRule> {
    match event.action {
        Action::Write { direct: true, .. } => Some(StoreRule::Direct),
        Action::Write { order, .. } => Some(model.store(order)),
        _ => None,
    }
}

/// Does the event, if it acts, wait until all earlier stores of its thread are in memory?
pub(crate) fn drains<M: MemoryModel>(model: &M, event: &Event) -> bool {
    match event.action {
        Action::Drain => true,
        Action::Fence { order } => model.fence(order) == FenceRule::Drain,
        _ => rule(model, event) == Some(StoreRule::Drain),
    }
}

pub(crate) fn find_stores<M: MemoryModel>(
    formula: &mut Formula<'_, M>,
) -> Result<Vec<Stores>, Stop> {
    let mut all = Vec::new();
    for thread in 0..formula.threads() {
        let mut stores = Stores::default();
        if formula.model.buffers() {
            let fences = collect(formula, thread, &mut stores);
            for store in 0..stores.all.len() {
                formula.watch.ask()?;
                order(formula, &mut stores, store, &fences);
                mix(formula, thread, &mut stores, store);
            }
        }
        all.push(stores);
    }
    Ok(all)
}

fn collect<M: MemoryModel>(
    formula: &mut Formula<'_, M>,
    thread: usize,
    stores: &mut Stores,
) -> Vec<Fence> {
    let mut fences: Vec<Fence> = Vec::new();
    for (index, event) in formula.bounded.threads[thread].events.iter().enumerate() {
        if let Action::Fence { order } = event.action
            && formula.model.fence(order) == FenceRule::Order
        {
            fences.push(Fence { guard: event.guard, stores: stores.all.len() });
        }
        let Some(rule @ StoreRule::Buffer { .. }) = rule(&formula.model, event) else { continue };
        if stores.all.last().is_none_or(|last| last.point != event.point) {
            stores.all.push(Delayed {
                events: Vec::new(),
                point: event.point,
                places: Places::new(),
                rule,
                fences: fences.len(),
                behind: Vec::new(),
                after: Vec::new(),
                mixed: None,
            });
        }
        let number = stores.all.len() - 1;
        let store = &mut stores.all[number];
        store.events.push(index as u32);
        stores.of.insert(index as u32, number);
        for &(cell, is_it) in event.targets.iter().filter(|target| !target.0.is_mark()) {
            let here = formula.and(event.guard, is_it);
            match store.places.iter_mut().find(|place| place.0 == cell) {
                Some(place) => place.1 = formula.or(place.1, here),
                None => store.places.push((cell, here)),
            }
        }
    }
    fences
}

fn queue<M: MemoryModel>(formula: &Formula<'_, M>, cell: Cell) -> (u64, u32) {
    let base = formula.objects.base(cell.object);
    formula.model.queue(base.wrapping_add(u64::from(cell.offset)), 1)
}

/// Earlier stores that must reach memory before this one does.
fn order<M: MemoryModel>(
    formula: &mut Formula<'_, M>,
    stores: &mut Stores,
    store: usize,
    fences: &[Fence],
) {
    let Delayed { rule, fences: before, .. } = stores.all[store];
    let mut after = vec![false; store];
    let mut behind = Vec::new();
    for earlier in (0..store).rev() {
        if after[earlier] {
            continue;
        }
        let (mine, theirs) = (&stores.all[store].places, &stores.all[earlier].places);
        let when = match arrival(&formula.model, rule) {
            Arrival::InOrder => formula.always(),
            Arrival::ByQueue if share_one_queue(formula, mine, theirs) => formula.always(),
            Arrival::ByQueue => {
                let fenced = fenced(formula, earlier, &fences[..before]);
                let meets = meeting(formula, mine, theirs);
                formula.or(fenced, meets)
            }
        };
        match formula.symbolic.terms.as_constant(when) {
            Some(0) => continue,
            Some(_) => {
                after[earlier] = true;
                for (known, &also) in after.iter_mut().zip(&stores.all[earlier].after) {
                    *known |= also;
                }
            }
            None => {}
        }
        behind.push((earlier, when));
    }
    (stores.all[store].after, stores.all[store].behind) = (after, behind);
}

/// Do all places of both stores have the same queue?
fn share_one_queue<M: MemoryModel>(
    formula: &Formula<'_, M>,
    mine: &Places,
    theirs: &Places,
) -> bool {
    let mut queues = mine.iter().chain(theirs).map(|place| queue(formula, place.0));
    let first = queues.next();
    !mine.is_empty() && !theirs.is_empty() && queues.all(|queue| Some(queue) == first)
}

/// When one of the fences comes after the store.
fn fenced<M: MemoryModel>(formula: &mut Formula<'_, M>, store: usize, fences: &[Fence]) -> Term {
    let after = fences.iter().filter(|fence| store < fence.stores);
    let guards: Vec<Term> = after.map(|fence| fence.guard).collect();
    formula.symbolic.terms.or_all(&guards)
}

/// When two stores share a queue at some place.
fn meeting<M: MemoryModel>(formula: &mut Formula<'_, M>, mine: &Places, theirs: &Places) -> Term {
    let mut meets = formula.never();
    for &(cell, here) in mine {
        for &(other, there) in theirs {
            if queue(formula, cell) == queue(formula, other) {
                let both = formula.and(here, there);
                meets = formula.or(meets, both);
            }
        }
    }
    meets
}

/// Where queues are for places, a store that overlaps an earlier one of other bytes does
/// not wait in any.
fn mix<M: MemoryModel>(
    formula: &mut Formula<'_, M>,
    thread: usize,
    stores: &mut Stores,
    store: usize,
) {
    if arrival(&formula.model, StoreRule::Buffer { ordered: false }) == Arrival::InOrder {
        return;
    }
    let mut mixes = formula.never();
    for earlier in 0..store {
        let (mine, theirs) = (&stores.all[store], &stores.all[earlier]);
        if is_single(formula, thread, mine) && is_single(formula, thread, theirs) {
            continue;
        }
        let also = overlap(formula, &mine.places, &theirs.places);
        mixes = formula.or(mixes, also);
    }
    stores.all[store].mixed = (!formula.is_never(mixes)).then_some(mixes);
}

/// Does the store go to one cell, whichever it is?
fn is_single<M: MemoryModel>(formula: &Formula<'_, M>, thread: usize, store: &Delayed) -> bool {
    let events = store.events.iter().map(|&event| formula.event(thread, event));
    let places = events.flat_map(|event| event.targets.first());
    places.filter(|target| !target.0.is_mark()).count() <= 1
}

/// When two stores meet somewhere, but not everywhere.
fn overlap<M: MemoryModel>(formula: &mut Formula<'_, M>, mine: &Places, theirs: &Places) -> Term {
    let meets = meeting(formula, mine, theirs);
    let never = formula.never();
    let mut differs = never;
    for (ours, others) in [(mine, theirs), (theirs, mine)] {
        for &(cell, here) in ours {
            let other = others.iter().find(|other| other.0 == cell);
            let alone = formula.and_not(here, other.map_or(never, |other| other.1));
            differs = formula.or(differs, alone);
        }
    }
    formula.and(meets, differs)
}

/// A load of several cells at an event: the newest store that waits and has some of them
/// must have all of them. `waits` says when a store waits.
pub(crate) fn whole<M: MemoryModel>(
    formula: &mut Formula<'_, M>,
    thread: usize,
    event: usize,
    waits: &mut dyn FnMut(&mut Formula<'_, M>, usize) -> Term,
) -> Term {
    let cells = &formula.event(thread, event as u32).targets;
    let mut whole = formula.always();
    for store in 0..formula.stores[thread].before(event) {
        let waits = waits(formula, store);
        let (stores, terms) = (&formula.stores[thread], &mut formula.symbolic.terms);
        let places = &stores.all[store].places;
        let never = terms.truth(false);
        let hits: Vec<Term> = cells
            .iter()
            .map(|&(cell, _)| places.iter().find(|place| place.0 == cell))
            .map(|place| place.map_or(never, |place| place.1))
            .collect();
        let (some, all) = (terms.or_all(&hits), terms.and_all(&hits));
        let meets = terms.and(waits, some);
        whole = terms.select(meets, all, whole);
    }
    whole
}
