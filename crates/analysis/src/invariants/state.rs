//! What is known at a place of a thread: of its registers, of memory as it last saw it, of
//! the locks it holds, and of who else may run.

use std::collections::{BTreeMap, BTreeSet};

use heddle_ir::Compare;

use super::objects::{CellId, ClassId, ObjectId};
use super::value::Value;
use crate::numeric::{Lattice, Octagon, Thresholds, Var, Word, negated, swapped};

/// The address of a mutex, or the lock that atomic sections take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lock {
    Atomic,
    At(CellId),
}

/// Cells have odd numbers, registers even ones.
pub fn cell_var(cell: CellId) -> Var {
    cell.0 * 2 + 1
}

pub fn register_var(number: u32) -> Var {
    number * 2
}

pub fn as_cell(var: Var) -> Option<CellId> {
    (var % 2 == 1).then_some(CellId(var / 2))
}

/// Bounds at which what grows may stop.
#[derive(Clone, Copy)]
pub struct Stops<'a> {
    pub values: &'a Thresholds,
    pub relations: &'a Thresholds,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// A register that is missing is not known; a cell that is missing does not exist.
    pub values: BTreeMap<Var, Value>,
    pub octagon: Octagon,
    /// Locks that are held for sure, and those that may be.
    pub must: BTreeSet<Lock>,
    pub may: BTreeSet<Lock>,
    /// Threads that may run beside this one.
    pub others: BTreeSet<ClassId>,
    /// Threads that this one may have created, and whether more than one of the class.
    pub created: BTreeMap<ClassId, bool>,
    /// Threads that this one may ever have created, also those that were joined.
    pub begun: BTreeSet<ClassId>,
    /// Heap objects that this thread may have allocated.
    pub made: BTreeSet<ObjectId>,
    /// Something that others see has changed since the loop around began.
    pub changed: bool,
}

impl State {
    pub fn value(&self, var: Var) -> Value {
        match (self.values.get(&var), as_cell(var)) {
            (Some(value), _) => value.clone(),
            (None, Some(_)) => Value::Number(Word::bottom(1)),
            (None, None) => Value::Any,
        }
    }

    pub fn range(&self, var: Var) -> Option<Word> {
        match self.values.get(&var) {
            Some(Value::Number(word)) => Some(*word),
            _ => None,
        }
    }

    /// The variable has a value that nothing else is known of.
    pub fn set(&mut self, var: Var, value: Value) {
        self.octagon.forget(var);
        self.values.insert(var, value);
    }

    /// `x = y + c`; `value` is what the ranges say.
    pub fn set_sum(&mut self, x: Var, y: Var, c: Word, value: Word) {
        self.octagon.assign(x, y, c);
        self.values.insert(x, Value::Number(value));
    }

    pub fn forget(&mut self, var: Var) {
        self.octagon.forget(var);
        self.values.remove(&var);
    }

    /// Sharpens the range of a variable, and of those that are tied to it. False if that
    /// leaves nothing.
    pub fn narrow(&mut self, var: Var, range: Word) -> bool {
        let Some(known) = self.range(var).filter(|known| known.width() == range.width()) else {
            return true;
        };
        let sharp = known.meet(&range);
        if sharp.is_bottom() {
            return false;
        }
        if sharp == known {
            return true;
        }
        self.values.insert(var, Value::Number(sharp));
        self.octagon.neighbours(var).into_iter().all(|other| self.narrow_neighbour(var, other))
    }

    fn narrow_neighbour(&mut self, var: Var, other: Var) -> bool {
        let (Some(mine), Some(theirs)) = (self.range(var), self.range(other)) else { return true };
        if mine.width() != theirs.width() {
            return true;
        }
        let mut sharp = theirs;
        if let Some(difference) = self.octagon.difference(var, other) {
            sharp = sharp.meet(&mine.minus(&difference));
        }
        if let Some(sum) = self.octagon.sum(var, other) {
            sharp = sharp.meet(&sum.minus(&mine));
        }
        self.values.insert(other, Value::Number(sharp));
        !sharp.is_bottom()
    }

    /// What is known of `x - y`.
    pub fn difference(&self, x: Var, y: Var) -> Option<Word> {
        let (a, b) = (self.range(x)?, self.range(y)?);
        if a.width() != b.width() {
            return None;
        }
        if x == y {
            return Some(Word::constant(a.width(), 0));
        }
        let ranges = a.minus(&b);
        Some(self.octagon.difference(x, y).map_or(ranges, |known| known.meet(&ranges)))
    }

    /// What is known of `x + y`.
    pub fn sum(&self, x: Var, y: Var) -> Option<Word> {
        let (a, b) = (self.range(x)?, self.range(y)?);
        if a.width() != b.width() {
            return None;
        }
        let ranges = a.plus(&b);
        Some(self.octagon.sum(x, y).map_or(ranges, |known| known.meet(&ranges)))
    }

    /// Keeps what agrees with a comparison of two variables. False if nothing does.
    pub fn assume(&mut self, pred: Compare, x: Var, y: Var) -> bool {
        let (Some(a), Some(b)) = (self.range(x), self.range(y)) else { return true };
        if a.width() != b.width() {
            return true;
        }
        if !self.narrow(x, a.refined(pred, &b)) {
            return false;
        }
        let a = self.range(x).unwrap_or(a);
        if !self.narrow(y, b.refined(swapped(pred), &a)) {
            return false;
        }
        if x == y {
            return !matches!(
                pred,
                Compare::Ne | Compare::ULt | Compare::UGt | Compare::SLt | Compare::SGt
            );
        }
        let (Some(a), Some(b)) = (self.range(x), self.range(y)) else { return true };
        match self.implied_difference(pred, x, y, (&a, &b)) {
            Some(difference) => {
                self.octagon.assume_difference(x, y, difference)
                    && self.narrow_neighbour(x, y)
                    && self.narrow_neighbour(y, x)
            }
            None => true,
        }
    }

    /// What a comparison says of `x - y`, where that can't overflow.
    fn implied_difference(
        &self,
        pred: Compare,
        x: Var,
        y: Var,
        (a, b): (&Word, &Word),
    ) -> Option<Word> {
        let width = a.width();
        if pred == Compare::Eq {
            return Some(Word::constant(width, 0));
        }
        if pred == Compare::Ne {
            return Some(self.difference(x, y)?.without(0));
        }
        let signed = matches!(pred, Compare::SLt | Compare::SLe | Compare::SGt | Compare::SGe);
        let wide = |low: i64, high: i64| (i128::from(low), i128::from(high));
        let ((al, ah), (bl, bh)) = match signed {
            true => (wide(a.signed().0, a.signed().1), wide(b.signed().0, b.signed().1)),
            false => {
                let (u, v) = (a.unsigned(), b.unsigned());
                ((u.0.into(), u.1.into()), (v.0.into(), v.1.into()))
            }
        };
        let (mut low, mut high) = (al - bh, ah - bl);
        match pred {
            Compare::SLt | Compare::ULt => high = high.min(-1),
            Compare::SLe | Compare::ULe => high = high.min(0),
            Compare::SGt | Compare::UGt => low = low.max(1),
            _ => low = low.max(0),
        }
        let top = Word::top(width).signed();
        let fits = low >= i128::from(top.0) && high <= i128::from(top.1);
        fits.then(|| Word::signed_range(width, low as i64, high as i64))
    }

    /// Does a comparison hold for sure (`Some(true)`), or fail for sure?
    pub fn decide(&self, pred: Compare, x: Var, y: Var) -> Option<bool> {
        let (a, b) = (self.range(x)?, self.range(y)?);
        if a.width() != b.width() {
            return None;
        }
        if let Some(known) = Word::compare(pred, &a, &b) {
            return Some(known);
        }
        let holds = self.clone().assume(pred, x, y);
        let fails = self.clone().assume(negated(pred), x, y);
        match (holds, fails) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    /// Is the one value greater than the other as signed numbers, for sure?
    pub fn exceeds(&self, x: Var, y: Var) -> bool {
        self.decide(Compare::SGt, x, y) == Some(true)
    }

    pub fn leq(&self, other: &State) -> bool {
        let registers = other.values.iter().all(|(var, theirs)| match self.values.get(var) {
            Some(mine) => mine.leq(theirs),
            None => as_cell(*var).is_some() || *theirs == Value::Any,
        });
        let cells = self.values.keys().all(|var| {
            as_cell(*var).is_none()
                || other.values.contains_key(var)
                || self.values[var].is_bottom()
        });
        registers
            && cells
            && self.octagon.implies(&other.octagon, |var| self.range(var))
            && self.must.is_superset(&other.must)
            && self.may.is_subset(&other.may)
            && self.others.is_subset(&other.others)
            && self.made.is_subset(&other.made)
            && self.begun.is_subset(&other.begun)
            && self.created.iter().all(|(class, many)| {
                other.created.get(class).is_some_and(|theirs| *theirs || !many)
            })
            && (self.changed || !other.changed)
    }

    pub fn join(&self, other: &State) -> State {
        let mut joined = self.combine(other, Value::join, |a, b| {
            a.octagon.join(&b.octagon, |var| a.range(var), |var| b.range(var))
        });
        self.tie_constants(other, &mut joined);
        joined
    }

    /// Cells that are constants on both sides, and not the same, may keep their distance or
    /// their sum.
    fn tie_constants(&self, other: &State, joined: &mut State) {
        const MOST: usize = 8;
        let only = |state: &State, var: Var| state.range(var).filter(|word| word.only().is_some());
        let cells = self.values.keys().copied().filter(|var| as_cell(*var).is_some());
        let both = cells.filter_map(|var| Some((var, only(self, var)?, only(other, var)?)));
        let moved: Vec<_> = both.filter(|(_, a, b)| a != b && a.width() == b.width()).collect();
        if moved.len() > MOST {
            return;
        }
        for (at, (x, a, b)) in moved.iter().enumerate() {
            for (y, c, d) in moved[at + 1..].iter().filter(|(_, c, _)| c.width() == a.width()) {
                if a.minus(c) == b.minus(d) {
                    joined.octagon.assume_difference(*x, *y, a.minus(c));
                }
                if a.plus(c) == b.plus(d) {
                    joined.octagon.assume_sum(*x, *y, a.plus(c));
                }
            }
        }
    }

    pub fn widen(&self, other: &State, stops: Stops) -> State {
        let Stops { values, relations: thresholds } = stops;
        let widen = |a: &Value, b: &Value| a.widen(b, values);
        self.combine(other, widen, |a, b| {
            a.octagon.widen(&b.octagon, |var| b.range(var), thresholds)
        })
    }

    fn combine(
        &self,
        other: &State,
        value: impl Fn(&Value, &Value) -> Value,
        octagon: impl Fn(&State, &State) -> Octagon,
    ) -> State {
        let mut values = BTreeMap::new();
        for (&var, mine) in &self.values {
            match other.values.get(&var) {
                Some(theirs) => values.insert(var, value(mine, theirs)),
                None if as_cell(var).is_some() => values.insert(var, mine.clone()),
                None => None,
            };
        }
        for (&var, theirs) in &other.values {
            if as_cell(var).is_some() && !self.values.contains_key(&var) {
                values.insert(var, theirs.clone());
            }
        }
        let mut created = self.created.clone();
        for (&class, &many) in &other.created {
            *created.entry(class).or_default() |= many;
        }
        State {
            values,
            // Of a variable that only one side has, no relation is left.
            octagon: octagon(self, other),
            must: self.must.intersection(&other.must).copied().collect(),
            may: self.may.union(&other.may).copied().collect(),
            others: self.others.union(&other.others).copied().collect(),
            created,
            made: self.made.union(&other.made).copied().collect(),
            begun: self.begun.union(&other.begun).copied().collect(),
            changed: self.changed && other.changed,
        }
    }
}
