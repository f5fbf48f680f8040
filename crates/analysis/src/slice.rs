//! Backward slices: what can influence a set of essential statements.
//!
//! Horwitz, Reps and Binkley, "Interprocedural Slicing Using Dependence Graphs"
//! (TOPLAS 1990), as used in section 4.1 of Kusano and Wang, "Assertion Guided
//! Abstraction" (ASE 2014). Deviations:
//!
//! 1. The dependence graph is not built: its edges are found as the slice reaches
//!    them, so that the cost is that of the slice.
//! 2. Calls are not matched with returns (no summary edges): a parameter that
//!    matters matters at all calls. More than needed is kept, never less.
//! 3. Any write to a range of bytes may reach any read of it, in whatever thread and
//!    order, by a static points-to relation. The paper leaves out what is done by
//!    other threads, and adds what it sees happen; a static relation needs no
//!    restarts, and covers executions that were not looked at.
//! 4. The paper's slice grows with what executions show. Here that is so for reads: the
//!    writes that one may see count only once it was executed (`seen`). Whether it is
//!    executed always counts, so that a search can tell when there is a new one.
//! 5. Whether a loop ends does not matter, unless the jump back is asked for (see
//!    `essential`).

use heddle_ir::{Callee, FuncId, Op, Operand, Reg, Terminator};
use rustc_hash::FxHashSet;

use crate::facts::{Definition, Facts, operands};
use crate::library::Effect;
use crate::object::{Object, ObjectId, Offset};
use crate::silent::Silent;
use crate::site::Site;

/// A write: where it stands, and what it may write to in one object.
#[derive(Clone, Copy)]
struct Writer {
    site: Site,
    offset: Offset,
    bytes: u32,
}

/// Bytes of which the contents matter.
type Span = (Offset, u32);

/// Work that is left.
#[derive(Clone, Copy, Debug)]
enum Task {
    Register(FuncId, Reg),
    Block(FuncId, u32),
    Branch(FuncId, u32),
    Function(FuncId),
    Result(FuncId, usize),
    Write(Site),
}

/// A slice under construction, and then finished.
pub struct Slice<'a, 'p> {
    facts: &'a Facts<'p>,
    /// Locks that do not matter.
    silent: &'a Silent,
    todo: Vec<Task>,
    registers: FxHashSet<(FuncId, Reg)>,
    blocks: FxHashSet<(FuncId, u32)>,
    functions: FxHashSet<FuncId>,
    results: FxHashSet<(FuncId, usize)>,
    /// Writes to each object, and those that may go anywhere.
    writers: Vec<Vec<Writer>>,
    wild_writers: Vec<Site>,
    wanted: FxHashSet<(ObjectId, Span)>,
    anything: bool,
    everything: bool,
    /// For each site: is it in the slice?
    within: Vec<bool>,
    /// For each access: does the value it reads or writes matter?
    kept: Vec<bool>,
    /// Reads that were executed, by number; all count if nothing is known.
    seen: Option<&'a FxHashSet<u32>>,
    /// Reads whose value matters, but which were not executed yet.
    pub unread: Vec<bool>,
}

impl<'a, 'p> Slice<'a, 'p> {
    pub fn new(
        facts: &'a Facts<'p>,
        silent: &'a Silent,
        seen: Option<&'a FxHashSet<u32>>,
    ) -> Slice<'a, 'p> {
        let mut slice = Slice {
            facts,
            silent,
            todo: Vec::new(),
            registers: FxHashSet::default(),
            blocks: FxHashSet::default(),
            functions: FxHashSet::default(),
            results: FxHashSet::default(),
            writers: vec![Vec::new(); facts.points.objects().len()],
            wild_writers: Vec::new(),
            wanted: FxHashSet::default(),
            anything: false,
            everything: false,
            within: vec![false; facts.sites.len()],
            kept: vec![false; facts.sites.len()],
            seen,
            unread: vec![false; facts.sites.len()],
        };
        slice.find_writers();
        slice
    }

    pub fn contains(&self, site: Site) -> bool {
        self.within[self.facts.sites.number(site)]
    }

    /// Does the value that an access reads or writes matter?
    pub fn keeps(&self, site: Site) -> bool {
        self.kept[self.facts.sites.number(site)]
    }

    /// Instructions and terminators in the slice.
    pub fn len(&self) -> usize {
        self.within.iter().filter(|&&within| within).count()
    }

    pub fn is_empty(&self) -> bool {
        !self.within.contains(&true)
    }

    fn find_writers(&mut self) {
        for (site, inst) in self.facts.instructions() {
            if let Op::Call { args, .. } = &inst.op {
                self.find_library_writer(site, args);
            }
            let Some((address, bytes)) = written(self.facts, &inst.op) else { continue };
            match self.facts.touched(site.function, address, bytes) {
                Some(targets) => {
                    for (object, (offset, bytes)) in targets {
                        let writer = Writer { site, offset, bytes };
                        self.writers[object.0 as usize].push(writer);
                    }
                }
                None => self.wild_writers.push(site),
            }
        }
    }

    /// A library function may write to whatever its arguments point to.
    fn find_library_writer(&mut self, site: Site, args: &[Operand]) {
        let facts = self.facts;
        if !facts.effects(site).any(Effect::matters) || self.silent.calls.contains(&site) {
            return;
        }
        let block = facts.points.objects().find(Object::Heap(site)).map(|object| (object, None));
        let targets = args.iter().flat_map(|&arg| facts.points.targets(site.function, arg));
        for (object, offset) in targets.chain(block) {
            match object {
                ObjectId::WILD => self.wild_writers.push(site),
                _ => self.writers[object.0 as usize].push(Writer { site, offset, bytes: 64 }),
            }
        }
    }

    /// Whether a site is executed matters.
    pub fn need_execution(&mut self, site: Site) {
        self.mark(site);
        self.todo.push(Task::Block(site.function, site.block));
    }

    pub fn need_operand(&mut self, function: FuncId, operand: Operand) {
        if let Operand::Reg(reg) = operand
            && self.registers.insert((function, reg))
        {
            self.todo.push(Task::Register(function, reg));
        }
    }

    /// Where a block goes matters.
    pub fn need_branch(&mut self, function: FuncId, block: u32) {
        self.todo.push(Task::Branch(function, block));
    }

    /// What a function returns matters.
    pub fn need_results(&mut self, function: FuncId) {
        let count = self.facts.program.function(function).returns.len();
        for at in 0..count {
            self.need_result(function, at);
        }
    }

    /// What a call of a library function does matters.
    pub fn need_call(&mut self, site: Site) {
        self.need_execution(site);
        let facts = self.facts;
        let Some(Op::Call { args, callee, .. }) = site.op(facts.program) else { return };
        if let Callee::Indirect(operand) = callee {
            self.need_operand(site.function, *operand);
        }
        for effect in facts.effects(site).collect::<Vec<_>>() {
            if effect == Effect::Nothing {
                continue;
            }
            for &arg in args {
                self.need_operand(site.function, arg);
            }
            match effect {
                Effect::Sync { bytes } => self.need_pointees(site, args, Some(bytes)),
                Effect::Anything | Effect::Reallocate => {
                    self.need_pointees(site, args, None);
                }
                Effect::Create { .. } => {
                    let attributes = args.get(1).copied();
                    self.need_pointees(site, attributes.as_slice(), None);
                }
                // Only what is put somewhere.
                Effect::Join { result } if args.get(result) != Some(&Operand::Const(0)) => {
                    for &entry in &facts.points.entries {
                        self.need_results(entry);
                    }
                }
                _ => {}
            }
        }
    }

    /// What stands where arguments point to matters.
    fn need_pointees(&mut self, site: Site, args: &[Operand], bytes: Option<u32>) {
        for &arg in args {
            match self.facts.targets(site.function, arg) {
                Some(targets) => {
                    for (object, offset) in targets {
                        let span = match bytes {
                            Some(bytes) => (offset, bytes),
                            None => (None, 1),
                        };
                        self.need_bytes(object, span);
                    }
                }
                None if self.facts.points.targets(site.function, arg).is_empty() => {}
                None => self.need_everything(),
            }
        }
    }

    /// Follows all dependences.
    pub fn close(&mut self) {
        while let Some(task) = self.todo.pop() {
            match task {
                Task::Register(function, reg) => self.register(function, reg),
                Task::Block(function, block) => self.block(function, block),
                Task::Branch(function, block) => self.branch(function, block),
                Task::Function(function) => self.function(function),
                Task::Result(function, at) => self.result(function, at),
                Task::Write(site) => self.write(site),
            }
        }
    }

    fn mark(&mut self, site: Site) {
        self.within[self.facts.sites.number(site)] = true;
    }

    fn need_result(&mut self, function: FuncId, at: usize) {
        if self.results.insert((function, at)) {
            self.todo.push(Task::Result(function, at));
        }
    }

    fn register(&mut self, function: FuncId, reg: Reg) {
        let facts = self.facts;
        match facts.definition(function, reg) {
            Definition::Nowhere => {}
            Definition::Param(at) => self.parameter(function, *at),
            Definition::Moves(moves) => {
                for taken in moves {
                    self.need_operand(function, taken.value);
                    self.need_edge(function, taken.block, taken.edge);
                }
            }
            Definition::Inst(site) => self.definition(*site, reg),
        }
    }

    fn definition(&mut self, site: Site, reg: Reg) {
        let facts = self.facts;
        let Some(op) = site.op(facts.program) else { return };
        if self.silent.calls.contains(&site) {
            // It succeeds.
            return;
        }
        self.need_execution(site);
        if let Some(operands) = operands(op) {
            for operand in operands {
                self.need_operand(site.function, operand);
            }
            return;
        }
        match op {
            Op::Load { .. } => self.read(site),
            Op::Rmw { .. } | Op::CmpXchg { .. } => self.write(site),
            Op::Call { dsts, .. } => self.call_result(site, dsts, reg),
            _ => {}
        }
    }

    fn call_result(&mut self, site: Site, dsts: &[Reg], reg: Reg) {
        let facts = self.facts;
        if facts.effects(site).next().is_some() {
            self.need_call(site);
        }
        if let Some(Op::Call { callee: Callee::Indirect(operand), .. }) = site.op(facts.program) {
            self.need_operand(site.function, *operand);
        }
        let Some(at) = dsts.iter().position(|dst| *dst == reg) else { return };
        for &callee in facts.points.callees(site) {
            if facts.points.reachable[callee.0 as usize] {
                self.need_result(callee, at);
            }
        }
    }

    fn parameter(&mut self, function: FuncId, at: usize) {
        let facts = self.facts;
        for &site in facts.points.callers(function) {
            let Some(Op::Call { args, .. }) = site.op(facts.program) else { continue };
            let created = facts.effects(site).find_map(|effect| match effect {
                Effect::Create { data, .. } => Some(data),
                _ => None,
            });
            if let Some(&arg) = args.get(created.unwrap_or(at)) {
                self.need_operand(site.function, arg);
            }
        }
    }

    fn block(&mut self, function: FuncId, block: u32) {
        if !self.blocks.insert((function, block)) {
            return;
        }
        let facts = self.facts;
        for &branch in &facts.flows[function.0 as usize].controllers[block as usize] {
            self.todo.push(Task::Branch(function, branch));
        }
        self.todo.push(Task::Function(function));
    }

    /// Whether an edge is taken matters, for what it assigns.
    fn need_edge(&mut self, function: FuncId, block: u32, edge: u32) {
        let facts = self.facts;
        let body = &facts.program.function(function).blocks[block as usize];
        self.mark(Site { function, block, index: body.insts.len() as u32 });
        for &branch in facts.flows[function.0 as usize].controllers_of_edge(block, edge) {
            self.todo.push(Task::Branch(function, branch));
        }
        self.todo.push(Task::Function(function));
    }

    fn branch(&mut self, function: FuncId, block: u32) {
        let body = &self.facts.program.function(function).blocks[block as usize];
        let index = body.insts.len() as u32;
        self.need_execution(Site { function, block, index });
        match &body.term {
            Terminator::Branch { cond, .. } => self.need_operand(function, *cond),
            Terminator::Switch { value, .. } => self.need_operand(function, *value),
            _ => {}
        }
    }

    /// Whether a function is executed matters.
    fn function(&mut self, function: FuncId) {
        if !self.functions.insert(function) {
            return;
        }
        let facts = self.facts;
        for &site in facts.points.callers(function) {
            self.need_execution(site);
            let Some(Op::Call { callee, args, .. }) = site.op(facts.program) else { continue };
            if let Callee::Indirect(operand) = callee {
                self.need_operand(site.function, *operand);
            }
            for effect in facts.effects(site) {
                if let Effect::Create { entry, .. } = effect
                    && let Some(&entry) = args.get(entry)
                {
                    self.need_operand(site.function, entry);
                }
            }
        }
    }

    fn result(&mut self, function: FuncId, at: usize) {
        let facts = self.facts;
        for (block, body) in facts.program.function(function).blocks.iter().enumerate() {
            let Terminator::Return(values) = &body.term else { continue };
            let index = body.insts.len() as u32;
            self.need_execution(Site { function, block: block as u32, index });
            if let Some(&value) = values.get(at) {
                self.need_operand(function, value);
            }
        }
    }

    /// The value of a load matters.
    fn read(&mut self, site: Site) {
        let facts = self.facts;
        let Some(Op::Load { addr, ty, .. }) = site.op(facts.program) else { return };
        self.kept[facts.sites.number(site)] = true;
        self.need_operand(site.function, *addr);
        self.need_read(site, *addr, ty.bytes(facts.program.pointer_bytes));
    }

    /// What an access reads matters, once it is executed.
    fn need_read(&mut self, site: Site, address: Operand, bytes: u32) {
        let number = self.facts.sites.number(site);
        if self.seen.is_none_or(|seen| seen.contains(&(number as u32))) {
            self.need_at(site.function, address, bytes);
        } else {
            self.unread[number] = true;
        }
    }

    /// What a write leaves behind matters, or what a read-modify-write reads.
    fn write(&mut self, site: Site) {
        let facts = self.facts;
        let number = facts.sites.number(site);
        let Some(op) = site.op(facts.program) else { return };
        if let Op::Call { .. } = op {
            return self.need_call(site);
        }
        if std::mem::replace(&mut self.kept[number], true) {
            return;
        }
        self.need_execution(site);
        let function = site.function;
        match op {
            Op::Store { addr, value, .. } => {
                self.need_operand(function, *addr);
                self.need_operand(function, *value);
            }
            Op::Rmw { addr, value, ty, .. } => {
                self.need_operand(function, *addr);
                self.need_operand(function, *value);
                self.need_read(site, *addr, ty.bytes(facts.program.pointer_bytes));
            }
            Op::CmpXchg { addr, expected, new, ty, .. } => {
                self.need_operand(function, *addr);
                self.need_operand(function, *expected);
                self.need_operand(function, *new);
                self.need_read(site, *addr, ty.bytes(facts.program.pointer_bytes));
            }
            _ => {}
        }
    }

    fn need_at(&mut self, function: FuncId, address: Operand, bytes: u32) {
        match self.facts.touched(function, address, bytes) {
            Some(targets) => {
                for (object, span) in targets {
                    self.need_bytes(object, span);
                }
            }
            None => self.need_everything(),
        }
    }

    /// What these bytes hold matters.
    pub fn need_bytes(&mut self, object: ObjectId, span: Span) {
        if self.everything || !self.wanted.insert((object, span)) {
            return;
        }
        for at in 0..self.writers[object.0 as usize].len() {
            let Writer { site, offset, bytes } = self.writers[object.0 as usize][at];
            if overlap(span, (offset, bytes)) {
                self.todo.push(Task::Write(site));
            }
        }
        if !std::mem::replace(&mut self.anything, true) {
            self.todo.extend(self.wild_writers.iter().map(|&site| Task::Write(site)));
        }
    }

    fn need_everything(&mut self) {
        if std::mem::replace(&mut self.everything, true) {
            return;
        }
        let all = self.writers.iter().flatten().map(|writer| writer.site);
        self.todo.extend(all.chain(self.wild_writers.iter().copied()).map(Task::Write));
    }
}

fn overlap(a: Span, b: Span) -> bool {
    match (a.0, b.0) {
        (Some(x), Some(y)) => {
            x < y.saturating_add(i64::from(b.1)) && y < x.saturating_add(i64::from(a.1))
        }
        _ => true,
    }
}

/// Where an instruction of the program itself writes, and how many bytes.
fn written(facts: &Facts, op: &Op) -> Option<(Operand, u32)> {
    match op {
        Op::Store { addr, ty, .. } | Op::Rmw { addr, ty, .. } | Op::CmpXchg { addr, ty, .. } => {
            Some((*addr, ty.bytes(facts.program.pointer_bytes)))
        }
        _ => None,
    }
}
