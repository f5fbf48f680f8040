//! What an instruction or library function may ask of the world around it: its
//! registers, checks, and the alphabet of visible operations.
//!
//! The evaluator and the library are written against these traits only, so an
//! interpreter and an encoder share every line of instruction meaning.

use heddle_ir::{BinOp, Callee, Compare, DebugTypeId, GlobalId, Operand, Ordering, Reg, RmwOp, Ty};

use crate::{Assumption, Domain, Partial, ViolationKind, mask};

/// The value type of a host's domain.
pub type Val<H> = <<H as Processor>::Dom as Domain>::Value;

const CANCELLED_WAIT: &str = "a wait for a condition variable that a cancellation may end";

/// Where control goes after an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// To the next instruction.
    Next,
    /// Into a function that was called; the host has set it up.
    Enter,
}

/// An input: how wide, how to print it, and whether it is a proper input of the
/// program or a value that was never initialised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputKind {
    pub width: u32,
    pub signed: bool,
    pub uninitialised: bool,
    /// Which bits are to be given; the others are known.
    pub open: u64,
    pub known: u64,
}

impl InputKind {
    /// An input of the program.
    pub fn proper(width: u32, signed: bool) -> InputKind {
        InputKind { width, signed, uninitialised: false, open: mask(u64::MAX, width), known: 0 }
    }

    /// A value of which some bits are undefined.
    pub fn undefined(width: u32, word: Partial) -> InputKind {
        let Partial { bits, undefined } = word.low(width);
        InputKind { width, signed: true, uninitialised: true, open: undefined, known: bits }
    }

    /// The value, if this is given for it.
    pub fn fill(self, given: u64) -> u64 {
        given & self.open | self.known
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MutexOp {
    /// With the kind (normal, recursive, error-checking) as in `pthread.h`.
    Init(u32),
    Lock,
    TryLock,
    Unlock,
    Destroy,
}

/// What is done to an object that threads wait for, other than a mutex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyncOp {
    Semaphore(SemaphoreOp),
    RwLock(RwLockOp),
    Barrier(BarrierOp),
    Condition(ConditionOp),
    Spin(SpinOp),
    Once(OnceOp),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SemaphoreOp {
    Init(u32),
    Wait,
    TryWait,
    Post,
    /// Its result is the count.
    Value,
    Destroy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RwLockOp {
    Init,
    Read,
    TryRead,
    Write,
    TryWrite,
    Unlock,
    Destroy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierOp {
    /// With the number of threads that meet.
    Init(u32),
    /// Its result is 1 for one of the threads that met, 0 for the others.
    Wait,
    Destroy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionOp {
    Init,
    Signal,
    Broadcast,
    Destroy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpinOp {
    Init,
    Lock,
    TryLock,
    Unlock,
    Destroy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnceOp {
    /// Its result is 1 if the caller is the one to run the function.
    Begin,
    End,
    /// The call ended with an exception: as before it.
    Abort,
}

/// A stack object's description.
#[derive(Clone, Copy, Debug)]
pub struct StackObject<'a> {
    /// Where its address goes.
    pub dst: Reg,
    pub align: u64,
    pub name: &'a Option<String>,
    pub ty: Option<DebugTypeId>,
}

/// What an instruction may ask of whoever executes it: registers, memory, calls.
pub trait Processor {
    type Dom: Domain;
    /// Why execution of this thread pauses or ends here.
    type Stop;

    fn domain(&mut self) -> &mut Self::Dom;
    fn pointer_bits(&self) -> u32;
    fn operand(&mut self, operand: Operand, width: u32) -> Val<Self>;
    fn assign(&mut self, reg: Reg, value: Val<Self>);

    /// A violation of `kind` if `bad` (an i1) holds.
    fn check(
        &mut self,
        bad: &Val<Self>,
        kind: ViolationKind,
        message: &dyn Fn() -> String,
    ) -> Result<(), Self::Stop>;
    /// Is signed overflow a violation?
    fn checks_overflow(&self) -> bool {
        false
    }
    /// The number that a value is, if it is one, for messages.
    fn number(&self, _value: &Val<Self>) -> Option<u64> {
        None
    }
    /// Two values of pointer width are about to be compared.
    fn note_comparison(&mut self, _a: &Val<Self>, _b: &Val<Self>) {}
    /// Two values of pointer width are about to be computed with.
    fn note_computation(&mut self, _op: BinOp, _a: &Val<Self>, _b: &Val<Self>) {}
    /// Two values of pointer width are about to be put in an order, or told apart.
    fn note_order(&mut self, _pred: Compare, _a: &Val<Self>, _b: &Val<Self>) {}
    /// A value of pointer width is about to lose its upper bits.
    fn note_truncation(&mut self, _value: &Val<Self>) {}
    /// The program is about to compute with a value, or to compare it for equality.
    fn note_use(&mut self, _value: &Val<Self>, _equality: bool) {}
    fn unsupported(&mut self, what: String) -> Self::Stop;

    // Memory.
    fn load(
        &mut self,
        addr: &Val<Self>,
        ty: Ty,
        order: Option<Ordering>,
    ) -> Result<Val<Self>, Self::Stop>;
    fn store(
        &mut self,
        addr: &Val<Self>,
        ty: Ty,
        value: &Val<Self>,
        order: Option<Ordering>,
    ) -> Result<(), Self::Stop>;
    fn rmw(
        &mut self,
        op: RmwOp,
        addr: &Val<Self>,
        ty: Ty,
        value: &Val<Self>,
        order: Ordering,
    ) -> Result<Val<Self>, Self::Stop>;
    /// The old value, and the i1 that says whether it was exchanged. The orders
    /// are those of success and failure.
    fn cmpxchg(
        &mut self,
        addr: &Val<Self>,
        ty: Ty,
        expected: &Val<Self>,
        new: &Val<Self>,
        orders: (Ordering, Ordering),
    ) -> Result<(Val<Self>, Val<Self>), Self::Stop>;
    fn fence(&mut self, order: Ordering) -> Result<(), Self::Stop>;
    fn stack_alloc(
        &mut self,
        bytes: &Val<Self>,
        object: StackObject<'_>,
    ) -> Result<Val<Self>, Self::Stop>;
    fn thread_local(&mut self, global: GlobalId) -> Result<Val<Self>, Self::Stop>;

    fn call(
        &mut self,
        dsts: &[Reg],
        callee: &Callee,
        args: &[Operand],
        arg_tys: &[Ty],
    ) -> Result<Flow, Self::Stop>;
    fn input(&mut self, kind: InputKind) -> Result<Val<Self>, Self::Stop>;
}

/// What a library function may ask beside: allocation, threads, the process.
pub trait Host: Processor {
    /// The number behind a value, for models that need one (a size, a format).
    fn concrete(&mut self, value: &Val<Self>) -> Result<u64, Self::Stop>;
    fn allocate(&mut self, bytes: &Val<Self>, zeroed: bool) -> Result<Val<Self>, Self::Stop>;
    /// A block begins at a multiple of `align`, as the program has asked for.
    fn note_alignment(&mut self, _block: &Val<Self>, _align: u64) {}
    /// A block was made in a way that cannot fail.
    fn note_sure(&mut self, _block: &Val<Self>) {}
    /// May any allocation fail?
    fn allocations_fail(&self) -> bool {
        false
    }
    fn reallocate(&mut self, addr: &Val<Self>, bytes: &Val<Self>) -> Result<Val<Self>, Self::Stop>;
    fn free(&mut self, addr: &Val<Self>) -> Result<(), Self::Stop>;
    /// How many stack objects the running function has.
    fn stack_depth(&mut self) -> Val<Self>;
    /// Those beyond as many end, as far as only this thread can see them; others end with
    /// their function.
    fn leave_scope(&mut self, depth: &Val<Self>) -> Result<(), Self::Stop>;
    /// Bytes up to and without the first zero, of an object that never changes; for
    /// messages and names.
    fn constant_bytes(&mut self, addr: &Val<Self>) -> Option<Vec<u8>>;
    fn constant_text(&mut self, addr: &Val<Self>) -> Option<String> {
        let bytes = self.constant_bytes(addr)?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Only runs in which `cond` (an i1) holds count.
    fn assume(&mut self, cond: &Val<Self>) -> Result<(), Self::Stop>;
    fn fail(&mut self, kind: ViolationKind, message: String) -> Self::Stop;
    /// An exception that nobody catches, by its `type_info`, what it says of itself, and
    /// the [`Host::position`] where it was thrown; null and 0 for none.
    fn fail_uncaught(
        &mut self,
        _info: &Val<Self>,
        _what: &Val<Self>,
        _position: &Val<Self>,
    ) -> Self::Stop {
        self.fail(ViolationKind::Terminate, "an exception is not caught".to_string())
    }
    /// A number for the line of the program that runs, for [`Host::fail_uncaught`].
    fn position(&mut self) -> Val<Self> {
        self.domain().constant(0, 64)
    }
    fn exit_process(&mut self) -> Self::Stop;
    /// Ends the process after what was registered with `atexit` has run.
    fn end_process(&mut self) -> Self::Stop {
        self.exit_process()
    }
    /// Ends the process in failure: a violation, and an end of the process for those who
    /// do not look for it.
    fn abort_process(&mut self) -> Self::Stop;
    fn atomic_begin(&mut self) -> Result<(), Self::Stop>;
    fn atomic_end(&mut self) -> Result<(), Self::Stop>;
    fn wants_output(&self) -> bool;
    /// More of what the thread prints.
    fn output(&mut self, bytes: &[u8]);
    /// What the thread has printed since it last ended is one text.
    fn end_output(&mut self);

    // Threads.
    /// The handle that the next call of `spawn` by this thread will give.
    fn next_thread(&mut self) -> Val<Self>;
    fn spawn(&mut self, entry: &Val<Self>, arg: &Val<Self>) -> Result<Val<Self>, Self::Stop>;
    /// The value the thread returned, or the error number.
    fn join(&mut self, thread: &Val<Self>) -> Result<Result<Val<Self>, Val<Self>>, Self::Stop>;
    /// [`Host::join`], if nobody wants the value.
    fn join_unheard(
        &mut self,
        thread: &Val<Self>,
    ) -> Result<Result<Val<Self>, Val<Self>>, Self::Stop> {
        self.join(thread)
    }
    /// The error number, 0 if the thread was neither joined nor detached before.
    fn detach(&mut self, thread: &Val<Self>) -> Result<Val<Self>, Self::Stop>;
    fn this_thread(&mut self) -> Val<Self>;
    /// Is it the thread that runs main, as far as is known?
    fn is_main(&self) -> bool {
        false
    }
    fn exit_thread(&mut self, value: &Val<Self>) -> Self::Stop;
    /// The error number, 0 for success.
    fn mutex(&mut self, op: MutexOp, addr: &Val<Self>) -> Result<Val<Self>, Self::Stop>;
    /// The error number, 0 for success, unless the operation says otherwise.
    fn sync(&mut self, op: SyncOp, _addr: &Val<Self>) -> Result<Val<Self>, Self::Stop> {
        Err(self.unsupported(format!("{op:?}")))
    }
    /// Waits for a condition variable and releases the mutex meanwhile. `timed`:
    /// it may give up. The error number, 0 for success.
    fn wait(
        &mut self,
        _condition: &Val<Self>,
        _mutex: &Val<Self>,
        _timed: bool,
    ) -> Result<Val<Self>, Self::Stop> {
        Err(self.unsupported("condition variables".to_string()))
    }
    /// The first part of a wait that the program ends itself: the number of the waiter.
    fn begin_wait(
        &mut self,
        _condition: &Val<Self>,
        _mutex: &Val<Self>,
    ) -> Result<Val<Self>, Self::Stop> {
        Err(self.unsupported(CANCELLED_WAIT.to_string()))
    }
    /// Its end, with a signal if there is one for the waiter. The error number, 0 for success.
    fn end_wait(
        &mut self,
        _condition: &Val<Self>,
        _waiter: &Val<Self>,
    ) -> Result<Val<Self>, Self::Stop> {
        Err(self.unsupported(CANCELLED_WAIT.to_string()))
    }
    /// The first eight bytes of a condition variable ([`crate::Gate::Condition`]); of one that
    /// is gone, such that any waiter is woken.
    fn tokens(&mut self, _condition: &Val<Self>) -> Result<Val<Self>, Self::Stop> {
        Err(self.unsupported(CANCELLED_WAIT.to_string()))
    }
    /// May a thread wake up without a signal any number of times?
    fn has_endless_wakeups(&self) -> bool {
        false
    }
    /// A choice is made where others are possible.
    fn note(&mut self, _assumption: Assumption) {}
    /// Stores to `errno` if `when` (an i1) holds.
    fn set_errno(&mut self, _number: &Val<Self>, _when: &Val<Self>) -> Result<(), Self::Stop> {
        Ok(())
    }
}
