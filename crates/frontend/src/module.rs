//! Reads, links and prepares LLVM modules. The only passes that run keep every
//! access to memory that another thread could see: `mem2reg` promotes stack slots
//! whose address never escapes, and nothing else touches loads and stores.
//! `simplifycfg` is left out on purpose (it speculates and merges accesses);
//! blocks are merged in our own IR instead (see `lower::tidy`).
#![allow(unsafe_code, reason = "LLVM is reached through its C interface")]

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_void};
use std::path::Path;

use inkwell::attributes::{Attribute, AttributeLoc};
use inkwell::context::Context;
use inkwell::llvm_sys::prelude::{LLVMDiagnosticInfoRef, LLVMModuleRef};
use inkwell::llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMRunPasses,
};
use inkwell::llvm_sys::{LLVMDiagnosticSeverity, core, error, linker};
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::{Linkage, Module};

use crate::error::{Error, one_line};
use crate::llvm::View;
use crate::lower::calls_setjmp;

/// Keeps LLVM from printing to standard error or exiting; the first error is
/// kept for the caller.
#[derive(Default)]
pub(crate) struct Diagnostics {
    /// Boxed, so that LLVM's pointer to it stays valid when this moves.
    first_error: Box<RefCell<Option<String>>>,
}

impl Diagnostics {
    /// The caller keeps `self` alive as long as `context` is used.
    pub fn install(&self, context: &Context) {
        let target = (&raw const *self.first_error).cast_mut().cast::<c_void>();
        // SAFETY: the handler gets a pointer to a box that outlives the context (it is
        // made before it in `lib.rs`), and only makes a shared reference of it.
        unsafe { core::LLVMContextSetDiagnosticHandler(context.raw(), Some(keep), target) };
    }

    fn take(&self) -> Option<String> {
        self.first_error.borrow_mut().take()
    }
}

extern "C" fn keep(info: LLVMDiagnosticInfoRef, target: *mut c_void) {
    // SAFETY: LLVM hands back the pointer that was installed above, and a live
    // diagnostic whose description we own and dispose of.
    unsafe {
        if core::LLVMGetDiagInfoSeverity(info) != LLVMDiagnosticSeverity::LLVMDSError {
            return;
        }
        let slot = &*target.cast::<RefCell<Option<String>>>();
        let text = core::LLVMGetDiagInfoDescription(info);
        slot.borrow_mut().get_or_insert_with(|| owned(text));
        core::LLVMDisposeMessage(text);
    }
}

/// # Safety
/// `text` is a NUL-terminated string.
unsafe fn owned(text: *const c_char) -> String {
    // SAFETY: by this function's contract.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Reads bitcode or textual IR. `shown` is the path the user knows it by.
pub(crate) fn read<'ctx>(
    context: &'ctx Context,
    diagnostics: &Diagnostics,
    path: &Path,
    shown: &Path,
) -> Result<Module<'ctx>, Error> {
    let bad = |message: &str| Error::BadModule { path: shown.into(), message: one_line(message) };
    let buffer = MemoryBuffer::create_from_file(path).map_err(|e| bad(&e.to_string()))?;
    let module = context.create_module_from_ir(buffer).map_err(|e| {
        let text = e.to_string();
        bad(&diagnostics.take().unwrap_or(text))
    })?;
    module.verify().map_err(|e| bad(&e.to_string()))?;
    Ok(module)
}

/// Moves everything of `other` into `into`.
pub(crate) fn link<'ctx>(
    diagnostics: &Diagnostics,
    into: &Module<'ctx>,
    other: Module<'ctx>,
    shown: &Path,
) -> Result<(), Error> {
    diagnostics.take();
    let source: LLVMModuleRef = other.as_mut_ptr();
    // The linker destroys its source, so the wrapper must not.
    std::mem::forget(other);
    // SAFETY: both modules are live and of the same context; `source` is not used
    // again. inkwell's own `link_in_module` leaves a dangling diagnostic handler
    // behind, hence the direct call.
    let failed = unsafe { linker::LLVMLinkModules2(into.as_mut_ptr(), source) } != 0;
    if failed {
        let message = diagnostics.take().unwrap_or_default();
        return Err(Error::Link { path: shown.into(), message: one_line(&message) });
    }
    Ok(())
}

/// Promotes private stack slots to registers. Modules that were not compiled by us
/// may forbid that (`optnone`); the request is about speed and not about meaning.
pub(crate) fn promote(module: &Module<'_>) -> Result<(), Error> {
    let optnone = Attribute::get_named_enum_kind_id("optnone");
    for function in module.get_functions() {
        function.remove_enum_attribute(AttributeLoc::Function, optnone);
    }
    // Jumps find variables as they were left.
    for function in View::new(module).functions() {
        let insts = function.blocks().into_iter().flat_map(|block| block.instructions());
        if insts.into_iter().any(calls_setjmp)
            && let Some(function) = module.get_function(&function.name())
        {
            for name in ["optnone", "noinline"] {
                let kind = Attribute::get_named_enum_kind_id(name);
                let attribute = module.get_context().create_enum_attribute(kind, 0);
                function.add_attribute(AttributeLoc::Function, attribute);
            }
        }
    }
    run_passes(module, c"function(mem2reg)")
}

/// Drops every definition that the functions in `wanted` do not need.
pub(crate) fn keep_only(module: &Module<'_>, wanted: &[&str]) -> Result<(), Error> {
    for function in module.get_functions() {
        let name = function.get_name().to_string_lossy();
        if function.count_basic_blocks() > 0 && !wanted.contains(&&*name) {
            function.set_linkage(Linkage::Internal);
        }
    }
    run_passes(module, c"globaldce")
}

/// Decides what constants decide, in support files only: what one function has for
/// several others is cut down to what each needs. Accesses to memory stay as they are.
pub(crate) fn specialise(module: &Module<'_>) -> Result<(), Error> {
    run_passes(module, c"function(mem2reg,sccp)")
}

fn run_passes(module: &Module<'_>, passes: &CStr) -> Result<(), Error> {
    // SAFETY: the module is live, the pass names are NUL-terminated, and the options
    // live until they are disposed of. No target machine is needed by these passes.
    unsafe {
        let options = LLVMCreatePassBuilderOptions();
        let machine = std::ptr::null_mut();
        let failure = LLVMRunPasses(module.as_mut_ptr(), passes.as_ptr(), machine, options);
        LLVMDisposePassBuilderOptions(options);
        if failure.is_null() {
            return Ok(());
        }
        let text = error::LLVMGetErrorMessage(failure);
        let message = owned(text);
        error::LLVMDisposeErrorMessage(text);
        Err(Error::Internal(one_line(&message)))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SymbolState {
    Absent,
    Declared,
    /// Defined in every module that needs it; any other definition wins.
    Inline,
    Defined,
}

/// Whether the module declares or defines a function or variable of this name.
pub(crate) fn symbol_state(module: &Module<'_>, name: &str) -> SymbolState {
    let (declared, linkage) = match (module.get_function(name), module.get_global(name)) {
        (Some(function), _) => (function.count_basic_blocks() == 0, function.get_linkage()),
        (None, Some(global)) => (global.get_initializer().is_none(), global.get_linkage()),
        (None, None) => return SymbolState::Absent,
    };
    match linkage {
        _ if declared => SymbolState::Declared,
        Linkage::LinkOnceAny | Linkage::LinkOnceODR => SymbolState::Inline,
        _ => SymbolState::Defined,
    }
}
