//! All states that cost the same, on all cores.
//!
//! What is reached from states of one cost costs more, so these can be gone on from in any
//! order, by several searches at once. They share the visited states and the numbers of
//! parts (`Common`), and begin with the next cost together. So the cost of the first
//! violation does not depend on how many there are.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use heddle_semantics::MemoryModel;

use crate::search::Halt;

use super::frontier::{Frontier, Waiting};
use super::{Cost, Walk};

/// States that are worth waking others for, unless the options know better.
const WORTH: usize = 256;
/// States that a search takes at a time, at most.
const CHUNK: usize = 32;

type Work = Mutex<Waiting>;

pub(super) fn run<M: MemoryModel>(walks: &mut [Walk<'_, '_, '_, M>]) -> Result<(), Halt> {
    let mut queue = Frontier::new(std::sync::Arc::clone(&walks[0].room));
    walks[0].start();
    queue.append(&mut walks[0].reached);
    while let Some((cost, items)) = queue.pop_first() {
        let stats = &mut walks[0].search.stats;
        stats.switches = cost.0;
        stats.max_depth = stats.max_depth.max(u64::from(cost.1));
        walks[0].waiting = queue.count() + items.len() as u64;
        walks[0].waiting_bytes = queue.open_bytes();
        let worth = walks[0].search.options.worth.unwrap_or(WORTH);
        let busy = if items.len() < worth { 1 } else { walks.len() };
        expand(&mut walks[..busy], cost, items)?;
        for walk in walks.iter_mut() {
            queue.append(&mut walk.reached);
        }
        walks[0].note_waiting();
        let (first, others) = walks.split_first_mut().expect("there is one");
        for other in others {
            first.search.stats.transitions += std::mem::take(&mut other.search.stats.transitions);
        }
    }
    Ok(())
}

/// Goes on from all states of one cost.
fn expand<M: MemoryModel>(
    walks: &mut [Walk<'_, '_, '_, M>],
    cost: Cost,
    items: Waiting,
) -> Result<(), Halt> {
    let work: Work = Mutex::new(items);
    let stop = AtomicBool::new(false);
    let (first, others) = walks.split_first_mut().expect("there is one");
    if others.is_empty() {
        return first.take_all(cost, &work, &stop);
    }
    let (work, stop) = (&work, &stop);
    std::thread::scope(|scope| {
        let running: Vec<_> = others
            .iter_mut()
            .map(|walk| scope.spawn(move || walk.take_all(cost, work, stop)))
            .collect();
        let mut result = first.take_all(cost, work, stop);
        for thread in running {
            let other = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            // A violation counts more than other reasons to stop.
            if result.is_ok() || matches!(other, Err(Halt::Violation)) {
                result = other;
            }
        }
        result
    })
}

impl<M: MemoryModel> Walk<'_, '_, '_, M> {
    fn take_all(&mut self, cost: Cost, work: &Work, stop: &AtomicBool) -> Result<(), Halt> {
        self.states.catch_up(&mut self.search.machine);
        loop {
            let mut work = work.lock().unwrap_or_else(PoisonError::into_inner);
            // The last ones are shared too.
            let count = (work.len() / 4).clamp(1, CHUNK);
            let mut items = Vec::with_capacity(count);
            for _ in 0..count {
                items.extend(work.next()?);
            }
            drop(work);
            if items.is_empty() || stop.load(Ordering::Relaxed) {
                return Ok(());
            }
            for item in items {
                if let Err(halt) = self.expand(cost, item) {
                    stop.store(true, Ordering::Relaxed);
                    return Err(halt);
                }
            }
        }
    }
}
