//! Loops whose turns leave nothing behind, or nearly, and threads that end their waits.

use super::{Generator, binary};
use crate::ast::{Expr, Operator, Order, Place, Rmw, Stmt, Test, Thread, Turn, Turns};

impl Generator {
    pub(super) fn turns_test(&mut self, seed: u64) -> Test {
        let workers = self.rng.usize(1..=3);
        let most = if workers == 3 { 1 } else { 2 };
        let mut threads = vec![Thread::default()];
        for thread in 1..=workers {
            self.thread = thread;
            let body = self.turning(most);
            threads.push(Thread { body, returns_local: false, vague: false });
        }
        if workers > 1 && self.chance(40) {
            threads[2] = threads[1].clone();
        }
        self.thread = 0;
        let mut body: Vec<Stmt> = (1..=workers).map(|thread| Stmt::Create(thread as u8)).collect();
        if self.chance(40) {
            body.extend(self.turning(1));
        }
        let joined = if self.chance(85) { workers } else { self.rng.usize(0..workers) };
        body.extend((1..=joined).map(|thread| Stmt::Join(thread as u8, false)));
        if self.chance(50) {
            body.push(self.judgement());
        }
        threads[0].body = body;
        let (global_handles, null_pointers) = (false, false);
        Test { seed, threads, semaphore: 1, barrier: 2, global_handles, null_pointers }
    }

    fn turning(&mut self, most: u32) -> Vec<Stmt> {
        let mut body = Vec::new();
        for _ in 0..self.rng.u32(1..=most) {
            if self.chance(35) {
                body.push(self.deed());
            }
            if self.chance(75) {
                let way = Turn::ALL[self.rng.usize(0..Turn::ALL.len())];
                let (scalar, expected) = (self.rng.u8(0..2), self.rng.u8(0..2));
                let new = if self.chance(80) { 1 - expected } else { self.rng.u8(0..3) };
                body.push(Stmt::Turns(Turns { way, scalar, expected, new }));
            }
            if self.chance(50) {
                body.push(self.judgement());
            }
            if self.chance(60) {
                body.push(self.deed());
            }
        }
        body
    }

    fn deed(&mut self) -> Stmt {
        let place = Place::Scalar(self.rng.u8(0..3));
        let value = Expr::Const(self.rng.u8(0..3));
        match self.rng.u32(0..10) {
            0 => {
                let more = binary(Operator::Add, Expr::Load(place.clone()), Expr::Const(1));
                Stmt::Assign(place, more)
            }
            1..3 => {
                let op = if self.chance(60) { Rmw::Exchange } else { Rmw::Or };
                Stmt::SetLocal(0, Expr::Rmw(op, place, Box::new(value), Order::SeqCst))
            }
            3..6 => Stmt::Store(place, value, Order::SeqCst),
            _ => Stmt::Assign(place, value),
        }
    }

    fn judgement(&mut self) -> Stmt {
        let seen = match self.chance(30) {
            true => Expr::Local(self.rng.u8(0..2)),
            false => Expr::Load(Place::Scalar(self.rng.u8(0..3))),
        };
        let op = if self.chance(60) { Operator::Ne } else { Operator::Eq };
        Stmt::Assert(binary(op, seen, Expr::Const(self.rng.u8(0..3))))
    }
}
