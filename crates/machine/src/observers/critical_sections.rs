//! Critical sections that are one step.
//!
//! Kusano and Wang, "Assertion Guided Abstraction" (ASE 2014), section 5.1: lock
//! operations are dependent only if what they protect is. Deviations:
//!
//! 1. The paper compares the critical sections of one execution, and does not reverse
//!    two that are independent. That misses errors: what follows a section may depend on
//!    the other one, and where it could be reversed the lock is held
//!    (`tests/programs/unsafe/peek_beside_lock.c`). Here the section is moved as a whole,
//!    which is right if it commutes with everything else (Lipton, "Reduction", CACM 1975).
//! 2. That is supposed of every mutex and checked in every execution, over all of them.
//!    Say an execution of the program, with its steps one by one, is the first to break
//!    the rule: somebody touches what a thread in the middle of its section touches. Up
//!    to there it is the same as one in which that section has not begun, and in which
//!    the access is seen, without the mutex; and one in which it has ended, and its
//!    access is seen, with it. So the search sees both.
//!
//! A mutex is *quiet* if every bit of memory that is accessed under it, and by more
//! than one thread, and written, is accessed under it only (or when nobody else is
//! there), and no thread stops or waits while it holds it. Then nobody can tell whether
//! the accesses of a critical section come one by one or all at once, nor in which order
//! two critical sections come that touch different memory. So the section is one step,
//! and the mutex no part of what it touches.
//!
//! All mutexes are taken to be quiet at first. What speaks against it is noted
//! (`Machine::noisy`): then the search has to start again without this one.
//!
//! A search that keeps states sees of states that look the same only one, in which objects
//! that were made as the program runs may have other addresses than in the others, and
//! threads other numbers. So with [`Config::stateful`](crate::Config) a mutex is not quiet if
//! it, or what is accessed under it, is such an object, and with
//! [`Config::interchangeable`](crate::Config) everything counts as accessed by more than one
//! thread.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use heddle_semantics::{AccessKind, Gate, MemoryModel, MutexOp, ThreadId};

use crate::Machine;
use crate::machine::Stop;
use crate::run::access::Spot;
use crate::threads::thread::{Halt, Pending};

/// Bytes that are taken to be one.
const GRAIN: u64 = 4;
/// Accesses that are longer speak against every mutex.
pub(crate) const LONGEST: u32 = 1 << 16;
/// Stands for no mutex at all.
const BARE: u64 = 0;

/// The pieces that some bytes are in.
pub(crate) fn pieces(addr: u64, len: u32) -> std::ops::RangeInclusive<u64> {
    let last = addr + u64::from(len.clamp(1, LONGEST)) - 1;
    addr / GRAIN..=last / GRAIN
}

/// How a piece of memory was accessed, in any execution.
#[derive(Default)]
struct Piece {
    under: SmallVec<[u64; 2]>,
    by: Option<ThreadId>,
    by_many: bool,
    written: bool,
    /// Who reads it, and who writes it without a step.
    readers: SmallVec<[ThreadId; 2]>,
    blind: SmallVec<[ThreadId; 2]>,
}

#[derive(Default)]
pub(crate) struct Discipline {
    pieces: FxHashMap<u64, Piece>,
    /// Mutexes that turned out not to be quiet.
    noisy: FxHashSet<u64>,
    /// All that were taken to be.
    quiet: FxHashSet<u64>,
    /// A thread reads what another one writes without a step.
    sighted: bool,
}

impl Discipline {
    /// `by`: nothing if any thread might do the same.
    fn note(&mut self, addr: u64, len: u32, writes: bool, by: Option<ThreadId>, under: u64) {
        if len > LONGEST {
            self.noisy.extend(&self.quiet);
            return;
        }
        for grain in pieces(addr, len) {
            let piece = self.pieces.entry(grain).or_default();
            if !piece.under.contains(&under) {
                piece.under.push(under);
            }
            piece.by_many |= by.is_none() || piece.by.is_some() && piece.by != by;
            piece.by = by;
            piece.written |= writes;
            piece.judge(&mut self.noisy);
        }
    }

    /// Takes over what was seen elsewhere.
    pub fn merge(&mut self, other: &Discipline) {
        self.noisy.extend(&other.noisy);
        self.quiet.extend(&other.quiet);
        self.sighted |= other.sighted;
        for (&grain, seen) in &other.pieces {
            let piece = self.pieces.entry(grain).or_default();
            for &mutex in &seen.under {
                if !piece.under.contains(&mutex) {
                    piece.under.push(mutex);
                }
            }
            piece.by_many |= seen.by_many || piece.by.is_some() && piece.by != seen.by;
            piece.by = piece.by.or(seen.by);
            piece.written |= seen.written;
            piece.judge(&mut self.noisy);
        }
    }
}

impl Piece {
    fn judge(&self, noisy: &mut FxHashSet<u64>) {
        if self.under.len() > 1 && self.by_many && self.written {
            noisy.extend(self.under.iter().filter(|&&mutex| mutex != BARE));
        }
    }
}

impl Discipline {
    pub fn note_blind(&mut self, addr: u64, len: u32, by: ThreadId) {
        self.note_thread(addr, len, by, |piece| &mut piece.blind);
    }

    fn note_reader(&mut self, addr: u64, len: u32, by: ThreadId) {
        self.note_thread(addr, len, by, |piece| &mut piece.readers);
    }

    fn note_thread(
        &mut self,
        addr: u64,
        len: u32,
        by: ThreadId,
        list: impl Fn(&mut Piece) -> &mut SmallVec<[ThreadId; 2]>,
    ) {
        for grain in pieces(addr, len) {
            let piece = self.pieces.entry(grain).or_default();
            let threads = list(piece);
            if !threads.contains(&by) {
                threads.push(by);
            }
            let apart = |writer: &ThreadId| piece.readers.iter().any(|reader| reader != writer);
            self.sighted |= piece.blind.iter().any(apart);
        }
    }
}

impl<M: MemoryModel> Machine<'_, M> {
    /// A thread reads what another one writes without a step.
    pub fn sighted(&self) -> bool {
        self.watch.discipline.sighted
    }

    /// Mutexes that were taken to be quiet and are not.
    pub fn noisy(&self) -> &FxHashSet<u64> {
        &self.watch.discipline.noisy
    }

    /// Does the operation begin or end a critical section that is one step?
    pub(crate) fn is_quiet(&mut self, op: MutexOp, spot: Spot) -> bool {
        let Some(guide) = &self.config.guide else { return false };
        if !guide.peek || !spot.visible || guide.noisy.contains(&spot.addr) {
            return false;
        }
        if self.config.stateful && self.store.dynamic_at(spot.addr).is_some() {
            return false;
        }
        let scalars = &self.threads[self.running.thread.index()].scalars;
        match op {
            // Who locked it when nobody was there to see may lock it again.
            MutexOp::Lock => {
                let owner = self.store.read(spot.object, spot.offset, 4);
                let mine = owner == self.code_of(self.running.thread);
                scalars.quiet.is_none() && scalars.atomic == 0 && !mine
            }
            MutexOp::Unlock => scalars.quiet == Some(spot.addr),
            _ => false,
        }
    }

    /// Something else is done to a mutex that may be taken to be quiet elsewhere.
    pub(crate) fn disturb(&mut self, spot: Spot) {
        if let Some(guide) = &self.config.guide
            && guide.peek
            && spot.visible
            && !guide.noisy.contains(&spot.addr)
        {
            self.watch.discipline.noisy.insert(spot.addr);
        }
    }

    pub(crate) fn begin_quiet(&mut self, spot: Spot) -> Result<(), Stop> {
        let addr = spot.addr;
        let gate = Gate::Mutex;
        self.visible_step(None, Pending::Gate { addr, gate })?;
        self.event.gate = None;
        self.event.varies = true;
        self.event.under = Some(addr);
        self.event.order = Some(heddle_ir::Ordering::SeqCst);
        self.watch.discipline.quiet.insert(addr);
        let by = self.distinct(self.running.thread);
        self.watch.discipline.note(addr, spot.len, true, by, addr);
        let scalars = &mut self.threads[self.running.thread.index()].scalars;
        scalars.atomic += 1;
        scalars.quiet = Some(addr);
        Ok(())
    }

    pub(crate) fn end_quiet(&mut self) {
        let scalars = &mut self.threads[self.running.thread.index()].scalars;
        scalars.atomic -= 1;
        scalars.quiet = None;
    }

    /// Stops a thread that wants to wait, or to make others wait, in the middle of a
    /// critical section that was taken to be one step.
    pub(crate) fn leave_quiet(&mut self) -> Result<(), Stop> {
        match self.threads[self.running.thread.index()].scalars.quiet {
            None => Ok(()),
            Some(mutex) => {
                self.watch.discipline.noisy.insert(mutex);
                Err(Stop::Halt(Halt::Cut))
            }
        }
    }

    /// The thread, unless it may change places with others, which the first one can't.
    pub(crate) fn distinct(&self, thread: ThreadId) -> Option<ThreadId> {
        (!self.config.interchangeable || thread == ThreadId::MAIN).then_some(thread)
    }

    /// Pairs of places whose order the search does not explore: where different threads
    /// lock the same mutex but touch nothing in common, and where they write to the same
    /// memory, one of them without a step.
    pub fn pairs(&self) -> (u64, u64) {
        (self.watch.pairs.of_locks(&self.watch.discipline.noisy), self.watch.pairs.of_writes())
    }

    fn note_pairs(&mut self) {
        let (thread, place) = (self.event.thread, self.watch.place);
        match self.event.under {
            Some(mutex) => {
                self.watch.pairs.note_section((mutex, place), thread, &self.event.footprint);
            }
            None if self.config.guide.as_ref().is_some_and(|guide| guide.blind) => {
                for access in &self.event.footprint {
                    if access.kind == AccessKind::Write {
                        self.watch.pairs.note_write(access.addr, access.len, thread, place, true);
                    }
                }
            }
            None => {}
        }
    }

    /// Looks at the step that was just taken.
    pub(crate) fn watch_discipline(&mut self) {
        let Some(guide) = &self.config.guide else { return };
        let (peek, blind) = (guide.peek, guide.blind);
        let thread = self.event.thread;
        if let Some(mutex) = self.threads[thread.index()].scalars.quiet {
            // It has stopped with the mutex held.
            self.watch.discipline.noisy.insert(mutex);
        }
        if !peek && !blind {
            return;
        }
        let under = self.event.under.unwrap_or(BARE);
        let by = self.distinct(thread);
        self.note_pairs();
        for access in &self.event.footprint {
            let reads = matches!(access.kind, AccessKind::Read | AccessKind::OwnRead);
            if peek {
                self.watch.discipline.note(access.addr, access.len, !reads, by, under);
                let made = self.store.dynamic_at(access.addr).is_some();
                if self.config.stateful && made && under != BARE {
                    self.watch.discipline.noisy.insert(under);
                }
            }
            if blind && (self.event.updates || access.kind != AccessKind::Write) {
                self.watch.discipline.note_reader(access.addr, access.len, thread);
            }
        }
    }
}
