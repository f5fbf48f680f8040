//! Counting events like a native run, and orders between them that a run keeps.
//!
//! The runtime of a native program does not know which memory threads share. It counts
//! an *event* wherever an instruction of a fixed set is executed, whatever it touches,
//! and at every operation of the library that a thread may wait for or free memory
//! with. A machine with [`VisibleSites`] counts in the same way, so the n-th event of a
//! thread means the same in both. An access outside the set that touches shared memory
//! stops the run: then the set is too small.
//!
//! With an [`Order`], an event waits for others, as the runtime makes it wait. It does not
//! wait for one that matters only if both touch the same memory, as soon as the other
//! thread stands before it and is about to touch something else.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use heddle_semantics::{ThreadId, ThreadPath};

use crate::threads::thread::Frame;

/// Instructions that are events.
#[derive(Clone, Debug, Default)]
pub struct VisibleSites {
    /// For each function and block, the number of its first instruction.
    pub starts: Vec<Vec<u32>>,
    /// For each instruction: it is an event.
    pub visible: Vec<bool>,
    /// For each function: its return is an event, since others may use its variables.
    pub scopes: Vec<bool>,
}

impl VisibleSites {
    #[inline]
    pub(crate) fn number(&self, frame: &Frame, pc: usize) -> u32 {
        self.starts[frame.function.0 as usize][frame.block as usize] + pc as u32
    }

    #[inline]
    pub(crate) fn contains(&self, frame: &Frame, pc: usize) -> bool {
        self.visible[self.number(frame, pc) as usize]
    }
}

/// The n-th event of a thread, from 0.
pub type EventName = (ThreadId, u32);

/// Library functions whose accesses are events, whatever they touch: because of what they
/// read attributes from, and where they put their results.
pub fn announces(function: &str) -> bool {
    // Functions on attributes make one access each.
    function.starts_with("pthread_") && function.contains("attr_")
        || matches!(
            function,
            "pthread_create"
                | "thrd_create"
                | "pthread_join"
                | "thrd_join"
                | "pthread_mutex_init"
                | "sem_getvalue"
        )
}

/// Library functions that free memory in the middle of what a native program leaves to the
/// system.
pub fn is_uncounted(function: &str) -> bool {
    function == "__heddle_free_exception"
}

/// Bytes that an access touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub addr: u64,
    pub len: u32,
}

impl Place {
    /// No byte belongs to both.
    pub fn is_apart(self, other: Place) -> bool {
        let ends = |place: Place| place.addr.saturating_add(u64::from(place.len));
        ends(self) <= other.addr || ends(other) <= self.addr
    }
}

/// What an event waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Before {
    pub event: EventName,
    /// Only if both touch the same memory.
    pub conditional: bool,
}

/// Which events come before which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Paths of the threads that events name: 1, 2, ….
    pub threads: Vec<ThreadPath>,
    before: FxHashMap<EventName, SmallVec<[Before; 2]>>,
    /// Events that are put before others; whether for some only if both touch the same
    /// memory.
    sources: FxHashMap<EventName, bool>,
    /// For each thread, one more than the last event that the order speaks of.
    ends: Vec<u32>,
}

impl Order {
    pub fn new(threads: Vec<ThreadPath>) -> Order {
        let ends = vec![0; threads.len() + 1];
        Order { threads, before: FxHashMap::default(), sources: FxHashMap::default(), ends }
    }

    /// `second` waits until `first` has happened, or never can because its thread has
    /// ended; with a condition, only if both touch the same memory.
    pub fn add(&mut self, first: EventName, second: EventName, conditional: bool) {
        self.before.entry(second).or_default().push(Before { event: first, conditional });
        *self.sources.entry(first).or_default() |= conditional;
        for (thread, index) in [first, second] {
            let end = &mut self.ends[thread.index()];
            *end = (*end).max(index + 1);
        }
    }

    /// What an event waits for.
    pub fn before(&self, event: EventName) -> &[Before] {
        self.before.get(&event).map_or(&[], |events| events.as_slice())
    }

    /// Does it speak of the event?
    pub(crate) fn mentions(&self, event: EventName) -> bool {
        self.sources.contains_key(&event) || self.before.contains_key(&event)
    }

    /// Do others wait for the event?
    pub fn is_source(&self, event: EventName) -> bool {
        self.sources.contains_key(&event)
    }

    /// Do others wait for the event only if they touch the same memory?
    pub fn is_conditional(&self, event: EventName) -> bool {
        self.sources.get(&event).copied().unwrap_or(false)
    }

    /// Indices of the events of a thread that the order speaks of, ascending.
    pub fn events_of(&self, thread: ThreadId) -> Vec<u32> {
        let all = self.sources.keys().chain(self.before.keys());
        let mut own: Vec<u32> =
            all.filter(|event| event.0 == thread).map(|event| event.1).collect();
        own.sort_unstable();
        own.dedup();
        own
    }

    /// One more than the last event of a thread that the order speaks of.
    pub fn end_of(&self, thread: ThreadId) -> u32 {
        self.ends.get(thread.index()).copied().unwrap_or(0)
    }
}

/// The instructions that the events of an order turned out to be, in any execution; `None`
/// for several.
pub type Instructions = FxHashMap<EventName, Option<u32>>;

/// An event that a thread has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The step of its thread that it belongs to, from 1.
    pub step: u32,
    /// The number of its instruction.
    pub site: u32,
    /// What it touched, if the order asks.
    pub place: Option<Place>,
}
