//! The constraints between sets of pointers that the instructions of a program make.

mod calls;

use heddle_ir::{
    BinOp, Cast, Edge, FuncId, GlobalId, Op, Operand, Program, Reg, Scale, Symbol, Ty,
};
use rustc_hash::FxHashMap;

use crate::library::is_library;
use crate::object::Object;
use crate::points_to::PointsTo;
use crate::site::{Site, instructions};
use crate::solver::{FEW, Node, Shift, Solver};

/// Functions that the machine calls by itself.
const CALLED_BY_THE_MACHINE: &[&str] = &["__heddle_end_thread", "__heddle_end_process"];

/// Objects begin at multiples of this, so bits below are bits of the offset.
const ALIGNED: u64 = 1 << 16;

/// A call whose target is a pointer.
struct Indirect {
    site: Site,
    /// For a thread creation, what the thread is given.
    creates: Option<Operand>,
}

pub struct Builder<'p> {
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
    pub fn new(program: &'p Program, patience: Option<u64>) -> Builder<'p> {
        let mut solver = Solver::default();
        solver.patience = patience;
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

    pub fn initial_contents(&mut self) {
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

    pub fn start(&mut self, entry: FuncId) {
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

    pub fn run(&mut self) {
        loop {
            while let Some(function) = self.todo.pop() {
                self.function(function);
            }
            let calls = self.solver.solve();
            if self.solver.lost && self.solver.patience.is_some() {
                return;
            }
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

    pub fn finish(self) -> PointsTo {
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
            Op::Binary { op, width, dst, a, b, .. } => match with_constant(*op, *width, *b) {
                Computed::Shift(shift) => self.flow(f, *a, *dst, shift),
                Computed::Number => {}
                Computed::Anything => {
                    self.flow(f, *a, *dst, Shift::Number);
                    self.flow(f, *b, *dst, Shift::Number);
                }
            },
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
                match offsets(*offset, scales) {
                    Some(offsets) => {
                        for offset in offsets {
                            self.flow(f, *base, *dst, Shift::By(offset));
                        }
                    }
                    None => self.flow(f, *base, *dst, Shift::Anywhere),
                }
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
}

/// What arithmetic with a constant makes of a pointer.
enum Computed {
    Shift(Shift),
    /// No pointer: a few bits of its offset.
    Number,
    Anything,
}

fn with_constant(op: BinOp, width: u8, b: Operand) -> Computed {
    let Operand::Const(value) = b else { return Computed::Anything };
    let unused = 64 - u32::from(width.clamp(1, 64));
    let value = ((value << unused) as i64) >> unused;
    match op {
        BinOp::Add => Computed::Shift(Shift::By(value)),
        BinOp::Sub => Computed::Shift(Shift::By(value.wrapping_neg())),
        BinOp::And if (!value as u64) < ALIGNED => Computed::Shift(Shift::Clear(!value)),
        BinOp::And if (value as u64) < ALIGNED => Computed::Number,
        BinOp::Or if (value as u64) < ALIGNED => Computed::Shift(Shift::Set(value)),
        _ => Computed::Anything,
    }
}

/// The offsets that indices lead to. An index is supposed to be within its array, which
/// is not sure: see `reach`.
fn offsets(offset: i64, scales: &[Scale]) -> Option<Vec<i64>> {
    let mut all = vec![offset];
    for scale in scales {
        let indices = match (scale.index, scale.count) {
            (Operand::Const(value), _) => {
                let unused = 64 - u32::from(scale.width.clamp(1, 64));
                let index = ((value << unused) as i64) >> unused;
                index..=index
            }
            // What is declared with one element may have more behind it.
            (_, Some(count @ 2..)) if count.saturating_mul(all.len() as u64) <= FEW as u64 => {
                0..=count as i64 - 1
            }
            _ => return None,
        };
        let step = |index: i64| index.wrapping_mul(scale.bytes);
        let from = |start: i64| indices.clone().map(move |index| start.wrapping_add(step(index)));
        all = all.into_iter().flat_map(from).collect();
    }
    Some(all)
}
