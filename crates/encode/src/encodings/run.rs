//! What an encoding tells of a run: how things stand in the end, and when they happened.

use heddle_sat::Term;
use rustc_hash::FxHashMap;

use crate::unfold::facts::Cell;

pub(crate) struct Run {
    /// Thread, point: it was passed.
    pub passed: Vec<Vec<Term>>,
    /// What is in shared cells.
    pub content: FxHashMap<Cell, Term>,
    /// Thread, store that may wait: it is in memory.
    pub arrived: Vec<Vec<Term>>,
    /// Some store reached memory that was gone, if one of these holds.
    pub late: Vec<Term>,
    /// Hold within the bound and need not hold in a larger one.
    pub within: Vec<Term>,
    /// The run uses the bound up. If none does, there is none beyond the bound.
    pub full: Option<Term>,
    pub timeline: Timeline,
}

/// What a run does that it could do without: change threads, and let stores wait.
pub(crate) struct Switches {
    /// Thread, point: at some time the thread stands before it, has passed others, and
    /// another thread is the next to move.
    pub preempted: Vec<Vec<Term>>,
    /// Thread, point, turn of the thread.
    pub stands: Vec<Vec<Vec<Stand>>>,
    /// Thread, turn: nobody moves between the end of this turn and the thread's next one.
    pub idle: Vec<Vec<Term>>,
    /// Thread, store that may wait: it does.
    pub delayed: Vec<Vec<Term>>,
}

/// A thread stands before a point at the end of a turn if both hold: it came past the point
/// before, and not past this one. Nowhere before its first point.
pub(crate) type Stand = Option<(Term, Term)>;

/// When things happen. Equal times: by thread, and in the order of the program.
#[derive(Default)]
pub(crate) struct Timeline {
    /// Thread, point.
    pub points: Vec<Vec<Key>>,
    /// Thread, store that may wait: when it reaches memory. What would be before its
    /// point is with it.
    pub arrivals: Vec<Vec<Key>>,
}

/// A time, in a model: `base`, and for each term its value so many times.
#[derive(Clone, Default)]
pub(crate) struct Key {
    pub base: u64,
    pub parts: Vec<(Term, u64)>,
}

impl Key {
    pub fn time(&self, value: &mut dyn FnMut(Term) -> u64) -> u64 {
        let parts = self.parts.iter().map(|&(term, weight)| weight * value(term));
        self.base + parts.sum::<u64>()
    }
}
