//! Accesses that are no visible steps although other threads can see them, because
//! nothing that is checked depends on their values.
//!
//! A machine with a guide runs real executions of the program: an access that the
//! guide hides is made as part of the step it stands in. What makes that enough is
//! said where guides are made (`explore/src/guided.rs`).
//!
//! With a guide, whether an access is a step does not depend on whether somebody has
//! already published the object, which hidden accesses do too, but on whether anybody
//! ever could; unless [`Guide::published`] is set.

use std::sync::Arc;

use heddle_ir::{FuncId, GlobalId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::threads::thread::Frame;

/// What becomes of the accesses of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Made at once. So are locks and unlocks of mutexes that are never found taken.
    Hidden,
    /// A step that only looks whether the object is still there. Of the initialisation or
    /// destruction of a mutex: nobody else may be there.
    Probe,
    /// A write that its thread overwrites at once. Made at once; but no other thread may
    /// read there (see `Machine::sighted`).
    Blind,
    /// A step.
    Kept,
}

/// An object as guides tell them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Known {
    Global(GlobalId),
    /// Any thread's instance.
    ThreadLocal(GlobalId),
    /// Made by this instruction.
    Made(u32),
    /// Made by the machine itself.
    Given,
}

/// Where an instruction may access memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Reach {
    #[default]
    Anywhere,
    /// At these offsets of objects; `None` for any.
    At(Vec<(Known, Option<i64>)>),
    /// A library function: it reads anywhere in these objects, and writes to less than
    /// [`Reach::WRITTEN`] bytes from there on.
    Around(Vec<(Known, Option<i64>)>),
}

impl Reach {
    pub const WRITTEN: i64 = 64;

    fn has(&self, object: Known, offset: i64, bytes: i64, writes: bool) -> bool {
        let found = |places: &[(Known, Option<i64>)], fits: &dyn Fn(i64) -> bool| {
            places.iter().any(|place| place.0 == object && place.1.is_none_or(fits))
        };
        match self {
            Reach::Anywhere => true,
            Reach::At(places) => found(places, &|start| start == offset),
            Reach::Around(places) => found(places, &|start| {
                !writes || start <= offset && offset + bytes <= start + Reach::WRITTEN
            }),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Guide {
    /// For each function and block, the number of its first instruction.
    pub starts: Vec<Vec<u32>>,
    /// For each instruction; all are kept if this is empty.
    pub roles: Vec<Role>,
    /// Some are [`Role::Blind`].
    pub blind: bool,
    /// For each instruction: it makes objects that only the thread itself can reach.
    pub private: Vec<bool>,
    /// For each global variable: only hidden accesses go there. A search that keeps states
    /// leaves its contents out of them.
    pub idle: Vec<bool>,
    /// For each function and register: something that matters may depend on it. All do, where
    /// nothing is said. A search that keeps states leaves the others out of them.
    pub needed: Arc<Vec<Vec<bool>>>,
    /// Loops, by function and header, whose end does not depend on what is hidden.
    pub loops: FxHashSet<(FuncId, u32)>,
    /// For each function: it may be called, as far as the guide knows. None are known if
    /// this is empty.
    pub functions: Vec<bool>,
    /// For each instruction, where it may access memory. What is hidden rests on that, so
    /// it is checked at each access.
    pub reaches: Arc<Vec<Reach>>,
    /// What calls through pointers, and creations of threads, may lead to.
    pub callees: Arc<FxHashMap<u32, Vec<FuncId>>>,
    /// Reads that matter, but whose writers are not kept, because nobody has come there yet.
    pub unread: Vec<bool>,
    /// An object counts as seen once its address was stored where others could find it.
    /// Hidden stores do that too early or too late, but whoever makes an access that matters
    /// has its address from one that matters.
    pub published: bool,
    /// Accesses to memory that only one thread uses are no steps (see `own.rs`).
    pub own: bool,
    /// All of them are, but which memory that is gets noted.
    pub tries: bool,
    /// Not those to these pieces.
    pub common: FxHashSet<u64>,
    /// Critical sections are one step where nobody can tell (see `critical_sections.rs`).
    pub peek: bool,
    /// But not those of these mutexes.
    pub noisy: FxHashSet<u64>,
}

impl Guide {
    /// The number of an instruction, if the guide hides anything.
    #[inline]
    pub(crate) fn number(&self, frame: &Frame, pc: usize) -> usize {
        self.starts[frame.function.0 as usize][frame.block as usize] as usize + pc
    }

    /// Does it hide anything?
    pub(crate) fn hides(&self) -> bool {
        !self.roles.is_empty()
    }

    /// Is a function called that should not be? Then the guide is no good.
    pub(crate) fn is_surprised(&self, function: FuncId) -> bool {
        self.functions.get(function.0 as usize) == Some(&false)
    }

    /// Is it a read that nobody had come to?
    #[inline]
    pub(crate) fn is_first_read(&self, site: usize) -> bool {
        self.unread[site]
    }

    /// May the instruction access these bytes of the object?
    #[inline]
    pub(crate) fn foresees(
        &self,
        site: usize,
        (offset, bytes): (u32, u32),
        writes: bool,
        object: impl FnOnce() -> Known,
    ) -> bool {
        match &self.reaches[site] {
            Reach::Anywhere => true,
            reach => reach.has(object(), i64::from(offset), i64::from(bytes), writes),
        }
    }

    /// May the instruction call the function, or have a thread do so?
    pub(crate) fn foresees_call(&self, frame: &Frame, pc: usize, target: FuncId) -> bool {
        self.starts.is_empty()
            || self
                .callees
                .get(&(self.number(frame, pc) as u32))
                .is_none_or(|callees| callees.contains(&target))
    }

    /// The number of the instruction, for objects that it makes.
    pub(crate) fn maker(&self, frame: &Frame, pc: usize) -> Option<u32> {
        (!self.starts.is_empty()).then(|| self.number(frame, pc) as u32)
    }

    #[inline]
    pub(crate) fn role(&self, site: usize) -> Role {
        self.roles[site]
    }

    pub(crate) fn is_private(&self, frame: &Frame, pc: usize) -> bool {
        !self.private.is_empty() && self.private[self.number(frame, pc)]
    }
}
