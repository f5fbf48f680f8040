//! The C++ library as far as it is not written in C: `operator new` and `delete`,
//! and the ways in which a program gives up.
//!
//! Exceptions are C (`support/runtime/cxxthrow.c`), but for the blocks that they live in and
//! what is said of one that nobody catches. An `operator new` that finds no memory gives
//! null here, at which the front end has it throw.

use heddle_ir::Ty;

use super::stdlib::{MOST_ALIGNED, new_block};
use super::{Entry, Outcome, Result, arg};
use crate::ViolationKind;
use crate::host::{Host, Val};

/// Names are those of the Itanium ABI.
pub(super) fn entries<H: Host>() -> Vec<Entry<H>> {
    vec![
        ("_Znwm", new),
        ("_Znam", new),
        ("_Znwj", new),
        ("_Znaj", new),
        ("_ZnwmSt11align_val_t", aligned),
        ("_ZnamSt11align_val_t", aligned),
        ("_ZnwjSt11align_val_t", aligned),
        ("_ZnajSt11align_val_t", aligned),
        ("_ZnwmRKSt9nothrow_t", new_or_null),
        ("_ZnamRKSt9nothrow_t", new_or_null),
        ("_ZnwjRKSt9nothrow_t", new_or_null),
        ("_ZnajRKSt9nothrow_t", new_or_null),
        ("_ZnwmSt11align_val_tRKSt9nothrow_t", aligned_or_null),
        ("_ZnamSt11align_val_tRKSt9nothrow_t", aligned_or_null),
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
        ("__heddle_allocate_exception", new_surely),
        ("__heddle_free_exception", delete),
        ("__heddle_position", |h, _, _| Ok(Outcome::Value(h.position()))),
        ("__heddle_report_uncaught", |h, a, _| {
            let (info, what, position) = (arg(h, a, 0)?, arg(h, a, 1)?, arg(h, a, 2)?);
            Err(h.fail_uncaught(&info, &what, &position))
        }),
        ("__heddle_stale_jump", |h, a, _| {
            let message = text(h, a)?;
            Err(h.fail(ViolationKind::UseAfterFree, message))
        }),
        ("__heddle_wild_jump", |h, a, _| {
            let message = text(h, a)?;
            Err(h.fail(ViolationKind::OutOfBounds, message))
        }),
        ("__heddle_unsupported", |h, a, _| {
            let what = text(h, a)?;
            Err(h.unsupported(what))
        }),
    ]
}

fn new<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    if !host.allocations_fail() {
        return new_surely(host, args, &[]);
    }
    new_or_null(host, args, &[])
}

fn new_or_null<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let bytes = arg(host, args, 0)?;
    new_block(host, &bytes, false).map(Outcome::Value)
}

fn aligned<H: Host>(host: &mut H, args: &[Val<H>], tys: &[Ty]) -> Result<H> {
    let block = new(host, args, tys)?;
    note_alignment(host, args, block)
}

fn aligned_or_null<H: Host>(host: &mut H, args: &[Val<H>], tys: &[Ty]) -> Result<H> {
    let block = new_or_null(host, args, tys)?;
    note_alignment(host, args, block)
}

/// The compiler asks for powers of two only.
fn note_alignment<H: Host>(host: &mut H, args: &[Val<H>], block: Outcome<Val<H>>) -> Result<H> {
    let alignment = arg(host, args, 1)?;
    let alignment = host.concrete(&alignment)?;
    if !alignment.is_power_of_two() || alignment > MOST_ALIGNED {
        return Err(host.unsupported(format!("operator new with an alignment of {alignment}")));
    }
    if let Outcome::Value(block) = &block {
        host.note_alignment(block, alignment);
    }
    Ok(block)
}

/// No search asks what happens if it fails. It does if no memory is large enough.
fn new_surely<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let bytes = arg(host, args, 0)?;
    let block = host.allocate(&bytes, false)?;
    host.note_sure(&block);
    Ok(Outcome::Value(block))
}

fn delete<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let addr = arg(host, args, 0)?;
    host.free(&addr)?;
    Ok(Outcome::Void)
}

fn terminate<H: Host>(host: &mut H, message: &str) -> Result<H> {
    Err(host.fail(ViolationKind::Terminate, message.to_string()))
}

fn text<H: Host>(host: &mut H, args: &[Val<H>]) -> std::result::Result<String, H::Stop> {
    let text = arg(host, args, 0)?;
    Ok(host.constant_text(&text).unwrap_or_default())
}
