//! Time and memory: whoever works for long asks now and then whether to stop.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Memory is looked at no more often. A matter of time, not of questions: a solver
/// asks rarely while it simplifies, which is when it takes most.
const SELDOM: Duration = Duration::from_millis(5);
const PAGE: u64 = 4096;

/// Why the work was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    #[error("interrupted")]
    Interrupted,
    #[error("memory limit reached")]
    Memory,
    #[error("time limit reached")]
    Time,
}

/// Somebody else's wish to stop, a limit on memory, and one on time.
#[derive(Clone, Default)]
pub struct Watch {
    interrupt: Arc<AtomicBool>,
    /// In bytes of resident memory.
    limit: Option<u64>,
    looked: Cell<Option<Instant>>,
    deadline: Cell<Option<Instant>>,
    /// Once given, the answer stays.
    stop: Cell<Option<Stop>>,
}

impl Watch {
    pub fn new(interrupt: Arc<AtomicBool>, limit: Option<u64>) -> Watch {
        Watch { interrupt, limit, ..Watch::default() }
    }

    /// What is done from now on has to be done by then. Who was late may go on.
    pub fn until(&self, deadline: Option<Instant>) {
        self.deadline.set(deadline);
        if self.stop.get() == Some(Stop::Time) {
            self.stop.set(None);
        }
    }

    fn is_late(&self) -> bool {
        self.deadline.get().is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Is it time to stop? Cheap enough to be asked for each event.
    pub fn ask(&self) -> Result<(), Stop> {
        if let Some(stop) = self.stop.get() {
            return Err(stop);
        }
        let stop = if self.interrupt.load(Ordering::Relaxed) {
            Some(Stop::Interrupted)
        } else if self.is_full() {
            Some(Stop::Memory)
        } else if self.is_late() {
            Some(Stop::Time)
        } else {
            None
        };
        self.stop.set(stop);
        stop.map_or(Ok(()), Err)
    }

    fn is_full(&self) -> bool {
        let Some(limit) = self.limit else { return false };
        let now = Instant::now();
        if self.looked.get().is_some_and(|looked| now - looked < SELDOM) {
            return false;
        }
        self.looked.set(Some(now));
        resident().is_some_and(|bytes| bytes > limit)
    }
}

/// Resident memory, in bytes.
fn resident() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * PAGE)
}
