//! Code that others cannot tell was executed: it writes nothing that outlives it, and
//! calls nothing that does.

use std::cell::RefCell;

use heddle_ir::{Callee, FuncId, Function, Op, Operand, Program, Reg};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::library::{Effect, effect};

pub struct Quiet<'p> {
    program: &'p Program,
    /// `None` while a function is looked at, so that recursion is none.
    functions: RefCell<FxHashMap<FuncId, Option<bool>>>,
}

impl<'p> Quiet<'p> {
    pub fn new(program: &'p Program) -> Quiet<'p> {
        Quiet { program, functions: RefCell::default() }
    }

    /// Does the instruction neither write nor call what writes?
    pub fn is_quiet(&self, op: &Op) -> bool {
        match op {
            Op::Store { .. } | Op::Rmw { .. } | Op::CmpXchg { .. } => false,
            Op::Fence { .. } | Op::Nondet { .. } | Op::Unsupported { .. } => false,
            Op::Call { callee: Callee::Direct(callee), .. } => self.is_quiet_function(*callee),
            Op::Call { callee: Callee::Indirect(_), .. } => false,
            Op::Binary { .. }
            | Op::Overflow { .. }
            | Op::Unary { .. }
            | Op::Compare { .. }
            | Op::FloatBinary { .. }
            | Op::FloatNeg { .. }
            | Op::FloatCompare { .. }
            | Op::Cast { .. }
            | Op::Select { .. }
            | Op::Copy { .. }
            | Op::PtrAdd { .. }
            | Op::StackAlloc { .. }
            | Op::ThreadLocal { .. }
            | Op::Load { .. } => true,
        }
    }

    /// Is the whole function quiet? What it writes to variables of its own is gone when it
    /// returns.
    pub fn is_quiet_function(&self, id: FuncId) -> bool {
        if let Some(effect) = effect(self.program, id) {
            return matches!(effect, Effect::Nothing | Effect::Output | Effect::Pure);
        }
        if let Some(known) = self.functions.borrow().get(&id) {
            return known.unwrap_or(false);
        }
        let function = self.program.function(id);
        if function.name.starts_with("__VERIFIER_atomic_") {
            return false;
        }
        self.functions.borrow_mut().insert(id, None);
        let own = own_variables(self.program, function);
        let quiet = function.blocks.iter().flat_map(|block| &block.insts).all(|inst| {
            self.is_quiet(&inst.op) || matches!(inst.op, Op::Store { addr, .. } if own.holds(addr))
        });
        self.functions.borrow_mut().insert(id, Some(quiet));
        quiet
    }
}

/// Registers that hold addresses in variables of a function which nobody else gets at.
pub struct OwnVariables(FxHashSet<Reg>);

impl OwnVariables {
    pub fn holds(&self, address: Operand) -> bool {
        matches!(address, Operand::Reg(reg) if self.0.contains(&reg))
    }
}

/// Variables whose addresses are used by loads and stores only, or given to functions
/// with a body, which may look there while they run.
pub fn own_variables(program: &Program, function: &Function) -> OwnVariables {
    // Each register with an address, and the variable that it is in.
    let mut variable: FxHashMap<Reg, Reg> = FxHashMap::default();
    let insts = || function.blocks.iter().flat_map(|block| &block.insts);
    let mut grown = true;
    while std::mem::take(&mut grown) {
        for inst in insts() {
            let derived = match &inst.op {
                Op::StackAlloc { dst, .. } => Some((*dst, *dst)),
                Op::PtrAdd { dst, base: Operand::Reg(base), .. } => {
                    variable.get(base).map(|&of| (*dst, of))
                }
                _ => None,
            };
            if let Some((reg, of)) = derived {
                grown |= variable.insert(reg, of).is_none();
            }
        }
    }
    let mut shown: FxHashSet<Reg> = FxHashSet::default();
    let mut show = |operand: Operand| {
        if let Operand::Reg(reg) = operand
            && let Some(&of) = variable.get(&reg)
        {
            shown.insert(of);
        }
    };
    for inst in insts() {
        match &inst.op {
            Op::Load { .. } | Op::PtrAdd { .. } => {}
            Op::Store { value, .. } => show(*value),
            Op::Call { callee: Callee::Direct(callee), .. }
                if !program.function(*callee).is_declaration() => {}
            op => op.operands().into_iter().for_each(&mut show),
        }
    }
    for block in &function.blocks {
        block.term.operands().into_iter().for_each(&mut show);
        for edge in block.term.edges() {
            edge.moves.iter().for_each(|&(_, from)| show(from));
        }
    }
    OwnVariables(
        variable.iter().filter(|(_, of)| !shown.contains(of)).map(|(&reg, _)| reg).collect(),
    )
}
