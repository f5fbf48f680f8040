//! Random programs from seeds.
//!
//! Each thread has a small allowance of visible steps, so that every
//! interleaving of all of them can be tried. Once it is used up, only private
//! values are read.

mod contents;
mod crowd;
mod exprs;
mod idioms;
mod known;
mod meetings;
mod several;
mod stmts;
mod sync;
mod turns;
mod twice;
mod withdrawn;

use fastrand::Rng;

use crate::ast::{Expr, Mutex, Operator, Place, Stmt, Sync, Test, Thread, any};
use crate::feature::{Feature, Features};

/// Seeds from here on may have the features of later days.
const LATE: u64 = 100_000;
/// And from here on those of still later days.
const LATER: u64 = 1_000_000;
const LATEST: u64 = 2_000_000;
const NEWEST: u64 = 3_000_000;
/// Seeds from here on have features about memory as a whole.
const CONTENTS: u64 = 4_000_000;
/// Seeds from here on have those of programs that are looked at twice instead.
const TWICE: u64 = 20_000_000;
/// Seeds from here on have several instances of a thread instead.
const CROWDS: u64 = 40_000_000;
/// Seeds from here on are about what is known of others.
const KNOWN: u64 = 50_000_000;
/// Seeds from here on are about sections that do not matter, or about barriers, instead.
const APART: u64 = 60_000_000;
/// Seeds from here on are about what stands for several things, or holds on some ways only.
const SEVERAL: u64 = 70_000_000;
/// Seeds from here on are about loops whose turns leave nothing behind instead.
const TURNS: u64 = 80_000_000;

/// The program of a seed, with features out of `allowed`.
pub fn generate(seed: u64, allowed: Features) -> Test {
    let mut rng = Rng::with_seed(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut features = allowed.pick(&mut rng);
    if features.has(Feature::Disciplined) {
        features = features.and(Features::of(DISCIPLINED));
    }
    if seed >= LATE {
        features = features.pick_late(allowed, seed);
    }
    if seed >= LATER {
        features = features.pick_later(allowed, seed);
    }
    if seed >= LATEST {
        features = features.pick_latest(allowed, seed);
    }
    if seed >= NEWEST {
        features = features.pick_newest(allowed, seed);
    }
    if (CONTENTS..TWICE).contains(&seed) {
        features = features.pick_contents(allowed, seed);
    }
    if (TWICE..CROWDS).contains(&seed) {
        features = features.pick_twice(allowed, seed);
    }
    if (CROWDS..KNOWN).contains(&seed) {
        features = features.pick_crowds(allowed, seed);
    }
    if (APART..SEVERAL).contains(&seed) {
        features = features.pick_apart(allowed, seed);
    }
    if seed >= TURNS {
        features = features.pick_turns(allowed);
    }
    let workers = match rng.u32(0..100) {
        0..55 => 2,
        55..90 => 3,
        90..95 => 4,
        _ => 1,
    };
    let workers = if features.is_long() { workers.min(2) } else { workers };
    let mut generator =
        Generator { rng, features, allowance: 0, thread: 0, section: false, depth: 0 };
    if (KNOWN..APART).contains(&seed) {
        return generator.known_test(seed);
    }
    if (SEVERAL..TURNS).contains(&seed) {
        return generator.several_test(seed);
    }
    if generator.has(Feature::Crowds) {
        return generator.crowd_test(seed);
    }
    if generator.has(Feature::Withdrawn) {
        return generator.withdrawn_test(seed);
    }
    if generator.has(Feature::Meetings) {
        return generator.meetings_test(seed);
    }
    if generator.has(Feature::Turns) {
        return generator.turns_test(seed);
    }
    generator.test(seed, workers)
}

/// What programs whose threads touch shared memory only within one critical
/// section have. They have no data races, so what they do is the same under every
/// memory model.
const DISCIPLINED: &[Feature] = &[
    Feature::Disciplined,
    Feature::Asserts,
    Feature::Branches,
    Feature::Arrays,
    Feature::Loops,
    Feature::Dense,
];

struct Generator {
    rng: Rng,
    features: Features,
    /// Visible steps that the current thread may still have.
    allowance: i32,
    thread: usize,
    /// Within an atomic section.
    section: bool,
    /// Of nested statements.
    depth: u32,
}

impl Generator {
    fn has(&self, feature: Feature) -> bool {
        self.features.has(feature)
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.rng.u32(0..100) < percent
    }

    fn test(&mut self, seed: u64, workers: usize) -> Test {
        let nested = self.has(Feature::Nested) && workers > 1 && self.chance(60);
        let share = match workers {
            _ if self.features.is_long() => 5,
            1 => 7,
            2 => 6,
            3 => 4,
            _ => 2,
        };
        let mut threads = vec![Thread::default()];
        for thread in 1..=workers {
            self.thread = thread;
            self.allowance = self.rng.i32(share / 2..=share);
            let mut body = self.body(5);
            if self.has(Feature::Exit) && self.chance(15) {
                body.push(Stmt::Exit);
            }
            if self.has(Feature::Disciplined) {
                body.insert(0, Stmt::Lock(Mutex::Normal(0)));
                body.push(Stmt::Unlock(Mutex::Normal(0)));
            }
            let returns_local = self.chance(15) || self.has(Feature::Detours) && self.chance(50);
            let vague = self.has(Feature::Vague) && self.chance(70);
            threads.push(Thread { body, returns_local, vague });
        }
        for thread in 2..threads.len() {
            // The same code, so that they could change places.
            if self.has(Feature::Twins) && self.chance(80) {
                threads[thread] = threads[thread - 1].clone();
            }
        }
        let mut created = workers;
        if nested {
            // The last thread is created by another one, not by main.
            let parent = self.rng.usize(1..workers);
            let child = workers as u8;
            created -= 1;
            let body = &mut threads[parent].body;
            let at = self.rng.usize(0..=body.len());
            body.insert(at, Stmt::Create(child));
            if self.chance(60) {
                let after = self.rng.usize(at + 1..=threads[parent].body.len());
                let result = self.chance(20);
                threads[parent].body.insert(after, Stmt::Join(child, result));
            }
        }
        threads[0].body = self.main(created, workers, share);
        // Mostly as many as come to it, so that they meet.
        let meets = |thread: &&Thread| any(&thread.body, &|s| *s == Stmt::Sync(Sync::Meet));
        let meeting = threads.iter().filter(meets).count().max(1) as u8;
        let barrier = if self.chance(75) { meeting } else { self.rng.u8(1..4) };
        Test {
            seed,
            threads,
            semaphore: self.rng.u8(0..3),
            barrier,
            global_handles: self.has(Feature::Unjoined) && self.chance(25),
            null_pointers: self.chance(8),
        }
    }

    fn main(&mut self, created: usize, workers: usize, share: i32) -> Vec<Stmt> {
        self.thread = 0;
        // Before there are other threads, nothing is visible.
        self.allowance = 2;
        let mut body = if self.chance(30) { self.body(1) } else { Vec::new() };
        if self.has(Feature::Recycled) || self.has(Feature::Heap) && self.chance(85) {
            body.push(self.allocation());
        }
        let odd = self.has(Feature::Unjoined);
        self.allowance = if odd { self.rng.i32(0..=share / 2) } else { 0 };
        for thread in 1..=created {
            body.push(Stmt::Create(thread as u8));
            if odd && self.chance(20) {
                body.extend(self.body(1));
            }
            if odd && self.chance(8) {
                body.push(Stmt::Join(thread as u8, false));
            } else if odd && self.chance(8) {
                body.push(Stmt::Detach(thread as u8));
            }
        }
        if odd || self.chance(15) {
            self.allowance = self.allowance.max(1);
            body.extend(self.body(2));
        }
        for thread in 1..=created {
            if odd && self.chance(20) {
                continue;
            }
            let detours = self.has(Feature::Detours);
            let result = self.chance(15) || detours && self.chance(50);
            let result = result || self.has(Feature::Vague) && self.chance(70);
            body.push(Stmt::Join(thread as u8, result));
            if result && self.has(Feature::Vague) && self.chance(40) {
                body.push(Stmt::Assert(binary(Operator::Ne, Expr::Local(1), Expr::Const(1))));
            }
            if detours && result {
                let value = Expr::Const(self.rng.u8(1..3));
                body.push(Stmt::Assert(binary(Operator::Ne, Expr::Local(1), value)));
            }
        }
        if odd && created < workers && self.chance(50) {
            body.push(Stmt::Join(workers as u8, false));
        }
        self.allowance = if odd { 1 } else { 3 };
        body.extend(self.reckoning());
        if self.has(Feature::Asserts) {
            for _ in 0..self.rng.u32(0..=2) {
                let cond = self.claim();
                body.push(Stmt::Assert(cond));
            }
        }
        body
    }

    /// Up to `most` statements.
    fn body(&mut self, most: u32) -> Vec<Stmt> {
        let mut body = Vec::new();
        for _ in 0..self.rng.u32(1..=most) {
            self.statement(&mut body);
        }
        body
    }

    /// Something to assert: rarely true always, rarely false always.
    fn claim(&mut self) -> Expr {
        let value = self.rng.u8(0..4);
        let op = match self.rng.u32(0..10) {
            0..5 => Operator::Ne,
            5..8 => Operator::Lt,
            _ => Operator::Eq,
        };
        let read = self.read();
        let value = if op == Operator::Lt { value + 2 } else { value };
        let first = binary(op, read, Expr::Const(value));
        if self.chance(40) {
            let other = self.read();
            let second = binary(Operator::Ne, other, Expr::Const(self.rng.u8(0..3)));
            return binary(Operator::Or, first, second);
        }
        first
    }

    /// A local, or a shared value while the allowance lasts.
    fn read(&mut self) -> Expr {
        if self.allowance <= 0 || self.chance(20) {
            return Expr::Local(self.rng.u8(0..2));
        }
        let place = self.place();
        self.load(place)
    }

    fn scalar(&mut self) -> Place {
        // Few variables, so that threads meet.
        if self.has(Feature::Dense) {
            return Place::Scalar(0);
        }
        Place::Scalar(if self.chance(10) { 2 } else { self.rng.u8(0..2) })
    }
}

fn binary(op: Operator, a: Expr, b: Expr) -> Expr {
    Expr::Binary(op, Box::new(a), Box::new(b))
}
