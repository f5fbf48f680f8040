//! Data races of an execution, by vector clocks.
//!
//! Two accesses of different threads that touch the same bytes, at least one a
//! write and at least one not atomic, race unless synchronisation orders them
//! (C11, 5.1.2.4). Ordering comes from creation, join, locks and other objects
//! that threads wait for, and from atomic operations: an acquire that reads what a
//! release wrote, with release sequences and fences (as in FastTrack, Flanagan and
//! Freund, PLDI 2009, with C11 atomics added). A race shows in every execution of a
//! Mazurkiewicz trace or in none, so looking at one of each is complete.
//!
//! Under a memory model with store buffers a store is known only when it reaches
//! memory, but it counts where its thread made it: its clock is the one that the
//! thread had then. Whoever is ordered after a store by synchronisation finds it in
//! memory under all models, so no access that was seen before the flush can be
//! ordered after the store, and comparing at the flush is enough. What a release
//! store makes known is known from its flush on, since nobody else reads it before;
//! a thread that reads its own store from the buffer learns nothing.
//!
//! Every object must be shared from its birth: initialising an object before it is
//! published is an access too.

use heddle_ir::{Ordering, Program, Span};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::event::{Access, AccessKind, Event, Fences};
use crate::{ThreadId, Violation, ViolationKind};

type Clock = Vec<u32>;

/// Two events that race: places in the execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    pub first: usize,
    pub second: usize,
    /// Their accesses, and where these stand.
    pub accesses: (Access, Access),
    pub spans: (Span, Span),
}

/// The race whose second access comes first.
pub fn find_race(events: &[Event]) -> Option<Race> {
    let mut detector = Detector::of(events);
    let all = events.iter().enumerate();
    all.into_iter().find_map(|(index, event)| detector.push(index, event).first().copied())
}

/// All races, one for each pair of places in the program, in the order of their second
/// accesses.
pub fn find_races(events: &[Event]) -> Vec<Race> {
    let mut detector = Detector { by_place: true, ..Detector::of(events) };
    let mut seen = FxHashSet::default();
    let mut races = Vec::new();
    for (index, event) in events.iter().enumerate() {
        races
            .extend(detector.push(index, event).into_iter().filter(|race| seen.insert(race.spans)));
    }
    races
}

impl Race {
    /// The race as a violation at its second access.
    pub fn violation(&self, program: &Program, events: &[Event]) -> Violation {
        let what = |access: &Access, event: usize, span: Span| {
            let event = &events[event];
            let verb = if access.kind.is_read() { "read" } else { "write" };
            let kind = if event.order.is_some() { "atomic " } else { "" };
            let place = program.position(span);
            let place = place.map_or(String::new(), |position| format!(" at {position}"));
            format!("{kind}{verb} of {} bytes by {}{place}", access.len, event.actor())
        };
        let (first, second) = (
            what(&self.accesses.0, self.first, self.spans.0),
            what(&self.accesses.1, self.second, self.spans.1),
        );
        let event = &events[self.second];
        Violation {
            kind: ViolationKind::DataRace,
            thread: event.actor(),
            span: self.spans.1,
            other: self.spans.0,
            message: format!("data race: {second} and {first}, without synchronisation"),
            stack: Vec::new(),
        }
    }
}

/// An access of the past.
struct Past {
    event: usize,
    thread: usize,
    /// Its thread's own time.
    time: u32,
    access: Access,
    atomic: bool,
    span: Span,
}

/// What a thread knows at some point of its run.
#[derive(Clone, Default)]
struct Knowledge {
    /// Of each thread's time.
    clock: Clock,
    /// What its relaxed reads would make known at an acquire fence.
    to_acquire: Clock,
    /// What its relaxed writes make known since its last release fence.
    fenced: Clock,
}

#[derive(Default)]
struct Detector {
    threads: Vec<Knowledge>,
    /// Stores may wait. Then a thread's knowledge after each of its events is kept,
    /// and at its birth.
    buffers: bool,
    history: Vec<Vec<Knowledge>>,
    /// What a release at an address makes known to whoever acquires there.
    released: FxHashMap<u64, Clock>,
    /// Accesses of the same kind at different places of the program are kept apart.
    by_place: bool,
    /// Accesses by 8-byte word.
    past: FxHashMap<u64, Vec<Past>>,
}

fn join(into: &mut Clock, other: &[u32]) {
    if into.len() < other.len() {
        into.resize(other.len(), 0);
    }
    for (mine, theirs) in into.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

fn at(clock: &[u32], thread: usize) -> u32 {
    clock.get(thread).copied().unwrap_or(0)
}

fn set(clock: &mut Clock, thread: usize, time: u32) {
    if clock.len() <= thread {
        clock.resize(thread + 1, 0);
    }
    clock[thread] = time;
}

impl Knowledge {
    fn pass(&mut self, me: usize, fences: Fences) {
        let acquire = |known: &mut Knowledge| {
            let pending = std::mem::take(&mut known.to_acquire);
            join(&mut known.clock, &pending);
        };
        if fences.acquire && !fences.release_first {
            acquire(self);
        }
        if let Some(time) = fences.release {
            self.fenced.clone_from(&self.clock);
            set(&mut self.fenced, me, time);
        }
        if fences.acquire {
            acquire(self);
        }
    }
}

impl Detector {
    fn of(events: &[Event]) -> Detector {
        let buffers = events.iter().any(|event| event.flush_of.is_some());
        Detector { buffers, ..Detector::default() }
    }

    fn grow(&mut self, thread: usize) {
        while self.threads.len() <= thread {
            self.threads.push(Knowledge::default());
            self.history.push(vec![Knowledge::default()]);
        }
    }

    /// The races of an event with those before it.
    fn push(&mut self, index: usize, event: &Event) -> SmallVec<[Race; 1]> {
        let me = event.actor().index();
        self.grow(me);
        let flush = event.flush_of.is_some();
        let mut known = match event.follows.first() {
            Some(&(_, steps)) if flush => self.history[me][steps as usize].clone(),
            _ => std::mem::take(&mut self.threads[me]),
        };
        if let Some(ThreadId(target)) = event.joined {
            self.grow(target as usize);
            join(&mut known.clock, &self.threads[target as usize].clock);
        }
        known.pass(me, event.fences);
        set(&mut known.clock, me, event.time);
        self.acquire(&mut known, event);
        let mut races = SmallVec::new();
        for (nth, access) in event.footprint.iter().enumerate() {
            let place = (index, event.span_of(nth));
            self.note(place, (me, &known.clock), event, *access, &mut races);
        }
        self.release(&known, event);
        for child in &event.created {
            self.grow(child.index());
            join(&mut self.threads[child.index()].clock, &known.clock);
            self.history[child.index()] = vec![self.threads[child.index()].clone()];
        }
        if !flush {
            if self.buffers {
                self.history[me].push(known.clone());
            }
            self.threads[me] = known;
        }
        races
    }

    fn acquire(&self, known: &mut Knowledge, event: &Event) {
        let Some(order) = event.order else { return };
        for access in &event.footprint {
            let reads = match access.kind {
                AccessKind::Read | AccessKind::FailedWrite | AccessKind::Acquire => true,
                AccessKind::Leave => true,
                AccessKind::Write | AccessKind::Arrive => event.updates,
                AccessKind::OwnRead => false,
            };
            let Some(released) = self.released.get(&access.addr).filter(|_| reads) else {
                continue;
            };
            match order {
                Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst => {
                    join(&mut known.clock, released);
                }
                Ordering::Relaxed | Ordering::Release => join(&mut known.to_acquire, released),
            }
        }
    }

    fn release(&mut self, known: &Knowledge, event: &Event) {
        for access in event.footprint.iter().filter(|access| !access.kind.is_read()) {
            let Some(order) = event.order else {
                self.released.remove(&access.addr);
                continue;
            };
            let shown = match order {
                Ordering::Release | Ordering::AcqRel | Ordering::SeqCst => &known.clock,
                Ordering::Relaxed | Ordering::Acquire => &known.fenced,
            };
            let released = self.released.entry(access.addr).or_default();
            // A read-modify-write goes on with the release sequence it reads from; a
            // plain store starts anew.
            if !event.updates {
                released.clear();
            }
            join(released, shown);
        }
    }

    /// Compares an access with those before it, and keeps it.
    fn note(
        &mut self,
        (index, span): (usize, Span),
        (me, clock): (usize, &Clock),
        event: &Event,
        access: Access,
        races: &mut SmallVec<[Race; 1]>,
    ) {
        let atomic = event.order.is_some();
        let (first, last) =
            (access.addr >> 3, (access.addr + u64::from(access.len.max(1)) - 1) >> 3);
        for word in first..=last {
            let past = self.past.entry(word).or_default();
            let conflicts = |p: &&Past| {
                p.thread != me
                    && !(p.atomic && atomic)
                    && p.access.overlaps(&access)
                    && !(p.access.kind.is_read() && access.kind.is_read())
                    && at(clock, p.thread) < p.time
            };
            races.extend(past.iter().filter(conflicts).map(|found| Race {
                first: found.event,
                second: index,
                accesses: (found.access, access),
                spans: (found.span, span),
            }));
            // The thread's own older access of the same kind is ordered before this
            // one: whoever is ordered after this one is after that one too.
            let by_place = self.by_place;
            past.retain(|p| {
                p.thread != me
                    || p.access != access
                    || p.atomic != atomic
                    || by_place && p.span != span
            });
            past.push(Past { event: index, thread: me, time: event.time, access, atomic, span });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DATA: u64 = 64;
    const FLAG: u64 = 128;

    fn event(thread: u32, time: u32) -> Event {
        Event { time, ..Event::new(ThreadId(thread)) }
    }

    fn access(thread: u32, time: u32, addr: u64, kind: AccessKind) -> Event {
        let mut event = event(thread, time);
        event.footprint.push(Access { addr, len: 4, kind });
        event
    }

    fn write(thread: u32, time: u32) -> Event {
        access(thread, time, DATA, AccessKind::Write)
    }

    fn acquire(thread: u32, time: u32, kind: AccessKind) -> Event {
        Event { order: Some(Ordering::Acquire), ..access(thread, time, FLAG, kind) }
    }

    fn release(thread: u32, time: u32) -> Event {
        let order = Some(Ordering::Release);
        Event { order, ..access(thread, time, FLAG, AccessKind::Write) }
    }

    /// The store that `event` would be if it were at once in memory, made after
    /// `steps` events of its thread and taken to memory by the queue `queue`.
    fn flush(event: Event, queue: u32, steps: u32) -> Event {
        let owner = event.thread;
        let follows = [(owner, steps)].into_iter().collect();
        Event { thread: ThreadId(queue), flush_of: Some(owner), follows, ..event }
    }

    fn places(events: &[Event]) -> Option<(usize, usize)> {
        find_race(events).map(|race| (race.first, race.second))
    }

    #[test]
    fn only_what_comes_before_a_release_is_released() {
        let read = acquire(2, 1, AccessKind::Read);
        let handed = [write(1, 1), release(1, 2), read.clone(), write(2, 2)];
        assert_eq!(places(&handed), None);
        let late = [release(1, 1), write(1, 2), read, write(2, 2)];
        assert_eq!(places(&late), Some((1, 3)));
    }

    #[test]
    fn creation_and_join_order() {
        let mut create = event(0, 2);
        create.created.push(ThreadId(1));
        let mut join = event(0, 3);
        join.joined = Some(ThreadId(1));
        let all = [write(0, 1), create.clone(), write(1, 1), join.clone(), write(0, 4)];
        assert_eq!(places(&all), None);
        assert_eq!(places(&[create, write(1, 1), write(0, 4)]), Some((1, 2)));
        assert_eq!(places(&[write(1, 1), join, write(0, 4)]), None);
    }

    /// The thread acquires while its store still waits: too late for the store.
    #[test]
    fn a_store_counts_where_it_was_made() {
        let read = acquire(1, 2, AccessKind::Read);
        let store = flush(write(1, 1), 3, 0);
        let events = [write(2, 1), release(2, 2), read.clone(), store];
        assert_eq!(places(&events), Some((0, 3)));
        let later = flush(write(1, 3), 3, 1);
        let read = Event { time: 1, ..read };
        assert_eq!(places(&[write(2, 1), release(2, 2), read, later]), None);
    }

    /// Both are made after the same event of their thread; the release comes first.
    #[test]
    fn a_store_behind_a_release_store_is_not_released() {
        let events = [
            flush(release(1, 1), 3, 0),
            flush(write(1, 2), 3, 0),
            acquire(2, 1, AccessKind::Read),
            write(2, 2),
        ];
        assert_eq!(places(&events), Some((1, 3)));
    }

    /// What stands in memory is another thread's, but the thread does not look there.
    #[test]
    fn a_read_of_the_own_store_acquires_nothing() {
        let own = acquire(1, 2, AccessKind::OwnRead);
        let events = [write(2, 1), release(2, 2), own, write(1, 3)];
        assert_eq!(places(&events), Some((0, 3)));
    }

    #[test]
    fn a_release_fence_before_an_acquire_fence_hands_nothing_on() {
        let relaxed = |event: Event| Event { order: Some(Ordering::Relaxed), ..event };
        let other = |thread, time, kind| relaxed(access(thread, time, 256, kind));
        let fenced = |first_release: bool| {
            let mut fences = Fences::default();
            if first_release {
                fences.release(1);
            }
            fences.acquire();
            if !first_release {
                fences.release(1);
            }
            let events = [
                write(2, 1),
                release(2, 2),
                relaxed(acquire(1, 1, AccessKind::Read)),
                Event { fences, ..other(1, 2, AccessKind::Write) },
                Event { order: Some(Ordering::Acquire), ..other(4, 1, AccessKind::Read) },
                write(4, 2),
            ];
            places(&events)
        };
        assert_eq!(fenced(false), None);
        assert_eq!(fenced(true), Some((0, 5)));
    }
}
