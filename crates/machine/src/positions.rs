//! Where in the source a thread is, for people.

use heddle_ir::{Callee, FuncId, Op, Span, Whose};

use heddle_semantics::{MemoryModel, StackEntry, ThreadId};

use crate::Machine;
use crate::observers::record::{Action, Record};

impl<M: MemoryModel> Machine<'_, M> {
    /// The position of the running thread: the innermost line of the user's. Where
    /// there is none, the thread runs something for whoever created it.
    pub(crate) fn here(&self) -> Span {
        let innermost = self.innermost();
        let top = self.threads[self.running.thread.index()].frames.last();
        let placed = |frame: &crate::threads::thread::Frame| {
            self.program.function(frame.function).span.is_known()
        };
        if self.whose(innermost) == Whose::User && (innermost.is_known() || top.is_none_or(placed))
        {
            return innermost;
        }
        self.users_caller()
            .unwrap_or_else(|| self.origin_of(self.running.thread).unwrap_or(innermost))
    }

    /// Where a thread was created.
    pub(crate) fn origin_of(&self, thread: ThreadId) -> Option<Span> {
        let span = self.threads[thread.index()].created_at;
        span.is_known().then_some(span)
    }

    /// The running instruction's position.
    pub(crate) fn innermost(&self) -> Span {
        let top = self.threads[self.running.thread.index()].frames.last();
        top.map_or(Span::UNKNOWN, |frame| self.position(frame, self.running.pc))
    }

    /// Where the innermost function of the user's stands that waits for the return of
    /// another one.
    pub(crate) fn users_caller(&self) -> Option<Span> {
        let thread = &self.threads[self.running.thread.index()];
        let (_, callers) = thread.frames.split_last()?;
        let spans = callers.iter().enumerate().rev().map(|(depth, frame)| {
            // What runs before the end of a thread is called by its last instruction.
            let ends = depth == 0 && thread.scalars.ending;
            self.position(frame, (frame.pc as usize).saturating_sub(usize::from(!ends)))
        });
        spans.into_iter().find(|&span| self.whose(span) == Whose::User)
    }

    pub(crate) fn position(&self, frame: &crate::threads::thread::Frame, pc: usize) -> Span {
        let block = &self.program.function(frame.function).blocks[frame.block as usize];
        block.insts.get(pc).map_or(block.term_span, |inst| inst.span)
    }

    pub(crate) fn whose(&self, span: Span) -> Whose {
        self.image.files.get(span.file as usize).copied().unwrap_or(Whose::User)
    }

    /// Whether the running instruction only keeps the books of a library: those of
    /// Heddle's own files, and what starts and ends a thread around the user's code.
    pub(crate) fn keeps_books(&self) -> bool {
        match self.whose(self.innermost()) {
            Whose::User => false,
            Whose::Library => self.users_caller().is_none(),
            Whose::Runtime => true,
        }
    }

    /// The innermost position of a thread's stack that is the user's; where there is
    /// none, that of the thread's creation.
    pub fn users_position(&self, thread: ThreadId, stack: &[StackEntry]) -> Span {
        let mut spans = stack.iter().map(|entry| entry.span);
        let own = spans.find(|&span| self.whose(span) == Whose::User);
        own.or_else(|| self.origin_of(thread)).unwrap_or(Span::UNKNOWN)
    }

    /// Call stack of a thread, innermost first. For the running thread, `pc` of
    /// its top frame may be ahead of what was saved.
    pub fn stack(&self, thread: ThreadId) -> Vec<StackEntry> {
        let frames = &self.threads[thread.index()].frames;
        let mut entries = Vec::new();
        for (depth, frame) in frames.iter().enumerate().rev() {
            let block = &self.program.function(frame.function).blocks[frame.block as usize];
            let at = if depth + 1 == frames.len() { frame.pc } else { frame.pc.saturating_sub(1) };
            let span = block.insts.get(at as usize).map_or(block.term_span, |inst| inst.span);
            entries.push(StackEntry { function: frame.function, span });
            if entries.len() == 64 {
                break;
            }
        }
        entries
    }

    /// Call stack of the running thread at its instruction.
    pub(crate) fn stack_here(&self) -> Vec<StackEntry> {
        let mut stack = self.stack(self.running.thread);
        if let Some(top) = stack.first_mut() {
            top.span = self.innermost();
        }
        stack
    }

    pub(crate) fn record(&mut self, action: Action) {
        if self.config.record {
            let step = self.undo.depth().checked_sub(1);
            let (thread, span, place) = (self.running.thread, self.here(), self.place_here());
            let books = match action {
                // What a library frees may be the user's.
                Action::Free { .. } | Action::Ends { heap: true, .. } => {
                    self.whose(self.innermost()) == Whose::Runtime
                }
                Action::Output { .. } => false,
                _ => self.keeps_books(),
            };
            let stack = self.stack_here();
            self.watch.records.push(Record { step, thread, span, place, books, stack, action });
        }
    }

    /// The library function that the program is in, or that the running instruction calls.
    pub(crate) fn asked(&self) -> Option<FuncId> {
        let frames = &self.threads[self.running.thread.index()].frames;
        let functions = frames.iter().rev().map(|frame| frame.function);
        let mut outermost = None;
        for function in functions.take_while(|&function| self.program.is_support(function)) {
            outermost = Some(function);
            // A wait that may end by itself is one, whoever waits.
            if self.program.function(function).name.contains("_spurious_") {
                break;
            }
        }
        if outermost.is_some() {
            return outermost;
        }
        let frame = frames.last()?;
        let block = &self.program.function(frame.function).blocks[frame.block as usize];
        match block.insts.get(self.running.pc)?.op {
            Op::Call { callee: Callee::Direct(callee), .. } => Some(callee),
            _ => None,
        }
    }

    /// The source expression that the running instruction accesses.
    pub(crate) fn place_here(&self) -> Option<heddle_ir::PlaceId> {
        let frame = self.threads[self.running.thread.index()].frames.last()?;
        let block = &self.program.function(frame.function).blocks[frame.block as usize];
        block.insts.get(self.running.pc)?.place
    }
}
