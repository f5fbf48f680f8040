//! Which values of an input the explorer tries.

use heddle_semantics::{InputKind, mask};

/// A few telling values, and whether they are all there are.
pub fn samples(kind: InputKind) -> (Vec<u64>, bool) {
    if kind.width <= 2 {
        return ((0..1 << kind.width).collect(), true);
    }
    let sign = 1u64 << (kind.width - 1);
    let mut values = vec![0, 1, 2];
    if kind.signed {
        values.extend([mask(u64::MAX, kind.width), sign, sign - 1]);
    } else {
        values.extend([mask(u64::MAX, kind.width), sign]);
    }
    (values, false)
}
