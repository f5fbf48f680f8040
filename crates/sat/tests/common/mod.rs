//! What the operations mean, told a second time, in integers wide enough.
#![allow(dead_code)]

pub mod brute;
pub mod dag;
pub mod orders;

use heddle_sat::{Binary, Relation};

pub fn mask(width: u32) -> u64 {
    if width == 64 { u64::MAX } else { (1 << width) - 1 }
}

pub fn signed(a: u64, width: u32) -> i128 {
    if a >> (width - 1) & 1 == 1 { i128::from(a) - (1 << width) } else { i128::from(a) }
}

pub fn binary(op: Binary, a: u64, b: u64, width: u32) -> u64 {
    let (ua, ub) = (i128::from(a), i128::from(b));
    let (sa, sb) = (signed(a, width), signed(b, width));
    let far = b >= u64::from(width);
    let result = match op {
        Binary::Add => ua + ub,
        Binary::Sub => ua - ub,
        Binary::Mul => (a as u128).wrapping_mul(b as u128) as i128,
        Binary::UDiv => {
            if b == 0 {
                -1
            } else {
                ua / ub
            }
        }
        Binary::URem => {
            if b == 0 {
                ua
            } else {
                ua % ub
            }
        }
        Binary::SDiv => match b {
            0 if sa < 0 => 1,
            0 => -1,
            _ => sa / sb,
        },
        Binary::SRem => {
            if b == 0 {
                sa
            } else {
                sa % sb
            }
        }
        Binary::Shl => {
            if far {
                0
            } else {
                ua << b
            }
        }
        Binary::LShr => {
            if far {
                0
            } else {
                ua >> b
            }
        }
        Binary::AShr => {
            if far {
                if sa < 0 { -1 } else { 0 }
            } else {
                sa >> b
            }
        }
        Binary::And => ua & ub,
        Binary::Or => ua | ub,
        Binary::Xor => ua ^ ub,
    };
    result as u64 & mask(width)
}

pub fn relate(op: Relation, a: u64, b: u64, width: u32) -> bool {
    let (sa, sb) = (signed(a, width), signed(b, width));
    match op {
        Relation::Eq => a == b,
        Relation::ULt => a < b,
        Relation::ULe => a <= b,
        Relation::SLt => sa < sb,
        Relation::SLe => sa <= sb,
    }
}
