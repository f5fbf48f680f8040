//! `stdlib.h`, `unistd.h`, `time.h`: allocation, termination, sleeping.

use heddle_ir::{BinOp, Ty};

use super::{Entry, Outcome, Result, arg, int, succeed};
use crate::host::{Host, InputKind, Val};
use crate::{Domain, ViolationKind};

pub(super) fn entries<H: Host>() -> Vec<Entry<H>> {
    vec![
        ("malloc", |h, a, _| {
            let bytes = arg(h, a, 0)?;
            h.allocate(&bytes, false).map(Outcome::Value)
        }),
        ("calloc", calloc),
        ("realloc", |h, a, _| {
            let (addr, bytes) = (arg(h, a, 0)?, arg(h, a, 1)?);
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
    host.allocate(&bytes, true).map(Outcome::Value)
}

/// Every block starts at a multiple of any alignment a program can ask for.
fn aligned_alloc<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let bytes = arg(host, args, 1)?;
    host.allocate(&bytes, false).map(Outcome::Value)
}

fn posix_memalign<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let (slot, bytes) = (arg(host, args, 0)?, arg(host, args, 2)?);
    let width = host.pointer_bits();
    let zero = host.domain().constant(0, width);
    // The store comes first since it can stop; the block is private until then.
    host.store(&slot, Ty::Ptr, &zero, None)?;
    let block = host.allocate(&bytes, false)?;
    host.store_now(&slot, Ty::Ptr, &block)?;
    int(host, 0)
}

fn assert_fail<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let text = arg(host, args, 0)?;
    let text = host.constant_text(&text).unwrap_or_default();
    Err(host.fail(ViolationKind::Assertion, format!("assertion failed: {text}")))
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
