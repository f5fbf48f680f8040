//! Threads that wait for ever, and for whom.
//!
//! A thread waits for ever if nobody who can still move could let it go on. Only its
//! holder gives a lock back, and only its own end lets a join go on, so those who
//! wait for each other in this way wait for ever whatever other threads do. For a
//! signal, a post, another thread at a barrier or a change of a variable, nobody else
//! may be left who moves. A thread that loops for ever without doing anything does not
//! move either.
//!
//! The end of `main` ends the process. As long as `main` may come to it, threads that
//! wait are no deadlock.

use heddle_semantics::sync::CONDITION_STATE;
use heddle_semantics::{Gate, MemoryModel, ThreadId, Violation, ViolationKind};

use crate::Machine;
use crate::threads::thread::{Halt, Pending, Status};

/// What a thread waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// At the gate of the object there.
    Gate { addr: u64, gate: Gate },
    /// For a thread to end.
    Join { target: ThreadId },
    /// In a loop, for a change of what it reads.
    Loop,
}

/// What keeps a deadlock from being resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Each of these waits for what the next one has, and the last for the first.
    Cycle(Vec<ThreadId>),
    /// This thread waits for something that nobody can bring about.
    Hopeless(ThreadId),
}

impl<M: MemoryModel> Machine<'_, M> {
    /// What a thread waits for, unless it could move.
    pub fn wait_of(&self, thread: ThreadId) -> Option<Wait> {
        match *self.status(thread) {
            Status::Waiting(Pending::Gate { addr, gate }) if !self.gate_is_open(addr, gate) => {
                Some(Wait::Gate { addr, gate })
            }
            Status::Waiting(Pending::Join { target })
                if *self.status(target) != Status::Finished =>
            {
                Some(Wait::Join { target })
            }
            Status::Waiting(Pending::Joins) => {
                let mut awaited = self.joined_together(thread);
                let target = awaited.find(|&target| *self.status(target) != Status::Finished)?;
                Some(Wait::Join { target })
            }
            Status::Halted(Halt::Wait) if self.waits_in_vain(thread) => Some(Wait::Loop),
            _ => None,
        }
    }

    /// The threads that wait for ever, in an order that is the same in every machine;
    /// none if the process may still end.
    pub fn dead_threads(&self) -> Vec<ThreadId> {
        if self.threads.exited.is_some() {
            return Vec::new();
        }
        let mut dead: Vec<ThreadId> =
            self.by_code().into_iter().filter(|&thread| self.wait_of(thread).is_some()).collect();
        loop {
            let someone_moves = self.someone_moves(&dead);
            let before = dead.len();
            let remaining: Vec<ThreadId> = dead
                .iter()
                .copied()
                .filter(|&thread| self.stays(thread, &dead, someone_moves))
                .collect();
            dead = remaining;
            if dead.len() == before {
                break;
            }
        }
        let main_is_stuck =
            dead.contains(&ThreadId::MAIN) || *self.status(ThreadId::MAIN) == Status::Finished;
        if self.someone_moves(&dead) && !main_is_stuck {
            dead.clear();
        }
        dead
    }

    /// Can anybody move who is not among the dead?
    fn someone_moves(&self, dead: &[ThreadId]) -> bool {
        (0..self.threads.len() as u32).map(ThreadId).any(|thread| match self.status(thread) {
            Status::Finished | Status::Halted(Halt::Diverged) => false,
            // A store queue, or a thread that does not exist.
            Status::Unborn => self.enabled(thread),
            _ => !dead.contains(&thread),
        })
    }

    /// Does the thread wait for ever if the dead do?
    fn stays(&self, thread: ThreadId, dead: &[ThreadId], someone_moves: bool) -> bool {
        let stuck = |other: &ThreadId| {
            let over = matches!(
                self.status(*other),
                Status::Finished | Status::Halted(Halt::Diverged) | Status::Unborn
            );
            over || dead.contains(other)
        };
        match self.wait_of(thread) {
            None => false,
            Some(Wait::Join { target }) => stuck(&target),
            Some(Wait::Gate { addr, gate }) => match self.holders(addr, gate).as_slice() {
                [] => !someone_moves,
                holders => holders.iter().any(stuck),
            },
            Some(Wait::Loop) => !someone_moves,
        }
    }

    /// The threads that hold the lock there, each of which keeps its gate closed. None
    /// if it is no lock.
    pub fn holders(&self, addr: u64, gate: Gate) -> Vec<ThreadId> {
        let word = |at: u64| self.word(addr + at);
        match gate {
            Gate::WriteLock if word(0) == 0 => {
                (0..word(4).min(6)).filter_map(|at| self.thread_of_code(word(8 + 4 * at))).collect()
            }
            Gate::Mutex | Gate::Spin | Gate::ReadLock | Gate::WriteLock => {
                self.thread_of_code(word(0)).into_iter().collect()
            }
            Gate::Semaphore | Gate::Barrier { .. } | Gate::Condition { .. } | Gate::Once => {
                Vec::new()
            }
        }
    }

    fn word(&self, addr: u64) -> u64 {
        match self.store.resolve(addr, 4) {
            Ok((object, offset)) => self.store.read(object, offset, 4),
            Err(_) => 0,
        }
    }

    /// The condition variable there was signalled when nobody waited.
    pub fn lost_wake_up(&self, addr: u64) -> bool {
        self.word(addr + u64::from(CONDITION_STATE.at)) != 0
    }

    /// How many threads have arrived at the barrier there, and how many meet.
    pub fn barrier_state(&self, addr: u64) -> (u64, u64) {
        (self.word(addr) >> 16, self.word(addr) & 0xffff)
    }

    /// What a thread that waits in a loop read in its last turn: address, length and
    /// value.
    pub fn loop_reads(&self, thread: ThreadId) -> &[(u64, u32, u64)] {
        let state = &self.threads[thread.index()];
        let from = state.loops.last().map_or(0, |mark| mark.last.reads as usize);
        &state.reads[from..]
    }

    /// A waiting loop that would still wait: nothing it read has changed.
    pub(crate) fn waits_in_vain(&self, thread: ThreadId) -> bool {
        self.loop_reads(thread).iter().all(|&(addr, len, value)| {
            self.store
                .resolve(addr, u64::from(len))
                .is_ok_and(|(object, offset)| self.store.read(object, offset, len) == value)
        })
    }

    /// Who the wait of a thread depends on, if on others.
    fn waits_for(&self, thread: ThreadId) -> Option<ThreadId> {
        let wait = self.wait_of(thread)?;
        let others = match wait {
            Wait::Join { target } => vec![target],
            Wait::Gate { addr, gate } => self.holders(addr, gate),
            Wait::Loop => Vec::new(),
        };
        // Any of several readers will do, so best one that is stuck itself.
        let stuck = others.iter().find(|&&other| self.wait_of(other).is_some());
        stuck.or(others.first()).copied()
    }

    /// Follows who waits for whom from `thread` to where it ends.
    pub fn cause_of(&self, thread: ThreadId) -> Cause {
        let mut chain = vec![thread];
        loop {
            let last = *chain.last().expect("never empty");
            match self.waits_for(last) {
                Some(next) if self.wait_of(next).is_some() => {
                    if let Some(from) = chain.iter().position(|&seen| seen == next) {
                        return Cause::Cycle(chain.split_off(from));
                    }
                    chain.push(next);
                }
                _ => return Cause::Hopeless(last),
            }
        }
    }

    /// The deadlock that some threads are in, if there is one.
    pub fn deadlock(&self) -> Option<Violation> {
        let dead = self.dead_threads();
        // A lock or loop says more about the deadlock than a join.
        let joins = |thread: &&ThreadId| matches!(self.wait_of(**thread), Some(Wait::Join { .. }));
        let thread = *dead.iter().find(|thread| !joins(thread)).or(dead.first())?;
        let parts: Vec<String> = match self.cause_of(thread) {
            Cause::Cycle(cycle) => cycle.iter().map(|&t| self.describe_wait(t)).collect(),
            Cause::Hopeless(root) => vec![self.describe_wait(root)],
        };
        let stack = self.stack(thread);
        Some(Violation {
            kind: ViolationKind::Deadlock,
            thread,
            span: self.users_position(thread, &stack),
            other: heddle_ir::Span::UNKNOWN,
            message: parts.join("; "),
            stack,
        })
    }

    /// `T1 waits for a mutex held by T2`.
    fn describe_wait(&self, thread: ThreadId) -> String {
        let lock = |name: &str, addr: u64, gate: Gate| {
            let holders = self.holders(addr, gate);
            let names: Vec<String> = holders.iter().map(ToString::to_string).collect();
            let over = |t: &ThreadId| *self.status(*t) == Status::Finished;
            match holders.as_slice() {
                [] => format!("waits for a {name}"),
                [holder] if *holder == thread => {
                    format!("waits for a {name} that it holds itself")
                }
                [holder] if over(holder) => {
                    format!("waits for a {name} that {holder} held when it ended")
                }
                _ => format!("waits for a {name} held by {}", names.join(", ")),
            }
        };
        let what = match self.wait_of(thread) {
            None => "could move".to_string(),
            Some(Wait::Join { target }) => match self.status(target) {
                Status::Halted(Halt::Diverged) => {
                    format!("waits for the end of {target}, which loops for ever")
                }
                _ => format!("waits for {target} to end"),
            },
            Some(Wait::Loop) => "waits in a loop for a change that never comes".to_string(),
            Some(Wait::Gate { addr, gate }) => match gate {
                Gate::Mutex => lock("mutex", addr, gate),
                Gate::Spin => lock("spin lock", addr, gate),
                Gate::ReadLock | Gate::WriteLock => lock("read-write lock", addr, gate),
                Gate::Semaphore => "waits for a semaphore that nobody will post".to_string(),
                Gate::Barrier { .. } => {
                    let (arrived, count) = self.barrier_state(addr);
                    format!("waits at a barrier where {arrived} of {count} threads are")
                }
                Gate::Condition { .. } if self.lost_wake_up(addr) => {
                    "waits for a signal, which came when nobody waited (a lost wake-up)".to_string()
                }
                Gate::Condition { .. } => "waits for a signal that nobody will send".to_string(),
                Gate::Once => "waits for the end of a call that runs only once".to_string(),
            },
        };
        format!("{thread} {what}")
    }
}
