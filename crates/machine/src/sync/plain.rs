//! Objects that threads wait for, where C libraries only load and store: they are made, and
//! most of them destroyed, by plain stores, and the count of a semaphore is a plain load.
//!
//! Where stores wait, so do these: nobody else need find the object as it was left. What
//! is checked at that is a load too. Without store queues an operation is one step (see
//! `sync`).

use heddle_ir::{Ordering, Ty};
use smallvec::SmallVec;

use heddle_semantics::sync::{Ending, SyncHost, Word};
use heddle_semantics::{AccessKind, Concrete, Gate, MemoryModel, MutexOp, SyncOp, sync};

use crate::Machine;
use crate::machine::Stop;
use crate::observers::record::Action;
use crate::run::access::{Spot, Use};
use crate::sync::verb;
use crate::threads::thread::Pending;

/// What is stored: offset, bits and value.
type Words = SmallVec<[(u32, u8, u64); 8]>;

/// An operation on an object of which the first bytes were loaded; what it writes is to be
/// stored.
struct Plain<'m, 'p, M: MemoryModel> {
    machine: &'m Machine<'p, M>,
    domain: Concrete,
    found: Found,
    /// Bytes of the object.
    bytes: u32,
    /// Misuse was looked for before.
    judged: bool,
    words: Words,
    ending: Ending,
}

/// The first bytes of an object, as the running thread finds them.
#[derive(Clone, Copy)]
struct Found {
    value: u64,
    /// How many of them were written, from the first one on: none, four or eight.
    written: u32,
}

/// Why a plain operation stops.
enum Refusal {
    Misuse(&'static str),
    Unsupported(&'static str),
}

/// Either kind of operation.
#[derive(Clone, Copy)]
enum Op {
    Mutex(MutexOp),
    Other(SyncOp),
}

impl<M: MemoryModel> Machine<'_, M> {
    /// A mutex is made or destroyed.
    pub(crate) fn mutex_plainly(&mut self, op: MutexOp, addr: u64) -> Result<u64, Stop> {
        self.plainly(Op::Mutex(op), addr)
    }

    /// An operation on another object that is [plain](heddle_semantics::Draining::Plain).
    pub(crate) fn sync_plainly(&mut self, op: SyncOp, addr: u64) -> Result<u64, Stop> {
        self.plainly(Op::Other(op), addr)
    }

    /// Looks at the first word of an object, judges it, and stores what is to be stored.
    fn plainly(&mut self, op: Op, addr: u64) -> Result<u64, Stop> {
        let found = self.once(|machine| {
            let (bytes, name) = machine.extent(op);
            let spot = machine.spot(addr, bytes, Use::Object(name))?;
            machine.disturb(spot);
            let found = machine.glance(spot)?;
            let mut plain = Plain::new(machine, op, found, false);
            let (judged, ending) = (plain.run(op), plain.ending);
            judged.map_err(|refusal| machine.refuse(refusal))?;
            if let Some(verb) = plain_verb(op, ending) {
                machine.record(Action::Sync { verb, addr });
            }
            Ok(if found.written == 8 { found.value } else { 0 })
        })?;
        // What is stored depends on what was found, which was judged.
        let mut plain = Plain::new(self, op, Found { value: found, written: 8 }, true);
        let result = plain.run(op);
        let words = plain.words;
        let result = result.map_err(|refusal| self.refuse(refusal))?;
        self.lay_out(addr, &words)?;
        Ok(result)
    }

    /// How many bytes the object has, and what messages call the operation.
    fn extent(&self, op: Op) -> (u32, &'static str) {
        let pointer_bytes = u32::from(self.program.pointer_bytes);
        match op {
            Op::Mutex(_) => (MutexOp::bytes(pointer_bytes), "mutex operation"),
            Op::Other(op) => (op.bytes(pointer_bytes), op.name()),
        }
    }

    fn refuse(&mut self, refusal: Refusal) -> Stop {
        match refusal {
            Refusal::Misuse(message) => self.misuse(message),
            Refusal::Unsupported(what) => self.stop_unsupported(what),
        }
    }

    /// The first word of an object, as a load finds it.
    fn glance(&mut self, spot: Spot) -> Result<Found, Stop> {
        let spot = Spot { len: spot.len.min(8), ..spot };
        let pending = Pending::Clear { addr: spot.addr, len: spot.len };
        let order = Some(Ordering::Relaxed);
        let spot =
            self.ordered(order, |machine| machine.visible_access(spot, AccessKind::Read, pending))?;
        self.event.conditional |=
            spot.visible && self.threads[self.running.thread.index()].scalars.unfenced;
        let word = self.read_spot(spot);
        let written = match (word.low(32).is_defined(), word.shifted(32).is_defined()) {
            (false, _) => 0,
            (true, true) if spot.len == 8 => 8,
            (true, _) => 4,
        };
        Ok(Found { value: word.bits, written })
    }

    fn lay_out(&mut self, addr: u64, words: &Words) -> Result<(), Stop> {
        // Not what races are made of: whoever uses the object too early finds it unmade.
        let order = Some(Ordering::Relaxed);
        for &(at, bits, value) in words {
            self.once_only(|machine| {
                machine.ordered(order, |machine| {
                    machine.store_scalar(addr + u64::from(at), Ty::Int(bits), value, order)
                })
            })?;
        }
        Ok(())
    }
}

/// What people are told of an operation.
fn plain_verb(op: Op, ending: Ending) -> Option<&'static str> {
    match op {
        Op::Mutex(MutexOp::Init(_)) => Some("init"),
        Op::Mutex(_) => Some("destroy"),
        Op::Other(op) => verb(op, ending),
    }
}

impl<'m, 'p, M: MemoryModel> Plain<'m, 'p, M> {
    fn new(machine: &'m Machine<'p, M>, op: Op, found: Found, judged: bool) -> Self {
        let (bytes, _) = machine.extent(op);
        let (words, ending) = (Words::new(), Ending::Changed);
        Plain { machine, domain: Concrete, found, bytes, judged, words, ending }
    }

    fn run(&mut self, op: Op) -> Result<u64, Refusal> {
        match op {
            Op::Mutex(op) => sync::operate_mutex_plainly(self, op),
            Op::Other(op) => sync::operate_plainly(self, op),
        }
    }
}

impl<M: MemoryModel> SyncHost for Plain<'_, '_, M> {
    type Dom = Concrete;
    type Stop = Refusal;

    fn domain(&mut self) -> &mut Concrete {
        &mut self.domain
    }

    fn pointer_bytes(&self) -> u32 {
        u32::from(self.machine.program.pointer_bytes)
    }

    fn me(&mut self) -> u64 {
        self.machine.code_of(self.machine.running.thread)
    }

    fn is_thread(&mut self, code: &u64) -> u64 {
        u64::from(self.machine.thread_of_code(*code).is_some())
    }

    /// The load was the step.
    fn step(&mut self, _: AccessKind) -> Result<(), Refusal> {
        Ok(())
    }

    fn wait(&mut self, _: Gate, _: Option<&u64>) -> Result<(), Refusal> {
        Err(Refusal::Unsupported("waiting by loads and stores"))
    }

    fn may_be_made(&mut self, bytes: u32) -> Result<bool, Refusal> {
        Ok(self.found.written >= bytes)
    }

    fn check_made(&mut self, bytes: u32, message: &'static str) -> Result<(), Refusal> {
        let unmade = u64::from(self.found.written < bytes);
        self.misuse_if(&unmade, message)
    }

    fn read(&mut self, word: Word) -> Result<u64, Refusal> {
        debug_assert!(word.at + word.bytes <= 8, "only the first bytes were loaded");
        Ok(heddle_semantics::mask(self.found.value >> (8 * word.at), 8 * word.bytes))
    }

    /// The first eight bytes are always stored as one, so that stores have one width.
    fn write_if(&mut self, when: &u64, word: Word, value: &u64) -> Result<(), Refusal> {
        if *when == 0 {
            return Ok(());
        }
        if word.at >= 8 {
            self.words.push((word.at, 8 * word.bytes as u8, *value));
            return Ok(());
        }
        if self.words.is_empty() {
            self.words.push((0, 8 * self.bytes.min(8) as u8, 0));
        }
        self.words[0].2 |= value << (8 * word.at);
        Ok(())
    }

    fn clear(&mut self, bytes: u32) -> Result<(), Refusal> {
        let pieces = (0..bytes).step_by(8);
        self.words.extend(pieces.map(|at| (at, 8 * (bytes - at).min(8) as u8, 0)));
        Ok(())
    }

    fn misuse_if(&mut self, bad: &u64, message: &'static str) -> Result<(), Refusal> {
        match *bad != 0 && !self.judged {
            true => Err(Refusal::Misuse(message)),
            false => Ok(()),
        }
    }

    fn unsupported(&mut self, what: &'static str) -> Refusal {
        Refusal::Unsupported(what)
    }

    fn is_never(&mut self, condition: &u64) -> bool {
        *condition == 0
    }

    fn ends_if(&mut self, when: &u64, ending: Ending) {
        if *when != 0 {
            self.ending = ending;
        }
    }
}
