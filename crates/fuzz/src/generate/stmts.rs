//! Random statements.

use super::Generator;
use crate::ast::{Expr, Fence, Mutex, Operator, Order, Place, Stmt, Target};
use crate::feature::Feature;

#[derive(Clone, Copy)]
enum Kind {
    Assign,
    Increment,
    SetLocal,
    Eval,
    If,
    Loop,
    Wait,
    Locked,
    Section,
    Assert,
    Assume,
    Fence,
    Pointer,
    Heap,
    Leave,
    Raise,
    Call,
    Mutex,
    Hide,
    Sync,
}

impl Generator {
    fn kinds(&self) -> Vec<(Kind, u32)> {
        use Feature as F;
        let when = |feature: Feature, weight: u32| if self.has(feature) { weight } else { 0 };
        let shallow = u32::from(self.depth < 2);
        let outside = u32::from(!self.section);
        vec![
            (Kind::Assign, 24),
            (Kind::Increment, 10),
            (Kind::SetLocal, 14),
            (Kind::Eval, when(F::Cas, 6) + when(F::Rmw, 6)),
            (Kind::If, when(F::Branches, 16) * shallow),
            (Kind::Loop, when(F::Loops, 10) * shallow),
            (Kind::Wait, when(F::Waits, 12) * outside),
            (Kind::Locked, (when(F::Locks, 18) + when(F::Recursive, 10)) * shallow * outside),
            (Kind::Section, when(F::Sections, 14) * shallow * outside),
            (Kind::Assert, when(F::Asserts, 10)),
            (Kind::Assume, when(F::Assume, 10)),
            (Kind::Fence, when(F::Fences, 12)),
            (Kind::Sync, self.sync_weight() * outside),
            (Kind::Pointer, when(F::Pointers, 10) + when(F::Escape, 8) + when(F::Tags, 10)),
            (Kind::Heap, when(F::Heap, 12)),
            (
                Kind::Leave,
                (when(F::Exit, 6) + when(F::Process, 4)) * outside * u32::from(self.depth > 0),
            ),
            (Kind::Call, when(F::Calls, 14) * shallow),
            (Kind::Mutex, when(F::Mutexes, 8) * outside),
            (Kind::Hide, when(F::Hidden, 12)),
            (Kind::Raise, when(F::Waits, 8)),
        ]
    }

    /// Appends a statement, or a few that belong together.
    pub(super) fn statement(&mut self, into: &mut Vec<Stmt>) {
        if self.allowance <= 0 && self.chance(70) {
            return;
        }
        if self.idiom(into) {
            return;
        }
        let kinds = self.kinds();
        let mut at = self.rng.u32(0..kinds.iter().map(|kind| kind.1).sum());
        let kind = kinds.iter().find(|kind| {
            let here = at < kind.1;
            at = at.saturating_sub(kind.1);
            here
        });
        let stmt = match kind.map_or(Kind::Assign, |kind| kind.0) {
            Kind::Assign if self.has(Feature::Selves) && self.chance(30) => {
                self.allowance -= 1;
                Stmt::NoteSelf
            }
            Kind::Assign | Kind::Eval if self.has(Feature::Results) && self.chance(50) => {
                self.result()
            }
            Kind::Assign | Kind::SetLocal if self.has(Feature::Torn) && !self.section => {
                return self.torn(into);
            }
            Kind::Assign | Kind::Increment if self.has(Feature::Guarded) && self.depth == 0 => {
                return self.guarded(into);
            }
            Kind::Assign => {
                let value = self.value();
                let place = self.place();
                if self.has(Feature::Rewrites) && self.chance(60) {
                    into.push(Stmt::Assign(place.clone(), Expr::Const(self.rng.u8(0..3))));
                }
                self.assignment(place, value)
            }
            Kind::Increment => {
                let place = self.place();
                self.allowance -= 1;
                let value = Expr::Binary(
                    Operator::Add,
                    Box::new(Expr::Load(place.clone())),
                    Box::new(Expr::Const(1)),
                );
                Stmt::Assign(place, value)
            }
            Kind::SetLocal => Stmt::SetLocal(self.rng.u8(0..2), self.value()),
            Kind::Eval => Stmt::Eval(self.value()),
            Kind::If => self.branch(),
            Kind::Loop => self.repeat(),
            Kind::Wait => {
                let condition = self.waiting();
                // A loop without visible steps would run up to a limit that is far
                // away.
                let private = self.thread == 0 || self.has(Feature::Escape);
                let busy = !private && self.depth < 2 && self.chance(25);
                Stmt::Wait(condition, if busy { self.inner(1) } else { Vec::new() })
            }
            Kind::Locked => return self.locked(into),
            Kind::Section => {
                self.allowance -= 1;
                self.section = true;
                let body = self.inner(3);
                self.section = false;
                Stmt::Section(body)
            }
            Kind::Assert => Stmt::Assert(self.claim()),
            Kind::Assume => {
                let claim = self.claim();
                Stmt::Assume(if self.chance(30) { self.condition() } else { claim })
            }
            Kind::Fence => Stmt::Fence(match self.rng.u32(0..8) {
                0..3 => Fence::Full,
                3 => Fence::Thread(Order::Relaxed),
                4 => Fence::Thread(Order::Acquire),
                5 => Fence::Thread(Order::Release),
                6 => Fence::Thread(Order::AcqRel),
                _ => Fence::Thread(Order::SeqCst),
            }),
            Kind::Sync => return self.synchronise(into),
            Kind::Pointer => {
                self.allowance -= 1;
                if self.has(Feature::Tags) && self.chance(40) {
                    return into.push(Stmt::Tag(self.rng.u8(0..2), self.chance(60)));
                }
                Stmt::SetPointer(self.rng.u8(0..2), self.target())
            }
            Kind::Heap => {
                self.allowance -= 2;
                match self.rng.u32(0..20) {
                    0..8 => Stmt::Free,
                    8..11 if self.has(Feature::Blocks) => Stmt::Reallocate,
                    _ => self.allocation(),
                }
            }
            Kind::Leave => self.leave(),
            Kind::Call => Stmt::Call(self.inner(3)),
            Kind::Mutex => {
                self.allowance -= 1;
                let mutex = self.mutex();
                if self.chance(50) { Stmt::InitMutex(mutex) } else { Stmt::DestroyMutex(mutex) }
            }
            Kind::Hide => {
                self.allowance -= 1;
                Stmt::Hide
            }
            Kind::Raise => {
                self.allowance -= 1;
                let place = if self.has(Feature::C11) { Place::Atomic } else { self.scalar() };
                self.assignment(place, Expr::Const(1))
            }
        };
        into.push(stmt);
    }

    /// A variable that hardly anybody reads but by what a compare-and-exchange says.
    fn result(&mut self) -> Stmt {
        let place = Place::Scalar(2);
        self.allowance -= 1;
        if self.chance(50) {
            return Stmt::Assign(place, Expr::Const(self.rng.u8(0..2)));
        }
        let (expected, new, order) = (0, self.rng.u8(0..2), Order::SeqCst);
        Stmt::Assert(Expr::Cas { place, expected, new, old: false, weak: false, order })
    }

    /// One side of a critical section that leaves things as they were: who has it, or who
    /// looks whether it shows, with another mutex or none.
    fn torn(&mut self, into: &mut Vec<Stmt>) {
        const WITHIN: u8 = 3;
        let mutex = Mutex::Normal(u8::from(self.chance(30)));
        let place = self.scalar();
        self.allowance -= 2;
        match self.rng.u32(0..10) {
            0..5 => {
                into.push(Stmt::Lock(mutex));
                into.push(Stmt::Assign(place.clone(), Expr::Const(WITHIN)));
                if self.chance(40) {
                    let other = self.scalar();
                    into.push(Stmt::Assign(other, Expr::Const(1)));
                }
                into.push(Stmt::Assign(place, Expr::Const(0)));
                into.push(Stmt::Unlock(mutex));
            }
            5..9 => {
                let locked = self.chance(30);
                let seen = Box::new(Expr::Load(place));
                let claim = Expr::Binary(Operator::Ne, seen, Box::new(Expr::Const(WITHIN)));
                into.extend(locked.then_some(Stmt::Lock(mutex)));
                into.push(Stmt::Assert(claim));
                into.extend(locked.then_some(Stmt::Unlock(mutex)));
            }
            _ => {
                let (free, held) = (Stmt::Unlock(mutex), Stmt::Assert(Expr::Const(0)));
                into.push(Stmt::If(Expr::TryLock(mutex), vec![free], vec![held]));
            }
        }
    }

    /// A change in a critical section of its own.
    fn guarded(&mut self, into: &mut Vec<Stmt>) {
        let mutex = Mutex::Normal(0);
        self.allowance -= 2;
        into.push(Stmt::Lock(mutex));
        let place = self.place();
        let old = Box::new(Expr::Load(place.clone()));
        let value = Expr::Binary(Operator::Add, old, Box::new(Expr::Const(1)));
        into.push(Stmt::Assign(place, value));
        into.push(Stmt::Unlock(mutex));
    }

    /// A store, perhaps with a memory order.
    pub(super) fn assignment(&mut self, place: Place, value: Expr) -> Stmt {
        if !(self.has(Feature::Orders) && self.chance(50)) {
            return Stmt::Assign(place, value);
        }
        let orders = [Order::Relaxed, Order::Release, Order::SeqCst];
        Stmt::Store(place, value, orders[self.rng.usize(0..orders.len())])
    }

    pub(super) fn inner(&mut self, most: u32) -> Vec<Stmt> {
        self.depth += 1;
        let body = self.body(most);
        self.depth -= 1;
        body
    }

    fn leave(&mut self) -> Stmt {
        match self.rng.u32(0..3) {
            0 if self.has(Feature::Process) => Stmt::ExitProcess,
            1 => Stmt::Exit,
            _ => Stmt::Return,
        }
    }

    pub(super) fn allocation(&mut self) -> Stmt {
        let unwritten = self.has(Feature::Inputs) && self.has(Feature::Blocks) && self.chance(30);
        let value = (!unwritten).then(|| self.rng.u8(0..3));
        Stmt::Allocate { value, large: self.has(Feature::Blocks) && self.chance(60) }
    }

    fn branch(&mut self) -> Stmt {
        let condition = self.condition();
        let then = self.inner(2);
        let other = if self.chance(30) { self.inner(2) } else { Vec::new() };
        Stmt::If(condition, then, other)
    }

    fn repeat(&mut self) -> Stmt {
        let count = self.rng.u8(1..=3);
        let before = self.allowance;
        self.allowance = (before / i32::from(count)).max(1);
        let share = self.allowance;
        let body = self.inner(2);
        let used = share - self.allowance;
        self.allowance = before - used * i32::from(count);
        Stmt::Loop(count, body)
    }

    /// A critical section, mostly well-formed.
    fn locked(&mut self, into: &mut Vec<Stmt>) {
        let mutex = self.mutex();
        let odd = self.has(Feature::Unlocked);
        if !(odd && self.chance(30)) {
            self.allowance -= 1;
            into.push(Stmt::Lock(mutex));
        }
        into.extend(self.inner(2));
        if !(odd && self.chance(30)) {
            self.allowance -= 1;
            into.push(Stmt::Unlock(mutex));
        }
    }

    fn target(&mut self) -> Target {
        match self.rng.u32(0..20) {
            0 => Target::Null,
            1..6 => Target::Other,
            6..12 if self.has(Feature::Escape) => Target::Mine,
            12..14 if self.has(Feature::Escape) => Target::ThreadLocal,
            _ => Target::Scalar(self.rng.u8(0..2)),
        }
    }
}
