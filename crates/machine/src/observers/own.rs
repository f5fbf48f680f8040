//! Memory that only one thread uses, or whoever holds a certain lock.
//!
//! An access to bytes that no other thread ever touches, or that nobody ever writes, is no
//! step: it commutes with whatever others do (Godefroid, "Partial-Order Methods for the
//! Verification of Concurrent Systems", 1996, where such a step alone is a persistent set).
//! So it is made together with the step before it. That changes neither which violations
//! there are nor how many preemptions they need: a run in which somebody else moves between
//! the two has a counterpart in which he moves afterwards.
//!
//! Which bytes are like that is not known before the search, so it is supposed of all, noted
//! in every step, and where it turns out to be wrong the search starts again with these
//! bytes as common ones. Why nothing is missed: take the first access, in any execution with
//! its steps one by one, that goes to bytes which another thread has used, one of the two
//! being a write. Until there the execution is the same as one of the search, in which both
//! threads come to these two accesses, perhaps earlier, and both are noted.
//!
//! The same goes for bytes that are only accessed by who holds the same mutex (Lipton,
//! "Reduction", CACM 1975): while it is held, nobody else comes to such an access. Which mutexes
//! were held at all accesses to some bytes is noted (the locksets of Savage et al., "Eraser",
//! TOCS 1997, but over all executions, and for a proof). The end of an object counts as an
//! access to all of it.
//!
//! Bytes are known by their addresses, if the object was there at the start. Others are known
//! by where they were made and the place within: states that look the same differ in their
//! addresses. Then an access counts as done by several threads, so what is left are those under
//! a mutex, and those that are only read once others can see them. Mutexes have to have been
//! there at the start.
//! A search that takes threads for interchangeable sees accesses of one for those of another;
//! then what any thread but the first does counts as done by several.

use std::hash::{Hash, Hasher};
use std::ops::RangeInclusive;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smallvec::SmallVec;

use heddle_semantics::{AccessKind, MemoryModel, Site, ThreadId};

use crate::Machine;
use crate::machine::Stop;
use crate::observers::critical_sections::{LONGEST, pieces};
use crate::observers::guide::Role;
use crate::run::access::{Spot, Use};
use crate::store::Origin;
use crate::threads::thread::Halt;

/// How a piece of memory was used, in any execution.
#[derive(Clone, Default)]
struct Usage {
    by: Option<ThreadId>,
    by_many: bool,
    written: bool,
    /// Mutexes that were held each time, once it was used.
    under: Option<Held>,
}

type Held = SmallVec<[u64; 2]>;

/// Mutexes that are looked at, at most.
const MUTEXES: usize = 64;
/// Pieces of objects that were not there at the start.
const MADE: u64 = 1 << 63;
/// Bits of the place within such an object.
const PLACE: u32 = 20;

#[derive(Default)]
pub(crate) struct Ownership {
    pieces: FxHashMap<u64, Usage>,
    /// Pieces that several threads use, and some write.
    common: FxHashSet<u64>,
    /// What accesses that are no steps went to, in the present step.
    recent: FxHashSet<u64>,
    /// A thread went round in a loop within one step.
    turned: bool,
}

impl Ownership {
    /// Takes over what was seen elsewhere.
    pub fn merge(&mut self, other: &Ownership) {
        self.common.extend(&other.common);
        self.turned |= other.turned;
        for (&piece, seen) in &other.pieces {
            let usage = self.pieces.entry(piece).or_default();
            usage.by_many |= seen.by_many || usage.by.is_some() && usage.by != seen.by;
            usage.by = usage.by.or(seen.by);
            usage.written |= seen.written;
            usage.under = match (usage.under.take(), &seen.under) {
                (Some(held), Some(theirs)) => {
                    Some(held.into_iter().filter(|mutex| theirs.contains(mutex)).collect())
                }
                (held, theirs) => held.or_else(|| theirs.clone()),
            };
            if usage.is_common() {
                self.common.insert(piece);
            }
        }
    }
}

impl Usage {
    /// Can others tell when it is used?
    fn is_common(&self) -> bool {
        self.by_many && self.written && self.under.as_ref().is_none_or(|held| held.is_empty())
    }
}

impl<M: MemoryModel> Machine<'_, M> {
    /// Pieces that were taken to be used by one thread only, and are not.
    pub fn common(&self) -> impl Iterator<Item = u64> + '_ {
        let known = self.config.guide.as_ref().filter(|guide| guide.own || guide.tries);
        let all = self.watch.ownership.common.iter().copied();
        all.filter(move |piece| known.is_some_and(|guide| !guide.common.contains(piece)))
    }

    /// Is there memory that one thread writes and no other one uses? The first thread aside.
    pub fn has_owners(&self) -> bool {
        let owned = |usage: &Usage| usage.written && !usage.by_many;
        let others = |usage: &&Usage| usage.by != Some(ThreadId::MAIN);
        self.watch.ownership.pieces.values().filter(others).any(owned)
    }

    /// Did a thread go round in a loop, within one step?
    pub fn turned(&self) -> bool {
        self.watch.ownership.turned
    }

    /// Is an access by the present thread no step because no other one uses these bytes?
    pub(crate) fn is_own(&mut self, spot: Spot, doing: Use) -> bool {
        let Spot { addr, len, role, .. } = spot;
        let Some(guide) = &self.config.guide else { return false };
        if role != Role::Kept || matches!(doing, Use::Object(_)) {
            return false;
        }
        let Some((mut pieces, _)) = self.pieces_of(addr, len) else { return false };
        if pieces.clone().any(|piece| guide.common.contains(&piece)) {
            return false;
        }
        self.note_use_of(addr, len, doing != Use::Read, self.running.thread);
        self.watch.ownership.recent.extend(&mut pieces);
        true
    }

    /// The pieces that some bytes are in, and whether their object was there at the start.
    /// Nothing for what is never one thread's.
    fn pieces_of(&self, addr: u64, len: u32) -> Option<(RangeInclusive<u64>, bool)> {
        if self.store.is_steady(addr) {
            return Some((pieces(addr, len), true));
        }
        let object = self.store.object(self.store.object_at(addr)?);
        let made = matches!(object.origin, Origin::Heap { .. } | Origin::Stack { .. });
        let site = object.made_at;
        let offset = addr.wrapping_sub(object.base);
        if !made || site == Site::default() || offset >> PLACE != 0 {
            return None;
        }
        let mut hasher = FxHasher::default();
        (site.function, site.block, site.pc).hash(&mut hasher);
        let base = MADE | (hasher.finish() << PLACE & !MADE);
        let within = pieces(offset, len.min(1 << PLACE));
        Some((base + within.start()..=base + within.end(), false))
    }

    /// The running thread has locked a mutex. What it holds is part of it, so that steps that
    /// come again are made with the same.
    pub(crate) fn note_locked(&mut self, addr: u64) {
        let watched = self.config.guide.as_ref().is_some_and(|guide| guide.own || guide.tries);
        let held = &mut self.threads[self.running.thread.index()].scalars.held;
        if watched
            && held.len() < MUTEXES
            && self.store.is_steady(addr)
            && let Err(place) = held.binary_search(&addr)
        {
            held.insert(place, addr);
        }
    }

    pub(crate) fn note_unlocked(&mut self, addr: u64) {
        let held = &mut self.threads[self.running.thread.index()].scalars.held;
        held.retain(|&mut other| other != addr);
    }

    /// A thread goes round in a loop, within one step. It may wait for others, so what it
    /// uses had better be common.
    pub(crate) fn stop_turning(&mut self) -> Stop {
        if self.watch.ownership.recent.is_empty() {
            return self.stop_surprised();
        }
        let Ownership { recent, common, turned, .. } = &mut self.watch.ownership;
        common.extend(recent.iter());
        *turned = true;
        Stop::Halt(Halt::Cut)
    }

    /// Notes what a step has touched.
    pub(crate) fn watch_ownership(&mut self) {
        self.watch.ownership.recent.clear();
        if self.config.guide.as_ref().is_some_and(|guide| guide.own || guide.tries) {
            for access in std::mem::take(&mut self.event.footprint) {
                let reads = access.kind == AccessKind::Read;
                self.note_use_of(access.addr, access.len, !reads, self.event.thread);
                self.event.footprint.push(access);
            }
        }
    }

    fn note_use_of(&mut self, addr: u64, len: u32, writes: bool, thread: ThreadId) {
        let Some((pieces, steady)) = self.pieces_of(addr, len) else { return };
        // Too long to be looked at piece by piece.
        self.findings.surprised |= len > LONGEST;
        let by = self.distinct(thread).filter(|_| steady);
        let mut held = self.threads[thread.index()].scalars.held.clone();
        // A section that is one step has ended when it is looked at.
        held.extend(self.event.under.filter(|mutex| !held.contains(mutex)));
        for piece in pieces {
            let mut usage = self.watch.ownership.pieces.remove(&piece).unwrap_or_default();
            match &mut usage.under {
                Some(under) => under.retain(|mutex| held.contains(mutex)),
                None => usage.under = Some(held.clone()),
            }
            usage.by_many |= by.is_none() || usage.by.is_some() && usage.by != by;
            usage.by = by;
            usage.written |= writes;
            if usage.is_common() {
                self.watch.ownership.common.insert(piece);
            }
            self.watch.ownership.pieces.insert(piece, usage);
        }
    }
}
