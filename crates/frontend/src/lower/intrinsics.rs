//! LLVM's intrinsic functions.

use heddle_ir::{
    BinOp, Cast, FloatTy, Inst, NondetReason, Op, Operand, Ordering, OverflowOp, Ty, UnOp,
};

use super::function::FunctionLowering;
use super::operands::Scalar;
use super::split::is_split;
use crate::llvm::{Type, TypeKind, Value, ValueKind};
use crate::needs::{CYCLES, FRACTION, FRACTION_SINGLE};

/// Intrinsics that say something to the optimiser only.
const IGNORED: &[&str] = &[
    "lifetime.start",
    "lifetime.end",
    "dbg.",
    "assume",
    "donothing",
    "prefetch",
    "experimental.noalias.scope.decl",
    "sideeffect",
    "var.annotation",
    "fake.use",
    "pseudoprobe",
    "x86.sse2.pause",
];

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn lower_intrinsic(&mut self, inst: Value<'m>, full_name: &str) {
        let name = full_name.strip_prefix("llvm.").unwrap_or(full_name);
        if IGNORED.iter().any(|ignored| name.starts_with(ignored)) {
            return;
        }
        // `ctpop.i32`, `va_start.p0`: what the name is without its types.
        let base = strip_types(name);
        if inst.ty().kind() == TypeKind::LLVMVectorTypeKind {
            return self.lower_vector_intrinsic(inst, base, full_name);
        }
        if let Some(op) = overflow(base) {
            return self.lower_overflow(inst, op);
        }
        if let Some(op) = unary(base) {
            return self.lower_unary(inst, op);
        }
        if let Some(op) = binary(base) {
            return self.lower_min_max(inst, op);
        }
        match base {
            "memcpy" | "memcpy.inline" => self.lower_copy(inst, "memcpy"),
            "memmove" => self.lower_copy(inst, "memmove"),
            "memset" | "memset.inline" => self.lower_fill(inst),
            "expect"
            | "expect.with.probability"
            | "ptr.annotation"
            | "annotation"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "ssa.copy" => {
                let scalars = self.scalars(inst.operand(0));
                self.alias(inst, scalars);
            }
            "stacksave" => self.call_same(inst, "__heddle_stack_save"),
            "stackrestore" => self.call_same(inst, "__heddle_stack_restore"),
            "invariant.start" => {
                self.alias(inst, [Scalar::Known(Operand::Const(0))].into());
            }
            "invariant.end" => {}
            "trap" | "debugtrap" | "ubsantrap" => {
                self.call_library("abort", Vec::new(), Vec::new(), Vec::new(), None);
            }
            "x86.sse2.mfence" => self.emit(Op::Fence { order: Ordering::SeqCst }),
            "x86.sse2.lfence" => self.emit(Op::Fence { order: Ordering::Acquire }),
            "x86.sse.sfence" => self.emit(Op::Fence { order: Ordering::Release }),
            "x86.rdtsc" | "readcyclecounter" => self.call_same(inst, CYCLES),
            "thread.pointer" => {
                let pointer = self.thread_pointer();
                self.alias(inst, [Scalar::Known(pointer)].into());
            }
            "threadlocal.address" => self.lower_thread_local(inst),
            "eh.typeid.for" => {
                let number = self.type_number(inst.operand(0));
                self.alias(inst, [Scalar::Known(Operand::Const(u64::from(number)))].into());
            }
            "is.constant" => self.alias(inst, [Scalar::Known(Operand::Const(0))].into()),
            "objectsize" => self.lower_object_size(inst),
            "va_start" => self.lower_va_start(inst),
            "va_copy" => self.lower_va_copy(inst),
            "va_end" => {}
            "ptrmask" => self.lower_pointer_mask(inst),
            "frameaddress" if is_zero(inst.operand(0)) => self.lower_frame_address(inst),
            "returnaddress" if is_zero(inst.operand(0)) => self.lower_return_address(inst),
            "modf" => self.lower_modf(inst),
            "fmuladd" | "fma" => self.lower_multiply_add(inst, base),
            _ => match (math_function(base, inst.ty()), reduction(base)) {
                (Some(function), _) => self.call_same(inst, &function),
                (_, Some(op)) => self.lower_reduce(inst, op),
                _ => self.unsupported(format!("intrinsic {full_name}")),
            },
        }
    }

    fn lower_vector_intrinsic(&mut self, inst: Value<'m>, base: &str, full_name: &str) {
        if let Some(op) = unary(base) {
            return self.vector_unary(inst, op);
        }
        if let Some(op) = binary(base) {
            return self.vector_min_max(inst, op);
        }
        if base == "fmuladd" {
            return self.vector_multiply_add(inst);
        }
        match math_function(base, inst.ty().element()) {
            Some(function) => self.vector_call(inst, &function),
            None => self.unsupported(format!("intrinsic {full_name}")),
        }
    }

    /// The fraction and the whole number.
    fn lower_modf(&mut self, inst: Value<'m>) {
        let Some(ty) = self.scalar_type(inst.operand(0).ty()) else { return };
        let functions = match ty {
            Ty::Float(FloatTy::F64) => [FRACTION, "trunc"],
            _ => [FRACTION_SINGLE, "truncf"],
        };
        let x = self.operand(inst.operand(0));
        let Some(regs) = self.assign(inst) else { return };
        for (function, &dst) in functions.into_iter().zip(&regs) {
            self.call_library(function, vec![x], vec![ty], vec![dst], None);
        }
    }

    /// Two words of the stack: where the caller's are, and where it goes on.
    fn lower_frame_address(&mut self, inst: Value<'m>) {
        let dst = match self.frame {
            Some(known) => known,
            None => {
                let dst = self.fresh(Ty::Ptr);
                let (bytes, count) =
                    (2 * u64::from(self.cx.program.pointer_bytes), Operand::Const(1));
                let name = Some("frame".to_owned());
                let op = Op::StackAlloc { dst, bytes, count, align: bytes, name, ty: None };
                self.entry.push(Inst { op, span: self.span, place: None, origin: 0 });
                dst
            }
        };
        self.frame = Some(dst);
        self.alias(inst, [Scalar::Known(Operand::Reg(dst))].into());
    }

    /// Where code lies is nobody's business: any value, which counts where it is used.
    fn lower_return_address(&mut self, inst: Value<'m>) {
        let Some(dst) = self.assign_scalar(inst) else { return };
        self.emit(Op::Nondet { dst, reason: NondetReason::Uninitialised });
    }

    fn lower_overflow(&mut self, inst: Value<'m>, op: OverflowOp) {
        if is_split(inst.operand(0).ty()) {
            return self.lower_wide_overflow(inst, op);
        }
        let Some(Ty::Int(width)) = self.scalar_type(inst.operand(0).ty()) else { return };
        let (a, b) = (self.operand(inst.operand(0)), self.operand(inst.operand(1)));
        let Some(regs) = self.assign(inst) else { return };
        if let [dst, flag] = regs[..] {
            self.emit(Op::Overflow { op, width, dst, flag, a, b });
        }
    }

    fn lower_wide_overflow(&mut self, inst: Value<'m>, op: OverflowOp) {
        let bits = inst.operand(0).ty().int_width();
        let (a, b) = (self.operands(inst.operand(0)), self.operands(inst.operand(1)));
        match self.overflow_wide(op, bits, &a, &b) {
            Ok((result, flag)) => {
                let parts = result.into_iter().chain([flag]).map(Scalar::Known);
                self.alias_parts(inst, parts.collect());
            }
            Err(what) => self.unsupported(what),
        }
    }

    fn lower_unary(&mut self, inst: Value<'m>, op: UnOp) {
        let Some(Ty::Int(width)) = self.scalar_type(inst.ty()) else { return };
        let a = self.operand(inst.operand(0));
        let Some(dst) = self.assign_scalar(inst) else { return };
        self.emit(Op::Unary { op, width, dst, a });
    }

    fn lower_min_max(&mut self, inst: Value<'m>, op: BinOp) {
        let Some(Ty::Int(width)) = self.scalar_type(inst.ty()) else { return };
        let (a, b) = (self.operand(inst.operand(0)), self.operand(inst.operand(1)));
        let Some(dst) = self.assign_scalar(inst) else { return };
        self.emit(Op::Binary { op, width, nsw: false, dst, a, b });
    }

    /// `(pointer, mask)`: clears bits of an address.
    fn lower_pointer_mask(&mut self, inst: Value<'m>) {
        let width = self.cx.program.pointer_bytes * 8;
        let (pointer, b) = (self.operand(inst.operand(0)), self.operand(inst.operand(1)));
        let integer = Ty::Int(width);
        let (a, masked) = (self.fresh(integer), self.fresh(integer));
        self.emit(Op::Cast { op: Cast::Trunc, from: Ty::Ptr, to: integer, dst: a, a: pointer });
        let a = Operand::Reg(a);
        self.emit(Op::Binary { op: BinOp::And, width, nsw: false, dst: masked, a, b });
        let Some(dst) = self.assign_scalar(inst) else { return };
        let a = Operand::Reg(masked);
        self.emit(Op::Cast { op: Cast::Trunc, from: integer, to: Ty::Ptr, dst, a });
    }

    /// `(to, from, length, volatile)`.
    fn lower_copy(&mut self, inst: Value<'m>, function: &str) {
        let (to, from) = (self.operand(inst.operand(0)), self.operand(inst.operand(1)));
        let length = self.length(inst.operand(2));
        let place = self.place_of_argument(inst.operand(0), "");
        let result = self.fresh(Ty::Ptr);
        let types = vec![Ty::Ptr, Ty::Ptr, self.size_type()];
        self.call_library(function, vec![to, from, length], types, vec![result], place);
    }

    /// `(to, byte, length, volatile)`; C's `memset` takes the byte as an `int`.
    fn lower_fill(&mut self, inst: Value<'m>) {
        let to = self.operand(inst.operand(0));
        let byte = match self.operand(inst.operand(1)) {
            Operand::Const(byte) => Operand::Const(byte),
            a => {
                let dst = self.fresh(Ty::Int(32));
                let (from, to) = (Ty::Int(8), Ty::Int(32));
                self.emit(Op::Cast { op: Cast::ZeroExt, from, to, dst, a });
                Operand::Reg(dst)
            }
        };
        let length = self.length(inst.operand(2));
        let place = self.place_of_argument(inst.operand(0), "");
        let result = self.fresh(Ty::Ptr);
        let types = vec![Ty::Ptr, Ty::Int(32), self.size_type()];
        self.call_library("memset", vec![to, byte, length], types, vec![result], place);
    }

    /// A length as `size_t`.
    fn length(&mut self, value: Value<'m>) -> Operand {
        let a = self.operand(value);
        let (from, to) = match (crate::leaves::scalar(value.ty()), self.size_type()) {
            (Ok(from), to) if from != to => (from, to),
            _ => return a,
        };
        if let Operand::Const(_) = a {
            return a;
        }
        let narrow = from.bits(8) < to.bits(8);
        let op = if narrow { Cast::ZeroExt } else { Cast::Trunc };
        let dst = self.fresh(to);
        self.emit(Op::Cast { op, from, to, dst, a });
        Operand::Reg(dst)
    }

    fn lower_thread_local(&mut self, inst: Value<'m>) {
        let global = inst.operand(0);
        let Some(&id) = self.cx.constants.globals.get(&global) else {
            let operand = self.operand(global);
            return self.alias(inst, [Scalar::Known(operand)].into());
        };
        let Some(dst) = self.assign_scalar(inst) else { return };
        self.emit(Op::ThreadLocal { dst, global: id });
    }

    /// The answer "unknown" is always allowed: all ones, or 0 when the smallest
    /// size is asked for.
    fn lower_object_size(&mut self, inst: Value<'m>) {
        let minimum = inst.operand(1);
        let zero = minimum.kind() == ValueKind::LLVMConstantIntValueKind && minimum.unsigned() != 0;
        let width = inst.ty().int_width();
        let unknown = if zero { 0 } else { crate::constants::mask(u64::MAX, width) };
        self.alias(inst, [Scalar::Known(Operand::Const(unknown))].into());
    }

    fn lower_multiply_add(&mut self, inst: Value<'m>, base: &str) {
        if base == "fma" {
            return match math_function(base, inst.ty()) {
                Some(function) => self.call_same(inst, &function),
                None => self.unsupported("fma on this type"),
            };
        }
        let Some(scalar) = self.scalar_type(inst.ty()) else { return };
        let Ty::Float(ty) = scalar else { return };
        let [a, b, c] = [0, 1, 2].map(|index| self.operand(inst.operand(index)));
        let product = self.fresh(scalar);
        let op = heddle_ir::FloatBinOp::Mul;
        self.emit(Op::FloatBinary { op, ty, dst: product, a, b });
        let Some(dst) = self.assign_scalar(inst) else { return };
        let op = heddle_ir::FloatBinOp::Add;
        self.emit(Op::FloatBinary { op, ty, dst, a: Operand::Reg(product), b: c });
    }

    /// A call with the same arguments to a declared function.
    fn call_same(&mut self, inst: Value<'m>, function: &str) {
        let mut args = Vec::new();
        let mut types = Vec::new();
        for index in 0..inst.argument_count() {
            let Some(ty) = self.scalar_type(inst.operand(index).ty()) else { return };
            args.push(self.operand(inst.operand(index)));
            types.push(ty);
        }
        let Some(dsts) = self.assign(inst) else { return };
        self.call_library(function, args, types, dsts.into_vec(), None);
    }
}

fn is_zero(value: Value<'_>) -> bool {
    value.kind() == ValueKind::LLVMConstantIntValueKind && value.unsigned() == 0
}

/// Cuts type suffixes: `.i32`, `.p0`, `.f64`, `.v4i32`.
fn strip_types(name: &str) -> &str {
    let mut base = name;
    while let Some((head, last)) = base.rsplit_once('.') {
        let is_type = last.len() > 1
            && last.starts_with(['i', 'p', 'f', 'v', 'b'])
            && last[1..].starts_with(|c: char| c.is_ascii_digit());
        if !is_type {
            break;
        }
        base = head;
    }
    base
}

fn overflow(base: &str) -> Option<OverflowOp> {
    Some(match base {
        "uadd.with.overflow" => OverflowOp::UAdd,
        "sadd.with.overflow" => OverflowOp::SAdd,
        "usub.with.overflow" => OverflowOp::USub,
        "ssub.with.overflow" => OverflowOp::SSub,
        "umul.with.overflow" => OverflowOp::UMul,
        "smul.with.overflow" => OverflowOp::SMul,
        _ => return None,
    })
}

fn unary(base: &str) -> Option<UnOp> {
    Some(match base {
        "abs" => UnOp::Abs,
        "ctpop" => UnOp::CountOnes,
        "ctlz" => UnOp::LeadingZeros,
        "cttz" => UnOp::TrailingZeros,
        "bswap" => UnOp::SwapBytes,
        "bitreverse" => UnOp::ReverseBits,
        _ => return None,
    })
}

fn binary(base: &str) -> Option<BinOp> {
    Some(match base {
        "umin" => BinOp::UMin,
        "umax" => BinOp::UMax,
        "smin" => BinOp::SMin,
        "smax" => BinOp::SMax,
        _ => return None,
    })
}

/// What combines all elements of a vector.
fn reduction(base: &str) -> Option<BinOp> {
    Some(match base.strip_prefix("vector.reduce.")? {
        "add" => BinOp::Add,
        "mul" => BinOp::Mul,
        "and" => BinOp::And,
        "or" => BinOp::Or,
        "xor" => BinOp::Xor,
        other => return binary(other),
    })
}

/// The C function behind a floating-point intrinsic, with `f` for `float`.
fn math_function(base: &str, ty: Type<'_>) -> Option<String> {
    const SAME_NAME: &[&str] = &[
        "fabs",
        "sqrt",
        "floor",
        "ceil",
        "trunc",
        "rint",
        "nearbyint",
        "round",
        "roundeven",
        "sin",
        "cos",
        "tan",
        "exp",
        "exp2",
        "log",
        "log2",
        "log10",
        "pow",
        "copysign",
        "fma",
    ];
    let name = match base {
        "minnum" => "fmin",
        "maxnum" => "fmax",
        _ => *SAME_NAME.iter().find(|name| **name == base)?,
    };
    match crate::leaves::scalar(ty).ok()? {
        Ty::Float(heddle_ir::FloatTy::F32) => Some(format!("{name}f")),
        Ty::Float(heddle_ir::FloatTy::F64) => Some(name.to_owned()),
        _ => None,
    }
}
