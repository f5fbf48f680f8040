//! What exactly this is: the version, the commit it was built from, and what is built in.

/// Of the package.
pub const NUMBER: &str = env!("CARGO_PKG_VERSION");

/// The commit; `unknown` if it was built neither in a repository nor with HEDDLE_COMMIT set.
pub const COMMIT: &str = env!("HEDDLE_COMMIT");

/// What `--version` says. The parser of the command line, which is made once or twice, wants it
/// to stay.
pub fn long() -> &'static str {
    let (llvm, solver) = (heddle_frontend::llvm_version(), heddle_encode::solver());
    format!("{NUMBER}\ncommit {COMMIT}\nLLVM {llvm}\n{solver}").leak()
}
