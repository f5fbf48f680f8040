//! What pointers point to, and with it which functions call which.
//!
//! Every instruction of every function that can be reached becomes inclusion
//! constraints (see `solver`). Flow, context and thread do not count: a register has
//! one set for all its executions. A number that is cast to a pointer, and was never
//! made from one, may point to anything. Numbers that reach a pointer through memory,
//! without a cast, are taken to point nowhere.

use heddle_ir::{
    BinOp, Callee, Cast, Edge, FuncId, Function, GlobalId, Op, Operand, Program, Reg, Symbol,
    Terminator, Ty,
};
use rustc_hash::FxHashMap;

use crate::library::{Effect, effect, is_library};
use crate::object::{Object, ObjectId, Objects, Offset};
use crate::site::{Site, instructions};
use crate::solver::{Node, Shift, Solver};

/// Functions that the machine calls by itself.
const CALLED_BY_THE_MACHINE: &[&str] = &["__heddle_end_thread", "__heddle_end_process"];

pub struct PointsTo {
    solver: Solver,
    registers: Vec<Node>,
    /// Functions that a call may lead to, library functions too.
    callees: FxHashMap<Site, Vec<FuncId>>,
    /// For each function, the calls and thread creations that may lead to it.
    callers: Vec<Vec<Site>>,
    /// Functions that may run.
    pub reachable: Vec<bool>,
    /// Functions that threads start in.
    pub entries: Vec<FuncId>,
    /// What threads return.
    results: Node,
    /// What new threads are given.
    handed: Node,
}

impl PointsTo {
    pub fn of(program: &Program, entry: FuncId) -> PointsTo {
        let mut build = Builder::new(program);
        build.initial_contents();
        build.start(entry);
        build.run();
        build.finish()
    }

    pub fn objects(&self) -> &Objects {
        &self.solver.objects
    }

    /// What an operand may point to.
    pub fn targets(&self, function: FuncId, operand: Operand) -> Vec<(ObjectId, Offset)> {
        let find = |object| self.solver.objects.find(object);
        match operand {
            Operand::Reg(reg) => {
                let node = Node(self.registers[function.0 as usize].0 + reg.0);
                self.solver.pointers(node).iter().collect()
            }
            Operand::Global(id, offset) => {
                find(Object::Global(id)).map(|object| (object, Some(offset))).into_iter().collect()
            }
            Operand::Function(id) => {
                find(Object::Function(id)).map(|object| (object, Some(0))).into_iter().collect()
            }
            Operand::Const(_) => Vec::new(),
        }
    }

    pub fn callees(&self, site: Site) -> &[FuncId] {
        self.callees.get(&site).map_or(&[], Vec::as_slice)
    }

    pub fn callers(&self, function: FuncId) -> &[Site] {
        &self.callers[function.0 as usize]
    }

    /// Objects that more than one thread may reach.
    pub fn escaping(&mut self) -> Vec<bool> {
        let mut escapes = vec![false; self.solver.objects.len()];
        let mut todo: Vec<ObjectId> = Vec::new();
        let wild = self.solver.wild();
        for node in [self.results, self.handed, wild] {
            todo.extend(self.solver.pointers(node).objects.keys());
        }
        let shared =
            |object| matches!(object, Object::Global(_) | Object::Arguments | Object::Wild);
        let objects = &self.solver.objects;
        todo.extend(objects.ids().filter(|&id| shared(objects.get(id))));
        while let Some(object) = todo.pop() {
            if !std::mem::replace(&mut escapes[object.0 as usize], true) {
                let contents = self.solver.contents(object);
                todo.extend(self.solver.pointers(contents).objects.keys());
            }
        }
        escapes
    }
}

/// A call whose target is a pointer.
struct Indirect {
    site: Site,
    /// For a thread creation, what the thread is given.
    creates: Option<Operand>,
}

struct Builder<'p> {
    program: &'p Program,
    solver: Solver,
    registers: Vec<Node>,
    reachable: Vec<bool>,
    todo: Vec<FuncId>,
    calls: Vec<Indirect>,
    callees: FxHashMap<Site, Vec<FuncId>>,
    callers: Vec<Vec<Site>>,
    entries: Vec<FuncId>,
    results: Node,
    handed: Node,
    /// Casts from numbers to pointers.
    casts: Vec<(Node, Node)>,
}

impl<'p> Builder<'p> {
    fn new(program: &'p Program) -> Builder<'p> {
        let mut solver = Solver::default();
        let registers = program.functions.iter().map(|f| solver.nodes(f.regs.len())).collect();
        let (results, handed) = (solver.node(), solver.node());
        Builder {
            program,
            solver,
            registers,
            reachable: vec![false; program.functions.len()],
            todo: Vec::new(),
            calls: Vec::new(),
            callees: FxHashMap::default(),
            callers: vec![Vec::new(); program.functions.len()],
            entries: Vec::new(),
            results,
            handed,
            casts: Vec::new(),
        }
    }

    fn initial_contents(&mut self) {
        for (index, global) in self.program.globals.iter().enumerate() {
            let id = GlobalId(index as u32);
            let kind = match global.thread_local {
                true => Object::ThreadLocal(id),
                false => Object::Global(id),
            };
            let object = self.solver.objects.intern(kind);
            for relocation in global.init.iter().flat_map(|init| &init.relocations) {
                let target = match relocation.symbol {
                    Symbol::Global(id) => Object::Global(id),
                    Symbol::Function(id) => Object::Function(id),
                };
                let from = self.solver.pointer(target, Some(relocation.addend));
                let word = self.solver.word(object, relocation.offset as i64 / 8);
                self.solver.copy(from, word, Shift::By(0));
            }
        }
    }

    fn start(&mut self, entry: FuncId) {
        let program = self.program;
        let implicit = CALLED_BY_THE_MACHINE.iter().filter_map(|name| program.find_function(name));
        for function in implicit.chain(program.constructors.iter().copied()).chain([entry]) {
            self.reach(function);
        }
        let arguments = self.solver.pointer(Object::Arguments, None);
        let object = self.solver.objects.intern(Object::Arguments);
        let contents = self.solver.somewhere(object);
        self.solver.copy(arguments, contents, Shift::By(0));
        for &param in &program.function(entry).params {
            let node = self.register(entry, param);
            self.solver.copy(arguments, node, Shift::By(0));
        }
    }

    fn run(&mut self) {
        loop {
            while let Some(function) = self.todo.pop() {
                self.function(function);
            }
            let calls = self.solver.solve();
            for (number, function) in &calls {
                self.resolve(*number as usize, *function);
            }
            if calls.is_empty() && self.todo.is_empty() && !self.forge() {
                return;
            }
        }
    }

    /// Pointers that are made from numbers which come from no pointer.
    fn forge(&mut self) -> bool {
        let mut changed = false;
        for (number, pointer) in std::mem::take(&mut self.casts) {
            if self.solver.pointers(number).objects.is_empty() {
                self.solver.add(pointer, Object::Wild, None);
                changed = true;
            }
        }
        changed
    }

    fn finish(self) -> PointsTo {
        PointsTo {
            solver: self.solver,
            registers: self.registers,
            callees: self.callees,
            callers: self.callers,
            reachable: self.reachable,
            entries: self.entries,
            results: self.results,
            handed: self.handed,
        }
    }

    fn reach(&mut self, function: FuncId) {
        let body = self.program.function(function);
        if !is_library(body) && !std::mem::replace(&mut self.reachable[function.0 as usize], true) {
            self.todo.push(function);
        }
    }

    fn register(&self, function: FuncId, reg: Reg) -> Node {
        Node(self.registers[function.0 as usize].0 + reg.0)
    }

    /// The node of an operand; `None` for a number.
    fn operand(&mut self, function: FuncId, operand: Operand) -> Option<Node> {
        match operand {
            Operand::Reg(reg) => Some(self.register(function, reg)),
            Operand::Const(_) => None,
            Operand::Global(id, offset) => {
                Some(self.solver.pointer(Object::Global(id), Some(offset)))
            }
            Operand::Function(id) => Some(self.solver.pointer(Object::Function(id), Some(0))),
        }
    }

    fn flow(&mut self, function: FuncId, from: Operand, into: Reg, shift: Shift) {
        let into = self.register(function, into);
        match (from, shift) {
            // The common case needs no node of its own.
            (Operand::Global(id, offset), Shift::By(by)) => {
                self.solver.add(into, Object::Global(id), Some(offset.wrapping_add(by)));
            }
            _ => {
                if let Some(from) = self.operand(function, from) {
                    self.solver.copy(from, into, shift);
                }
            }
        }
    }

    fn function(&mut self, function: FuncId) {
        let program = self.program;
        for (site, inst) in instructions(program, function) {
            self.instruction(site, &inst.op);
        }
        for block in &program.function(function).blocks {
            for edge in block.term.edges() {
                self.edge(function, edge);
            }
        }
    }

    fn edge(&mut self, function: FuncId, edge: &Edge) {
        for &(into, from) in &edge.moves {
            self.flow(function, from, into, Shift::By(0));
        }
    }

    fn instruction(&mut self, site: Site, op: &Op) {
        let f = site.function;
        match op {
            Op::Binary { op: BinOp::Add, dst, a, b: Operand::Const(by), .. } => {
                self.flow(f, *a, *dst, Shift::By(*by as i64));
            }
            Op::Binary { dst, a, b, .. } => {
                self.flow(f, *a, *dst, Shift::Number);
                self.flow(f, *b, *dst, Shift::Number);
            }
            Op::Overflow { dst, a, b, .. } => {
                self.flow(f, *a, *dst, Shift::Number);
                self.flow(f, *b, *dst, Shift::Number);
            }
            Op::Unary { dst, a, .. } => self.flow(f, *a, *dst, Shift::Number),
            Op::Compare { .. } | Op::FloatBinary { .. } | Op::FloatNeg { .. } => {}
            Op::FloatCompare { .. } | Op::Fence { .. } | Op::Unsupported { .. } => {}
            Op::Cast { op, from, to, dst, a } => self.cast(f, *op, (*from, *to), *dst, *a),
            Op::Select { dst, then, other, .. } => {
                self.flow(f, *then, *dst, Shift::By(0));
                self.flow(f, *other, *dst, Shift::By(0));
            }
            Op::Copy { dst, a } => self.flow(f, *a, *dst, Shift::By(0)),
            Op::PtrAdd { dst, base, offset, scales } => {
                let shift = match constant_offset(*offset, scales) {
                    Some(offset) => Shift::By(offset),
                    None => Shift::Anywhere,
                };
                self.flow(f, *base, *dst, shift);
                for scale in scales {
                    self.flow(f, scale.index, *dst, Shift::Number);
                }
            }
            Op::StackAlloc { dst, .. } => {
                let node = self.register(f, *dst);
                self.solver.add(node, Object::Stack(site), Some(0));
            }
            Op::ThreadLocal { dst, global } => {
                let node = self.register(f, *dst);
                self.solver.add(node, Object::ThreadLocal(*global), Some(0));
            }
            Op::Nondet { dst, .. } => {
                if self.program.function(f).regs[dst.0 as usize] == Ty::Ptr {
                    let node = self.register(f, *dst);
                    self.solver.add(node, Object::Wild, None);
                }
            }
            Op::Load { .. } | Op::Store { .. } | Op::Rmw { .. } | Op::CmpXchg { .. } => {
                self.access(f, op);
            }
            Op::Call { callee, .. } => self.call(site, callee),
        }
    }

    fn cast(&mut self, f: FuncId, op: Cast, (from, to): (Ty, Ty), dst: Reg, a: Operand) {
        if !matches!(op, Cast::Trunc | Cast::ZeroExt | Cast::SignExt | Cast::Bits) {
            return;
        }
        self.flow(f, a, dst, Shift::By(0));
        if to == Ty::Ptr && from != Ty::Ptr {
            let into = self.register(f, dst);
            match self.operand(f, a) {
                Some(number) => self.casts.push((number, into)),
                None => self.solver.add(into, Object::Wild, None),
            }
        }
    }

    fn access(&mut self, f: FuncId, op: &Op) {
        let (address, ty) = match op {
            Op::Load { addr, ty, .. } | Op::Store { addr, ty, .. } => (*addr, *ty),
            Op::Rmw { addr, ty, .. } | Op::CmpXchg { addr, ty, .. } => (*addr, *ty),
            _ => return,
        };
        let bytes = ty.bytes(self.program.pointer_bytes);
        let Some(address) = self.operand(f, address) else { return };
        let (value, dst) = match op {
            Op::Load { dst, .. } => (None, Some(*dst)),
            Op::Store { value, .. } => (Some(*value), None),
            Op::Rmw { dst, value, .. } => (Some(*value), Some(*dst)),
            Op::CmpXchg { dst, new, .. } => (Some(*new), Some(*dst)),
            _ => (None, None),
        };
        if let Some(dst) = dst {
            let dst = self.register(f, dst);
            self.solver.load(address, dst, bytes);
            if matches!(op, Op::Rmw { .. }) {
                // What it leaves there is made of what was there.
                let changed = self.solver.node();
                self.solver.copy(dst, changed, Shift::Anywhere);
                self.solver.store(address, changed, bytes);
            }
        }
        if let Some(value) = value
            && let Some(value) = self.operand(f, value)
        {
            self.solver.store(address, value, bytes);
        }
    }

    fn call(&mut self, site: Site, callee: &Callee) {
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

    fn resolve(&mut self, number: usize, function: FuncId) {
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

/// The sum of an offset and indices that are numbers.
pub fn constant_offset(offset: i64, scales: &[heddle_ir::Scale]) -> Option<i64> {
    scales.iter().try_fold(offset, |sum, scale| match scale.index {
        Operand::Const(value) => {
            let unused = 64 - u32::from(scale.width.clamp(1, 64));
            let index = ((value << unused) as i64) >> unused;
            Some(sum.wrapping_add(index.wrapping_mul(scale.bytes)))
        }
        _ => None,
    })
}
