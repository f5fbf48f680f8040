//! Standard output and standard error, whatever they are connected to.

use std::io::{ErrorKind, Write};

use crate::error::CliError;

/// Prints to standard output. A reader that went away (`heddle check … | head`)
/// is no reason to fail: the exit code still tells the verdict. A full disk is one.
pub fn print(text: &str) -> Result<(), CliError> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(CliError::new(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Prints a line to standard error.
pub fn print_error(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
