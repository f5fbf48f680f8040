//! Octagons: what is known of the differences and sums of pairs of words.
//!
//! Miné, "The octagon abstract domain" (HOSC 2006). Deviations:
//!
//! 1. An entry is not a bound of a mathematical number but a [`Word`]: what `x - y` and
//!    `x + y` are in the machine, modulo 2ʷ. So `x = x + 1` moves the entries of `x` whether
//!    or not it wraps around, and `head - tail <= 8` survives counters that run over. In
//!    turn `x < y` says something of the difference only where the ranges of both show that
//!    it does not overflow.
//! 2. Pairs are kept in a map, those of which nothing is known are not in it, and only words
//!    of the same width are paired. Closure is not complete: what a new entry implies is
//!    followed for one step, from each neighbour.
//! 3. Clusters: a variable has entries with at most [`MOST`] others. Further ones are lost.
//! 4. Ranges of variables stand elsewhere; where a join meets a pair that only one side
//!    knows, the ranges of the other side give the entry.

use std::collections::{BTreeMap, BTreeSet};

use super::{Lattice, Thresholds, Word};

/// A variable, as the user of the domain numbers them.
pub type Var = u32;

/// Entries that a variable may have.
const MOST: usize = 12;

/// What is known of two words, the first with the smaller number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    difference: Word,
    sum: Word,
}

impl Pair {
    fn top(width: u8) -> Pair {
        Pair { difference: Word::top(width), sum: Word::top(width) }
    }

    fn is_top(&self) -> bool {
        self.difference.is_top() && self.sum.is_top()
    }

    fn combine(&self, other: &Pair, mut how: impl FnMut(&Word, &Word) -> Word) -> Pair {
        Pair {
            difference: how(&self.difference, &other.difference),
            sum: how(&self.sum, &other.sum),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Octagon {
    pairs: BTreeMap<(Var, Var), Pair>,
    neighbours: BTreeMap<Var, BTreeSet<Var>>,
}

impl Octagon {
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// All pairs of which something is known: `x`, `y`, `x - y`, `x + y`.
    pub fn entries(&self) -> impl Iterator<Item = (Var, Var, Word, Word)> + '_ {
        self.pairs.iter().map(|(&(x, y), pair)| (x, y, pair.difference, pair.sum))
    }

    pub fn neighbours(&self, x: Var) -> Vec<Var> {
        self.neighbours.get(&x).map(|all| all.iter().copied().collect()).unwrap_or_default()
    }

    /// What is known of `x - y`.
    pub fn difference(&self, x: Var, y: Var) -> Option<Word> {
        match x < y {
            true => self.pairs.get(&(x, y)).map(|pair| pair.difference),
            false => self.pairs.get(&(y, x)).map(|pair| pair.difference.negated()),
        }
    }

    /// What is known of `x + y`.
    pub fn sum(&self, x: Var, y: Var) -> Option<Word> {
        self.pairs.get(&(x.min(y), x.max(y))).map(|pair| pair.sum)
    }

    /// Forgets what is known of a variable.
    pub fn forget(&mut self, x: Var) {
        for y in self.neighbours.remove(&x).unwrap_or_default() {
            self.pairs.remove(&(x.min(y), x.max(y)));
            self.part(y, x);
        }
    }

    fn part(&mut self, x: Var, y: Var) {
        if let Some(others) = self.neighbours.get_mut(&x) {
            others.remove(&y);
            if others.is_empty() {
                self.neighbours.remove(&x);
            }
        }
    }

    /// Forgets all variables but those that are kept.
    pub fn retain(&mut self, keep: impl Fn(Var) -> bool) {
        let gone: Vec<Var> = self.neighbours.keys().copied().filter(|&x| !keep(x)).collect();
        gone.into_iter().for_each(|x| self.forget(x));
    }

    fn put(&mut self, x: Var, y: Var, pair: Pair) {
        let key = (x.min(y), x.max(y));
        if pair.is_top() {
            if self.pairs.remove(&key).is_some() {
                self.part(x, y);
                self.part(y, x);
            }
            return;
        }
        let full = |x: Var| self.neighbours.get(&x).is_some_and(|all| all.len() >= MOST);
        if !self.pairs.contains_key(&key) && (full(x) || full(y)) {
            return;
        }
        self.pairs.insert(key, pair);
        self.neighbours.entry(x).or_default().insert(y);
        self.neighbours.entry(y).or_default().insert(x);
    }

    /// Meets what is known of `x - y`, and follows what that implies. False if nothing is
    /// left.
    pub fn assume_difference(&mut self, x: Var, y: Var, value: Word) -> bool {
        if !self.meet_difference(x, y, value) {
            return false;
        }
        // x - z = (x - y) + (y - z), x + z = (x - y) + (y + z)
        for z in self.neighbours(y).into_iter().filter(|&z| z != x) {
            let (difference, sum) = (self.difference(y, z), self.sum(y, z));
            if difference.is_some_and(|d| !self.meet_difference(x, z, value.plus(&d)))
                || sum.is_some_and(|s| !self.meet_sum(x, z, value.plus(&s)))
            {
                return false;
            }
        }
        // y - z = (x - z) - (x - y), y + z = (x + z) - (x - y)
        for z in self.neighbours(x).into_iter().filter(|&z| z != y) {
            let (difference, sum) = (self.difference(x, z), self.sum(x, z));
            if difference.is_some_and(|d| !self.meet_difference(y, z, d.minus(&value)))
                || sum.is_some_and(|s| !self.meet_sum(y, z, s.minus(&value)))
            {
                return false;
            }
        }
        self.follow_copies(x, y, value)
    }

    /// What is known of two variables is known of those that differ from them by constants.
    fn follow_copies(&mut self, x: Var, y: Var, value: Word) -> bool {
        let copies = |this: &Octagon, of: Var| -> Vec<(Var, Word)> {
            let all = this.neighbours(of).into_iter();
            let apart = |z: Var| this.difference(of, z).filter(|d| d.only().is_some());
            all.filter_map(|z| apart(z).map(|d| (z, d))).collect()
        };
        let (left, right) = (copies(self, x), copies(self, y));
        for &(a, from_x) in left.iter().filter(|(a, _)| *a != y) {
            for &(b, from_y) in right.iter().filter(|(b, _)| *b != x && *b != a) {
                // a - b = (x - y) - (x - a) + (y - b)
                if !self.meet_difference(a, b, value.minus(&from_x).plus(&from_y)) {
                    return false;
                }
            }
        }
        true
    }

    /// The same for `x + y`, without what that implies.
    pub fn assume_sum(&mut self, x: Var, y: Var, value: Word) -> bool {
        self.meet_sum(x, y, value)
    }

    fn meet_difference(&mut self, x: Var, y: Var, value: Word) -> bool {
        let value = if x < y { value } else { value.negated() };
        let known = self.pairs.get(&(x.min(y), x.max(y))).copied();
        let mut pair = known.unwrap_or(Pair::top(value.width()));
        pair.difference = pair.difference.meet(&value);
        self.put(x, y, pair);
        !pair.difference.is_bottom()
    }

    fn meet_sum(&mut self, x: Var, y: Var, value: Word) -> bool {
        let known = self.pairs.get(&(x.min(y), x.max(y))).copied();
        let mut pair = known.unwrap_or(Pair::top(value.width()));
        pair.sum = pair.sum.meet(&value);
        self.put(x, y, pair);
        !pair.sum.is_bottom()
    }

    /// Takes over entries of pairs of which nothing is known here.
    pub fn take_over(&mut self, other: &Octagon, which: impl Fn(Var, Var) -> bool) {
        for (&(x, y), pair) in other.pairs.iter().filter(|((x, y), _)| which(*x, *y)) {
            self.put(x, y, *pair);
        }
    }

    /// `x = y + c`, for all values of `c`.
    pub fn assign(&mut self, x: Var, y: Var, c: Word) {
        if x == y {
            return self.shift(x, c);
        }
        self.forget(x);
        self.meet_difference(x, y, c);
        for z in self.neighbours(y).into_iter().filter(|&z| z != x) {
            if let Some(d) = self.difference(y, z) {
                self.meet_difference(x, z, d.plus(&c));
            }
            if let Some(s) = self.sum(y, z) {
                self.meet_sum(x, z, s.plus(&c));
            }
        }
    }

    /// `x = c - y`.
    pub fn assign_negated(&mut self, x: Var, y: Var, c: Word) {
        if x == y {
            return self.forget(x);
        }
        self.forget(x);
        self.meet_sum(x, y, c);
        for z in self.neighbours(y).into_iter().filter(|&z| z != x) {
            if let Some(s) = self.sum(y, z) {
                self.meet_difference(x, z, c.minus(&s));
            }
            if let Some(d) = self.difference(y, z) {
                self.meet_sum(x, z, c.minus(&d));
            }
        }
    }

    /// `x = x + c`.
    fn shift(&mut self, x: Var, c: Word) {
        for z in self.neighbours(x) {
            let (d, s) = (self.difference(x, z), self.sum(x, z));
            let width = c.width();
            self.put(x, z, Pair::top(width));
            if let Some(d) = d {
                self.meet_difference(x, z, d.plus(&c));
            }
            if let Some(s) = s {
                self.meet_sum(x, z, s.plus(&c));
            }
        }
    }

    /// Is all that `other` says said here, given the ranges of the variables here?
    pub fn implies(&self, other: &Octagon, range: impl Fn(Var) -> Option<Word>) -> bool {
        other.pairs.iter().all(|(&(x, y), theirs)| {
            let mine = self.pair(x, y, &range);
            mine.is_some_and(|mine| {
                mine.difference.leq(&theirs.difference) && mine.sum.leq(&theirs.sum)
            })
        })
    }

    /// An entry, or what the ranges say of it.
    fn pair(&self, x: Var, y: Var, range: &impl Fn(Var) -> Option<Word>) -> Option<Pair> {
        let known = self.pairs.get(&(x.min(y), x.max(y)));
        let (first, second) = (range(x.min(y)), range(x.max(y)));
        let ranges = match (first, second) {
            (Some(a), Some(b)) if a.width() == b.width() => {
                Some(Pair { difference: a.minus(&b), sum: a.plus(&b) })
            }
            _ => None,
        };
        match (known, ranges) {
            (Some(known), Some(ranges)) if known.sum.width() == ranges.sum.width() => {
                Some(known.combine(&ranges, Word::meet))
            }
            (Some(known), _) => Some(*known),
            (None, ranges) => ranges,
        }
    }

    /// What both say. The ranges are those of the variables on either side.
    pub fn join(
        &self,
        other: &Octagon,
        mine: impl Fn(Var) -> Option<Word>,
        theirs: impl Fn(Var) -> Option<Word>,
    ) -> Octagon {
        let mut result = Octagon::default();
        let keys: BTreeSet<&(Var, Var)> = self.pairs.keys().chain(other.pairs.keys()).collect();
        for &&(x, y) in &keys {
            let (a, b) = (self.pair(x, y, &mine), other.pair(x, y, &theirs));
            if let (Some(a), Some(b)) = (a, b)
                && a.sum.width() == b.sum.width()
            {
                let joined = a.combine(&b, Word::join);
                // What the ranges say anyway need not be kept.
                let worth = self.pairs.contains_key(&(x, y)) && other.pairs.contains_key(&(x, y))
                    || joined.difference.only().is_some()
                    || joined.sum.only().is_some()
                    || is_sharp(&joined.difference)
                    || is_sharp(&joined.sum);
                if worth {
                    result.put(x, y, joined);
                }
            }
        }
        result
    }

    /// Entries that have not settled go to the next threshold. New ones are none.
    pub fn widen(
        &self,
        other: &Octagon,
        theirs: impl Fn(Var) -> Option<Word>,
        thresholds: &Thresholds,
    ) -> Octagon {
        let mut result = Octagon::default();
        for (&(x, y), a) in &self.pairs {
            if let Some(b) = other.pair(x, y, &theirs)
                && a.sum.width() == b.sum.width()
            {
                result.put(x, y, a.combine(&b, |a, b| a.widen(b, thresholds)));
            }
        }
        result
    }
}

/// Does a range say much more than nothing?
fn is_sharp(word: &Word) -> bool {
    let (low, high) = word.signed();
    let size = i128::from(high) - i128::from(low);
    size < 1i128 << (word.width() - 1)
}
