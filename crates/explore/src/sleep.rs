//! Sleep sets: steps that need not be taken first any more, because everything
//! that starts with them was explored.

use heddle_semantics::{AccessKind, Choice, Event, Footprint, ThreadId, conflict};

/// A step that was explored, with what it touched.
#[derive(Clone, Debug)]
pub struct Sleeper {
    pub thread: ThreadId,
    pub input: Option<u64>,
    pub footprint: Footprint,
    /// The flush of the store that it read from its own thread's queue.
    pub own: Option<(ThreadId, u32)>,
}

impl Sleeper {
    pub fn of(event: &Event) -> Sleeper {
        Sleeper {
            thread: event.thread,
            input: event.input,
            footprint: event.footprint.clone(),
            own: event.own,
        }
    }

    pub fn is(&self, choice: Choice) -> bool {
        match choice {
            Choice::Step(thread) => self.thread == thread && self.input.is_none(),
            Choice::Input(thread, value) => self.thread == thread && self.input == Some(value),
        }
    }
}

/// Those that still sleep after `event`, the `local`-th of its actor.
pub fn after(sleep: &[Sleeper], event: &Event, local: u32) -> Vec<Sleeper> {
    let stays =
        |s: &&Sleeper| s.thread != event.thread && !conflict(&s.footprint, &event.footprint);
    let mut left: Vec<Sleeper> = sleep.iter().filter(stays).cloned().collect();
    if event.flush_of.is_some() {
        for sleeper in &mut left {
            if sleeper.own == Some((event.thread, local)) {
                read_memory(&mut sleeper.footprint);
            }
        }
    }
    left
}

/// The store that a read took from a queue has reached memory: the read would
/// take it from there now, and what overwrites it matters.
pub fn read_memory(footprint: &mut Footprint) {
    for access in footprint {
        if access.kind == AccessKind::OwnRead {
            access.kind = AccessKind::Read;
        }
    }
}

pub fn sleeps(sleep: &[Sleeper], choice: Choice) -> bool {
    sleep.iter().any(|sleeper| sleeper.is(choice))
}
