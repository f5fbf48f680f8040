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
//! Executions must be sequentially consistent, and every object shared from its
//! birth: initialising an object before it is published is an access too.

use heddle_ir::{Ordering, Program};
use rustc_hash::FxHashMap;

use crate::event::{Access, Event};
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
    let mut detector = Detector::default();
    events.iter().enumerate().find_map(|(index, event)| detector.push(index, event))
}

impl Race {
    /// The race as a violation at its second access.
    pub fn violation(&self, program: &Program, events: &[Event]) -> Violation {
        let what = |access: &Access, event: usize| {
            let verb = if access.kind.is_read() { "read" } else { "write" };
            let kind = if events[event].order.is_some() { "atomic " } else { "" };
            let place = program.position(events[event].span);
            let place = place.map_or(String::new(), |position| format!(" at {position}"));
            format!("{kind}{verb} of {} bytes by {}{place}", access.len, events[event].thread)
        };
        let (first, second) =
            (what(&self.accesses.0, self.first), what(&self.accesses.1, self.second));
        let event = &events[self.second];
        Violation {
            kind: ViolationKind::DataRace,
            thread: event.thread,
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

#[derive(Default)]
struct Detector {
    /// What each thread knows of the others' time.
    clocks: Vec<Clock>,
    /// What a release at an address makes known to whoever acquires there.
    released: FxHashMap<u64, Clock>,
    /// What relaxed reads of a thread would make known at an acquire fence, and what
    /// its relaxed writes make known since its last release fence.
    to_acquire: Vec<Clock>,
    fenced: Vec<Clock>,
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

impl Detector {
    fn grow(&mut self, thread: usize) {
        while self.clocks.len() <= thread {
            let own = self.clocks.len();
            let mut clock = vec![0; own + 1];
            clock[own] = 1;
            self.clocks.push(clock);
            self.to_acquire.push(Clock::new());
            self.fenced.push(Clock::new());
        }
    }

    fn push(&mut self, index: usize, event: &Event) -> Option<Race> {
        let me = event.thread.index();
        self.grow(me);
        if let Some(ThreadId(target)) = event.joined {
            self.grow(target as usize);
            let theirs = self.clocks[target as usize].clone();
            join(&mut self.clocks[me], &theirs);
        }
        if event.fences.acquire {
            let pending = std::mem::take(&mut self.to_acquire[me]);
            join(&mut self.clocks[me], &pending);
        }
        if event.fences.release {
            self.fenced[me] = self.clocks[me].clone();
        }
        self.acquire(me, event);
        let race = event.footprint.iter().find_map(|access| self.note(index, me, event, *access));
        self.release(me, event);
        self.clocks[me][me] += 1;
        for child in &event.created {
            self.grow(child.index());
            let mine = self.clocks[me].clone();
            join(&mut self.clocks[child.index()], &mine);
        }
        if !event.created.is_empty() {
            self.clocks[me][me] += 1;
        }
        race
    }

    fn acquire(&mut self, me: usize, event: &Event) {
        let Some(order) = event.order else { return };
        for access in &event.footprint {
            let Some(known) = self.released.get(&access.addr) else { continue };
            match order {
                Ordering::Acquire | Ordering::AcqRel | Ordering::SeqCst => {
                    join(&mut self.clocks[me], known);
                }
                Ordering::Relaxed | Ordering::Release => join(&mut self.to_acquire[me], known),
            }
        }
    }

    fn release(&mut self, me: usize, event: &Event) {
        let Some(order) = event.order else { return };
        for access in event.footprint.iter().filter(|access| !access.kind.is_read()) {
            let shown = match order {
                Ordering::Release | Ordering::AcqRel | Ordering::SeqCst => &self.clocks[me],
                Ordering::Relaxed | Ordering::Acquire => &self.fenced[me],
            };
            let known = self.released.entry(access.addr).or_default();
            // A read-modify-write goes on with the release sequence it reads from; a
            // plain store starts anew.
            if !event.updates {
                known.clear();
            }
            join(known, shown);
        }
    }

    /// Compares an access with those before it, and keeps it.
    fn note(&mut self, index: usize, me: usize, event: &Event, access: Access) -> Option<Race> {
        let atomic = event.order.is_some();
        let (first, last) =
            (access.addr >> 3, (access.addr + u64::from(access.len.max(1)) - 1) >> 3);
        let mut race = None;
        for word in first..=last {
            let past = self.past.entry(word).or_default();
            let clock = &self.clocks[me];
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
            let time = self.clocks[me][me];
            // The thread's own older access of the same kind is ordered before this
            // one: whoever is ordered after this one is after that one too.
            past.retain(|p| p.thread != me || p.access != access || p.atomic != atomic);
            past.push(Past { event: index, thread: me, time, access, atomic });
        }
        race
    }
}
