//! Cells that work as locks: orders of sections instead of what each read takes.
//!
//! A cell is a lock if all who write it do so at once with reading it, and either take it
//! (they found 0 there, and leave a constant) or give it back (they have taken it, and leave
//! 0). What the program calls it does not matter: mutexes, spin locks and words that are
//! compared and exchanged are all seen by this alone. Then of two sections all of one comes
//! before all of the other, and that says what everybody finds there.
//!
//! Where any access has another shape, the cell is one like others (`reads`): a thread gives
//! back what it may not have, a recursive lock is taken again, a store may wait, the
//! cell is written by nobody but one thread. Accesses that come after those of all other
//! threads need no shape: they find what is left.
//!
//! Each test of a shape has a program in `tests/programs` (`lock_*.c`) whose verdict is another
//! without it, but for three that nothing violates today and that say what the rest relies on:
//! 1. No two writes of one point to a cell: `accesses` makes one of them.
//! 2. A write that is one with a look may wait only in `pthread_*_init` and `_destroy`, which
//!    are not of the shape of a lock, or are misuse.
//! 3. Whatever waits and then leaves a constant whatever it found waits for 0.
//!
//! What a model finds in a lock is compared once more with its line of events ([`History`]).

use heddle_sat::{Relation, Term};
use heddle_semantics::MemoryModel;

use crate::encodings::Formula;
use crate::encodings::accesses::Leave;
use crate::encodings::axiomatic::candidates::Look;
use crate::encodings::axiomatic::{Axiomatic, END};
use crate::unfold::facts::Cell;

/// From where a thread takes the lock to where it gives it back.
struct Section {
    thread: usize,
    node: u32,
    acts: Term,
    /// What it leaves there meanwhile; nothing if it only looks whether the lock is free.
    value: Option<Term>,
    /// Where it ends, each with when it does: one of them at most. If none does, the thread
    /// keeps the lock.
    ends: Vec<(Term, u32)>,
}

/// A thread looks at the lock and does not know what it finds.
struct Glance {
    thread: usize,
    node: u32,
    /// It looks, and has not got the lock itself.
    acts: Term,
    value: Term,
}

/// An access after all others: when it looks, what it finds, and when it leaves what.
type Last = (Term, Term, Option<(Term, Term)>);

pub(super) struct Lock {
    sections: Vec<Section>,
    glances: Vec<Glance>,
    /// A look finds this, if the truth holds.
    known: Vec<(Term, Term, Term)>,
    /// Accesses after all others, in order.
    last: Vec<Last>,
    pub(super) history: History,
}

/// Every look at a lock, to compare what it finds in a model with what was left before it in
/// the line of all events. Knows nothing of sections.
pub(super) struct History {
    initial: Term,
    /// Node, when it looks, what it finds, and when it leaves what.
    looks: Vec<(u32, Last)>,
}

impl History {
    /// Does everybody find what was left last?
    pub(super) fn fits(&self, places: &[u32], value: &mut dyn FnMut(Term) -> u64) -> bool {
        let mut looks: Vec<&(u32, Last)> = self.looks.iter().collect();
        looks.sort_by_key(|look| places[look.0 as usize]);
        let mut content = value(self.initial);
        for &(_, (acts, found, leaves)) in looks {
            if value(acts) != 0 && value(found) != content {
                return false;
            }
            if let Some((_, left)) = leaves.filter(|&(writes, _)| value(writes) != 0) {
                content = value(left);
            }
        }
        true
    }
}

/// A point that looks at a cell, and may write it.
struct Access<'a> {
    look: &'a Look,
    leave: Option<Leave>,
    thread: usize,
    /// When it looks, if the point is passed.
    when: Term,
}

impl Axiomatic {
    /// The cell as a lock, if it is one.
    pub(super) fn find_lock<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        cell: Cell,
        looks: &[&Look],
    ) -> Option<Lock> {
        let initial = *f.bounded.initial.get(&cell)?;
        if f.symbolic.terms.as_constant(initial) != Some(0) {
            return None;
        }
        let accesses = self.accesses_of(f, cell, looks)?;
        let mut history = History { initial, looks: Vec::new() };
        for access in &accesses {
            let leaves = access.leave.map(|leave| (self.acts(f, &leave), leave.value));
            history.looks.push((access.look.node, (access.look.acts, access.look.value, leaves)));
        }
        let is_last = |access: &Access<'_>| {
            let others = accesses.iter().filter(|other| other.thread != access.thread);
            others.into_iter().all(|other| self.must.is_before(other.look.node, access.look.node))
        };
        let (last, accesses): (Vec<_>, Vec<_>) = accesses.iter().partition(|it| is_last(it));
        let takes: Vec<(usize, Term)> = (accesses.iter())
            .filter_map(|access| Some((access.thread, access.leave?.value)))
            .filter(|&(_, value)| f.symbolic.terms.as_constant(value) != Some(0))
            .collect();
        // One thread alone excludes nobody.
        if takes.iter().all(|take| take.0 == takes[0].0) {
            return None;
        }
        let values: Vec<Term> = takes.iter().map(|take| take.1).collect();
        let (sections, glances) = (Vec::new(), Vec::new());
        let mut lock = Lock { sections, glances, known: Vec::new(), last: Vec::new(), history };
        for own in accesses.chunk_by(|a, b| a.thread == b.thread) {
            self.follow(f, own, &values, &mut lock)?;
        }
        for access in last {
            let leaves = access.leave.map(|leave| (self.acts(f, &leave), leave.value));
            lock.last.push((access.look.acts, access.look.value, leaves));
        }
        for look in looks.iter().filter(|look| look.node == END) {
            let last = (look.acts, look.value, None);
            lock.last.push(last);
            lock.history.looks.push((END, last));
        }
        Some(lock)
    }

    /// Each thread's accesses in order, if every write is one with a look.
    fn accesses_of<'a, M: MemoryModel>(
        &self,
        f: &Formula<'_, M>,
        cell: Cell,
        looks: &[&'a Look],
    ) -> Option<Vec<Access<'a>>> {
        let mut accesses: Vec<Access<'a>> = Vec::new();
        for &look in looks.iter().filter(|look| look.node != END) {
            let (thread, _) = look.load?;
            accesses.push(Access { look, leave: None, thread, when: look.acts });
        }
        accesses.sort_by_key(|access| (access.thread, access.look.node));
        if accesses.windows(2).any(|pair| pair[0].look.node == pair[1].look.node) {
            return None;
        }
        for take in self.accesses.takes.iter().filter(|take| take.cell == cell) {
            let node = self.point(take.thread, take.point);
            accesses.iter_mut().find(|it| it.look.node == node)?.when = take.when;
        }
        for &at in self.writers.get(&cell)? {
            let leave = self.accesses.leaves[at];
            let node = self.point(leave.thread, leave.point);
            f.symbolic.terms.as_constant(leave.value)?;
            let access = accesses.iter_mut().find(|access| access.look.node == node)?;
            if leave.store.is_some() || access.leave.replace(leave).is_some() {
                return None;
            }
        }
        Some(accesses)
    }

    /// The accesses of one thread, in order.
    fn follow<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        accesses: &[&Access<'_>],
        values: &[Term],
        lock: &mut Lock,
    ) -> Option<()> {
        // The thread may have the lock: what it left there, and when it has not ended.
        let mut open: Option<(usize, Term, Term)> = None;
        for access in accesses {
            let (look, when) = (access.look, access.when);
            let own = open.filter(|&(.., rest)| !f.is_never(rest));
            let mut out = look.acts;
            if let Some((_, value, rest)) = own {
                let held = f.and(look.acts, rest);
                lock.known.push((held, look.value, value));
                out = f.and_not(look.acts, rest);
            }
            let free = f.symbolic.equals(look.value, 0);
            let leave = access.leave;
            let gives = leave.is_some_and(|it| f.symbolic.terms.as_constant(it.value) == Some(0));
            match leave {
                Some(leave) if gives => {
                    let (section, value, rest) = own?;
                    let is_mine = f.terms().relate(Relation::Eq, look.value, value);
                    let mine = f.and(when, is_mine);
                    let without = f.and_not(when, rest);
                    if !f.is_never(without) || (leave.when != when && leave.when != mine) {
                        return None;
                    }
                    lock.sections[section].ends.push((look.acts, look.node));
                    open = Some((section, value, f.and_not(rest, when)));
                }
                Some(leave) => {
                    let found = f.and(when, free);
                    let waits = leave.when == when && self.waits_for_all(f, look, values);
                    // It is not taken again by who may have it.
                    if own.is_some() || (!waits && leave.when != found) {
                        return None;
                    }
                    let acts = if waits { look.acts } else { f.and(look.acts, free) };
                    if !waits {
                        let (node, value) = (look.node, look.value);
                        lock.glances.push(Glance { thread: access.thread, node, acts: out, value });
                    } else {
                        let zero = f.bounded.initial[&look.cell];
                        lock.known.push((look.acts, look.value, zero));
                    }
                    open = Some((lock.sections.len(), leave.value, leave.when));
                    lock.sections.push(Section {
                        thread: access.thread,
                        node: look.node,
                        acts,
                        value: Some(leave.value),
                        ends: Vec::new(),
                    });
                }
                None => {
                    let (thread, node, value) = (access.thread, look.node, look.value);
                    lock.glances.push(Glance { thread, node, acts: out, value });
                    let acts = f.and(out, free);
                    let ends = vec![(acts, node)];
                    lock.sections.push(Section { thread, node, acts, value: None, ends });
                }
            }
        }
        Some(())
    }

    /// Does the look wait while one of these is there?
    fn waits_for_all<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        look: &Look,
        values: &[Term],
    ) -> bool {
        let Some((thread, wait, test)) = look.wants else { return false };
        let test = &f.bounded.threads[thread].waits[wait].tests[test];
        values.iter().all(|&value| {
            let holds = test.holds(&mut f.symbolic, value);
            f.is_never(holds)
        })
    }

    /// Says what all find there, and that sections are apart.
    pub(super) fn keep_apart<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, lock: &Lock) {
        for &(when, found, value) in &lock.known {
            f.equal_if(when, found, value);
        }
        for glance in &lock.glances {
            self.glance(f, glance, lock);
        }
        for (at, a) in lock.sections.iter().enumerate() {
            for b in lock.sections[at + 1..].iter().filter(|b| b.thread != a.thread) {
                if a.value.is_some() || b.value.is_some() {
                    self.order_sections(f, a, b);
                }
            }
        }
        self.find_left(f, lock);
    }

    /// Either it is free, or within somebody's section.
    fn glance<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, glance: &Glance, lock: &Lock) {
        if f.is_never(glance.acts) {
            return;
        }
        let mut any = vec![f.symbolic.equals(glance.value, 0)];
        for section in lock.sections.iter().filter(|it| it.thread != glance.thread) {
            let Some(value) = section.value else { continue };
            if self.fixed.is_before(glance.node, section.node) {
                continue;
            }
            let within = f.truth();
            f.imply(within, section.acts);
            f.equal_if(within, glance.value, value);
            self.edge(f, within, section.node, glance.node);
            for &(acts, end) in &section.ends {
                let ends = f.and(within, acts);
                self.edge(f, ends, glance.node, end);
            }
            any.push(within);
        }
        self.orders.paired += any.len();
        f.imply_any(glance.acts, &any);
    }

    /// Where both are, one is over before the other begins.
    fn order_sections<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, a: &Section, b: &Section) {
        self.orders.paired += 2;
        let both = f.and(a.acts, b.acts);
        let first =
            match (self.fixed.is_before(a.node, b.node), self.fixed.is_before(b.node, a.node)) {
                (true, _) => f.always(),
                (_, true) => f.never(),
                _ => f.truth(),
            };
        let second = f.not(first);
        for (order, a, b) in [(first, a, b), (second, b, a)] {
            let holds = f.and(both, order);
            let ends: Vec<Term> = a.ends.iter().map(|end| end.0).collect();
            f.imply_any(holds, &ends);
            for &(acts, end) in &a.ends {
                let when = if ends.len() == 1 { holds } else { f.and(holds, acts) };
                self.edge(f, when, end, b.node);
            }
        }
    }

    /// Whoever comes last finds what a section without an end has left.
    fn find_left<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, lock: &Lock) {
        let mut left: Option<Term> = None;
        for section in &lock.sections {
            let Some(value) = section.value else { continue };
            let mut open = section.acts;
            for &(acts, _) in &section.ends {
                open = f.and_not(open, acts);
            }
            let width = f.symbolic.terms.width(value);
            let before = left.unwrap_or_else(|| f.terms().constant(0, width));
            left = Some(f.terms().select(open, value, before));
        }
        let Some(mut left) = left else { return };
        for &(when, found, leaves) in &lock.last {
            f.equal_if(when, found, left);
            if let Some((acts, value)) = leaves {
                left = f.terms().select(acts, value, left);
            }
        }
    }
}
