//! The current execution as a partial order: happens-before by vector clocks, and
//! the races in it.
//!
//! Two events are ordered when they belong to one thread, touch the same bytes
//! and one of them writes, or by creation and join. A *race* (e, e′) is a pair
//! whose order is immediate (nothing in between orders them) and could be the
//! other way round. An operation that waits at a gate, such as a lock acquisition,
//! races with the last event before which the gate was open (the acquisition
//! before it), not with the one that opened it: before that it is not enabled.
//!
//! Per 8-byte word there is a chain of accesses, newest first, so an event looks
//! only at accesses to its own words, and taking an event back is popping.

use heddle_semantics::{Access, AccessKind, Event, Gate, ThreadId};
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
    /// Events of each actor.
    by_actor: Vec<Vec<EventIndex>>,
    /// Store queues of each thread that were seen.
    queues: Vec<Vec<ThreadId>>,
    /// Reads that took a store of their own thread from its queue: the flush that
    /// will take it to memory, and the read.
    own_reads: Vec<((ThreadId, u32), EventIndex, Access)>,
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
    /// `b`? This leaves out what opened the gate that it had to wait at.
    #[inline]
    pub fn before_attempt(&self, a: EventIndex, b: EventIndex) -> bool {
        match self.nodes[b as usize].event.gate {
            None => self.before(a, b),
            Some(_) => self.before_own_past(a, b),
        }
    }

    /// Does `a` happen before `b` for other reasons than what `b` touches?
    pub fn before_own_past(&self, a: EventIndex, b: EventIndex) -> bool {
        let node = &self.nodes[b as usize];
        let past = match node.previous {
            NONE => self.born[node.event.thread.index()],
            previous => previous,
        };
        let waited = node.event.follows.iter().map(|&(actor, nth)| self.nth_of(actor, nth));
        waited.chain([past]).any(|event| event != NONE && self.before(a, event))
    }

    fn grow(&mut self, threads: usize) {
        if threads <= self.born.len() {
            return;
        }
        self.by_actor.resize_with(threads, Vec::new);
        self.queues.resize_with(threads, Vec::new);
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
        self.scratch.fill(0);
        self.follow(self.last_of(thread));
    }

    /// The last event of an actor, or that of its creation, if there is one.
    fn last_of(&self, actor: ThreadId) -> u32 {
        match self.by_actor[actor.index()].last() {
            Some(&last) => last,
            None => self.born[actor.index()],
        }
    }

    /// The n-th event of an actor, from 1; 0 stands for its creation.
    fn nth_of(&self, actor: ThreadId, nth: u32) -> u32 {
        match nth.checked_sub(1) {
            Some(at) => self.by_actor[actor.index()][at as usize],
            None => self.born[actor.index()],
        }
    }

    /// Adds what happened before an event, and it, to `scratch`.
    fn follow(&mut self, event: u32) {
        if event != NONE {
            let from = event as usize * self.stride;
            Self::join_clock(&mut self.scratch, &self.clocks[from..from + self.stride]);
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
            self.follow(self.last_of(target));
        }
        for &(actor, nth) in &event.follows {
            self.follow(self.nth_of(actor, nth));
        }
        let candidates = self.candidates(&event);
        let races = self.settle(&candidates);

        let previous = self.by_actor[thread].last().copied().unwrap_or(NONE);
        let local = self.by_actor[thread].len() as u32 + 1;
        self.scratch[thread] = local;
        self.clocks.extend_from_slice(&self.scratch);
        self.by_actor[thread].push(index);
        for child in &event.created {
            self.born[child.index()] = index;
        }
        let first = self.accesses.len() as u32;
        for &access in &event.footprint {
            match (access.kind, event.own) {
                (AccessKind::OwnRead, Some(flush)) => self.own_reads.push((flush, index, access)),
                _ => self.note_access(index, access),
            }
        }
        if let Some(owner) = event.flush_of {
            self.note_flush(owner, (event.thread, local));
        }
        if !races.is_empty() {
            self.racing.push(index);
        }
        self.nodes.push(Node { event, local, previous, races, accesses: first });
    }

    /// A store has reached memory. Reads that took it from the queue are from now
    /// on as if they had read it there: whatever overwrites it comes after them.
    fn note_flush(&mut self, owner: ThreadId, flush: (ThreadId, u32)) {
        let queues = &mut self.queues[owner.index()];
        if !queues.contains(&flush.0) {
            queues.push(flush.0);
        }
        for at in 0..self.own_reads.len() {
            let (store, event, access) = self.own_reads[at];
            if store == flush {
                self.note_access(event, Access { kind: AccessKind::Read, ..access });
            }
        }
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
        self.by_actor[node.event.thread.index()].pop();
        while self.own_reads.last().is_some_and(|read| read.1 == index) {
            self.own_reads.pop();
        }
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
    fn candidates(&self, event: &Event) -> Candidates {
        let mut found = Candidates::new();
        for access in &event.footprint {
            if access.kind == AccessKind::OwnRead {
                continue;
            }
            if access.len > WIDE {
                self.all_conflicts(*access, &mut found);
                continue;
            }
            let (first, last) = words(*access);
            for word in first..=last {
                let head = self.heads.get(&word).copied().unwrap_or(NONE);
                match event.gate {
                    Some(gate) if gate.0 == access.addr => {
                        self.gate_chain(head, *access, gate, &mut found);
                    }
                    _ => self.access_chain(head, *access, event.thread, &mut found),
                }
            }
            for &(event, other) in &self.wide {
                if access.conflicts(&other) {
                    found.push(Candidate { event, reversible: true });
                }
            }
        }
        sorted(found)
    }

    fn all_conflicts(&self, access: Access, found: &mut Candidates) {
        let entries = self.accesses.iter().map(|entry| (entry.event, entry.access));
        for (event, other) in entries.chain(self.wide.iter().copied()) {
            if access.conflicts(&other) {
                found.push(Candidate { event, reversible: true });
            }
        }
    }

    fn access_chain(&self, mut at: u32, access: Access, by: ThreadId, found: &mut Candidates) {
        while at != NONE {
            let entry = &self.accesses[at as usize];
            if access.conflicts(&entry.access) {
                let covers = entry.access.addr <= access.addr
                    && entry.access.addr + u64::from(entry.access.len)
                        >= access.addr + u64::from(access.len);
                let own = self.nodes[entry.event as usize].event.flush_of == Some(by);
                if own && covers && access.kind == AccessKind::Read {
                    // It reads what its own thread stored, whether from the queue or
                    // from memory: the flush is not ordered against it.
                    return;
                }
                found.push(Candidate { event: entry.event, reversible: !own });
                let ordered = entry.access.kind != AccessKind::Arrive;
                if covers && ordered && !entry.access.kind.is_read() {
                    // Everything older that conflicts happened before this one.
                    return;
                }
            }
            at = entry.previous;
        }
    }

    /// For an operation that waits at a gate: it can be reversed only against an
    /// event before which the gate was open.
    fn gate_chain(&self, mut at: u32, access: Access, gate: (u64, Gate), found: &mut Candidates) {
        while at != NONE {
            let entry = &self.accesses[at as usize];
            // Whoever leaves a barrier comes after the arrivals of this meeting.
            let arrives =
                access.kind == AccessKind::Leave && entry.access.kind == AccessKind::Arrive;
            if arrives || access.conflicts(&entry.access) {
                let words = &self.nodes[entry.event as usize].event.words;
                let word = words.iter().find(|word| word.0 == gate.0);
                let open = word.is_none_or(|word| gate.1.is_open(word.1));
                if arrives {
                    if !open {
                        found.push(Candidate { event: entry.event, reversible: false });
                    }
                    at = entry.previous;
                    continue;
                }
                found.push(Candidate { event: entry.event, reversible: open });
                if open && !entry.access.kind.is_read() {
                    return;
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

    /// Events that the pending operation of a thread which waits races with.
    pub fn blocked_races(
        &mut self,
        thread: ThreadId,
        addr: u64,
        gate: Gate,
    ) -> SmallVec<[EventIndex; 4]> {
        if thread.index() >= self.born.len() {
            return SmallVec::new();
        }
        self.load_past(thread);
        for at in 0..self.queues[thread.index()].len() {
            self.follow(self.last_of(self.queues[thread.index()][at]));
        }
        let access = Access { addr, len: gate.bytes(), kind: gate.access() };
        let mut found = Candidates::new();
        let (first, last) = words(access);
        for word in first..=last {
            let head = self.heads.get(&word).copied().unwrap_or(NONE);
            self.gate_chain(head, access, (addr, gate), &mut found);
        }
        self.settle(&sorted(found))
    }

    /// Does `event` happen before an event of `thread` or one of its store queues
    /// that is older than `until`, or before the thread's creation?
    pub fn leads_to(&self, event: EventIndex, thread: ThreadId, until: EventIndex) -> bool {
        if thread.index() >= self.born.len() {
            return false;
        }
        let queues = self.queues[thread.index()].iter().copied();
        let events = queues.chain([thread]).map(|actor| {
            let older = self.by_actor[actor.index()].iter().rev().find(|&&index| index < until);
            older.copied().unwrap_or(self.born[actor.index()])
        });
        events.into_iter().any(|last| last != NONE && self.before(event, last))
    }
}

/// Newest first, each event once.
fn sorted(mut found: Candidates) -> Candidates {
    if found.len() > 1 {
        found.sort_unstable_by_key(|c| (std::cmp::Reverse(c.event), !c.reversible));
        found.dedup_by_key(|c| c.event);
    }
    found
}

fn words(access: Access) -> (u64, u64) {
    (access.addr >> 3, (access.addr + u64::from(access.len.max(1)) - 1) >> 3)
}
