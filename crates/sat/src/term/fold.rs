//! What the operations mean, on numbers. Everything else is tested against this.

use super::{Binary, Node, Relation, mask};

/// The number that the bits mean as two's complement.
pub(crate) fn signed(bits: u64, width: u32) -> i64 {
    let shift = 64 - width;
    ((bits << shift) as i64) >> shift
}

pub(crate) fn binary(op: Binary, a: u64, b: u64, width: u32) -> u64 {
    let (sa, sb) = (signed(a, width), signed(b, width));
    let shift_out = b >= u64::from(width);
    let result = match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::UDiv => a.checked_div(b).unwrap_or(u64::MAX),
        Binary::URem => a.checked_rem(b).unwrap_or(a),
        Binary::SDiv if b == 0 => (if sa < 0 { 1_i64 } else { -1 }) as u64,
        Binary::SDiv => sa.wrapping_div(sb) as u64,
        Binary::SRem if b == 0 => a,
        Binary::SRem => sa.wrapping_rem(sb) as u64,
        Binary::Shl if shift_out => 0,
        Binary::Shl => a << b,
        Binary::LShr if shift_out => 0,
        Binary::LShr => a >> b,
        Binary::AShr => (sa >> b.min(u64::from(width) - 1)) as u64,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
    };
    result & mask(width)
}

pub(crate) fn relate(op: Relation, a: u64, b: u64, width: u32) -> bool {
    let (sa, sb) = (signed(a, width), signed(b, width));
    match op {
        Relation::Eq => a == b,
        Relation::ULt => a < b,
        Relation::ULe => a <= b,
        Relation::SLt => sa < sb,
        Relation::SLe => sa <= sb,
    }
}

pub(crate) fn extract(bits: u64, low: u32, width: u32) -> u64 {
    (bits >> low) & mask(width)
}

/// `low` has `width` bits, and `high` at most `64 - width`.
pub(crate) fn concat(high: u64, low: u64, width: u32) -> u64 {
    if width == 64 { low } else { high << width | low }
}

/// The value of an operator node, from the values and widths of its operands.
pub(crate) fn node(node: Node, width: u32, operands: &[(u64, u32)]) -> u64 {
    match (node, operands) {
        (Node::Not(_), &[(a, _)]) => !a & mask(width),
        (Node::Binary(op, ..), &[(a, _), (b, _)]) => binary(op, a, b, width),
        (Node::Relate(op, ..), &[(a, from), (b, _)]) => u64::from(relate(op, a, b, from)),
        (Node::Select(..), &[(c, _), (a, _), (b, _)]) => [b, a][c as usize],
        (Node::Extract { low, .. }, &[(a, _)]) => extract(a, u32::from(low), width),
        (Node::Concat(..), &[(high, _), (low, from)]) => concat(high, low, from),
        (Node::ZeroExtend(..), &[(a, _)]) => a,
        (Node::SignExtend(..), &[(a, from)]) => signed(a, from) as u64 & mask(width),
        _ => unreachable!("{node:?} of {operands:?}"),
    }
}
