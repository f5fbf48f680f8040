//! Calls: of functions of the program, of library functions, and new threads.

use heddle_ir::{Callee, FuncId, Function, Op, Operand, Reg, Terminator, Ty};

use super::{Builder, Indirect};
use crate::library::{Effect, effect, is_library};
use crate::object::Object;
use crate::site::Site;
use crate::solver::{Node, Shift};

impl Builder<'_> {
    pub(super) fn call(&mut self, site: Site, callee: &Callee) {
        match callee {
            Callee::Direct(target) => self.link(site, *target),
            Callee::Indirect(operand) => {
                if let Some(node) = self.operand(site.function, *operand) {
                    self.calls.push(Indirect { site, creates: None });
                    self.solver.call(node, self.calls.len() as u32 - 1);
                }
            }
        }
    }

    pub(super) fn resolve(&mut self, number: usize, function: FuncId) {
        let Indirect { site, creates } = self.calls[number];
        let Some(data) = creates else { return self.link(site, function) };
        if is_library(self.program.function(function)) {
            return;
        }
        self.note_call(site, function);
        self.reach(function);
        if !self.entries.contains(&function) {
            self.entries.push(function);
        }
        if let (Some(&param), Some(data)) =
            (self.program.function(function).params.first(), self.operand(site.function, data))
        {
            let param = self.register(function, param);
            self.solver.copy(data, param, Shift::By(0));
        }
        let results = self.results;
        self.returns(function, |_| Some(results));
    }

    fn note_call(&mut self, site: Site, target: FuncId) {
        let callees = self.callees.entry(site).or_default();
        if !callees.contains(&target) {
            callees.push(target);
            self.callers[target.0 as usize].push(site);
        }
    }

    /// A call may lead to `target`.
    fn link(&mut self, site: Site, target: FuncId) {
        let program = self.program;
        let Some(Op::Call { dsts, args, .. }) = site.op(program) else { return };
        if let Some(effect) = effect(program, target) {
            self.note_call(site, target);
            return self.library(site, effect, dsts, args);
        }
        self.note_call(site, target);
        self.reach(target);
        let function = program.function(target);
        for (at, &arg) in args.iter().enumerate() {
            let Some(arg) = self.operand(site.function, arg) else { continue };
            let into = match function.params.get(at) {
                Some(&param) => self.register(target, param),
                // Taken out again by means that are not followed.
                None => self.solver.wild(),
            };
            self.solver.copy(arg, into, Shift::By(0));
        }
        let first = self.registers[site.function.0 as usize].0;
        self.returns(target, |at| dsts.get(at).map(|dst| Node(first + dst.0)));
    }

    fn returns(&mut self, function: FuncId, into: impl Fn(usize) -> Option<Node>) {
        let body: &Function = self.program.function(function);
        for block in &body.blocks {
            let Terminator::Return(values) = &block.term else { continue };
            for (at, &value) in values.iter().enumerate() {
                if let (Some(from), Some(into)) = (self.operand(function, value), into(at)) {
                    self.solver.copy(from, into, Shift::By(0));
                }
            }
        }
    }

    fn library(&mut self, site: Site, effect: Effect, dsts: &[Reg], args: &[Operand]) {
        let f = site.function;
        let width = u32::from(self.program.pointer_bytes);
        let arg = |build: &mut Self, at: usize| {
            args.get(at).and_then(|&operand| build.operand(f, operand))
        };
        match effect {
            Effect::Allocate { .. } | Effect::Reallocate => {
                if let Some(&dst) = dsts.first() {
                    let dst = self.register(f, dst);
                    self.solver.add(dst, Object::Heap(site), Some(0));
                }
                if let (Effect::Reallocate, Some(old)) = (effect, arg(self, 0)) {
                    self.solver.copy_contents(old, Object::Heap(site));
                }
            }
            Effect::AllocateInto => {
                if let Some(slot) = arg(self, 0) {
                    let block = self.solver.pointer(Object::Heap(site), Some(0));
                    self.solver.store(slot, block, width);
                }
            }
            Effect::Create { entry, data } => {
                if let Some(data) = arg(self, data) {
                    let handed = self.handed;
                    self.solver.copy(data, handed, Shift::By(0));
                }
                if let (Some(entry), Some(&data)) = (arg(self, entry), args.get(data)) {
                    self.calls.push(Indirect { site, creates: Some(data) });
                    self.solver.call(entry, self.calls.len() as u32 - 1);
                }
            }
            Effect::Join { result } => {
                if let Some(slot) = arg(self, result) {
                    let results = self.results;
                    self.solver.store(slot, results, width);
                }
            }
            Effect::ExitThread => {
                if let Some(value) = arg(self, 0) {
                    let results = self.results;
                    self.solver.copy(value, results, Shift::By(0));
                }
            }
            Effect::Anything => self.anything(f, dsts, args),
            _ => {}
        }
    }

    /// Everything the arguments lead to may end up in anything they lead to.
    fn anything(&mut self, f: FuncId, dsts: &[Reg], args: &[Operand]) {
        let wild = self.solver.wild();
        for &arg in args {
            if let Some(arg) = self.operand(f, arg) {
                self.solver.copy(arg, wild, Shift::By(0));
                self.solver.load(arg, wild, 8);
            }
        }
        for &dst in dsts {
            if self.program.function(f).regs[dst.0 as usize] == Ty::Ptr {
                let node = self.register(f, dst);
                self.solver.add(node, Object::Wild, None);
            }
        }
    }
}
