//! Answers that were given before: kept by the content of the program and everything else that they
//! depend on, if they are definite and took a while.

mod key;
mod store;

use std::time::{Duration, Instant};

use heddle_ir::Program;
use heddle_semantics::Verdict;

use crate::output;
use crate::settings::Check;
use crate::watchdog::Watchdog;
use store::{Kept, Store};

/// Who was quicker is quick again, and leaves room for others.
const WORTH: Duration = Duration::from_secs(2);

/// Where an answer can be looked up, and kept when it is there.
pub struct Place {
    store: Store,
    key: String,
    began: Instant,
}

impl Place {
    /// `None` if nothing is to be kept.
    pub fn of(settings: &Check, program: &Program) -> Option<Place> {
        if !settings.cache {
            return None;
        }
        let (store, key) = (Store::open()?, key::key(settings, program)?);
        Some(Place { store, key, began: Instant::now() })
    }

    /// Tells what was told before, and where it is from; gives the exit code.
    pub fn look(&self, watchdog: &Watchdog) -> Option<Result<u8, crate::error::CliError>> {
        let Kept { report, code } = self.store.get(&self.key)?;
        watchdog.dismiss();
        let note = "this answer was found before, for the same program by the same heddle";
        output::print_error(&format!("heddle: note: {note} (--no-cache looks again)"));
        Some(output::print(&report).map(|()| code))
    }

    pub fn keep(&self, verdict: &Verdict, report: &str, code: u8) {
        let definite = matches!(verdict, Verdict::Safe | Verdict::Unsafe(_));
        if definite && self.began.elapsed() >= WORTH {
            self.store.put(&self.key, Kept { report: report.to_string(), code });
        }
    }
}
