//! Idioms that random statements hardly ever make up: one side of something that two
//! threads do. Each is one of which a search that leaves out steps could miss an error.

use super::{Generator, binary};
use crate::ast::{Expr, Mutex, Operator, Order, Place, Rmw, Stmt};
use crate::feature::Feature;

/// A value that is there for a moment, and that nobody should see.
const BRIEF: u8 = 3;

impl Generator {
    /// Appends one side of an idiom, if the program has any; false: it has none.
    pub(super) fn idiom(&mut self, into: &mut Vec<Stmt>) -> bool {
        let idioms = [
            (Feature::Scratch, Generator::scratch as fn(&mut Generator, &mut Vec<Stmt>)),
            (Feature::Choices, Generator::choice),
            (Feature::Glimpses, Generator::glimpse),
            (Feature::Strays, Generator::stray),
            (Feature::Attempts, Generator::attempt),
            (Feature::Handlers, Generator::handler),
            (Feature::Detours, Generator::detour),
            (Feature::Texts, Generator::text),
            (Feature::Padded, Generator::padded),
            (Feature::Partly, Generator::partly),
            (Feature::Helpers, Generator::helper),
            (Feature::Scopes, Generator::scope),
            (Feature::Recycled, Generator::recycle),
            (Feature::Drawn, Generator::draw),
            (Feature::Rechecks, Generator::recheck),
            (Feature::Failing, Generator::failing),
        ];
        let usable: Vec<_> = idioms.into_iter().filter(|idiom| self.has(idiom.0)).collect();
        if usable.is_empty() || self.section || !self.chance(60) {
            return false;
        }
        let (_, idiom) = usable[self.rng.usize(0..usable.len())];
        idiom(self, into);
        true
    }

    /// Something is written down that hardly anybody reads.
    fn scratch(&mut self, into: &mut Vec<Stmt>) {
        self.allowance -= 1;
        into.push(match self.rng.u32(0..10) {
            0..5 => Stmt::Assign(Place::Scratch, self.value()),
            5..9 => {
                let old = Expr::Load(Place::Scratch);
                Stmt::Assign(Place::Scratch, binary(Operator::Add, old, Expr::Const(1)))
            }
            _ => {
                let seen = Expr::Load(Place::Scratch);
                Stmt::Assert(binary(Operator::Ne, seen, Expr::Const(2)))
            }
        });
    }

    /// A local is set or not, and that decides; the branch does nothing else that counts.
    fn choice(&mut self, into: &mut Vec<Stmt>) {
        let (local, value) = (self.rng.u8(0..2), self.rng.u8(1..3));
        let condition = self.condition();
        self.allowance -= 1;
        let note = |value| Stmt::Assign(Place::Scratch, Expr::Const(value));
        let then = vec![Stmt::SetLocal(local, Expr::Const(value)), note(1)];
        let other = match self.chance(30) {
            true => vec![note(2), Stmt::SetLocal(local, Expr::Const(0))],
            false => Vec::new(),
        };
        into.push(Stmt::If(condition, then, other));
        into.push(match self.chance(60) {
            true => Stmt::Assert(binary(Operator::Ne, Expr::Local(local), Expr::Const(value))),
            false => Stmt::Assign(self.scalar(), Expr::Local(local)),
        });
    }

    /// Which of two sides the thread is on: mostly the same one, so that both are there.
    pub(super) fn first_side(&mut self) -> bool {
        (self.thread % 2 == 1) != self.chance(25)
    }

    /// A value is overwritten at once, or somebody looks whether it shows.
    fn glimpse(&mut self, into: &mut Vec<Stmt>) {
        let place = self.scalar();
        self.allowance -= 2;
        if self.first_side() {
            into.push(Stmt::Assign(place.clone(), Expr::Const(BRIEF)));
            if self.chance(30) {
                let other = self.scalar();
                into.push(Stmt::Assign(other, Expr::Const(1)));
            }
            return into.push(Stmt::Assign(place, Expr::Const(self.rng.u8(0..2))));
        }
        let unseen = |seen| Stmt::Assert(binary(Operator::Ne, seen, Expr::Const(BRIEF)));
        let order = Order::SeqCst;
        let claim = match self.rng.u32(0..5) {
            0 => {
                let kept = Box::new(Expr::Const(self.rng.u8(0..2)));
                unseen(Expr::Rmw(Rmw::Exchange, place, kept, order))
            }
            1 => {
                let (expected, old, weak) = (BRIEF, false, false);
                let cas = Expr::Cas { place, expected, new: 1, old, weak, order };
                Stmt::Assert(Expr::Not(Box::new(cas)))
            }
            2 => {
                let local = self.rng.u8(0..2);
                into.push(Stmt::SetLocal(local, Expr::Load(place)));
                unseen(Expr::Local(local))
            }
            _ => unseen(Expr::Load(place)),
        };
        into.push(claim);
    }

    /// An index that leads from one array into the next one, or somebody who looks there.
    fn stray(&mut self, into: &mut Vec<Stmt>) {
        let index = Place::Scalar(self.rng.u8(0..2));
        let at = u8::from(self.chance(20));
        let after = Place::After(at);
        let within = Place::Member { index: Box::new(Expr::Load(index.clone())) };
        self.allowance -= 2;
        let (written, read) = match self.chance(75) {
            true => (within, after),
            false => (after, within),
        };
        if self.first_side() {
            if self.chance(60) {
                into.push(Stmt::Assign(index, Expr::Const(2 + at)));
            }
            return into.push(Stmt::Assign(written, Expr::Const(1)));
        }
        let op = if self.chance(50) { Operator::Eq } else { Operator::Ne };
        into.push(Stmt::Assert(binary(op, Expr::Load(read), Expr::Const(1))));
    }

    /// Somebody has a mutex, or tries to get it and says so if that fails. Whoever got it
    /// may keep it.
    fn attempt(&mut self, into: &mut Vec<Stmt>) {
        let mutex = Mutex::Normal(u8::from(self.chance(20)));
        self.allowance -= 2;
        if self.first_side() {
            let inside = Stmt::Assign(self.scalar(), Expr::Const(1));
            return into.extend([Stmt::Lock(mutex), inside, Stmt::Unlock(mutex)]);
        }
        let then = if self.chance(30) { vec![Stmt::Unlock(mutex)] } else { Vec::new() };
        let other = vec![Stmt::Assert(Expr::Const(0))];
        into.push(Stmt::If(Expr::TryLock(mutex), then, other));
    }

    /// A pointer to a function is set, or what it points to is called.
    fn handler(&mut self, into: &mut Vec<Stmt>) {
        self.allowance -= 2;
        into.push(match self.chance(50) {
            true => Stmt::SetHandler(self.rng.u8(0..2)),
            false => Stmt::CallHandler,
        });
    }

    /// A value, or what depends on one, goes through a call.
    fn detour(&mut self, into: &mut Vec<Stmt>) {
        self.allowance -= 2;
        let (place, value) = (self.scalar(), self.rng.u8(1..3));
        let fetch = Stmt::SetLocal(0, Expr::Load(place));
        let check = match self.chance(60) {
            true => Stmt::Assert(binary(Operator::Ne, Expr::Local(0), Expr::Const(value))),
            false => Stmt::Assign(self.scalar(), Expr::Local(0)),
        };
        match self.rng.u32(0..3) {
            0 => into.extend([Stmt::Call(vec![fetch]), check]),
            1 => into.extend([fetch, Stmt::Call(vec![check])]),
            _ => {
                let called = match self.chance(50) {
                    true => Stmt::Assert(Expr::Const(0)),
                    false => Stmt::Assign(self.scalar(), Expr::Const(value)),
                };
                let condition = self.condition();
                into.push(Stmt::If(condition, vec![Stmt::Call(vec![called])], Vec::new()));
            }
        }
    }
}
