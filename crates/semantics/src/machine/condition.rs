//! Condition variables, in the bytes of a `pthread_cond_t`.
//!
//! A signal wakes a thread that waited before it, and no other. The first byte
//! counts arrivals; each of the next seven holds a *token*, a signal that has
//! woken nobody yet: the number of arrivals when it was sent. The waiter with
//! number n takes a token greater than n, the smallest one, so that the tokens left
//! still fit the waiters left. Behind these eight bytes stand the number of
//! waiters and whether a signal found none. When the last waiter leaves, counting
//! starts anew.
//!
//! Waiting takes three steps: to release the mutex and arrive, to wake up, and to
//! lock the mutex again. There are no spurious wake-ups. A wait with a deadline
//! always comes to its second step: there it takes a token, or else gives up.

use heddle_ir::Ordering;

use crate::Gate;
use crate::event::{Access, AccessKind};
use crate::host::{ConditionOp, MutexOp};
use crate::model::MemoryModel;
use crate::record::Action;
use crate::thread::{Pending, Stage};

use super::access::{Spot, Use};
use super::{Machine, Stop};

/// What stands behind the number of waiters.
const LOST: u64 = 1;
const DESTROYED: u64 = crate::gate::DESTROYED as u64;
const ETIMEDOUT: u64 = 110;

/// The state of a condition variable.
struct Condition {
    arrivals: u8,
    /// In ascending order, zeros last.
    tokens: [u8; 7],
    waiters: u64,
    state: u64,
}

impl Condition {
    fn outstanding(&self) -> usize {
        self.tokens.iter().take_while(|&&token| token != 0).count()
    }

    /// Takes the token that the waiter with this number gets.
    fn take(&mut self, arrival: u8) -> bool {
        let Some(at) = self.tokens.iter().position(|&token| token > arrival) else {
            return false;
        };
        self.tokens.copy_within(at + 1.., at);
        self.tokens[6] = 0;
        true
    }

    fn leave(&mut self) {
        self.waiters = self.waiters.saturating_sub(1);
        if self.waiters == 0 {
            self.arrivals = 0;
        }
    }
}

impl<M: MemoryModel> Machine<'_, M> {
    fn condition(&mut self, spot: Spot) -> Result<Condition, Stop> {
        let (object, offset) = (spot.object, spot.offset);
        let whole = |at| self.store.is_defined(object, offset + at, 8);
        let written = whole(0) && whole(8);
        let state = self.store.read(object, offset + 12, 4);
        if !written || state == DESTROYED {
            self.access_failed(spot);
            return Err(self.misuse(match written {
                true => "use of a condition variable that was destroyed",
                false => "use of a condition variable that was never initialised",
            }));
        }
        Ok(self.read_condition(spot))
    }

    fn read_condition(&self, spot: Spot) -> Condition {
        let (object, offset) = (spot.object, spot.offset);
        let [arrivals, tokens @ ..] = self.store.read(object, offset, 8).to_le_bytes();
        let waiters = self.store.read(object, offset + 8, 4);
        let state = self.store.read(object, offset + 12, 4);
        Condition { arrivals, tokens, waiters, state }
    }

    fn set_condition(&mut self, spot: Spot, condition: &Condition) {
        let mut word = [condition.arrivals; 8];
        word[1..].copy_from_slice(&condition.tokens);
        self.store.write(spot.object, spot.offset, 8, u64::from_le_bytes(word));
        self.store.write(spot.object, spot.offset + 8, 4, condition.waiters);
        self.store.write(spot.object, spot.offset + 12, 4, condition.state);
        self.threads[self.current.index()].scalars.effects += 1;
    }

    pub(super) fn condition_op(&mut self, op: ConditionOp, addr: u64) -> Result<u64, Stop> {
        let spot = self.spot(addr, 16, Use::Object("condition variable operation"))?;
        self.sync_step(spot, AccessKind::Write, Pending::Drained)?;
        let mut condition = match op {
            ConditionOp::Init => Condition { arrivals: 0, tokens: [0; 7], waiters: 0, state: 0 },
            _ => self.condition(spot)?,
        };
        let outstanding = condition.outstanding();
        let asleep = (condition.waiters as usize).saturating_sub(outstanding);
        let verb = match op {
            ConditionOp::Init => "init",
            ConditionOp::Destroy if asleep > 0 => {
                self.access_failed(spot);
                return Err(
                    self.misuse("destruction of a condition variable that a thread waits for")
                );
            }
            ConditionOp::Destroy => {
                condition.state = DESTROYED;
                "destroy"
            }
            ConditionOp::Signal | ConditionOp::Broadcast => {
                let wanted = if op == ConditionOp::Signal { asleep.min(1) } else { asleep };
                if outstanding + wanted > condition.tokens.len() {
                    return Err(self.stop_unsupported(
                        "a condition variable with more than 7 threads that wake up",
                    ));
                }
                condition.tokens[outstanding..outstanding + wanted].fill(condition.arrivals);
                if asleep == 0 {
                    condition.state = LOST;
                }
                self.synchronises(spot, Ordering::Release);
                if op == ConditionOp::Signal { "signal" } else { "broadcast" }
            }
        };
        self.set_condition(spot, &condition);
        self.record(Action::Sync { verb, addr });
        Ok(0)
    }

    pub(super) fn condition_wait(
        &mut self,
        addr: u64,
        mutex: u64,
        timed: bool,
    ) -> Result<u64, Stop> {
        if self.threads[self.current.index()].scalars.stage == Stage::Start {
            let arrival = self.arrive(addr, mutex)?;
            self.threads[self.current.index()].scalars.stage = Stage::Waits { arrival };
        }
        if let Stage::Waits { arrival } = self.threads[self.current.index()].scalars.stage {
            let result = self.wake(addr, arrival, timed)?;
            self.threads[self.current.index()].scalars.stage = Stage::Woken { result };
        }
        self.mutex_op(MutexOp::Lock, mutex)?;
        let scalars = &mut self.threads[self.current.index()].scalars;
        match std::mem::replace(&mut scalars.stage, Stage::Start) {
            Stage::Woken { result } => Ok(result),
            _ => Ok(0),
        }
    }

    /// Releases the mutex and arrives, in one step.
    fn arrive(&mut self, addr: u64, mutex: u64) -> Result<u8, Stop> {
        let spot = self.spot(addr, 16, Use::Object("wait for a condition variable"))?;
        let lock = self.spot(mutex, 8, Use::Object("mutex operation"))?;
        let release = Access { addr: mutex, len: 8, kind: AccessKind::Write };
        let step = self.sync_step(spot, AccessKind::Write, Pending::Drained);
        if let Err(stop) = step {
            if lock.visible {
                let scalars = &mut self.threads[self.current.index()].scalars;
                scalars.pending_footprint.push(release);
            }
            return Err(stop);
        }
        let condition = self.condition(spot);
        let me = self.code_of(self.current);
        let owner = match self.store.is_defined(lock.object, lock.offset, 8) {
            true => self.store.read(lock.object, lock.offset, 4),
            false => 0,
        };
        let count = self.store.read(lock.object, lock.offset + 4, 4);
        if lock.visible {
            // Also if it fails: those that wait for the mutex could not have gone first
            // where it was locked.
            let word = self.store.read(lock.object, lock.offset, 8);
            self.event.words.push((mutex, word));
        }
        if condition.is_err() && lock.visible {
            // With the condition variable it would have released the mutex, and then what
            // others do to the mutex goes another way. So the order of these matters, or a
            // search that looks at races as they come does not find that they could have
            // come before this, and this before the end of the condition variable.
            self.event.footprint.push(release);
        }
        let mut condition = condition?;
        if owner != me || count > 1 {
            self.access_failed(spot);
            if lock.visible {
                let kind = AccessKind::FailedWrite;
                self.event.footprint.push(Access { kind, ..release });
            }
            return Err(self.misuse(match owner == me {
                true => "wait for a condition variable with a mutex that is locked twice",
                false => "wait for a condition variable without holding the mutex",
            }));
        }
        if lock.visible {
            self.event.footprint.push(release);
        }
        self.store.write(lock.object, lock.offset, 8, 0);
        self.synchronises(spot, Ordering::Release);
        let arrival = condition.arrivals;
        if arrival == u8::MAX {
            return Err(self.stop_unsupported("a condition variable that is never without waiters"));
        }
        condition.arrivals += 1;
        condition.waiters += 1;
        self.set_condition(spot, &condition);
        self.record(Action::Wait { addr, mutex });
        Ok(arrival)
    }

    fn wake(&mut self, addr: u64, arrival: u8, timed: bool) -> Result<u64, Stop> {
        let (kind, pending) = match timed {
            true => (AccessKind::Write, Pending::Drained),
            false => {
                let gate = Gate::Condition { arrival };
                (AccessKind::Acquire, Pending::Gate { addr, gate })
            }
        };
        if self.store.resolve(addr, 16).is_err() {
            // Who was woken may still be on its way when the condition variable is
            // destroyed and freed.
            let access = Access { addr, len: 8, kind };
            let order = Some(Ordering::Acquire);
            self.ordered(order, |machine| machine.visible_step(Some(access), pending))?;
            return Ok(0);
        }
        let spot = self.spot(addr, 16, Use::Object("wait for a condition variable"))?;
        self.sync_step(spot, kind, pending)?;
        let mut condition = self.read_condition(spot);
        let woken = condition.take(arrival);
        condition.leave();
        self.set_condition(spot, &condition);
        self.record(Action::Sync { verb: if woken { "wake up" } else { "time out" }, addr });
        Ok(if woken { 0 } else { ETIMEDOUT })
    }
}
