//! Which values of an input the explorer tries.

use std::sync::Arc;

use heddle_analysis::{InputClasses, input_classes};
use heddle_ir::Program;
use heddle_machine::{Machine, Pending};
use heddle_semantics::{InputKind, MemoryModel, ThreadId, mask};

/// What is known of the inputs of a program.
#[derive(Clone, Default)]
pub struct Inputs {
    /// One value of each class, by where the input is read.
    classes: Arc<InputClasses>,
}

impl Inputs {
    pub fn of(program: &Program) -> Inputs {
        Inputs { classes: Arc::new(input_classes(program)) }
    }

    /// The values to try for an input that a thread waits for, and whether they stand for
    /// all. Nothing if it waits for none.
    pub fn values<M: MemoryModel>(
        &self,
        machine: &Machine<'_, M>,
        thread: ThreadId,
    ) -> Option<(Vec<u64>, bool)> {
        let Some(&Pending::Input(kind)) = machine.pending(thread) else { return None };
        let proper = kind == InputKind::proper(kind.width, kind.signed);
        let place = machine.stands_at(thread).filter(|_| proper);
        let classes = place.and_then(|(f, block, pc)| self.classes.get(&(f.0, block, pc)));
        Some(match classes {
            Some(values) => (values.to_vec(), true),
            None => samples(kind),
        })
    }
}

/// A few telling values, and whether they are all there are.
fn samples(kind: InputKind) -> (Vec<u64>, bool) {
    let open = kind.open.count_ones();
    if open < kind.width {
        let (values, all) = samples(InputKind::proper(open, kind.signed));
        return (values.into_iter().map(|value| spread(value, kind.open)).collect(), all);
    }
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

/// The bits of a value, at the places of those that are set in `mask`.
fn spread(mut value: u64, mut mask: u64) -> u64 {
    let mut result = 0;
    while mask != 0 {
        let lowest = mask & mask.wrapping_neg();
        result |= if value & 1 != 0 { lowest } else { 0 };
        value >>= 1;
        mask &= !lowest;
    }
    result
}

#[cfg(test)]
mod tests {
    use heddle_semantics::{InputKind, Partial};

    use super::samples;

    #[test]
    fn only_undefined_bits_are_given() {
        let kind = InputKind::undefined(32, Partial::new(0x0000_0004, 0xff00_0100));
        let (values, all) = samples(kind);
        assert!(!all);
        assert!(values.contains(&0xff00_0100) && values.contains(&0x0000_0100));
        assert!(values.iter().all(|value| value & !0xff00_0100 == 0));
        let kind = InputKind::undefined(32, Partial::new(0, 0x8000_0001));
        assert_eq!(samples(kind), (vec![0, 1, 0x8000_0000, 0x8000_0001], true));
    }
}
