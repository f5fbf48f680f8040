//! Who may end a search before its end: a signal, the clock, the memory that it takes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::time::Duration;

use heddle_runtime::end_process;

use crate::error::CliError;
use crate::units::show_bytes;
use crate::verdict::{EXIT_INTERRUPTED, EXIT_UNKNOWN};

/// What the user allows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    pub timeout: Option<Duration>,
    /// In bytes of resident memory.
    pub memory: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Ctrl-C, or what `kill` and a terminal that closes send.
    Signal,
    Timeout,
    Memory,
}

impl Cause {
    const ALL: [Cause; 3] = [Cause::Signal, Cause::Timeout, Cause::Memory];

    /// In words.
    pub fn tell(self, limits: Limits) -> String {
        match self {
            Cause::Signal => "interrupted".to_string(),
            Cause::Timeout => {
                let after = limits.timeout.unwrap_or_default();
                format!("timeout after {} s", after.as_secs_f64())
            }
            Cause::Memory => memory_limit(limits.memory.unwrap_or_default()),
        }
    }

    /// Of a search that it ended.
    pub fn exit_code(self) -> u8 {
        match self {
            Cause::Signal => EXIT_INTERRUPTED,
            Cause::Timeout | Cause::Memory => EXIT_UNKNOWN,
        }
    }
}

pub fn memory_limit(bytes: u64) -> String {
    format!("memory limit of {} reached", show_bytes(bytes))
}

/// The flag that a search watches, and who set it.
#[derive(Clone, Default)]
pub struct Interrupt {
    pub flag: Arc<AtomicBool>,
    /// 0 nobody, else the place in [`Cause::ALL`] and one; the first one stays.
    cause: Arc<AtomicU8>,
    /// The verdict is being told: there is nothing left to stop but that.
    pub told: Arc<AtomicBool>,
}

impl Interrupt {
    /// Watches for signals from now on. The second one ends the process at once.
    pub fn watch() -> Result<Interrupt, CliError> {
        let interrupt = Interrupt::default();
        let on_signal = interrupt.clone();
        ctrlc::set_handler(move || {
            let again = on_signal.cause() == Some(Cause::Signal);
            if again || on_signal.told.load(Ordering::SeqCst) {
                heddle_frontend::remove_scratch();
                end_process(EXIT_INTERRUPTED);
            }
            on_signal.cause.store(Interrupt::number(Cause::Signal), Ordering::SeqCst);
            on_signal.flag.store(true, Ordering::SeqCst);
        })
        .map_err(|error| CliError::new(format!("cannot watch for Ctrl-C: {error}")))?;
        Ok(interrupt)
    }

    pub fn set(&self, cause: Cause) {
        let number = Interrupt::number(cause);
        // Who came first is told.
        let _ = self.cause.compare_exchange(0, number, Ordering::SeqCst, Ordering::SeqCst);
        self.flag.store(true, Ordering::SeqCst);
    }

    pub fn cause(&self) -> Option<Cause> {
        let at = self.cause.load(Ordering::SeqCst).checked_sub(1)?;
        Cause::ALL.get(usize::from(at)).copied()
    }

    fn number(cause: Cause) -> u8 {
        Cause::ALL.iter().position(|&it| it == cause).map_or(0, |at| at as u8 + 1)
    }
}
