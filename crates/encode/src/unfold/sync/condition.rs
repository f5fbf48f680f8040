//! Condition variables: each wait has a word of its own that says whether it sleeps.

use heddle_sat::Term;
use heddle_semantics::sync::{SleeperHost, condition, mutex};
use heddle_semantics::{Draining, MutexOp, Processor};
use smallvec::smallvec;

use crate::bounded::Require;
use crate::unfold::facts::Cell;
use crate::unfold::memory::Manner;
use crate::unfold::objects::{Contents, Identity, Kind, Object};
use crate::unfold::targets::Target;
use crate::unfold::{Dead, Unfolder};

use super::Found;
use super::operation::Operation;

const ETIMEDOUT: u64 = 110;
/// States of a waiter.
const ASLEEP: u64 = 1;
const WOKEN: u64 = 2;

impl Unfolder<'_> {
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

    /// Waits that may be under way, and when they are.
    fn sleepers(&mut self, addr: Term, point: u32) -> Result<Vec<(Cell, Term)>, Dead> {
        let condition = self.condition_cell(addr)?;
        let waiters = self.waiters.get(&condition).cloned().unwrap_or_default();
        let always = self.symbolic.terms.truth(true);
        let sleeper = |object| {
            let cell = Cell { object, offset: 0 };
            let value = self.read_cell(cell, Some(point), always);
            let sleeps = self.symbolic.equals(value, ASLEEP);
            (self.symbolic.terms.as_constant(sleeps) != Some(0)).then_some((cell, sleeps))
        };
        Ok(waiters.into_iter().filter_map(sleeper).collect())
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
        // Releases the mutex and falls asleep.
        let (point, outer) = self.begin_sync(Draining::Drains)?;
        let at = (point, outer);
        condition::usable(&mut Operation::new(self, addr, at, Draining::Drains))?;
        mutex::release(&mut Operation::new(self, mutex, at, Draining::Drains))?;
        let asleep = self.symbolic.terms.constant(ASLEEP, 8);
        self.write_cell(waiter, asleep, Some(point), always, Manner::DIRECT);
        self.end_sync(outer);
        // Wakes up.
        let (point, outer) = self.begin_sync(Draining::Drains)?;
        let value = self.read_cell(waiter, Some(point), always);
        let word = Found {
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
        let late = self.symbolic.terms.constant(if timed { ETIMEDOUT } else { 0 }, 32);
        let in_time = self.symbolic.terms.constant(0, 32);
        let result = self.symbolic.terms.select(signalled, in_time, late);
        self.mutex_op(MutexOp::Lock, mutex)?;
        Ok(result)
    }
}

impl Operation<'_, '_> {
    fn sleepers(&mut self) -> Result<Vec<(Cell, Term)>, Dead> {
        self.unfolder.sleepers(self.addr, self.point)
    }

    fn wake_if(&mut self, when: Term, waiter: Cell) {
        let woken = self.unfolder.symbolic.terms.constant(WOKEN, 8);
        self.unfolder.write_cell(waiter, woken, Some(self.point), when, Manner::DIRECT);
    }

    /// A signal counts as an effect, also if nobody sleeps.
    fn note_signal(&mut self) {
        let always = self.unfolder.symbolic.terms.truth(true);
        self.unfolder.note_effect(always);
    }
}

impl SleeperHost for Operation<'_, '_> {
    fn somebody_sleeps(&mut self) -> Result<Term, Dead> {
        let asleep: Vec<Term> = self.sleepers()?.into_iter().map(|sleeper| sleeper.1).collect();
        Ok(self.unfolder.symbolic.terms.or_all(&asleep))
    }

    fn wake_one(&mut self) -> Result<(), Dead> {
        let sleepers = self.sleepers()?;
        self.note_signal();
        if sleepers.is_empty() {
            return Ok(());
        }
        let asleep: Vec<Term> = sleepers.iter().map(|sleeper| sleeper.1).collect();
        let numbers: Vec<u64> = (0..sleepers.len() as u64).collect();
        let terms = &mut self.unfolder.symbolic.terms;
        let choice = terms.choice(&numbers, 32);
        let somebody = terms.or_all(&asleep);
        let mut fine = terms.not(somebody);
        for ((waiter, sleeps), number) in sleepers.into_iter().zip(numbers) {
            let chosen = self.unfolder.symbolic.equals(choice, number);
            let wakes = self.unfolder.symbolic.terms.and(chosen, sleeps);
            fine = self.unfolder.symbolic.terms.or(fine, wakes);
            self.wake_if(wakes, waiter);
        }
        let unfolder = &mut *self.unfolder;
        let condition = unfolder.symbolic.terms.implies(unfolder.state.guard, fine);
        let require = Require { point: self.point, condition };
        unfolder.threads[unfolder.current as usize].requires.push(require);
        Ok(())
    }

    fn wake_all(&mut self) -> Result<(), Dead> {
        self.note_signal();
        for (waiter, sleeps) in self.sleepers()? {
            self.wake_if(sleeps, waiter);
        }
        Ok(())
    }
}
