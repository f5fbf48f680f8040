//! A thread at one place of its unfolding: all runs that come there, as one.

use std::rc::Rc;

use heddle_ir::FuncId;
use heddle_sat::{Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::symbolic::Symbolic;
use crate::unfold::facts::Cell;

/// A place in the unfolding. Keys are compared as sequences, and a run only goes
/// from smaller to greater ones.
pub type Key = SmallVec<[u32; 24]>;

/// A loop that a frame is in.
#[derive(Clone, Copy, Debug)]
pub struct LoopMark {
    pub iteration: u32,
    /// Iterations that not all runs took part in.
    pub counted: u32,
    /// Iterations since, in which other threads could be noticed.
    pub watched: u32,
    /// When the head was entered last.
    pub guard: Term,
    /// When something was changed since.
    pub effect: Term,
    /// Something that others can change was looked at since.
    pub looked: bool,
    /// When something was read since that others can see, or may see.
    pub gazed: Term,
    pub unsure: Term,
    /// A jump out of the loop was possible, as far as the control flow goes.
    pub tested: bool,
    /// Events of the thread by then.
    pub events: u32,
    /// What a native run has counted by then.
    pub passed: Option<Term>,
}

#[derive(Clone, Debug)]
pub struct Frame {
    pub function: FuncId,
    pub block: u32,
    /// The next instruction; for a caller, the one after the call.
    pub pc: u32,
    pub regs: Rc<Vec<Option<Term>>>,
    pub loops: SmallVec<[LoopMark; 4]>,
    /// Stack objects.
    pub objects: Vec<u32>,
}

#[derive(Clone, Debug)]
pub struct State {
    /// Which runs come here.
    pub guard: Term,
    pub frames: Vec<Frame>,
    /// Memory that only this thread uses, as far as it was written.
    pub memory: Rc<FxHashMap<Cell, Term>>,
    /// Objects that others can see in all runs that come here.
    pub published: Rc<FxHashSet<u32>>,
    /// No other thread has been created.
    pub alone: bool,
    /// Depth of atomic sections, and the point they happen at.
    pub atomic: u32,
    pub section: Option<u32>,
    /// What runs at the end of a thread has been called.
    pub ending: bool,
    /// Events that a native run counts; `None` for zero.
    pub passed: Option<Term>,
    /// Threads that were created, if that is the same in all runs that come here.
    pub children: Option<u32>,
}

impl State {
    pub fn new(guard: Term) -> State {
        State {
            guard,
            frames: Vec::new(),
            memory: Rc::default(),
            published: Rc::default(),
            alone: true,
            atomic: 0,
            section: None,
            ending: false,
            passed: None,
            children: Some(0),
        }
    }

    pub fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a running thread has a frame")
    }

    /// Joins another state at the same place. Where they differ, which one is right
    /// depends on whether `self.guard` holds.
    pub fn merge(&mut self, other: State, symbolic: &mut Symbolic) {
        let terms = &mut symbolic.terms;
        let mine = terms.distinguish(self.guard, other.guard);
        for (a, b) in self.frames.iter_mut().zip(other.frames) {
            for (a, b) in a.loops.iter_mut().zip(&b.loops) {
                a.counted = a.counted.max(b.counted);
                a.watched = a.watched.max(b.watched);
                a.effect = terms.select(mine, a.effect, b.effect);
                a.looked |= b.looked;
                a.gazed = terms.select(mine, a.gazed, b.gazed);
                a.unsure = terms.select(mine, a.unsure, b.unsure);
                a.tested |= b.tested;
                a.events = a.events.min(b.events);
                a.passed = select_count(terms, mine, a.passed, b.passed);
                a.guard = terms.or(a.guard, b.guard);
            }
            if Rc::ptr_eq(&a.regs, &b.regs) {
                continue;
            }
            let regs = Rc::make_mut(&mut a.regs);
            for (x, y) in regs.iter_mut().zip(b.regs.iter()) {
                *x = match (*x, *y) {
                    (Some(x), Some(y)) if x != y => Some(terms.select(mine, x, y)),
                    (Some(x), _) => Some(x),
                    (None, y) => y,
                };
            }
        }
        if !Rc::ptr_eq(&self.published, &other.published) {
            Rc::make_mut(&mut self.published).retain(|object| other.published.contains(object));
        }
        self.guard = terms.or(self.guard, other.guard);
        self.ending |= other.ending;
        self.passed = select_count(terms, mine, self.passed, other.passed);
        self.children = self.children.filter(|_| self.children == other.children);
    }
}

fn select_count(terms: &mut Terms, mine: Term, a: Option<Term>, b: Option<Term>) -> Option<Term> {
    if a == b {
        return a;
    }
    let zero = terms.constant(0, 32);
    Some(terms.select(mine, a.unwrap_or(zero), b.unwrap_or(zero)))
}

/// The parts of a state's key that a frame adds.
pub fn extend_key(key: &mut Key, place: &crate::unfold::order::Place, frame: &Frame) {
    for (head, mark) in place.loops.iter().zip(&frame.loops) {
        key.push(*head);
        key.push(mark.iteration);
    }
    key.push(place.position);
    key.push(frame.pc);
}
