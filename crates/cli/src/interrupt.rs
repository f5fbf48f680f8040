//! Ctrl-C and time-outs: both ask the search to stop and say what it covered.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

use crate::error::CliError;

/// Exit code after a second Ctrl-C, as shells use it for SIGINT.
const EXIT_INTERRUPTED: i32 = 130;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    CtrlC,
    Timeout,
}

/// The flag that a search watches, and who set it.
#[derive(Clone)]
pub struct Interrupt {
    pub flag: Arc<AtomicBool>,
    /// 0 nobody, 1 Ctrl-C, 2 time-out; the first one stays.
    cause: Arc<AtomicU8>,
}

impl Interrupt {
    /// Watches the terminal and the clock from now on.
    pub fn watch(timeout: Option<Duration>) -> Result<Interrupt, CliError> {
        let interrupt = Interrupt { flag: Arc::default(), cause: Arc::default() };
        let on_signal = interrupt.clone();
        ctrlc::set_handler(move || {
            if !on_signal.set(1) && on_signal.cause() == Some(Cause::CtrlC) {
                std::process::exit(EXIT_INTERRUPTED);
            }
            // A Ctrl-C during the wind-down after a time-out ends at once next time.
            on_signal.cause.store(1, Ordering::SeqCst);
        })
        .map_err(|error| CliError::new(format!("cannot watch for Ctrl-C: {error}")))?;
        if let Some(timeout) = timeout {
            let on_time = interrupt.clone();
            std::thread::spawn(move || {
                std::thread::sleep(timeout);
                on_time.set(2);
            });
        }
        Ok(interrupt)
    }

    /// Tells whether this was the first cause.
    fn set(&self, cause: u8) -> bool {
        let first = self.cause.compare_exchange(0, cause, Ordering::SeqCst, Ordering::SeqCst);
        self.flag.store(true, Ordering::SeqCst);
        first.is_ok()
    }

    pub fn cause(&self) -> Option<Cause> {
        match self.cause.load(Ordering::SeqCst) {
            1 => Some(Cause::CtrlC),
            2 => Some(Cause::Timeout),
            _ => None,
        }
    }
}
