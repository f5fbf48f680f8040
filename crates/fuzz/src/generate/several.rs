//! Programs in which what an analysis takes for one thing is several: instances of a thread of
//! which one is joined, blocks that one place allocates, elements of an array; and ones in which
//! something is assumed, or goes together, on some ways only.

use super::known::{Parts, is, set};
use super::{Generator, binary};
use crate::ast::{
    Blocks, Crowd, Expr, Input, Mutex, Operator, Place, Slots, Stmt, Sync, Target, Test, Thread,
};

const FIRST: Place = Place::Scalar(0);
const SECOND: Place = Place::Scalar(1);
/// What was seen goes here, so that it is still needed after it was seen.
const SEEN: Place = Place::Scalar(2);
const LOCK: Mutex = Mutex::Normal(0);

fn load(place: Place) -> Expr {
    Expr::Load(place)
}

fn coin() -> Expr {
    Expr::Input(Input::Bool)
}

fn only_if(condition: Expr, then: Vec<Stmt>) -> Stmt {
    Stmt::If(condition, then, Vec::new())
}

impl Generator {
    pub(super) fn several_test(&mut self, seed: u64) -> Test {
        let (parts, returns) = match self.rng.u32(0..13) {
            0..3 => (self.instances(), false),
            3..5 => (self.blocks(), false),
            5..7 => (self.results(), true),
            7..9 => (self.assumptions(), false),
            9..11 => (self.one_sided(), false),
            11 => (self.elements(), false),
            _ => (self.own(), false),
        };
        let Parts { before, beside, other, after } = parts;
        let (create, wait) = if returns { self.collected() } else { self.creation_and_wait() };
        let mut body = before;
        body.extend(match self.chance(15) {
            true => vec![only_if(coin(), create)],
            false => create,
        });
        body.extend(beside);
        body.extend(wait);
        body.extend(after);
        let mut threads = vec![Thread::default(), Thread::default()];
        (threads[0].body, threads[1].body) = (body, other);
        if !returns && self.chance(20) {
            // Another one in between, which may end first.
            threads.push(threads[1].clone());
            let inner = &mut threads[1].body;
            *inner = vec![Stmt::Create(2)];
            if self.chance(60) {
                inner.push(Stmt::Join(2, false));
            }
        }
        let (global_handles, null_pointers) = (self.chance(40), self.chance(20));
        Test { seed, threads, semaphore: 1, barrier: 1, global_handles, null_pointers }
    }

    /// Ways to create one or two threads, and to wait for all, for some, or for none.
    fn creation_and_wait(&mut self) -> (Vec<Stmt>, Vec<Stmt>) {
        let (thread, count) = (1, 2);
        let crowd = |crowd: Crowd| vec![Stmt::Crowd(crowd)];
        let start = |slot: u8| Stmt::Crowd(Crowd::StartAt { thread, slot });
        let finish = |this: &mut Generator, slot: u8| match this.chance(50) {
            true => Stmt::Crowd(Crowd::JoinAt(slot)),
            false => Stmt::Crowd(Crowd::FinishAt(slot)),
        };
        match self.rng.u32(0..100) {
            0..15 => {
                let wait = if self.chance(70) { vec![Stmt::Join(1, false)] } else { Vec::new() };
                (vec![Stmt::Create(1)], wait)
            }
            15..40 => {
                let create = crowd(Crowd::Create { thread, count, slots: Slots::Same });
                (create, vec![finish(self, 0)])
            }
            40..55 => {
                let create = crowd(Crowd::Create { thread, count, slots: Slots::Own });
                let wait = match self.chance(50) {
                    true => crowd(Crowd::Join { count }),
                    false => vec![finish(self, 0)],
                };
                (create, wait)
            }
            55..85 => {
                let mut wait = vec![finish(self, 0), finish(self, 1)];
                match self.rng.u32(0..4) {
                    0 => {}
                    1 => wait.swap(0, 1),
                    _ => drop(wait.pop()),
                }
                (vec![start(0), start(1)], wait)
            }
            85..92 => {
                // A handle of one that has ended.
                let create = vec![start(0), finish(self, 0), start(1)];
                let slot = self.rng.u8(0..2);
                (create, vec![finish(self, slot)])
            }
            _ => (crowd(Crowd::InTurn { thread, count }), Vec::new()),
        }
    }

    /// The same for threads whose results are blocks.
    fn collected(&mut self) -> (Vec<Stmt>, Vec<Stmt>) {
        let thread = 1;
        let start = |slot: u8| Stmt::Crowd(Crowd::StartAt { thread, slot });
        let collect = |slot: u8| Stmt::Crowd(Crowd::CollectAt(slot));
        match self.rng.u32(0..4) {
            0 => (vec![Stmt::Crowd(Crowd::Collect { thread, count: 2 })], Vec::new()),
            1 => (vec![start(0), start(1)], vec![collect(0), collect(1)]),
            2 => {
                let free = Stmt::Blocks(Blocks::Free(0));
                (vec![start(0), collect(0), free, start(1)], vec![collect(1)])
            }
            _ => (vec![start(0), collect(0), start(1)], vec![collect(1)]),
        }
    }

    /// What one instance does for a moment, or for good, and who has waited for another one.
    fn instances(&mut self) -> Parts {
        let mut parts = match self.rng.u32(0..4) {
            0 => self.counted(),
            1 => self.other_lock(),
            _ => self.brief(),
        };
        // Once more, with something that others may notice behind it.
        let (op, value) = (self.op(), self.small());
        parts.after.extend([
            Stmt::SetLocal(0, load(FIRST)),
            Stmt::Assign(SEEN, Expr::Local(0)),
            is(FIRST, op, value),
        ]);
        parts
    }

    /// Allocates, and perhaps frees, so that there are two.
    fn two_blocks(&mut self) -> Vec<Stmt> {
        let (first, second) = (self.small(), self.small());
        let new = |this: &mut Generator, value: u8| match this.rng.u32(0..10) {
            0..5 => Stmt::Blocks(Blocks::New(value)),
            5..7 => Stmt::Blocks(Blocks::Zero),
            _ => Stmt::Blocks(Blocks::Made(value)),
        };
        let mut body = vec![new(self, first)];
        if self.chance(35) {
            // The one before, while the last one is new.
            let look = Stmt::SetLocal(0, load(Place::Kept(1)));
            let note = Stmt::Assign(SEEN, Expr::Local(0));
            body.push(only_if(Expr::HasBoth, vec![look, note]));
        }
        if self.chance(30) {
            body.push(set(Place::Kept(0), second));
        }
        if self.chance(25) {
            let at = self.rng.usize(0..2);
            body.insert(at, Stmt::Blocks(Blocks::Free(self.rng.u8(0..2))));
        }
        match self.chance(75) {
            true => vec![Stmt::Loop(2, body)],
            false => {
                body.push(new(self, second));
                body
            }
        }
    }

    /// Both are written, and one is looked at.
    fn tell_apart(&mut self) -> Vec<Stmt> {
        let (one, other) = (self.small(), self.small());
        let at = self.rng.u8(0..2);
        let op = self.op();
        let mut inside = vec![set(Place::Kept(at), one), set(Place::Kept(1 - at), other)];
        for _ in 0..2 {
            if self.chance(30) {
                inside.remove(self.rng.usize(0..inside.len()));
            }
        }
        if self.chance(20) {
            inside.push(Stmt::Blocks(Blocks::Free(1 - at)));
        }
        inside.extend([
            Stmt::SetLocal(0, load(Place::Kept(at))),
            Stmt::Assign(SEEN, Expr::Local(0)),
            Stmt::Assert(binary(op, Expr::Local(0), Expr::Const(one))),
        ]);
        match self.chance(85) {
            true => vec![only_if(Expr::HasBoth, inside)],
            false => inside,
        }
    }

    /// Blocks of one thread.
    fn blocks(&mut self) -> Parts {
        let mut all = self.two_blocks();
        if self.chance(25) {
            all.push(Stmt::Blocks(Blocks::Show(0)));
        }
        let mut apart = self.tell_apart();
        if self.chance(20) {
            apart = self.within(LOCK, apart, 100);
        }
        all.extend(apart);
        let mut parts = Parts::default();
        match self.rng.u32(0..3) {
            0 => {
                parts.other = all;
                parts.beside = vec![is(SEEN, Operator::Ne, 3)];
            }
            _ => {
                parts.beside = all;
                parts.other = match self.chance(30) {
                    true => self.change(&Place::Deref(0), 2, 1),
                    false => vec![set(FIRST, 1)],
                };
            }
        }
        parts
    }

    /// Blocks that are results of threads.
    fn results(&mut self) -> Parts {
        let (value, again) = (self.small(), self.small());
        let new = if self.chance(25) { Blocks::Zero } else { Blocks::New(value) };
        let mut other = vec![Stmt::Blocks(new)];
        if self.chance(30) {
            other.push(Stmt::Assign(Place::Kept(0), load(FIRST)));
        }
        if self.chance(30) {
            other.push(set(FIRST, again));
        }
        if self.chance(20) {
            other.push(Stmt::Blocks(Blocks::Show(0)));
        }
        other.push(Stmt::Blocks(Blocks::Return));
        Parts { other, after: self.tell_apart(), ..Parts::default() }
    }

    fn bound(&mut self, seen: &Expr) -> Expr {
        let (op, value) = (self.op(), Expr::Const(self.rng.u8(0..4)));
        match self.chance(70) {
            true => binary(op, seen.clone(), value),
            false => binary(op, value, seen.clone()),
        }
    }

    /// A condition on what was seen, with parts.
    fn about(&mut self, seen: &Expr) -> Expr {
        let (one, other) = (self.bound(seen), self.bound(seen));
        let not = |e: Expr| Expr::Not(Box::new(e));
        match self.rng.u32(0..8) {
            0..3 => one,
            3 => not(one),
            4 => binary(Operator::And, one, other),
            5 => binary(Operator::Or, one, other),
            6 => not(binary(Operator::And, one, other)),
            _ => binary(Operator::Ne, binary(Operator::Add, seen.clone(), one), Expr::Const(2)),
        }
    }

    /// What is assumed on one way, in a loop, in a call, or of what somebody changes at once.
    fn assumptions(&mut self) -> Parts {
        let (old, new) = (self.rng.u8(0..3), self.small());
        let change = self.change(&FIRST, new, old);
        let other = self.within(LOCK, change, 30);
        let seen = if self.chance(70) { Expr::Local(0) } else { load(FIRST) };
        let fetch = Stmt::SetLocal(0, load(FIRST));
        let assumed = Stmt::Assume(self.about(&seen));
        let note = vec![Stmt::Assign(SEEN, Expr::Local(0))];
        let mut inner = vec![fetch.clone(), assumed];
        let mut beside = match self.rng.u32(0..10) {
            0 => inner,
            1 => vec![fetch, only_if(coin(), vec![inner.remove(1)])],
            2 => vec![Stmt::Loop(2, [inner, note.clone()].concat())],
            3 => vec![Stmt::Call(inner)],
            4 => vec![fetch, Stmt::Loop(2, vec![only_if(coin(), vec![inner.remove(1)])])],
            5 => {
                let condition = self.about(&seen);
                vec![inner.remove(0), Stmt::If(condition, note.clone(), vec![set(SEEN, 3)])]
            }
            6 => self.within(LOCK, inner, 100),
            // What the condition is, first.
            way => {
                let condition = Stmt::SetLocal(1, self.about(&Expr::Local(0)));
                let decided = match self.chance(50) {
                    true => Expr::Local(1),
                    false => Expr::Not(Box::new(Expr::Local(1))),
                };
                let then = match way {
                    7 => Stmt::Assume(decided),
                    _ => Stmt::If(decided, note.clone(), vec![Stmt::Assign(SEEN, Expr::Local(0))]),
                };
                vec![fetch, condition, then]
            }
        };
        beside.extend(note);
        let (op, value) = (self.op(), self.rng.u8(0..4));
        beside.push(Stmt::Assert(binary(op, Expr::Local(0), Expr::Const(value))));
        if self.chance(60) {
            beside.extend([Stmt::SetLocal(1, load(FIRST)), Stmt::Assign(SEEN, Expr::Local(1))]);
            beside.push(is(FIRST, op, value));
        }
        let before = if self.chance(70) { vec![set(FIRST, old)] } else { Vec::new() };
        Parts { before, beside, other, after: vec![is(FIRST, op, value)] }
    }

    /// Makes two things go together, or changes who may come between them.
    fn tie(&mut self) -> Vec<Stmt> {
        let more = |place: Place, by: u8| binary(Operator::Add, load(place), Expr::Const(by));
        let by = self.rng.u8(0..2);
        match self.rng.u32(0..7) {
            0 => vec![Stmt::Assign(SECOND, more(FIRST, by))],
            1 => vec![Stmt::SetLocal(0, load(FIRST))],
            2 => vec![Stmt::SetLocal(1, binary(Operator::Add, Expr::Local(0), Expr::Const(by)))],
            3 => {
                let (one, other) = (self.small(), self.small());
                vec![set(FIRST, one), set(SECOND, other)]
            }
            4 => vec![Stmt::Assign(FIRST, Expr::Local(0)), Stmt::Assign(SECOND, Expr::Local(0))],
            5 => vec![self.allocation()],
            _ => {
                let wake = Stmt::Sync(Sync::Signal);
                vec![Stmt::Lock(LOCK), wake, Stmt::Unlock(LOCK)]
            }
        }
    }

    /// What goes together on one way only, with a lock or without, before others run and beside.
    fn one_sided(&mut self) -> Parts {
        let (old, new) = (self.rng.u8(0..3), self.small());
        let change = match self.rng.u32(0..3) {
            0 => [self.change(&FIRST, new, old), self.change(&SECOND, new, old)].concat(),
            1 => self.change(&SECOND, new, old),
            _ => self.change(&FIRST, new, old),
        };
        let other = self.within(LOCK, change, 60);
        let (then, otherwise) = (self.tie(), if self.chance(40) { self.tie() } else { vec![] });
        let condition = match self.rng.u32(0..3) {
            0 => load(SEEN),
            1 => Expr::Local(1),
            _ => coin(),
        };
        let branch = Stmt::If(condition, then, otherwise);
        let (op, value) = (self.op(), self.rng.u8(0..4));
        let look = vec![
            Stmt::SetLocal(0, load(FIRST)),
            Stmt::SetLocal(1, load(SECOND)),
            Stmt::Assign(SEEN, Expr::Local(0)),
            Stmt::Assign(SEEN, Expr::Local(1)),
            Stmt::Assert(binary(op, Expr::Local(0), Expr::Local(1))),
        ];
        let compare = Stmt::Assert(binary(op, load(FIRST), load(SECOND)));
        let mut beside = match self.rng.u32(0..4) {
            // The lock on one way only.
            0 => {
                let taken = only_if(Expr::Local(1), vec![Stmt::Lock(LOCK)]);
                let given = only_if(Expr::Local(1), vec![Stmt::Unlock(LOCK)]);
                [vec![Stmt::SetLocal(1, coin()), taken, branch], vec![compare.clone(), given]]
                    .concat()
            }
            1 => self.within(LOCK, [vec![branch], look.clone()].concat(), 100),
            2 => [self.within(LOCK, vec![branch], 100), look.clone()].concat(),
            _ => [vec![branch], look.clone()].concat(),
        };
        if self.chance(30) {
            beside.push(is(FIRST, op, value));
        }
        let mut before = if self.chance(60) { vec![set(FIRST, old)] } else { Vec::new() };
        if self.chance(40) {
            before.extend([Stmt::SetLocal(0, load(FIRST)), Stmt::Assign(SECOND, Expr::Local(0))]);
        }
        Parts { before, beside, other, after: vec![compare] }
    }

    /// A variable of a thread's own that others get at, also when the thread has ended.
    fn own(&mut self) -> Parts {
        let (one, other) = (self.small(), self.small());
        let mut theirs =
            vec![set(Place::ThreadLocal, one), Stmt::SetPointer(0, Target::ThreadLocal)];
        if self.chance(50) {
            theirs.push(set(Place::ThreadLocal, other));
        }
        theirs.push(Stmt::SetLocal(0, load(Place::ThreadLocal)));
        theirs.push(Stmt::Assign(SEEN, Expr::Local(0)));
        let op = self.op();
        let look =
            vec![Stmt::SetLocal(0, load(Place::Deref(0))), Stmt::Assign(SEEN, Expr::Local(0))];
        let write = vec![set(Place::Deref(0), other)];
        let beside = match self.rng.u32(0..3) {
            0 => look.clone(),
            1 => write,
            _ => Vec::new(),
        };
        let mut after = if self.chance(60) { look } else { Vec::new() };
        after.push(is(SEEN, op, one));
        Parts { beside, other: theirs, after, ..Parts::default() }
    }

    /// Elements of an array, of which it is not known which one is written.
    fn elements(&mut self) -> Parts {
        let element = |index: Expr| Place::Element { index: Box::new(index), masked: true };
        let (one, other) = (self.small(), self.small());
        let at = Expr::Const(self.rng.u8(0..2));
        let index = if self.chance(60) { Expr::Local(1) } else { load(SECOND) };
        let mut beside = vec![Stmt::SetLocal(1, coin())];
        if self.chance(50) {
            beside = vec![Stmt::SetLocal(1, load(SECOND))];
        }
        beside.push(set(element(at.clone()), one));
        beside.push(set(element(index.clone()), other));
        if self.chance(30) {
            beside.swap(1, 2);
        }
        let (op, place) = (self.op(), element(at));
        beside.extend([
            Stmt::SetLocal(0, load(place.clone())),
            Stmt::Assign(SEEN, Expr::Local(0)),
            is(place, op, one),
        ]);
        let theirs = match self.chance(40) {
            true => self.change(&element(load(FIRST)), one, other),
            false => vec![set(SECOND, 1)],
        };
        let beside = self.within(LOCK, beside, 40);
        let theirs = self.within(LOCK, theirs, 40);
        Parts {
            beside,
            other: theirs,
            after: vec![is(element(index), op, one)],
            ..Parts::default()
        }
    }
}
