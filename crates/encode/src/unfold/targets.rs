//! Where an access can go: from an address to objects, offsets and cells.

use heddle_sat::{Binary, Relation, Term};
use heddle_semantics::ViolationKind;
use rustc_hash::FxHashSet;

use crate::bounded::{Cells, Goal};
use crate::unfold::facts::Cell;
use crate::unfold::objects::Kind;
use crate::unfold::{Dead, Unfolder};

/// Addresses below this are null dereferences.
pub(crate) const NULL_PAGE: u64 = 4096;
/// Places that one access may go to.
const MOST_TARGETS: usize = 4096;
/// A range of bytes of an object that an access goes to if `when` holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub object: u32,
    pub offset: u32,
    pub when: Term,
}

impl Unfolder<'_> {
    /// Where an access of `len` bytes at `addr` can go. Runs in which it goes wrong
    /// are noted as violations.
    pub(crate) fn targets(&mut self, addr: Term, len: u32) -> Result<Vec<Target>, Dead> {
        let mut targets = Vec::new();
        match self.symbolic.terms.values(addr).map(<[u64]>::to_vec) {
            Some(values) => {
                let single = values.len() == 1;
                for value in values {
                    let when = match single {
                        true => self.symbolic.terms.truth(true),
                        false => self.symbolic.equals(addr, value),
                    };
                    self.add_target(value, len, when, &mut targets)?;
                }
            }
            None => self.add_ranges(addr, len, &mut targets)?,
        }
        if targets.is_empty() {
            // It fails, which is a step of the interpreter's all the same.
            self.note_operation(None);
            return Err(Dead);
        }
        Ok(targets)
    }

    fn add_target(
        &mut self,
        addr: u64,
        len: u32,
        when: Term,
        targets: &mut Vec<Target>,
    ) -> Result<(), Dead> {
        let guarded = self.symbolic.terms.and(self.state.guard, when);
        if self.symbolic.terms.as_constant(guarded) == Some(0) {
            return Ok(());
        }
        let Some(object) = self.objects.at(addr) else {
            let kind = match addr < NULL_PAGE {
                true => ViolationKind::NullDereference,
                false => ViolationKind::OutOfBounds,
            };
            self.note_violation(when, kind);
            return Ok(());
        };
        let offset = self.objects.offset(object, addr);
        let known = &self.objects.all[object as usize];
        if known.undefined && !matches!(known.kind, Kind::Function(_)) {
            let what = format!("access of '{}', which is declared but defined nowhere", known.name);
            self.note_check(guarded, Goal::Unsupported(what), self.span());
            return Ok(());
        }
        let end = offset.checked_add(u64::from(len));
        if matches!(known.kind, Kind::Function(_)) || end.is_none_or(|end| end > known.bytes) {
            self.note_violation(when, ViolationKind::OutOfBounds);
            return Ok(());
        }
        let inside = self.is_inside(object, offset + u64::from(len));
        let beyond = self.symbolic.terms.not(inside);
        let bad = self.symbolic.terms.and(when, beyond);
        self.note_violation(bad, ViolationKind::OutOfBounds);
        targets.push(Target { object, offset: offset as u32, when });
        Ok(())
    }

    /// For an address with too many values to list: the objects that it may be
    /// made from, each at every offset that the access may have.
    fn add_ranges(&mut self, addr: Term, len: u32, targets: &mut Vec<Target>) -> Result<(), Dead> {
        let Some(objects) = self.bases(addr) else {
            self.note_unsupported("a pointer that may lead anywhere".to_string());
            return Err(Dead);
        };
        let width = self.program.pointer_bits();
        let mut inside = self.symbolic.terms.truth(false);
        for object in objects {
            let bytes = self.objects.all[object as usize].bytes;
            if bytes < u64::from(len) {
                continue;
            }
            let base = self.symbolic.terms.constant(self.objects.base(object), width);
            let offset = self.symbolic.terms.binary(Binary::Sub, addr, base);
            let last = self.symbolic.terms.constant(bytes - u64::from(len), width);
            let fits = self.symbolic.terms.relate(Relation::ULe, offset, last);
            inside = self.symbolic.terms.or(inside, fits);
            let (zeros, ones) = self.symbolic.terms.known_bits(addr);
            let low = (zeros | ones).trailing_ones().min(3);
            let step = 1u64 << low;
            let first = ones & (step - 1);
            let count = (bytes - u64::from(len)) / step + 1;
            if count as usize > MOST_TARGETS {
                self.note_unsupported("an access that may go to too many places".to_string());
                return Err(Dead);
            }
            let mut at = first;
            while at + u64::from(len) <= bytes {
                let value = self.objects.base(object) + at;
                let when = self.symbolic.equals(addr, value);
                self.add_target(value, len, when, targets)?;
                at += step;
            }
        }
        let outside = self.symbolic.terms.not(inside);
        self.note_violation(outside, ViolationKind::OutOfBounds);
        Ok(())
    }

    /// The objects whose addresses a term is made from.
    pub(crate) fn bases(&self, addr: Term) -> Option<Vec<u32>> {
        let mut found = FxHashSet::default();
        let mut seen = FxHashSet::default();
        let mut stack = vec![addr];
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            if let Some(values) = self.symbolic.terms.values(term) {
                let objects = values.iter().filter_map(|&value| self.objects.at(value));
                found.extend(objects);
                continue;
            }
            stack.extend(self.symbolic.terms.address_parts(term));
        }
        let mut all: Vec<u32> = found.into_iter().collect();
        all.sort_unstable();
        (!all.is_empty()).then_some(all)
    }

    /// The cells of a target.
    pub(crate) fn cells(&mut self, target: Target, len: u32) -> Cells {
        let Target { object, offset, .. } = target;
        let cells = self.facts.access(object, offset, offset + len);
        let cells: Cells =
            cells.into_iter().map(|(offset, len)| (Cell { object, offset }, len)).collect();
        // Stores that wait are told apart by all of their bytes.
        if self.weak && cells.len() > 1 && !self.state.alone {
            self.facts.join(cells.iter().map(|part| part.0));
        }
        cells
    }
}
