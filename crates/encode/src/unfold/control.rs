//! Control in the unfolding: blocks, jumps, calls and returns.

use std::rc::Rc;

use heddle_ir::{Block, Edge, FuncId, Operand, Terminator};
use heddle_sat::Term;
use heddle_semantics::{Flow, eval};
use smallvec::SmallVec;

use crate::unfold::state::Frame;
use crate::unfold::{Dead, Unfolder};

/// Calls that are open at the same time.
const MAX_FRAMES: usize = 1000;

impl<'p> Unfolder<'p> {
    pub(crate) fn push_frame(&mut self, target: FuncId, args: &[Term]) {
        let function = self.program.function(target);
        let mut regs = vec![None; function.regs.len()];
        for (param, &value) in function.params.iter().zip(args) {
            regs[param.0 as usize] = Some(value);
        }
        self.state.frames.push(Frame {
            function: target,
            block: 0,
            pc: 0,
            regs: Rc::new(regs),
            loops: SmallVec::new(),
            objects: Vec::new(),
        });
    }

    pub(crate) fn is_too_deep(&self, target: FuncId) -> bool {
        let frames = &self.state.frames;
        // A recursion that no run leaves is followed as long as it takes.
        let same = frames.iter().filter(|frame| frame.function == target).count();
        frames.len() >= MAX_FRAMES || same as u32 > self.unwind.max(self.cap / 8)
    }

    pub(crate) fn run_state(&mut self) {
        let program = self.program;
        let frame = self.state.frames.last().expect("a frame");
        let function = program.function(frame.function);
        let block: &'p Block = &function.blocks[frame.block as usize];
        self.pc = frame.pc;
        while (self.pc as usize) < block.insts.len() {
            self.steps += 1;
            self.made = 0;
            let op = &block.insts[self.pc as usize].op;
            match eval(self, op, |reg| function.regs[reg.0 as usize]) {
                Ok(Flow::Next) => self.pc += 1,
                Ok(Flow::Enter) => {
                    if !self.state.frames.is_empty() {
                        self.resume();
                    }
                    return;
                }
                Err(Dead) => return,
            }
            if let Some(what) = self.symbolic.missing.take() {
                self.note_unsupported(what.to_string());
                return;
            }
        }
        self.made = 0;
        self.terminate(&block.term);
    }

    fn terminate(&mut self, term: &'p Terminator) {
        match term {
            Terminator::Jump(edge) => self.jump(edge),
            Terminator::Branch { cond, then, other } => {
                let cond = self.value(*cond, 1);
                let negated = self.symbolic.terms.not(cond);
                self.fork(&[(cond, then), (negated, other)]);
            }
            Terminator::Switch { width, value, cases, default } => {
                let value = self.value(*value, u32::from(*width));
                let mut ways: Vec<(Term, &'p Edge)> = Vec::new();
                let mut none = self.symbolic.terms.truth(true);
                for (number, edge) in cases.iter() {
                    let is = self.symbolic.equals(value, *number);
                    ways.push((is, edge));
                    let not = self.symbolic.terms.not(is);
                    none = self.symbolic.terms.and(none, not);
                }
                ways.push((none, default));
                self.fork(&ways);
            }
            Terminator::Return(values) => self.return_from(values),
            Terminator::Unreachable => {
                self.note_unsupported("code that was said to be unreachable".to_string());
            }
            Terminator::Unsupported { what } => self.note_unsupported(what.clone()),
        }
    }

    fn fork(&mut self, ways: &[(Term, &'p Edge)]) {
        let state = self.state.clone();
        for &(cond, edge) in ways {
            let guard = self.symbolic.terms.and(state.guard, cond);
            if self.symbolic.terms.as_constant(guard) == Some(0) {
                continue;
            }
            self.state = state.clone();
            self.state.guard = guard;
            for &(_, other) in ways {
                self.note_test(other.target.0);
            }
            self.jump(edge);
        }
    }

    fn jump(&mut self, edge: &'p Edge) {
        let function = self.state.top().function;
        let regs = &self.program.function(function).regs;
        let pointer = self.program.pointer_bytes;
        let values: SmallVec<[Term; 8]> = edge
            .moves
            .iter()
            .map(|&(reg, source)| self.value(source, regs[reg.0 as usize].bits(pointer)))
            .collect();
        let mut unchanged = self.symbolic.terms.truth(true);
        for (&(reg, _), &value) in edge.moves.iter().zip(&values) {
            let same = match self.state.top().regs[reg.0 as usize] {
                Some(old) => self.symbolic.terms.equals(old, value),
                None => self.symbolic.terms.truth(false),
            };
            unchanged = self.symbolic.terms.and(unchanged, same);
        }
        if !self.change_loops(edge.target.0, unchanged) {
            return;
        }
        let frame = self.state.top();
        let regs = Rc::make_mut(&mut frame.regs);
        for ((reg, _), value) in edge.moves.iter().zip(values) {
            regs[reg.0 as usize] = Some(value);
        }
        frame.block = edge.target.0;
        frame.pc = 0;
        self.resume();
    }

    fn return_from(&mut self, values: &[Operand]) {
        let function = self.state.top().function;
        let returns = &self.program.function(function).returns;
        let pointer = self.program.pointer_bytes;
        let values: SmallVec<[Term; 4]> = values
            .iter()
            .zip(returns)
            .map(|(&value, ty)| self.value(value, ty.bits(pointer)))
            .collect();
        let ends = self.state.frames.len() == 1;
        let exits = ends && self.current == 0;
        if ends && self.program.function(function).unwinds && self.call_uncaught(&values) {
            return;
        }
        if self.program.function(function).unwinds && !self.check_unwound(&values) {
            return;
        }
        if ends && (if exits { self.call_at_exit() } else { self.call_at_end() }) {
            return;
        }
        if !exits && self.end_scope(self.state.frames.len() - 1, ends).is_err() {
            return;
        }
        let site = self.site();
        let frame = self.state.frames.pop().expect("a frame");
        if self.atomic_functions[frame.function.0 as usize] {
            self.leave_section();
        }
        if self.state.frames.is_empty() {
            if exits {
                self.note_exit();
            } else {
                let zero = self.symbolic.terms.constant(0, self.program.pointer_bits());
                let value = values.first().copied().unwrap_or(zero);
                self.note_end(value, site);
            }
            return;
        }
        let program = self.program;
        let caller = self.state.top();
        let block = &program.function(caller.function).blocks[caller.block as usize];
        // A constructor returns into the start of `main`, not behind a call.
        if let Some(at) = caller.pc.checked_sub(1)
            && let Some(inst) = block.insts.get(at as usize)
            && let heddle_ir::Op::Call { dsts, .. } = &inst.op
        {
            let regs = Rc::make_mut(&mut caller.regs);
            // A function that throws nothing gives no exception.
            let none = self.symbolic.terms.constant(0, program.pointer_bits());
            for (dst, value) in dsts.iter().zip(values.into_iter().chain(std::iter::repeat(none))) {
                regs[dst.0 as usize] = Some(value);
            }
        }
        self.resume();
    }

    /// In runs in which the first function of a thread ends with an exception, calls what ends
    /// the program. Are there no others?
    fn call_uncaught(&mut self, results: &[Term]) -> bool {
        let (Some(function), Some(&exception)) = (self.uncaught, results.last()) else {
            return false;
        };
        let none = self.symbolic.equals(exception, 0);
        let thrown = self.symbolic.terms.not(none);
        let state = self.state.clone();
        self.state.guard = self.symbolic.terms.and(state.guard, thrown);
        if self.symbolic.terms.as_constant(self.state.guard) != Some(0) {
            let pc = self.pc;
            self.state.top().pc = pc;
            self.push_frame(function, &[exception]);
            self.resume();
        }
        self.state = state;
        self.state.guard = self.symbolic.terms.and(self.state.guard, none);
        self.symbolic.terms.as_constant(self.state.guard) == Some(0)
    }

    /// Calls what is to be called before the thread ends, if there is anything;
    /// then the running instruction is executed again.
    pub(crate) fn call_at_end(&mut self) -> bool {
        self.call_before_end(self.at_end)
    }

    /// The same for the end of the process.
    pub(crate) fn call_at_exit(&mut self) -> bool {
        self.call_before_end(self.at_exit)
    }

    fn call_before_end(&mut self, function: Option<FuncId>) -> bool {
        let Some(function) = function else { return false };
        if std::mem::replace(&mut self.state.ending, true) {
            return false;
        }
        let pc = self.pc;
        self.state.top().pc = pc;
        self.push_frame(function, &[]);
        self.resume();
        true
    }
}
