//! `stdlib.h`, `unistd.h`, `time.h`: allocation, termination, sleeping.

use heddle_ir::{BinOp, Compare, Ty};

use super::{Entry, Outcome, Result, arg, int, succeed};
use crate::host::{Host, InputKind, Val};
use crate::{Assumption, Domain, ViolationKind};

const ENOMEM: u64 = 12;
const EINVAL: u64 = 22;
/// No real allocator finds room for more.
pub(super) const MOST_ALIGNED: u64 = 1 << 30;

pub(super) fn entries<H: Host>() -> Vec<Entry<H>> {
    vec![
        ("malloc", |h, a, _| {
            let bytes = arg(h, a, 0)?;
            allocate(h, &bytes, false)
        }),
        ("calloc", calloc),
        ("realloc", |h, a, _| {
            let (addr, bytes) = (arg(h, a, 0)?, arg(h, a, 1)?);
            reallocate(h, &addr, &bytes)
        }),
        ("reallocarray", |h, a, _| {
            let (addr, count, unit) = (arg(h, a, 0)?, arg(h, a, 1)?, arg(h, a, 2)?);
            let bytes = product(h, &count, &unit);
            reallocate(h, &addr, &bytes)
        }),
        ("aligned_alloc", aligned_alloc),
        ("memalign", aligned_alloc),
        ("posix_memalign", posix_memalign),
        ("free", |h, a, _| {
            let addr = arg(h, a, 0)?;
            h.free(&addr)?;
            Ok(Outcome::Void)
        }),
        // Around the scope of an array of variable length.
        ("__heddle_stack_save", |h, _, _| Ok(Outcome::Value(h.stack_depth()))),
        ("__heddle_stack_restore", |h, a, _| {
            let depth = arg(h, a, 0)?;
            h.leave_scope(&depth)?;
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
        // What the support file says where a handler begins to wait for a signal.
        ("__heddle_no_signals", |h, _, _| {
            h.note(Assumption::NoSignals);
            Ok(Outcome::Void)
        }),
        // What the support files say that keep files, and read lines of standard input.
        ("__heddle_own_files", |h, _, _| {
            h.note(Assumption::Files);
            Ok(Outcome::Void)
        }),
        // What stands in a body that was made up for a function without one.
        ("__heddle_unknown_call", |h, _, _| {
            h.note(Assumption::UnknownCalls);
            Ok(Outcome::Void)
        }),
        // What mappings are made of: the program may look whether there is one in its own way.
        ("__heddle_sure_memory", |h, _, _| {
            if !h.allocations_fail() {
                h.note(Assumption::Allocations);
            }
            Ok(Outcome::Void)
        }),
        ("__heddle_short_lines", |h, _, _| {
            h.note(Assumption::ShortLines);
            Ok(Outcome::Void)
        }),
        ("sleep", succeed),
        ("usleep", succeed),
        ("nanosleep", succeed),
        ("time", time),
    ]
}

/// The block, or none and `errno`.
fn report<H: Host>(host: &mut H, block: Val<H>) -> Result<H> {
    let width = host.pointer_bits();
    let none = host.domain().constant(0, width);
    let failed = host.domain().compare(Compare::Eq, width, &block, &none);
    let number = host.domain().constant(ENOMEM, 32);
    host.set_errno(&number, &failed)?;
    Ok(Outcome::Value(block))
}

fn allocate<H: Host>(host: &mut H, bytes: &Val<H>, zeroed: bool) -> Result<H> {
    let block = new_block(host, bytes, zeroed)?;
    report(host, block)
}

/// A new block, or null if allocations may fail and this one does.
pub(super) fn new_block<H: Host>(
    host: &mut H,
    bytes: &Val<H>,
    zeroed: bool,
) -> std::result::Result<Val<H>, H::Stop> {
    if !host.allocations_fail() {
        return host.allocate(bytes, zeroed);
    }
    let fails = host.input(InputKind::proper(1, false))?;
    let width = host.pointer_bits();
    let null = host.domain().constant(0, width);
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

/// `count * unit` bytes, or more than there can be if that overflows.
fn product<H: Host>(host: &mut H, count: &Val<H>, unit: &Val<H>) -> Val<H> {
    let width = host.pointer_bits();
    let domain = host.domain();
    let (zero, one) = (domain.constant(0, width), domain.constant(1, width));
    let none = domain.compare(Compare::Eq, width, count, &zero);
    let divisor = domain.select(&none, &one, count);
    let most = domain.constant(crate::mask(u64::MAX, width), width);
    let room = domain.binary(BinOp::UDiv, width, &most, &divisor);
    let overflows = domain.compare(Compare::ULt, width, &room, unit);
    let bytes = domain.binary(BinOp::Mul, width, count, unit);
    domain.select(&overflows, &most, &bytes)
}

fn calloc<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let (count, unit) = (arg(host, args, 0)?, arg(host, args, 1)?);
    let bytes = product(host, &count, &unit);
    allocate(host, &bytes, true)
}

/// As the GNU C library does it: without any bytes the block is freed.
fn reallocate<H: Host>(host: &mut H, addr: &Val<H>, bytes: &Val<H>) -> Result<H> {
    let width = host.pointer_bits();
    let zero = host.domain().constant(0, width);
    let none = host.domain().compare(Compare::Eq, width, bytes, &zero);
    let fresh = host.domain().compare(Compare::Eq, width, addr, &zero);
    match (host.number(&none), host.number(&fresh)) {
        (Some(0), _) | (_, Some(1)) => {
            always_succeeds(host);
            let block = host.reallocate(addr, bytes)?;
            report(host, block)
        }
        (Some(_), Some(_)) => {
            host.free(addr)?;
            Ok(Outcome::Value(zero))
        }
        _ => Err(host.unsupported("realloc() with a size that may be 0".to_string())),
    }
}

/// A block at a multiple of the alignment, or the error number. Every block starts at a
/// multiple of any alignment up to [`MOST_ALIGNED`].
fn aligned<H: Host>(
    host: &mut H,
    alignment: &Val<H>,
    bytes: &Val<H>,
    unit: u64,
) -> std::result::Result<std::result::Result<Val<H>, u64>, H::Stop> {
    let alignment = host.concrete(alignment)?;
    if !alignment.is_power_of_two() || alignment < unit {
        return Ok(Err(EINVAL));
    }
    if alignment > MOST_ALIGNED {
        return Ok(Err(ENOMEM));
    }
    always_succeeds(host);
    let block = host.allocate(bytes, false)?;
    let width = host.pointer_bits();
    let none = host.domain().constant(0, width);
    let failed = host.domain().compare(Compare::Eq, width, &block, &none);
    if host.concrete(&failed)? != 0 {
        return Ok(Err(ENOMEM));
    }
    host.note_alignment(&block, alignment);
    Ok(Ok(block))
}

fn aligned_alloc<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let (alignment, bytes) = (arg(host, args, 0)?, arg(host, args, 1)?);
    match aligned(host, &alignment, &bytes, 1)? {
        Ok(block) => Ok(Outcome::Value(block)),
        Err(error) => {
            let (number, always) =
                (host.domain().constant(error, 32), host.domain().constant(1, 1));
            host.set_errno(&number, &always)?;
            let width = host.pointer_bits();
            Ok(Outcome::Value(host.domain().constant(0, width)))
        }
    }
}

/// It leaves where the block goes alone if there is none. What `errno` is then, nobody says.
fn posix_memalign<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let (slot, alignment, bytes) = (arg(host, args, 0)?, arg(host, args, 1)?, arg(host, args, 2)?);
    let unit = u64::from(host.pointer_bits() / 8);
    match aligned(host, &alignment, &bytes, unit)? {
        Ok(block) => {
            host.store(&slot, Ty::Ptr, &block, None)?;
            int(host, 0)
        }
        Err(error) => int(host, error),
    }
}

fn assert_fail<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let text = arg(host, args, 0)?;
    let text = host.constant_text(&text).unwrap_or_default();
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
    let now = host.input(InputKind::proper(width, true))?;
    if host.concrete(&slot)? != 0 {
        return Err(host.unsupported("time() with an argument".to_string()));
    }
    Ok(Outcome::Value(now))
}
