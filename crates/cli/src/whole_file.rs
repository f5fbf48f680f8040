//! Files that are written whole or not at all.

use std::fs::File;
use std::io::{Result, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use tempfile::NamedTempFile;

/// Can a file be written there? Leaves nothing behind.
pub fn try_out(path: &Path) -> Result<()> {
    match is_special(path) {
        true => File::options().write(true).open(path).map(drop),
        false => draft(path).map(drop),
    }
}

/// Writes beside the target, then renames, so that a reader never sees half of it. What is
/// no ordinary file (`/dev/stdout`, a pipe) is not replaced by one.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    if is_special(path) {
        return File::options().write(true).open(path)?.write_all(bytes);
    }
    let mut draft = draft(path)?;
    draft.write_all(bytes)?;
    draft.as_file().sync_all()?;
    draft.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// What is to become a file, and is none until all of it is there.
pub struct Draft(NamedTempFile);

pub fn draft_of(path: &Path) -> Result<Draft> {
    draft(path).map(Draft)
}

impl Draft {
    pub fn reopen(&self) -> Result<File> {
        self.0.reopen()
    }

    pub fn keep(self, path: &Path) -> Result<()> {
        if is_special(path) {
            let mut to = File::options().write(true).open(path)?;
            return std::io::copy(&mut self.0.reopen()?, &mut to).map(drop);
        }
        self.0.as_file().sync_all()?;
        self.0.persist(path).map_err(|error| error.error)?;
        Ok(())
    }
}

fn is_special(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|about| !about.is_file())
}

/// A file in the same folder that disappears unless it is renamed.
fn draft(path: &Path) -> Result<NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mode = std::fs::Permissions::from_mode(0o644);
    tempfile::Builder::new().prefix(".heddle-").permissions(mode).tempfile_in(folder)
}
