//! Random expressions and places.

use super::{Generator, binary};
use crate::ast::{Expr, Input, Mutex, Operator, Order, Place, Rmw, Try};
use crate::feature::Feature;

impl Generator {
    /// Something to read or write; costs a visible step or two.
    pub(super) fn place(&mut self) -> Place {
        self.allowance -= 1;
        if self.has(Feature::Dense) && self.chance(85) {
            return Place::Scalar(0);
        }
        let mut kinds: Vec<u8> = vec![0, 0, 0];
        kinds.extend(self.has(Feature::Arrays).then_some([1, 1]).into_iter().flatten());
        kinds.extend(self.has(Feature::Pointers).then_some([2, 2]).into_iter().flatten());
        kinds.extend(self.has(Feature::Heap).then_some([3, 3]).into_iter().flatten());
        kinds.extend(self.has(Feature::Widths).then_some([4, 4, 5, 5]).into_iter().flatten());
        kinds.extend(self.has(Feature::Escape).then_some([2, 6, 6, 7, 8]).into_iter().flatten());
        kinds.extend(self.has(Feature::Hidden).then_some([10]).into_iter().flatten());
        kinds.extend(self.has(Feature::C11).then_some([9, 9]).into_iter().flatten());
        kinds.extend(self.has(Feature::Members).then_some([11, 11, 12]).into_iter().flatten());
        kinds.extend(self.has(Feature::Tags).then_some([13, 13]).into_iter().flatten());
        match kinds[self.rng.usize(0..kinds.len())] {
            1 => self.element(),
            2 => {
                self.allowance -= 1;
                Place::Deref(self.rng.u8(0..2))
            }
            3 => {
                self.allowance -= 1;
                match self.has(Feature::Blocks) && self.chance(30) {
                    true => Place::HeapFar,
                    false => Place::Heap,
                }
            }
            4 => Place::Part { bytes: 1 << self.rng.u8(0..4), index: self.rng.u8(0..8) },
            5 => Place::Piece {
                scalar: self.rng.u8(0..2),
                bytes: 1 << self.rng.u8(0..2),
                index: self.rng.u8(0..4),
            },
            6 => Place::Mine,
            7 => Place::Argument,
            8 => Place::ThreadLocal,
            9 => Place::Atomic,
            10 => {
                self.allowance -= 1;
                Place::Hidden
            }
            11 => Place::Member { index: Box::new(self.index(4)) },
            12 => Place::After(self.rng.u8(0..2)),
            13 => {
                self.allowance -= 1;
                Place::Tagged
            }
            _ => self.scalar(),
        }
    }

    fn element(&mut self) -> Place {
        let masked = !(self.has(Feature::Overflow) && self.chance(50));
        let index = self.index(if masked { 2 } else { 4 });
        Place::Element { index: Box::new(index), masked }
    }

    /// An index, below `count` if it is known.
    fn index(&mut self, count: u8) -> Expr {
        match self.rng.u32(0..10) {
            0..5 => Expr::Const(self.rng.u8(0..count)),
            5..7 => Expr::Local(self.rng.u8(0..2)),
            _ => {
                self.allowance -= 1;
                Expr::Load(self.scalar())
            }
        }
    }

    pub(super) fn mutex(&mut self) -> Mutex {
        if self.has(Feature::Recursive) && self.chance(50) {
            return if self.chance(75) { Mutex::Recursive } else { Mutex::ErrorChecking };
        }
        Mutex::Normal(self.rng.u8(0..2))
    }

    /// An operation that reads and perhaps writes in one step, if there is one.
    fn atomic_operation(&mut self) -> Option<Expr> {
        let mut kinds = Vec::new();
        kinds.extend(self.has(Feature::Cas).then_some(0));
        kinds.extend(self.has(Feature::Rmw).then_some(1));
        kinds.extend((self.has(Feature::Trylock) && !self.section).then_some(2));
        kinds.extend((self.has(Feature::Inputs) && !self.section).then_some(3));
        let attempts = self.attempts();
        kinds.extend((!attempts.is_empty() && !self.section).then_some(4));
        if kinds.is_empty() {
            return None;
        }
        Some(match kinds[self.rng.usize(0..kinds.len())] {
            0 => Expr::Cas {
                place: self.place(),
                expected: self.rng.u8(0..2),
                new: self.rng.u8(0..3),
                old: self.chance(20),
                weak: self.has(Feature::Orders) && self.chance(40),
                order: self.order(),
            },
            1 => {
                let op = match self.rng.u32(0..4) {
                    0..2 => Rmw::Add,
                    2 => Rmw::Or,
                    _ => Rmw::Exchange,
                };
                let operand = match self.chance(80) {
                    true => Expr::Const(self.rng.u8(0..3)),
                    false => Expr::Local(self.rng.u8(0..2)),
                };
                Expr::Rmw(op, self.place(), Box::new(operand), self.order())
            }
            2 => {
                self.allowance -= 1;
                Expr::TryLock(self.mutex())
            }
            3 => Expr::Input(match self.rng.u32(0..10) {
                0 => Input::Masked,
                1 => Input::Assumed,
                _ => Input::Bool,
            }),
            _ => {
                self.allowance -= 1;
                Expr::Try(attempts[self.rng.usize(0..attempts.len())])
            }
        })
    }

    fn attempts(&self) -> Vec<Try> {
        let mut all = Vec::new();
        if self.has(Feature::Semaphores) {
            all.extend([Try::Semaphore, Try::TimedSemaphore]);
        }
        if self.has(Feature::RwLocks) {
            all.extend([Try::ReadLock, Try::WriteLock]);
        }
        if self.has(Feature::Spins) {
            all.push(Try::Spin);
        }
        all
    }

    /// A memory order for an operation that reads and writes.
    pub(super) fn order(&mut self) -> Order {
        let orders = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];
        match self.has(Feature::Orders) && self.chance(75) {
            true => orders[self.rng.usize(0..orders.len())],
            false => Order::SeqCst,
        }
    }

    /// Reads a place, perhaps with a memory order.
    pub(super) fn load(&mut self, place: Place) -> Expr {
        if !(self.has(Feature::Orders) && self.chance(50)) {
            return Expr::Load(place);
        }
        let orders = [Order::Relaxed, Order::Acquire, Order::SeqCst];
        Expr::AtomicLoad(place, orders[self.rng.usize(0..orders.len())])
    }

    pub(super) fn value(&mut self) -> Expr {
        if self.allowance <= 0 {
            return match self.chance(50) {
                true => Expr::Const(self.rng.u8(0..3)),
                false => Expr::Local(self.rng.u8(0..2)),
            };
        }
        match self.rng.u32(0..100) {
            0..35 => Expr::Const(self.rng.u8(0..3)),
            35..45 => Expr::Local(self.rng.u8(0..2)),
            45..65 => self.read(),
            65..80 => {
                let first = self.read();
                let second = match self.chance(70) {
                    true => Expr::Const(self.rng.u8(1..3)),
                    false => self.read(),
                };
                let op = if self.chance(80) { Operator::Add } else { Operator::Sub };
                binary(op, first, second)
            }
            80..88 if self.has(Feature::Division) => {
                let divisor = self.read();
                let op = if self.chance(50) { Operator::Div } else { Operator::Rem };
                binary(op, Expr::Const(self.rng.u8(1..5)), divisor)
            }
            _ => match self.atomic_operation() {
                Some(operation) => operation,
                None => self.read(),
            },
        }
    }

    pub(super) fn condition(&mut self) -> Expr {
        if self.has(Feature::Selves) && self.chance(40) {
            self.allowance -= 1;
            return Expr::IsSelf;
        }
        if self.chance(40)
            && self.allowance > 0
            && let Some(operation) = self.atomic_operation()
        {
            return operation;
        }
        let read = self.read();
        match self.rng.u32(0..10) {
            0..4 => read,
            4..6 => Expr::Not(Box::new(read)),
            6..9 => binary(Operator::Eq, read, Expr::Const(self.rng.u8(0..3))),
            _ => {
                let other = self.read();
                binary(Operator::Lt, read, other)
            }
        }
    }

    /// What a waiting loop waits for to become false.
    pub(super) fn waiting(&mut self) -> Expr {
        // Waiting takes more than one visit.
        self.allowance -= 1;
        let place = self.place();
        match self.rng.u32(0..10) {
            0..2 if self.has(Feature::Cas) => {
                let (expected, order) = (self.rng.u8(0..2), self.order());
                let weak = self.has(Feature::Orders) && self.chance(40);
                let cas = Expr::Cas { place, expected, new: 1, old: false, weak, order };
                Expr::Not(Box::new(cas))
            }
            2..4 if self.has(Feature::Rmw) => {
                Expr::Rmw(Rmw::Exchange, place, Box::new(Expr::Const(1)), self.order())
            }
            4 if self.has(Feature::Rmw) => {
                let seen = Expr::Rmw(Rmw::Add, place, Box::new(Expr::Const(0)), self.order());
                binary(Operator::Eq, seen, Expr::Const(0))
            }
            5 if self.has(Feature::Trylock) => Expr::Not(Box::new(Expr::TryLock(self.mutex()))),
            6 => {
                let other = Expr::Load(self.place());
                let first = binary(Operator::Eq, Expr::Load(place), Expr::Const(0));
                binary(Operator::And, first, binary(Operator::Ne, other, Expr::Const(1)))
            }
            7 => binary(Operator::Ne, Expr::Load(place), Expr::Const(1)),
            _ => Expr::Not(Box::new(self.load(place))),
        }
    }
}
