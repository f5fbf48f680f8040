//! That no thread waits for ever.
//!
//! What can wait are locks, joins and loops. It is enough that
//!
//! 1. locks are taken in an order that has no cycle, and none is held by a thread that ends
//!    or joins another;
//! 2. nothing else is waited for: no condition variable, semaphore or barrier;
//! 3. every loop either comes to an end, since one of its registers only ever grows or only
//!    ever shrinks, or changes memory that others see in each of its turns. Then no thread
//!    only looks, again and again, at what nobody changes.
//!
//! Take the threads that wait for ever. By 3 each of them is at a lock or a join. Whoever holds
//! a lock that is waited for waits itself, at a lock that is later in the order, since nobody
//! joins with a lock; so the last of these locks is held by nobody. Joins are of threads that
//! were created before, so they have no cycle either.

use std::collections::{BTreeMap, BTreeSet};

use heddle_ir::{Edge, FuncId, Operand, Reg};

use super::flow::Frame;
use super::state::{Lock, State};
use super::{Analysis, Check, Obligation};
use crate::site::Site;

/// What is known of the turns of a loop.
#[derive(Clone, Debug)]
struct Turns {
    /// Registers that grow (true) or shrink in each of them.
    moving: BTreeSet<(Reg, bool)>,
    /// Each changes memory.
    changes: bool,
    at: Site,
}

#[derive(Clone, Debug, Default)]
pub struct Waits {
    failed: Option<(Site, &'static str)>,
    /// The second lock is taken while the first is held.
    order: BTreeMap<(Lock, Lock), Site>,
    loops: BTreeMap<(FuncId, u32), Turns>,
}

impl Waits {
    pub fn fail(&mut self, at: Site, why: &'static str) {
        self.failed.get_or_insert((at, why));
    }

    pub fn order(&mut self, held: &BTreeSet<Lock>, taken: Lock, at: Site) {
        if taken == Lock::Atomic {
            return;
        }
        if held.contains(&Lock::Atomic) {
            self.fail(at, "a lock is taken in an atomic section");
        }
        for &first in held {
            self.order.entry((first, taken)).or_insert(at);
        }
    }

    /// A place where a lock is taken that may already be waited for with it held.
    fn cycle(&self) -> Option<Site> {
        let mut after: BTreeMap<Lock, BTreeSet<Lock>> = BTreeMap::new();
        for &(first, second) in self.order.keys() {
            after.entry(first).or_default().insert(second);
        }
        self.order.iter().find_map(|(&(first, second), &at)| {
            let mut seen = BTreeSet::new();
            let mut todo = vec![second];
            while let Some(lock) = todo.pop() {
                if lock == first {
                    return Some(at);
                }
                if seen.insert(lock) {
                    todo.extend(after.get(&lock).into_iter().flatten());
                }
            }
            None
        })
    }

    fn quiet_loop(&self) -> Option<Site> {
        let quiet = |turns: &&Turns| turns.moving.is_empty() && !turns.changes;
        self.loops.values().find(quiet).map(|turns| turns.at)
    }
}

impl Analysis<'_> {
    /// A loop goes round once more.
    pub(super) fn note_turn(&mut self, frame: &Frame, state: &State, edge: &Edge, head: u32) {
        if !self.recording {
            return;
        }
        let mut moving = BTreeSet::new();
        for &(reg, from) in &edge.moves {
            let Operand::Reg(new) = from else { continue };
            let (old, new) = (frame.register(reg), frame.register(new));
            if state.exceeds(new, old) {
                moving.insert((reg, true));
            } else if state.exceeds(old, new) {
                moving.insert((reg, false));
            }
        }
        let turns = Turns { moving, changes: state.changed, at: self.at };
        let known = self.waits.loops.entry((frame.function, head)).or_insert_with(|| turns.clone());
        known.moving.retain(|one| turns.moving.contains(one));
        known.changes &= turns.changes;
    }

    /// Notes whether no thread can wait for ever.
    pub(super) fn check_deadlock(&mut self) {
        let failed = self.waits.failed;
        let cycle = self.waits.cycle().map(|at| (at, "locks are taken in no fixed order"));
        let quiet = self.waits.quiet_loop().map(|at| (at, "a loop may wait for a change"));
        let problem = failed.or(cycle).or(quiet);
        let at = problem.map_or(self.at, |problem| problem.0);
        let what = problem.map_or("no thread waits for ever", |problem| problem.1);
        let span = at.span(self.program);
        let by = "the order of locks, and loops that end or change memory".to_string();
        let check = Check::Deadlock;
        let obligation = Obligation { span, check, what, holds: problem.is_none(), by };
        self.obligations.insert((at, what), obligation);
    }
}
