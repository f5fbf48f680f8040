//! The conventions of SV-COMP.

use heddle_ir::{Compare, Ty};

use super::{Entry, Outcome, Result, arg};
use crate::host::{Host, InputKind, Val};
use crate::{Domain, ViolationKind};

pub(super) fn entries<H: Host>() -> Vec<Entry<H>> {
    vec![
        ("reach_error", |h, _, _| {
            Err(h.fail(ViolationKind::Assertion, "reach_error() is called".to_string()))
        }),
        ("__VERIFIER_error", |h, _, _| {
            Err(h.fail(ViolationKind::Assertion, "__VERIFIER_error() is called".to_string()))
        }),
        ("__VERIFIER_assert", assert),
        ("__VERIFIER_assume", assume),
        ("__VERIFIER_atomic_begin", |h, _, _| h.atomic_begin().map(|()| Outcome::Void)),
        ("__VERIFIER_atomic_end", |h, _, _| h.atomic_end().map(|()| Outcome::Void)),
        ("__VERIFIER_nondet_bool", |h, _, _| input(h, 1, false)),
        ("__VERIFIER_nondet__Bool", |h, _, _| input(h, 1, false)),
        ("__VERIFIER_nondet_char", |h, _, _| input(h, 8, true)),
        ("__VERIFIER_nondet_uchar", |h, _, _| input(h, 8, false)),
        ("__VERIFIER_nondet_unsigned_char", |h, _, _| input(h, 8, false)),
        ("__VERIFIER_nondet_u8", |h, _, _| input(h, 8, false)),
        ("__VERIFIER_nondet_short", |h, _, _| input(h, 16, true)),
        ("__VERIFIER_nondet_ushort", |h, _, _| input(h, 16, false)),
        ("__VERIFIER_nondet_u16", |h, _, _| input(h, 16, false)),
        ("__VERIFIER_nondet_int", |h, _, _| input(h, 32, true)),
        ("__VERIFIER_nondet_uint", |h, _, _| input(h, 32, false)),
        ("__VERIFIER_nondet_unsigned", |h, _, _| input(h, 32, false)),
        ("__VERIFIER_nondet_unsigned_int", |h, _, _| input(h, 32, false)),
        ("__VERIFIER_nondet_u32", |h, _, _| input(h, 32, false)),
        ("__VERIFIER_nondet_long", |h, _, _| input(h, h.pointer_bits(), true)),
        ("__VERIFIER_nondet_ulong", |h, _, _| input(h, h.pointer_bits(), false)),
        ("__VERIFIER_nondet_unsigned_long", |h, _, _| input(h, h.pointer_bits(), false)),
        ("__VERIFIER_nondet_size_t", |h, _, _| input(h, h.pointer_bits(), false)),
        ("__VERIFIER_nondet_longlong", |h, _, _| input(h, 64, true)),
        ("__VERIFIER_nondet_ulonglong", |h, _, _| input(h, 64, false)),
        ("__VERIFIER_nondet_float", |h, _, _| input(h, 32, false)),
        ("__VERIFIER_nondet_double", |h, _, _| input(h, 64, false)),
    ]
}

fn input<H: Host>(host: &mut H, width: u32, signed: bool) -> Result<H> {
    host.input(InputKind::proper(width, signed)).map(Outcome::Value)
}

/// The first argument, compared with 0.
fn condition<H: Host>(
    host: &mut H,
    args: &[Val<H>],
    tys: &[Ty],
    op: Compare,
) -> std::result::Result<Val<H>, H::Stop> {
    let value = arg(host, args, 0)?;
    let width = tys.first().map_or(32, |ty| ty.bits((host.pointer_bits() / 8) as u8));
    let zero = host.domain().constant(0, width);
    Ok(host.domain().compare(op, width, &value, &zero))
}

fn assume<H: Host>(host: &mut H, args: &[Val<H>], tys: &[Ty]) -> Result<H> {
    let holds = condition(host, args, tys, Compare::Ne)?;
    host.assume(&holds)?;
    Ok(Outcome::Void)
}

fn assert<H: Host>(host: &mut H, args: &[Val<H>], tys: &[Ty]) -> Result<H> {
    let fails = condition(host, args, tys, Compare::Eq)?;
    host.check(&fails, ViolationKind::Assertion, &|| "__VERIFIER_assert() fails".to_string())?;
    Ok(Outcome::Void)
}
