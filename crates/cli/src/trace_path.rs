//! Where `--trace` writes: tried before the search, written whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::CliError;

/// A path that could be written when it was tried.
pub struct TracePath(PathBuf);

impl TracePath {
    /// Fails if the file could not be written later. Leaves nothing behind: a
    /// search may be killed.
    pub fn reserve(path: &Path) -> Result<TracePath, CliError> {
        if path.is_dir() {
            return Err(cannot(path, &"is a directory"));
        }
        if path.file_name().is_none() {
            return Err(cannot(path, &"not the name of a file"));
        }
        draft(path)?;
        Ok(TracePath(path.to_path_buf()))
    }

    /// Writes beside the target, then renames.
    pub fn write(&self, text: &str) -> Result<(), CliError> {
        let mut draft = draft(&self.0)?;
        draft.write_all(text.as_bytes()).map_err(|error| cannot(&self.0, &error))?;
        draft.as_file().sync_all().map_err(|error| cannot(&self.0, &error))?;
        draft.persist(&self.0).map_err(|error| cannot(&self.0, &error.error))?;
        Ok(())
    }
}

/// A file in the same folder that disappears unless it is renamed.
fn draft(path: &Path) -> Result<NamedTempFile, CliError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    tempfile::Builder::new()
        .prefix(".heddle-trace-")
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
        .tempfile_in(folder)
        .map_err(|error| cannot(path, &error.kind()))
}

fn cannot(path: &Path, reason: &dyn std::fmt::Display) -> CliError {
    CliError::new(format!("cannot write the trace to {}: {reason}", path.display()))
}
