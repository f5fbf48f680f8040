//! Objects that threads wait for, where C libraries only load and store: they are made, and
//! most of them destroyed, by plain stores, and the count of a semaphore is a plain load.
//!
//! Where stores wait, so do these: nobody else need find the object as it was left. What
//! is checked at that is a load too. Without store queues an operation is one step (see
//! the files of the objects).

use heddle_ir::{Ordering, Ty};
use smallvec::SmallVec;

use crate::event::AccessKind;
use crate::gate::{DESTROYED, LIVE_SEMAPHORE};
use crate::host::{BarrierOp, MutexOp, RwLockOp, SemaphoreOp, SpinOp, SyncOp};
use crate::model::MemoryModel;
use crate::record::Action;
use crate::thread::Pending;

use super::access::{Spot, Use};
use super::{Machine, Stop};

const EINVAL: u64 = 22;
const MOST_TICKETS: u32 = i32::MAX as u32;
/// Number of threads that marks a barrier that was destroyed.
const NO_BARRIER: u32 = u16::MAX as u32;

/// What is stored: offset, bits and value.
type Words = SmallVec<[(u32, u8, u64); 8]>;

/// A word of an object, as the running thread finds it.
#[derive(Clone, Copy)]
struct Found {
    value: u64,
    /// Its lower and its upper half were written.
    written: (bool, bool),
}

impl Found {
    fn low(self) -> u64 {
        self.value & 0xffff_ffff
    }

    fn high(self) -> u64 {
        self.value >> 32
    }
}

/// One of these operations: the object's size and what it is called; the verb for
/// people; what is stored.
struct Plain {
    bytes: u32,
    object: &'static str,
    verb: &'static str,
    words: Words,
}

impl<M: MemoryModel> Machine<'_, M> {
    /// A mutex is made or destroyed.
    pub(super) fn mutex_plainly(&mut self, op: MutexOp, addr: u64) -> Result<u64, Stop> {
        let kind = self.kind_offset();
        let (verb, words) = match op {
            MutexOp::Init(number) => {
                let blank = (0..kind).step_by(8).map(|at| (at, 8 * (kind - at).min(8) as u8, 0));
                ("init", blank.chain([(kind, 32, u64::from(number))]).collect())
            }
            _ => ("destroy", word(u64::from(DESTROYED))),
        };
        let plain = Plain { bytes: kind + 4, object: "mutex operation", verb, words };
        self.plainly(addr, &plain, |machine, found| {
            let held = machine.thread_of_code(found.low()).is_some();
            match op {
                MutexOp::Init(_) if found.written.0 && held => {
                    Some("initialisation of a mutex that is held")
                }
                MutexOp::Init(_) => None,
                _ if !found.written.0 => Some("use of a mutex that was never initialised"),
                _ if found.low() == u64::from(DESTROYED) => {
                    Some("use of a mutex that was destroyed")
                }
                _ => (found.low() != 0).then_some("destruction of a mutex that is held"),
            }
        })?;
        Ok(0)
    }

    /// An operation on another object that is [plain](crate::Draining::Plain).
    pub(super) fn sync_plainly(&mut self, op: SyncOp, addr: u64) -> Result<u64, Stop> {
        match op {
            SyncOp::Semaphore(op) => self.semaphore_plainly(op, addr),
            SyncOp::Spin(op) => self.spin_plainly(op, addr),
            SyncOp::RwLock(op) => self.rwlock_plainly(op, addr),
            SyncOp::Condition(_) => {
                let words = [(0, 64, 0), (8, 64, 0)].into_iter().collect();
                let object = "condition variable operation";
                let plain = Plain { bytes: 16, object, verb: "init", words };
                self.plainly(addr, &plain, |_, _| None).map(|_| 0)
            }
            SyncOp::Barrier(BarrierOp::Init(0)) => Ok(EINVAL),
            SyncOp::Barrier(BarrierOp::Init(count)) if count < NO_BARRIER => {
                self.barrier_plainly(count, addr)
            }
            _ => Err(self.stop_unsupported("a barrier for more than 65534 threads")),
        }
    }

    fn semaphore_plainly(&mut self, op: SemaphoreOp, addr: u64) -> Result<u64, Stop> {
        let (verb, words) = match op {
            SemaphoreOp::Init(count) if count > MOST_TICKETS => return Ok(EINVAL),
            SemaphoreOp::Init(count) => {
                ("init", word(u64::from(LIVE_SEMAPHORE) << 32 | u64::from(count)))
            }
            SemaphoreOp::Value => ("getvalue", Words::new()),
            // Who waits for it finds it destroyed.
            _ => ("destroy", word(u64::from(DESTROYED) << 32)),
        };
        let plain = Plain { bytes: 8, object: "semaphore operation", verb, words };
        let found = self.plainly(addr, &plain, |_, found| {
            let state = if found.written == (true, true) { found.high() } else { 0 };
            match op {
                SemaphoreOp::Init(_) => None,
                _ if state == u64::from(LIVE_SEMAPHORE) => None,
                _ if state == u64::from(DESTROYED) => Some("use of a semaphore that was destroyed"),
                _ => Some("use of a semaphore that was never initialised"),
            }
        })?;
        Ok(if op == SemaphoreOp::Value { found & 0xffff_ffff } else { 0 })
    }

    fn spin_plainly(&mut self, op: SpinOp, addr: u64) -> Result<u64, Stop> {
        let (verb, value) = match op {
            SpinOp::Init => ("init", 0),
            _ => ("destroy", u64::from(DESTROYED)),
        };
        let words = [(0, 32, value)].into_iter().collect();
        let plain = Plain { bytes: 4, object: "spin lock operation", verb, words };
        self.plainly(addr, &plain, |machine, found| {
            let held = machine.thread_of_code(found.low()).is_some();
            match op {
                SpinOp::Init if found.written.0 && held => {
                    Some("initialisation of a spin lock that is held")
                }
                SpinOp::Init => None,
                _ if !found.written.0 => Some("use of a spin lock that was never initialised"),
                _ if found.low() == u64::from(DESTROYED) => {
                    Some("use of a spin lock that was destroyed")
                }
                _ => (found.low() != 0).then_some("destruction of a spin lock that is held"),
            }
        })?;
        Ok(0)
    }

    fn rwlock_plainly(&mut self, op: RwLockOp, addr: u64) -> Result<u64, Stop> {
        let bytes = self.rwlock_bytes();
        let (verb, words) = match op {
            RwLockOp::Init => ("init", (0..bytes).step_by(8).map(|at| (at, 64, 0)).collect()),
            _ => ("destroy", word(u64::from(DESTROYED))),
        };
        let plain = Plain { bytes, object: "read-write lock operation", verb, words };
        self.plainly(addr, &plain, |machine, found| {
            let written = found.written == (true, true);
            let taken = machine.thread_of_code(found.low()).is_some() || found.high() != 0;
            match op {
                RwLockOp::Init if written && taken => {
                    Some("initialisation of a read-write lock that is held")
                }
                RwLockOp::Init => None,
                _ if !written => Some("use of a read-write lock that was never initialised"),
                _ if found.low() == u64::from(DESTROYED) => {
                    Some("use of a read-write lock that was destroyed")
                }
                _ => taken.then_some("destruction of a read-write lock that is held"),
            }
        })?;
        Ok(0)
    }

    fn barrier_plainly(&mut self, count: u32, addr: u64) -> Result<u64, Stop> {
        let object = "barrier operation";
        let look = Plain { bytes: 8, object, verb: "init", words: Words::new() };
        let found = self.plainly(addr, &look, |_, found| {
            let waits = found.written == (true, true) && found.low() >> 16 != 0;
            waits.then_some("initialisation or destruction of a barrier that threads wait at")
        })?;
        // Threads of an earlier life of the barrier may still have to leave.
        let generation = (found >> 32) as u32 + 1;
        self.lay_out(addr, &word(u64::from(count) | u64::from(generation) << 32))?;
        Ok(0)
    }

    /// Looks at the first word of an object, judges it, and stores what is to be stored. The
    /// word, or 0 if not all of it was written.
    fn plainly(
        &mut self,
        addr: u64,
        plain: &Plain,
        problem: impl FnOnce(&mut Self, Found) -> Option<&'static str>,
    ) -> Result<u64, Stop> {
        let found = self.once(|machine| {
            let spot = machine.spot(addr, plain.bytes, Use::Object(plain.object))?;
            machine.disturb(spot);
            let found = machine.glance(spot)?;
            if let Some(problem) = problem(machine, found) {
                return Err(machine.misuse(problem));
            }
            machine.record(Action::Sync { verb: plain.verb, addr });
            Ok(if found.written == (true, true) { found.value } else { 0 })
        })?;
        self.lay_out(addr, &plain.words)?;
        Ok(found)
    }

    /// The first word of an object, as a load finds it.
    fn glance(&mut self, spot: Spot) -> Result<Found, Stop> {
        let spot = Spot { len: spot.len.min(8), ..spot };
        let pending = Pending::Clear { addr: spot.addr, len: spot.len };
        let order = Some(Ordering::Relaxed);
        let spot =
            self.ordered(order, |machine| machine.visible_access(spot, AccessKind::Read, pending))?;
        self.event.conditional |=
            spot.visible && self.threads[self.current.index()].scalars.unfenced;
        let word = self.read_spot(spot);
        let whole = spot.len == 8;
        let written = (word.low(32).is_defined(), whole && word.shifted(32).is_defined());
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

/// The first word of an object.
fn word(value: u64) -> Words {
    [(0, 64, value)].into_iter().collect()
}
