//! The conventions of SV-COMP.

use heddle_ir::{Cast, Compare, Ty};

use super::{Entry, Outcome, Result, arg};
use crate::host::{Host, InputKind, Val};
use crate::{Assumption, Domain, ViolationKind};

pub(super) fn entries<H: Host>() -> Vec<Entry<H>> {
    let mut all: Vec<Entry<H>> = vec![
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
    ];
    all.extend(integers());
    all.extend(addresses());
    all
}

/// An input of each of C's types, under all the names that benchmarks have for them.
fn integers<H: Host>() -> Vec<Entry<H>> {
    vec![
        ("__VERIFIER_nondet_bool", |h, _, _| input(h, 1, false)),
        ("__VERIFIER_nondet__Bool", |h, _, _| input(h, 1, false)),
        ("__VERIFIER_nondet_char", |h, _, _| input(h, 8, true)),
        ("__VERIFIER_nondet_schar", |h, _, _| input(h, 8, true)),
        ("__VERIFIER_nondet_S8", |h, _, _| input(h, 8, true)),
        ("__VERIFIER_nondet_s8", |h, _, _| input(h, 8, true)),
        ("__VERIFIER_nondet_int8_t", |h, _, _| input(h, 8, true)),
        ("__VERIFIER_nondet_uchar", |h, _, _| input(h, 8, false)),
        ("__VERIFIER_nondet_unsigned_char", |h, _, _| input(h, 8, false)),
        ("__VERIFIER_nondet_U8", |h, _, _| input(h, 8, false)),
        ("__VERIFIER_nondet_u8", |h, _, _| input(h, 8, false)),
        ("__VERIFIER_nondet_uint8_t", |h, _, _| input(h, 8, false)),
        ("__VERIFIER_nondet_short", |h, _, _| input(h, 16, true)),
        ("__VERIFIER_nondet_S16", |h, _, _| input(h, 16, true)),
        ("__VERIFIER_nondet_s16", |h, _, _| input(h, 16, true)),
        ("__VERIFIER_nondet_int16_t", |h, _, _| input(h, 16, true)),
        ("__VERIFIER_nondet_ushort", |h, _, _| input(h, 16, false)),
        ("__VERIFIER_nondet_unsigned_short", |h, _, _| input(h, 16, false)),
        ("__VERIFIER_nondet_U16", |h, _, _| input(h, 16, false)),
        ("__VERIFIER_nondet_u16", |h, _, _| input(h, 16, false)),
        ("__VERIFIER_nondet_uint16_t", |h, _, _| input(h, 16, false)),
        ("__VERIFIER_nondet_int", |h, _, _| input(h, 32, true)),
        ("__VERIFIER_nondet_S32", |h, _, _| input(h, 32, true)),
        ("__VERIFIER_nondet_s32", |h, _, _| input(h, 32, true)),
        ("__VERIFIER_nondet_int32_t", |h, _, _| input(h, 32, true)),
        ("__VERIFIER_nondet_uint", |h, _, _| input(h, 32, false)),
        ("__VERIFIER_nondet_unsigned", |h, _, _| input(h, 32, false)),
        ("__VERIFIER_nondet_unsigned_int", |h, _, _| input(h, 32, false)),
        ("__VERIFIER_nondet_u_int", |h, _, _| input(h, 32, false)),
        ("__VERIFIER_nondet_U32", |h, _, _| input(h, 32, false)),
        ("__VERIFIER_nondet_u32", |h, _, _| input(h, 32, false)),
        ("__VERIFIER_nondet_uint32_t", |h, _, _| input(h, 32, false)),
        ("__VERIFIER_nondet_long", |h, _, _| input(h, h.pointer_bits(), true)),
        ("__VERIFIER_nondet_ssize_t", |h, _, _| input(h, h.pointer_bits(), true)),
        ("__VERIFIER_nondet_ptrdiff_t", |h, _, _| input(h, h.pointer_bits(), true)),
        ("__VERIFIER_nondet_intptr_t", |h, _, _| input(h, h.pointer_bits(), true)),
        ("__VERIFIER_nondet_off_t", |h, _, _| input(h, h.pointer_bits(), true)),
        ("__VERIFIER_nondet_ulong", |h, _, _| input(h, h.pointer_bits(), false)),
        ("__VERIFIER_nondet_unsigned_long", |h, _, _| input(h, h.pointer_bits(), false)),
        ("__VERIFIER_nondet_size_t", |h, _, _| input(h, h.pointer_bits(), false)),
        ("__VERIFIER_nondet_sector_t", |h, _, _| input(h, h.pointer_bits(), false)),
        ("__VERIFIER_nondet_pthread_t", |h, _, _| input(h, h.pointer_bits(), false)),
        ("__VERIFIER_nondet_uintptr_t", |h, _, _| input(h, h.pointer_bits(), false)),
        ("__VERIFIER_nondet_longlong", |h, _, _| input(h, 64, true)),
        ("__VERIFIER_nondet_long_long", |h, _, _| input(h, 64, true)),
        ("__VERIFIER_nondet_loff_t", |h, _, _| input(h, 64, true)),
        ("__VERIFIER_nondet_S64", |h, _, _| input(h, 64, true)),
        ("__VERIFIER_nondet_s64", |h, _, _| input(h, 64, true)),
        ("__VERIFIER_nondet_int64_t", |h, _, _| input(h, 64, true)),
        ("__VERIFIER_nondet_ulonglong", |h, _, _| input(h, 64, false)),
        ("__VERIFIER_nondet_unsigned_long_long", |h, _, _| input(h, 64, false)),
        ("__VERIFIER_nondet_U64", |h, _, _| input(h, 64, false)),
        ("__VERIFIER_nondet_u64", |h, _, _| input(h, 64, false)),
        ("__VERIFIER_nondet_uint64_t", |h, _, _| input(h, 64, false)),
        ("__VERIFIER_nondet_float", |h, _, _| input(h, 32, false)),
        ("__VERIFIER_nondet_double", |h, _, _| input(h, 64, false)),
        // What the random numbers of the support file are made of.
        ("__VERIFIER_nondet_rand", random),
    ]
}

fn addresses<H: Host>() -> Vec<Entry<H>> {
    vec![
        ("__VERIFIER_nondet_pointer", pointer),
        ("__VERIFIER_nondet_ptr", pointer),
        ("__VERIFIER_nondet_pchar", pointer),
        ("__VERIFIER_nondet_charp", pointer),
        ("__VERIFIER_nondet_const_char_pointer", pointer),
    ]
}

/// Null, or an address of nothing. It could be that of any object; that is not followed.
fn pointer<H: Host>(host: &mut H, _: &[Val<H>], _: &[Ty]) -> Result<H> {
    let wild = host.input(InputKind::proper(1, false))?;
    host.note(Assumption::Addresses);
    let width = host.pointer_bits();
    let null = host.domain().constant(0, width);
    // The upper half of the address space is nobody's.
    let nowhere = host.domain().constant((1 << (width - 1)) | 64, width);
    Ok(Outcome::Value(host.domain().select(&wild, &nowhere, &null)))
}

/// From 0 to `RAND_MAX`.
fn random<H: Host>(host: &mut H, _: &[Val<H>], _: &[Ty]) -> Result<H> {
    let number = host.input(InputKind::proper(31, false))?;
    let number = host.domain().cast(Cast::ZeroExt, Ty::Int(31), Ty::Int(32), &number);
    Ok(Outcome::Value(number))
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
