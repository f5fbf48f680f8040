//! Which writes a read can take at all.

use heddle_sat::Term;
use heddle_sat::order::Clocks;
use heddle_semantics::MemoryModel;
use rustc_hash::FxHashMap;

use crate::bounded::Wait;
use crate::encodings::Formula;
use crate::encodings::accesses::Leave;
use crate::encodings::axiomatic::{Axiomatic, START};
use crate::unfold::facts::Cell;

/// Something that looks at a cell.
pub(super) struct Look {
    pub node: u32,
    pub cell: Cell,
    /// When it does.
    pub acts: Term,
    pub value: Term,
    /// A load of the program: its thread and point. It sees own stores that wait.
    pub load: Option<(usize, u32)>,
    /// In these values alone it goes on, if the truth holds of them.
    pub wants: Option<Wanted>,
}

/// A test that what was read must pass: thread, wait and test by number.
pub(super) type Wanted = (usize, usize, usize);

/// Waits by thread and point.
pub(super) type Waits = FxHashMap<(usize, u32), Vec<usize>>;

pub(super) fn find_waits<M: MemoryModel>(f: &Formula<'_, M>) -> Waits {
    let mut waits = Waits::default();
    for (thread, code) in f.bounded.threads.iter().enumerate() {
        for (at, wait) in code.waits.iter().enumerate() {
            waits.entry((thread, wait.point)).or_default().push(at);
        }
    }
    waits
}

/// The test that the value must pass whenever the load happens.
pub(super) fn find_wanted<M: MemoryModel>(
    f: &Formula<'_, M>,
    waits: &Waits,
    (thread, point): (usize, u32),
    (guard, value): (Term, Term),
) -> Option<Wanted> {
    for &at in waits.get(&(thread, point)).into_iter().flatten() {
        let wait: &Wait = &f.bounded.threads[thread].waits[at];
        if wait.guard == guard || f.symbolic.terms.as_constant(wait.guard) == Some(1) {
            let test = wait.tests.iter().position(|test| test.value == value);
            if let Some(test) = test {
                return Some((thread, at, test));
            }
        }
    }
    None
}

impl Axiomatic {
    /// Can what is looked at be this value?
    fn can_be<M: MemoryModel>(&self, f: &mut Formula<'_, M>, look: &Look, value: Term) -> bool {
        let terms = &f.symbolic.terms;
        if let (Some(mine), Some(theirs)) = (terms.values(look.value), terms.values(value))
            && !theirs.iter().any(|value| mine.contains(value))
        {
            return false;
        }
        let Some((thread, wait, test)) = look.wants else { return true };
        let test = &f.bounded.threads[thread].waits[wait].tests[test];
        let holds = test.holds(&mut f.symbolic, value);
        !f.is_never(holds)
    }

    /// Writes that can be taken, as indices of `leaves`; `None` is what was there in the
    /// beginning.
    pub(super) fn candidates<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        look: &Look,
        must: &Clocks,
    ) -> Vec<Option<usize>> {
        let writers: &[usize] = self.writers.get(&look.cell).map_or(&[], Vec::as_slice);
        let leaves = &self.accesses.leaves;
        // Writes that are certainly seen.
        let mut seen: Vec<u32> = Vec::new();
        for &at in writers {
            let leave = &leaves[at];
            if self.is_certain(f, look, leave)
                && (self.is_own(look, leave) || must.is_before(self.effect(leave), look.node))
            {
                seen.push(self.effect(leave));
            }
        }
        seen.retain(|&node| node != look.node);
        let latest: Vec<u32> = (seen.iter().copied())
            .filter(|&node| !seen.iter().any(|&other| must.is_before(node, other)))
            .collect();
        let mut found = Vec::new();
        if latest.is_empty() && self.can_be(f, look, f.bounded.initial[&look.cell]) {
            found.push(None);
        }
        for &at in writers {
            let leave = leaves[at];
            let node = self.effect(&leave);
            let later = match look.load {
                Some((thread, point)) if leave.thread == thread => leave.point >= point,
                _ => must.is_by(look.node, node),
            };
            let hidden = latest.iter().any(|&other| must.is_before(node, other));
            if !later && !hidden && self.can_be(f, look, leave.value) {
                found.push(Some(at));
            }
        }
        found
    }

    /// An earlier write of the thread that loads.
    pub(super) fn is_own(&self, look: &Look, leave: &Leave) -> bool {
        look.load.is_some_and(|(thread, point)| leave.thread == thread && leave.point < point)
    }

    /// Does it write, if it is before who looks?
    fn is_certain<M: MemoryModel>(&self, f: &Formula<'_, M>, look: &Look, leave: &Leave) -> bool {
        // In the end not all points are passed.
        let condition = match look.node {
            super::END => self.passed[leave.thread][leave.point as usize],
            _ => leave.when,
        };
        let terms = &f.symbolic.terms;
        terms.as_constant(condition) == Some(1) && terms.as_constant(leave.when) == Some(1)
    }

    /// Fixed orders, and those of events that can only take one write: of joins, for example.
    pub(super) fn find_must<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, looks: &[Look]) {
        let mut must = Clocks::new(&self.orders.chains);
        for &(from, to) in &self.orders.fixed {
            must.add_anyway(from, to, &mut Vec::new());
        }
        let mut more = Vec::new();
        for look in looks.iter().filter(|look| look.wants.is_some()) {
            let Some((thread, point)) = look.load else { continue };
            if look.acts != self.passed[thread][point as usize] {
                continue;
            }
            if let [Some(only)] = self.candidates(f, look, &must)[..] {
                let leave = self.accesses.leaves[only];
                if leave.thread != thread {
                    more.push((self.effect(&leave), look.node));
                }
            }
        }
        for (from, to) in more {
            must.add_anyway(from, to, &mut Vec::new());
        }
        debug_assert!(must.is_before(START, super::END));
        self.must = must;
    }
}
