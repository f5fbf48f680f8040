//! Abstract domains of machine integers: what can be said of the values that words of a
//! program take, and of pairs of them.
//!
//! | file | domain | says |
//! |---|---|---|
//! | `word` | ranges with congruences | `0 <= n <= 7`, `n % 4 == 0` |
//! | `octagon` | octagons | `head - tail <= 8`, `a + b == 10` |
//!
//! Both are written here and not taken from the Parma Polyhedra Library: its numbers are
//! mathematical integers, so that each sum of machine integers would have to be shown not to
//! wrap, or be lost; and it would be a system library that every build needs. Here an entry
//! of an octagon is a word itself, the difference or the sum of two words *as the machine
//! computes it*, for which wrap-around is exact. There are no polyhedra: relations of more
//! than two variables are lost.

mod octagon;
mod word;
mod word_ops;

pub use octagon::{Octagon, Var};
pub use word::{Word, sign_extend};
pub use word_ops::{negated, swapped};

/// Bounds that widening stops at, in order. They are constants of the program, with their
/// neighbours.
#[derive(Clone, Debug, Default)]
pub struct Thresholds(Vec<i64>);

impl Thresholds {
    pub fn new(mut values: Vec<i64>) -> Thresholds {
        values.sort_unstable();
        values.dedup();
        Thresholds(values)
    }

    /// The largest one that is not above `bound`.
    fn below(&self, bound: i64) -> Option<i64> {
        let at = self.0.partition_point(|&value| value <= bound);
        at.checked_sub(1).map(|at| self.0[at])
    }

    /// The smallest one that is not below `bound`.
    fn above(&self, bound: i64) -> Option<i64> {
        self.0.get(self.0.partition_point(|&value| value < bound)).copied()
    }
}

/// What every domain has. `a.leq(b)` may be false though all that `a` stands for is in `b`,
/// never the other way round.
pub trait Lattice: Clone + PartialEq {
    fn leq(&self, other: &Self) -> bool;
    /// Stands for everything that either stands for.
    fn join(&self, other: &Self) -> Self;
    /// Stands for everything that both stand for.
    fn meet(&self, other: &Self) -> Self;
    /// As `join`, but of `a, a.widen(b), …` only finitely many differ.
    fn widen(&self, other: &Self, thresholds: &Thresholds) -> Self;
}
