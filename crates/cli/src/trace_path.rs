//! Where `--trace` writes: tried before the search, written whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::CliError;

/// A file beside the target that becomes the target when it is complete, and
/// disappears otherwise.
pub struct TracePath {
    path: PathBuf,
    draft: NamedTempFile,
}

impl TracePath {
    /// Fails if the file could not be written later.
    pub fn reserve(path: &Path) -> Result<TracePath, CliError> {
        let cannot = |reason: &dyn std::fmt::Display| {
            CliError::new(format!("cannot write the trace to {}: {reason}", path.display()))
        };
        if path.is_dir() {
            return Err(cannot(&"is a directory"));
        }
        if path.file_name().is_none() {
            return Err(cannot(&"not the name of a file"));
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let draft = tempfile::Builder::new()
            .prefix(".heddle-trace-")
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o644))
            .tempfile_in(folder)
            .map_err(|error| cannot(&error.kind()))?;
        Ok(TracePath { path: path.to_path_buf(), draft })
    }

    pub fn write(mut self, text: &str) -> Result<(), CliError> {
        let cannot = |reason: &dyn std::fmt::Display| {
            CliError::new(format!("cannot write the trace to {}: {reason}", self.path.display()))
        };
        self.draft.write_all(text.as_bytes()).map_err(|error| cannot(&error))?;
        self.draft.as_file().sync_all().map_err(|error| cannot(&error))?;
        self.draft.persist(&self.path).map_err(|error| cannot(&error.error))?;
        Ok(())
    }
}
