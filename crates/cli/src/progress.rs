//! A line on standard error that shows that the search is alive. Only for a
//! terminal; gone when the search ends.

use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::units::show_count;

/// Short searches show nothing.
const FIRST: Duration = Duration::from_millis(700);
const EVERY: Duration = Duration::from_millis(200);

pub struct Progress {
    executions: Arc<AtomicU64>,
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Draws until dropped.
    pub fn start() -> Progress {
        let executions = Arc::new(AtomicU64::new(0));
        let done = Arc::new(AtomicBool::new(false));
        let thread = std::io::stderr().is_terminal().then(|| {
            let (executions, done) = (Arc::clone(&executions), Arc::clone(&done));
            std::thread::spawn(move || draw(&done, &executions))
        });
        Progress { executions, done, thread }
    }

    /// What a search calls with its effort so far.
    pub fn reporter(&self) -> heddle_explore::Progress {
        let executions = Arc::clone(&self.executions);
        Box::new(move |stats| executions.store(stats.executions, Ordering::Relaxed))
    }
}

fn draw(done: &AtomicBool, executions: &AtomicU64) {
    let start = Instant::now();
    std::thread::park_timeout(FIRST);
    let mut drawn = false;
    while !done.load(Ordering::Relaxed) {
        let seconds = start.elapsed().as_secs();
        let count = show_count(executions.load(Ordering::Relaxed));
        let _ = write!(std::io::stderr(), "\r\x1b[K{seconds} s, {count} executions");
        drawn = true;
        std::thread::park_timeout(EVERY);
    }
    if drawn {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}
