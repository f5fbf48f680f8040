//! Where the unfolding is, and what it notes there: checks, and operations to be found
//! back in the interpreter.

use heddle_ir::Span;
use heddle_sat::Term;
use heddle_semantics::ViolationKind;

use crate::bounded::{Check, Goal, Note, Site};
use crate::state::Key;
use crate::unfold::Unfolder;

impl Unfolder<'_> {
    /// The place of the instruction under way.
    pub(crate) fn here(&self) -> Key {
        self.key_of(&self.state.frames, Some(self.pc))
    }

    pub(crate) fn site(&self) -> Site {
        let frame = self.state.frames.last();
        frame.map_or(Site::default(), |frame| Site {
            function: frame.function.0,
            block: frame.block,
            pc: self.pc,
        })
    }

    pub(crate) fn span(&self) -> Span {
        let own = |span: Span| {
            let file = self.program.files.get(span.file as usize);
            file.is_some_and(|file| file.path.starts_with("<heddle>"))
        };
        for (depth, frame) in self.state.frames.iter().rev().enumerate() {
            let block = &self.program.function(frame.function).blocks[frame.block as usize];
            let pc = if depth == 0 { self.pc } else { frame.pc.saturating_sub(1) };
            let span = block.insts.get(pc as usize).map_or(block.term_span, |inst| inst.span);
            if !own(span) {
                return span;
            }
        }
        Span::UNKNOWN
    }

    /// The point that the thread came past last, in any run.
    pub(crate) fn latest_point(&self) -> Option<u32> {
        let points = self.threads[self.current as usize].points;
        self.state.section.or(points.checked_sub(1))
    }

    pub(crate) fn note_check(&mut self, condition: Term, goal: Goal, span: Span) {
        if self.symbolic.terms.as_constant(condition) == Some(0) {
            return;
        }
        let point = self.latest_point();
        self.threads[self.current as usize].checks.push(Check { point, condition, goal, span });
    }

    /// A violation of those runs in which `bad` holds.
    pub(crate) fn note_violation(&mut self, bad: Term, kind: ViolationKind) {
        let condition = self.symbolic.terms.and(self.state.guard, bad);
        self.note_check(condition, Goal::Violation(kind), self.span());
    }

    pub(crate) fn note_unsupported(&mut self, what: String) {
        self.note_check(self.state.guard, Goal::Unsupported(what), self.span());
    }

    /// The operation under way is done; `value` is what it loaded.
    pub(crate) fn note_operation(&mut self, value: Option<Term>) {
        self.note_operation_at(self.site(), value);
    }

    pub(crate) fn note_operation_at(&mut self, site: Site, value: Option<Term>) {
        let guard = self.state.guard;
        let thread = &mut self.threads[self.current as usize];
        let events = self.first_event..thread.events.len() as u32;
        thread.notes.push(Note { site, guard, events, value });
    }

    pub(crate) fn begin_operation(&mut self) {
        self.first_event = self.threads[self.current as usize].events.len() as u32;
    }
}
