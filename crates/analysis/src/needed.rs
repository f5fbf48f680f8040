//! Registers whose values can make a difference, given which accesses are hidden.
//!
//! What is only stored in idle variables (see `Guidance`), or goes into such values, makes none. Addresses
//! count even where the access is hidden: that it stays in its object was shown for the
//! values that a register can have, not for any.

use heddle_ir::{BinOp, FuncId, Op, Operand, Reg, Terminator};
use rustc_hash::FxHashMap;

use crate::address::address_of;
use crate::facts::{Definition, Facts, operands};
use crate::guide::Role;
use crate::idle_branch::{assigned, lets_time_pass, may_fail};
use crate::object::Object;
use crate::site::Site;

/// For each function that may run and each register of it.
pub fn needed(facts: &Facts, roles: &[Role], idle: &[bool]) -> Vec<Vec<bool>> {
    let functions = &facts.program.functions;
    let needed = functions.iter().map(|function| vec![false; function.regs.len()]).collect();
    let decides = FxHashMap::default();
    let mut search = Search { facts, needed, decides, todo: Vec::new() };
    for function in facts.functions() {
        let body = facts.program.function(function);
        for block in &body.blocks {
            if matches!(block.term, Terminator::Return(_)) {
                continue;
            }
            match assigned(facts.program, body, block) {
                None => search.need(function, block.term.operands()),
                Some(regs) => {
                    for reg in regs {
                        let decides = search.decides.entry((function, reg)).or_default();
                        decides.extend(block.term.operands());
                    }
                }
            }
        }
        // Nobody knows who wants what a thread returns.
        if facts.points.callers(function).iter().any(|&site| !is_call_of(facts, site))
            || facts.points.callers(function).is_empty()
        {
            search.need_results(function);
        }
    }
    for (site, inst) in facts.instructions() {
        let drops = roles[facts.sites.number(site)] == Role::Hidden
            && accesses_only(facts, site, &inst.op, idle);
        search.need(site.function, used(facts, site, &inst.op, drops));
    }
    search.run();
    search.needed
}

/// Does it call functions with bodies only?
fn is_call_of(facts: &Facts, site: Site) -> bool {
    facts.effects(site).next().is_none()
}

struct Search<'a, 'p> {
    facts: &'a Facts<'p>,
    needed: Vec<Vec<bool>>,
    /// Values that decide which way a branch goes, by what is assigned on its ways, if nothing
    /// else depends on it.
    decides: FxHashMap<(FuncId, Reg), Vec<Operand>>,
    todo: Vec<(FuncId, Reg)>,
}

impl Search<'_, '_> {
    fn need(&mut self, function: FuncId, values: impl IntoIterator<Item = Operand>) {
        for value in values {
            if let Operand::Reg(reg) = value
                && !std::mem::replace(&mut self.needed[function.0 as usize][reg.0 as usize], true)
            {
                self.todo.push((function, reg));
            }
        }
    }

    fn need_results(&mut self, function: FuncId) {
        for block in &self.facts.program.function(function).blocks {
            if let Terminator::Return(values) = &block.term {
                self.need(function, values.to_vec());
            }
        }
    }

    fn run(&mut self) {
        let facts = self.facts;
        while let Some((function, reg)) = self.todo.pop() {
            let decides = self.decides.remove(&(function, reg)).unwrap_or_default();
            self.need(function, decides);
            match facts.definition(function, reg) {
                Definition::Nowhere => {}
                Definition::Moves(moves) => self.need(function, moves.iter().map(|m| m.value)),
                Definition::Param(at) => {
                    for &site in facts.points.callers(function) {
                        if let Some(Op::Call { args, .. }) = site.op(facts.program) {
                            self.need(site.function, args.get(*at).copied());
                        }
                    }
                }
                Definition::Inst(site) => {
                    for &callee in facts.points.callees(*site) {
                        self.need_results(callee);
                    }
                    let op = site.op(facts.program);
                    self.need(function, op.and_then(operands).unwrap_or_default());
                }
            }
        }
    }
}

/// Does it access nothing but idle variables?
fn accesses_only(facts: &Facts, site: Site, op: &Op, idle: &[bool]) -> bool {
    let objects = facts.points.objects();
    let idle = |object| match object {
        Object::Global(global) => idle.get(global.0 as usize) == Some(&true),
        _ => false,
    };
    address_of(op).is_some_and(|address| {
        let targets = facts.targets(site.function, address);
        targets.is_some_and(|all| all.iter().all(|target| idle(objects.get(target.0))))
    })
}

/// What an instruction needs whether or not its result matters.
/// `drops`: what it writes is dropped.
fn used(facts: &Facts, site: Site, op: &Op, drops: bool) -> Vec<Operand> {
    match op {
        Op::Store { addr, .. } | Op::Rmw { addr, .. } | Op::CmpXchg { addr, .. } if drops => {
            vec![*addr]
        }
        Op::Call { callee, .. } if is_call_of(facts, site) => match callee {
            heddle_ir::Callee::Indirect(operand) => vec![*operand],
            heddle_ir::Callee::Direct(_) => Vec::new(),
        },
        Op::Call { callee: heddle_ir::Callee::Direct(id), .. }
            if lets_time_pass(facts.program, *id) =>
        {
            Vec::new()
        }
        // It may be a violation.
        Op::Binary { op: BinOp::UDiv | BinOp::SDiv | BinOp::URem | BinOp::SRem, b, .. }
            if may_fail(*b) =>
        {
            op.operands()
        }
        _ if operands(op).is_some() && !matches!(op, Op::StackAlloc { .. }) => Vec::new(),
        _ => op.operands(),
    }
}
