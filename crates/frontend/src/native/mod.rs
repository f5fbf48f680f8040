//! Native programs: the module that the IR was made from, with calls of the runtime at
//! every event, as an executable.
//!
//! Which instructions are events is decided by the caller, who sees the IR; here each is
//! found again by its number ([`heddle_ir::Inst::origin`]). An access that is an event
//! becomes a sequentially consistent atomic one: that is what the verifier takes it to
//! be, whatever the compiler and the processor would make of a plain one. Accesses that
//! are no events touch memory of one thread only, so the optimiser may do with them
//! what it likes.
//!
//! Library functions for which the runtime has one of its own (`heddle_w_NAME`) are
//! replaced by that. Those that Heddle has written in C (`support`) keep their bodies,
//! so that their accesses count too, under names that the C library does not use.

mod edit;
mod library;
mod sites;

use std::path::Path;

use heddle_ir::Program;

use crate::clang::Clang;
use crate::error::Error;
use crate::module;
use crate::{Loaded, Options};

/// What is an event, and how the program is built.
#[derive(Clone, Debug)]
pub struct Plan {
    /// For each function and block, the number of its first instruction.
    pub starts: Vec<Vec<u32>>,
    /// For each instruction: it is an event.
    pub sites: Vec<bool>,
    /// For each function: its return is an event.
    pub scopes: Vec<bool>,
    /// Inputs and clocks are given by the schedule, not by the system.
    pub given_inputs: bool,
    /// Identifies the program.
    pub hash: u64,
    /// A schedule to put into the executable.
    pub embedded: Option<Vec<u8>>,
}

/// Text of the runtime, in C. The first file is compiled; the others are included.
#[derive(Clone, Copy, Debug)]
pub struct Runtime {
    pub files: &'static [(&'static str, &'static str)],
}

/// Compiles all inputs and writes an executable to `output`. `plan` decides what is an
/// event.
pub fn build<E: From<Error>>(
    options: &Options,
    runtime: Runtime,
    output: &Path,
    plan: impl FnOnce(&Program) -> Result<Plan, E>,
) -> Result<(), E> {
    if options.ilp32 {
        return Err(Error::Native("a program for 32 bits".to_owned()).into());
    }
    crate::load(options, |loaded| {
        let plan = plan(&loaded.program)?;
        Ok(link(loaded, runtime, output, &plan)?)
    })
}

fn link(loaded: Loaded<'_, '_>, runtime: Runtime, output: &Path, plan: &Plan) -> Result<(), Error> {
    let Loaded { context, diagnostics, module, clang, scratch, program } = loaded;
    let clang = clang?;
    sites::instrument(context, module, &program, plan)?;
    let shown = Path::new("<heddle>").join("runtime.c");
    let bitcode = compile_runtime(&clang, scratch, runtime)?;
    let part = module::read(context, diagnostics, &bitcode, &shown)?;
    library::redirect(context, module, &program, &part, plan)?;
    edit::add_constants(context, module, plan.hash, plan.embedded.as_deref());
    module::link(diagnostics, module, part, &shown)?;
    module.verify().map_err(|e| Error::Internal(e.to_string()))?;
    let bitcode = scratch.join("native.bc");
    if !module.write_bitcode_to_path(&bitcode) {
        return Err(Error::Temporary(std::io::Error::other("cannot write bitcode")));
    }
    clang.link(&bitcode, output)
}

fn compile_runtime(
    clang: &Clang<'_>,
    scratch: &Path,
    runtime: Runtime,
) -> Result<std::path::PathBuf, Error> {
    let folder = scratch.join("heddle-runtime");
    std::fs::create_dir_all(&folder).map_err(Error::Temporary)?;
    for (name, text) in runtime.files {
        std::fs::write(folder.join(name), text).map_err(Error::Temporary)?;
    }
    let main = runtime.files.first().map_or("", |(name, _)| name);
    clang.compile_runtime(&folder.join(main))
}
