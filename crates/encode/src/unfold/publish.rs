//! What other threads can see.
//!
//! A loop that waits for a change of memory that nobody else can see is no wait, it
//! just never ends. The interpreter publishes an object when a pointer to it is
//! stored where others can see it, and then all that it leads to. Here it is known
//! which objects are published in some run, and which in all that come to a place;
//! a wait for what lies between is not decided.

use std::rc::Rc;

use heddle_sat::Term;

use crate::bounded::Goal;
use crate::unfold::Unfolder;
use crate::unfold::facts::Cell;
use crate::unfold::objects::Kind;
use crate::unfold::state::LoopMark;
use crate::unfold::targets::Target;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sight {
    Seen,
    Unseen,
    /// Seen in some runs that come here, maybe.
    Unsure,
}

impl Unfolder<'_> {
    /// Can other threads see the object here?
    fn sight(&self, object: u32) -> Sight {
        let known = &self.objects.all[object as usize];
        match known.kind {
            Kind::Global(_) | Kind::Function(_) | Kind::Internal => Sight::Seen,
            _ if self.kept.contains(&object) => Sight::Unseen,
            _ if self.everything || known.owner != self.current => Sight::Seen,
            _ if self.state.published.contains(&object) => Sight::Seen,
            _ if self.published.contains(&object) => Sight::Unsure,
            _ => Sight::Unseen,
        }
    }

    /// Do other threads see one of these, or may they?
    pub(crate) fn may_be_seen(&self, targets: &[Target]) -> bool {
        !self.state.alone && targets.iter().any(|target| self.sight(target.object) != Sight::Unseen)
    }

    /// The cell is looked at: an iteration that does nothing else waits for others,
    /// if they can see it.
    pub(crate) fn note_gaze(&mut self, cell: Cell) {
        let always = self.symbolic.terms.truth(true);
        let sight = match self.sight(cell.object) {
            Sight::Unseen if self.facts.is_shared(cell) => Sight::Unsure,
            sight => sight,
        };
        for mark in self.state.frames.iter_mut().flat_map(|frame| &mut frame.loops) {
            match sight {
                Sight::Seen => mark.gazed = always,
                Sight::Unsure => mark.unsure = always,
                Sight::Unseen => {}
            }
        }
    }

    /// Of the runs in `guard`, which wait at the end of a loop's iteration, those that
    /// wait for others. Runs of which that is not known end here.
    pub(crate) fn waits_for_others(&mut self, mark: LoopMark, guard: Term) -> Term {
        let terms = &mut self.symbolic.terms;
        let unseen = terms.not(mark.gazed);
        let unsure = terms.and(mark.unsure, unseen);
        let condition = terms.and(guard, unsure);
        let what = "a loop that waits for memory which others may not see".to_string();
        self.note_check(condition, Goal::Unsupported(what), self.span());
        mark.gazed
    }

    /// A value is stored; a pointer that is stored where others can see it shows what
    /// it points to. `sure`: it is stored in all runs that come here.
    pub(crate) fn publish_store(&mut self, targets: &[Target], value: Term, sure: bool) {
        if self.symbolic.terms.width(value) != self.program.pointer_bits() {
            return;
        }
        let sights: Vec<Sight> = targets.iter().map(|target| self.sight(target.object)).collect();
        if sights.iter().any(|&sight| sight != Sight::Unseen) {
            self.publish(value, sure && sights.iter().all(|&sight| sight == Sight::Seen));
        }
    }

    /// Shows what the value points to; `sure`: in all runs that come here.
    pub(crate) fn publish(&mut self, value: Term, sure: bool) {
        for object in self.bases(value).unwrap_or_default() {
            self.grown |= self.published.insert(object);
        }
        let constant = self.symbolic.terms.as_constant(value);
        if sure && let Some(object) = constant.and_then(|addr| self.objects.at(addr)) {
            self.publish_surely(object);
        }
    }

    /// The object and all it leads to in every run.
    fn publish_surely(&mut self, object: u32) {
        let mut todo = vec![object];
        while let Some(object) = todo.pop() {
            if !Rc::make_mut(&mut self.state.published).insert(object) {
                continue;
            }
            let cells = self.state.memory.iter().filter(|(cell, _)| cell.object == object);
            let values = cells.filter_map(|(_, &value)| self.symbolic.terms.as_constant(value));
            todo.extend(values.filter_map(|addr| self.objects.at(addr)));
        }
    }
}
