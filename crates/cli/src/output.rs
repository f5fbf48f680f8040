//! Standard output and standard error, whatever they are connected to.

use std::io::Write;

/// Prints to standard output. A reader that went away (`heddle check … | head`)
/// is no reason to fail: the exit code still tells the verdict.
pub fn print(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Prints a line to standard error.
pub fn print_error(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
