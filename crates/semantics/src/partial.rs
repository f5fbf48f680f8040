//! Values of which some bits are undefined, and what becomes of these in computations.
//!
//! Memory that was never written, and variables that were never initialised, are not
//! inputs when they are read: structures are copied with their padding, words with
//! bit-fields that nobody has set, results that nobody wants. So undefined bits are
//! carried along, as memory sanitizers do (Stepanov and Serebryany, "MemorySanitizer: fast
//! detector of uninitialized memory use in C++", CGO 2015), and only where something
//! observable depends on one (`heddle_machine`, `run/undefined.rs`), that matters.
//!
//! Which bits of a result are undefined is never too few, and exact for copies, masks and
//! shifts by known amounts. An undefined bit is 0 in the value beside it, so that equal
//! states look equal.

use heddle_ir::{BinOp, Cast, Compare, FloatBinOp, FloatCompare, FloatTy, OverflowOp, Ty, UnOp};
use serde::{Deserialize, Serialize};

use crate::unwritten::Unwritten;
use crate::{Concrete, Domain, ObjectId, mask};

/// An instruction.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct Site {
    pub function: u32,
    pub block: u32,
    pub pc: u32,
}

/// A word. Bits that are undefined are 0 in `bits`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Partial {
    pub bits: u64,
    pub undefined: u64,
}

impl From<u64> for Partial {
    #[inline]
    fn from(bits: u64) -> Partial {
        Partial { bits, undefined: 0 }
    }
}

impl Partial {
    pub fn new(bits: u64, undefined: u64) -> Partial {
        Partial { bits: bits & !undefined, undefined }
    }

    pub fn is_defined(self) -> bool {
        self.undefined == 0
    }

    /// Without so many low bits.
    pub fn shifted(self, by: u32) -> Partial {
        Partial { bits: self.bits >> by, undefined: self.undefined >> by }
    }

    /// With the low `width` bits only.
    pub fn low(self, width: u32) -> Partial {
        Partial { bits: mask(self.bits, width), undefined: mask(self.undefined, width) }
    }
}

/// Where an undefined value came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The bits that were read.
    pub unwritten: Unwritten,
    /// For messages: the instruction that read them, and the object they were in, if they
    /// were in memory.
    pub site: Site,
    pub object: Option<ObjectId>,
}

/// A word in a register. Of several sources one is kept: it is the first to be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tracked {
    pub word: Partial,
    /// There is one if anything is undefined.
    pub source: Option<Source>,
}

impl From<u64> for Tracked {
    fn from(bits: u64) -> Tracked {
        Tracked { word: bits.into(), source: None }
    }
}

impl Tracked {
    fn undefined(&self) -> u64 {
        self.word.undefined
    }

    fn with(self, bits: u64, undefined: u64) -> Tracked {
        Tracked { word: Partial::new(bits, undefined), ..self }
    }
}

/// The source of what is undefined in either.
fn either(a: &Tracked, b: &Tracked) -> Tracked {
    if a.word.is_defined() { *b } else { *a }
}

/// All bits from the lowest one that is set.
fn upwards(bits: u64) -> u64 {
    if bits == 0 { 0 } else { u64::MAX << bits.trailing_zeros() }
}

/// All bits, if any is set.
fn all_if_any(bits: u64) -> u64 {
    if bits == 0 { 0 } else { u64::MAX }
}

/// The instance of [`Domain`] over words with undefined bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct PartlyKnown;

impl PartlyKnown {
    fn shifted(op: BinOp, width: u32, bits: u64, by: u64) -> u64 {
        Concrete.binary(op, width, &bits, &by)
    }
}

impl Domain for PartlyKnown {
    type Value = Tracked;

    fn constant(&mut self, bits: u64, width: u32) -> Tracked {
        mask(bits, width).into()
    }

    fn binary(&mut self, op: BinOp, width: u32, a: &Tracked, b: &Tracked) -> Tracked {
        let bits = Concrete.binary(op, width, &a.word.bits, &b.word.bits);
        let both = a.undefined() | b.undefined();
        let undefined = match op {
            _ if both == 0 => 0,
            // A bit that is known to be 0 (or 1) decides whatever the other one is.
            BinOp::And => both & (a.word.bits | a.undefined()) & (b.word.bits | b.undefined()),
            BinOp::Or => both & !a.word.bits & !b.word.bits,
            BinOp::Xor => both,
            // Carries go upwards.
            BinOp::Add | BinOp::Sub | BinOp::Mul => upwards(both),
            BinOp::Shl | BinOp::LShr | BinOp::AShr if b.word.is_defined() => {
                PartlyKnown::shifted(op, width, a.undefined(), b.word.bits)
            }
            _ => u64::MAX,
        };
        either(a, b).with(bits, mask(undefined, width))
    }

    fn overflows(&mut self, op: OverflowOp, width: u32, a: &Tracked, b: &Tracked) -> Tracked {
        let bits = Concrete.overflows(op, width, &a.word.bits, &b.word.bits);
        either(a, b).with(bits, all_if_any(a.undefined() | b.undefined()) & 1)
    }

    fn unary(&mut self, op: UnOp, width: u32, a: &Tracked) -> Tracked {
        let bits = Concrete.unary(op, width, &a.word.bits);
        let undefined = match op {
            UnOp::SwapBytes | UnOp::ReverseBits => Concrete.unary(op, width, &a.undefined()),
            _ => all_if_any(a.undefined()),
        };
        a.with(bits, mask(undefined, width))
    }

    fn compare(&mut self, op: Compare, width: u32, a: &Tracked, b: &Tracked) -> Tracked {
        let bits = Concrete.compare(op, width, &a.word.bits, &b.word.bits);
        let both = a.undefined() | b.undefined();
        // Bits that are known and differ decide whether two words are equal.
        let differ = (a.word.bits ^ b.word.bits) & !both != 0;
        let decided = both == 0 || differ && matches!(op, Compare::Eq | Compare::Ne);
        either(a, b).with(bits, u64::from(!decided))
    }

    fn select(&mut self, cond: &Tracked, then: &Tracked, other: &Tracked) -> Tracked {
        if cond.word.is_defined() {
            return if cond.word.bits != 0 { *then } else { *other };
        }
        let differ = then.word.bits ^ other.word.bits | then.undefined() | other.undefined();
        cond.with(then.word.bits, differ)
    }

    fn cast(&mut self, op: Cast, from: Ty, to: Ty, a: &Tracked) -> Tracked {
        let bits = Concrete.cast(op, from, to, &a.word.bits);
        let undefined = match op {
            _ if a.word.is_defined() => 0,
            Cast::Trunc | Cast::ZeroExt | Cast::SignExt | Cast::Bits => {
                Concrete.cast(op, from, to, &a.undefined())
            }
            _ => mask(u64::MAX, to.bits(8)),
        };
        a.with(bits, undefined)
    }

    fn float_binary(&mut self, op: FloatBinOp, ty: FloatTy, a: &Tracked, b: &Tracked) -> Tracked {
        let bits = Concrete.float_binary(op, ty, &a.word.bits, &b.word.bits);
        let undefined = all_if_any(a.undefined() | b.undefined());
        either(a, b).with(bits, mask(undefined, Ty::Float(ty).bits(8)))
    }

    fn float_neg(&mut self, ty: FloatTy, a: &Tracked) -> Tracked {
        a.with(Concrete.float_neg(ty, &a.word.bits), a.undefined())
    }

    fn float_compare(
        &mut self,
        op: FloatCompare,
        ty: FloatTy,
        a: &Tracked,
        b: &Tracked,
    ) -> Tracked {
        let bits = Concrete.float_compare(op, ty, &a.word.bits, &b.word.bits);
        either(a, b).with(bits, all_if_any(a.undefined() | b.undefined()) & 1)
    }
}

#[cfg(test)]
mod tests;
