//! The current execution as a partial order: happens-before by vector clocks, and
//! the races in it.
//!
//! Two events are ordered when they belong to one thread, touch the same bytes
//! and one of them writes, or by creation and join. A *race* (e, e′) is a pair
//! whose order is immediate (nothing in between orders them) and could be the
//! other way round. Lock acquisitions race with the acquisition before them, not
//! with the release that let them in: before the release they are not enabled.
//!
//! Per 8-byte word there is a chain of accesses, newest first, so an event looks
//! only at accesses to its own words, and taking an event back is popping.

use heddle_semantics::{Access, AccessKind, Event, ThreadId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

const NONE: u32 = u32::MAX;
/// Accesses longer than this many bytes are kept in a list of their own.
const WIDE: u32 = 64;

pub type EventIndex = u32;

#[derive(Clone, Debug)]
pub struct Node {
    pub event: Event,
    /// Position among the events of its thread, from 1.
    pub local: u32,
    /// The event of the same thread before it.
    previous: u32,
    /// Earlier events it races with.
    pub races: SmallVec<[EventIndex; 4]>,
    /// Where its accesses begin in `accesses`.
    accesses: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    event: EventIndex,
    access: Access,
    word: u64,
    /// Entry of the same word before this one.
    previous: u32,
}

#[derive(Default)]
pub struct Trace {
    nodes: Vec<Node>,
    /// `stride` numbers an event: how many events of each thread happen before
    /// it or are it.
    clocks: Vec<u32>,
    stride: usize,
    /// Last event of each thread.
    last: Vec<u32>,
    /// The event that created each thread, once it was created in an event.
    born: Vec<u32>,
    accesses: Vec<Entry>,
    heads: FxHashMap<u64, u32>,
    wide: Vec<(EventIndex, Access)>,
    /// Events that race with an earlier one.
    racing: Vec<EventIndex>,
    scratch: Vec<u32>,
    race_clock: Vec<u32>,
}

/// What an event looks for in the past.
struct Candidate {
    event: EventIndex,
    reversible: bool,
}

type Candidates = SmallVec<[Candidate; 8]>;

impl Trace {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn node(&self, index: EventIndex) -> &Node {
        &self.nodes[index as usize]
    }

    pub fn event(&self, index: EventIndex) -> &Event {
        &self.nodes[index as usize].event
    }

    /// Events that race with an earlier one, oldest first.
    pub fn racing(&self) -> &[EventIndex] {
        &self.racing
    }

    /// Events after `first` that do not depend on it.
    pub fn collect_independent(&self, first: EventIndex, into: &mut Vec<EventIndex>) {
        let node = &self.nodes[first as usize];
        let column = node.event.thread.index();
        let from = (first as usize + 1) * self.stride + column;
        let clocks = self.clocks[from.min(self.clocks.len())..].iter().step_by(self.stride);
        let after = clocks.zip(first + 1..).filter(|(clock, _)| **clock < node.local);
        into.extend(after.map(|(_, index)| index));
    }

    /// Does `a` happen before `b`, or are they the same?
    #[inline]
    pub fn before(&self, a: EventIndex, b: EventIndex) -> bool {
        let node = &self.nodes[a as usize];
        self.clocks[b as usize * self.stride + node.event.thread.index()] >= node.local
    }

    /// Does `a` happen before the moment at which the thread of `b` wants to do
    /// `b`? For lock acquisitions this leaves out the release that let it in.
    #[inline]
    pub fn before_attempt(&self, a: EventIndex, b: EventIndex) -> bool {
        let node = &self.nodes[b as usize];
        if node.event.footprint.iter().any(|access| access.kind == AccessKind::Acquire) {
            return match node.previous {
                NONE => match self.born[node.event.thread.index()] {
                    NONE => false,
                    born => self.before(a, born),
                },
                previous => self.before(a, previous),
            };
        }
        self.before(a, b)
    }

    fn grow(&mut self, threads: usize) {
        if threads <= self.last.len() {
            return;
        }
        self.last.resize(threads, NONE);
        self.born.resize(threads, NONE);
        if threads > self.stride {
            let stride = threads.next_power_of_two().max(4);
            let mut clocks = vec![0; self.nodes.len() * stride];
            for index in 0..self.nodes.len() {
                clocks[index * stride..index * stride + self.stride]
                    .copy_from_slice(&self.clocks[index * self.stride..][..self.stride]);
            }
            self.clocks = clocks;
            self.stride = stride;
            self.scratch = vec![0; stride];
            self.race_clock = vec![0; stride];
        }
    }

    /// What has happened before the thread's next event by program order and
    /// creation, into `scratch`.
    fn load_past(&mut self, thread: ThreadId) {
        let source = match self.last[thread.index()] {
            NONE => self.born[thread.index()],
            last => last,
        };
        self.scratch.fill(0);
        if source != NONE {
            let from = source as usize * self.stride;
            self.scratch.copy_from_slice(&self.clocks[from..from + self.stride]);
        }
    }

    fn join_clock(into: &mut [u32], clock: &[u32]) {
        for (mine, theirs) in into.iter_mut().zip(clock) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// Appends an event and finds its races.
    pub fn push(&mut self, event: Event, threads: usize) {
        self.grow(threads);
        let thread = event.thread.index();
        let index = self.nodes.len() as u32;
        self.load_past(event.thread);
        if let Some(target) = event.joined {
            let source = match self.last[target.index()] {
                NONE => self.born[target.index()],
                last => last,
            };
            if source != NONE {
                let from = source as usize * self.stride;
                Self::join_clock(&mut self.scratch, &self.clocks[from..from + self.stride]);
            }
        }
        let candidates = self.candidates(&event.footprint);
        let races = self.settle(&candidates);

        let previous = self.last[thread];
        let local = if previous == NONE { 1 } else { self.nodes[previous as usize].local + 1 };
        self.scratch[thread] = local;
        self.clocks.extend_from_slice(&self.scratch);
        self.last[thread] = index;
        for child in &event.created {
            self.born[child.index()] = index;
        }
        let first = self.accesses.len() as u32;
        for access in &event.footprint {
            self.note_access(index, *access);
        }
        if !races.is_empty() {
            self.racing.push(index);
        }
        self.nodes.push(Node { event, local, previous, races, accesses: first });
    }

    fn note_access(&mut self, event: EventIndex, access: Access) {
        if access.len > WIDE {
            self.wide.push((event, access));
            return;
        }
        let (first, last) = words(access);
        for word in first..=last {
            let entry = self.accesses.len() as u32;
            let previous = self.heads.insert(word, entry).unwrap_or(NONE);
            self.accesses.push(Entry { event, access, word, previous });
        }
    }

    /// Takes the last event back.
    pub fn pop(&mut self) {
        let node = self.nodes.pop().expect("an event to take back");
        let index = self.nodes.len() as u32;
        if self.racing.last() == Some(&index) {
            self.racing.pop();
        }
        self.clocks.truncate(self.nodes.len() * self.stride);
        self.last[node.event.thread.index()] = node.previous;
        for child in &node.event.created {
            self.born[child.index()] = NONE;
        }
        while self.accesses.len() > node.accesses as usize {
            let entry = self.accesses.pop().expect("an access");
            // Heads of words nobody uses stay in the map as NONE: cheaper than
            // removing and inserting them again.
            self.heads.insert(entry.word, entry.previous);
        }
        while self.wide.last().is_some_and(|wide| wide.0 == index) {
            self.wide.pop();
        }
    }

    /// Events that the footprint conflicts with, newest first, as far back as
    /// needed for an exact clock and all races.
    fn candidates(&self, footprint: &[Access]) -> Candidates {
        let mut found = Candidates::new();
        for access in footprint {
            if access.len > WIDE {
                self.all_conflicts(*access, &mut found);
                continue;
            }
            let (first, last) = words(*access);
            for word in first..=last {
                let head = self.heads.get(&word).copied().unwrap_or(NONE);
                if access.kind == AccessKind::Acquire {
                    self.acquire_chain(head, *access, false, &mut found);
                } else {
                    self.access_chain(head, *access, &mut found);
                }
            }
            for &(event, other) in &self.wide {
                if access.conflicts(&other) {
                    found.push(Candidate { event, reversible: true });
                }
            }
        }
        if found.len() > 1 {
            found.sort_unstable_by_key(|c| (std::cmp::Reverse(c.event), !c.reversible));
            found.dedup_by_key(|c| c.event);
        }
        found
    }

    fn all_conflicts(&self, access: Access, found: &mut Candidates) {
        let entries = self.accesses.iter().map(|entry| (entry.event, entry.access));
        for (event, other) in entries.chain(self.wide.iter().copied()) {
            if access.conflicts(&other) {
                found.push(Candidate { event, reversible: true });
            }
        }
    }

    fn access_chain(&self, mut at: u32, access: Access, found: &mut Candidates) {
        while at != NONE {
            let entry = &self.accesses[at as usize];
            if access.conflicts(&entry.access) {
                found.push(Candidate { event: entry.event, reversible: true });
                let covers = entry.access.addr <= access.addr
                    && entry.access.addr + u64::from(entry.access.len)
                        >= access.addr + u64::from(access.len);
                if covers && !entry.access.kind.is_read() {
                    // Everything older that conflicts happened before this one.
                    return;
                }
            }
            at = entry.previous;
        }
    }

    /// For a lock acquisition. While the mutex is held nothing can be reversed
    /// but the acquisition that took it.
    fn acquire_chain(&self, mut at: u32, access: Access, mut held: bool, found: &mut Candidates) {
        while at != NONE {
            let entry = &self.accesses[at as usize];
            if access.conflicts(&entry.access) {
                match entry.access.kind {
                    AccessKind::Release => {
                        held = true;
                        found.push(Candidate { event: entry.event, reversible: false });
                    }
                    kind if kind.is_read() => {
                        found.push(Candidate { event: entry.event, reversible: !held });
                    }
                    _ => {
                        found.push(Candidate { event: entry.event, reversible: true });
                        return;
                    }
                }
            }
            at = entry.previous;
        }
    }

    /// Adds the candidates to the clock in `scratch` and picks the races. What
    /// can't be reversed orders, but does not hide races behind it.
    fn settle(&mut self, candidates: &[Candidate]) -> SmallVec<[EventIndex; 4]> {
        let mut races = SmallVec::new();
        if candidates.is_empty() {
            return races;
        }
        self.race_clock.copy_from_slice(&self.scratch);
        for candidate in candidates {
            let node = &self.nodes[candidate.event as usize];
            let thread = node.event.thread.index();
            let from = candidate.event as usize * self.stride;
            let clock = &self.clocks[from..from + self.stride];
            if self.scratch[thread] < node.local {
                Self::join_clock(&mut self.scratch, clock);
            }
            if candidate.reversible && self.race_clock[thread] < node.local {
                races.push(candidate.event);
                Self::join_clock(&mut self.race_clock, clock);
            }
        }
        races
    }

    /// Events that a thread which waits for a held mutex races with.
    pub fn blocked_lock_races(&mut self, thread: ThreadId, addr: u64) -> SmallVec<[EventIndex; 4]> {
        if thread.index() >= self.last.len() {
            return SmallVec::new();
        }
        self.load_past(thread);
        let access = Access { addr, len: 4, kind: AccessKind::Acquire };
        let mut found = Candidates::new();
        let head = self.heads.get(&(addr >> 3)).copied().unwrap_or(NONE);
        self.acquire_chain(head, access, true, &mut found);
        self.settle(&found)
    }

    /// Does `event` happen before an event of `thread` that is older than
    /// `until`, or before the thread's creation?
    pub fn leads_to(&self, event: EventIndex, thread: ThreadId, until: EventIndex) -> bool {
        let mut last = self.last.get(thread.index()).copied().unwrap_or(NONE);
        if last == until {
            last = self.nodes[last as usize].previous;
        }
        if last == NONE {
            last = self.born.get(thread.index()).copied().unwrap_or(NONE);
        }
        last != NONE && self.before(event, last)
    }
}

fn words(access: Access) -> (u64, u64) {
    (access.addr >> 3, (access.addr + u64::from(access.len.max(1)) - 1) >> 3)
}
