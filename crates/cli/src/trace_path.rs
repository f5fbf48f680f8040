//! Where `--trace`, `--html` and the like write: tried before the search.

use std::path::{Path, PathBuf};

use crate::error::CliError;
use crate::whole_file;

/// A path that could be written when it was tried, and what is to be written there.
pub struct TracePath {
    path: PathBuf,
    what: &'static str,
}

impl TracePath {
    /// Fails if the file could not be written later. Leaves nothing behind: a
    /// search may be killed.
    pub fn reserve(path: &Path, what: &'static str) -> Result<TracePath, CliError> {
        let reserved = TracePath { path: path.to_path_buf(), what };
        if path.is_dir() {
            return Err(reserved.cannot(&"is a directory"));
        }
        if path.file_name().is_none() {
            return Err(reserved.cannot(&"not the name of a file"));
        }
        whole_file::try_out(path).map_err(|error| reserved.cannot(&error.kind()))?;
        Ok(reserved)
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn write(&self, text: &str) -> Result<(), CliError> {
        whole_file::write(&self.path, text.as_bytes()).map_err(|error| self.cannot(&error))
    }

    fn cannot(&self, reason: &dyn std::fmt::Display) -> CliError {
        let (what, path) = (self.what, self.path.display());
        CliError::new(format!("cannot write the {what} to {path}: {reason}"))
    }
}
