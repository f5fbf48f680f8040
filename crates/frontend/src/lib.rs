//! Heddle's front end: C and C++ through clang and LLVM bitcode to the IR.
//!
//! This is the only crate that knows LLVM. Data flows one way: `clang` makes
//! bitcode, `module` links it and promotes private stack slots to registers,
//! `support` adds the C library functions that are written in C, and `lower`
//! turns the result into a [`heddle_ir::Program`].
//!
//! What is deliberately absent: any optimisation that could merge, move or drop an
//! access to memory that another thread can see.

mod clang;
mod constants;
mod debuginfo;
mod demangle;
mod error;
mod leaves;
mod llvm;
mod lower;
mod module;
mod native;
mod support;
mod uninitialised;

use std::path::{Path, PathBuf};

use heddle_ir::{Arguments, Program};
use inkwell::context::Context;

use clang::Clang;
pub use demangle::demangle;
pub use error::Error;
use inkwell::module::Module;
use module::Diagnostics;
pub use native::{Plan, Runtime, build};
pub use support::{SPURIOUS_WAKEUPS, library};

/// The function that calls `main` with any arguments, which is there if they are asked
/// for.
pub const START: &str = "__heddle_start";

/// What to compile, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Files ending in `.c .cpp .cc .cxx .i .ii .ll .bc`.
    pub inputs: Vec<PathBuf>,
    /// Passed on to clang.
    pub flags: Vec<String>,
    /// Compile for a 32-bit target.
    pub ilp32: bool,
    /// What the program is started with.
    pub arguments: Arguments,
    /// Add what waits for condition variables are made of that may end without a signal.
    pub wakeups: bool,
    /// Any allocation may fail.
    pub allocations_fail: bool,
}

/// Compiles and links all inputs to one program.
pub fn compile(options: &Options) -> Result<Program, Error> {
    load(options, |loaded| Ok(loaded.program))
}

/// A program beside the module that it was made from.
pub(crate) struct Loaded<'a, 'ctx> {
    pub context: &'ctx Context,
    pub diagnostics: &'a Diagnostics,
    pub module: &'a Module<'ctx>,
    pub clang: Result<Clang<'a>, Error>,
    pub scratch: &'a Path,
    pub program: Program,
}

/// Compiles and links all inputs to one program, for `then`.
pub(crate) fn load<T, E: From<Error>>(
    options: &Options,
    then: impl FnOnce(Loaded<'_, '_>) -> Result<T, E>,
) -> Result<T, E> {
    let kinds = options.inputs.iter().map(|input| kind_of(input)).collect::<Result<Vec<_>, _>>()?;
    if kinds.is_empty() {
        return Err(Error::NoInputs.into());
    }
    let scratch = tempfile::tempdir().map_err(Error::Temporary)?;
    let clang = Clang::find(&options.flags, options.ilp32, scratch.path());

    // Made before the context, so that it outlives it.
    let diagnostics = Diagnostics::default();
    let context = Context::create();
    diagnostics.install(&context);

    let mut linked = None;
    for (index, (input, kind)) in options.inputs.iter().zip(kinds).enumerate() {
        let bitcode = match kind {
            Kind::Source => match &clang {
                Ok(clang) => clang.compile(input, index)?,
                Err(_) => return Err(clang.err().unwrap_or(Error::NoCompiler).into()),
            },
            Kind::Module => {
                if clang.as_ref().is_ok_and(|clang| !clang.survives(input)) {
                    let message = "LLVM cannot read it".to_owned();
                    return Err(Error::BadModule { path: input.clone(), message }.into());
                }
                input.clone()
            }
        };
        let module = module::read(&context, &diagnostics, &bitcode, input)?;
        match &linked {
            None => linked = Some(module),
            Some(whole) => module::link(&diagnostics, whole, module, input)?,
        }
    }
    let whole = linked.ok_or(Error::NoInputs)?;
    let starts = (options.arguments == Arguments::Any).then_some(START);
    let mut asked: Vec<(&str, &str)> = starts.into_iter().map(|name| ("main", name)).collect();
    if options.wakeups {
        asked.extend(support::SPURIOUS_WAITS);
    }
    support::link(&context, &diagnostics, &whole, clang.as_ref().ok(), scratch.path(), &asked)?;
    uninitialised::mark(&context, &whole)?;
    module::promote(&whole)?;
    let mut program = lower::lower(&whole, &options.inputs)?;
    program.arguments = options.arguments.clone();
    program.allocations_fail = options.allocations_fail;
    heddle_ir::validate(&program).map_err(|e| Error::Internal(e.to_string()))?;
    then(Loaded {
        context: &context,
        diagnostics: &diagnostics,
        module: &whole,
        clang,
        scratch: scratch.path(),
        program,
    })
}

enum Kind {
    Source,
    Module,
}

fn kind_of(path: &Path) -> Result<Kind, Error> {
    let unreadable = |source| Error::Unreadable { path: path.into(), source };
    let metadata = match std::fs::metadata(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::Missing(path.into()));
        }
        other => other.map_err(unreadable)?,
    };
    if metadata.is_dir() {
        return Err(Error::Directory(path.into()));
    }
    match path.extension().and_then(|e| e.to_str()) {
        Some("c" | "cpp" | "cc" | "cxx" | "i" | "ii") => {
            std::fs::File::open(path).map_err(unreadable)?;
            Ok(Kind::Source)
        }
        Some("ll" | "bc") => {
            std::fs::File::open(path).map_err(unreadable)?;
            if metadata.len() == 0 { Err(Error::Empty(path.into())) } else { Ok(Kind::Module) }
        }
        _ => Err(Error::UnknownExtension(path.into())),
    }
}
