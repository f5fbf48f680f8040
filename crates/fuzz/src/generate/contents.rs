//! Idioms about memory as a whole: the library on shared strings, structures with holes by
//! value, objects that are written in part, helpers that get addresses, and memory whose life
//! ends while others may look at it.

use super::{Generator, binary};
use crate::ast::{
    Expr, Input, Look, Mutex, Operator, Order, PARTS, Partly, Place, Printed, Record, Rmw, Shape,
    Stmt, Target, Text, TextCall, Which,
};
use crate::feature::Feature;

/// Where threads count what they have seen under [`Feature::Recycled`].
const COUNT: Place = Place::Scalar(2);

/// A letter that is written last, and what was written before.
const SENT: u8 = 3;
const OLD: u8 = 5;

impl Generator {
    /// A call of the library with a shared string, and what comes of it.
    pub(super) fn text(&mut self, into: &mut Vec<Stmt>) {
        self.allowance -= 3;
        if self.chance(25) {
            let letter = Place::Letter(self.rng.u8(0..2), self.rng.u8(0..2));
            let value = Expr::Const(self.rng.u8(0..3));
            return into.push(Stmt::Assign(letter, value));
        }
        if self.chance(35) {
            return self.message(into);
        }
        let array = u8::from(self.chance(30));
        let call = match self.first_side() {
            true => self.changed_text(array),
            false => self.seen_text(array),
        };
        let value = self.rng.u8(0..3);
        let call = Expr::Text(call);
        into.push(match self.rng.u32(0..10) {
            0..4 => Stmt::Eval(call),
            4..6 => Stmt::Assert(binary(Operator::Ne, call, Expr::Const(value))),
            6..7 => Stmt::Assign(self.scalar(), call),
            _ => Stmt::SetLocal(0, call),
        });
        if self.chance(30) {
            into.push(Stmt::Assert(binary(Operator::Ne, Expr::Local(0), Expr::Const(value))));
        }
    }

    /// A letter that the library writes after an ordinary store, to the same place or another
    /// one, or somebody who finds the letter and expects the store.
    fn message(&mut self, into: &mut Vec<Stmt>) {
        let (scalar, letter) = (Place::Scalar(0), Place::Letter(0, 0));
        if !self.first_side() {
            let sent = binary(Operator::Eq, Expr::Load(letter), Expr::Const(SENT));
            let claim = Stmt::Assert(binary(Operator::Ne, Expr::Load(scalar), Expr::Const(0)));
            return into.push(Stmt::If(sent, vec![claim], Vec::new()));
        }
        let before = if self.chance(70) { scalar } else { letter };
        into.push(Stmt::Assign(before, Expr::Const(OLD)));
        let room = self.chance(30).then_some(2);
        let what = Printed::Letter(Box::new(Expr::Const(SENT)));
        into.push(Stmt::Eval(Expr::Text(TextCall::Print { to: 0, room, what })));
    }

    /// A text other than the array: where a function copies, both must not overlap.
    fn other_text(&mut self, array: u8) -> Text {
        match self.chance(50) {
            true => Text::Shared(1 - array),
            false => Text::Literal(self.rng.u8(0..3)),
        }
    }

    fn changed_text(&mut self, to: u8) -> TextCall {
        match self.rng.u32(0..10) {
            0..6 => {
                let room = self.chance(50).then(|| self.rng.u8(1..4));
                let what = match self.rng.u32(0..3) {
                    0 => Printed::Digit(Box::new(self.digit())),
                    1 => Printed::Letter(Box::new(self.digit())),
                    _ => Printed::Text(self.other_text(to)),
                };
                TextCall::Print { to, room, what }
            }
            6..8 => TextCall::Copy(to, self.other_text(to)),
            _ => TextCall::CopyBytes(to, self.other_text(to), self.rng.u8(1..3)),
        }
    }

    /// A number to print: private or shared.
    fn digit(&mut self) -> Expr {
        match self.rng.u32(0..3) {
            0 => Expr::Load(self.scalar()),
            1 => Expr::Local(self.rng.u8(0..2)),
            _ => Expr::Const(self.rng.u8(0..4)),
        }
    }

    fn seen_text(&mut self, array: u8) -> TextCall {
        let other = self.other_text(array);
        match self.rng.u32(0..4) {
            0 => TextCall::Length(array),
            1 => TextCall::Equal(array, other),
            2 => TextCall::EqualBytes(array, other, self.rng.u8(1..3)),
            _ => TextCall::Show(array),
        }
    }

    fn record(&mut self) -> Record {
        let which = match self.rng.u32(0..10) {
            0..5 => Which::First,
            5..7 => Which::Second,
            _ => Which::Atomic,
        };
        Record { wide: self.chance(40), which }
    }

    /// A structure with a hole is made, copied, passed, or looked at.
    pub(super) fn padded(&mut self, into: &mut Vec<Stmt>) {
        self.allowance -= 2;
        let record = self.record();
        let plain = Record { which: Which::First, ..record };
        let (tag, value) = (self.rng.u8(0..3), self.rng.u8(0..3));
        let claim = |seen| Stmt::Assert(binary(Operator::Ne, seen, Expr::Const(tag + 2)));
        into.push(match self.rng.u32(0..20) {
            0..7 => {
                let filled = if self.chance(40) { self.value() } else { Expr::Const(value) };
                Stmt::Fill(record, Expr::Const(tag), filled)
            }
            7..9 => Stmt::CopyRecord(Record { which: Which::Second, ..plain }, plain),
            9..11 => Stmt::CopyRecord(plain, Record { which: Which::Second, ..plain }),
            11..13 => Stmt::Assign(Place::Field(plain, self.chance(50)), Expr::Const(value)),
            13..15 => claim(Expr::Load(Place::Field(plain, self.chance(50)))),
            15..16 => claim(Expr::Swap { wide: record.wide, tag, value }),
            16..18 => Stmt::Assign(self.scalar(), Expr::Sum(record)),
            _ => claim(Expr::Sum(record)),
        });
    }

    /// An object is written in part, perhaps copied, and a part of it is looked at: mostly
    /// one that was written.
    pub(super) fn partly(&mut self, into: &mut Vec<Stmt>) {
        self.allowance -= 1;
        let shapes = [Shape::Struct, Shape::Array, Shape::Block, Shape::BitFields, Shape::Word];
        let shape = shapes[self.rng.usize(0..shapes.len())];
        let part = self.rng.u8(0..PARTS);
        let mut written = Vec::new();
        for other in 0..PARTS {
            if self.chance(if other == part { 85 } else { 40 }) {
                let value = match self.chance(30) {
                    true => self.read(),
                    false => Expr::Const(self.rng.u8(0..4)),
                };
                written.push((other, value));
            }
        }
        // What is undefined is read once.
        let again = self.has(Feature::Reread) || written.iter().any(|(other, _)| *other == part);
        let look = match self.rng.u32(0..10) {
            0..5 => Look::Value,
            5..7 if again => Look::Twice,
            7..9 if again => Look::Share,
            _ => Look::Nowhere,
        };
        let copied = self.chance(70);
        into.push(Stmt::Partly(Partly { shape, written, copied, part, look }));
        match look {
            Look::Twice => into.push(Stmt::Assert(Expr::Local(0))),
            Look::Value if self.chance(60) => {
                let value = Expr::Const(self.rng.u8(0..4));
                into.push(Stmt::Assert(binary(Operator::Ne, Expr::Local(0), value)));
            }
            _ => {}
        }
    }

    /// An `int` whose address a function may get.
    fn pointed(&mut self) -> Place {
        match self.rng.u32(0..10) {
            0..5 => Place::Local(self.rng.u8(0..2)),
            _ => self.scalar(),
        }
    }

    /// A function stores or loads through its argument, private or shared, mostly one after
    /// the other.
    pub(super) fn helper(&mut self, into: &mut Vec<Stmt>) {
        self.allowance -= 2;
        let local = self.rng.u8(0..2);
        let (place, value) = (self.pointed(), self.rng.u8(1..4));
        match self.rng.u32(0..10) {
            0..4 => {
                into.push(Stmt::Put(Place::Local(local), Expr::Const(value)));
                into.push(Stmt::Put(self.scalar(), Expr::Local(local)));
            }
            4..6 => {
                into.push(Stmt::Move(Place::Local(local), self.scalar()));
                into.push(Stmt::Move(self.scalar(), Place::Local(local)));
            }
            6..7 => into.push(Stmt::Put(place, Expr::Const(value))),
            7..8 => into.push(Stmt::SetLocal(local, Expr::Get(place))),
            _ => {
                let seen = Expr::Get(place);
                into.push(Stmt::Assert(binary(Operator::Ne, seen, Expr::Const(value))));
            }
        }
    }

    /// A function lets others see its variable and returns, or somebody looks at it. Both may
    /// do so in a way that keeps the variable alive meanwhile.
    pub(super) fn scope(&mut self, into: &mut Vec<Stmt>) {
        self.allowance -= 3;
        let mutex = Mutex::Normal(0);
        let (back, guard) = (Stmt::SetPointer(0, Target::Scalar(0)), self.rng.u32(0..4));
        if !self.first_side() {
            let look = match self.chance(70) {
                true => Stmt::SetLocal(0, Expr::Load(Place::Deref(0))),
                false => Stmt::Assign(Place::Deref(0), Expr::Const(2)),
            };
            match guard {
                0 => into.extend([Stmt::Lock(mutex), look, Stmt::Unlock(mutex)]),
                1 | 2 => into.push(Stmt::Section(vec![look])),
                _ => into.push(look),
            }
            let claim = binary(Operator::Ne, Expr::Local(0), Expr::Const(self.rng.u8(1..4)));
            return into.extend(self.chance(40).then_some(Stmt::Assert(claim)));
        }
        let mut body = vec![
            Stmt::Assign(Place::Mine, Expr::Const(self.rng.u8(1..4))),
            Stmt::SetPointer(0, Target::Mine),
        ];
        if self.chance(30) {
            body.push(Stmt::Assign(self.scalar(), Expr::Load(Place::Mine)));
        }
        body.extend(self.chance(75).then_some(back));
        let call = Stmt::Call(body);
        match guard {
            0 => into.extend([Stmt::Lock(mutex), call, Stmt::Unlock(mutex)]),
            _ => into.push(call),
        }
    }

    /// Blocks come and go between a store and a load that may change places.
    pub(super) fn recycle(&mut self, into: &mut Vec<Stmt>) {
        self.allowance -= 5;
        if self.chance(25) {
            let look = Stmt::SetLocal(0, Expr::Load(Place::Heap));
            let change = Stmt::Assign(Place::Heap, Expr::Const(2));
            let inside = if self.chance(60) { look } else { change };
            let safely = Stmt::If(Expr::HasBlock, vec![inside], Vec::new());
            return into.push(match self.chance(70) {
                true => Stmt::Section(vec![safely]),
                false => safely,
            });
        }
        let (mine, theirs) = match self.first_side() {
            true => (Place::Scalar(0), Place::Scalar(1)),
            false => (Place::Scalar(1), Place::Scalar(0)),
        };
        if self.chance(70) {
            into.push(Stmt::Store(mine, Expr::Const(1), Order::Relaxed));
        }
        into.push(match self.rng.u32(0..10) {
            0..4 => Stmt::Release,
            4..5 => Stmt::Free,
            5..7 => Stmt::Reallocate,
            7..9 => self.allocation(),
            _ => Stmt::Assign(Place::Heap, Expr::Const(1)),
        });
        if self.chance(70) {
            into.push(Stmt::SetLocal(1, Expr::AtomicLoad(theirs, Order::Relaxed)));
            let unseen = Box::new(Expr::Not(Box::new(Expr::Local(1))));
            into.push(Stmt::Eval(Expr::Rmw(Rmw::Add, COUNT, unseen, Order::SeqCst)));
        }
    }

    /// What the threads should not all have seen, for `main` to look at.
    pub(super) fn reckoning(&mut self) -> Option<Stmt> {
        let claim = |place, value| {
            Stmt::Assert(binary(Operator::Ne, Expr::Load(place), Expr::Const(value)))
        };
        if self.has(Feature::Texts) && self.chance(50) {
            return Some(claim(Place::Letter(0, 0), OLD));
        }
        let counted = self.has(Feature::Recycled) && self.chance(70);
        counted.then(|| claim(COUNT, 2))
    }

    /// An input within an atomic section.
    pub(super) fn draw(&mut self, into: &mut Vec<Stmt>) {
        self.allowance -= 1;
        let drawn = Stmt::Assign(self.scalar(), Expr::Input(Input::Bool));
        let old = self.scalar();
        let mut body = vec![drawn];
        if self.chance(50) {
            body.insert(0, Stmt::SetLocal(0, Expr::Load(old)));
        }
        if self.chance(40) {
            let value = Expr::Const(self.rng.u8(0..2));
            body.push(Stmt::Assign(self.scalar(), binary(Operator::Add, Expr::Local(0), value)));
        }
        into.push(Stmt::Section(body));
    }
}
