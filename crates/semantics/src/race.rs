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

use heddle_ir::{Ordering, Program};
use rustc_hash::FxHashMap;

use crate::event::{Access, AccessKind, Event, Fences};
use crate::{ThreadId, Violation, ViolationKind};

type Clock = Vec<u32>;

/// Two events that race: places in the execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    pub first: usize,
    pub second: usize,
    /// Their accesses.
    pub accesses: (Access, Access),
}

/// The race whose second access comes first.
pub fn find_race(events: &[Event]) -> Option<Race> {
    let buffers = events.iter().any(|event| event.flush_of.is_some());
    let mut detector = Detector { buffers, ..Detector::default() };
    events.iter().enumerate().find_map(|(index, event)| detector.push(index, event))
}

impl Race {
    /// The race as a violation at its second access.
    pub fn violation(&self, program: &Program, events: &[Event]) -> Violation {
        let what = |access: &Access, event: usize| {
            let event = &events[event];
            let verb = if access.kind.is_read() { "read" } else { "write" };
            let kind = if event.order.is_some() { "atomic " } else { "" };
            let place = program.position(event.span);
            let place = place.map_or(String::new(), |position| format!(" at {position}"));
            format!("{kind}{verb} of {} bytes by {}{place}", access.len, event.actor())
        };
        let (first, second) =
            (what(&self.accesses.0, self.first), what(&self.accesses.1, self.second));
        let event = &events[self.second];
        Violation {
            kind: ViolationKind::DataRace,
            thread: event.actor(),
            span: event.span,
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
    fn grow(&mut self, thread: usize) {
        while self.threads.len() <= thread {
            self.threads.push(Knowledge::default());
            self.history.push(vec![Knowledge::default()]);
        }
    }

    fn push(&mut self, index: usize, event: &Event) -> Option<Race> {
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
        let note = |access: &Access| self.note(index, me, &known.clock, event, *access);
        let race = event.footprint.iter().find_map(note);
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
        race
    }

    fn acquire(&self, known: &mut Knowledge, event: &Event) {
        let Some(order) = event.order else { return };
        for access in &event.footprint {
            let reads = match access.kind {
                AccessKind::Read | AccessKind::FailedWrite | AccessKind::Acquire => true,
                AccessKind::Write => event.updates,
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
        index: usize,
        me: usize,
        clock: &Clock,
        event: &Event,
        access: Access,
    ) -> Option<Race> {
        let atomic = event.order.is_some();
        let (first, last) =
            (access.addr >> 3, (access.addr + u64::from(access.len.max(1)) - 1) >> 3);
        let mut race = None;
        for word in first..=last {
            let past = self.past.entry(word).or_default();
            let conflicts = |p: &&Past| {
                p.thread != me
                    && !(p.atomic && atomic)
                    && p.access.overlaps(&access)
                    && !(p.access.kind.is_read() && access.kind.is_read())
                    && at(clock, p.thread) < p.time
            };
            if race.is_none()
                && let Some(found) = past.iter().find(conflicts)
            {
                let accesses = (found.access, access);
                race = Some(Race { first: found.event, second: index, accesses });
            }
            // The thread's own older access of the same kind is ordered before this
            // one: whoever is ordered after this one is after that one too.
            past.retain(|p| p.thread != me || p.access != access || p.atomic != atomic);
            past.push(Past { event: index, thread: me, time: event.time, access, atomic });
        }
        race
    }
}
