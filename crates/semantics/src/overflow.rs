//! Signed integer overflow, over any [`Host`].
//!
//! Arithmetic on signed types carries `nsw` from the source; `short` and `char` are
//! `int` by the time they are added. Unsigned arithmetic wraps and is never wrong.
//! A division overflows when the smallest number is divided by -1; so does the
//! remainder (C11, 6.5.5). Clang marks no left shift, so only shifts of LLVM modules
//! from elsewhere are looked at.

use heddle_ir::{BinOp, Compare, OverflowOp, UnOp};

use crate::host::{Processor, Val};
use crate::{Domain, ViolationKind, sign_extend};

pub(crate) fn check_binary<H: Processor>(
    host: &mut H,
    op: BinOp,
    nsw: bool,
    width: u32,
    a: &Val<H>,
    b: &Val<H>,
) -> Result<(), H::Stop> {
    let domain = host.domain();
    let (bad, sign) = match op {
        BinOp::Add if nsw => (domain.overflows(OverflowOp::SAdd, width, a, b), "+"),
        BinOp::Sub if nsw => (domain.overflows(OverflowOp::SSub, width, a, b), "-"),
        BinOp::Mul if nsw => (domain.overflows(OverflowOp::SMul, width, a, b), "*"),
        BinOp::Shl if nsw => {
            let shifted = domain.binary(BinOp::Shl, width, a, b);
            let back = domain.binary(BinOp::AShr, width, &shifted, b);
            (domain.compare(Compare::Ne, width, &back, a), "<<")
        }
        BinOp::SDiv | BinOp::SRem => {
            let least = least(host, width, a);
            let domain = host.domain();
            let minus_one = domain.constant(u64::MAX, width);
            let by_minus_one = domain.compare(Compare::Eq, width, b, &minus_one);
            let sign = if op == BinOp::SDiv { "/" } else { "%" };
            (domain.binary(BinOp::And, 1, &least, &by_minus_one), sign)
        }
        _ => return Ok(()),
    };
    let numbers = host.number(a).zip(host.number(b));
    host.check(&bad, ViolationKind::SignedOverflow, &|| {
        let shown = numbers.map(|(a, b)| match (op, a) {
            // How clang writes a negation.
            (BinOp::Sub, 0) => format!("-({})", sign_extend(b, width)),
            _ => format!("{} {sign} {}", sign_extend(a, width), sign_extend(b, width)),
        });
        message(shown, width)
    })
}

pub(crate) fn check_unary<H: Processor>(
    host: &mut H,
    op: UnOp,
    width: u32,
    a: &Val<H>,
) -> Result<(), H::Stop> {
    if op != UnOp::Abs {
        return Ok(());
    }
    let bad = least(host, width, a);
    let number = host.number(a);
    host.check(&bad, ViolationKind::SignedOverflow, &|| {
        message(number.map(|a| format!("abs({})", sign_extend(a, width))), width)
    })
}

/// The i1 that says whether a value is the smallest one of its width.
fn least<H: Processor>(host: &mut H, width: u32, a: &Val<H>) -> Val<H> {
    let least = host.domain().constant(1 << (width - 1), width);
    host.domain().compare(Compare::Eq, width, a, &least)
}

fn message(shown: Option<String>, width: u32) -> String {
    let what = shown.as_deref().unwrap_or("the result");
    format!("{what} does not fit into {width} bits")
}
