//! Memory that only one thread uses.
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
//! Bytes are known by their addresses, so this is for objects that were there at the start.
//! A search that takes threads for interchangeable sees accesses of one for those of another;
//! then what any thread but the first does counts as done by several.

use rustc_hash::{FxHashMap, FxHashSet};

use heddle_semantics::{AccessKind, MemoryModel, ThreadId};

use crate::Machine;
use crate::machine::Stop;
use crate::observers::critical_sections::{LONGEST, pieces};
use crate::observers::guide::Role;
use crate::run::access::{Spot, Use};
use crate::threads::thread::Halt;

/// How a piece of memory was used, in any execution.
#[derive(Clone, Copy, Default)]
struct Usage {
    by: Option<ThreadId>,
    by_many: bool,
    written: bool,
}

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
    /// `by`: nothing if it may have been anybody.
    fn note(&mut self, addr: u64, len: u32, writes: bool, by: Option<ThreadId>) {
        for piece in pieces(addr, len) {
            let usage = self.pieces.entry(piece).or_default();
            usage.by_many |= by.is_none() || usage.by.is_some() && usage.by != by;
            usage.by = by;
            usage.written |= writes;
            if usage.by_many && usage.written {
                self.common.insert(piece);
            }
        }
    }

    /// Takes over what was seen elsewhere.
    pub fn merge(&mut self, other: &Ownership) {
        self.common.extend(&other.common);
        self.turned |= other.turned;
        for (&piece, seen) in &other.pieces {
            let usage = self.pieces.entry(piece).or_default();
            usage.by_many |= seen.by_many || usage.by.is_some() && usage.by != seen.by;
            usage.by = usage.by.or(seen.by);
            usage.written |= seen.written;
            if usage.by_many && usage.written {
                self.common.insert(piece);
            }
        }
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
        let Spot { object, addr, len, role, .. } = spot;
        let Some(guide) = &self.config.guide else { return false };
        if role != Role::Kept
            || matches!(doing, Use::Object(_))
            || !self.store.object(object).steady
            || pieces(addr, len).any(|piece| guide.common.contains(&piece))
        {
            return false;
        }
        self.note_use_of(addr, len, doing != Use::Read, self.running.thread);
        self.watch.ownership.recent.extend(pieces(addr, len));
        true
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
        if self.store.is_steady(addr) {
            // Too long to be looked at piece by piece.
            self.findings.surprised |= len > LONGEST;
            let by = self.distinct(thread);
            self.watch.ownership.note(addr, len, writes, by);
        }
    }
}
