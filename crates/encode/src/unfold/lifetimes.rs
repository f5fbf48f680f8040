//! Objects that come to their end: accesses to what is gone.

use heddle_ir::Ordering;
use heddle_sat::Term;
use heddle_semantics::ViolationKind;

use crate::bounded::{Action, Targets};
use crate::unfold::facts::{Cell, LIFE};
use crate::unfold::memory::Manner;
use crate::unfold::objects::Kind;
use crate::unfold::targets::Target;
use crate::unfold::{Dead, Unfolder};

impl Unfolder<'_> {
    pub(crate) fn has_life(&self, object: u32) -> bool {
        matches!(
            self.objects.all[object as usize].kind,
            Kind::Heap | Kind::Stack | Kind::ThreadLocal
        )
    }

    /// Notes accesses to objects that are gone.
    pub(crate) fn check_life(&mut self, targets: &[Target], point: Option<u32>, when: Term) {
        for &target in targets {
            if !self.has_life(target.object) {
                continue;
            }
            let life = Cell { object: target.object, offset: LIFE };
            let here = self.symbolic.terms.and(when, target.when);
            let gone = self.read_cell(life, point, here);
            let bad = self.symbolic.equals(gone, 1);
            let bad = self.symbolic.terms.and(bad, here);
            self.note_violation(bad, ViolationKind::UseAfterFree);
        }
    }

    /// The same for a store that may wait: whether the object is still there matters
    /// when the store gets there. To be called after the store.
    pub(crate) fn check_life_on_arrival(&mut self, targets: &[Target], point: u32, manner: Manner) {
        let mut lives = Targets::new();
        for &target in targets {
            let life = Cell { object: target.object, offset: LIFE };
            if self.has_life(target.object) && self.is_shared(life, false) {
                lives.push((life, target.when));
            }
        }
        if lives.is_empty() {
            return;
        }
        // Of its own, since others may speak of some of the targets only.
        let value = self.symbolic.terms.truth(false);
        let action = Action::Write { value, order: manner.order, direct: manner.direct };
        self.push_plain(point, action);
        if let Some(event) = self.threads[self.current as usize].events.last_mut() {
            event.lives = lives;
        }
    }

    /// Objects of frames from `first` on end; with the thread, its own ones too.
    pub(crate) fn end_scope(&mut self, first: usize, ends: bool) -> Result<(), Dead> {
        self.begin_return(ends)?;
        let mut doomed: Vec<u32> =
            self.state.frames[first..].iter().flat_map(|frame| frame.objects.clone()).collect();
        if ends {
            doomed.extend(self.thread_locals());
        }
        if doomed.is_empty() {
            self.end_event();
            return Ok(());
        }
        let lives: Vec<Cell> =
            doomed.into_iter().map(|object| Cell { object, offset: LIFE }).collect();
        match self.weak && !ends {
            true => lives.into_iter().for_each(|life| self.end_later(life)),
            false => self.end_at_once(&lives),
        }
        self.end_event();
        Ok(())
    }

    /// Stack objects of the running function beyond the first `depth` end, if no other thread
    /// uses them.
    pub(crate) fn end_private_objects(&mut self, depth: usize) {
        let objects = &mut self.state.top().objects;
        let ending = objects.split_off(depth.min(objects.len()));
        let (one, always) = (self.symbolic.terms.constant(1, 8), self.symbolic.terms.truth(true));
        for object in ending {
            let life = Cell { object, offset: LIFE };
            match self.is_shared(life, true) {
                true => self.state.top().objects.push(object),
                false => self.write_private(life, one, always),
            }
        }
    }

    fn end_at_once(&mut self, lives: &[Cell]) {
        let shared = lives.iter().any(|&cell| self.is_shared(cell, true));
        self.begin_operation();
        let point = shared.then(|| self.point());
        if let Some(point) = point {
            self.push_plain(point, Action::Drain);
        }
        let (one, always) = (self.symbolic.terms.constant(1, 8), self.symbolic.terms.truth(true));
        for &cell in lives {
            self.write_cell(cell, one, point, always, Manner::DIRECT);
        }
        // The interpreter may know less of who sees them.
        self.note_operation(None);
    }

    /// That it ends is a store of its own, which waits.
    fn end_later(&mut self, life: Cell) {
        let shared = self.is_shared(life, true);
        self.begin_operation();
        let point = shared.then(|| self.point());
        let (one, always) = (self.symbolic.terms.constant(1, 8), self.symbolic.terms.truth(true));
        let manner = self.end_manner();
        self.write_cell(life, one, point, always, manner);
        self.note_operation(None);
    }

    /// How the end of an object's life is stored: after all earlier stores of the thread.
    pub(crate) fn end_manner(&self) -> Manner {
        Manner { order: Some(Ordering::Release), direct: self.state.section.is_some() }
    }
}
