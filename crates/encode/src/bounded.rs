//! A bounded program: what the unfolding of all threads came to.
//!
//! Each thread is a sequence of *points* at which it can be switched out, with the
//! accesses to shared cells that happen there. Control only moves forward. Values
//! are terms; what a shared read gives is a variable of its own, which an encoding
//! of the interleavings ties to the writes.

use heddle_ir::{FuncId, Ordering, Span};
use heddle_machine::Instructions;
use heddle_sat::{Limit, Term};
use heddle_semantics::{Bounds, Ends, ViolationKind};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::unfold::facts::Cell;

pub use heddle_semantics::Site;

/// Where an access goes, and under which condition.
pub type Targets = SmallVec<[(Cell, Term); 1]>;

#[derive(Clone, Debug)]
pub enum Action {
    /// The variable takes the value of the cell.
    Read {
        value: Term,
    },
    /// The same, but nobody waits for the cell to change.
    Look {
        value: Term,
    },
    /// `order` as in the program, `None` for plain stores; `direct`: part of an
    /// operation that acts on memory at once.
    Write {
        value: Term,
        order: Option<Ordering>,
        direct: bool,
    },
    /// Earlier stores of the thread are in memory by then.
    Drain,
    /// A load of all the targets at once: no store of the thread waits that has some
    /// of them, unless the newest one of these has all.
    Clear,
    Fence {
        order: Ordering,
    },
}

#[derive(Clone, Debug)]
pub struct Event {
    pub point: u32,
    pub guard: Term,
    pub action: Action,
    pub targets: Targets,
    /// Cells that say whether the objects are gone, to be looked at when a store
    /// reaches memory.
    pub lives: Targets,
    pub site: Site,
}

/// A property, or the reason why a run is not followed further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    Violation(ViolationKind),
    /// A loop or recursion was cut after so many turns.
    Unwind(u32),
    Unsupported(String),
}

/// `condition` says when it is reached, if the thread comes past `point`.
#[derive(Clone, Debug)]
pub struct Check {
    /// `None`: before the first one.
    pub point: Option<u32>,
    pub condition: Term,
    pub goal: Goal,
    pub span: Span,
}

/// A thread can pass `point` under `guard` only while the cell lets it.
#[derive(Clone, Debug)]
pub struct Wait {
    pub point: u32,
    pub guard: Term,
    /// All of these must hold.
    pub tests: Vec<Test>,
    /// It is a scheduling constraint, not a part of the program.
    pub ordered: bool,
}

/// Cells in a row, with their numbers of bytes.
pub type Cells = SmallVec<[(Cell, u32); 1]>;

/// A test of cells. It holds if what they contain equals one of `any`, differs from
/// `not`, or is a place apart from `apart`.
#[derive(Clone, Debug)]
pub struct Test {
    /// Where it looks, and when it looks there: cells in a row, with their bytes.
    pub targets: Vec<(Cells, Term)>,
    /// What the thread read there.
    pub value: Term,
    pub any: SmallVec<[Term; 2]>,
    pub not: Option<Term>,
    pub apart: Option<Term>,
}

/// A choice that the environment makes at a point must satisfy this.
#[derive(Clone, Debug)]
pub struct Require {
    pub point: u32,
    pub condition: Term,
}

/// A thread that spins at the end of an iteration which changed nothing, unless
/// something it read in it changes.
#[derive(Clone, Debug)]
pub struct Spin {
    pub point: Option<u32>,
    pub guard: Term,
    /// Its reads, as indices of events.
    pub reads: std::ops::Range<u32>,
    /// When it looked at memory that others can see; otherwise it never ends.
    pub looked: Term,
}

/// An operation of the program, in the order of execution, for finding back what a
/// model means in the interpreter.
#[derive(Clone, Debug)]
pub struct Note {
    pub site: Site,
    pub guard: Term,
    /// Events that it consists of.
    pub events: std::ops::Range<u32>,
    /// What it loads, or the input it reads.
    pub value: Option<Term>,
    /// The object that it makes, if nothing was written there.
    pub makes: Option<u32>,
}

#[derive(Clone, Debug)]
pub struct ThreadCode {
    /// Creator; itself for the main thread.
    pub parent: u32,
    pub entry: FuncId,
    pub points: u32,
    pub events: Vec<Event>,
    pub checks: Vec<Check>,
    pub waits: Vec<Wait>,
    pub spins: Vec<Spin>,
    pub requires: Vec<Require>,
    pub notes: Vec<Note>,
    /// It has ended, or ended the process, if one of these guards holds and the
    /// thread came past the point.
    pub ends: Vec<(Option<u32>, Term)>,
    pub exits: Vec<(Option<u32>, Term)>,
    /// An assumption failed: runs in which the thread stands there do not count.
    pub drops: Vec<(Option<u32>, Term)>,
    /// Its children in the order of the unfolding, with their guards.
    pub children: Vec<(u32, Term)>,
}

impl Default for ThreadCode {
    fn default() -> ThreadCode {
        ThreadCode {
            parent: 0,
            entry: FuncId(0),
            points: 0,
            events: Vec::new(),
            checks: Vec::new(),
            waits: Vec::new(),
            spins: Vec::new(),
            requires: Vec::new(),
            notes: Vec::new(),
            ends: Vec::new(),
            exits: Vec::new(),
            drops: Vec::new(),
            children: Vec::new(),
        }
    }
}

#[derive(Debug, Default)]
pub struct Bounded {
    pub threads: Vec<ThreadCode>,
    /// What shared cells hold when the first thread is created.
    pub initial: FxHashMap<Cell, Term>,
    /// What cells of so many bytes hold that nobody has written to.
    pub unwritten: Vec<(Cell, u32, Term)>,
    /// How many bits the values of cells need, if fewer than they have.
    pub bits: FxHashMap<Cell, Limit>,
    pub names: FxHashMap<Cell, String>,
    /// The bound on iterations that it was unfolded with.
    pub unwind: u32,
    /// Unknown integers were taken to have fewer bits.
    pub narrowed: bool,
    /// Choices that were made in some run.
    pub assumed: Bounds,
    /// An address that may be freed is compared with another one's.
    pub reuse: bool,
    /// Where assumptions may fail.
    pub ends: Ends,
    /// See [`heddle_semantics::traps_end`].
    pub traps_end: bool,
    /// What the events of constraints are.
    pub instructions: Instructions,
}
