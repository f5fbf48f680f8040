//! Folders for files that nobody needs afterwards. Their names tell whose they are, so that
//! a process that does not wait for its threads can still remove them.

use std::io::Write;
use std::path::Path;

use tempfile::TempDir;

use crate::error::Error;

/// A folder that goes away when it is dropped.
pub fn scratch() -> Result<TempDir, Error> {
    tempfile::Builder::new().prefix(&prefix()).tempdir().map_err(Error::Temporary)
}

/// Removes all that are left of this process.
pub fn remove_scratch() {
    let prefix = prefix();
    let Ok(entries) = std::fs::read_dir(std::env::temp_dir()) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

fn prefix() -> String {
    format!("heddle-{}-", std::process::id())
}

/// Why the compiler could not write there, if that is what it says or if nobody can.
pub(crate) fn trouble(folder: &Path, said: &str) -> Option<std::io::Error> {
    const FULL: &str = "No space left on device";
    let ours = |line: &str| {
        line.contains(&*folder.to_string_lossy()) || line.contains("IO failure on output stream")
    };
    if said.lines().any(|line| ours(line) && line.contains(FULL)) {
        return Some(std::io::ErrorKind::StorageFull.into());
    }
    let write = |mut probe: std::fs::File| probe.write_all(&[0; 4096]);
    tempfile::tempfile_in(folder).and_then(write).err()
}
