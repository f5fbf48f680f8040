//! What each instruction means: once, over any [`Processor`].

use heddle_ir::{BinOp, Cast, Compare, Op, Operand, Reg, RmwOp, Scale, Ty};

use crate::host::{Flow, InputKind, Processor, StackObject, Val};
use crate::{Domain, Partial, ViolationKind, mask, overflow};

/// Executes one instruction. `reg_ty` tells the type of a register of the
/// function it stands in.
#[inline]
pub fn eval<H: Processor>(
    host: &mut H,
    op: &Op,
    reg_ty: impl Fn(Reg) -> Ty,
) -> Result<Flow, H::Stop> {
    match op {
        Op::Binary { op, width, nsw, dst, a, b } => {
            let width = u32::from(*width);
            let (a, b) = (host.operand(*a, width), host.operand(*b, width));
            note_uses(host, &a, &b, false);
            if width == host.pointer_bits() {
                host.note_computation(*op, &a, &b);
            }
            check_division(host, *op, width, &b)?;
            if host.checks_overflow() {
                overflow::check_binary(host, *op, *nsw, width, &a, &b)?;
            }
            let value = host.domain().binary(*op, width, &a, &b);
            host.assign(*dst, value);
        }
        Op::Overflow { op, width, dst, flag, a, b } => {
            use heddle_ir::OverflowOp::*;
            let width = u32::from(*width);
            let (a, b) = (host.operand(*a, width), host.operand(*b, width));
            note_uses(host, &a, &b, false);
            let wrapped = match op {
                UAdd | SAdd => BinOp::Add,
                USub | SSub => BinOp::Sub,
                UMul | SMul => BinOp::Mul,
            };
            if width == host.pointer_bits() {
                host.note_computation(wrapped, &a, &b);
            }
            let value = host.domain().binary(wrapped, width, &a, &b);
            let overflowed = host.domain().overflows(*op, width, &a, &b);
            host.assign(*dst, value);
            host.assign(*flag, overflowed);
        }
        Op::Unary { op, width, dst, a } => {
            let width = u32::from(*width);
            let a = host.operand(*a, width);
            host.note_use(&a, false);
            if width == host.pointer_bits() {
                host.note_truncation(&a);
            }
            if host.checks_overflow() {
                overflow::check_unary(host, *op, width, &a)?;
            }
            let value = host.domain().unary(*op, width, &a);
            host.assign(*dst, value);
        }
        Op::Compare { pred, width, dst, a, b } => {
            let width = u32::from(*width);
            let (a, b) = (host.operand(*a, width), host.operand(*b, width));
            note_uses(host, &a, &b, matches!(pred, Compare::Eq | Compare::Ne));
            if width == host.pointer_bits() {
                host.note_comparison(&a, &b);
                host.note_order(*pred, &a, &b);
            }
            let value = host.domain().compare(*pred, width, &a, &b);
            host.assign(*dst, value);
        }
        Op::FloatBinary { op, ty, dst, a, b } => {
            let width = Ty::Float(*ty).bits(8);
            let (a, b) = (host.operand(*a, width), host.operand(*b, width));
            let value = host.domain().float_binary(*op, *ty, &a, &b);
            host.assign(*dst, value);
        }
        Op::FloatNeg { ty, dst, a } => {
            let a = host.operand(*a, Ty::Float(*ty).bits(8));
            let value = host.domain().float_neg(*ty, &a);
            host.assign(*dst, value);
        }
        Op::FloatCompare { pred, ty, dst, a, b } => {
            let width = Ty::Float(*ty).bits(8);
            let (a, b) = (host.operand(*a, width), host.operand(*b, width));
            let value = host.domain().float_compare(*pred, *ty, &a, &b);
            host.assign(*dst, value);
        }
        Op::Cast { op, from, to, dst, a } => {
            let (from, to) = (as_integer(host, *from), as_integer(host, *to));
            let a = host.operand(*a, from.bits(8));
            let whole = match op {
                Cast::ZeroExt | Cast::Bits => true,
                Cast::Trunc => to.bits(8) >= 32,
                _ => false,
            };
            if !whole {
                host.note_use(&a, false);
            }
            let parts = *op == Cast::Trunc && to.bits(8) < from.bits(8);
            let number = matches!(to, Ty::Float(_)) && *op != Cast::Bits;
            if (parts || number) && from.bits(8) == host.pointer_bits() {
                host.note_truncation(&a);
            }
            let value = host.domain().cast(*op, from, to, &a);
            host.assign(*dst, value);
        }
        Op::Select { dst, cond, then, other } => {
            let width = width_of(host, reg_ty(*dst));
            let cond = host.operand(*cond, 1);
            let (then, other) = (host.operand(*then, width), host.operand(*other, width));
            let value = host.domain().select(&cond, &then, &other);
            host.assign(*dst, value);
        }
        Op::Copy { dst, a } => {
            let width = width_of(host, reg_ty(*dst));
            let value = host.operand(*a, width);
            host.assign(*dst, value);
        }
        Op::PtrAdd { dst, base, offset, scales } => {
            let value = pointer_add(host, *base, *offset, scales);
            host.assign(*dst, value);
        }
        Op::StackAlloc { dst, bytes, count, align, name, ty } => {
            let width = host.pointer_bits();
            let count = host.operand(*count, width);
            let unit = host.domain().constant(*bytes, width);
            let total = host.domain().binary(BinOp::Mul, width, &unit, &count);
            let object = StackObject { dst: *dst, align: *align, name, ty: *ty };
            let value = host.stack_alloc(&total, object)?;
            host.assign(*dst, value);
        }
        Op::ThreadLocal { dst, global } => {
            let value = host.thread_local(*global)?;
            host.assign(*dst, value);
        }
        Op::Load { dst, ty, addr, order, .. } => {
            let width = host.pointer_bits();
            let addr = host.operand(*addr, width);
            let value = host.load(&addr, *ty, *order)?;
            host.assign(*dst, value);
        }
        Op::Store { ty, addr, value, order, .. } => {
            let width = host.pointer_bits();
            let addr = host.operand(*addr, width);
            let width = width_of(host, *ty);
            let value = host.operand(*value, width);
            host.store(&addr, *ty, &value, *order)?;
        }
        Op::Rmw { op, ty, dst, addr, value, order } => {
            let width = host.pointer_bits();
            let addr = host.operand(*addr, width);
            let width = width_of(host, *ty);
            let value = host.operand(*value, width);
            let old = host.rmw(*op, &addr, *ty, &value, *order)?;
            if *op != RmwOp::Exchange {
                note_uses(host, &old, &value, false);
            }
            host.assign(*dst, old);
        }
        Op::CmpXchg { ty, dst, ok, addr, expected, new, success, failure } => {
            let width = host.pointer_bits();
            let addr = host.operand(*addr, width);
            let width = width_of(host, *ty);
            let (expected, new) = (host.operand(*expected, width), host.operand(*new, width));
            let (old, exchanged) =
                host.cmpxchg(&addr, *ty, &expected, &new, (*success, *failure))?;
            note_uses(host, &old, &expected, true);
            host.assign(*dst, old);
            host.assign(*ok, exchanged);
        }
        Op::Fence { order } => host.fence(*order)?,
        Op::Call { dsts, callee, args, arg_tys } => {
            return host.call(dsts, callee, args, arg_tys);
        }
        Op::Nondet { dst, reason: heddle_ir::NondetReason::Uninitialised } => {
            let width = width_of(host, reg_ty(*dst));
            let word = Partial::new(0, mask(u64::MAX, width));
            let value = host.input(InputKind::undefined(width, word))?;
            host.assign(*dst, value);
        }
        Op::Unsupported { what } => return Err(host.unsupported(what.clone())),
    }
    Ok(Flow::Next)
}

fn note_uses<H: Processor>(host: &mut H, a: &Val<H>, b: &Val<H>, equality: bool) {
    host.note_use(a, equality);
    host.note_use(b, equality);
}

fn width_of<H: Processor>(host: &H, ty: Ty) -> u32 {
    ty.bits((host.pointer_bits() / 8) as u8)
}

fn as_integer<H: Processor>(host: &H, ty: Ty) -> Ty {
    match ty {
        Ty::Ptr => Ty::Int(host.pointer_bits() as u8),
        other => other,
    }
}

fn check_division<H: Processor>(
    host: &mut H,
    op: BinOp,
    width: u32,
    divisor: &Val<H>,
) -> Result<(), H::Stop> {
    if !matches!(op, BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem) {
        return Ok(());
    }
    let zero = host.domain().constant(0, width);
    let bad = host.domain().compare(Compare::Eq, width, divisor, &zero);
    host.check(&bad, ViolationKind::DivisionByZero, &|| "division by zero".to_string())
}

fn pointer_add<H: Processor>(host: &mut H, base: Operand, offset: i64, scales: &[Scale]) -> Val<H> {
    let width = host.pointer_bits();
    let mut sum = host.operand(base, width);
    host.note_use(&sum, false);
    if offset != 0 {
        let offset = host.domain().constant(offset as u64, width);
        sum = host.domain().binary(BinOp::Add, width, &sum, &offset);
    }
    for scale in scales {
        let index = host.operand(scale.index, u32::from(scale.width));
        host.note_use(&index, false);
        let (from, to) = (Ty::Int(scale.width), Ty::Int(width as u8));
        let cast = if u32::from(scale.width) > width { Cast::Trunc } else { Cast::SignExt };
        let index = host.domain().cast(cast, from, to, &index);
        let bytes = host.domain().constant(scale.bytes as u64, width);
        let product = host.domain().binary(BinOp::Mul, width, &index, &bytes);
        sum = host.domain().binary(BinOp::Add, width, &sum, &product);
    }
    sum
}
