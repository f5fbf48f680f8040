//! Programs about what an analysis of all threads may take for granted: a variable of `main` that
//! others get at, one of several threads that is joined, the ends of `int`, waits that give a
//! lock back, the wrong lock, blocks, semaphores and assumptions. What was known before is
//! changed by somebody else, mostly for a moment, and looked at.

use super::{Generator, binary};
use crate::ast::{
    Crowd, Expr, GREATEST, LEAST, Mutex, Operator, Place, Slots, Stmt, Sync, Target, Test, Thread,
};

const FIRST: Place = Place::Scalar(0);
const SECOND: Place = Place::Scalar(1);
const LOCK: Mutex = Mutex::Normal(0);

/// A part for `main` before others run, one beside them, one for the others, and one for `main`
/// after a join.
#[derive(Default)]
pub(super) struct Parts {
    pub(super) before: Vec<Stmt>,
    pub(super) beside: Vec<Stmt>,
    pub(super) other: Vec<Stmt>,
    pub(super) after: Vec<Stmt>,
}

pub(super) fn set(place: Place, value: u8) -> Stmt {
    Stmt::Assign(place, Expr::Const(value))
}

pub(super) fn is(place: Place, op: Operator, value: u8) -> Stmt {
    Stmt::Assert(binary(op, Expr::Load(place), Expr::Const(value)))
}

impl Generator {
    pub(super) fn known_test(&mut self, seed: u64) -> Test {
        let parts = match self.rng.u32(0..9) {
            0 => self.shown(),
            1 => self.brief(),
            2 => self.extremes(),
            3 => self.waits(),
            4 => self.other_lock(),
            5 => self.block(),
            6 => self.posted(),
            7 => self.assumed(),
            _ => self.counted(),
        };
        let mut threads = vec![Thread::default(), Thread::default()];
        let Parts { before, beside, other, after } = parts;
        threads[1].body = other;
        let several = self.chance(40);
        let body = &mut threads[0].body;
        body.extend(before);
        match several {
            true => {
                let slots = Slots::Own;
                body.push(Stmt::Crowd(Crowd::Create { thread: 1, count: 2, slots }));
            }
            false => body.push(Stmt::Create(1)),
        }
        body.extend(beside);
        match (several, self.rng.u32(0..3)) {
            (true, 0) => body.push(Stmt::Crowd(Crowd::Join { count: 2 })),
            (true, _) => body.push(Stmt::Crowd(Crowd::JoinAt(self.rng.u8(0..2)))),
            (false, 0) => {}
            (false, _) => body.push(Stmt::Join(1, false)),
        }
        body.extend(after);
        let (semaphore, barrier) = (self.rng.u8(0..2), 1);
        let (global_handles, null_pointers) = (self.chance(30), false);
        Test { seed, threads, semaphore, barrier, global_handles, null_pointers }
    }

    pub(super) fn small(&mut self) -> u8 {
        self.rng.u8(1..4)
    }

    pub(super) fn op(&mut self) -> Operator {
        [Operator::Eq, Operator::Ne, Operator::Lt][self.rng.usize(0..3)]
    }

    /// A change for a moment, or for good.
    pub(super) fn change(&mut self, place: &Place, value: u8, rest: u8) -> Vec<Stmt> {
        let mut all = vec![set(place.clone(), value)];
        if self.chance(65) {
            all.push(set(place.clone(), rest));
        }
        all
    }

    pub(super) fn within(&mut self, mutex: Mutex, body: Vec<Stmt>, percent: u32) -> Vec<Stmt> {
        match self.chance(percent) {
            true => [vec![Stmt::Lock(mutex)], body, vec![Stmt::Unlock(mutex)]].concat(),
            false => body,
        }
    }

    /// The address of a variable of `main` is put where others find it.
    fn shown(&mut self) -> Parts {
        let (old, new) = (self.small(), self.small());
        let mut show = vec![set(Place::Mine, old), Stmt::SetPointer(0, Target::Mine)];
        if self.chance(30) {
            show.swap(0, 1);
        }
        let other = self.change(&Place::Deref(0), new, old);
        let (op, seen) = (self.op(), self.small());
        let look = is(Place::Mine, op, seen);
        let late = self.chance(30);
        let (before, mut beside) =
            if late { (vec![set(Place::Mine, old)], show) } else { (show, vec![]) };
        beside.push(look.clone());
        Parts { before, beside, other, after: vec![look] }
    }

    /// Threads leave what they found, but not all of them have ended.
    pub(super) fn brief(&mut self) -> Parts {
        let (old, new) = (self.rng.u8(0..2), self.small());
        let other = self.change(&FIRST, new, old);
        let (op, seen) = (self.op(), self.small());
        let after = vec![is(FIRST, Operator::Eq, old), is(FIRST, op, seen)];
        Parts { before: vec![set(FIRST, old)], other, after, ..Parts::default() }
    }

    /// Comparisons of numbers whose difference is none.
    fn extremes(&mut self) -> Parts {
        let (low, high) = if self.chance(70) { (LEAST, GREATEST) } else { (GREATEST, LEAST) };
        let mut other = vec![set(FIRST, low)];
        other.push(set(SECOND, if self.chance(70) { high } else { low }));
        let op = [Operator::Lt, Operator::Ne, Operator::Eq][self.rng.usize(0..3)];
        let inside = vec![
            Stmt::Assign(Place::Scalar(2), Expr::Local(0)),
            Stmt::Assign(Place::Scalar(2), Expr::Local(1)),
            Stmt::Assert(binary(op, Expr::Local(0), Expr::Local(1))),
        ];
        let arithmetic = match self.chance(40) {
            true => {
                let op = if self.chance(50) { Operator::Add } else { Operator::Sub };
                Some(Stmt::SetLocal(0, binary(op, Expr::Local(0), Expr::Const(1))))
            }
            false => None,
        };
        let mut beside =
            vec![Stmt::SetLocal(0, Expr::Load(FIRST)), Stmt::SetLocal(1, Expr::Load(SECOND))];
        beside.extend(arithmetic);
        let less = binary(Operator::Lt, Expr::Local(0), Expr::Local(1));
        beside.push(Stmt::If(less, inside.clone(), inside));
        Parts { other, beside, ..Parts::default() }
    }

    /// Who waits has not the lock meanwhile.
    fn waits(&mut self) -> Parts {
        let (old, new) = (self.small(), self.small());
        let mut inner = self.change(&FIRST, new, old);
        inner.push(Stmt::Sync(if self.chance(50) { Sync::Signal } else { Sync::Broadcast }));
        let other = self.within(LOCK, inner, 100);
        let mut beside = vec![Stmt::Lock(LOCK), set(FIRST, old)];
        beside.push(Stmt::CondWait { timed: self.chance(20) });
        let (op, seen) = (self.op(), self.small());
        beside.extend([is(FIRST, Operator::Eq, old), is(FIRST, op, seen), Stmt::Unlock(LOCK)]);
        Parts { other, beside, ..Parts::default() }
    }

    /// One has this lock and one that.
    pub(super) fn other_lock(&mut self) -> Parts {
        let (old, new) = (self.rng.u8(0..2), self.small());
        let mutex = Mutex::Normal(u8::from(self.chance(50)));
        let change = self.change(&FIRST, new, old);
        let other = self.within(mutex, change, 90);
        let mut inner = vec![is(FIRST, Operator::Eq, old)];
        if self.chance(50) {
            let again = binary(Operator::Eq, Expr::Load(FIRST), Expr::Load(FIRST));
            inner = vec![set(FIRST, old), Stmt::Assert(again)];
        }
        let beside = self.within(LOCK, inner, 90);
        Parts { before: vec![set(FIRST, old)], other, beside, ..Parts::default() }
    }

    /// A block that somebody frees, or writes.
    fn block(&mut self) -> Parts {
        let value = self.small();
        let mut parts = Parts { before: vec![self.allocation()], ..Parts::default() };
        parts.other = match self.rng.u32(0..3) {
            0 => vec![Stmt::Free],
            _ => self.change(&Place::Heap, value, 1),
        };
        if self.chance(50) {
            parts.beside = vec![is(Place::Heap, Operator::Ne, value)];
        }
        parts.after = match self.rng.u32(0..3) {
            0 => vec![Stmt::Free, is(Place::Heap, Operator::Ne, value)],
            1 => vec![Stmt::Free],
            _ => vec![is(Place::Heap, Operator::Ne, value)],
        };
        parts
    }

    /// What was written before a post.
    fn posted(&mut self) -> Parts {
        let (old, new) = (self.rng.u8(0..2), self.small());
        let mut other = vec![set(FIRST, new)];
        other.push(Stmt::Sync(Sync::SemPost));
        if self.chance(40) {
            other.push(set(FIRST, old));
        }
        let beside = vec![Stmt::Sync(Sync::SemWait), is(FIRST, Operator::Eq, new)];
        Parts { before: vec![set(FIRST, old)], other, beside, ..Parts::default() }
    }

    /// What is taken to hold may be over at once.
    fn assumed(&mut self) -> Parts {
        let (old, new) = (self.rng.u8(0..2), self.small());
        let other = self.change(&FIRST, new, old);
        let seen = Expr::Local(0);
        let bound = self.small();
        let op = self.op();
        let beside = vec![
            Stmt::SetLocal(0, Expr::Load(FIRST)),
            Stmt::Assume(binary(op, seen.clone(), Expr::Const(bound))),
            Stmt::Assign(SECOND, seen),
            is(FIRST, op, bound),
            Stmt::Assert(binary(Operator::Lt, Expr::Local(0), Expr::Const(bound))),
        ];
        Parts { before: vec![set(FIRST, old)], other, beside, ..Parts::default() }
    }

    /// Two variables that go together, under a lock.
    pub(super) fn counted(&mut self) -> Parts {
        let more = |place: Place| {
            let sum = binary(Operator::Add, Expr::Load(place.clone()), Expr::Const(1));
            Stmt::Assign(place, sum)
        };
        let mut both = vec![more(FIRST), more(SECOND)];
        if self.chance(20) {
            both.pop();
        }
        let other = self.within(LOCK, both, 85);
        let equal = Stmt::Assert(binary(Operator::Eq, Expr::Load(FIRST), Expr::Load(SECOND)));
        let beside = self.within(LOCK, vec![equal.clone()], 85);
        Parts { other, beside, after: vec![equal], ..Parts::default() }
    }
}
