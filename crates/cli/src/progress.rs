//! A line on standard error that shows that the search is alive. Only for a
//! terminal; gone when the search ends.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use heddle_explore::Algorithm;

use crate::args::Engine;
use crate::known::{Known, Progressed};
use crate::units::{show_bytes, show_count};

/// Short searches show nothing.
const FIRST: Duration = Duration::from_millis(700);
const EVERY: Duration = Duration::from_millis(200);

pub struct Progress {
    effort: Arc<Mutex<String>>,
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Draws until dropped.
    pub fn start() -> Progress {
        let effort = Arc::new(Mutex::new(String::new()));
        let done = Arc::new(AtomicBool::new(false));
        let thread = std::io::stderr().is_terminal().then(|| {
            let (effort, done) = (Arc::clone(&effort), Arc::clone(&done));
            std::thread::spawn(move || draw(&done, &effort))
        });
        Progress { effort, done, thread }
    }

    /// What shows a text from now on.
    pub fn shower(&self) -> Shower {
        Shower(Arc::clone(&self.effort))
    }
}

/// Shows texts as long as there is somebody to draw them.
#[derive(Clone)]
pub struct Shower(Arc<Mutex<String>>);

impl Shower {
    pub fn show(&self, text: String) {
        if let Ok(mut effort) = self.0.lock() {
            *effort = text;
        }
    }

    /// What an explorer calls with its effort so far.
    pub fn executions(&self, algorithm: Algorithm, known: &Known) -> heddle_explore::Progress {
        let (shower, known) = (self.clone(), known.clone());
        Box::new(move |stats| {
            shower.show(match stats.states {
                _ if let Some(sample) = &stats.sample => {
                    format!("{} runs at random", show_count(sample.runs))
                }
                0 => format!("{} executions", show_count(stats.executions)),
                states => format!(
                    "{} states ({} a second), {} waiting, {} {}, depth {}, {}",
                    show_count(states),
                    show_count((states as f64 / stats.seconds.max(1e-3)) as u64),
                    show_count(stats.frontier),
                    stats.switches,
                    if stats.delays { "delays" } else { "preemptions" },
                    stats.max_depth,
                    show_bytes(heddle_explore::peak_bytes().unwrap_or(0)),
                ),
            });
            let (effort, covered) = (stats.clone().into(), stats.covered.clone());
            known.note(Progressed { who: (Engine::Explore, Some(algorithm)), effort, covered });
        })
    }

    /// The same for an engine with formulas.
    pub fn passes(&self, engine: Engine, known: &Known) -> heddle_encode::Progress {
        let (shower, known) = (self.clone(), known.clone());
        Box::new(move |stats| {
            let clauses = show_count(stats.clauses);
            shower.show(format!(
                "no violation with unwind {}, {} ({clauses} clauses)",
                stats.unwind,
                stats.method.describe(stats.bound)
            ));
            let (effort, covered) = (stats.clone().into(), stats.covered.clone());
            known.note(Progressed { who: (engine, None), effort, covered });
        })
    }
}

fn draw(done: &AtomicBool, effort: &Mutex<String>) {
    let start = Instant::now();
    std::thread::park_timeout(FIRST);
    let mut drawn = false;
    while !done.load(Ordering::Relaxed) {
        let seconds = start.elapsed().as_secs();
        let effort = effort.lock().map(|effort| effort.clone()).unwrap_or_default();
        let comma = if effort.is_empty() { "" } else { ", " };
        let _ = write!(std::io::stderr(), "\r\x1b[K{seconds} s{comma}{effort}");
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
