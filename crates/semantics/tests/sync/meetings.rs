//! Barriers, semaphores, condition variables and what is done once.

use heddle_semantics::sync::{self, Ending, barrier, condition};
use heddle_semantics::{BarrierOp, ConditionOp, Gate, OnceOp, SemaphoreOp, SyncOp};

use crate::host::{Bytes, Operation, Stop};
use crate::model::{DONE, Goes, Model, explore};

const EAGAIN: u64 = 11;
const EINVAL: u64 = 22;
const EOVERFLOW: u64 = 75;
const MOST: u32 = i32::MAX as u32;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Life {
    #[default]
    Unmade,
    Made,
    Destroyed,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Barrier {
    life: Life,
    meet: u32,
    /// For each thread that has not left: how many meetings and lives had begun when it
    /// came.
    inside: [Option<u32>; 3],
    arrived: u32,
    begun: u32,
}

impl Model for Barrier {
    type Op = BarrierOp;

    fn ops(&self, thread: usize) -> Vec<BarrierOp> {
        if self.inside[thread].is_some_and(|meeting| meeting == self.begun) {
            return Vec::new();
        }
        let makes = [0, 1, 2, 3, 65_534, 65_535].map(BarrierOp::Init);
        makes.into_iter().chain([BarrierOp::Wait, BarrierOp::Destroy]).collect()
    }

    fn apply(&mut self, me: usize, op: BarrierOp) -> Goes {
        let busy = "initialisation or destruction of a barrier that threads wait at";
        match (op, self.life) {
            (BarrierOp::Init(_) | BarrierOp::Destroy, Life::Made) if self.arrived > 0 => {
                return Goes::Misuse(busy);
            }
            (BarrierOp::Init(0), _) => return Goes::Returns(EINVAL, Ending::Refused),
            (BarrierOp::Init(65_535..), _) => {
                return Goes::Unsupported("a barrier for more than 65534 threads");
            }
            (BarrierOp::Init(count), _) => {
                (self.life, self.meet) = (Life::Made, count);
                self.begun += 1;
            }
            (_, Life::Unmade) => {
                return Goes::Misuse("use of a barrier that was never initialised");
            }
            (_, Life::Destroyed) => return Goes::Misuse("use of a barrier that was destroyed"),
            (BarrierOp::Destroy, Life::Made) => self.life = Life::Destroyed,
            (BarrierOp::Wait, Life::Made) => return self.arrive(me),
        }
        DONE
    }

    fn run(operation: &mut Operation<'_>, op: BarrierOp) -> Result<u64, Stop> {
        match op {
            BarrierOp::Wait => barrier::arrive(operation).map(|arrival| arrival.last),
            _ => sync::operate(operation, SyncOp::Barrier(op)),
        }
    }

    /// Who has arrived can leave if the meeting is over.
    fn check(&self, bytes: &Bytes) {
        for meeting in self.inside.into_iter().flatten() {
            let gate = Gate::Barrier { generation: meeting };
            assert_eq!(gate.is_open(bytes.eight(0)), meeting != self.begun, "{self:?}");
        }
    }
}

impl Barrier {
    fn arrive(&mut self, me: usize) -> Goes {
        self.inside[me] = Some(self.begun);
        self.arrived += 1;
        if self.arrived < self.meet {
            return Goes::Returns(0, Ending::Changed);
        }
        self.arrived = 0;
        self.begun += 1;
        Goes::Returns(1, Ending::Changed)
    }
}

#[test]
fn barriers() {
    assert!(explore(Bytes::unwritten(), Barrier::default(), 6) > 500);
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Semaphore {
    life: Life,
    count: u32,
}

impl Model for Semaphore {
    type Op = SemaphoreOp;

    fn ops(&self, _: usize) -> Vec<SemaphoreOp> {
        use SemaphoreOp::*;
        let makes = [0, 1, MOST, MOST + 1].map(Init);
        makes.into_iter().chain([Wait, TryWait, Post, Value, Destroy]).collect()
    }

    fn apply(&mut self, _: usize, op: SemaphoreOp) -> Goes {
        match (op, self.life) {
            (SemaphoreOp::Init(count), _) if count > MOST => {
                return Goes::Returns(EINVAL, Ending::Refused);
            }
            (SemaphoreOp::Init(count), _) => *self = Semaphore { life: Life::Made, count },
            (_, Life::Unmade) => {
                return Goes::Misuse("use of a semaphore that was never initialised");
            }
            (_, Life::Destroyed) => return Goes::Misuse("use of a semaphore that was destroyed"),
            (SemaphoreOp::Wait, _) if self.count == 0 => return Goes::Waits,
            (SemaphoreOp::TryWait, _) if self.count == 0 => {
                return Goes::Returns(EAGAIN, Ending::Busy);
            }
            (SemaphoreOp::Wait | SemaphoreOp::TryWait, _) => self.count -= 1,
            (SemaphoreOp::Post, _) if self.count == MOST => {
                return Goes::Returns(EOVERFLOW, Ending::Refused);
            }
            (SemaphoreOp::Post, _) => self.count += 1,
            (SemaphoreOp::Value, _) => {
                return Goes::Returns(u64::from(self.count), Ending::Seen);
            }
            (SemaphoreOp::Destroy, _) => *self = Semaphore { life: Life::Destroyed, count: 0 },
        }
        DONE
    }

    fn run(operation: &mut Operation<'_>, op: SemaphoreOp) -> Result<u64, Stop> {
        sync::operate(operation, SyncOp::Semaphore(op))
    }
}

#[test]
fn semaphores() {
    assert!(explore(Bytes::unwritten(), Semaphore::default(), 6) > 200);
    // Zeros are no semaphore, and nobody waits for one that is none.
    explore(Bytes::zero(), Semaphore::default(), 2);
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Condition {
    life: Life,
    asleep: u32,
}

#[derive(Clone, Copy, Debug)]
enum Deed {
    Op(ConditionOp),
    FallAsleep,
}

impl Model for Condition {
    type Op = Deed;

    fn ops(&self, _: usize) -> Vec<Deed> {
        use ConditionOp::*;
        let mut deeds = vec![Deed::Op(Signal), Deed::Op(Broadcast), Deed::Op(Destroy)];
        deeds.extend((self.asleep < 3).then_some(Deed::FallAsleep));
        // Nobody is told of an initialisation that others sleep through.
        deeds.extend((self.asleep == 0).then_some(Deed::Op(Init)));
        deeds
    }

    fn apply(&mut self, _: usize, deed: Deed) -> Goes {
        if let Deed::Op(ConditionOp::Init) = deed {
            *self = Condition { life: Life::Made, asleep: 0 };
            return DONE;
        }
        match self.life {
            Life::Made => {}
            Life::Unmade => {
                return Goes::Misuse("use of a condition variable that was never initialised");
            }
            Life::Destroyed => {
                return Goes::Misuse("use of a condition variable that was destroyed");
            }
        }
        match deed {
            Deed::FallAsleep => self.asleep += 1,
            Deed::Op(ConditionOp::Signal) => self.asleep = self.asleep.saturating_sub(1),
            Deed::Op(ConditionOp::Broadcast) => self.asleep = 0,
            Deed::Op(ConditionOp::Destroy) if self.asleep > 0 => {
                return Goes::Misuse("destruction of a condition variable that a thread waits for");
            }
            Deed::Op(ConditionOp::Destroy) => self.life = Life::Destroyed,
            Deed::Op(ConditionOp::Init) => unreachable!("made above"),
        }
        DONE
    }

    fn run(operation: &mut Operation<'_>, deed: Deed) -> Result<u64, Stop> {
        match deed {
            Deed::Op(op) => sync::operate(operation, SyncOp::Condition(op)),
            Deed::FallAsleep => {
                condition::usable(operation)?;
                operation.object.sleepers += 1;
                Ok(0)
            }
        }
    }

    fn check(&self, bytes: &Bytes) {
        assert_eq!(self.asleep, bytes.sleepers, "{self:?}");
    }
}

#[test]
fn condition_variables() {
    assert!(explore(Bytes::unwritten(), Condition::default(), 6) > 30);
    explore(Bytes::zero(), Condition { life: Life::Made, asleep: 0 }, 6);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Once {
    Unmade,
    Before,
    Runs,
    Done,
}

impl Model for Once {
    type Op = OnceOp;

    fn ops(&self, _: usize) -> Vec<OnceOp> {
        match self {
            Once::Before => vec![OnceOp::Begin],
            _ => vec![OnceOp::Begin, OnceOp::End, OnceOp::Abort],
        }
    }

    fn apply(&mut self, _: usize, op: OnceOp) -> Goes {
        let (goes, after) = match (op, *self) {
            (_, Once::Unmade) => {
                return Goes::Misuse("use of a once flag that was never initialised");
            }
            (OnceOp::Begin, Once::Before) => (Goes::Returns(1, Ending::Changed), Once::Runs),
            (OnceOp::Begin, Once::Runs) => return Goes::Waits,
            (OnceOp::Begin, Once::Done) => (Goes::Returns(0, Ending::Seen), Once::Done),
            (OnceOp::End, _) => (DONE, Once::Done),
            (OnceOp::Abort, _) => (DONE, Once::Before),
        };
        *self = after;
        goes
    }

    fn run(operation: &mut Operation<'_>, op: OnceOp) -> Result<u64, Stop> {
        sync::operate(operation, SyncOp::Once(op))
    }
}

#[test]
fn once() {
    explore(Bytes::zero(), Once::Before, 5);
    explore(Bytes::unwritten(), Once::Unmade, 1);
}
