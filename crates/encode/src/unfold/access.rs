//! Loads, stores and updates of memory.

use heddle_ir::{Ordering, RmwOp, Ty};
use heddle_sat::{Relation, Term};
use heddle_semantics::{Domain, Processor};

use crate::bounded::Action;
use crate::unfold::memory::Manner;
use crate::unfold::targets::Target;
use crate::unfold::{Dead, Unfolder};

/// An operation that reads memory and writes it at once, under way.
struct Update {
    targets: Vec<Target>,
    len: u32,
    point: Option<u32>,
    /// What it has read.
    old: Term,
}

impl Unfolder<'_> {
    pub(crate) fn load_from(&mut self, addr: Term, ty: Ty) -> Result<Term, Dead> {
        let len = self.bytes_of(ty);
        self.begin_access(addr, len)?;
        self.begin_operation();
        let targets = self.targets(addr, len)?;
        let visible = self.is_visible(&targets, len, false);
        self.check_private(visible);
        let point = self.access_point(visible, false);
        let always = self.symbolic.terms.truth(true);
        self.check_life(&targets, point, always);
        let whole = self.read_live(&targets, len, point)?;
        let value = self.symbolic.terms.extract(whole, 0, ty.bits(self.program.pointer_bytes));
        self.note_operation(Some(value));
        self.end_event();
        Ok(value)
    }

    pub(crate) fn store_to(
        &mut self,
        addr: Term,
        ty: Ty,
        value: Term,
        order: Option<Ordering>,
    ) -> Result<(), Dead> {
        let len = self.bytes_of(ty);
        self.begin_access(addr, len)?;
        self.begin_operation();
        let targets = self.targets(addr, len)?;
        let visible = self.is_visible(&targets, len, true);
        self.check_private(visible);
        let point = self.access_point(visible, false);
        if !visible && self.weak && !self.state.alone && order == Some(Ordering::SeqCst) {
            // It waits for earlier stores, whoever sees it.
            let point = self.point();
            self.push_plain(point, Action::Fence { order: Ordering::SeqCst });
        }
        let always = self.symbolic.terms.truth(true);
        let arrives_later = visible && self.weak;
        if !arrives_later {
            self.check_life(&targets, point, always);
        }
        let value = self.widen(value, len);
        self.publish_store(&targets, value, true);
        let manner = Manner { order, direct: self.state.section.is_some() };
        let may_wait = self.weak && !manner.direct && order != Some(Ordering::SeqCst);
        match may_wait && self.may_be_seen(&targets) {
            true => self.note_effect(always),
            false => self.note_change(&targets, len, value, point),
        }
        self.write_targets(&targets, len, value, point, always, manner);
        if arrives_later && let Some(point) = point {
            self.check_life_on_arrival(&targets, point, manner);
        }
        self.note_operation(None);
        self.end_event();
        Ok(())
    }

    fn begin_update(&mut self, addr: Term, ty: Ty) -> Result<Update, Dead> {
        let len = self.bytes_of(ty);
        self.begin_access(addr, len)?;
        self.begin_operation();
        let targets = self.targets(addr, len)?;
        let visible = self.is_visible(&targets, len, true);
        self.check_private(visible);
        let drains = self.weak && !self.state.alone;
        let point = self.access_point(visible || drains, true);
        let always = self.symbolic.terms.truth(true);
        self.check_life(&targets, point, always);
        let whole = self.read_live(&targets, len, point)?;
        let old = self.symbolic.terms.extract(whole, 0, ty.bits(self.program.pointer_bytes));
        Ok(Update { targets, len, point, old })
    }

    /// Writes `new` if `when` holds, which is an effect if `changes` does.
    fn end_update(&mut self, update: Update, new: Term, when: Term, changes: Term) -> Term {
        let Update { targets, len, point, old } = update;
        self.note_effect(changes);
        let new = self.widen(new, len);
        let sure = self.symbolic.terms.as_constant(when) == Some(1);
        self.publish_store(&targets, new, sure);
        self.write_targets(&targets, len, new, point, when, Manner::DIRECT);
        self.note_operation(Some(old));
        self.end_event();
        old
    }

    pub(crate) fn modify(
        &mut self,
        op: RmwOp,
        addr: Term,
        ty: Ty,
        value: Term,
    ) -> Result<Term, Dead> {
        let update = self.begin_update(addr, ty)?;
        let bits = ty.bits(self.program.pointer_bytes);
        let new = self.symbolic.rmw(op, bits, &update.old, &value);
        let same = self.symbolic.terms.relate(Relation::Eq, update.old, new);
        let changes = self.symbolic.terms.not(same);
        let always = self.symbolic.terms.truth(true);
        Ok(self.end_update(update, new, always, changes))
    }

    /// What was there, and whether it was exchanged.
    pub(crate) fn exchange(
        &mut self,
        addr: Term,
        ty: Ty,
        expected: Term,
        new: Term,
    ) -> Result<(Term, Term), Dead> {
        let update = self.begin_update(addr, ty)?;
        if ty.bits(self.program.pointer_bytes) == self.program.pointer_bits() {
            self.note_comparison(&update.old, &expected);
        }
        let exchanged = self.symbolic.terms.relate(Relation::Eq, update.old, expected);
        let same = self.symbolic.terms.equals(expected, new);
        let differs = self.symbolic.terms.not(same);
        let changes = self.symbolic.terms.and(exchanged, differs);
        Ok((self.end_update(update, new, exchanged, changes), exchanged))
    }

    pub(crate) fn bytes_of(&self, ty: Ty) -> u32 {
        ty.bytes(self.program.pointer_bytes)
    }

    /// The value as it stands in memory.
    fn widen(&mut self, value: Term, bytes: u32) -> Term {
        self.symbolic.terms.zero_extend(value, bytes * 8)
    }

    /// The point of an access, if it has one, and what it drains.
    fn access_point(&mut self, visible: bool, drains: bool) -> Option<u32> {
        let point = visible.then(|| self.point());
        if let Some(point) = point
            && drains
        {
            self.push_plain(point, Action::Drain);
        }
        point
    }

    /// Reads the targets; nothing follows if no run gets anything that was written.
    fn read_live(
        &mut self,
        targets: &[Target],
        len: u32,
        point: Option<u32>,
    ) -> Result<Term, Dead> {
        let always = self.symbolic.terms.truth(true);
        let whole = self.read_targets(targets, len, point, always);
        if self.symbolic.terms.as_constant(self.state.guard) == Some(0) {
            self.note_operation(None);
            return Err(Dead);
        }
        Ok(whole)
    }

    /// A store has an effect if it changes something; those around which nobody asks
    /// count all the same, and so do, elsewhere, those that wait in a queue.
    fn note_change(&mut self, targets: &[Target], len: u32, value: Term, point: Option<u32>) {
        let asks = point.is_none() || self.may_idle() && !self.is_blank(targets, len);
        let always = self.symbolic.terms.truth(true);
        if !asks {
            return self.note_effect(always);
        }
        let first = self.threads[self.current as usize].events.len();
        // Nobody waits for what is only written.
        self.glances = true;
        let old = self.read_targets(targets, len, point, always);
        self.glances = false;
        for event in &mut self.threads[self.current as usize].events[first..] {
            if let Action::Read { value } = event.action {
                event.action = Action::Look { value };
            }
        }
        let same = self.symbolic.terms.equals(old, value);
        let changed = self.symbolic.terms.not(same);
        self.note_effect(changed);
    }
}
