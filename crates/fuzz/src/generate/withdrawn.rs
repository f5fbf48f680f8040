//! Critical sections around variables that no assertion depends on, or nearly: what makes a lock
//! that nobody could tell from nothing one that somebody can.

use super::{Generator, binary};
use crate::ast::{Expr, Input, Keeper, Mutex, Operator, Place, Stmt, Sync, Test, Thread};

/// What the assertions are about.
const SEEN: Place = Place::Scalar(0);

impl Generator {
    pub(super) fn withdrawn_test(&mut self, seed: u64) -> Test {
        let workers = if self.chance(80) { 2 } else { 3 };
        // One program has few mutexes, so that threads meet at them.
        let main = match self.rng.u32(0..10) {
            0..5 => Mutex::Normal(0),
            5 => Mutex::Picked(0),
            6..8 => Mutex::Boxed,
            _ => Mutex::Normal(1),
        };
        let sections = if workers == 2 && self.chance(50) { 2 } else { 1 };
        // All sections of a mutex must be harmless, so one program has one thing that is not.
        let odd = self.rng.u32(0..100);
        let (odd_section, odd_end) = (odd < 65, (65..80).contains(&odd));
        let oddest = self.rng.usize(1..=workers);
        let mut threads = vec![Thread::default()];
        for thread in 1..=workers {
            self.thread = thread;
            let mut body = Vec::new();
            if self.chance(25) {
                body.push(Stmt::SetLocal(0, self.remote()));
            }
            let count = self.rng.u32(1..=sections);
            for at in 0..count {
                if self.chance(20) {
                    let aside = self.seen();
                    body.push(aside);
                }
                match odd_section && (thread == oddest && at == 0 || self.chance(10)) {
                    true => self.withdrawn(main, &mut body),
                    false => self.plain(main, &mut body),
                }
            }
            if self.chance(30) {
                let aside = self.seen();
                body.push(aside);
            }
            threads.push(Thread { body, returns_local: false, vague: false });
        }
        if self.chance(30) {
            threads[2] = threads[1].clone();
        }
        let boxed = |stmt: &Stmt| format!("{stmt:?}").contains("Boxed");
        let uses_box = threads.iter().any(|thread| thread.body.iter().any(boxed));
        let mut body = Vec::new();
        if uses_box {
            body.push(Stmt::MakeBox);
        }
        if odd_end && self.chance(40) && !matches!(main, Mutex::Picked(_) | Mutex::Boxed) {
            body.push(Stmt::InitMutex(main));
        }
        body.extend((1..=workers).map(|thread| Stmt::Create(thread as u8)));
        self.thread = 0;
        if self.chance(12) {
            self.plain(main, &mut body);
        }
        let joined = if self.chance(90) { workers } else { self.rng.usize(0..workers) };
        let ended = odd_end || self.chance(12);
        let early = odd_end && self.chance(60);
        let end = if uses_box && self.chance(60) {
            Stmt::FreeBox
        } else if matches!(main, Mutex::Picked(_)) {
            Stmt::DestroyMutex(Mutex::Normal(0))
        } else {
            Stmt::DestroyMutex(main)
        };
        if ended && early {
            body.push(end.clone());
        }
        body.extend((1..=joined).map(|thread| Stmt::Join(thread as u8, false)));
        if ended && !early {
            body.push(end);
            if odd_end && self.chance(20) {
                self.plain(main, &mut body);
            }
        }
        if self.chance(60) {
            let claim = binary(Operator::Ne, Expr::Load(SEEN), Expr::Const(self.rng.u8(1..5)));
            body.push(Stmt::Assert(claim));
        }
        if odd >= 80 && self.chance(50) {
            let seen = Expr::Load(self.unseen(main));
            body.push(Stmt::Assert(binary(Operator::Ne, seen, Expr::Const(self.rng.u8(1..4)))));
        }
        threads[0].body = body;
        Test {
            seed,
            threads,
            semaphore: 1,
            barrier: 1,
            global_handles: false,
            null_pointers: self.chance(4),
        }
    }

    /// A variable that mostly nothing depends on.
    fn unseen(&mut self, mutex: Mutex) -> Place {
        match self.rng.u32(0..10) {
            0..5 if mutex == Mutex::Boxed => Place::Boxed,
            0..7 => Place::Scratch,
            _ => Place::Scalar(1),
        }
    }

    fn remote(&mut self) -> Expr {
        match self.rng.u32(0..5) {
            0..2 => Expr::Const(1),
            2..4 => Expr::Load(Place::Scalar(1)),
            _ => Expr::Load(Place::Scratch),
        }
    }

    /// Something that an assertion may depend on.
    fn seen(&mut self) -> Stmt {
        match self.rng.u32(0..4) {
            0..2 => Stmt::Assign(SEEN, binary(Operator::Add, Expr::Load(SEEN), Expr::Const(1))),
            2 => Stmt::Assign(SEEN, Expr::Const(self.rng.u8(1..4))),
            _ => {
                let claim = binary(Operator::Ne, Expr::Load(SEEN), Expr::Const(self.rng.u8(1..4)));
                Stmt::Assert(claim)
            }
        }
    }

    /// What is done in a section and matters to nobody.
    fn hidden(&mut self, mutex: Mutex) -> Vec<Stmt> {
        let place = self.unseen(mutex);
        let load = Expr::Load(place.clone());
        let value = Expr::Const(self.rng.u8(1..4));
        match self.rng.u32(0..10) {
            0..4 => vec![Stmt::Assign(place, value)],
            4..8 => vec![Stmt::Assign(place, binary(Operator::Add, load, Expr::Const(1)))],
            _ => vec![Stmt::SetLocal(1, load)],
        }
    }

    /// A section that nobody could tell from nothing.
    fn plain(&mut self, mutex: Mutex, into: &mut Vec<Stmt>) {
        let inside = self.hidden(mutex);
        let mut body = vec![Stmt::Lock(mutex)];
        let kind = self.rng.u32(0..100);
        match kind {
            50..62 => body = vec![Stmt::Keeper(Keeper::Bump(mutex, self.unseen(mutex), 1))],
            62..75 => body = vec![Stmt::Keeper(Keeper::Take(mutex))],
            75..90 => body.push(Stmt::Lock(self.other(mutex))),
            _ => {}
        }
        match kind {
            50..62 => {}
            62..75 => {
                body.extend(inside);
                body.push(Stmt::Keeper(Keeper::Give(mutex)));
            }
            75..90 => {
                let other = body[1].clone();
                body.extend(inside);
                if let Stmt::Lock(other) = other {
                    body.push(Stmt::Unlock(other));
                }
                body.push(Stmt::Unlock(mutex));
            }
            _ => {
                body.extend(inside);
                body.push(Stmt::Unlock(mutex));
            }
        }
        match kind {
            90..95 => into.push(Stmt::Call(body)),
            95..100 => into.push(Stmt::If(self.perhaps(mutex), body, Vec::new())),
            _ => into.extend(body),
        }
    }

    /// What is done in a section: mostly something hidden, at times not only that.
    fn inside(&mut self, mutex: Mutex) -> Vec<Stmt> {
        let place = self.unseen(mutex);
        let load = Expr::Load(place.clone());
        let more = binary(Operator::Add, load.clone(), Expr::Const(1));
        let value = Expr::Const(self.rng.u8(1..4));
        match self.rng.u32(0..40) {
            0..10 => vec![Stmt::Assign(place, value)],
            10..20 => vec![Stmt::Assign(place, more)],
            20..23 => vec![Stmt::SetLocal(self.rng.u8(0..2), load)],
            23..26 => vec![Stmt::Assign(place, value), Stmt::SetLocal(0, load)],
            26 => vec![Stmt::Assign(SEEN, load)],
            27 => vec![Stmt::SetLocal(1, load), Stmt::Assign(SEEN, Expr::Local(1))],
            28 => vec![self.seen()],
            29 => vec![Stmt::Assert(binary(Operator::Ne, load, value))],
            30 => vec![Stmt::Assign(Place::Deref(0), value)],
            31 => vec![Stmt::Loop(2, vec![Stmt::Assign(place, more)])],
            32 => vec![Stmt::Eval(Expr::Get(place))],
            33 => vec![Stmt::Put(place, value)],
            34 => vec![Stmt::Call(vec![Stmt::Assign(place, more)])],
            35 => vec![Stmt::Section(vec![Stmt::Assign(place, more)])],
            36 => {
                vec![Stmt::If(Expr::Input(Input::Bool), vec![Stmt::Assign(place, value)], vec![])]
            }
            37 => vec![Stmt::If(load, vec![Stmt::Assign(Place::Scalar(1), value)], vec![])],
            38 => vec![Stmt::Assume(binary(Operator::Ne, load, value))],
            _ => Vec::new(),
        }
    }

    /// A condition, mostly on what is hidden.
    fn perhaps(&mut self, mutex: Mutex) -> Expr {
        let place = if self.chance(20) { SEEN } else { self.unseen(mutex) };
        let value = Expr::Const(self.rng.u8(0..3));
        match self.rng.u32(0..6) {
            0 => Expr::Load(place),
            1 => Expr::Local(0),
            2..4 => binary(Operator::Eq, Expr::Load(place), value),
            _ => binary(Operator::Ne, Expr::Load(place), value),
        }
    }

    fn other(&mut self, mutex: Mutex) -> Mutex {
        match mutex {
            Mutex::Picked(_) if self.chance(50) => Mutex::Picked(1),
            Mutex::Normal(0) => Mutex::Normal(1),
            _ => Mutex::Normal(0),
        }
    }

    /// A section, mostly as it should be, with at most one thing more.
    fn withdrawn(&mut self, mutex: Mutex, into: &mut Vec<Stmt>) {
        let (lock, unlock) = (Stmt::Lock(mutex), Stmt::Unlock(mutex));
        let inside = self.inside(mutex);
        let other = self.other(mutex);
        let mut body = vec![lock.clone()];
        match self.rng.u32(0..100) {
            0..8 => {
                body.extend(inside);
                body.push(unlock);
            }
            8..26 => {
                // A way out, with the unlock or without.
                let mut leave = if self.chance(45) { vec![unlock.clone()] } else { Vec::new() };
                leave.push(if self.chance(85) { Stmt::Return } else { Stmt::Exit });
                let condition = self.perhaps(mutex);
                body.extend(inside);
                body.push(Stmt::If(condition, leave, Vec::new()));
                body.push(unlock);
            }
            26..31 => {
                // Only some unlock, or lock.
                let condition = self.perhaps(mutex);
                body.extend(inside);
                match self.chance(50) {
                    true => body.push(Stmt::If(condition, vec![unlock], Vec::new())),
                    false => body = vec![Stmt::If(condition, body, Vec::new()), unlock],
                }
            }
            31..36 => {
                body.extend(inside);
                body.push(Stmt::Unlock(other));
                if self.chance(50) {
                    body.push(unlock);
                }
            }
            36..42 => {
                let mut held = inside;
                held.push(unlock);
                let otherwise = match self.rng.u32(0..3) {
                    0 => vec![self.seen()],
                    1 => vec![Stmt::Assign(Place::Scratch, Expr::Const(3))],
                    _ => Vec::new(),
                };
                body = vec![Stmt::If(Expr::TryLock(mutex), held, otherwise)];
            }
            42..60 => {
                // Two, in one order or the other.
                let (a, b) = if self.chance(50) { (mutex, other) } else { (other, mutex) };
                let last = if self.chance(80) { [b, a] } else { [a, b] };
                body = vec![Stmt::Lock(a)];
                if self.chance(30) {
                    body.extend(self.inside(mutex));
                }
                body.push(Stmt::Lock(b));
                body.extend(inside);
                body.extend(last.map(Stmt::Unlock));
            }
            60..72 => {
                let place = self.unseen(mutex);
                if self.chance(40) {
                    body = vec![Stmt::Keeper(Keeper::Bump(mutex, place, 1))];
                } else {
                    let given = if self.chance(90) { mutex } else { other };
                    body = vec![Stmt::Keeper(Keeper::Take(mutex))];
                    body.extend(inside);
                    body.push(Stmt::Keeper(Keeper::Give(given)));
                }
            }
            72..80 => self.waits_in_section(mutex, &mut body),
            80..84 => {
                body.extend(inside);
                body.push(unlock);
                body = vec![Stmt::Loop(2, body)];
            }
            84..88 => {
                body.extend(inside);
                body.push(unlock);
                body = vec![Stmt::If(self.perhaps(mutex), body, Vec::new())];
            }
            88..92 => {
                body.extend(inside);
                if self.chance(70) {
                    body.push(unlock);
                }
                body = vec![Stmt::Call(body)];
            }
            92..94 => body = vec![unlock],
            94..96 => {
                body.extend(inside);
                body.push(lock);
                body.push(unlock);
            }
            // The index may be another one when the mutex is given back.
            _ => {
                let seen = Expr::Load(self.unseen(mutex));
                body = vec![Stmt::Lock(Mutex::Picked(0))];
                body.extend(inside);
                if self.chance(60) {
                    body.push(Stmt::SetLocal(0, seen));
                }
                body.push(Stmt::Unlock(Mutex::Picked(0)));
            }
        }
        into.extend(body);
    }

    /// One side of a wait in or for a section.
    fn waits_in_section(&mut self, mutex: Mutex, body: &mut Vec<Stmt>) {
        let flag = if self.chance(70) { Place::Scalar(1) } else { self.unseen(mutex) };
        let absent = Expr::Not(Box::new(Expr::Load(flag.clone())));
        let sleeps = mutex == Mutex::Normal(0) && self.chance(60);
        if self.thread % 2 == 1 {
            body.push(Stmt::Assign(flag, Expr::Const(1)));
            if sleeps {
                body.push(Stmt::Sync(Sync::Signal));
            }
        } else if sleeps {
            body.push(Stmt::Wait(absent, vec![Stmt::CondWait { timed: self.chance(10) }]));
        } else if self.chance(40) {
            body.push(Stmt::Wait(absent, Vec::new()));
        } else {
            let turn = vec![Stmt::Unlock(mutex), Stmt::Lock(mutex)];
            body.push(Stmt::Wait(absent, turn));
        }
        body.push(Stmt::Unlock(mutex));
    }
}
