//! The processor's flags, computed where a condition asks for them.

use heddle_ir::{BinOp, Compare, Operand};

use crate::lower::function::FunctionLowering;

/// What set the flags last.
#[derive(Clone, Copy)]
pub(super) enum Flags {
    Unknown,
    /// `a op b`; `carry` if the instruction sets that flag too.
    Result {
        op: BinOp,
        width: u8,
        a: Operand,
        b: Operand,
        carry: bool,
    },
    /// A bit that was tested, nothing else.
    Carry(Operand),
}

impl Flags {
    /// A condition such as `z` or `ne`, as an i1. `None` if these flags do not tell.
    pub fn condition(self, lowering: &mut FunctionLowering<'_, '_>, code: &str) -> Option<Operand> {
        let pred = predicate(code)?;
        match self {
            Flags::Unknown => None,
            Flags::Carry(bit) => match pred {
                Compare::ULt => Some(bit),
                Compare::UGe => Some(lowering.emit_binary(BinOp::Xor, 1, bit, Operand::Const(1))),
                _ => None,
            },
            Flags::Result { op: BinOp::Sub, width, a, b, carry } => {
                let needs_carry =
                    matches!(pred, Compare::ULt | Compare::ULe | Compare::UGt | Compare::UGe);
                match is_sign(code) {
                    true => sign(lowering, BinOp::Sub, width, [a, b], code),
                    false if needs_carry && !carry => None,
                    false => Some(lowering.emit_compare(pred, width, a, b)),
                }
            }
            Flags::Result { op, width, a, b, carry } => match pred {
                _ if is_sign(code) => sign(lowering, op, width, [a, b], code),
                Compare::Eq | Compare::Ne => {
                    let result = lowering.emit_binary(op, width, a, b);
                    Some(lowering.emit_compare(pred, width, result, Operand::Const(0)))
                }
                // A sum below one of its parts went round.
                Compare::ULt | Compare::UGe if carry && op == BinOp::Add => {
                    let sum = lowering.emit_binary(op, width, a, b);
                    Some(lowering.emit_compare(pred, width, sum, a))
                }
                _ => None,
            },
        }
    }
}

fn is_sign(code: &str) -> bool {
    matches!(code, "s" | "ns")
}

fn sign(
    lowering: &mut FunctionLowering<'_, '_>,
    op: BinOp,
    width: u8,
    [a, b]: [Operand; 2],
    code: &str,
) -> Option<Operand> {
    let result = lowering.emit_binary(op, width, a, b);
    let pred = if code == "s" { Compare::SLt } else { Compare::SGe };
    Some(lowering.emit_compare(pred, width, result, Operand::Const(0)))
}

/// The comparison of a and b that a condition is after `a - b`; of the sign, any.
fn predicate(code: &str) -> Option<Compare> {
    Some(match code {
        "e" | "z" => Compare::Eq,
        "ne" | "nz" => Compare::Ne,
        "c" | "b" | "nae" => Compare::ULt,
        "nc" | "ae" | "nb" => Compare::UGe,
        "be" | "na" => Compare::ULe,
        "a" | "nbe" => Compare::UGt,
        "l" | "nge" | "s" => Compare::SLt,
        "ge" | "nl" | "ns" => Compare::SGe,
        "le" | "ng" => Compare::SLe,
        "g" | "nle" => Compare::SGt,
        _ => return None,
    })
}
