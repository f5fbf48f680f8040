//! Where the unfolding is, and what it notes there: checks, and operations to be found
//! back in the interpreter.

use heddle_ir::Span;
use heddle_sat::Term;
use heddle_semantics::{Number, ViolationKind};

use crate::bounded::{Check, Goal, Note, Site};
use crate::unfold::Unfolder;
use crate::unfold::objects::Kind;
use crate::unfold::state::Key;

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

    /// Notes it if something depends on what numbers addresses are.
    pub(crate) fn note_numbers(
        &mut self,
        a: Term,
        b: Term,
        matters: &dyn Fn(Number, Number) -> bool,
    ) {
        if self.assumed.addresses || self.is_in_support() {
            return;
        }
        let terms = &self.symbolic.terms;
        let (Some(a), Some(b)) = (terms.values(a), terms.values(b)) else { return };
        let depends =
            a.iter().any(|&a| b.iter().any(|&b| matters(self.as_number(a), self.as_number(b))));
        self.assumed.addresses |= depends;
    }

    /// Does code of the library run, which knows what it does with addresses?
    fn is_in_support(&self) -> bool {
        let frame = self.state.frames.last();
        frame.is_some_and(|frame| self.program.is_support(frame.function))
    }

    fn as_number(&self, value: u64) -> Number {
        let Some(id) = self.objects.at(value) else { return Number::Plain(value) };
        let object = &self.objects.all[id as usize];
        if value.wrapping_sub(object.base) > object.bytes {
            return Number::Plain(value);
        }
        let align = match object.kind {
            Kind::Heap => self.alignments.get(&id).copied().unwrap_or(1).max(16),
            Kind::Stack => self.alignments.get(&id).copied().unwrap_or(1).max(1),
            Kind::Global(global) => self.program.global(global).align.max(1),
            _ => 1,
        };
        Number::Address { object: id, align }
    }

    /// Addresses of heap blocks, or null, that are compared with null.
    pub(crate) fn note_null_test(&mut self, a: Term, b: Term) {
        if self.is_in_support() {
            return;
        }
        let terms = &self.symbolic.terms;
        let tested = match (terms.as_constant(a), terms.as_constant(b)) {
            (_, Some(0)) => a,
            (Some(0), _) => b,
            _ => return,
        };
        let Site { function, block, pc } = self.site();
        let site = (function, block, pc);
        let heap = |value: u64| {
            let object = self.objects.at(value).map(|id| &self.objects.all[id as usize]);
            object.is_some_and(|object| {
                object.kind == Kind::Heap && !self.null_tests.is_sure(object.base)
            })
        };
        match self.symbolic.terms.values(tested) {
            Some(values) => {
                let (null, block) = (values.contains(&0), values.iter().any(|&value| heap(value)));
                if null {
                    self.null_tests.found_null(site);
                }
                if block {
                    self.null_tests.found_block(site);
                }
            }
            None => self.null_tests.found_null(site),
        }
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
        thread.notes.push(Note { site, guard, events, value, makes: None });
    }

    /// The running instruction makes an object in which nothing was written.
    pub(crate) fn note_allocation(&mut self, object: u32) {
        let (site, guard) = (self.site(), self.state.guard);
        let thread = &mut self.threads[self.current as usize];
        let none = thread.events.len() as u32;
        let makes = Some(object);
        thread.notes.push(Note { site, guard, events: none..none, value: None, makes });
    }

    pub(crate) fn begin_operation(&mut self) {
        self.first_event = self.threads[self.current as usize].events.len() as u32;
    }
}
