//! Idioms of programs that are looked at twice (see `crate::twice`): waits of which some are
//! taken for ones that check again, and branches for allocations that fail.

use super::{Generator, binary};
use crate::ast::{Asks, Expr, Mutex, Operator, Place, Stmt, Sync};

const MUTEX: Mutex = Mutex::Normal(0);

impl Generator {
    /// One side of a condition variable: mostly in the way in which it is done, with one
    /// thing more that may make it another one.
    pub(super) fn recheck(&mut self, into: &mut Vec<Stmt>) {
        self.allowance -= 2;
        match self.first_side() {
            true => self.raise(into),
            false => self.await_raised(into),
        }
    }

    fn raise(&mut self, into: &mut Vec<Stmt>) {
        let set = Stmt::Assign(Place::Scalar(0), Expr::Const(1));
        let wake = Stmt::Sync(if self.chance(50) { Sync::Signal } else { Sync::Broadcast });
        match self.rng.u32(0..10) {
            0..6 => into.extend([Stmt::Lock(MUTEX), set, wake, Stmt::Unlock(MUTEX)]),
            6..8 => into.extend([Stmt::Lock(MUTEX), set, Stmt::Unlock(MUTEX), wake]),
            8 => into.extend([set, wake]),
            _ => into.push(wake),
        }
    }

    fn await_raised(&mut self, into: &mut Vec<Stmt>) {
        let local = self.rng.u8(0..2);
        // Looks at memory, or at what was read of it before.
        let noted = self.chance(25);
        let look = Expr::Load(Place::Scalar(0));
        let absent = match noted {
            true => Expr::Not(Box::new(Expr::Local(local))),
            false => Expr::Not(Box::new(look.clone())),
        };
        let mut before = if self.chance(35) { vec![self.aside()] } else { Vec::new() };
        if noted {
            before.push(Stmt::SetLocal(local, look.clone()));
        }
        let mut turn = vec![Stmt::CondWait { timed: false }];
        if self.chance(25) {
            turn = vec![Stmt::Call(turn)];
        }
        if self.chance(25) {
            let aside = self.aside();
            turn.insert(if self.chance(50) { 0 } else { turn.len() }, aside);
        }
        if noted && self.chance(80) {
            turn.push(Stmt::SetLocal(local, look));
        }
        let waits = match self.rng.u32(0..10) {
            0..6 => Stmt::Wait(absent, turn),
            6..8 => Stmt::If(absent, turn, Vec::new()),
            8 => Stmt::If(absent.clone(), vec![Stmt::Wait(absent, turn)], Vec::new()),
            _ => Stmt::Wait(absent, vec![Stmt::If(self.condition(), turn, Vec::new())]),
        };
        let waits = if self.chance(30) { Stmt::Call(vec![waits]) } else { waits };
        let mut body = vec![Stmt::Lock(MUTEX)];
        body.extend(before);
        body.push(waits);
        if self.chance(60) {
            let claim = binary(Operator::Ne, Expr::Load(Place::Scalar(1)), Expr::Const(2));
            body.push(Stmt::Assert(claim));
        }
        body.push(Stmt::Unlock(MUTEX));
        match self.chance(25) {
            true => into.push(Stmt::Call(body)),
            false => into.extend(body),
        }
    }

    /// Something that may be noticed.
    fn aside(&mut self) -> Stmt {
        self.allowance -= 1;
        let other = Place::Scalar(1);
        match self.rng.u32(0..6) {
            0 => Stmt::SetLocal(self.rng.u8(0..2), Expr::Load(other)),
            1 => Stmt::SetLocal(self.rng.u8(0..2), Expr::Const(1)),
            2 => Stmt::Assign(other, Expr::Const(self.rng.u8(1..3))),
            3 => {
                let more = binary(Operator::Add, Expr::Load(other.clone()), Expr::Const(1));
                Stmt::Assign(other, more)
            }
            4 => Stmt::Eval(Expr::TryLock(Mutex::Normal(1))),
            _ => Stmt::Assert(binary(Operator::Ne, Expr::Load(other), Expr::Const(1))),
        }
    }

    /// A block, and what is done without one: mostly nothing that matters.
    pub(super) fn failing(&mut self, into: &mut Vec<Stmt>) {
        self.allowance -= 2;
        let asks = match self.rng.u32(0..6) {
            0..3 => Asks::Not,
            3 => Asks::Equal,
            4 => Asks::Noted,
            _ => Asks::Helper,
        };
        // One branch that matters hides what is found of the others.
        let mut failed = if self.chance(10) { vec![self.complaint()] } else { Vec::new() };
        if self.chance(60) {
            failed.push(Stmt::Say);
        }
        match self.rng.u32(0..40) {
            0 => failed.push(Stmt::If(self.condition(), vec![Stmt::ExitProcess], Vec::new())),
            1 => failed.push(Stmt::Return),
            2 => failed.push(Stmt::Exit),
            3..6 => {}
            6..12 => failed.push(Stmt::Call(vec![Stmt::Say, Stmt::ExitProcess])),
            _ => failed.push(Stmt::ExitProcess),
        }
        if self.chance(20) {
            failed = vec![Stmt::Call(failed)];
        }
        let goes_on = self.chance(60);
        into.push(Stmt::AllocateOr { value: self.rng.u8(0..3), failed, asks, goes_on });
        if self.chance(30) {
            let claim = binary(Operator::Ne, Expr::Load(Place::Scalar(0)), Expr::Const(3));
            into.push(Stmt::Assert(claim));
        }
    }

    fn complaint(&mut self) -> Stmt {
        match self.rng.u32(0..3) {
            0 => Stmt::Assign(Place::Scalar(0), Expr::Const(3)),
            1 => Stmt::SetLocal(0, Expr::Const(1)),
            _ => Stmt::Lock(MUTEX),
        }
    }
}
