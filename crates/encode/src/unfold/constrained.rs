//! Scheduling constraints in the unfolding: events as a native run counts them, and
//! orders between them that every run keeps.
//!
//! The counterpart of `heddle_semantics::native` and its machine: both count an event at
//! the same operations. How many a thread has passed is a term, since it may depend on
//! the way that the run took. An event that others wait for has a cell of its own, which
//! is set after the event, and at the end of its thread; whoever waits does so at a point
//! of its own before its event. Once set, the cell stays set, so that it makes no
//! difference that waiting and event are two points.
//!
//! If others wait for an event only where both touch the same memory, its cell also holds
//! what it is going to touch, from a point before the event on.

use std::sync::Arc;

use heddle_machine::{Before, Instructions, Order, VisibleSites, announces};
use heddle_sat::{Binary, Relation, Term, Terms};
use heddle_semantics::ThreadId;
use rustc_hash::FxHashMap;
use smallvec::smallvec;

use crate::bounded::{Goal, Test, Wait};
use crate::unfold::facts::Cell;
use crate::unfold::memory::Manner;
use crate::unfold::objects::{Contents, Identity, Kind, Object};
use crate::unfold::state::LoopMark;
use crate::unfold::{Dead, Unfolder};

/// Begins what is said about constraints that can't be relied on.
pub const UNUSABLE: &str = "constraints";

/// Bytes of a place in memory as a number: its address, then its length in the last byte.
/// It is never 0, which says nothing, or 1, which says that the event is over.
const PLACE_BYTES: u32 = 8;
const LENGTH_BITS: u32 = 8;
const ADDRESS_BITS: u32 = PLACE_BYTES * 8 - LENGTH_BITS;

/// Which operations are events, and which come before which.
#[derive(Clone, Debug)]
pub struct Constraints {
    pub sites: Arc<VisibleSites>,
    pub order: Arc<Order>,
}

/// Constraints, and what the unfolding knows about them.
pub(crate) struct Counting {
    sites: Arc<VisibleSites>,
    order: Arc<Order>,
    /// For each thread of the unfolding, its number in the order.
    numbers: FxHashMap<u32, u32>,
    /// The instructions that events of the order may be.
    pub(crate) instructions: Instructions,
    /// What is announced when the operation under way is over, and when.
    announced: Vec<(Cell, Term)>,
}

impl Counting {
    pub(crate) fn new(constraints: Constraints) -> Counting {
        let Constraints { sites, order } = constraints;
        Counting {
            sites,
            order,
            numbers: FxHashMap::default(),
            instructions: Instructions::default(),
            announced: Vec::new(),
        }
    }

    /// The unfolding begins again.
    pub(crate) fn reset(&mut self) {
        self.numbers = FxHashMap::from_iter([(0, 0)]);
        self.instructions.clear();
        self.announced.clear();
    }
}

impl Unfolder<'_> {
    /// Is an access of the instruction under way an event? `None` if nobody counts.
    fn access_counts(&self) -> Option<bool> {
        let counting = self.counting.as_ref()?;
        if let Some(function) = self.in_library {
            return Some(announces(&self.program.function(function).name));
        }
        Some(counting.sites.visible[self.number_here()? as usize])
    }

    /// The number of the instruction under way.
    fn number_here(&self) -> Option<u32> {
        let counting = self.counting.as_ref()?;
        let frame = self.state.frames.last()?;
        let blocks = &counting.sites.starts[frame.function.0 as usize];
        Some(blocks[frame.block as usize] + self.pc)
    }

    /// An access to `len` bytes is about to happen.
    pub(crate) fn begin_access(&mut self, addr: Term, len: u32) -> Result<(), Dead> {
        if self.access_counts() != Some(true) {
            return Ok(());
        }
        // What the library touches is not told to others.
        let place = self.in_library.is_none().then(|| place(&mut self.symbolic.terms, addr, len));
        let always = self.symbolic.terms.truth(true);
        self.begin_event_at(always, place)
    }

    /// An access that is no event must not touch what threads share.
    pub(crate) fn check_private(&mut self, visible: bool) {
        if visible && self.access_counts() == Some(false) {
            let what = "memory that threads share is used by what a native run does not count";
            self.note_unsupported(what.to_string());
        }
    }

    /// The return under way, from a function or the whole thread, is about to happen.
    pub(crate) fn begin_return(&mut self, ends: bool) -> Result<(), Dead> {
        let Some(counting) = &self.counting else { return Ok(()) };
        let frame = self.state.frames.last();
        let scope = frame.is_some_and(|frame| counting.sites.scopes[frame.function.0 as usize]);
        if ends || scope { self.begin_event() } else { Ok(()) }
    }

    /// A native program counts no event where an exception ends a function. Are there runs
    /// without one?
    pub(crate) fn check_unwound(&mut self, results: &[Term]) -> bool {
        let Some(counting) = &self.counting else { return true };
        let frame = self.state.frames.last();
        let scope = frame.is_some_and(|frame| counting.sites.scopes[frame.function.0 as usize]);
        let (true, Some(&exception)) = (scope, results.last()) else { return true };
        let none = self.symbolic.equals(exception, 0);
        let thrown = self.symbolic.terms.not(none);
        let guard = self.state.guard;
        self.state.guard = self.symbolic.terms.and(guard, thrown);
        if self.symbolic.terms.as_constant(self.state.guard) != Some(0) {
            let what = "an exception that leaves a function whose variables are shared";
            self.note_unsupported(what.to_string());
        }
        self.state.guard = self.symbolic.terms.and(guard, none);
        self.symbolic.terms.as_constant(self.state.guard) != Some(0)
    }

    pub(crate) fn begin_event(&mut self) -> Result<(), Dead> {
        let always = self.symbolic.terms.truth(true);
        self.begin_event_if(always)
    }

    /// An event that is no access of the program is about to happen, in those runs in which
    /// `when` holds.
    pub(crate) fn begin_event_if(&mut self, when: Term) -> Result<(), Dead> {
        self.begin_event_at(when, None)
    }

    /// An event is about to happen, in those runs in which `when` holds: it waits for those
    /// that the order puts first.
    fn begin_event_at(&mut self, when: Term, place: Option<Term>) -> Result<(), Dead> {
        let Some(counting) = &mut self.counting else { return Ok(()) };
        counting.announced.clear();
        let order = counting.order.clone();
        let number = counting.numbers.get(&self.current).copied();
        let before = self.passed();
        let one = self.symbolic.terms.constant(1, 32);
        let next = self.symbolic.terms.binary(Binary::Add, before, one);
        self.state.passed = Some(self.symbolic.terms.select(when, next, before));
        let Some(number) = number else { return Ok(()) };
        for index in order.events_of(ThreadId(number)) {
            let is_it = self.symbolic.equals(before, u64::from(index));
            let is_it = self.symbolic.terms.and(when, is_it);
            let here = self.symbolic.terms.and(self.state.guard, is_it);
            if self.symbolic.terms.as_constant(here) == Some(0) {
                continue;
            }
            self.note_instruction(number, index);
            if self.state.section.is_some() {
                let what = format!("{UNUSABLE} inside an atomic section");
                self.note_check(here, Goal::Unsupported(what), self.span());
            }
            if let Some(place) = place
                && order.is_conditional((ThreadId(number), index))
            {
                let (cell, point) = (self.event_cell(number, index), self.point());
                self.write_cell(cell, place, Some(point), is_it, Manner::DIRECT);
            }
            for &Before { event: (thread, index), conditional } in
                order.before((ThreadId(number), index))
            {
                let place = place.filter(|_| conditional);
                self.await_event(thread.0, index, place, is_it)?;
            }
            if order.is_source((ThreadId(number), index)) {
                let cell = self.event_cell(number, index);
                if let Some(counting) = &mut self.counting {
                    counting.announced.push((cell, is_it));
                }
            }
        }
        Ok(())
    }

    /// The event has happened, which is told to those that wait for it.
    pub(crate) fn end_event(&mut self) {
        let Some(counting) = &mut self.counting else { return };
        let announced = std::mem::take(&mut counting.announced);
        if announced.is_empty() {
            return;
        }
        let point = self.point();
        for (cell, when) in announced {
            let over = self.over(cell);
            self.write_cell(cell, over, Some(point), when, Manner::DIRECT);
        }
    }

    /// The thread ends at `point`: nobody waits for its events any more.
    pub(crate) fn end_all_events(&mut self, point: u32) {
        let Some(counting) = &mut self.counting else { return };
        counting.announced.clear();
        let order = counting.order.clone();
        let Some(&number) = counting.numbers.get(&self.current) else { return };
        let always = self.symbolic.terms.truth(true);
        for index in order.events_of(ThreadId(number)) {
            if order.is_source((ThreadId(number), index)) {
                let cell = self.event_cell(number, index);
                let over = self.over(cell);
                self.write_cell(cell, over, Some(point), always, Manner::DIRECT);
            }
        }
    }

    /// Waits for an event, unless it is known to touch something else than `place`.
    fn await_event(
        &mut self,
        thread: u32,
        index: u32,
        place: Option<Term>,
        when: Term,
    ) -> Result<(), Dead> {
        let cell = self.event_cell(thread, index);
        let point = self.point();
        let always = self.symbolic.terms.truth(true);
        // No loop of the program waits for it.
        let glances = std::mem::replace(&mut self.glances, true);
        let value = self.read_cell(cell, Some(point), when);
        self.glances = glances;
        let over = self.over(cell);
        let targets = match self.state.alone {
            true => Vec::new(),
            false => vec![(smallvec![(cell, self.facts.length(cell))], always)],
        };
        let test = Test { targets, value, any: smallvec![over], not: None, apart: place };
        let guard = self.symbolic.terms.and(self.state.guard, when);
        let open = test.holds(&mut self.symbolic, value);
        let wait = Wait { point, guard, tests: vec![test], ordered: true };
        self.threads[self.current as usize].waits.push(wait);
        if self.go_on(when, open) { Ok(()) } else { Err(Dead) }
    }

    /// How many events the thread has passed.
    fn passed(&mut self) -> Term {
        match self.state.passed {
            Some(passed) => passed,
            None => self.symbolic.terms.constant(0, 32),
        }
    }

    /// What the cell of an event holds when nobody waits for it any more.
    fn over(&mut self, cell: Cell) -> Term {
        let bits = self.facts.length(cell) * 8;
        self.symbolic.terms.constant(1, bits)
    }

    /// Says whether an event of the order has happened, and what it is going to touch if
    /// somebody asks.
    fn event_cell(&mut self, thread: u32, index: u32) -> Cell {
        let order = self.counting.as_ref().map(|counting| &counting.order);
        let told = order.is_some_and(|order| order.is_conditional((ThreadId(thread), index)));
        let bytes = if told { PLACE_BYTES } else { 1 };
        let object = Object {
            base: 0,
            bytes: bytes.into(),
            kind: Kind::Internal,
            owner: 0,
            constant: false,
            contents: Contents::Zero,
            undefined: false,
            name: format!("event {index} of thread {thread}"),
        };
        let object = self.objects.intern(Identity::Event(thread, index), object);
        self.facts.access(object, 0, bytes);
        Cell { object, offset: 0 }
    }

    fn note_instruction(&mut self, number: u32, index: u32) {
        let site = self.number_here().unwrap_or(0);
        if let Some(counting) = &mut self.counting {
            let event = (ThreadId(number), index);
            let known = counting.instructions.entry(event).or_insert(Some(site));
            *known = known.filter(|&known| known == site);
        }
    }

    /// The running thread creates `thread`: finds its number in the order.
    pub(crate) fn note_child(&mut self, thread: u32) {
        let nth = self.state.children;
        self.state.children = nth.map(|nth| nth + 1);
        let Some(counting) = &mut self.counting else { return };
        let Some(&parent) = counting.numbers.get(&self.current) else { return };
        let paths = counting.order.threads.iter().zip(1..);
        let mut siblings = paths.filter(|(path, _)| path.parent == ThreadId(parent));
        let problem = match nth {
            None => siblings.next().is_some(),
            Some(nth) => match siblings.find(|(path, _)| path.nth == nth) {
                None => false,
                Some((_, number)) => {
                    let taken = counting.numbers.iter().any(|(&t, &n)| n == number && t != thread);
                    counting.numbers.insert(thread, number);
                    taken
                }
            },
        };
        if problem {
            let what = format!("{UNUSABLE} on one of several threads, by the way that a run takes");
            self.note_unsupported(what);
        }
    }

    /// A thread waits in a loop, whose last turn began with `mark`. A native run goes on
    /// counting there.
    pub(crate) fn note_lost_count(&mut self, mark: LoopMark, guard: Term) {
        let Some(counting) = &self.counting else { return };
        let Some(&number) = counting.numbers.get(&self.current) else { return };
        let end = counting.order.end_of(ThreadId(number));
        if end == 0 {
            return;
        }
        let terms = &mut self.symbolic.terms;
        let since = mark.passed.unwrap_or_else(|| terms.constant(0, 32));
        let end = terms.constant(u64::from(end), 32);
        let early = terms.relate(Relation::ULt, since, end);
        let lost = terms.and(guard, early);
        let what = format!("{UNUSABLE} behind a loop that waits");
        self.note_check(lost, Goal::Unsupported(what), self.span());
    }
}

/// `len` bytes at an address, as a number.
fn place(terms: &mut Terms, addr: Term, len: u32) -> Term {
    let whole = terms.zero_extend(addr, PLACE_BYTES * 8);
    let low = terms.extract(whole, 0, ADDRESS_BITS);
    let length = terms.constant(u64::from(len), LENGTH_BITS);
    terms.concat(low, length)
}

/// Are both known to be places, without a byte that belongs to both?
pub(crate) fn are_apart(terms: &mut Terms, one: Term, other: Term) -> Term {
    let [(begin, end), (start, stop)] = [one, other].map(|place| {
        let begin = terms.extract(place, LENGTH_BITS, ADDRESS_BITS);
        let length = terms.extract(place, 0, LENGTH_BITS);
        let length = terms.zero_extend(length, ADDRESS_BITS);
        (begin, terms.binary(Binary::Add, begin, length))
    });
    let before = terms.relate(Relation::ULe, end, start);
    let behind = terms.relate(Relation::ULe, stop, begin);
    let apart = terms.or(before, behind);
    let nothing = terms.constant(0, PLACE_BYTES * 8);
    let unknown = terms.relate(Relation::Eq, one, nothing);
    let known = terms.not(unknown);
    terms.and(known, apart)
}
