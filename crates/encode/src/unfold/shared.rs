//! Points and events: what a thread does that others can notice.

use heddle_sat::{Relation, Term};
use smallvec::SmallVec;

use crate::bounded::{Action, Event, Goal, Require, Targets};
use crate::unfold::Unfolder;
use crate::unfold::contents::mark_of;
use crate::unfold::facts::{Cell, Values, WRITTEN};
use crate::unfold::memory::Manner;

impl Unfolder<'_> {
    /// The point of a shared operation.
    pub(crate) fn point(&mut self) -> u32 {
        if let Some(section) = self.state.section {
            return section;
        }
        let thread = &mut self.threads[self.current as usize];
        thread.points += 1;
        thread.points - 1
    }

    fn push_event(&mut self, point: u32, action: Action, targets: Targets, when: Term) {
        let guard = self.symbolic.terms.and(self.state.guard, when);
        let site = self.site();
        let lives = Targets::new();
        let event = Event { point, guard, action, targets, lives, site };
        self.threads[self.current as usize].events.push(event);
    }

    pub(crate) fn push_plain(&mut self, point: u32, action: Action) {
        let always = self.symbolic.terms.truth(true);
        self.push_event(point, action, Targets::new(), always);
    }

    /// A load of several cells waits for stores of its own thread to some of them.
    pub(crate) fn clear(&mut self, cells: &[(Cell, u32)], point: Option<u32>, here: Term) {
        let Some(point) = point else { return };
        let waits = self.weak && self.state.section.is_none() && cells.len() > 1;
        if waits && cells.iter().any(|part| self.facts.is_shared(part.0)) {
            let targets: Targets = cells.iter().map(|part| (part.0, here)).collect();
            self.push_event(point, Action::Clear, targets, here);
        }
    }

    /// A variable for what a read of one of these cells gives.
    fn read_variable(&mut self, targets: &Targets) -> Term {
        let mut all: Vec<u64> = Vec::new();
        let mut any = false;
        let mut width = 8;
        for &(cell, _) in targets {
            width = self.facts.length(cell) * 8;
            let initial = self.initial_shared(cell);
            match self.symbolic.terms.values(initial) {
                Some(values) => all.extend(values),
                None => any = true,
            }
            match self.facts.values(cell) {
                Values::None => {}
                Values::Few(few) => all.extend(few),
                Values::Any => any = true,
            }
        }
        all.sort_unstable();
        all.dedup();
        let value = match any {
            true => self.unknown(width),
            false => self.symbolic.terms.choice(&all, width),
        };
        if !any && self.symbolic.terms.as_constant(value).is_none() {
            self.read_from.insert(value, targets.iter().map(|target| target.0).collect());
        }
        value
    }

    /// Reads shared cells of one width, one of which it is.
    pub(crate) fn read_shared(&mut self, point: u32, targets: Targets, when: Term) -> Term {
        let value = self.read_variable(&targets);
        let mut unwritten = self.symbolic.terms.truth(false);
        let mut blank: SmallVec<[(Cell, Term); 2]> = SmallVec::new();
        for &(cell, is_it) in &targets {
            if !self.marks_unwritten(cell) {
                continue;
            }
            let never = match self.facts.values(cell) {
                Values::Any => {
                    let mark = Cell { offset: cell.offset | WRITTEN, ..cell };
                    self.is_shared(mark, false);
                    let targets = smallvec::smallvec![(mark, is_it)];
                    let written = self.read_variable(&targets);
                    self.push_event(point, Action::Read { value: written }, targets, when);
                    self.symbolic.equals(written, 0)
                }
                _ => {
                    let width = self.symbolic.terms.width(value);
                    let never = self.symbolic.terms.constant(mark_of(width), width);
                    self.symbolic.terms.relate(Relation::Eq, value, never)
                }
            };
            let here = self.symbolic.terms.and(never, is_it);
            unwritten = self.symbolic.terms.or(unwritten, here);
            blank.push((cell, here));
        }
        self.push_event(point, Action::Read { value }, targets, when);
        if self.symbolic.terms.as_constant(unwritten) != Some(0) {
            let width = self.symbolic.terms.width(value);
            let few = self.symbolic.terms.values(value).is_some();
            if width < self.program.pointer_bits() || !few {
                return blank.into_iter().fold(value, |value, (cell, here)| {
                    let open = self.unwritten_value(cell);
                    self.symbolic.terms.select(here, open, value)
                });
            }
            // A pointer that might lead anywhere would be no use.
            let guarded = self.symbolic.terms.and(self.state.guard, when);
            let condition = self.symbolic.terms.and(guarded, unwritten);
            let what = "a read of shared memory that was never written".to_string();
            self.note_check(condition, Goal::Unsupported(what), self.span());
            let written = self.symbolic.terms.not(condition);
            self.state.guard = self.symbolic.terms.and(self.state.guard, written);
            return self.without_mark(point, value);
        }
        value
    }

    /// A value that was read and is not the mark for "never written", so that the
    /// mark does not spread to where the value is stored.
    fn without_mark(&mut self, point: u32, value: Term) -> Term {
        let width = self.symbolic.terms.width(value);
        let mark = mark_of(width);
        let Some(values) = self.symbolic.terms.values(value) else { return value };
        let others: Vec<u64> = values.iter().copied().filter(|&value| value != mark).collect();
        if others.len() == values.len() {
            return value;
        }
        if others.is_empty() {
            // Nobody has written it so far; these runs have ended.
            return self.symbolic.terms.constant(0, width);
        }
        let clean = self.symbolic.terms.choice(&others, width);
        if let Some(cells) = self.read_from.get(&value).cloned() {
            self.read_from.insert(clean, cells);
        }
        let same = self.symbolic.terms.equals(clean, value);
        let condition = self.symbolic.terms.implies(self.state.guard, same);
        self.threads[self.current as usize].requires.push(Require { point, condition });
        clean
    }

    pub(crate) fn write_shared(
        &mut self,
        point: u32,
        targets: Targets,
        value: Term,
        when: Term,
        manner: Manner,
    ) {
        let values = self.symbolic.terms.values(value).map(<[u64]>::to_vec);
        for &(cell, is_it) in &targets {
            // A value that looks like the mark for "never" is told apart by a cell.
            let mark = mark_of(self.symbolic.terms.width(value));
            let confusing =
                self.marks_unwritten(cell) && values.as_ref().is_some_and(|v| v.contains(&mark));
            match values.as_deref() {
                Some(_) if confusing => self.facts.add_values(cell, None),
                Some(values) if values.len() > 1 => {}
                values => self.facts.add_values(cell, values),
            }
            if self.marks_unwritten(cell) && *self.facts.values(cell) == Values::Any {
                let mark = Cell { offset: cell.offset | WRITTEN, ..cell };
                self.is_shared(mark, true);
                let one = self.symbolic.terms.constant(1, 8);
                self.facts.add_values(mark, Some(&[1]));
                let targets = smallvec::smallvec![(mark, is_it)];
                let action =
                    Action::Write { value: one, order: manner.order, direct: manner.direct };
                self.push_event(point, action, targets, when);
            }
        }
        for &(cell, is_it) in &targets {
            if self.facts.is_sole_writer(cell, self.current) {
                let here = self.symbolic.terms.and(when, is_it);
                self.write_private(cell, value, here);
            }
        }
        let action = Action::Write { value, order: manner.order, direct: manner.direct };
        self.push_event(point, action, targets, when);
    }
}
