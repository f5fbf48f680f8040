//! Where `--trace` writes: tried before the search.

use std::path::{Path, PathBuf};

use crate::error::CliError;
use crate::whole_file;

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
        whole_file::try_out(path).map_err(|error| cannot(path, &error.kind()))?;
        Ok(TracePath(path.to_path_buf()))
    }

    pub fn write(&self, text: &str) -> Result<(), CliError> {
        whole_file::write(&self.0, text.as_bytes()).map_err(|error| cannot(&self.0, &error))
    }
}

fn cannot(path: &Path, reason: &dyn std::fmt::Display) -> CliError {
    CliError::new(format!("cannot write the trace to {}: {reason}", path.display()))
}
