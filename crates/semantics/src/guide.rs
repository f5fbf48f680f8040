//! Accesses that are no visible steps although other threads can see them, because
//! nothing that is checked depends on their values.
//!
//! A machine with a guide runs real executions of the program: an access that the
//! guide hides is made as part of the step it stands in. What makes that enough is
//! said where guides are made (`explore/src/guided.rs`).
//!
//! With a guide, whether an access is a step does not depend on whether somebody has
//! already published the object, which hidden accesses do too, but on whether anybody
//! ever could.

use heddle_ir::FuncId;
use rustc_hash::FxHashSet;

use crate::thread::Frame;

/// What becomes of the accesses of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Made at once.
    Hidden,
    /// A step that only looks whether the object is still there.
    Probe,
    /// A write that its thread overwrites at once. Made at once; but no other thread may
    /// read there (see `Machine::sighted`).
    Blind,
    /// A step.
    Kept,
}

#[derive(Clone, Debug, Default)]
pub struct Guide {
    /// For each function and block, the number of its first instruction.
    pub starts: Vec<Vec<u32>>,
    /// For each instruction; all are kept if this is empty.
    pub roles: Vec<Role>,
    /// For each instruction: it makes objects that only the thread itself can reach.
    pub private: Vec<bool>,
    /// Loops, by function and header, whose end does not depend on what is hidden.
    pub loops: FxHashSet<(FuncId, u32)>,
    /// For each function: it may be called, as far as the guide knows. None are known if
    /// this is empty.
    pub functions: Vec<bool>,
    /// Critical sections are one step where nobody can tell (see `machine/quiet.rs`).
    pub peek: bool,
    /// But not those of these mutexes.
    pub noisy: FxHashSet<u64>,
}

impl Guide {
    #[inline]
    fn number(&self, frame: &Frame, pc: usize) -> usize {
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

    #[inline]
    pub(crate) fn role(&self, frame: &Frame, pc: usize) -> Role {
        if self.roles.is_empty() { Role::Kept } else { self.roles[self.number(frame, pc)] }
    }

    pub(crate) fn is_private(&self, frame: &Frame, pc: usize) -> bool {
        !self.private.is_empty() && self.private[self.number(frame, pc)]
    }
}
