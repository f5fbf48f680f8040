//! What can happen in a state, and the marks of a state that say what did.

use heddle_machine::Machine;
use heddle_semantics::{Choice, MemoryModel, ThreadId};

use super::state::States;

/// Marks of a state: who has gone on from it.
pub const THREADS: u32 = 20;
pub const FLUSHED: u32 = 1 << 20;
pub const ALL: u32 = 1 << 21;
/// It was looked at for threads that wait for each other, and for those that wait in loops
/// for ever.
pub const CHECKED: u32 = 1 << 22;
pub const CHECKED_LOOPS: u32 = 1 << 23;

/// The mark for the thread with this rank.
pub fn mark(rank: u32) -> u32 {
    if rank < THREADS { 1 << rank } else { 0 }
}

/// One thing that can happen in a state.
#[derive(Clone, Copy)]
pub struct Way {
    pub deed: Deed,
    /// That it was taken; 0 if there is no mark for it.
    pub mark: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    Step(ThreadId),
    Input(ThreadId, u64),
    /// Of a thread's stores that can get to memory, the one of this rank does.
    Flush(ThreadId, u32),
}

impl Deed {
    pub fn is_flush(self) -> bool {
        matches!(self, Deed::Flush(..))
    }

    /// What it is to a machine in the state where it can be done.
    pub fn choice<M: MemoryModel>(self, machine: &Machine<'_, M>) -> Choice {
        match self {
            Deed::Step(thread) => Choice::Step(thread),
            Deed::Input(thread, value) => Choice::Input(thread, value),
            Deed::Flush(thread, nth) => {
                let mut actors = Vec::new();
                machine.flushable(thread, &mut actors);
                Choice::Step(actors[nth as usize])
            }
        }
    }
}

/// Everything that can happen in the machine's state, in an order that is the same for
/// states that look the same. If it is an input, whether these are all its values.
pub fn ways<M: MemoryModel>(
    machine: &Machine<'_, M>,
    states: &States,
    ways: &mut Vec<Way>,
) -> Option<bool> {
    ways.clear();
    let threads = states.in_order(machine.thread_count());
    for &thread in &threads {
        if let Some((values, complete)) = states.inputs.values(machine, thread) {
            let deeds = values.into_iter().map(|value| Deed::Input(thread, value));
            ways.extend(deeds.map(|deed| Way { deed, mark: 0 }));
            return Some(complete);
        }
    }
    let (mut flushes, mut actors) = (Vec::new(), Vec::new());
    for &thread in &threads {
        if machine.queue_owner(thread).is_some() {
            continue;
        }
        if machine.enabled(thread) {
            let mark = mark(states.rank_of(thread));
            ways.push(Way { deed: Deed::Step(thread), mark });
        }
        actors.clear();
        machine.flushable(thread, &mut actors);
        flushes.extend((0..actors.len() as u32).map(|nth| Deed::Flush(thread, nth)));
    }
    ways.extend(flushes.into_iter().map(|deed| Way { deed, mark: FLUSHED }));
    None
}
