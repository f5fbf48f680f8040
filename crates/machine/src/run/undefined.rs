//! Registers whose values are undefined in part, and where that matters.
//!
//! As long as no register of a thread is undefined, instructions are executed on plain
//! numbers. A load that finds undefined bits ends that ([`Stop::Undefined`]), and the
//! thread goes on with [`Careful`], another instance of the same evaluator, until those
//! registers are gone.
//!
//! Something observable that depends on an undefined bit (a branch, an address, an argument
//! of the library, a check) is either a violation ([`Config::uninitialised`](crate::Config))
//! or shows that the bits that were read have to have a value ([`Machine::undecided`]). Then
//! the search starts again, with these bits among those whose value is asked for where they
//! come to be ([`Config::unwritten`](crate::Config), `chosen`). So a value that nobody looks
//! at is no input, and one that somebody looks at is one value for all who do.

use heddle_ir::{Callee, Edge, FuncId, GlobalId, Op, Operand, Ordering, Reg, RmwOp, Ty};
use smallvec::SmallVec;

use heddle_semantics::{
    Flow, Holder, InputKind, MemoryModel, Partial, PartlyKnown, Processor, Site, Source,
    StackObject, ThreadId, Tracked, Unwritten, ViolationKind, eval, library, mask,
};

use crate::Machine;
use crate::machine::Stop;
use crate::threads::liveness::Place;
use crate::threads::thread::UndefinedReg;

/// What an instruction gives that ended execution on plain numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fresh {
    value: Tracked,
    /// For a compare-and-exchange.
    exchanged: bool,
}

impl<M: MemoryModel> Machine<'_, M> {
    /// Bits that have to have a value, the first ones that were found in any execution.
    pub fn undecided(&self) -> Option<Unwritten> {
        self.findings.undecided
    }

    /// The running instruction.
    pub(crate) fn site(&self) -> Site {
        let frame = self.threads[self.running.thread.index()].frames.last();
        frame.map_or(Site::default(), |frame| Site {
            function: frame.function.0,
            block: frame.block,
            pc: self.running.pc as u32,
        })
    }

    /// Has the running thread a register that is undefined?
    #[inline]
    pub(crate) fn is_careful(&self) -> bool {
        !self.threads[self.running.thread.index()].undefined.is_empty()
    }

    /// What is undefined in a value that the running instruction reads at an address.
    #[inline]
    pub(crate) fn track(&self, word: Partial, addr: u64) -> Tracked {
        let source = (!word.is_defined()).then(|| self.source_at(addr, word.undefined));
        Tracked { word, source }
    }

    #[cold]
    fn source_at(&self, addr: u64, bits: u64) -> Source {
        let (id, site) = (self.store.object_at(addr), self.site());
        let (holder, base) = match id.map(|id| self.store.object(id)) {
            Some(object) => (object.holder(), object.base),
            None => (Holder::Made(site), addr),
        };
        Source { unwritten: Unwritten::new(holder, (addr - base) as u32, bits), site, object: id }
    }

    /// An instruction on plain numbers gives something that is none. In a model of the
    /// library, which does not go on from there, that matters at once.
    #[cold]
    pub(crate) fn leave_undefined(&mut self, value: Tracked, exchanged: bool) -> Stop {
        if self.running.in_library.is_some() {
            return match value.source.filter(|_| self.config.uninitialised) {
                Some(source) => self.matters(source),
                None => self.stop_unsupported("a library call that reads memory never written"),
            };
        }
        self.running.fresh = Some(Fresh { value, exchanged });
        Stop::Undefined
    }

    /// The instruction that gave something undefined is over.
    #[cold]
    pub(crate) fn keep_undefined(&mut self, op: &Op) {
        let Some(Fresh { value, exchanged }) = self.running.fresh.take() else { return };
        match *op {
            Op::Load { dst, .. } | Op::Rmw { dst, .. } | Op::Nondet { dst, .. } => {
                self.assign_tracked(dst, value);
            }
            Op::CmpXchg { dst, ok, .. } => {
                self.assign_tracked(dst, value);
                self.assign_tracked(ok, u64::from(exchanged).into());
            }
            _ => unreachable!("no other instruction reads what may be undefined"),
        }
    }

    pub(crate) fn tracked(&self, operand: Operand) -> Tracked {
        let bits = self.value(operand);
        let Operand::Reg(reg) = operand else { return bits.into() };
        let at = (self.running.base + reg.0 as usize) as u32;
        let thread = &self.threads[self.running.thread.index()];
        match thread.undefined.iter().find(|entry| entry.at == at) {
            Some(entry) => {
                let word = Partial { bits, undefined: entry.bits };
                Tracked { word, source: Some(entry.source) }
            }
            None => bits.into(),
        }
    }

    pub(crate) fn assign_tracked(&mut self, reg: Reg, value: Tracked) {
        self.set(reg, value.word.bits);
        let at = self.running.base + reg.0 as usize;
        self.note_undefined(self.running.thread, at, value);
    }

    /// As `set`, for a register that may have been undefined.
    #[inline]
    pub(crate) fn assign_defined(&mut self, reg: Reg, value: u64) {
        match self.is_careful() {
            false => self.set(reg, value),
            true => self.assign_tracked(reg, value.into()),
        }
    }

    /// Nothing is known of the register.
    pub(crate) fn assign_undefined(&mut self, reg: Reg, source: Source) {
        let frame = self.threads[self.running.thread.index()].top();
        let ty = self.program.function(frame.function).regs[reg.0 as usize];
        let bits = ty.bits(self.program.pointer_bytes);
        let word = Partial::new(0, mask(u64::MAX, bits));
        self.assign_tracked(reg, Tracked { word, source: Some(source) });
    }

    /// Where an argument of a library model comes from that is undefined. That matters, unless
    /// the model does nothing but to show it.
    pub(crate) fn undefined_argument(
        &mut self,
        target: FuncId,
        args: &[Operand],
    ) -> Result<Option<Source>, Stop> {
        let arguments = self.undefined_operands(args);
        let mut undefined = arguments.iter().filter(|argument| !argument.word.is_defined());
        let Some(source) = undefined.find_map(|argument| argument.source) else { return Ok(None) };
        let pure = library::is_pure(&self.program.function(target).name);
        match pure && !self.config.uninitialised {
            true => Ok(Some(source)),
            false => Err(self.matters(source)),
        }
    }

    /// Registers that nobody will read any more are not worth the care.
    pub(crate) fn forget_dead(&mut self) {
        let current = self.running.thread.index();
        let Some(frame) = self.threads[current].frames.last() else { return };
        let (function, block, pc) = (frame.function.0, frame.block, frame.pc);
        let base = frame.regs;
        let live = self.image.live.at(self.program, Place { function, block, pc, calls: false });
        let dead =
            |at: u32| at.checked_sub(base).is_some_and(|reg| live.binary_search(&reg).is_err());
        self.threads[current].undefined.retain(|entry| !dead(entry.at));
    }

    /// Operands of a call or return, if any of the thread's registers is undefined.
    pub(crate) fn undefined_operands(&self, operands: &[Operand]) -> SmallVec<[Tracked; 4]> {
        match self.is_careful() {
            false => SmallVec::new(),
            true => operands.iter().map(|&operand| self.tracked(operand)).collect(),
        }
    }

    /// What a jump hands on, if any of the thread's registers is undefined.
    #[cold]
    pub(crate) fn undefined_moves(&self, edge: &Edge) -> Vec<Tracked> {
        edge.moves.iter().map(|(_, source)| self.tracked(*source)).collect()
    }

    /// Whether the register at this place of the thread's stack is undefined.
    pub(crate) fn note_undefined(&mut self, thread: ThreadId, at: usize, value: Tracked) {
        let undefined = &mut self.threads[thread.index()].undefined;
        undefined.retain(|entry| entry.at != at as u32);
        if let Some(source) = value.source.filter(|_| !value.word.is_defined()) {
            undefined.push(UndefinedReg { at: at as u32, bits: value.word.undefined, source });
        }
    }

    /// The number, where something depends on it.
    pub(crate) fn decided(&mut self, value: &Tracked) -> Result<u64, Stop> {
        match value.source.filter(|_| !value.word.is_defined()) {
            None => Ok(value.word.bits),
            Some(source) => Err(self.matters(source)),
        }
    }

    /// The operand's number, where something depends on it.
    pub(crate) fn decided_operand(&mut self, operand: Operand) -> Result<u64, Stop> {
        if !self.is_careful() {
            return Ok(self.value(operand));
        }
        let value = self.tracked(operand);
        self.decided(&value)
    }

    /// Something observable depends on an undefined value.
    #[cold]
    pub(crate) fn matters(&mut self, source: Source) -> Stop {
        if !self.config.uninitialised {
            return self.stop_undecided(source.unwritten);
        }
        let site = source.site;
        let block = &self.program.functions[site.function as usize].blocks[site.block as usize];
        let span = block.insts.get(site.pc as usize).map_or(block.term_span, |inst| inst.span);
        let read = self.program.position(span);
        let read = read.map_or(String::new(), |place| format!(", read at {place}"));
        let what = match source.object.map(|id| self.store.object(id)) {
            Some(object) => {
                format!("{}, which was never written", self.origin_name(&object.origin))
            }
            None => "a variable that was never initialised".to_string(),
        };
        let message = format!("what happens here depends on {what}{read}");
        self.violate(ViolationKind::Uninitialised, message)
    }

    /// An input, or the value of a variable that was never initialised, which is asked for if
    /// something depends on it.
    pub(crate) fn input_tracked(&mut self, kind: InputKind) -> Result<Tracked, Stop> {
        if !kind.uninitialised || self.running.given.is_some() || self.questions().next().is_some()
        {
            return self.input_value(kind).map(Tracked::from);
        }
        let word = Partial { bits: kind.known, undefined: kind.open };
        let site = self.site();
        let unwritten = Unwritten { holder: Holder::Made(site), offset: 0, bits: kind.open };
        Ok(Tracked { word, source: Some(Source { unwritten, site, object: None }) })
    }

    /// Executes an instruction of a thread some of whose registers are undefined.
    #[cold]
    #[inline(never)]
    pub(crate) fn eval_careful(
        &mut self,
        op: &Op,
        reg_ty: impl Fn(Reg) -> Ty,
    ) -> Result<Flow, Stop> {
        eval(&mut Careful { machine: self, domain: PartlyKnown }, op, reg_ty)
    }
}

/// Executes instructions on values that may be undefined in part.
struct Careful<'m, 'p, M: MemoryModel> {
    machine: &'m mut Machine<'p, M>,
    domain: PartlyKnown,
}

impl<M: MemoryModel> Processor for Careful<'_, '_, M> {
    type Dom = PartlyKnown;
    type Stop = Stop;

    fn domain(&mut self) -> &mut PartlyKnown {
        &mut self.domain
    }

    fn pointer_bits(&self) -> u32 {
        self.machine.pointer_bits()
    }

    fn operand(&mut self, operand: Operand, _width: u32) -> Tracked {
        self.machine.tracked(operand)
    }

    fn assign(&mut self, reg: Reg, value: Tracked) {
        self.machine.assign_tracked(reg, value);
    }

    fn check(
        &mut self,
        bad: &Tracked,
        kind: ViolationKind,
        message: &dyn Fn() -> String,
    ) -> Result<(), Stop> {
        let bad = self.machine.decided(bad)?;
        self.machine.check(&bad, kind, message)
    }

    fn checks_overflow(&self) -> bool {
        self.machine.checks_overflow()
    }

    fn number(&self, value: &Tracked) -> Option<u64> {
        value.word.is_defined().then_some(value.word.bits)
    }

    fn note_comparison(&mut self, a: &Tracked, b: &Tracked) {
        if a.word.is_defined() && b.word.is_defined() {
            self.machine.note_comparison(&a.word.bits, &b.word.bits);
        }
    }

    fn note_use(&mut self, value: &Tracked, equality: bool) {
        self.machine.note_use(&value.word.bits, equality);
    }

    fn unsupported(&mut self, what: String) -> Stop {
        self.machine.unsupported(what)
    }

    fn load(&mut self, addr: &Tracked, ty: Ty, order: Option<Ordering>) -> Result<Tracked, Stop> {
        let addr = self.machine.decided(addr)?;
        let word = self.machine.ordered(order, |machine| machine.load_partial(addr, ty))?;
        Ok(self.machine.track(word, addr))
    }

    fn store(
        &mut self,
        addr: &Tracked,
        ty: Ty,
        value: &Tracked,
        order: Option<Ordering>,
    ) -> Result<(), Stop> {
        let addr = self.machine.decided(addr)?;
        self.machine.check_copy(addr, value)?;
        self.machine.ordered(order, |machine| machine.store_partial(addr, ty, value.word, order))
    }

    fn rmw(
        &mut self,
        op: RmwOp,
        addr: &Tracked,
        ty: Ty,
        value: &Tracked,
        order: Ordering,
    ) -> Result<Tracked, Stop> {
        let addr = self.machine.decided(addr)?;
        self.machine.check_copy(addr, value)?;
        let word = self
            .machine
            .ordered(Some(order), |machine| machine.rmw_partial(op, addr, ty, value.word))?;
        Ok(self.machine.track(word, addr))
    }

    fn cmpxchg(
        &mut self,
        addr: &Tracked,
        ty: Ty,
        expected: &Tracked,
        new: &Tracked,
        (success, failure): (Ordering, Ordering),
    ) -> Result<(Tracked, Tracked), Stop> {
        let addr = self.machine.decided(addr)?;
        self.machine.check_copy(addr, new)?;
        let (old, ok) = self.machine.ordered(Some(success), |machine| {
            machine.cmpxchg_partial(addr, ty, *expected, new.word, failure)
        })?;
        Ok((self.machine.track(old, addr), u64::from(ok).into()))
    }

    fn fence(&mut self, order: Ordering) -> Result<(), Stop> {
        self.machine.fence(order)
    }

    fn stack_alloc(&mut self, bytes: &Tracked, object: StackObject<'_>) -> Result<Tracked, Stop> {
        let bytes = self.machine.decided(bytes)?;
        self.machine.stack_alloc(&bytes, object).map(Tracked::from)
    }

    fn thread_local(&mut self, global: GlobalId) -> Result<Tracked, Stop> {
        self.machine.thread_local(global).map(Tracked::from)
    }

    fn call(
        &mut self,
        dsts: &[Reg],
        callee: &Callee,
        args: &[Operand],
        arg_tys: &[Ty],
    ) -> Result<Flow, Stop> {
        self.machine.call_function(dsts, callee, args, arg_tys)
    }

    fn input(&mut self, kind: InputKind) -> Result<Tracked, Stop> {
        self.machine.input_tracked(kind)
    }
}
