//! Condition variables: each wait has a word of its own that says whether it sleeps.

use heddle_sat::{Relation, Term};
use heddle_semantics::{ConditionOp, Draining, MutexOp, Processor, SyncOp};
use smallvec::smallvec;

use crate::bounded::Require;
use crate::unfold::facts::Cell;
use crate::unfold::memory::Manner;
use crate::unfold::objects::{Contents, Identity, Kind, Object};
use crate::unfold::targets::Target;
use crate::unfold::{Dead, Unfolder};

use super::{DESTROYED, Word};

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

    pub(crate) fn condition_op(&mut self, op: ConditionOp, addr: Term) -> Result<Term, Dead> {
        let condition = self.condition_cell(addr)?;
        let (point, outer) = self.begin_sync(SyncOp::Condition(op).draining())?;
        let always = self.symbolic.terms.truth(true);
        let zero = self.number(0);
        // The last word says whether it was destroyed.
        let gone = self.number(DESTROYED);
        if op == ConditionOp::Init {
            return self.initialise(addr, &[(12, zero)], point, outer);
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
        let (point, outer) = self.begin_sync(Draining::Drains)?;
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
        let (point, outer) = self.begin_sync(Draining::Drains)?;
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
