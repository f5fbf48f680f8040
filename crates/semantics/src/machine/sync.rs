//! Mutexes and threads.
//!
//! A mutex is kept in the program's own memory, in the bytes of its
//! `pthread_mutex_t`: the first word is 0 when free, else the owner's code;
//! the second counts recursive locking; the kind stands where glibc's static
//! initialisers put it. So mutexes are undone, copied and compared like any other
//! memory.

use heddle_ir::Ordering;

use crate::event::{Access, AccessKind};
use crate::host::MutexOp;
use crate::model::MemoryModel;
use crate::record::Action;
use crate::thread::{CODES, Fate, MOST_THREADS, Pending, Status, code, handle};
use crate::{Gate, ThreadId, ThreadPath, Unwritten, ViolationKind, mask};

use super::access::{Spot, Use};
use super::{Machine, Stop};

const DESTROYED: u64 = crate::gate::DESTROYED as u64;
const RECURSIVE: u64 = 1;
const ERROR_CHECKING: u64 = 2;
const EPERM: u64 = 1;
const ESRCH: u64 = 3;
const EBUSY: u64 = 16;
const EDEADLK: u64 = 35;

impl<M: MemoryModel> Machine<'_, M> {
    /// Offset of `__kind` in glibc's `pthread_mutex_t`.
    pub(super) fn kind_offset(&self) -> u32 {
        if self.program.pointer_bytes == 8 { 16 } else { 12 }
    }

    /// Is the gate of the object there open? If the object is gone, the step must
    /// run to report it.
    pub(super) fn gate_is_open(&self, addr: u64, gate: Gate) -> bool {
        let bytes = gate.bytes();
        match self.store.resolve(addr, u64::from(bytes)) {
            Ok((object, offset)) => gate.is_open(self.store.read(object, offset, bytes)),
            Err(_) => true,
        }
    }

    /// May the running thread lock the mutex although it holds it?
    fn locks_again(&self, spot: Spot) -> bool {
        let owner = self.store.read(spot.object, spot.offset, 4);
        let kind = self.store.read(spot.object, spot.offset + self.kind_offset(), 4) & 3;
        owner == self.code_of(self.current) && matches!(kind, RECURSIVE | ERROR_CHECKING)
    }

    /// A step on an object that threads wait for. `pending` says what for, if
    /// this operation is one that waits.
    pub(super) fn sync_step(
        &mut self,
        spot: Spot,
        kind: AccessKind,
        pending: Pending,
    ) -> Result<(), Stop> {
        let waits = match pending {
            Pending::Gate { addr, gate } => !self.gate_is_open(addr, gate),
            _ => false,
        };
        // A gate of an object that nobody else can see will never open.
        if spot.visible || waits {
            self.leave_quiet()?;
            let len = spot.len.min(8);
            let access = Access { addr: spot.addr, len, kind };
            let order = match pending {
                Pending::Gate { .. } => Some(Ordering::Acquire),
                _ => Some(Ordering::AcqRel),
            };
            self.ordered(order, |machine| machine.visible_step(Some(access), pending))?;
            self.event.updates = true;
            let word = self.store.read(spot.object, spot.offset, len);
            self.event.words.push((spot.addr, word));
        } else {
            self.drain()?;
        }
        if waits && self.threads[self.current.index()].scalars.atomic != 0 {
            return Err(self.stop_unsupported("waiting inside an atomic section"));
        }
        Ok(())
    }

    pub(super) fn mutex_op(&mut self, op: MutexOp, addr: u64) -> Result<u64, Stop> {
        let spot = self.spot(addr, self.kind_offset() + 4, Use::Object("mutex operation"))?;
        if self.is_quiet(op, spot) {
            return self.quiet_op(op, spot);
        }
        self.disturb(spot);
        let gate = Gate::Mutex { me: self.current };
        let (kind, pending) = match op {
            // Whether it is locked by this thread already does not change while the
            // thread waits.
            MutexOp::Lock if self.locks_again(spot) => (AccessKind::Write, Pending::Drained),
            MutexOp::Lock => (AccessKind::Acquire, Pending::Gate { addr, gate }),
            _ => (AccessKind::Write, Pending::Drained),
        };
        self.sync_step(spot, kind, pending)?;
        if spot.visible && matches!(op, MutexOp::TryLock) {
            self.event.conditional = true;
            self.event.compared = Some(0);
        }
        let result = self.mutex_transition(op, spot)?;
        if result == 0 {
            self.threads[self.current.index()].scalars.effects += 1;
        }
        Ok(result)
    }

    /// The mutex is no part of the step, but it is locked all the same.
    fn quiet_op(&mut self, op: MutexOp, spot: Spot) -> Result<u64, Stop> {
        if op == MutexOp::Lock {
            self.begin_quiet(spot)?;
        }
        let result = self.mutex_transition(op, Spot { visible: false, ..spot })?;
        self.threads[self.current.index()].scalars.effects += 1;
        if op == MutexOp::Unlock {
            self.end_quiet();
        }
        Ok(result)
    }

    fn mutex_transition(&mut self, op: MutexOp, spot: Spot) -> Result<u64, Stop> {
        let (object, offset, addr) = (spot.object, spot.offset, spot.addr);
        let me = self.code_of(self.current);
        let word = |machine: &Self, at: u32| machine.store.read(object, offset + at, 4);
        let initialised = self.store.is_defined(object, offset, 4);
        if let MutexOp::Init(kind) = op {
            if initialised && self.thread_of_code(word(self, 0)).is_some() {
                self.access_failed(spot);
                return Err(self.misuse("initialisation of a mutex that is held"));
            }
            for at in (0..self.kind_offset()).step_by(4) {
                self.store.write(object, offset + at, 4, 0);
            }
            self.store.write(object, offset + self.kind_offset(), 4, u64::from(kind));
            self.record(Action::MutexInit { addr });
            return Ok(0);
        }
        if !initialised {
            self.access_failed(spot);
            return Err(self.misuse("use of a mutex that was never initialised"));
        }
        let (owner, count) = (word(self, 0), word(self, 4));
        let kind = word(self, self.kind_offset()) & 3;
        if owner == DESTROYED {
            self.access_failed(spot);
            return Err(self.misuse("use of a mutex that was destroyed"));
        }
        match op {
            MutexOp::Init(_) => unreachable!("handled above"),
            MutexOp::Lock | MutexOp::TryLock if owner == 0 => {
                self.store.write(object, offset, 4, me);
                self.store.write(object, offset + 4, 4, 1);
                self.record(match op {
                    MutexOp::Lock => Action::Lock { addr },
                    _ => Action::TryLock { addr, ok: true },
                });
                Ok(0)
            }
            MutexOp::Lock | MutexOp::TryLock if owner == me && kind == RECURSIVE => {
                self.forget_access(spot);
                self.store.write(object, offset + 4, 4, count + 1);
                self.record(Action::Lock { addr });
                Ok(0)
            }
            MutexOp::TryLock => {
                self.access_failed(spot);
                self.threads[self.current.index()].reads.push((addr, 4, owner));
                self.record(Action::TryLock { addr, ok: false });
                Ok(EBUSY)
            }
            MutexOp::Lock if owner == me => {
                self.forget_access(spot);
                Ok(EDEADLK)
            }
            MutexOp::Lock => {
                Err(self.stop_unsupported("waiting for a lock inside an atomic section"))
            }
            MutexOp::Unlock if owner != me => {
                // It lets nobody in, so an acquisition could come before it too.
                self.access_failed(spot);
                if matches!(kind, RECURSIVE | ERROR_CHECKING) {
                    return Ok(EPERM);
                }
                Err(self.misuse(match owner {
                    0 => "unlock of a mutex that is not locked",
                    _ => "unlock of a mutex that another thread holds",
                }))
            }
            MutexOp::Unlock => {
                if count <= 1 {
                    self.store.write(object, offset, 4, 0);
                } else {
                    self.forget_access(spot);
                }
                self.store.write(object, offset + 4, 4, count.saturating_sub(1));
                self.synchronises(spot, Ordering::Release);
                self.record(Action::Unlock { addr });
                Ok(0)
            }
            MutexOp::Destroy if owner != 0 => {
                self.access_failed(spot);
                Err(self.misuse("destruction of a mutex that is held"))
            }
            MutexOp::Destroy => {
                self.store.write(object, offset, 4, DESTROYED);
                self.record(Action::MutexDestroy { addr });
                Ok(0)
            }
        }
    }

    /// The owner of a recursive mutex counts up or down: nothing that another
    /// thread could notice.
    pub(super) fn forget_access(&mut self, spot: Spot) {
        if spot.visible {
            self.event.footprint.pop();
        }
    }

    pub(super) fn misuse(&mut self, message: &str) -> Stop {
        self.violate(ViolationKind::MutexMisuse, message.to_string())
    }

    pub(super) fn intern(&mut self, path: ThreadPath) -> ThreadId {
        if let Some(&id) = self.interned.get(&path) {
            return id;
        }
        let Some(names) = self.config.names.clone() else { return self.intern_next(path) };
        names.threads(self.paths.len(), Some(path), |path| {
            self.intern_next(path);
        });
        self.interned[&path]
    }

    pub(super) fn intern_next(&mut self, path: ThreadPath) -> ThreadId {
        let id = ThreadId(self.threads.len() as u32);
        let mut thread = crate::thread::Thread::unborn();
        if !path.queue {
            let parent = self.threads[path.parent.index()].code % CODES;
            let mut number = parent.wrapping_mul(64).wrapping_add(path.nth + 1);
            // Only paths of great depth or width can meet.
            while self.codes.contains_key(&code(number)) {
                number = number.wrapping_add(0x9e37_79b9);
            }
            thread.code = code(number);
            self.codes.insert(thread.code, id);
        }
        self.threads.push(thread);
        self.paths.push(path);
        self.interned.insert(path, id);
        id
    }

    pub(super) fn spawn_thread(&mut self, entry: u64, arg: u64) -> Result<u64, Stop> {
        self.leave_quiet()?;
        let function = self.function_at(entry)?;
        if self.program.function(function).is_declaration() {
            return Err(self.stop_unsupported("a thread that starts in a library function"));
        }
        if self.codes.len() > MOST_THREADS {
            return Err(self.stop_unsupported(&format!("more than {MOST_THREADS} threads")));
        }
        self.store.needs.note_others();
        self.check_call(function)?;
        self.store.publish(arg, self.program.pointer_bytes);
        let scalars = &mut self.threads[self.current.index()].scalars;
        let path = ThreadPath { parent: self.current, nth: scalars.children, queue: false };
        scalars.children += 1;
        scalars.effects += 1;
        let child = self.intern(path);
        let created_at = self.here();
        let thread = &mut self.threads[child.index()];
        debug_assert_eq!(thread.scalars.status, Status::Unborn);
        thread.scalars.status = Status::Waiting(Pending::Ready);
        thread.entry = function;
        thread.created_at = created_at;
        self.undo.note_birth(child);
        self.push_frame(child, function, &[arg])?;
        self.unjoined += 1;
        self.newborn.push(child);
        self.event.created.push(child);
        self.record(Action::Create { child, function });
        Ok(self.handle_of(child))
    }

    /// How a lock knows a thread.
    pub(super) fn code_of(&self, thread: ThreadId) -> u64 {
        u64::from(self.threads[thread.index()].code)
    }

    pub(super) fn thread_of_code(&self, code: u64) -> Option<ThreadId> {
        let id = *self.codes.get(&u32::try_from(code).ok()?)?;
        self.store.needs.note_others();
        let thread = &self.threads[id.index()];
        (thread.scalars.status != Status::Unborn).then_some(id)
    }

    /// The `pthread_t` of a thread.
    pub(super) fn handle_of(&self, thread: ThreadId) -> u64 {
        mask(handle(self.threads[thread.index()].code), u32::from(self.program.pointer_bytes) * 8)
    }

    pub(super) fn thread_of(&self, handle: u64) -> Option<ThreadId> {
        let id = self.thread_of_code(u64::from(handle as u32))?;
        (self.handle_of(id) == handle).then_some(id)
    }

    /// The thread's result, or the error number.
    pub(super) fn join_thread(&mut self, handle: u64) -> Result<Result<u64, u64>, Stop> {
        self.leave_quiet()?;
        let Some(target) = self.thread_of(handle) else { return Ok(Err(ESRCH)) };
        if target == self.current {
            return Ok(Err(EDEADLK));
        }
        if self.threads[self.current.index()].scalars.atomic != 0 {
            return Err(self.stop_unsupported("a join inside an atomic section"));
        }
        self.visible_step(None, Pending::Join { target })?;
        self.event.joined = Some(target);
        let fate = self.threads[target.index()].scalars.fate;
        self.identity |= fate.is_sealed();
        if fate.joined || fate.detached {
            return Ok(Err(22)); // EINVAL
        }
        self.set_fate(target, Fate { joined: true, ..fate });
        self.unjoined -= 1;
        self.threads[self.current.index()].scalars.effects += 1;
        self.record(Action::Join { target });
        Ok(Ok(self.threads[target.index()].scalars.result))
    }

    /// Where what a thread gave as its result comes from, if that is undefined.
    pub(super) fn undefined_result(&self, handle: u64) -> Option<Unwritten> {
        let target = self.thread_of(handle)?;
        self.threads[target.index()].scalars.no_result
    }

    pub(super) fn set_fate(&mut self, thread: ThreadId, fate: Fate) {
        let scalars = &mut self.threads[thread.index()].scalars;
        self.undo.note_fate(thread, scalars.fate);
        scalars.fate = fate;
    }

    pub(super) fn detach_thread(&mut self, handle: u64) {
        if let Some(target) = self.thread_of(handle) {
            let fate = self.threads[target.index()].scalars.fate;
            self.identity |= fate.is_sealed();
            self.set_fate(target, Fate { detached: true, ..fate });
        }
    }

    /// Threads that exist, in an order that is the same in every machine.
    pub(crate) fn by_code(&self) -> Vec<ThreadId> {
        let all = (0..self.threads.len() as u32).map(ThreadId);
        let mut threads: Vec<ThreadId> =
            all.filter(|&thread| *self.status(thread) != Status::Unborn).collect();
        threads.sort_by_key(|thread| self.threads[thread.index()].code);
        threads
    }
}
