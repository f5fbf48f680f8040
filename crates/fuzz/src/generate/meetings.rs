//! Barriers with more threads than they are for, some of which leave early or meet twice.

use super::{Generator, binary};
use crate::ast::{Expr, Object, Operator, Place, Stmt, Sync, Test, Thread};

impl Generator {
    pub(super) fn meetings_test(&mut self, seed: u64) -> Test {
        let workers = self.rng.usize(1..=3);
        let mut threads = vec![Thread::default()];
        for thread in 1..=workers {
            self.thread = thread;
            let body = self.meeting(if workers == 3 { 1 } else { 2 });
            threads.push(Thread { body, returns_local: false, vague: false });
        }
        if workers > 1 && self.chance(30) {
            threads[2] = threads[1].clone();
        }
        self.thread = 0;
        let mut body: Vec<Stmt> = (1..=workers).map(|thread| Stmt::Create(thread as u8)).collect();
        if self.chance(45) {
            body.extend(self.meeting(2));
        }
        let early = self.chance(50);
        let end = self.chance(15).then_some(Stmt::Sync(Sync::Destroy(Object::Barrier)));
        if early {
            body.extend(end.clone());
        }
        let joined = if self.chance(85) { workers } else { self.rng.usize(0..workers) };
        body.extend((1..=joined).map(|thread| Stmt::Join(thread as u8, false)));
        if !early {
            body.extend(end);
        }
        if self.chance(40) {
            body.push(self.remark());
        }
        threads[0].body = body;
        let barrier = match self.rng.u32(0..10) {
            0 => 1,
            1..7 => 2,
            7..9 => 3,
            _ => 4,
        };
        let (global_handles, null_pointers) = (false, false);
        Test { seed, threads, semaphore: 1, barrier, global_handles, null_pointers }
    }

    fn meeting(&mut self, most: u32) -> Vec<Stmt> {
        let mut body = Vec::new();
        for _ in 0..self.rng.u32(1..=most) {
            if self.chance(55) {
                body.push(self.note());
            }
            if self.chance(15) {
                let seen = Expr::Load(Place::Scalar(self.rng.u8(0..2)));
                body.push(Stmt::If(seen, vec![Stmt::Return], Vec::new()));
            }
            let meet = match self.rng.u32(0..100) {
                0..70 => Stmt::Sync(Sync::Meet),
                70..80 => Stmt::If(Expr::Meet, vec![self.note()], Vec::new()),
                80..86 => Stmt::SetLocal(0, Expr::Meet),
                86..92 => Stmt::Eval(Expr::Meet),
                92..96 => Stmt::Call(vec![Stmt::Sync(Sync::Meet)]),
                _ => {
                    let seen = Expr::Load(Place::Scalar(1));
                    Stmt::If(seen, vec![Stmt::Sync(Sync::Meet)], Vec::new())
                }
            };
            body.push(meet);
            if self.chance(50) {
                body.push(self.remark());
            }
        }
        body
    }

    fn note(&mut self) -> Stmt {
        let place = Place::Scalar(self.rng.u8(0..2));
        match self.rng.u32(0..3) {
            0 => {
                let more = binary(Operator::Add, Expr::Load(place.clone()), Expr::Const(1));
                Stmt::Assign(place, more)
            }
            _ => Stmt::Assign(place, Expr::Const(self.rng.u8(1..3))),
        }
    }

    fn remark(&mut self) -> Stmt {
        let seen = Expr::Load(Place::Scalar(self.rng.u8(0..2)));
        let value = Expr::Const(self.rng.u8(0..3));
        let op = if self.chance(60) { Operator::Ne } else { Operator::Eq };
        match self.chance(80) {
            true => Stmt::Assert(binary(op, seen, value)),
            false => Stmt::SetLocal(0, seen),
        }
    }
}
