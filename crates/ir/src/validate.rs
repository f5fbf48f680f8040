//! Structural checks of a program: what every engine may take for granted.

use crate::{
    Block, BlockId, Callee, Edge, Function, GlobalId, Op, Operand, Program, Reg, Symbol,
    Terminator, Ty,
};

/// The first thing found wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid IR in {location}: {message}")]
pub struct ValidateError {
    /// A function (with block) or global.
    pub location: String,
    pub message: String,
}

/// Checks that all indexes are in range, registers are assigned once and before
/// use, widths lie in 1..=64, and edges fit their targets.
pub fn validate(program: &Program) -> Result<(), ValidateError> {
    if !matches!(program.pointer_bytes, 4 | 8) {
        return Err(error("program", format!("pointers of {} bytes", program.pointer_bytes)));
    }
    for global in &program.globals {
        let location = format!("global {}", global.name);
        let Some(init) = &global.init else { continue };
        if init.bytes.len() as u64 > global.bytes {
            return Err(error(&location, "more initial bytes than the global has".to_owned()));
        }
        for relocation in &init.relocations {
            let exists = match relocation.symbol {
                Symbol::Global(id) => (id.0 as usize) < program.globals.len(),
                Symbol::Function(id) => (id.0 as usize) < program.functions.len(),
            };
            let end = relocation.offset.checked_add(u64::from(program.pointer_bytes));
            if !exists || end.is_none_or(|end| end > global.bytes) {
                return Err(error(&location, format!("bad relocation at {}", relocation.offset)));
            }
        }
    }
    if let Some(bad) = program.constructors.iter().find(|c| c.0 as usize >= program.functions.len())
    {
        return Err(error("program", format!("constructor {} does not exist", bad.0)));
    }
    for function in &program.functions {
        Checker::new(program, function).check()?;
    }
    Ok(())
}

fn error(location: &str, message: String) -> ValidateError {
    ValidateError { location: location.to_owned(), message }
}

/// Who assigns a register. Moves on the edges into one block count as one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Assigned {
    Never,
    Once,
    OnEdgesTo(BlockId),
}

struct Checker<'a> {
    program: &'a Program,
    function: &'a Function,
    assigned: Vec<Assigned>,
    block: usize,
}

impl<'a> Checker<'a> {
    fn new(program: &'a Program, function: &'a Function) -> Self {
        let assigned = vec![Assigned::Never; function.regs.len()];
        Checker { program, function, assigned, block: 0 }
    }

    fn check(&mut self) -> Result<(), ValidateError> {
        let function = self.function;
        self.require(function.regs.len() == function.reg_names.len(), || {
            "registers and their names differ in number".to_owned()
        })?;
        for &ty in function.regs.iter().chain(&function.returns) {
            self.check_type(ty)?;
        }
        for &param in &function.params {
            self.assign(param)?;
        }
        for (index, block) in function.blocks.iter().enumerate() {
            self.block = index;
            self.check_assignments(block)?;
        }
        for (index, block) in function.blocks.iter().enumerate() {
            self.block = index;
            self.check_uses(block)?;
        }
        Ok(())
    }

    fn require(&self, holds: bool, message: impl FnOnce() -> String) -> Result<(), ValidateError> {
        if holds {
            return Ok(());
        }
        Err(error(&format!("function {} block {}", self.function.name, self.block), message()))
    }

    fn check_type(&self, ty: Ty) -> Result<(), ValidateError> {
        match ty {
            Ty::Int(width) => self.check_width(width),
            Ty::Ptr | Ty::Float(_) => Ok(()),
        }
    }

    fn check_width(&self, width: u8) -> Result<(), ValidateError> {
        self.require((1..=64).contains(&width), || format!("width {width}"))
    }

    fn slot(&mut self, reg: Reg) -> Result<&mut Assigned, ValidateError> {
        self.require((reg.0 as usize) < self.assigned.len(), || format!("no register {}", reg.0))?;
        Ok(&mut self.assigned[reg.0 as usize])
    }

    fn assign(&mut self, reg: Reg) -> Result<(), ValidateError> {
        let slot = self.slot(reg)?;
        let free = *slot == Assigned::Never;
        *slot = Assigned::Once;
        self.require(free, || format!("register {} is assigned twice", reg.0))
    }

    fn check_assignments(&mut self, block: &Block) -> Result<(), ValidateError> {
        for inst in &block.insts {
            for dst in inst.op.destinations() {
                self.assign(dst)?;
            }
        }
        for edge in block.term.edges() {
            self.check_edge(edge)?;
        }
        Ok(())
    }

    fn check_edge(&mut self, edge: &Edge) -> Result<(), ValidateError> {
        let target = edge.target;
        self.require((target.0 as usize) < self.function.blocks.len(), || {
            format!("no block {}", target.0)
        })?;
        self.require(target != BlockId::ENTRY, || "jump to the entry block".to_owned())?;
        for (position, &(reg, _)) in edge.moves.iter().enumerate() {
            let slot = self.slot(reg)?;
            let fits = matches!(*slot, Assigned::Never) || *slot == Assigned::OnEdgesTo(target);
            *slot = Assigned::OnEdgesTo(target);
            self.require(fits, || format!("register {} is assigned twice", reg.0))?;
            let again = edge.moves[..position].iter().any(|&(other, _)| other == reg);
            self.require(!again, || format!("two moves to register {} on one edge", reg.0))?;
        }
        Ok(())
    }

    fn check_uses(&self, block: &Block) -> Result<(), ValidateError> {
        for inst in &block.insts {
            self.check_op(&inst.op)?;
            let place = inst.place.is_none_or(|p| (p.0 as usize) < self.program.places.len());
            self.require(place, || "place out of range".to_owned())?;
        }
        for edge in block.term.edges() {
            for &(_, value) in &edge.moves {
                self.check_operand(value)?;
            }
        }
        match &block.term {
            Terminator::Branch { cond, .. } => self.check_operand(*cond),
            Terminator::Switch { width, value, .. } => {
                self.check_width(*width)?;
                self.check_operand(*value)
            }
            Terminator::Return(values) => {
                self.require(values.len() == self.function.returns.len(), || {
                    format!("returns {} values", values.len())
                })?;
                values.iter().try_for_each(|&value| self.check_operand(value))
            }
            Terminator::Jump(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => {
                Ok(())
            }
        }
    }

    fn check_global(&self, id: GlobalId) -> Result<(), ValidateError> {
        let exists = (id.0 as usize) < self.program.globals.len();
        self.require(exists, || format!("no global {}", id.0))
    }

    fn check_operand(&self, operand: Operand) -> Result<(), ValidateError> {
        match operand {
            Operand::Const(_) => Ok(()),
            Operand::Reg(reg) => {
                let slot = self.assigned.get(reg.0 as usize);
                let defined = slot.is_some_and(|slot| *slot != Assigned::Never);
                self.require(defined, || format!("register {} is never assigned", reg.0))
            }
            Operand::Global(id, _) => {
                self.check_global(id)?;
                self.require(!self.program.global(id).thread_local, || {
                    "address of a thread-local global as an operand".to_owned()
                })
            }
            Operand::Function(id) => {
                let exists = (id.0 as usize) < self.program.functions.len();
                self.require(exists, || format!("no function {}", id.0))
            }
        }
    }

    fn check_op(&self, op: &Op) -> Result<(), ValidateError> {
        for operand in op.operands() {
            self.check_operand(operand)?;
        }
        match op {
            Op::Binary { width, .. }
            | Op::Overflow { width, .. }
            | Op::Unary { width, .. }
            | Op::Compare { width, .. } => self.check_width(*width),
            Op::Cast { from, to, .. } => {
                self.check_type(*from)?;
                self.check_type(*to)
            }
            Op::PtrAdd { scales, .. } => {
                scales.iter().try_for_each(|scale| self.check_width(scale.width))
            }
            Op::ThreadLocal { global, .. } => {
                self.check_global(*global)?;
                self.require(self.program.global(*global).thread_local, || {
                    "thread-local address of a plain global".to_owned()
                })
            }
            Op::Load { ty, .. } | Op::Store { ty, .. } => self.check_type(*ty),
            Op::Rmw { ty, .. } | Op::CmpXchg { ty, .. } => self.check_type(*ty),
            Op::Call { callee, args, arg_tys, .. } => {
                if let Callee::Direct(id) = callee {
                    self.check_operand(Operand::Function(*id))?;
                }
                arg_tys.iter().try_for_each(|&ty| self.check_type(ty))?;
                self.require(args.len() == arg_tys.len(), || {
                    "arguments and their types differ in number".to_owned()
                })
            }
            Op::FloatBinary { .. }
            | Op::FloatNeg { .. }
            | Op::FloatCompare { .. }
            | Op::Select { .. }
            | Op::Copy { .. }
            | Op::StackAlloc { .. }
            | Op::Fence { .. }
            | Op::Nondet { .. }
            | Op::Unsupported { .. } => Ok(()),
        }
    }
}
