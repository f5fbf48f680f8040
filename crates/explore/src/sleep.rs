//! Sleep sets: steps that need not be taken first any more, because everything
//! that starts with them was explored.

use heddle_semantics::{Choice, Event, Footprint, ThreadId, conflict};

/// A step that was explored, with what it touched.
#[derive(Clone, Debug)]
pub struct Sleeper {
    pub thread: ThreadId,
    pub input: Option<u64>,
    pub footprint: Footprint,
}

impl Sleeper {
    pub fn of(event: &Event) -> Sleeper {
        Sleeper { thread: event.thread, input: event.input, footprint: event.footprint.clone() }
    }

    pub fn is(&self, choice: Choice) -> bool {
        match choice {
            Choice::Step(thread) => self.thread == thread && self.input.is_none(),
            Choice::Input(thread, value) => self.thread == thread && self.input == Some(value),
        }
    }
}

/// Those that still sleep after `event`.
pub fn after(sleep: &[Sleeper], event: &Event) -> Vec<Sleeper> {
    let stays =
        |s: &&Sleeper| s.thread != event.thread && !conflict(&s.footprint, &event.footprint);
    sleep.iter().filter(stays).cloned().collect()
}

pub fn sleeps(sleep: &[Sleeper], choice: Choice) -> bool {
    sleep.iter().any(|sleeper| sleeper.is(choice))
}
