//! Tiny multi-threaded programs as trees, so that they can be cut down.
//!
//! The globals are always the same (see `print`); a program declares those that
//! it uses.

mod blocks;
mod contents;
mod crowd;

pub use blocks::Blocks;
pub use contents::{Look, PARTS, Partly, Printed, Record, Shape, Text, TextCall, Which};
pub use crowd::{Crowd, SLOTS, Slots};

/// A program: `threads[0]` is `main`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Test {
    pub seed: u64,
    pub threads: Vec<Thread>,
    /// Thread handles live in globals, so any thread can join any other.
    pub global_handles: bool,
    /// The pointers are null at the start.
    pub null_pointers: bool,
    /// What the semaphore starts with.
    pub semaphore: u8,
    /// How many threads meet at the barrier.
    pub barrier: u8,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Thread {
    pub body: Vec<Stmt>,
    /// Returns the first local variable.
    pub returns_local: bool,
    /// Returns a variable that was never set.
    pub vague: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stmt {
    Assign(Place, Expr),
    /// A store with a memory order.
    Store(Place, Expr, Order),
    SetLocal(u8, Expr),
    Eval(Expr),
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// A counted loop.
    Loop(u8, Vec<Stmt>),
    /// `while (condition) …`; the body is mostly empty.
    Wait(Expr, Vec<Stmt>),
    Turns(Turns),
    Lock(Mutex),
    Unlock(Mutex),
    /// `__VERIFIER_atomic_begin … end`.
    Section(Vec<Stmt>),
    Assert(Expr),
    Assume(Expr),
    Fence(Fence),
    /// An operation on a synchronisation object; those that wait have no result.
    Sync(Sync),
    /// Waits for the condition variable with the first mutex. `timed`: it may give
    /// up, and whether it did goes into the second local.
    CondWait {
        timed: bool,
    },
    SetPointer(u8, Target),
    /// Lets the pointer with a tag point to a scalar; whether the tag is set.
    Tag(u8, bool),
    /// Publishes a new heap block, with this value in it if there is one.
    Allocate {
        value: Option<u8>,
        large: bool,
    },
    /// The same, unless the allocation fails: then these are executed. Which of several ways
    /// there are to ask; and whether the block is used all the same.
    AllocateOr {
        value: u8,
        failed: Vec<Stmt>,
        asks: Asks,
        goes_on: bool,
    },
    /// Prints a line.
    Say,
    Reallocate,
    Free,
    /// Takes the heap block back from everybody, then frees it.
    Release,
    /// Stores the address of [`Place::Mine`] so that it can't be recognised.
    Hide,
    /// In a function of its own, which gets the locals and returns the first.
    Call(Vec<Stmt>),
    InitMutex(Mutex),
    DestroyMutex(Mutex),
    /// Stores in a function that gets the address.
    Put(Place, Expr),
    /// Copies an `int` in a function that gets both addresses.
    Move(Place, Place),
    /// Assigns what a function has filled member by member.
    Fill(Record, Expr, Expr),
    /// Assigns the second structure, as a whole.
    CopyRecord(Record, Record),
    Partly(Partly),
    /// Writes down who the thread is.
    NoteSelf,
    /// Lets the pointer to a function point to one of two.
    SetHandler(u8),
    CallHandler,
    /// `pthread_exit`.
    Exit,
    /// `exit`.
    ExitProcess,
    Return,
    Create(u8),
    Detach(u8),
    /// Waits for a thread; its result goes into the second local if asked for.
    Join(u8, bool),
    Crowd(Crowd),
    Keeper(Keeper),
    /// Allocates the block with [`Mutex::Boxed`], and frees it.
    MakeBox,
    FreeBox,
    Blocks(Blocks),
}

/// A loop whose turns mostly leave nothing behind: it waits until a scalar is `expected`, and
/// then mostly makes it `new`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turns {
    pub way: Turn,
    pub scalar: u8,
    pub expected: u8,
    pub new: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A function that compares and exchanges.
    Cas,
    /// One that tells what it found, which is put back after the turn.
    Reset,
    /// Or before it.
    ResetFirst,
    /// What it found is what is expected next.
    Rotated,
    /// The same, without a function.
    RotatedHere,
    Exchange,
    FetchOr,
    /// Turns differ: a variable says whether there was one before, and is used.
    First,
    /// Or whether their number is odd.
    Odd,
    /// A variable that is looked at in the turn only.
    Scratch,
    /// What is read goes into a block.
    Block,
}

impl Turn {
    pub const ALL: &[Turn] = &[
        Turn::Cas,
        Turn::Reset,
        Turn::ResetFirst,
        Turn::Rotated,
        Turn::RotatedHere,
        Turn::Exchange,
        Turn::FetchOr,
        Turn::First,
        Turn::Odd,
        Turn::Scratch,
        Turn::Block,
    ];
}

/// Functions that lock for their callers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keeper {
    Take(Mutex),
    Give(Mutex),
    /// Adds something to a place, in between; the first local gets what was there.
    Bump(Mutex, Place, u8),
}

/// Constants that stand for the ends of `int`.
pub const GREATEST: u8 = 255;
pub const LEAST: u8 = 254;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    Const(u8),
    Local(u8),
    Load(Place),
    /// A load with a memory order.
    AtomicLoad(Place, Order),
    Not(Box<Expr>),
    Binary(Operator, Box<Expr>, Box<Expr>),
    Input(Input),
    /// Gives the old value.
    Rmw(Rmw, Place, Box<Expr>, Order),
    /// Gives whether it succeeded (or the old value).
    Cas {
        place: Place,
        expected: u8,
        new: u8,
        old: bool,
        weak: bool,
        order: Order,
    },
    /// What a function loads that gets the address.
    Get(Place),
    /// What a function makes of a structure that it gets by value.
    Sum(Record),
    /// The same of the old value of an `_Atomic` one that is exchanged.
    Swap {
        wide: bool,
        tag: u8,
        value: u8,
    },
    Text(TextCall),
    /// Is there a heap block?
    HasBlock,
    /// Are there two that the thread keeps?
    HasBoth,
    /// Is the thread the one that was written down last?
    IsSelf,
    /// Meets at the barrier; gives whether the thread is told that it is the one.
    Meet,
    /// Gives whether it succeeded.
    TryLock(Mutex),
    /// Gives whether it succeeded.
    Try(Try),
}

/// Ways to ask whether there is a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    Not,
    Equal,
    /// By a variable that is set before.
    Noted,
    /// In a function that gets the address.
    Helper,
}

/// The memory orders of C11.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fence {
    /// `atomic_thread_fence`.
    Thread(Order),
    /// `__sync_synchronize`.
    Full,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// `__VERIFIER_nondet_bool()`.
    Bool,
    /// The low bits of a character.
    Masked,
    /// A character that is assumed to be small.
    Assumed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sync {
    Signal,
    Broadcast,
    SemWait,
    SemPost,
    ReadLock,
    WriteLock,
    RwUnlock,
    Meet,
    SpinLock,
    SpinUnlock,
    /// Calls a function that increments the first scalar.
    Once,
    /// Destroys an object, if that is not too early.
    Destroy(Object),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    Condition,
    Semaphore,
    RwLock,
    Barrier,
    Spin,
}

/// Attempts that do not wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Try {
    Semaphore,
    TimedSemaphore,
    ReadLock,
    WriteLock,
    Spin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Add,
    Sub,
    Eq,
    Ne,
    Lt,
    And,
    Or,
    Div,
    Rem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rmw {
    Add,
    Or,
    Exchange,
}

/// Something of integer type that has an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    Scalar(u8),
    /// An element of a shared array; `masked`: the index is kept within it.
    Element {
        index: Box<Expr>,
        masked: bool,
    },
    /// What a shared pointer points to.
    Deref(u8),
    Heap,
    /// An element of the heap block that only large ones have.
    HeapFar,
    /// What the hidden address points to.
    Hidden,
    /// Member of a union: the `index`-th piece of `bytes` bytes.
    Part {
        bytes: u8,
        index: u8,
    },
    /// A piece of a scalar through a cast pointer.
    Piece {
        scalar: u8,
        bytes: u8,
        index: u8,
    },
    /// A variable on the thread's stack whose address its children get.
    Mine,
    /// What the thread's argument points to: its parent's variable.
    Argument,
    ThreadLocal,
    /// An `_Atomic int`.
    Atomic,
    /// An element of an array in a structure, or of the next one if it is beyond its end.
    Member {
        index: Box<Expr>,
    },
    /// An element of the next array.
    After(u8),
    /// What a pointer with a tag in its last bit points to.
    Tagged,
    /// A variable that hardly anybody reads.
    Scratch,
    /// Beside [`Mutex::Boxed`].
    Boxed,
    /// In the last block that the thread keeps, or in the one before.
    Kept(u8),
    /// A local variable, for functions that get its address.
    Local(u8),
    /// A character of a shared array.
    Letter(u8, u8),
    /// A member of a structure: the tag, or else the number.
    Field(Record, bool),
}

/// What a shared pointer can be made to point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Null,
    Scalar(u8),
    /// The same as the other pointer.
    Other,
    Mine,
    ThreadLocal,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutex {
    Normal(u8),
    Recursive,
    ErrorChecking,
    /// One of two, by a local.
    Picked(u8),
    /// In a heap block.
    Boxed,
}

impl Stmt {
    /// The statements inside it.
    pub fn blocks(&self) -> Vec<&Vec<Stmt>> {
        match self {
            Stmt::If(_, then, other) => vec![then, other],
            Stmt::Loop(_, body) | Stmt::Wait(_, body) | Stmt::Section(body) | Stmt::Call(body) => {
                vec![body]
            }
            Stmt::AllocateOr { failed, .. } => vec![failed],
            _ => Vec::new(),
        }
    }

    pub fn blocks_mut(&mut self) -> Vec<&mut Vec<Stmt>> {
        match self {
            Stmt::If(_, then, other) => vec![then, other],
            Stmt::Loop(_, body) | Stmt::Wait(_, body) | Stmt::Section(body) | Stmt::Call(body) => {
                vec![body]
            }
            Stmt::AllocateOr { failed, .. } => vec![failed],
            _ => Vec::new(),
        }
    }

    /// Its own expressions, without those of inner statements.
    pub fn exprs_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Stmt::Assign(place, value) | Stmt::Store(place, value, _) => {
                let mut all = vec![value];
                all.extend(place.index_mut());
                all
            }
            Stmt::Fill(_, tag, value) => vec![tag, value],
            Stmt::Partly(partly) => partly.written.iter_mut().map(|part| &mut part.1).collect(),
            Stmt::SetLocal(_, e)
            | Stmt::Put(_, e)
            | Stmt::Eval(e)
            | Stmt::If(e, ..)
            | Stmt::Wait(e, _)
            | Stmt::Assert(e)
            | Stmt::Assume(e) => vec![e],
            _ => Vec::new(),
        }
    }
}

impl Place {
    pub fn index_mut(&mut self) -> Option<&mut Expr> {
        match self {
            Place::Element { index, .. } | Place::Member { index } => Some(index),
            _ => None,
        }
    }
}

impl Expr {
    pub fn children_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Expr::Const(_)
            | Expr::IsSelf
            | Expr::Meet
            | Expr::HasBlock
            | Expr::HasBoth
            | Expr::Sum(_)
            | Expr::Swap { .. }
            | Expr::Local(_)
            | Expr::Input(_)
            | Expr::TryLock(_)
            | Expr::Try(_) => Vec::new(),
            Expr::Not(e) => vec![e],
            Expr::Binary(_, a, b) => vec![a, b],
            Expr::Load(place)
            | Expr::AtomicLoad(place, _)
            | Expr::Get(place)
            | Expr::Cas { place, .. } => place.index_mut().into_iter().collect(),
            Expr::Text(call) => call.exprs_mut().into_iter().collect(),
            Expr::Rmw(_, place, e, _) => {
                let mut all: Vec<&mut Expr> = vec![e];
                all.extend(place.index_mut());
                all
            }
        }
    }
}

impl Test {
    /// Does any statement satisfy `wanted`?
    pub fn any(&self, wanted: impl Fn(&Stmt) -> bool) -> bool {
        self.threads.iter().any(|thread| any(&thread.body, &wanted))
    }
}

/// Does any statement of the block, or in one, satisfy `wanted`?
pub fn any(block: &[Stmt], wanted: &dyn Fn(&Stmt) -> bool) -> bool {
    block.iter().any(|s| wanted(s) || s.blocks().into_iter().any(|b| any(b, wanted)))
}
