//! Random uses of synchronisation objects: mostly in the patterns they are made
//! for, so that programs get past them, and now and then without.

use super::Generator;
use crate::ast::{Expr, Mutex, Object, Stmt, Sync};
use crate::feature::Feature;

/// Objects, with the feature that allows them and how often they are used.
const OBJECTS: &[(Feature, u32)] = &[
    (Feature::Conditions, 26),
    (Feature::Semaphores, 20),
    (Feature::RwLocks, 20),
    (Feature::Barriers, 14),
    (Feature::Spins, 16),
    (Feature::Once, 12),
];

impl Generator {
    pub(super) fn sync_weight(&self) -> u32 {
        OBJECTS.iter().filter(|object| self.has(object.0)).map(|object| object.1).sum()
    }

    /// Appends the use of an object.
    pub(super) fn synchronise(&mut self, into: &mut Vec<Stmt>) {
        let mut at = self.rng.u32(0..self.sync_weight());
        let allowed = OBJECTS.iter().filter(|object| self.has(object.0));
        let picked = allowed.copied().find(|object| {
            let here = at < object.1;
            at = at.saturating_sub(object.1);
            here
        });
        let Some((feature, _)) = picked else { return };
        self.allowance -= 1;
        if self.has(Feature::Mutexes) && self.chance(12) {
            let object = match feature {
                Feature::Conditions => Object::Condition,
                Feature::Semaphores => Object::Semaphore,
                Feature::RwLocks => Object::RwLock,
                Feature::Barriers => Object::Barrier,
                _ => Object::Spin,
            };
            return into.push(Stmt::Sync(Sync::Destroy(object)));
        }
        match feature {
            Feature::Conditions => self.monitor(into),
            Feature::Semaphores => self.semaphore(into),
            Feature::RwLocks => {
                let lock = if self.chance(55) { Sync::ReadLock } else { Sync::WriteLock };
                self.bracket(into, lock, Sync::RwUnlock);
            }
            Feature::Barriers => into.push(Stmt::Sync(Sync::Meet)),
            Feature::Spins => self.bracket(into, Sync::SpinLock, Sync::SpinUnlock),
            _ => into.push(Stmt::Sync(Sync::Once)),
        }
    }

    /// Statements between an acquisition and its release, one of which is
    /// forgotten now and then.
    fn bracket(&mut self, into: &mut Vec<Stmt>, first: Sync, last: Sync) {
        let odd = self.has(Feature::Unlocked);
        if !(odd && self.chance(25)) {
            into.push(Stmt::Sync(first));
        }
        if self.depth < 2 {
            into.extend(self.inner(2));
        }
        if !(odd && self.chance(25)) {
            self.allowance -= 1;
            into.push(Stmt::Sync(last));
        }
    }

    fn semaphore(&mut self, into: &mut Vec<Stmt>) {
        match self.rng.u32(0..10) {
            0..4 => self.bracket(into, Sync::SemWait, Sync::SemPost),
            4..6 => into.push(Stmt::Sync(Sync::SemWait)),
            _ => into.push(Stmt::Sync(Sync::SemPost)),
        }
    }

    /// One side of a condition variable: who waits for a value, or who sets it.
    fn monitor(&mut self, into: &mut Vec<Stmt>) {
        let mutex = Mutex::Normal(0);
        let odd = self.has(Feature::Unlocked) && self.chance(30);
        let locked = !odd;
        if locked {
            into.push(Stmt::Lock(mutex));
        }
        let place = self.scalar();
        if self.chance(50) {
            self.allowance -= 3;
            let timed = self.chance(30);
            let wait = vec![Stmt::CondWait { timed }];
            let absent = Expr::Not(Box::new(Expr::Load(place)));
            match self.rng.u32(0..10) {
                0..4 => into.push(Stmt::Wait(absent, wait)),
                4..7 => into.push(Stmt::If(absent, wait, Vec::new())),
                _ => into.extend(wait),
            }
            if self.chance(30) && self.depth < 2 {
                into.extend(self.inner(1));
            }
        } else {
            self.allowance -= 1;
            if self.chance(80) {
                into.push(Stmt::Assign(place, Expr::Const(1)));
            }
            let wake = if self.chance(60) { Sync::Signal } else { Sync::Broadcast };
            // A signal after the critical section is common too.
            if locked && self.chance(30) {
                into.push(Stmt::Unlock(mutex));
                return into.push(Stmt::Sync(wake));
            }
            into.push(Stmt::Sync(wake));
        }
        if locked {
            self.allowance -= 1;
            into.push(Stmt::Unlock(mutex));
        }
    }
}
