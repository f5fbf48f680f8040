//! A thread beside all others that keeps the user's limits where nobody else does: it asks
//! for an end, and if none comes, tells what is known and ends the process.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use heddle_explore::resident_bytes;
use heddle_runtime::end_process;

use crate::interrupt::{Cause, Interrupt, Limits};
use crate::output;

/// How often it looks.
const TICK: Duration = Duration::from_millis(10);
/// How long others have to come to an end by themselves, with a twentieth of the time that
/// was allowed; and how long if memory runs away meanwhile.
const GRACE: Duration = Duration::from_millis(500);
const SHORT_GRACE: Duration = Duration::from_millis(200);

/// What is printed if the watchdog has to, given who ended the work, and the exit code.
pub type LastWords = Box<dyn Fn(Cause) -> (String, u8) + Send>;

pub struct Watchdog {
    pub interrupt: Interrupt,
    words: Arc<Mutex<LastWords>>,
}

impl Watchdog {
    /// Watches signals, the clock and memory from now on.
    pub fn start(interrupt: Interrupt, limits: Limits, words: LastWords) -> Watchdog {
        let words = Arc::new(Mutex::new(words));
        let guard = Guard {
            interrupt: interrupt.clone(),
            limits,
            words: Arc::clone(&words),
            began: Instant::now(),
        };
        std::thread::spawn(move || guard.watch());
        Watchdog { interrupt, words }
    }

    /// From now on there is more to say.
    pub fn learn(&self, words: LastWords) {
        *lock(&self.words) = words;
    }

    /// Who calls this tells the verdict itself; limits do not matter any more. Does not
    /// return if the watchdog was faster.
    pub fn dismiss(&self) {
        let _words = lock(&self.words);
        self.interrupt.told.store(true, Ordering::SeqCst);
    }

    /// For who was stopped and has nothing more to say than the watchdog.
    pub fn give_up(&self, cause: Cause) -> ! {
        end(&self.words, cause)
    }
}

struct Guard {
    interrupt: Interrupt,
    limits: Limits,
    words: Arc<Mutex<LastWords>>,
    began: Instant,
}

impl Guard {
    fn watch(&self) {
        let mut asked: Option<Instant> = None;
        while !self.interrupt.told.load(Ordering::SeqCst) {
            let bytes = self.limits.memory.map(|limit| (limit, resident_bytes().unwrap_or(0)));
            if bytes.is_some_and(|(limit, bytes)| bytes > limit) {
                self.interrupt.set(Cause::Memory);
            }
            if self.limits.timeout.is_some_and(|most| self.began.elapsed() >= most) {
                self.interrupt.set(Cause::Timeout);
            }
            if let Some(cause) = self.interrupt.cause() {
                let waited = asked.get_or_insert_with(Instant::now).elapsed();
                let far = bytes.is_some_and(|(limit, bytes)| bytes > limit / 10 * 11);
                if waited > self.grace() || far && waited > SHORT_GRACE {
                    end(&self.words, cause);
                }
            }
            std::thread::sleep(TICK);
        }
    }

    fn grace(&self) -> Duration {
        GRACE + self.limits.timeout.unwrap_or_default() / 20
    }
}

fn lock(words: &Mutex<LastWords>) -> MutexGuard<'_, LastWords> {
    words.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Holds the words until the process ends, so that nobody else has the last one.
fn end(words: &Mutex<LastWords>, cause: Cause) -> ! {
    let words = lock(words);
    let (text, code) = words(cause);
    let code = output::print(&text).map_or_else(|error| crate::fail(&error, false), |()| code);
    heddle_frontend::remove_scratch();
    end_process(code)
}
