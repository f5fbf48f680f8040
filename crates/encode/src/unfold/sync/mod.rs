//! Objects that threads wait for, in the unfolding. What operations do is the
//! interpreter's: [`heddle_semantics::sync`], with values as terms. Each reads, checks and
//! writes the object's words at one point.

mod barrier;
mod condition;
mod operation;
mod rwlock;

use heddle_ir::Ordering;
use heddle_sat::{Binary, Relation, Term};
use heddle_semantics::sync::{self, mutex};
use heddle_semantics::{BarrierOp, Draining, MutexOp, SyncOp};
use smallvec::SmallVec;

use crate::bounded::{Action, Goal, Test, Wait};
use crate::symbolic::Symbolic;
use crate::unfold::constrained::are_apart;
use crate::unfold::memory::Manner;
use crate::unfold::objects::Contents;
use crate::unfold::targets::Target;
use crate::unfold::{Dead, Unfolder};

use operation::Operation;

/// A word of an object, as the thread finds it.
#[derive(Clone)]
struct Found {
    targets: Vec<Target>,
    len: u32,
    value: Term,
}

impl<'p> Unfolder<'p> {
    pub(crate) fn mutex_op(&mut self, op: MutexOp, addr: Term) -> Result<Term, Dead> {
        self.operate(addr, op.draining(), |operation| mutex::operate(operation, op))
    }

    /// An operation on an object other than a mutex.
    pub(crate) fn sync_op(&mut self, op: SyncOp, addr: Term) -> Result<Term, Dead> {
        match op {
            SyncOp::Barrier(BarrierOp::Wait) => return self.barrier_wait(addr),
            SyncOp::RwLock(_) => self.check_own_word()?,
            _ => {}
        }
        self.operate(addr, op.draining(), |operation| sync::operate(operation, op))
    }

    /// An operation that happens at one point.
    fn operate(
        &mut self,
        addr: Term,
        draining: Draining,
        transition: impl FnOnce(&mut Operation<'_, 'p>) -> Result<Term, Dead>,
    ) -> Result<Term, Dead> {
        let (point, outer) = self.begin_sync(draining)?;
        let mut operation = Operation::new(self, addr, (point, outer), draining);
        let result = transition(&mut operation)?;
        self.end_sync(outer);
        Ok(result)
    }

    /// Everything until `end_sync` happens at one point.
    fn begin_sync(&mut self, draining: Draining) -> Result<(u32, bool), Dead> {
        let always = self.symbolic.terms.truth(true);
        self.begin_sync_if(always, draining)
    }

    /// The same; it counts as an event only if `when` holds.
    fn begin_sync_if(&mut self, when: Term, draining: Draining) -> Result<(u32, bool), Dead> {
        self.begin_event_if(when)?;
        self.begin_operation();
        if self.state.alone {
            // Nothing is shared, so nobody looks at the point.
            return Ok((0, true));
        }
        let outer = self.state.section.is_some();
        let point = self.point();
        if draining == Draining::Drains {
            self.push_plain(point, Action::Drain);
        }
        self.state.section = Some(point);
        Ok((point, outer))
    }

    fn end_sync(&mut self, outer: bool) {
        if !outer {
            self.state.section = None;
        }
        self.note_operation(None);
        self.end_event();
    }

    /// The word of `len` bytes at `addr + offset`.
    fn word(&mut self, addr: Term, offset: u32, len: u32, point: u32) -> Result<Found, Dead> {
        let width = self.program.pointer_bits();
        let delta = self.symbolic.terms.constant(u64::from(offset), width);
        let at = self.symbolic.terms.binary(Binary::Add, addr, delta);
        let targets = self.targets(at, len)?;
        let always = self.symbolic.terms.truth(true);
        self.is_visible(&targets, len, true);
        self.check_life(&targets, Some(point), always);
        let value = self.read_targets(&targets, len, Some(point), always);
        Ok(Found { targets, len, value })
    }

    /// A word that is only written.
    fn blank(&mut self, addr: Term, offset: u32, len: u32) -> Result<Found, Dead> {
        let width = self.program.pointer_bits();
        let delta = self.symbolic.terms.constant(u64::from(offset), width);
        let at = self.symbolic.terms.binary(Binary::Add, addr, delta);
        let targets = self.targets(at, len)?;
        let value = self.symbolic.terms.constant(0, len * 8);
        Ok(Found { targets, len, value })
    }

    fn set(&mut self, word: &Found, value: Term, when: Term, point: u32) {
        self.write_targets(&word.targets, word.len, value, Some(point), when, Manner::DIRECT);
        self.note_effect(when);
    }

    /// A plain store, which waits like any other unless the operation is part of an atomic
    /// section.
    fn set_plainly(&mut self, word: &Found, value: Term, when: Term, point: u32, outer: bool) {
        let direct = outer && !self.state.alone;
        let manner = Manner { order: Some(Ordering::Relaxed), direct };
        self.write_targets(&word.targets, word.len, value, Some(point), when, manner);
        self.note_effect(when);
    }

    /// The cells of a word, for a test.
    fn test(&mut self, word: &Found, any: SmallVec<[Term; 2]>, not: Option<Term>) -> Test {
        let alone = self.state.alone;
        let places: &[Target] = if alone { &[] } else { &word.targets };
        let targets = places.iter().map(|&t| (self.cells(t, word.len), t.when)).collect();
        Test { targets, value: word.value, any, not, apart: None }
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
        self.threads[self.current as usize].waits.push(Wait {
            point,
            guard,
            tests,
            ordered: false,
        });
        if self.go_on(when, open) {
            return Ok(());
        }
        self.end_sync(outer);
        Err(Dead)
    }

    /// Is the object there only sometimes initialised? Then it is not looked at
    /// before its initialisation.
    fn starts_unwritten(&self, word: &Found) -> bool {
        word.targets
            .iter()
            .any(|target| self.objects.all[target.object as usize].contents == Contents::Unwritten)
    }
}

impl Test {
    /// Does it hold of a value?
    pub fn holds(&self, symbolic: &mut Symbolic, value: Term) -> Term {
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
        if let Some(place) = self.apart {
            let apart = are_apart(terms, value, place);
            holds = terms.or(holds, apart);
        }
        holds
    }
}
