//! Visible steps as a search sees them: which bytes they touched and how.

use heddle_ir::{Ordering, Span};
use smallvec::SmallVec;

use crate::{Gate, ThreadId};

/// How a step touches a range of memory. Mutexes live in memory too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    Read,
    /// A read that took the value of a store of its own thread which still waits
    /// in a queue. What others do to memory does not matter to it.
    OwnRead,
    /// Acted as a read (a compare-exchange or trylock that failed, an exchange that puts
    /// back what was there), but would write in another state.
    FailedWrite,
    Write,
    /// An operation that waits at a gate (see `Event::gate`), and changes the
    /// object.
    Acquire,
    /// An arrival at a barrier for no more threads than use it; who comes first makes no
    /// difference (see `machine/meetings.rs`).
    Arrive,
    /// Leaving such a barrier: after the arrivals of this meeting, and in no order with
    /// others.
    Leave,
}

impl AccessKind {
    /// Did not change memory.
    pub fn is_read(self) -> bool {
        use AccessKind::{FailedWrite, Leave, OwnRead, Read};
        matches!(self, Read | OwnRead | FailedWrite | Leave)
    }

    /// Is it part of a meeting?
    pub fn meets(self) -> bool {
        matches!(self, AccessKind::Arrive | AccessKind::Leave)
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
        self.overlaps(other)
            && !(self.kind.is_read() && other.kind.is_read())
            && !(self.kind.meets() && other.kind.meets())
            && self.kind != AccessKind::OwnRead
            && other.kind != AccessKind::OwnRead
    }

    /// As [`Access::conflicts`], but `self` was recorded in one state and may run
    /// in another, where a failed write would succeed.
    #[inline]
    pub fn may_conflict(&self, other: &Access) -> bool {
        let reads = |kind| matches!(kind, AccessKind::Read | AccessKind::OwnRead);
        self.overlaps(other)
            && !(reads(self.kind) && other.kind.is_read())
            && !(self.kind.meets() && other.kind.meets())
    }
}

/// The ranges a step touched.
pub type Footprint = SmallVec<[Access; 2]>;

pub fn conflict(a: &[Access], b: &[Access]) -> bool {
    a.iter().any(|x| b.iter().any(|y| x.conflicts(y)))
}

/// Fences that a thread has passed since its last event, by what they do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fences {
    pub acquire: bool,
    /// The thread's time (see [`Event::time`]) at the last release fence.
    pub release: Option<u32>,
    /// The release fence came before the acquire fence.
    pub release_first: bool,
}

impl Fences {
    pub fn acquire(&mut self) {
        self.release_first |= !self.acquire && self.release.is_some();
        self.acquire = true;
    }

    pub fn release(&mut self, time: u32) {
        self.release = Some(time);
        self.release_first = false;
    }
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
    /// It goes on with the atomic section that its thread's event before began, with an
    /// input; nobody else comes between.
    pub continues: bool,
    /// The atomic section stops for an input.
    pub unfinished: bool,
    /// How it touches what it touches depends on the state it runs in (a
    /// compare-and-exchange, a trylock, an access that failed).
    pub conditional: bool,
    /// What it wrote over: addresses and what was there before. For objects that
    /// threads wait for, the first eight bytes.
    pub words: SmallVec<[(u64, u64); 1]>,
    /// It wrote only because it found this value there (a compare-and-exchange, a
    /// trylock), or did not because it found another one.
    pub compared: Option<u64>,
    /// It wrote only because it found another value than this there (an exchange), or did not
    /// because it found this one.
    pub exchanged: Option<u64>,
    /// It had to wait until this gate of an object was open.
    pub gate: Option<(u64, Gate)>,
    /// Events that it had to wait for: an actor and the place among its events,
    /// from 1; 0 for the actor's creation. For a flush the first one is the last
    /// event of its thread before the store.
    pub follows: SmallVec<[(ThreadId, u32); 2]>,
    /// It took a store of this thread to memory.
    pub flush_of: Option<ThreadId>,
    /// The flush, past or to come, of the store that its read took its value
    /// from: a queue and the place among its events.
    pub own: Option<(ThreadId, u32)>,
    /// The memory order of an atomic access, or of an object made for
    /// synchronisation; `None` for plain accesses.
    pub order: Option<Ordering>,
    /// It reads and writes in one (a read-modify-write).
    pub updates: bool,
    /// Fences that its thread passed since its last event; for a flush, since the
    /// last event before the store.
    pub fences: Fences,
    /// How many steps and stores that wait its thread has made up to and including
    /// this one. For a flush it is the store that counts.
    pub time: u32,
    pub span: Span,
    /// Of an atomic section, where each access of the footprint stands, if positions are asked
    /// for.
    pub spans: Vec<Span>,
    /// It is a whole critical section of this mutex.
    pub under: Option<u64>,
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
            continues: false,
            unfinished: false,
            conditional: false,
            words: SmallVec::new(),
            compared: None,
            exchanged: None,
            gate: None,
            follows: SmallVec::new(),
            flush_of: None,
            own: None,
            order: None,
            updates: false,
            fences: Fences::default(),
            time: 0,
            span: Span::UNKNOWN,
            spans: Vec::new(),
            under: None,
            created: SmallVec::new(),
        }
    }

    /// Takes over what a part of the same atomic section does that comes later, which is
    /// nothing but its input from then on.
    pub fn take_over(&mut self, part: &mut Event) {
        if !self.spans.is_empty() || !part.spans.is_empty() {
            self.spans.resize(self.footprint.len(), self.span);
            part.spans.resize(part.footprint.len(), part.span);
            self.spans.append(&mut part.spans);
        }
        self.footprint.append(&mut part.footprint);
        self.words.append(&mut part.words);
        self.conditional |= part.conditional;
        self.updates |= part.updates;
    }

    /// Where an access of the footprint stands.
    pub fn span_of(&self, access: usize) -> Span {
        self.spans.get(access).copied().unwrap_or(self.span)
    }

    /// The thread whose doing it is: for a flush, the one that made the store.
    pub fn actor(&self) -> ThreadId {
        self.flush_of.unwrap_or(self.thread)
    }

    /// May it touch what conflicts with a footprint, if it runs in another state?
    pub fn may_conflict(&self, footprint: &[Access]) -> bool {
        let touches = |b: &Access| self.footprint.iter().any(|a| a.may_conflict(b));
        self.varies || footprint.iter().any(touches)
    }
}
