//! A thread of the interpreter: stacks, status, and what it waits for.

use heddle_ir::{FuncId, GlobalId, Span};
use smallvec::SmallVec;

use heddle_semantics::{Fences, Footprint, Gate, InputKind, ObjectId, Source, ThreadId, Unwritten};

use crate::observers::order::Passed;
use crate::store::LogPlace;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub function: FuncId,
    pub block: u32,
    /// Index of the next instruction; for a caller, of the one after the call.
    pub pc: u32,
    /// Where this frame's part of each stack of the thread begins.
    pub regs: u32,
    pub loops: u32,
    pub objects: u32,
}

/// Counters of a [`Thread`] at a visit of a loop's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visit {
    pub effects: u64,
    pub private: u64,
    pub visible: u64,
    pub steps: u32,
    pub hidden: u64,
    pub reads: u32,
    pub looks: u64,
    pub events: u32,
    /// The log of the store then.
    pub log: LogPlace,
}

/// A visit of a header that later ones are compared with, and what it was handed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Anchor {
    pub visit: Visit,
    pub values: [u64; HANDED],
    /// Turns since then, and at how many another visit takes its place.
    pub turns: u32,
    pub most: u32,
}

impl Anchor {
    /// The anchor after a turn that ended with `visit`. The distances double, so that a cycle
    /// of any length is found (Brent, "An Improved Monte Carlo Factorization Algorithm", 1980).
    pub fn after(before: Option<Anchor>, visit: Visit, values: &[u64]) -> Anchor {
        let (turns, most) = before.map_or((1, 1), |anchor| (anchor.turns + 1, anchor.most));
        match before {
            Some(anchor) if turns <= most => Anchor { turns, ..anchor },
            _ => Anchor { visit, values: padded(values), turns: 0, most: 2 * most },
        }
    }
}

/// What a loop hands on, if it is not too much.
pub fn padded(values: &[u64]) -> [u64; HANDED] {
    std::array::from_fn(|at| values.get(at).copied().unwrap_or(0))
}

/// Registers that a loop with an anchor hands from turn to turn, at most.
pub const HANDED: usize = 4;

/// A loop that the frame is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopMark {
    pub header: u32,
    /// Iterations finished that had a visible step.
    pub count: u32,
    /// Iterations finished that had hidden accesses only.
    pub quiet: u32,
    /// The last visit of the header.
    pub last: Visit,
    pub anchor: Option<Anchor>,
}

/// What the thread will do when it is scheduled next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pending {
    /// Accesses or operations that can always run.
    Ready,
    /// Waits until its store queues are empty.
    Drained,
    /// Waits until none of its stores that overlap these bytes is in a queue,
    /// except as a whole (see `Machine::load_scalar`).
    Clear {
        addr: u64,
        len: u32,
    },
    /// Waits at the gate of the object there, and until its store queues are
    /// empty.
    Gate {
        addr: u64,
        gate: Gate,
    },
    Join {
        target: ThreadId,
    },
    /// Waits for the end of all threads that are [awaited by](Fate::awaited_by) it.
    Joins,
    Input(InputKind),
}

/// How far an operation of a library call that has several visible steps has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Start,
    /// It arrived at a barrier in this generation.
    Arrived {
        generation: u32,
    },
    /// It waits for a condition variable, as the waiter with this number.
    Waits {
        arrival: u8,
    },
    /// It was woken, or gave up, and will lock the mutex again.
    Woken {
        result: u64,
    },
}

/// Why a thread stopped before its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Halt {
    /// An assumption does not hold: the run does not count.
    Assumption,
    /// A bound cut it (see `Machine::bounds`).
    Cut,
    /// It waits in a loop that only reads.
    Wait,
    /// It loops for ever and nothing can stop it.
    Diverged,
    /// It violated a property.
    Failed,
    /// It ended the whole process.
    Exited,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    Unborn,
    /// Stopped before its next visible step.
    Waiting(Pending),
    Finished,
    Halted(Halt),
}

/// Who waits for the end of a thread, or has done so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    pub joined: bool,
    pub detached: bool,
    /// Will be joined by this one, together with others: see `threads::joins`.
    pub awaited_by: Option<ThreadId>,
}

impl Fate {
    /// Flags in the first word of a thread as a part of a state; if it is awaited, the
    /// second word says by whom.
    pub const JOINED: u64 = 1;
    pub const AWAITED: u64 = 16;

    /// Somebody has joined it, or will.
    pub fn is_sealed(self) -> bool {
        self.joined || self.awaited_by.is_some()
    }
}

/// Locks know threads by numbers from here on, which can be told from others.
const FIRST_CODE: u32 = 0xa5c0_0000;
/// How many of them there are.
pub(crate) const CODES: u32 = 1 << 20;

/// Threads that a program may have in all its runs together, so that a code is soon found
/// for each.
pub(crate) const MOST_THREADS: usize = 1 << 16;

/// The code for a number that was made from a thread's path.
pub(crate) fn code(path: u32) -> u32 {
    let spread = path.wrapping_mul(0x9e37_79b9) >> 12;
    FIRST_CODE | if path < CODES { path } else { spread }
}

/// Might a number be the code of a thread?
#[inline]
pub(crate) fn may_be_code(value: u32) -> bool {
    value >> 20 == FIRST_CODE >> 20
}

/// Which halves of a word look like that: bit 0 for the lower one, bit 1 for the upper.
pub fn looks_like_thread(word: u64) -> u8 {
    u8::from(may_be_code(word as u32)) | u8::from(may_be_code((word >> 32) as u32)) << 1
}

/// What the program sees as the id of a thread.
pub(crate) fn handle(code: u32) -> u64 {
    0x7e1e_0000 << 32 | u64::from(code)
}

/// Might a number be what the program sees as the id of a thread?
#[inline]
pub(crate) fn may_be_handle(value: u64) -> bool {
    value >> 20 == handle(FIRST_CODE) >> 20
}

/// The small part of a thread that a step saves whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalars {
    pub status: Status,
    /// What the pending step is known to touch, where it stands.
    pub pending_footprint: Footprint,
    pub result: u64,
    /// The result is undefined, and comes from there: nobody should look at it.
    pub no_result: Option<Unwritten>,
    pub fate: Fate,
    /// Depth of `__VERIFIER_atomic_begin`.
    pub atomic: u32,
    /// Steps it took: the number of its events.
    pub steps: u32,
    /// Stores it put into queues, and how many of the first of them must be in
    /// memory before the next one.
    pub stores: u32,
    pub ordered: u32,
    /// It has put a store into a queue since it last waited for all of them.
    pub unfenced: bool,
    /// Fences since its last step.
    pub fences: Fences,
    pub allocations: u32,
    pub children: u32,
    /// Changes it made to anything that can't be found out by looking at what only it can
    /// see (memory of others, inputs read, blocks).
    pub effects: u64,
    /// Changes it made to memory that only it can see, and to its stack.
    pub private: u64,
    /// Visible steps it took.
    pub visible: u64,
    /// Accesses that a guide hides.
    pub hidden: u64,
    /// The mutex whose critical section it is in, if that is one step.
    pub quiet: Option<u64>,
    /// Mutexes that it holds, of those that were there at the start, in order (see `own.rs`).
    pub held: SmallVec<[u64; 2]>,
    /// Jumps, calls and returns.
    pub jumps: u64,
    /// Reads of memory that others could see if there were any.
    pub looks: u64,
    pub stage: Stage,
    /// What the operations of the library call under way gave, as far as it has come.
    pub done: SmallVec<[u64; 2]>,
    /// What runs at its end has been called.
    pub ending: bool,
    /// Events it has passed, as a native run counts them.
    pub events: u32,
}

/// A register, by its place in the thread's stack, with the bits that are undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndefinedReg {
    pub at: u32,
    pub bits: u64,
    pub source: Source,
}

#[derive(Clone, Debug)]
pub struct Thread {
    pub scalars: Scalars,
    pub frames: Vec<Frame>,
    /// Bits that are undefined are 0 here.
    pub regs: Vec<u64>,
    /// The registers that are undefined, few as they are.
    pub undefined: Vec<UndefinedReg>,
    pub loops: Vec<LoopMark>,
    /// Stack objects.
    pub objects: Vec<ObjectId>,
    pub locals: Vec<(GlobalId, ObjectId)>,
    /// Visible reads so far: address, length, value. A waiting loop looks back
    /// at those of its last iteration.
    pub reads: Vec<(u64, u32, u64)>,
    /// Its events, as a native run counts them. The first [`Scalars::events`] of them
    /// are there; what stands behind was taken back.
    pub passed: Vec<Passed>,
    /// A number made from the thread's path only, so that it is the same in every
    /// machine: how locks know it. 0 for store queues.
    pub code: u32,
    /// The store queue that this actor is, if it is not a thread.
    pub queue: Option<u32>,
    /// The function it started in and where it was created.
    pub entry: FuncId,
    pub created_at: Span,
}

impl Thread {
    pub fn unborn() -> Thread {
        Thread {
            scalars: Scalars {
                status: Status::Unborn,
                pending_footprint: Footprint::new(),
                result: 0,
                no_result: None,
                fate: Fate::default(),
                atomic: 0,
                steps: 0,
                stores: 0,
                ordered: 0,
                unfenced: false,
                fences: Fences::default(),
                allocations: 0,
                children: 0,
                effects: 0,
                private: 0,
                visible: 0,
                hidden: 0,
                quiet: None,
                held: SmallVec::new(),
                jumps: 0,
                looks: 0,
                stage: Stage::Start,
                done: SmallVec::new(),
                ending: false,
                events: 0,
            },
            frames: Vec::new(),
            regs: Vec::new(),
            undefined: Vec::new(),
            loops: Vec::new(),
            objects: Vec::new(),
            locals: Vec::new(),
            reads: Vec::new(),
            passed: Vec::new(),
            code: 0,
            queue: None,
            entry: FuncId(0),
            created_at: Span::UNKNOWN,
        }
    }

    /// Back to not existing; buffers are kept.
    pub fn reset(&mut self) {
        self.frames.clear();
        self.regs.clear();
        self.undefined.clear();
        self.loops.clear();
        self.objects.clear();
        self.locals.clear();
        self.reads.clear();
        self.scalars = Thread::unborn().scalars;
    }

    /// The counters now, at this place of the store's log.
    pub fn visit(&self, log: LogPlace) -> Visit {
        let scalars = &self.scalars;
        Visit {
            effects: scalars.effects,
            private: scalars.private,
            visible: scalars.visible,
            steps: scalars.steps,
            hidden: scalars.hidden,
            reads: self.reads.len() as u32,
            looks: scalars.looks,
            events: scalars.events,
            log,
        }
    }

    #[inline]
    pub fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a running thread has a frame")
    }
}
