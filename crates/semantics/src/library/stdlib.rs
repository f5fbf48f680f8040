//! `stdlib.h`, `unistd.h`, `time.h`: allocation, termination, sleeping.

use heddle_ir::{BinOp, Ty};

use super::{Entry, Outcome, Result, arg, int, succeed};
use crate::host::{Host, InputKind, Val};
use crate::{Assumption, Domain, ViolationKind};

const ENOMEM: u64 = 12;

pub(super) fn entries<H: Host>() -> Vec<Entry<H>> {
    vec![
        ("malloc", |h, a, _| {
            let bytes = arg(h, a, 0)?;
            allocate(h, &bytes, false).map(Outcome::Value)
        }),
        ("calloc", calloc),
        ("realloc", |h, a, _| {
            let (addr, bytes) = (arg(h, a, 0)?, arg(h, a, 1)?);
            always_succeeds(h);
            h.reallocate(&addr, &bytes).map(Outcome::Value)
        }),
        ("aligned_alloc", aligned_alloc),
        ("memalign", aligned_alloc),
        ("posix_memalign", posix_memalign),
        ("free", |h, a, _| {
            let addr = arg(h, a, 0)?;
            h.free(&addr)?;
            Ok(Outcome::Void)
        }),
        ("exit", |h, _, _| Err(h.end_process())),
        ("_exit", |h, _, _| Err(h.exit_process())),
        ("_Exit", |h, _, _| Err(h.exit_process())),
        ("quick_exit", |h, _, _| Err(h.exit_process())),
        ("abort", |h, _, _| Err(h.abort_process())),
        ("__assert_fail", assert_fail),
        ("__assert", assert_fail),
        ("getenv", getenv),
        ("secure_getenv", getenv),
        // What the support file says that calls main with arguments which are inputs.
        ("__heddle_short_arguments", |h, _, _| {
            h.note(Assumption::ShortArguments);
            Ok(Outcome::Void)
        }),
        ("sleep", succeed),
        ("usleep", succeed),
        ("nanosleep", succeed),
        ("time", time),
    ]
}

fn calloc<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let (count, unit) = (arg(host, args, 0)?, arg(host, args, 1)?);
    let width = host.pointer_bits();
    let bytes = host.domain().binary(BinOp::Mul, width, &count, &unit);
    allocate(host, &bytes, true).map(Outcome::Value)
}

/// A new block, or null if allocations may fail and this one does.
pub(super) fn allocate<H: Host>(
    host: &mut H,
    bytes: &Val<H>,
    zeroed: bool,
) -> std::result::Result<Val<H>, H::Stop> {
    if !host.allocations_fail() {
        return host.allocate(bytes, zeroed);
    }
    let fails = host.input(InputKind { width: 1, signed: false, uninitialised: false })?;
    let (pointer, number) = (host.pointer_bits(), host.domain().constant(ENOMEM, 32));
    host.set_errno(&number, &fails)?;
    let null = host.domain().constant(0, pointer);
    match host.number(&fails) {
        Some(0) => host.allocate(bytes, zeroed),
        Some(_) => Ok(null),
        None => {
            let block = host.allocate(bytes, zeroed)?;
            Ok(host.domain().select(&fails, &null, &block))
        }
    }
}

/// An allocation that is not made to fail, though others are.
fn always_succeeds<H: Host>(host: &mut H) {
    if host.allocations_fail() {
        host.note(Assumption::Allocations);
    }
}

/// Every block starts at a multiple of any alignment a program can ask for.
fn aligned_alloc<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let bytes = arg(host, args, 1)?;
    allocate(host, &bytes, false).map(Outcome::Value)
}

fn posix_memalign<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let (slot, bytes) = (arg(host, args, 0)?, arg(host, args, 2)?);
    let width = host.pointer_bits();
    let zero = host.domain().constant(0, width);
    // The store comes first since it can stop; the block is private until then.
    host.store(&slot, Ty::Ptr, &zero, None)?;
    always_succeeds(host);
    let block = host.allocate(&bytes, false)?;
    host.store_now(&slot, Ty::Ptr, &block)?;
    int(host, 0)
}

fn assert_fail<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let text = arg(host, args, 0)?;
    let text = host.peek_text(&text).unwrap_or_default();
    Err(host.fail(ViolationKind::Assertion, format!("assertion failed: {text}")))
}

/// There are no variables.
fn getenv<H: Host>(host: &mut H, _: &[Val<H>], _: &[Ty]) -> Result<H> {
    host.note(Assumption::Environment);
    let width = host.pointer_bits();
    Ok(Outcome::Value(host.domain().constant(0, width)))
}

/// For bitcode, to which the clocks of the support file are not linked: any reading.
fn time<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let slot = arg(host, args, 0)?;
    let width = host.pointer_bits();
    let now = host.input(InputKind { width, signed: true, uninitialised: false })?;
    if host.concrete(&slot)? != 0 {
        return Err(host.unsupported("time() with an argument".to_string()));
    }
    Ok(Outcome::Value(now))
}
