//! Objects that threads wait for, in the unfolding. The interpreter's rules
//! (`heddle_semantics::machine`), with values as terms: each operation reads,
//! checks and writes the object's words at one point.

use heddle_sat::{Binary, Relation, Term};
use heddle_semantics::{
    BarrierOp, ConditionOp, Host, MutexOp, OnceOp, RwLockOp, SemaphoreOp, SpinOp, ViolationKind,
};
use smallvec::{SmallVec, smallvec};

use crate::bounded::{Action, Goal, Require, Test, Wait};
use crate::facts::Cell;
use crate::memory::{Manner, Target};
use crate::objects::{Contents, Identity, Kind, Object};
use crate::unfold::{Dead, Unfolder};

const DESTROYED: u64 = u32::MAX as u64;
const RECURSIVE: u64 = 1;
const ERROR_CHECKING: u64 = 2;
const EPERM: u64 = 1;
const EAGAIN: u64 = 11;
const EBUSY: u64 = 16;
const EINVAL: u64 = 22;
const EDEADLK: u64 = 35;
const EOVERFLOW: u64 = 75;
const ETIMEDOUT: u64 = 110;
const LIVE_SEMAPHORE: u64 = 1;
const MOST_COUNT: u64 = i32::MAX as u64;
/// States of a waiter for a condition variable.
const ASLEEP: u64 = 1;
const WOKEN: u64 = 2;

/// A word of an object under way.
#[derive(Clone)]
struct Word {
    targets: Vec<Target>,
    len: u32,
    value: Term,
}

impl Unfolder<'_> {
    /// Everything until `end_sync` happens at one point.
    fn begin_sync(&mut self) -> (u32, bool) {
        self.begin_operation();
        if self.state.alone {
            // Nothing is shared, so nobody looks at the point.
            return (0, true);
        }
        let outer = self.state.section.is_some();
        let point = self.point();
        self.push_plain(point, Action::Drain);
        self.state.section = Some(point);
        (point, outer)
    }

    fn end_sync(&mut self, outer: bool) {
        if !outer {
            self.state.section = None;
        }
        self.note_operation(None);
    }

    fn number(&mut self, value: u64) -> Term {
        self.symbolic.terms.constant(value, 32)
    }

    /// The word of `len` bytes at `addr + offset`.
    fn word(&mut self, addr: Term, offset: u64, len: u32, point: u32) -> Result<Word, Dead> {
        let width = self.program.pointer_bits();
        let delta = self.symbolic.terms.constant(offset, width);
        let at = self.symbolic.terms.binary(Binary::Add, addr, delta);
        let targets = self.targets(at, len)?;
        let always = self.symbolic.terms.truth(true);
        self.is_visible(&targets, len, true);
        self.check_life(&targets, Some(point), always);
        let value = self.read_targets(&targets, len, Some(point), always);
        Ok(Word { targets, len, value })
    }

    /// A word that is only written.
    fn blank(&mut self, addr: Term, offset: u64, len: u32) -> Result<Word, Dead> {
        let width = self.program.pointer_bits();
        let delta = self.symbolic.terms.constant(offset, width);
        let at = self.symbolic.terms.binary(Binary::Add, addr, delta);
        let targets = self.targets(at, len)?;
        let value = self.symbolic.terms.constant(0, len * 8);
        Ok(Word { targets, len, value })
    }

    fn set(&mut self, word: &Word, value: Term, when: Term, point: u32) {
        self.write_targets(&word.targets, word.len, value, Some(point), when, Manner::DIRECT);
        self.note_effect(when);
    }

    fn misuse(&mut self, bad: Term) {
        self.note_violation(bad, ViolationKind::MutexMisuse);
    }

    /// The cells of a word, for a test.
    fn test(&mut self, word: &Word, any: SmallVec<[Term; 2]>, not: Option<Term>) -> Test {
        let alone = self.state.alone;
        let places: &[Target] = if alone { &[] } else { &word.targets };
        let targets = places.iter().map(|&t| (self.cells(t, word.len), t.when)).collect();
        Test { targets, value: word.value, any, not }
    }

    /// The thread waits here, in runs in which `when` holds. Nothing follows if no run
    /// can get past.
    fn wait_at(
        &mut self,
        point: u32,
        when: Term,
        tests: Vec<Test>,
        outer: bool,
    ) -> Result<(), Dead> {
        let guard = self.symbolic.terms.and(self.state.guard, when);
        let alone = self.state.alone;
        let point = if alone { self.point() } else { point };
        let mut open = self.symbolic.terms.truth(true);
        for test in &tests {
            let holds = test.holds(&mut self.symbolic, test.value);
            open = self.symbolic.terms.and(open, holds);
        }
        if outer && !alone {
            let closed = self.symbolic.terms.not(open);
            let stuck = self.symbolic.terms.and(guard, closed);
            let what = "waiting inside an atomic section".to_string();
            self.note_check(stuck, Goal::Unsupported(what), self.span());
        }
        self.threads[self.current as usize].waits.push(Wait { point, guard, tests });
        if self.go_on(when, open) {
            return Ok(());
        }
        self.end_sync(outer);
        Err(Dead)
    }

    /// Is the object there only sometimes initialised? Then it is not looked at
    /// before its initialisation.
    fn starts_unwritten(&self, word: &Word) -> bool {
        word.targets
            .iter()
            .any(|target| self.objects.all[target.object as usize].contents == Contents::Unwritten)
    }

    /// An initialisation checks that nobody holds the object, if it can be held.
    fn check_free(&mut self, addr: Term, point: u32) -> Result<(), Dead> {
        let blank = self.blank(addr, 0, 4)?;
        if self.starts_unwritten(&blank) {
            return Ok(());
        }
        let owner = self.word(addr, 0, 4, point)?;
        let most = self.number(self.threads.len() as u64);
        let none = self.symbolic.equals(owner.value, 0);
        let small = self.symbolic.terms.relate(Relation::ULe, owner.value, most);
        let some = self.symbolic.terms.not(none);
        let held = self.symbolic.terms.and(some, small);
        self.misuse(held);
        Ok(())
    }

    pub(crate) fn mutex_op(&mut self, op: MutexOp, addr: Term) -> Result<Term, Dead> {
        let kind_offset = if self.program.pointer_bytes == 8 { 16 } else { 12 };
        let (point, outer) = self.begin_sync();
        let always = self.symbolic.terms.truth(true);
        let zero = self.number(0);
        if let MutexOp::Init(kind) = op {
            self.check_free(addr, point)?;
            for offset in [0, 4] {
                let word = self.blank(addr, offset, 4)?;
                self.is_visible(&word.targets, 4, true);
                self.set(&word, zero, always, point);
            }
            let word = self.blank(addr, kind_offset, 4)?;
            self.is_visible(&word.targets, 4, true);
            let kind = self.number(u64::from(kind));
            self.set(&word, kind, always, point);
            self.end_sync(outer);
            return Ok(zero);
        }
        let owner = self.word(addr, 0, 4, point)?;
        let kind = self.word(addr, kind_offset, 4, point)?.value;
        let three = self.number(3);
        let kind = self.symbolic.terms.binary(Binary::And, kind, three);
        let recursive = self.symbolic.equals(kind, RECURSIVE);
        let checking = self.symbolic.equals(kind, ERROR_CHECKING);
        let me = self.code();
        let mine = self.symbolic.terms.relate(Relation::Eq, owner.value, me);
        let free = self.symbolic.equals(owner.value, 0);
        let destroyed = self.symbolic.equals(owner.value, DESTROYED);
        self.misuse(destroyed);
        let again = self.symbolic.terms.and(mine, recursive);
        // Only recursive mutexes count.
        let count = match self.symbolic.terms.as_constant(recursive) {
            Some(0) => None,
            _ => Some(self.word(addr, 4, 4, point)?),
        };
        let one = self.number(1);
        let result = match op {
            MutexOp::Init(_) => unreachable!("handled above"),
            MutexOp::Lock | MutexOp::TryLock => {
                let refused = self.symbolic.terms.and(mine, checking);
                let through = self.symbolic.terms.or(again, refused);
                let waits = self.symbolic.terms.not(through);
                if op == MutexOp::Lock {
                    let gone = self.number(DESTROYED);
                    // Told by the owner only, which may be another one when it passes.
                    let polite = self.symbolic.terms.or(recursive, checking);
                    let also = self.symbolic.terms.select(polite, me, zero);
                    let test = self.test(&owner, smallvec![zero, gone, also], None);
                    self.wait_at(point, always, vec![test], outer)?;
                }
                let taken = match op {
                    MutexOp::Lock => waits,
                    _ => free,
                };
                self.set(&owner, me, taken, point);
                if let Some(count) = &count {
                    let more = self.symbolic.terms.binary(Binary::Add, count.value, one);
                    let next = self.symbolic.terms.select(again, more, one);
                    let counts = self.symbolic.terms.or(taken, again);
                    self.set(count, next, counts, point);
                }
                let ok = self.symbolic.terms.or(taken, again);
                let error = self.number(if op == MutexOp::Lock { EDEADLK } else { EBUSY });
                self.symbolic.terms.select(ok, zero, error)
            }
            MutexOp::Unlock => {
                let polite = self.symbolic.terms.or(recursive, checking);
                let not_mine = self.symbolic.terms.not(mine);
                let rude = self.symbolic.terms.not(polite);
                let bad = self.symbolic.terms.and(not_mine, rude);
                self.misuse(bad);
                let mut last = mine;
                if let Some(count) = &count {
                    let less = self.symbolic.terms.binary(Binary::Sub, count.value, one);
                    let single = self.symbolic.terms.relate(Relation::ULe, count.value, one);
                    let several = self.symbolic.terms.not(single);
                    let nested = self.symbolic.terms.and(several, recursive);
                    let outermost = self.symbolic.terms.not(nested);
                    last = self.symbolic.terms.and(mine, outermost);
                    self.set(count, less, mine, point);
                }
                self.set(&owner, zero, last, point);
                let error = self.number(EPERM);
                self.symbolic.terms.select(mine, zero, error)
            }
            MutexOp::Destroy => {
                let held = self.symbolic.terms.not(free);
                self.misuse(held);
                let gone = self.number(DESTROYED);
                self.set(&owner, gone, always, point);
                zero
            }
        };
        self.end_sync(outer);
        Ok(result)
    }

    pub(crate) fn spin_op(&mut self, op: SpinOp, addr: Term) -> Result<Term, Dead> {
        let (point, outer) = self.begin_sync();
        let always = self.symbolic.terms.truth(true);
        let zero = self.number(0);
        if op == SpinOp::Init {
            self.check_free(addr, point)?;
            let word = self.blank(addr, 0, 4)?;
            self.is_visible(&word.targets, 4, true);
            self.set(&word, zero, always, point);
            self.end_sync(outer);
            return Ok(zero);
        }
        let owner = self.word(addr, 0, 4, point)?;
        let gone = self.number(DESTROYED);
        let destroyed = self.symbolic.equals(owner.value, DESTROYED);
        self.misuse(destroyed);
        let me = self.code();
        let mine = self.symbolic.terms.relate(Relation::Eq, owner.value, me);
        let free = self.symbolic.equals(owner.value, 0);
        let mut result = zero;
        match op {
            SpinOp::Init => unreachable!("handled above"),
            SpinOp::Lock => {
                let test = self.test(&owner, smallvec![zero, gone], None);
                self.wait_at(point, always, vec![test], outer)?;
                self.set(&owner, me, always, point);
            }
            SpinOp::TryLock => {
                self.set(&owner, me, free, point);
                let busy = self.number(EBUSY);
                result = self.symbolic.terms.select(free, zero, busy);
            }
            SpinOp::Unlock => {
                let bad = self.symbolic.terms.not(mine);
                self.misuse(bad);
                self.set(&owner, zero, always, point);
            }
            SpinOp::Destroy => {
                let bad = self.symbolic.terms.not(free);
                self.misuse(bad);
                self.set(&owner, gone, always, point);
            }
        }
        self.end_sync(outer);
        Ok(result)
    }

    pub(crate) fn once_op(&mut self, op: OnceOp, addr: Term) -> Result<Term, Dead> {
        let (point, outer) = self.begin_sync();
        let always = self.symbolic.terms.truth(true);
        let (zero, one, two) = (self.number(0), self.number(1), self.number(2));
        let state = self.word(addr, 0, 4, point)?;
        let result = match op {
            OnceOp::Begin => {
                let test = self.test(&state, SmallVec::new(), Some(one));
                self.wait_at(point, always, vec![test], outer)?;
                let done = self.symbolic.equals(state.value, 2);
                let first = self.symbolic.terms.not(done);
                self.set(&state, one, first, point);
                self.symbolic.terms.select(first, one, zero)
            }
            OnceOp::End => {
                self.set(&state, two, always, point);
                zero
            }
        };
        self.end_sync(outer);
        Ok(result)
    }

    pub(crate) fn semaphore_op(&mut self, op: SemaphoreOp, addr: Term) -> Result<Term, Dead> {
        let (point, outer) = self.begin_sync();
        let always = self.symbolic.terms.truth(true);
        let (zero, one) = (self.number(0), self.number(1));
        let live = self.number(LIVE_SEMAPHORE);
        if let SemaphoreOp::Init(count) = op {
            if u64::from(count) > MOST_COUNT {
                self.end_sync(outer);
                return Ok(self.number(EINVAL));
            }
            let count = self.number(u64::from(count));
            for (offset, value) in [(0, count), (4, live)] {
                let word = self.blank(addr, offset, 4)?;
                self.is_visible(&word.targets, 4, true);
                self.set(&word, value, always, point);
            }
            self.end_sync(outer);
            return Ok(zero);
        }
        let count = self.word(addr, 0, 4, point)?;
        let state = self.word(addr, 4, 4, point)?;
        let alive = self.symbolic.terms.relate(Relation::Eq, state.value, live);
        let dead = self.symbolic.terms.not(alive);
        self.misuse(dead);
        let none = self.symbolic.equals(count.value, 0);
        let some = self.symbolic.terms.not(none);
        let less = self.symbolic.terms.binary(Binary::Sub, count.value, one);
        let result = match op {
            SemaphoreOp::Init(_) => unreachable!("handled above"),
            SemaphoreOp::Wait => {
                let test = self.test(&count, SmallVec::new(), Some(zero));
                self.wait_at(point, always, vec![test], outer)?;
                self.set(&count, less, always, point);
                zero
            }
            SemaphoreOp::TryWait => {
                self.set(&count, less, some, point);
                let again = self.number(EAGAIN);
                self.symbolic.terms.select(some, zero, again)
            }
            SemaphoreOp::Post => {
                let full = self.symbolic.equals(count.value, MOST_COUNT);
                let room = self.symbolic.terms.not(full);
                let more = self.symbolic.terms.binary(Binary::Add, count.value, one);
                self.set(&count, more, room, point);
                let error = self.number(EOVERFLOW);
                self.symbolic.terms.select(room, zero, error)
            }
            SemaphoreOp::Value => count.value,
            SemaphoreOp::Destroy => {
                let gone = self.number(DESTROYED);
                self.set(&state, gone, always, point);
                // Who waits for it goes on, and finds it destroyed.
                self.set(&count, one, always, point);
                zero
            }
        };
        self.end_sync(outer);
        Ok(result)
    }

    /// The writer's code, the number of read locks, and how many of them each
    /// thread has, in a word that only this thread uses.
    pub(crate) fn rwlock_op(&mut self, op: RwLockOp, addr: Term) -> Result<Term, Dead> {
        let own_offset = 8 + 4 * u64::from(self.current);
        let size = if self.program.pointer_bytes == 8 { 56 } else { 32 };
        if own_offset + 4 > size {
            return Err(self.unsupported("a read-write lock used by that many threads".to_string()));
        }
        let (point, outer) = self.begin_sync();
        let always = self.symbolic.terms.truth(true);
        let (zero, one) = (self.number(0), self.number(1));
        if op == RwLockOp::Init {
            self.check_free(addr, point)?;
            for offset in (0..size).step_by(4) {
                let word = self.blank(addr, offset, 4)?;
                self.set(&word, zero, always, point);
            }
            self.end_sync(outer);
            return Ok(zero);
        }
        let writer = self.word(addr, 0, 4, point)?;
        let readers = self.word(addr, 4, 4, point)?;
        let own = self.word(addr, own_offset, 4, point)?;
        let gone = self.number(DESTROYED);
        let destroyed = self.symbolic.equals(writer.value, DESTROYED);
        self.misuse(destroyed);
        let me = self.code();
        let mine = self.symbolic.terms.relate(Relation::Eq, writer.value, me);
        let unwritten = self.symbolic.equals(writer.value, 0);
        let unread = self.symbolic.equals(readers.value, 0);
        let free = self.symbolic.terms.and(unwritten, unread);
        let busy = self.number(EBUSY);
        let mut result = zero;
        match op {
            RwLockOp::Init => unreachable!("handled above"),
            RwLockOp::Read | RwLockOp::TryRead => {
                let mut when = unwritten;
                if op == RwLockOp::Read {
                    let test = self.test(&writer, smallvec![zero, gone], None);
                    self.wait_at(point, always, vec![test], outer)?;
                    when = always;
                } else {
                    result = self.symbolic.terms.select(unwritten, zero, busy);
                }
                for word in [&readers, &own] {
                    let more = self.symbolic.terms.binary(Binary::Add, word.value, one);
                    self.set(word, more, when, point);
                }
            }
            RwLockOp::Write | RwLockOp::TryWrite => {
                let mut when = free;
                if op == RwLockOp::Write {
                    let first = self.test(&writer, smallvec![zero, gone], None);
                    let second = self.test(&readers, smallvec![zero], None);
                    self.wait_at(point, always, vec![first, second], outer)?;
                    when = always;
                } else {
                    result = self.symbolic.terms.select(free, zero, busy);
                }
                self.set(&writer, me, when, point);
            }
            RwLockOp::Unlock => {
                let reads = self.symbolic.equals(own.value, 0);
                let reads = self.symbolic.terms.not(reads);
                let holds = self.symbolic.terms.or(mine, reads);
                let bad = self.symbolic.terms.not(holds);
                self.misuse(bad);
                self.set(&writer, zero, mine, point);
                let other = self.symbolic.terms.not(mine);
                for word in [&readers, &own] {
                    let less = self.symbolic.terms.binary(Binary::Sub, word.value, one);
                    self.set(word, less, other, point);
                }
            }
            RwLockOp::Destroy => {
                let held = self.symbolic.terms.not(free);
                self.misuse(held);
                self.set(&writer, gone, always, point);
            }
        }
        self.end_sync(outer);
        Ok(result)
    }

    /// How many meet, how many have arrived, and the number of meetings.
    pub(crate) fn barrier_op(&mut self, op: BarrierOp, addr: Term) -> Result<Term, Dead> {
        const GONE: u64 = u16::MAX as u64;
        let (point, outer) = self.begin_sync();
        let always = self.symbolic.terms.truth(true);
        let (zero, one) = (self.number(0), self.number(1));
        if let BarrierOp::Init(count) = op {
            if count == 0 {
                self.end_sync(outer);
                return Ok(self.number(EINVAL));
            }
            let count = self.number(u64::from(count));
            for (offset, value) in [(0, count), (4, zero), (8, zero)] {
                let word = self.blank(addr, offset, 4)?;
                self.is_visible(&word.targets, 4, true);
                self.set(&word, value, always, point);
            }
            self.end_sync(outer);
            return Ok(zero);
        }
        let count = self.word(addr, 0, 4, point)?;
        let arrived = self.word(addr, 4, 4, point)?;
        let meeting = self.word(addr, 8, 4, point)?;
        let never = self.symbolic.equals(count.value, 0);
        let gone = self.symbolic.equals(count.value, GONE);
        let bad = self.symbolic.terms.or(never, gone);
        self.misuse(bad);
        if op == BarrierOp::Destroy {
            let empty = self.symbolic.equals(arrived.value, 0);
            let busy = self.symbolic.terms.not(empty);
            self.misuse(busy);
            let gone = self.number(GONE);
            self.set(&count, gone, always, point);
            self.end_sync(outer);
            return Ok(zero);
        }
        let more = self.symbolic.terms.binary(Binary::Add, arrived.value, one);
        let last = self.symbolic.terms.relate(Relation::Eq, more, count.value);
        let next = self.symbolic.terms.select(last, zero, more);
        self.set(&arrived, next, always, point);
        let after = self.symbolic.terms.binary(Binary::Add, meeting.value, one);
        self.set(&meeting, after, last, point);
        self.end_sync(outer);
        let waits = self.symbolic.terms.not(last);
        let (point, outer) = self.begin_sync();
        let now = self.word(addr, 8, 4, point)?;
        let test = self.test(&now, SmallVec::new(), Some(meeting.value));
        self.wait_at(point, waits, vec![test], outer)?;
        self.end_sync(outer);
        Ok(self.symbolic.terms.select(last, one, zero))
    }

    /// The internal object of this instruction's wait.
    fn waiter(&mut self, condition: Cell) -> Cell {
        let identity = Identity::Waiter(self.current, self.here());
        let object = Object {
            base: 0,
            bytes: 1,
            kind: Kind::Internal,
            owner: self.current,
            constant: false,
            contents: Contents::Zero,
            undefined: false,
            name: "a waiter".to_string(),
        };
        let object = self.objects.intern(identity, object);
        self.facts.access(object, 0, 1);
        let waiters = self.waiters.entry(condition).or_default();
        if !waiters.contains(&object) {
            waiters.push(object);
            self.grown = true;
        }
        Cell { object, offset: 0 }
    }

    /// The one condition variable at an address.
    fn condition_cell(&mut self, addr: Term) -> Result<Cell, Dead> {
        let targets = self.targets(addr, 16)?;
        let [target] = targets.as_slice() else {
            return Err(self.unsupported("one of several condition variables".to_string()));
        };
        Ok(Cell { object: target.object, offset: target.offset })
    }

    pub(crate) fn condition_op(&mut self, op: ConditionOp, addr: Term) -> Result<Term, Dead> {
        let condition = self.condition_cell(addr)?;
        let (point, outer) = self.begin_sync();
        let always = self.symbolic.terms.truth(true);
        let zero = self.number(0);
        // The last word says whether it was destroyed.
        let gone = self.number(DESTROYED);
        if op == ConditionOp::Init {
            let state = self.blank(addr, 12, 4)?;
            self.is_visible(&state.targets, 4, true);
            self.set(&state, zero, always, point);
            self.end_sync(outer);
            return Ok(zero);
        }
        let state = self.word(addr, 12, 4, point)?;
        let destroyed = self.symbolic.equals(state.value, DESTROYED);
        self.misuse(destroyed);
        let waiters = self.waiters.get(&condition).cloned().unwrap_or_default();
        let cells: Vec<Cell> =
            waiters.into_iter().map(|object| Cell { object, offset: 0 }).collect();
        // Those that can be asleep at all.
        let (cells, asleep): (Vec<Cell>, Vec<Term>) = cells
            .into_iter()
            .filter_map(|cell| {
                let value = self.read_cell(cell, Some(point), always);
                let sleeps = self.symbolic.equals(value, ASLEEP);
                (self.symbolic.terms.as_constant(sleeps) != Some(0)).then_some((cell, sleeps))
            })
            .unzip();
        let woken = self.symbolic.terms.constant(WOKEN, 8);
        match op {
            ConditionOp::Init => unreachable!("handled above"),
            ConditionOp::Destroy => {
                let anybody = self.symbolic.terms.or_all(&asleep);
                self.misuse(anybody);
                self.set(&state, gone, always, point);
            }
            ConditionOp::Broadcast => {
                for (&cell, &sleeps) in cells.iter().zip(&asleep) {
                    self.write_cell(cell, woken, Some(point), sleeps, Manner::DIRECT);
                }
            }
            ConditionOp::Signal if cells.is_empty() => {}
            ConditionOp::Signal => {
                let numbers: Vec<u64> = (0..cells.len() as u64).collect();
                let choice = self.symbolic.terms.choice(&numbers, 32);
                let nobody = self.symbolic.terms.or_all(&asleep);
                let mut fine = self.symbolic.terms.not(nobody);
                for ((&cell, &sleeps), &number) in cells.iter().zip(&asleep).zip(&numbers) {
                    let chosen = self.symbolic.equals(choice, number);
                    let wakes = self.symbolic.terms.and(chosen, sleeps);
                    fine = self.symbolic.terms.or(fine, wakes);
                    self.write_cell(cell, woken, Some(point), wakes, Manner::DIRECT);
                }
                let condition = self.symbolic.terms.implies(self.state.guard, fine);
                self.threads[self.current as usize].requires.push(Require { point, condition });
            }
        }
        self.note_effect(always);
        self.end_sync(outer);
        Ok(zero)
    }

    pub(crate) fn condition_wait(
        &mut self,
        addr: Term,
        mutex: Term,
        timed: bool,
    ) -> Result<Term, Dead> {
        let condition = self.condition_cell(addr)?;
        let waiter = self.waiter(condition);
        let always = self.symbolic.terms.truth(true);
        let zero = self.number(0);
        // Releases the mutex and arrives.
        let (point, outer) = self.begin_sync();
        let state = self.word(addr, 12, 4, point)?;
        let destroyed = self.symbolic.equals(state.value, DESTROYED);
        self.misuse(destroyed);
        let owner = self.word(mutex, 0, 4, point)?;
        let me = self.code();
        let mine = self.symbolic.terms.relate(Relation::Eq, owner.value, me);
        let not_mine = self.symbolic.terms.not(mine);
        self.misuse(not_mine);
        self.set(&owner, zero, always, point);
        let asleep = self.symbolic.terms.constant(ASLEEP, 8);
        self.write_cell(waiter, asleep, Some(point), always, Manner::DIRECT);
        self.end_sync(outer);
        // Wakes up.
        let (point, outer) = self.begin_sync();
        let value = self.read_cell(waiter, Some(point), always);
        let word = Word {
            targets: vec![Target { object: waiter.object, offset: 0, when: always }],
            len: 1,
            value,
        };
        let woken = self.symbolic.terms.constant(WOKEN, 8);
        if !timed {
            let test = self.test(&word, smallvec![woken], None);
            self.wait_at(point, always, vec![test], outer)?;
        }
        let awake = self.symbolic.terms.constant(0, 8);
        self.write_cell(waiter, awake, Some(point), always, Manner::DIRECT);
        self.end_sync(outer);
        let signalled = self.symbolic.equals(value, WOKEN);
        let late = self.number(ETIMEDOUT);
        let result = match timed {
            true => self.symbolic.terms.select(signalled, zero, late),
            false => zero,
        };
        self.mutex_op(MutexOp::Lock, mutex)?;
        Ok(result)
    }
}

impl Test {
    /// Does it hold of a value?
    pub fn holds(&self, symbolic: &mut crate::symbolic::Symbolic, value: Term) -> Term {
        let terms = &mut symbolic.terms;
        let mut holds = terms.truth(false);
        for &wanted in &self.any {
            let equal = terms.relate(Relation::Eq, value, wanted);
            holds = terms.or(holds, equal);
        }
        if let Some(unwanted) = self.not {
            let equal = terms.relate(Relation::Eq, value, unwanted);
            let differs = terms.not(equal);
            holds = terms.or(holds, differs);
        }
        holds
    }
}
