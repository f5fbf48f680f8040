//! Pairs of accesses that may be a data race: by threads that may run at the same time, one of
//! them a write, not both atomic, and no lock that both hold.
//!
//! Savage and others, "Eraser: a dynamic data race detector" (TOCS 1997): locksets; but of all
//! runs, by invariants, and with create and join.

use std::collections::BTreeSet;

use super::state::Lock;
use super::{Access, Analysis, Side, Warning};

impl Analysis<'_> {
    /// Pairs that nothing keeps apart, and how many others there are.
    pub(super) fn races(&self) -> (Vec<Warning>, usize) {
        let mut warnings = BTreeSet::new();
        let mut ordered = BTreeSet::new();
        let all: Vec<&Access> = self.accesses.iter().collect();
        for (at, a) in all.iter().enumerate() {
            let same = all[at..].iter().take_while(|b| b.cell == a.cell);
            for b in same.filter(|b| (a.write || b.write) && !(a.atomic && b.atomic)) {
                let mut sides = [self.side(a), self.side(b)];
                sides.sort();
                let warning = Warning { place: self.place(a.cell), sides };
                let apart = !a.others.contains(&b.class)
                    || !b.others.contains(&a.class)
                    || !a.locks.is_disjoint(&b.locks);
                match apart {
                    true if a.class != b.class || a.others.contains(&a.class) => {
                        ordered.insert(warning);
                    }
                    true => {}
                    false => {
                        warnings.insert(warning);
                    }
                }
            }
        }
        let ordered = ordered.difference(&warnings).count();
        (warnings.into_iter().collect(), ordered)
    }

    fn side(&self, access: &Access) -> Side {
        let lock = |lock: &Lock| match lock {
            Lock::Atomic => "atomic".to_string(),
            Lock::At(cell) => self.place(*cell),
        };
        let locks = access.locks.iter().map(lock).collect();
        Side { span: access.span, write: access.write, locks }
    }
}
