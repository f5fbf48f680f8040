//! Mutexes, spin locks and read-write locks.

use heddle_semantics::sync::{self, Ending, mutex};
use heddle_semantics::{MutexOp, RwLockOp, SpinOp, SyncOp};

use crate::host::{Bytes, Operation, Stop};
use crate::model::{DONE, Goes, Model, explore};

const EPERM: u64 = 1;
const EBUSY: u64 = 16;
const EDEADLK: u64 = 35;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Life<T> {
    Unmade,
    Made(T),
    Destroyed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Normal,
    Recursive,
    ErrorChecking,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Mutex {
    kind: Kind,
    /// Who holds it, and how often.
    holder: Option<(usize, u32)>,
}

#[derive(Clone, Copy, Debug)]
enum Deed {
    Op(MutexOp),
    /// The beginning of a wait for a condition variable.
    Release,
}

impl Model for Life<Mutex> {
    type Op = Deed;

    fn ops(&self, _: usize) -> Vec<Deed> {
        let (lock, attempt) = (MutexOp::Lock, MutexOp::TryLock);
        let makes = (0..3).map(MutexOp::Init);
        let ops = makes.chain([lock, attempt, MutexOp::Unlock, MutexOp::Destroy]);
        ops.map(Deed::Op).chain([Deed::Release]).collect()
    }

    fn apply(&mut self, me: usize, deed: Deed) -> Goes {
        let op = match deed {
            Deed::Op(op) => op,
            Deed::Release => return self.release(me),
        };
        if let MutexOp::Init(kind) = op {
            if matches!(self, Life::Made(Mutex { holder: Some(_), .. })) {
                return Goes::Misuse("initialisation of a mutex that is held");
            }
            let kind = [Kind::Normal, Kind::Recursive, Kind::ErrorChecking][kind as usize];
            *self = Life::Made(Mutex { kind, holder: None });
            return DONE;
        }
        let Mutex { kind, holder } = match self {
            Life::Unmade => return Goes::Misuse("use of a mutex that was never initialised"),
            Life::Destroyed => return Goes::Misuse("use of a mutex that was destroyed"),
            Life::Made(mutex) => mutex,
        };
        match (op, *holder, *kind) {
            (MutexOp::Lock | MutexOp::TryLock, None, _) => {
                *holder = Some((me, 1));
                DONE
            }
            (MutexOp::Lock | MutexOp::TryLock, Some((owner, count)), Kind::Recursive)
                if owner == me =>
            {
                *holder = Some((me, count + 1));
                Goes::Returns(0, Ending::Counted)
            }
            (MutexOp::TryLock, ..) => Goes::Returns(EBUSY, Ending::Busy),
            (MutexOp::Lock, Some((owner, _)), Kind::ErrorChecking) if owner == me => {
                Goes::Returns(EDEADLK, Ending::OwnFault)
            }
            (MutexOp::Lock, ..) => Goes::Waits,
            (MutexOp::Unlock, Some((owner, count)), _) if owner == me => {
                *holder = (count > 1).then_some((me, count - 1));
                Goes::Returns(0, if count > 1 { Ending::Counted } else { Ending::Changed })
            }
            (MutexOp::Unlock, _, Kind::Recursive | Kind::ErrorChecking) => {
                Goes::Returns(EPERM, Ending::Refused)
            }
            (MutexOp::Unlock, None, _) => Goes::Misuse("unlock of a mutex that is not locked"),
            (MutexOp::Unlock, ..) => Goes::Misuse("unlock of a mutex that another thread holds"),
            (MutexOp::Destroy, None, _) => {
                *self = Life::Destroyed;
                DONE
            }
            (MutexOp::Destroy, ..) => Goes::Misuse("destruction of a mutex that is held"),
            (MutexOp::Init(_), ..) => unreachable!("made above"),
        }
    }

    fn run(operation: &mut Operation<'_>, deed: Deed) -> Result<u64, Stop> {
        match deed {
            Deed::Op(op) => mutex::operate(operation, op),
            Deed::Release => mutex::release(operation).map(|()| 0),
        }
    }
}

impl Life<Mutex> {
    fn release(&mut self, me: usize) -> Goes {
        match self {
            Life::Made(Mutex { holder, .. }) if *holder == Some((me, 1)) => {
                *holder = None;
                DONE
            }
            Life::Made(Mutex { holder: Some((owner, _)), .. }) if *owner == me => {
                Goes::Misuse("wait for a condition variable with a mutex that is locked twice")
            }
            _ => Goes::Misuse("wait for a condition variable without holding the mutex"),
        }
    }
}

#[test]
fn mutexes() {
    assert!(explore(Bytes::unwritten(), Life::<Mutex>::Unmade, 7) > 500);
    let normal = Mutex { kind: Kind::Normal, holder: None };
    explore(Bytes::zero(), Life::Made(normal), 7);
}

/// Who holds it.
type Spin = Option<usize>;

impl Model for Life<Spin> {
    type Op = SpinOp;

    fn ops(&self, _: usize) -> Vec<SpinOp> {
        vec![SpinOp::Init, SpinOp::Lock, SpinOp::TryLock, SpinOp::Unlock, SpinOp::Destroy]
    }

    fn apply(&mut self, me: usize, op: SpinOp) -> Goes {
        if op == SpinOp::Init {
            if matches!(self, Life::Made(Some(_))) {
                return Goes::Misuse("initialisation of a spin lock that is held");
            }
            *self = Life::Made(None);
            return DONE;
        }
        let holder = match self {
            Life::Unmade => return Goes::Misuse("use of a spin lock that was never initialised"),
            Life::Destroyed => return Goes::Misuse("use of a spin lock that was destroyed"),
            Life::Made(holder) => holder,
        };
        match (op, *holder) {
            (SpinOp::Lock | SpinOp::TryLock, None) => *holder = Some(me),
            (SpinOp::TryLock, Some(_)) => return Goes::Returns(EBUSY, Ending::Busy),
            (SpinOp::Lock, Some(_)) => return Goes::Waits,
            (SpinOp::Unlock, Some(owner)) if owner == me => *holder = None,
            (SpinOp::Unlock, None) => {
                return Goes::Misuse("unlock of a spin lock that is not locked");
            }
            (SpinOp::Unlock, Some(_)) => {
                return Goes::Misuse("unlock of a spin lock that another thread holds");
            }
            (SpinOp::Destroy, None) => *self = Life::Destroyed,
            (SpinOp::Destroy, Some(_)) => {
                return Goes::Misuse("destruction of a spin lock that is held");
            }
            (SpinOp::Init, _) => unreachable!("made above"),
        }
        DONE
    }

    fn run(operation: &mut Operation<'_>, op: SpinOp) -> Result<u64, Stop> {
        sync::operate(operation, SyncOp::Spin(op))
    }
}

#[test]
fn spin_locks() {
    assert!(explore(Bytes::unwritten(), Life::<Spin>::Unmade, 6) > 50);
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct RwLock {
    writer: Option<usize>,
    /// Read locks of each thread.
    reads: [u32; 3],
}

impl RwLock {
    fn is_free(&self) -> bool {
        self.writer.is_none() && self.reads == [0; 3]
    }
}

impl Model for Life<RwLock> {
    type Op = RwLockOp;

    fn ops(&self, _: usize) -> Vec<RwLockOp> {
        use RwLockOp::*;
        vec![Init, Read, TryRead, Write, TryWrite, Unlock, Destroy]
    }

    fn apply(&mut self, me: usize, op: RwLockOp) -> Goes {
        let held = matches!(self, Life::Made(lock) if !lock.is_free());
        if op == RwLockOp::Init {
            if held {
                return Goes::Misuse("initialisation of a read-write lock that is held");
            }
            *self = Life::Made(RwLock::default());
            return DONE;
        }
        let lock = match self {
            Life::Unmade => {
                return Goes::Misuse("use of a read-write lock that was never initialised");
            }
            Life::Destroyed => return Goes::Misuse("use of a read-write lock that was destroyed"),
            Life::Made(lock) => lock,
        };
        match op {
            RwLockOp::Read | RwLockOp::TryRead if lock.writer.is_none() => lock.reads[me] += 1,
            RwLockOp::Write | RwLockOp::TryWrite if lock.is_free() => lock.writer = Some(me),
            RwLockOp::TryRead | RwLockOp::TryWrite => return Goes::Returns(EBUSY, Ending::Busy),
            RwLockOp::Read | RwLockOp::Write => return Goes::Waits,
            RwLockOp::Unlock if lock.writer == Some(me) => lock.writer = None,
            RwLockOp::Unlock if lock.reads[me] > 0 => lock.reads[me] -= 1,
            RwLockOp::Unlock => {
                return Goes::Misuse("unlock of a read-write lock that the thread does not hold");
            }
            RwLockOp::Destroy if held => {
                return Goes::Misuse("destruction of a read-write lock that is held");
            }
            RwLockOp::Destroy => *self = Life::Destroyed,
            RwLockOp::Init => unreachable!("made above"),
        }
        DONE
    }

    fn run(operation: &mut Operation<'_>, op: RwLockOp) -> Result<u64, Stop> {
        sync::operate(operation, SyncOp::RwLock(op))
    }
}

#[test]
fn read_write_locks() {
    assert!(explore(Bytes::unwritten(), Life::<RwLock>::Unmade, 6) > 500);
    explore(Bytes::zero(), Life::Made(RwLock::default()), 6);
}
