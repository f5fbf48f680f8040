//! Condition variables: who sleeps, and how waiting goes.
//!
//! A signal wakes a thread that waited before it, and no other. The first byte
//! counts signals that found somebody asleep; each of the next seven holds a *token*, a signal
//! that has woken nobody yet: its number. A waiter has the number of the last signal before
//! it. It takes a token greater than that, the smallest one, so that the tokens left
//! still fit the waiters left. Behind these eight bytes stand the number of
//! waiters and whether a signal found none. When the last waiter leaves, counting
//! starts anew. Waiters between two signals are alike, so one that wakes up for no reason and
//! waits again comes back to where it was.
//!
//! Waiting takes three steps: to release the mutex and arrive, to wake up, and to
//! lock the mutex again. There are no spurious wake-ups. A wait with a deadline
//! always comes to its second step: there it takes a token, or else gives up.

use heddle_ir::{Ordering, Ty};

use heddle_semantics::sync::{CONDITION_STATE, SleeperHost, condition, mutex};
use heddle_semantics::{Access, AccessKind, Gate, MemoryModel, MutexOp};

use crate::Machine;
use crate::machine::Stop;
use crate::observers::record::Action;
use crate::run::access::{Spot, Use};
use crate::sync::operation::Operation;
use crate::threads::thread::{Pending, Stage};

/// State of a condition variable of which a signal found nobody.
const LOST: u64 = 1;
const ETIMEDOUT: u64 = 110;

/// The state of a condition variable.
struct Condition {
    signals: u8,
    /// In ascending order, zeros last.
    tokens: [u8; 7],
    waiters: u64,
    state: u64,
}

impl Condition {
    fn outstanding(&self) -> usize {
        self.tokens.iter().take_while(|&&token| token != 0).count()
    }

    /// Waiters for whom there is no token.
    fn asleep(&self) -> usize {
        (self.waiters as usize).saturating_sub(self.outstanding())
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
            self.signals = 0;
        }
    }
}

impl<M: MemoryModel> Machine<'_, M> {
    fn read_condition(&self, spot: Spot) -> Condition {
        let (object, offset) = (spot.object, spot.offset);
        let [signals, tokens @ ..] = self.store.read(object, offset, 8).to_le_bytes();
        let waiters = self.store.read(object, offset + 8, 4);
        let state = self.store.read(object, offset + CONDITION_STATE.at, 4);
        Condition { signals, tokens, waiters, state }
    }

    fn set_condition(&mut self, spot: Spot, condition: &Condition) {
        let mut word = [condition.signals; 8];
        word[1..].copy_from_slice(&condition.tokens);
        self.store.write(spot.object, spot.offset, 8, u64::from_le_bytes(word));
        self.store.write(spot.object, spot.offset + 8, 4, condition.waiters);
        self.store.write(spot.object, spot.offset + CONDITION_STATE.at, 4, condition.state);
    }

    pub(crate) fn condition_wait(
        &mut self,
        addr: u64,
        mutex: u64,
        timed: bool,
    ) -> Result<u64, Stop> {
        if self.threads[self.running.thread.index()].scalars.stage == Stage::Start {
            let arrival = self.arrive(addr, mutex)?;
            self.threads[self.running.thread.index()].scalars.stage = Stage::Waits { arrival };
        }
        if let Stage::Waits { arrival } = self.threads[self.running.thread.index()].scalars.stage {
            let result = self.wake(addr, arrival, timed)?;
            self.threads[self.running.thread.index()].scalars.stage = Stage::Woken { result };
        }
        self.mutex_op(MutexOp::Lock, mutex)?;
        let scalars = &mut self.threads[self.running.thread.index()].scalars;
        match std::mem::replace(&mut scalars.stage, Stage::Start) {
            Stage::Woken { result } => Ok(result),
            _ => Ok(0),
        }
    }

    /// The first eight bytes, for a waiter that looks at them itself.
    pub(crate) fn look_at_tokens(&mut self, addr: u64) -> Result<u64, Stop> {
        let order = Some(Ordering::Acquire);
        if self.store.resolve(addr, 16).is_err() {
            // As in [`Machine::wake`].
            let access = Access { addr, len: 8, kind: AccessKind::Read };
            self.ordered(order, |machine| machine.visible_step(Some(access), Pending::Ready))?;
            return Ok(u64::MAX);
        }
        self.ordered(order, |machine| machine.load_scalar(addr, Ty::Int(64)))
    }

    /// Releases the mutex and arrives, in one step.
    pub(crate) fn arrive(&mut self, addr: u64, mutex: u64) -> Result<u8, Stop> {
        let spot = self.spot(addr, 16, Use::Object("wait for a condition variable"))?;
        let lock = self.mutex_spot(mutex)?;
        let release = Access { addr: mutex, len: 8, kind: AccessKind::Write };
        let step = self.sync_step(spot, AccessKind::Write, Pending::Drained);
        if let Err(stop) = step {
            if lock.visible {
                let scalars = &mut self.threads[self.running.thread.index()].scalars;
                scalars.pending_footprint.push(release);
            }
            return Err(stop);
        }
        let usable = condition::usable(&mut Operation::within_step(self, spot));
        if lock.visible {
            // Also if it fails: those that wait for the mutex could not have gone first
            // where it was locked.
            let word = self.store.read(lock.object, lock.offset, 8);
            self.event.words.push((mutex, word));
        }
        if usable.is_err() && lock.visible {
            // With the condition variable it would have released the mutex, and then what
            // others do to the mutex goes another way. So the order of these matters, or a
            // search that looks at races as they come does not find that they could have
            // come before this, and this before the end of the condition variable.
            self.event.footprint.push(release);
        }
        usable?;
        let unseen = Spot { visible: false, ..lock };
        let released = mutex::release(&mut Operation::within_step(self, unseen));
        if released.is_err() {
            self.access_failed(spot);
        }
        if lock.visible {
            let kind = if released.is_err() { AccessKind::FailedWrite } else { release.kind };
            self.event.footprint.push(Access { kind, ..release });
        }
        released?;
        self.note_unlocked(mutex);
        self.synchronises(spot, Ordering::Release);
        self.fall_asleep(spot, mutex)
    }

    /// The number that the new waiter has.
    fn fall_asleep(&mut self, spot: Spot, mutex: u64) -> Result<u8, Stop> {
        let mut condition = self.read_condition(spot);
        let arrival = condition.signals;
        condition.waiters += 1;
        self.set_condition(spot, &condition);
        self.threads[self.running.thread.index()].scalars.effects += 1;
        self.record(Action::Wait { addr: spot.addr, mutex });
        Ok(arrival)
    }

    pub(crate) fn wake(&mut self, addr: u64, arrival: u8, timed: bool) -> Result<u64, Stop> {
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
        self.threads[self.running.thread.index()].scalars.effects += 1;
        self.record(Action::Sync { verb: if woken { "wake up" } else { "time out" }, addr });
        Ok(if woken { 0 } else { ETIMEDOUT })
    }
}

impl<M: MemoryModel> Operation<'_, '_, M> {
    /// Sends tokens to at most so many of those who sleep.
    fn send_tokens(&mut self, most: usize) -> Result<(), Stop> {
        let mut condition = self.machine.read_condition(self.spot);
        let (outstanding, asleep) = (condition.outstanding(), condition.asleep());
        let woken = outstanding + asleep.min(most);
        if woken > condition.tokens.len() {
            let what = "a condition variable with more than 7 threads that wake up";
            return Err(self.machine.stop_unsupported(what));
        }
        if woken > outstanding {
            if condition.signals == u8::MAX {
                let what = "a condition variable that is never without waiters";
                return Err(self.machine.stop_unsupported(what));
            }
            condition.signals += 1;
            condition.tokens[outstanding..woken].fill(condition.signals);
        }
        if asleep == 0 {
            condition.state = LOST;
        }
        self.machine.set_condition(self.spot, &condition);
        Ok(())
    }
}

impl<M: MemoryModel> SleeperHost for Operation<'_, '_, M> {
    fn somebody_sleeps(&mut self) -> Result<u64, Stop> {
        Ok(u64::from(self.machine.read_condition(self.spot).asleep() > 0))
    }

    fn wake_one(&mut self) -> Result<(), Stop> {
        self.send_tokens(1)
    }

    fn wake_all(&mut self) -> Result<(), Stop> {
        self.send_tokens(usize::MAX)
    }
}
