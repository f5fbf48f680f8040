//! Bits that were never written and have a value all the same, because something depends on
//! it.
//!
//! Which value they have is asked for where they come to be, as for an input: at the
//! allocation of an object, at the birth of a variable. From then on they are contents like
//! any other, the same for all who look, whenever they do and under whatever memory model.
//! Bits that nothing depends on stay undefined: what nobody looks at is no input.

use std::collections::BTreeSet;

use heddle_ir::GlobalId;
use serde::{Deserialize, Serialize};

use crate::{InputKind, Partial, Site};

/// What holds such bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holder {
    /// The variable or the objects that an instruction makes.
    Made(Site),
    /// Global variables are written before the start, but undefined bits are stored there,
    /// too.
    Global(GlobalId),
}

/// Bits of a holder, from one of its bytes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Unwritten {
    pub holder: Holder,
    pub offset: u32,
    pub bits: u64,
}

impl Unwritten {
    /// From the first byte on that has any of the bits.
    pub fn new(holder: Holder, offset: u32, bits: u64) -> Unwritten {
        let skipped = if bits == 0 { 0 } else { bits.trailing_zeros() / 8 };
        Unwritten { holder, offset: offset + skipped, bits: bits >> (8 * skipped) }
    }

    /// The input that gives the bits their value.
    pub fn kind(self) -> InputKind {
        let width = (8 * self.bytes()).next_power_of_two();
        InputKind::undefined(width, Partial::new(0, self.bits))
    }

    /// How many bytes have any of them.
    pub fn bytes(self) -> u32 {
        (u64::BITS - self.bits.leading_zeros()).div_ceil(8)
    }

    /// These bits in a word that begins at the byte `offset`.
    fn seen_from(self, offset: u32) -> u64 {
        let bits = u128::from(self.bits);
        let seen = match self.offset.checked_sub(offset) {
            Some(behind) => bits.checked_shl(behind.saturating_mul(8)).unwrap_or(0),
            None => bits.checked_shr((offset - self.offset).saturating_mul(8)).unwrap_or(0),
        };
        seen as u64
    }
}

/// All of a holder that have a value.
pub fn all_of(
    valued: &BTreeSet<Unwritten>,
    holder: Holder,
) -> impl DoubleEndedIterator<Item = Unwritten> + '_ {
    let first = Unwritten { holder, offset: 0, bits: 0 };
    let last = Unwritten { holder, offset: u32::MAX, bits: u64::MAX };
    valued.range(first..=last).copied()
}

/// Which bits of a holder have a value, of the word that begins at the byte `offset`.
pub fn valued_bits(valued: &BTreeSet<Unwritten>, holder: Holder, offset: u32) -> u64 {
    all_of(valued, holder).fold(0, |bits, part| bits | part.seen_from(offset))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_found_from_any_byte() {
        let holder = Holder::Made(Site::default());
        let part = Unwritten::new(holder, 4, 0xff_0000);
        assert_eq!((part.offset, part.bits, part.bytes()), (6, 0xff, 1));
        let other = Unwritten::new(Holder::Global(GlobalId(0)), 0, u64::MAX);
        let wide = Unwritten::new(holder, 8, u64::MAX);
        let valued = BTreeSet::from([part, other, wide]);
        assert_eq!(valued_bits(&valued, holder, 6), 0xffff_ffff_ffff_00ff);
        assert_eq!(valued_bits(&valued, holder, 4), 0xffff_ffff_00ff_0000);
        assert_eq!(valued_bits(&valued, holder, 0), 0x00ff_0000_0000_0000);
        assert_eq!(valued_bits(&valued, holder, 15), 0xff);
        assert_eq!(valued_bits(&valued, holder, 40), 0);
    }
}
