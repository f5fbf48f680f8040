//! Pairs of accesses that may be a data race: by threads that may run at the same time, one of
//! them a write, not both atomic, and no lock that both hold.
//!
//! Savage and others, "Eraser: a dynamic data race detector" (TOCS 1997): locksets; but of all
//! runs, by invariants, and with create and join.

use std::collections::BTreeSet;

use heddle_ir::{Program, Span, Whose};

use super::state::Lock;
use super::{Access, Analysis, Invariants, Side, Warning};

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

/// What invariants say of pairs of places: all others can't race.
#[derive(Clone, Debug, Default)]
pub struct Apart {
    open: BTreeSet<(Span, Span)>,
    /// Sides whose other side is not known by its line.
    any: BTreeSet<Span>,
    /// Something may race where no line is known.
    everything: bool,
}

fn is_users(program: &Program, span: Span) -> bool {
    span.is_known() && program.whose(span) == Whose::User
}

impl Apart {
    pub fn of(program: &Program, found: &Invariants) -> Apart {
        let mut all = Apart::default();
        for Warning { sides: [a, b], .. } in &found.warnings {
            let (a, b) = (a.span, b.span);
            match (is_users(program, a), is_users(program, b)) {
                (true, true) => {
                    all.open.insert((a.min(b), a.max(b)));
                }
                (true, false) => {
                    all.any.insert(a);
                }
                (false, true) => {
                    all.any.insert(b);
                }
                (false, false) => all.everything = true,
            }
        }
        all
    }

    /// Nothing can race.
    pub fn all(&self) -> bool {
        self.open.is_empty() && self.any.is_empty() && !self.everything
    }

    /// A pair can't race, the smaller place first. Of what stands in no line of the user's
    /// nothing is said, since callers may be called in other ways elsewhere.
    pub fn excludes(&self, program: &Program, (a, b): (Span, Span)) -> bool {
        let known = |span: Span| is_users(program, span) && !self.any.contains(&span);
        known(a) && known(b) && !self.everything && !self.open.contains(&(a, b))
    }
}
