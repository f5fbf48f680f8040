//! What the machine and the shell allow.

use rustix::process::{Resource, Rlimit, getrlimit};

use super::{Finding, State};
use crate::engines::most_memory;
use crate::units::show_bytes;

/// With less, larger programs end for want of memory.
const LITTLE: u64 = 1 << 30;

pub fn look() -> Vec<Finding> {
    vec![cores(), memory(), space(), scratch()]
}

fn cores() -> Finding {
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    Finding::good("cores", count.to_string())
}

fn memory() -> Finding {
    match most_memory() {
        Some(bytes) if bytes >= LITTLE => {
            Finding::good("memory", format!("{} to use", show_bytes(bytes)))
        }
        Some(bytes) => {
            let what = format!("{} to use", show_bytes(bytes));
            Finding::bad("memory", State::Missing, (what, "larger programs need some gigabytes"))
        }
        None => Finding::good("memory", "the system does not tell"),
    }
}

/// Address space, which `ulimit -v` limits.
fn space() -> Finding {
    let Rlimit { current, .. } = getrlimit(Resource::As);
    match current {
        None => Finding::good("limits", "no limit on address space"),
        Some(bytes) if bytes >= 4 * LITTLE => {
            Finding::good("limits", format!("{} of address space", show_bytes(bytes)))
        }
        Some(bytes) => {
            let what = format!("{} of address space", show_bytes(bytes));
            Finding::bad("limits", State::Missing, (what, "ulimit -v unlimited"))
        }
    }
}

fn scratch() -> Finding {
    let folder = std::env::temp_dir();
    match tempfile::tempdir() {
        Ok(_) => Finding::good("scratch", folder.display().to_string()),
        Err(error) => {
            let what = format!("{}: {error}", folder.display());
            Finding::bad(
                "scratch",
                State::Broken,
                (what, "set TMPDIR to a folder that is writable"),
            )
        }
    }
}
