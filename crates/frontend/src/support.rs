//! Adds library functions that are written in C.

use std::path::Path;

use inkwell::context::Context;
use inkwell::module::Module;

use crate::clang::Clang;
use crate::error::Error;
use crate::module::Diagnostics;

/// Compiles and links the support functions that `program` calls but does not
/// define.
pub(crate) fn link<'ctx>(
    _context: &'ctx Context,
    _diagnostics: &Diagnostics,
    _program: &Module<'ctx>,
    _clang: Option<&Clang<'_>>,
    _scratch: &Path,
) -> Result<(), Error> {
    Ok(())
}
