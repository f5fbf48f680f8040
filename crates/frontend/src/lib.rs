//! Heddle's front end: C and C++ through clang and LLVM bitcode to the IR.
//!
//! This is the only crate that knows LLVM. Data flows one way: `clang` makes
//! bitcode, `module` links it and promotes private stack slots to registers,
//! `support` adds the C library functions that are written in C, and `lower`
//! turns the result into a [`heddle_ir::Program`].
//!
//! What is deliberately absent: any optimisation that could merge, move or drop an
//! access to memory that another thread can see.

mod cancellation;
mod child;
mod clang;
mod constants;
mod debuginfo;
mod demangle;
mod error;
mod inline;
mod leaves;
mod llvm;
mod lower;
mod module;
mod native;
mod needs;
mod scratch;
mod support;
mod uninitialised;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use heddle_ir::{Arguments, Program};
use inkwell::context::Context;

pub use child::{Ended, run as run_child};
use clang::Clang;
pub use demangle::demangle;
pub use error::Error;
use inkwell::module::Module;
use module::Diagnostics;
pub use native::{Plan, Runtime, build};
pub use scratch::{remove_scratch, scratch};
pub use support::{SPURIOUS_WAKEUPS, library};

/// The function that calls `main` with any arguments, which is there if they are asked
/// for.
pub const START: &str = "__heddle_start";

/// What to compile, and how.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Files ending in `.c .cpp .i .ii .ll .bc` and others that clang takes for C++, any
    /// with `-x` among the flags; `-` is [`Options::standard_input`].
    pub inputs: Vec<PathBuf>,
    /// The text of the input `-`: C, if the flags don't say otherwise.
    pub standard_input: Option<Arc<str>>,
    /// Passed on to clang.
    pub flags: Vec<String>,
    /// Compile for a 32-bit target.
    pub ilp32: bool,
    /// Set from outside to end the compiler: [`Error::Interrupted`].
    pub interrupt: Arc<AtomicBool>,
    /// Gets what the compiler warns of.
    pub warn: Option<fn(&str)>,
    /// What the program is started with.
    pub arguments: Arguments,
    /// Add what waits for condition variables are made of that may end without a signal.
    pub wakeups: bool,
    /// Any allocation may fail.
    pub allocations_fail: bool,
    /// For whoever knows which functions have a model.
    pub unknown_calls: UnknownCalls,
}

/// What becomes of calls of functions that have neither a body nor a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnknownCalls {
    /// The search stops there.
    #[default]
    Stop,
    /// They do nothing, and give any value.
    Input,
    /// They do nothing, and give zeros.
    Ignore,
}

impl Options {
    /// For whoever has seen the warnings.
    pub fn without_warnings(&self) -> Options {
        Options { warn: None, ..self.clone() }
    }
}

/// The version of LLVM that is linked.
pub fn llvm_version() -> String {
    let (major, minor, patch) = inkwell::support::get_llvm_version();
    format!("{major}.{minor}.{patch}")
}

/// The compiler that is used, if there is one.
pub fn compiler() -> Option<PathBuf> {
    clang::find()
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
    let kinds = options
        .inputs
        .iter()
        .map(|input| kind_of(input, options))
        .collect::<Result<Vec<_>, _>>()?;
    if kinds.is_empty() {
        return Err(Error::NoInputs.into());
    }
    let scratch = scratch()?;
    let standard_input = write_standard_input(options, scratch.path())?;
    let clang = Clang::find(options, scratch.path());

    // Made before the context, so that it outlives it.
    let diagnostics = Diagnostics::default();
    let context = Context::create();
    diagnostics.install(&context);

    let mut linked = None;
    let mut again = Vec::new();
    for (index, (input, kind)) in options.inputs.iter().zip(kinds).enumerate() {
        let bitcode = match kind {
            Kind::Source => match &clang {
                Ok(clang) => {
                    let source = if is_standard_input(input) { &standard_input } else { input };
                    let compiled = clang.compile(source, index)?;
                    if let (Some(warn), false) = (options.warn, compiled.warnings.is_empty()) {
                        warn(&compiled.warnings);
                    }
                    again.extend(compiled.inline.map(|bitcode| (bitcode, input)));
                    compiled.bitcode
                }
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
    let clang_there = clang.as_ref().ok();
    let add_support =
        || support::link(&context, &diagnostics, &whole, clang_there, scratch.path(), &asked);
    add_support()?;
    // Those of system headers are second to the support files. They may need more of them.
    for (bitcode, input) in again {
        let bodies = module::read(&context, &diagnostics, &bitcode, input)?;
        inline::keep_only_missing(&bodies, &whole);
        module::link(&diagnostics, &whole, bodies, input)?;
        add_support()?;
    }
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

fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}

/// The file that stands for the input `-`, if there is one.
fn write_standard_input(options: &Options, scratch: &Path) -> Result<PathBuf, Error> {
    let path = scratch.join("stdin.c");
    if let Some(text) = &options.standard_input {
        std::fs::write(&path, format!("# 1 \"<stdin>\"\n{text}")).map_err(Error::Temporary)?;
    }
    Ok(path)
}

fn kind_of(path: &Path, options: &Options) -> Result<Kind, Error> {
    if is_standard_input(path) && options.standard_input.is_some() {
        return Ok(Kind::Source);
    }
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
        Some("ll" | "bc") if clang::language(&options.flags).is_none() => {
            std::fs::File::open(path).map_err(unreadable)?;
            if metadata.len() == 0 { Err(Error::Empty(path.into())) } else { Ok(Kind::Module) }
        }
        Some("c" | "i") | Some("C" | "cc" | "cp" | "cpp" | "CPP" | "cxx" | "c++" | "ii") => {
            std::fs::File::open(path).map_err(unreadable)?;
            Ok(Kind::Source)
        }
        _ if clang::language(&options.flags).is_some() => Ok(Kind::Source),
        _ => Err(Error::UnknownExtension(path.into())),
    }
}
