//! Visible steps as a search sees them: which bytes they touched and how.

use smallvec::SmallVec;

use crate::ThreadId;

/// How a step touches a range of memory. Mutexes live in memory too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    Read,
    /// Acted as a read (a compare-exchange or trylock that failed), but would
    /// write in another state.
    FailedWrite,
    Write,
    /// Blocking acquisition of a mutex: not enabled while it is held.
    Acquire,
    /// Release of a mutex.
    Release,
}

impl AccessKind {
    /// Did not change memory.
    pub fn is_read(self) -> bool {
        matches!(self, AccessKind::Read | AccessKind::FailedWrite)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    pub addr: u64,
    pub len: u32,
    pub kind: AccessKind,
}

impl Access {
    #[inline]
    pub fn overlaps(&self, other: &Access) -> bool {
        self.addr < other.addr + u64::from(other.len)
            && other.addr < self.addr + u64::from(self.len)
    }

    /// The order of the two can matter.
    #[inline]
    pub fn conflicts(&self, other: &Access) -> bool {
        self.overlaps(other) && !(self.kind.is_read() && other.kind.is_read())
    }

    /// As [`Access::conflicts`], but `self` was recorded in one state and may run
    /// in another, where a failed write would succeed.
    #[inline]
    pub fn may_conflict(&self, other: &Access) -> bool {
        self.overlaps(other) && !(self.kind == AccessKind::Read && other.kind.is_read())
    }
}

/// The ranges a step touched.
pub type Footprint = SmallVec<[Access; 2]>;

pub fn conflict(a: &[Access], b: &[Access]) -> bool {
    a.iter().any(|x| b.iter().any(|y| x.conflicts(y)))
}

/// One visible step that was executed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub thread: ThreadId,
    pub footprint: Footprint,
    /// It waited for this thread to end.
    pub joined: Option<ThreadId>,
    /// The value of the input it read, and whether other values exist.
    pub input: Option<u64>,
    /// What it touches depends on the state it runs in (an atomic section).
    pub varies: bool,
    /// How it touches what it touches depends on the state it runs in (a
    /// compare-and-exchange, a trylock, an access that failed).
    pub conditional: bool,
    /// Threads that were created in it.
    pub created: SmallVec<[ThreadId; 2]>,
}

impl Event {
    pub fn new(thread: ThreadId) -> Event {
        Event {
            thread,
            footprint: Footprint::new(),
            joined: None,
            input: None,
            varies: false,
            conditional: false,
            created: SmallVec::new(),
        }
    }

    /// May it touch what conflicts with a footprint, if it runs in another state?
    pub fn may_conflict(&self, footprint: &[Access]) -> bool {
        let touches = |b: &Access| self.footprint.iter().any(|a| a.may_conflict(b));
        self.varies || footprint.iter().any(touches)
    }
}
