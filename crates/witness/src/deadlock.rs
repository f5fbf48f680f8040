//! A deadlock as people want to see it: who waits for what, and who has it since
//! when.

use heddle_ir::{Span, Whose};
use heddle_machine::{Action, Cause, Halt, Record, Status, Wait};
use heddle_semantics::{Gate, MemoryModel, ThreadId};

use crate::locks::held;
use crate::trace::Describer;

#[derive(Clone, Debug)]
pub struct DeadlockReport {
    /// What keeps it from being resolved, as in JSON.
    pub cause: &'static str,
    /// Threads that wait for each other, or the one that nobody can help.
    pub root: Vec<ThreadId>,
    /// All that wait for ever: first those at the root, in their order.
    pub waiting: Vec<Waiting>,
    /// Other threads could still move.
    pub partial: bool,
}

#[derive(Clone, Debug)]
pub struct Waiting {
    pub thread: ThreadId,
    pub span: Span,
    /// What kind of thing it waits for, as in JSON.
    pub kind: &'static str,
    /// The thing by its name.
    pub object: Option<String>,
    /// `to lock first`, `for T1 to end`, ….
    pub what: String,
    /// Who has it, and where it was taken.
    pub holders: Vec<Holder>,
    /// What else is to be said about it.
    pub note: Option<Note>,
}

#[derive(Clone, Debug)]
pub struct Holder {
    pub thread: ThreadId,
    /// `locked`, `read-locked`, `write-locked`.
    pub how: &'static str,
    pub span: Span,
    pub ended: bool,
}

/// A sentence and the place it speaks of.
#[derive(Clone, Debug)]
pub struct Note {
    pub text: String,
    pub span: Span,
}

impl<M: MemoryModel> Describer<'_, '_, M> {
    pub(crate) fn deadlock(&self, thread: ThreadId) -> DeadlockReport {
        let dead = self.machine.dead_threads();
        let (root, cycle) = match self.machine.cause_of(thread) {
            Cause::Cycle(cycle) => (cycle, true),
            Cause::Hopeless(root) => (vec![root], false),
        };
        let others = dead.iter().filter(|thread| !root.contains(thread));
        let order: Vec<ThreadId> = root.iter().chain(others).copied().collect();
        let waiting: Vec<Waiting> = order.iter().filter_map(|&t| self.waiting_thread(t)).collect();
        let cause = match waiting.first() {
            Some(first) if cycle => match first.kind {
                _ if root.len() == 1 => "own-lock",
                "thread" if waiting[..root.len()].iter().all(|w| w.kind == "thread") => {
                    "join-cycle"
                }
                _ => "lock-cycle",
            },
            Some(first) => match first.kind {
                "condition" if first.note.is_some() => "lost-wake-up",
                "condition" => "no-signal",
                "semaphore" => "no-post",
                "call" => "no-wake-up",
                "barrier" => "barrier-count",
                "thread" => "endless-thread",
                "loop" => "waiting-loop",
                "once" => "once-in-itself",
                _ => "forgotten-unlock",
            },
            None => "unknown",
        };
        let all = (0..self.machine.thread_count() as u32).map(ThreadId);
        let moves = |thread: ThreadId| match self.machine.status(thread) {
            Status::Finished | Status::Unborn | Status::Halted(Halt::Diverged) => false,
            _ => !dead.contains(&thread),
        };
        DeadlockReport { cause, root, waiting, partial: all.into_iter().any(moves) }
    }

    fn waiting_thread(&self, thread: ThreadId) -> Option<Waiting> {
        let wait = self.machine.wait_of(thread)?;
        let span = self.machine.users_position(thread, &self.machine.stack(thread));
        let mut waiting = Waiting {
            thread,
            span,
            kind: "loop",
            object: None,
            what: String::new(),
            holders: Vec::new(),
            note: None,
        };
        match wait {
            Wait::Join { target } => {
                waiting.kind = "thread";
                waiting.what = format!("for {target} to end");
                if *self.machine.status(target) == Status::Halted(Halt::Diverged) {
                    let stack = self.machine.stack(target);
                    let span = self.machine.users_position(target, &stack);
                    waiting.note = Some(Note { text: "which loops for ever".to_string(), span });
                }
            }
            Wait::Loop => {
                waiting.what = format!("in a loop for a change{}", self.looked_at(thread));
            }
            Wait::Gate { addr, gate } => {
                if let Some(call) = self.sleeps_in(thread).filter(|_| gate == Gate::Semaphore) {
                    waiting.kind = "call";
                    waiting.what = format!("in {call} for another thread");
                    waiting.object = Some(call);
                    return Some(waiting);
                }
                let name = self.mutex(addr, thread, None);
                waiting.kind = kind(gate);
                waiting.what = format!("{} {name}", gate.purpose());
                waiting.object = Some(name);
                waiting.holders = self.holders(addr, gate);
                waiting.note = self.note(addr, gate);
            }
        }
        Some(waiting)
    }

    /// The user's call in which a thread sleeps that a part of Heddle's own library put to
    /// sleep, by a semaphore that no user knows: `read`, `std::atomic<int>::wait`.
    fn sleeps_in(&self, thread: ThreadId) -> Option<String> {
        let (program, stack) = (self.machine.program(), self.machine.stack(thread));
        if program.whose(stack.first()?.span) != Whose::Runtime {
            return None;
        }
        let users = stack.iter().position(|entry| program.whose(entry.span) == Whose::User)?;
        let called = program.function(stack[users.checked_sub(1)?].function);
        // What the library's own insides are called, and with which types, helps nobody.
        let name = called.display_name().split('<').next()?;
        Some(if name.starts_with('_') { "a call" } else { name }.to_string())
    }

    /// ` of ready (0)`: what a waiting loop read.
    fn looked_at(&self, thread: ThreadId) -> String {
        let mut names: Vec<String> = Vec::new();
        for &(addr, len, value) in self.machine.loop_reads(thread) {
            let Some(location) = self.machine.locate(addr) else { continue };
            let named = self.names.name(&location, len, thread, None);
            let text = format!("{} ({})", named.text, self.value(&named, thread, value, len));
            if !names.contains(&text) {
                names.push(text);
            }
        }
        match names.as_slice() {
            [] => String::new(),
            names if names.len() > 3 => format!(" of {}, …", names[..3].join(", ")),
            names => format!(" of {}", names.join(", ")),
        }
    }

    fn holders(&self, addr: u64, gate: Gate) -> Vec<Holder> {
        let holder = |thread: ThreadId| {
            let locks = held(self.machine.records(), thread);
            let lock = locks.iter().find(|held| held.addr == addr);
            Holder {
                thread,
                how: lock.map_or("locked", |lock| lock.how),
                span: lock.map_or(Span::UNKNOWN, |lock| lock.span),
                ended: *self.machine.status(thread) == Status::Finished,
            }
        };
        self.machine.holders(addr, gate).into_iter().map(holder).collect()
    }

    fn note(&self, addr: u64, gate: Gate) -> Option<Note> {
        match gate {
            Gate::Condition { .. } if self.machine.lost_wake_up(addr) => {
                let signal = |r: &&Record| matches!(r.action, Action::Sync { verb: "signal" | "broadcast", addr: a } if a == addr);
                let record = self.machine.records().iter().rev().find(signal);
                let who = record.map_or(String::new(), |record| format!(" of {}", record.thread));
                let span = record.map_or(Span::UNKNOWN, |r| r.span);
                let text = format!("a lost wake-up: the signal{who} came when nobody waited,");
                Some(Note { text, span })
            }
            Gate::Barrier { .. } => {
                let (arrived, count) = self.machine.barrier_state(addr);
                let text = format!("{arrived} of {count} threads are there");
                Some(Note { text, span: Span::UNKNOWN })
            }
            _ => None,
        }
    }
}

fn kind(gate: Gate) -> &'static str {
    match gate {
        Gate::Mutex => "mutex",
        Gate::Spin => "spin-lock",
        Gate::ReadLock | Gate::WriteLock => "read-write-lock",
        Gate::Semaphore => "semaphore",
        Gate::Barrier { .. } => "barrier",
        Gate::Condition { .. } => "condition",
        Gate::Once => "once",
    }
}
