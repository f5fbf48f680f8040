//! `math.h`, concretely.

use heddle_ir::Ty;

use super::{Entry, Outcome, Result, arg};
use crate::Domain;
use crate::host::{Host, Val};

macro_rules! unary {
    ($($name:literal, $single:literal => $function:expr;)*) => {
        vec![$(
            ($name, |h, a, _| double(h, a, |x, _| $function(x))),
            ($single, |h, a, _| single(h, a, |x, _| $function(x))),
        )*]
    };
}

macro_rules! binary {
    ($($name:literal, $single:literal => $function:expr;)*) => {
        vec![$(
            ($name, |h, a, _| double(h, a, $function)),
            ($single, |h, a, _| single(h, a, $function)),
        )*]
    };
}

pub(super) fn entries<H: Host>() -> Vec<Entry<H>> {
    let mut all: Vec<Entry<H>> = unary! {
        "fabs", "fabsf" => f64::abs;
        "sqrt", "sqrtf" => f64::sqrt;
        "floor", "floorf" => f64::floor;
        "ceil", "ceilf" => f64::ceil;
        "round", "roundf" => f64::round;
        "trunc", "truncf" => f64::trunc;
        "rint", "rintf" => f64::round_ties_even;
        "nearbyint", "nearbyintf" => f64::round_ties_even;
        "sin", "sinf" => f64::sin;
        "cos", "cosf" => f64::cos;
        "tan", "tanf" => f64::tan;
        "exp", "expf" => f64::exp;
        "log", "logf" => f64::ln;
        "log2", "log2f" => f64::log2;
        "log10", "log10f" => f64::log10;
        "log1p", "log1pf" => f64::ln_1p;
        "exp2", "exp2f" => f64::exp2;
        "expm1", "expm1f" => f64::exp_m1;
        "asin", "asinf" => f64::asin;
        "acos", "acosf" => f64::acos;
        "atan", "atanf" => f64::atan;
        "sinh", "sinhf" => f64::sinh;
        "cosh", "coshf" => f64::cosh;
        "tanh", "tanhf" => f64::tanh;
        "cbrt", "cbrtf" => f64::cbrt;
        "asinh", "asinhf" => f64::asinh;
        "acosh", "acoshf" => f64::acosh;
        "atanh", "atanhf" => f64::atanh;
        "exp10", "exp10f" => |x| f64::powf(10.0, x);
        "roundeven", "roundevenf" => f64::round_ties_even;
    };
    let two: Vec<Entry<H>> = binary! {
        "pow", "powf" => f64::powf;
        "fmod", "fmodf" => |x, y| x % y;
        "fmin", "fminf" => f64::min;
        "fmax", "fmaxf" => f64::max;
        "copysign", "copysignf" => f64::copysign;
        "atan2", "atan2f" => f64::atan2;
        "hypot", "hypotf" => f64::hypot;
        "fdim", "fdimf" => |x, y| if x <= y { 0.0 } else { x - y };
    };
    all.extend(two);
    all.extend::<Vec<Entry<H>>>(vec![("fma", fma), ("fmaf", fmaf)]);
    all
}

/// Bits of the first and, where there is one, the second argument.
fn operands<H: Host>(host: &mut H, args: &[Val<H>]) -> std::result::Result<(u64, u64), H::Stop> {
    let first = arg(host, args, 0)?;
    let first = host.concrete(&first)?;
    let second = match args.get(1) {
        Some(value) => host.concrete(value)?,
        None => 0,
    };
    Ok((first, second))
}

fn double<H: Host>(host: &mut H, args: &[Val<H>], function: fn(f64, f64) -> f64) -> Result<H> {
    let (a, b) = operands(host, args)?;
    let bits = function(f64::from_bits(a), f64::from_bits(b)).to_bits();
    Ok(Outcome::Value(host.domain().constant(bits, Ty::Int(64).bits(8))))
}

fn single<H: Host>(host: &mut H, args: &[Val<H>], function: fn(f64, f64) -> f64) -> Result<H> {
    let (a, b) = operands(host, args)?;
    let wide = |bits: u64| f64::from(f32::from_bits(bits as u32));
    let bits = (function(wide(a), wide(b)) as f32).to_bits();
    Ok(Outcome::Value(host.domain().constant(u64::from(bits), 32)))
}

/// The bits of three arguments.
fn three<H: Host>(host: &mut H, args: &[Val<H>]) -> std::result::Result<[u64; 3], H::Stop> {
    let (a, b) = operands(host, args)?;
    let c = arg(host, args, 2)?;
    Ok([a, b, host.concrete(&c)?])
}

fn fma<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let [a, b, c] = three(host, args)?.map(f64::from_bits);
    Ok(Outcome::Value(host.domain().constant(a.mul_add(b, c).to_bits(), 64)))
}

fn fmaf<H: Host>(host: &mut H, args: &[Val<H>], _: &[Ty]) -> Result<H> {
    let [a, b, c] = three(host, args)?.map(|bits| f32::from_bits(bits as u32));
    Ok(Outcome::Value(host.domain().constant(u64::from(a.mul_add(b, c).to_bits()), 32)))
}
