//! The C++ library as far as it is not written in C: `operator new` and `delete`,
//! and the ways in which a program gives up.
//!
//! There are no exceptions: what throws stops here.

use heddle_ir::Ty;

use super::stdlib::new_block;
use super::{Entry, Outcome, Result, arg};
use crate::host::{Host, Val};
use crate::{Assumption, ViolationKind};

/// Names are those of the Itanium ABI. Every block starts at a multiple of any
/// alignment a program can ask for.
pub(super) fn entries<H: Host>() -> Vec<Entry<H>> {
    vec![
        ("_Znwm", new),
        ("_Znam", new),
        ("_Znwj", new),
        ("_Znaj", new),
        ("_ZnwmSt11align_val_t", new),
        ("_ZnamSt11align_val_t", new),
        ("_ZnwjSt11align_val_t", new),
        ("_ZnajSt11align_val_t", new),
        ("_ZnwmRKSt9nothrow_t", new_or_null),
        ("_ZnamRKSt9nothrow_t", new_or_null),
        ("_ZnwjRKSt9nothrow_t", new_or_null),
        ("_ZnajRKSt9nothrow_t", new_or_null),
        ("_ZnwmSt11align_val_tRKSt9nothrow_t", new_or_null),
        ("_ZnamSt11align_val_tRKSt9nothrow_t", new_or_null),
        ("_ZdlPv", delete),
        ("_ZdaPv", delete),
        ("_ZdlPvm", delete),
        ("_ZdaPvm", delete),
        ("_ZdlPvj", delete),
        ("_ZdaPvj", delete),
        ("_ZdlPvSt11align_val_t", delete),
        ("_ZdaPvSt11align_val_t", delete),
        ("_ZdlPvmSt11align_val_t", delete),
        ("_ZdaPvmSt11align_val_t", delete),
        ("_ZdlPvjSt11align_val_t", delete),
        ("_ZdaPvjSt11align_val_t", delete),
        ("_ZdlPvRKSt9nothrow_t", delete),
        ("_ZdaPvRKSt9nothrow_t", delete),
        ("_ZdlPvSt11align_val_tRKSt9nothrow_t", delete),
        ("_ZdaPvSt11align_val_tRKSt9nothrow_t", delete),
        ("_ZSt9terminatev", |h, _, _| terminate(h, "terminate called")),
        ("__cxa_pure_virtual", |h, _, _| {
            terminate(h, "terminate called: a pure virtual function is called")
        }),
        ("__cxa_deleted_virtual", |h, _, _| {
            terminate(h, "terminate called: a deleted virtual function is called")
        }),
        // For the front end's support files.
        ("__heddle_throw", |h, a, _| {
            let what = text(h, a)?;
            Err(throw(h, &what))
        }),
        ("__heddle_unsupported", |h, a, _| {
            let what = text(h, a)?;
            Err(h.unsupported(what))
        }),
    ]
}

fn new<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let bytes = arg(host, args, 0)?;
    // One that fails throws, which has no model.
    if host.allocations_fail() {
        host.note(Assumption::Allocations);
    }
    let block = host.allocate(&bytes, false)?;
    host.note_sure(&block);
    let block = Outcome::Value(block);
    if let Outcome::Value(block) = &block
        && host.concrete(block)? == 0
    {
        return Err(throw(host, "std::bad_alloc"));
    }
    Ok(block)
}

fn new_or_null<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let bytes = arg(host, args, 0)?;
    new_block(host, &bytes, false).map(Outcome::Value)
}

fn delete<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let addr = arg(host, args, 0)?;
    host.free(&addr)?;
    Ok(Outcome::Void)
}

fn terminate<H: Host>(host: &mut H, message: &str) -> Result<H> {
    Err(host.fail(ViolationKind::Terminate, message.to_string()))
}

fn throw<H: Host>(host: &mut H, what: &str) -> H::Stop {
    host.unsupported(format!("exceptions are not supported: {what} thrown here"))
}

fn text<H: Host>(host: &mut H, args: &[Val<H>]) -> std::result::Result<String, H::Stop> {
    let text = arg(host, args, 0)?;
    Ok(host.constant_text(&text).unwrap_or_default())
}
