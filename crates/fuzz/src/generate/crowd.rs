//! Programs with several instances of a thread, handles that are not known, and functions that
//! lock: what an analysis that puts threads together by where they are created could mistake.

use super::{Generator, binary};
use crate::ast::{Crowd, Expr, Keeper, Mutex, Operator, Place, SLOTS, Slots, Stmt, Test, Thread};
use crate::feature::Feature;

impl Generator {
    pub(super) fn crowd_test(&mut self, seed: u64) -> Test {
        let workers = if self.chance(45) { 2 } else { 1 };
        let mut threads = vec![Thread::default()];
        for thread in 1..=workers {
            self.thread = thread;
            self.allowance = self.rng.i32(1..=if workers == 1 { 3 } else { 2 });
            let body = self.crowd_body(3);
            threads.push(Thread { body, returns_local: self.chance(10), vague: false });
        }
        // A thread that creates: what it leaves behind runs beside whoever joins it.
        let nested = workers == 2 && self.has(Feature::Nested);
        if nested {
            let inner = self.creation(2);
            let ending = self.ending(inner);
            let body = &mut threads[1].body;
            let at = self.rng.usize(0..=body.len());
            body.insert(at, Stmt::Crowd(inner));
            body.extend(ending);
        }
        let first = if nested { 1 } else { workers };
        threads[0].body = self.crowd_main(first);
        Test {
            seed,
            threads,
            semaphore: 1,
            barrier: 1,
            global_handles: self.chance(40),
            null_pointers: self.chance(4),
        }
    }

    fn crowd_main(&mut self, workers: usize) -> Vec<Stmt> {
        self.thread = 0;
        self.allowance = 1;
        let mut body = if self.chance(40) { self.crowd_body(1) } else { Vec::new() };
        if self.has(Feature::Heap) {
            body.push(self.allocation());
        }
        let mut endings = Vec::new();
        for thread in 1..=workers {
            let crowd = self.creation(thread as u8);
            let creation = Stmt::Crowd(crowd);
            body.push(match self.chance(12) {
                true => Stmt::If(self.condition(), vec![creation], Vec::new()),
                false => creation,
            });
            self.allowance = 1;
            if self.chance(40) {
                body.extend(self.crowd_body(1));
            }
            endings.push(self.ending(crowd));
        }
        for ending in endings {
            body.extend(ending);
            self.allowance = 1;
            if self.chance(30) {
                body.extend(self.crowd_body(1));
            }
        }
        self.allowance = 2;
        for _ in 0..self.rng.u32(0..=2) {
            let claim = self.claim();
            body.push(Stmt::Assert(claim));
        }
        body
    }

    fn creation(&mut self, thread: u8) -> Crowd {
        let count = if self.chance(75) { 2 } else { self.rng.u8(1..4) };
        match self.rng.u32(0..100) {
            0..45 => Crowd::Create { thread, count, slots: Slots::Own },
            45..60 => Crowd::Create { thread, count, slots: Slots::Same },
            60..70 => {
                let from = self.rng.u8(0..=SLOTS - count);
                Crowd::Create { thread, count, slots: Slots::From(from) }
            }
            70..82 => Crowd::InTurn { thread, count },
            _ => Crowd::Start(thread),
        }
    }

    /// How threads are waited for, if they are.
    fn ending(&mut self, creation: Crowd) -> Vec<Stmt> {
        let mut all = Vec::new();
        let count = match creation {
            Crowd::Start(thread) => {
                for _ in 0..[1, 1, 1, 0, 2][self.rng.usize(0..5)] {
                    all.push(Stmt::Crowd(Crowd::Finish(thread)));
                }
                return all;
            }
            Crowd::Create { count, .. } => count,
            _ => 1,
        };
        let join = match self.rng.u32(0..100) {
            0..45 => Crowd::Join { count },
            45..60 => Crowd::Join { count: self.rng.u8(1..=count) },
            60..80 => Crowd::JoinAt(self.rng.u8(0..count)),
            80..85 => Crowd::JoinAt(self.rng.u8(0..SLOTS)),
            _ => return all,
        };
        all.push(Stmt::Crowd(join));
        if self.chance(8) {
            all.push(Stmt::Crowd(Crowd::JoinAt(self.rng.u8(0..count))));
        }
        all
    }

    fn crowd_body(&mut self, most: u32) -> Vec<Stmt> {
        let mut body = Vec::new();
        for _ in 0..self.rng.u32(1..=most) {
            match self.has(Feature::Keepers) && self.chance(45) {
                true => self.kept(&mut body),
                false => self.statement(&mut body),
            }
        }
        body
    }

    /// Something under a lock that a function takes.
    fn kept(&mut self, into: &mut Vec<Stmt>) {
        self.allowance -= 2;
        let mutex = Mutex::Normal(u8::from(self.chance(20)));
        let place = self.scalar();
        if self.chance(50) {
            into.push(Stmt::Keeper(Keeper::Bump(mutex, place, self.rng.u8(1..3))));
            if self.chance(40) {
                let seen = Expr::Const(self.rng.u8(1..4));
                into.push(Stmt::Assert(binary(Operator::Lt, Expr::Local(0), seen)));
            }
            return;
        }
        let inside = match self.rng.u32(0..3) {
            0 => Stmt::Assign(place, Expr::Const(self.rng.u8(1..4))),
            1 => {
                let seen = Expr::Load(place);
                Stmt::Assert(binary(Operator::Lt, seen, Expr::Const(self.rng.u8(1..4))))
            }
            _ => {
                let more = binary(Operator::Add, Expr::Load(place.clone()), Expr::Const(1));
                Stmt::Assign(place, more)
            }
        };
        into.push(Stmt::Keeper(Keeper::Take(mutex)));
        if self.chance(30) {
            // A value that nobody should see.
            into.push(Stmt::Assign(Place::Scalar(0), Expr::Const(3)));
        }
        into.push(inside);
        into.push(Stmt::Keeper(Keeper::Give(mutex)));
    }
}
