//! Does what a program computes depend on which number an address is?
//!
//! Where an object lies is nobody's choice in C but the implementation's. Programs may
//! compare addresses for equality, subtract those of the same object, add to them, and
//! rely on alignment: to look at bits that are 0, or to put marks there and take them off
//! again. What else they compute from them (an order, a hash, a comparison with a number)
//! would be something else if objects lay elsewhere.

use heddle_ir::{BinOp, Compare};

/// No object lies in the first or the last page: such numbers are used as marks.
const PAGE: u64 = 4096;

/// A value, as far as it is an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    Plain(u64),
    /// In this object, which starts at a multiple of `align`.
    Address {
        object: u32,
        align: u64,
    },
}

use Number::{Address, Plain};

/// Does the result depend on where objects lie, other than by being an address itself?
pub fn computes_with(op: BinOp, width: u32, a: Number, b: Number) -> bool {
    let all = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
    match (a, b) {
        (Plain(_), Plain(_)) => false,
        (Address { object: a, .. }, Address { object: b, .. }) => match op {
            BinOp::Sub => a != b,
            // Two addresses in one word are taken apart again.
            BinOp::Xor => false,
            _ => true,
        },
        (Address { align, .. }, Plain(n)) => match op {
            BinOp::Add | BinOp::Sub => false,
            BinOp::And => n >= align && (!n & all) >= align,
            BinOp::Or | BinOp::Xor => n >= align,
            BinOp::URem => !n.is_power_of_two() || n > align,
            BinOp::Mul => n > 1,
            BinOp::Shl | BinOp::LShr | BinOp::AShr => n > 0,
            _ => true,
        },
        (Plain(n), Address { align, .. }) => match op {
            BinOp::Add => false,
            BinOp::And => n >= align && (!n & all) >= align,
            BinOp::Or | BinOp::Xor => n >= align,
            BinOp::Mul => n > 1,
            _ => true,
        },
    }
}

/// Does the answer depend on where objects lie?
pub fn compares(pred: Compare, width: u32, a: Number, b: Number) -> bool {
    let all = if width >= 64 { u64::MAX } else { (1 << width) - 1 };
    match (a, b) {
        (Plain(_), Plain(_)) => false,
        (Address { object: a, .. }, Address { object: b, .. }) => {
            a != b && !matches!(pred, Compare::Eq | Compare::Ne)
        }
        (Address { .. }, Plain(n)) | (Plain(n), Address { .. }) => (PAGE..=all - PAGE).contains(&n),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: Number = Address { object: 1, align: 16 };
    const OTHER: Number = Address { object: 2, align: 16 };

    #[test]
    fn what_alignment_promises_is_no_matter() {
        assert!(!computes_with(BinOp::And, 64, BLOCK, Plain(7)));
        assert!(!computes_with(BinOp::And, 64, BLOCK, Plain(!1)));
        assert!(!computes_with(BinOp::Or, 64, BLOCK, Plain(1)));
        assert!(!computes_with(BinOp::URem, 64, BLOCK, Plain(8)));
        assert!(computes_with(BinOp::And, 64, BLOCK, Plain(0xff)));
        assert!(computes_with(BinOp::URem, 64, BLOCK, Plain(7)));
        assert!(computes_with(BinOp::LShr, 64, BLOCK, Plain(4)));
    }

    #[test]
    fn order_and_distance_are_of_one_object() {
        assert!(!computes_with(BinOp::Sub, 64, BLOCK, BLOCK));
        assert!(computes_with(BinOp::Sub, 64, BLOCK, OTHER));
        assert!(compares(Compare::ULt, 64, BLOCK, OTHER));
        assert!(!compares(Compare::ULt, 64, BLOCK, BLOCK));
        assert!(!compares(Compare::Eq, 64, BLOCK, OTHER));
    }

    #[test]
    fn marks_are_no_addresses() {
        assert!(!compares(Compare::Eq, 64, BLOCK, Plain(0)));
        assert!(!compares(Compare::Eq, 64, BLOCK, Plain(1)));
        assert!(!compares(Compare::Eq, 64, BLOCK, Plain(u64::MAX)));
        assert!(compares(Compare::Eq, 64, BLOCK, Plain(0x7fff_0000)));
    }
}
