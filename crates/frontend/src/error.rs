//! Why a program could not be brought into the IR.

use std::path::PathBuf;

/// Every message is one line, except what the compiler itself said
/// ([`Error::Compiler`]), which is kept as it came.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("no input files")]
    NoInputs,
    #[error("{}: no such file", .0.display())]
    Missing(PathBuf),
    #[error("{}: is a directory", .0.display())]
    Directory(PathBuf),
    #[error("{}: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{}: the file is empty", .0.display())]
    Empty(PathBuf),
    #[error(
        "{}: not a kind of file that can be checked (expected .c .cpp .i .ii .ll .bc, or -x among the compiler flags)",
        .0.display()
    )]
    UnknownExtension(PathBuf),
    #[error("no clang found: install clang-22 or set HEDDLE_CLANG to its path")]
    NoCompiler,
    #[error("cannot run {}: {source}", path.display())]
    CompilerStart { path: PathBuf, source: std::io::Error },
    #[error("{}: clang reported errors", path.display())]
    Compiler { path: PathBuf, stderr: String },
    #[error("{}: clang made no bitcode; check the flags passed to it", .0.display())]
    NoBitcode(PathBuf),
    #[error("{}: not valid LLVM bitcode or IR: {message}", path.display())]
    BadModule { path: PathBuf, message: String },
    #[error("{}: cannot be linked: {message}", path.display())]
    Link { path: PathBuf, message: String },
    #[error(
        "{}: a label __CPROVER_ASYNC_… starts a thread for CBMC only; use pthread_create",
        .0.display()
    )]
    ThreadLabel(PathBuf),
    #[error("cannot write temporary files: {0}")]
    Temporary(std::io::Error),
    #[error("interrupted")]
    Interrupted,
    #[error("this target is not supported: {0}")]
    Target(String),
    #[error("the program cannot be run natively: {0} is not supported there")]
    Native(String),
    #[error("the native program cannot be linked")]
    NativeLink { stderr: String },
    #[error("internal error in the front end: {0}")]
    Internal(String),
}

/// The first line of an LLVM message, so that errors stay one line long.
pub(crate) fn one_line(message: &str) -> String {
    let mut lines = message.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.next().unwrap_or("unknown reason").to_owned()
}
