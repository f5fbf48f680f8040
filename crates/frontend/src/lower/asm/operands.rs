//! How the operands of inline assembly get into the text, and its results out of it.

use heddle_ir::Ty;
use rustc_hash::FxHashMap;

use super::cells::{Cell, Memory, Target};
use super::constraints::{Constraints, Kind};
use super::execute::Run;
use super::flags::Flags;
use super::text::Register;
use crate::leaves::scalar;
use crate::llvm::Value;
use crate::lower::function::FunctionLowering;
use crate::lower::operands::{Scalar, Scalars};

impl<'r, 'a, 'm> Run<'r, 'a, 'm> {
    pub fn new(
        lowering: &'r mut FunctionLowering<'a, 'm>,
        inst: Value<'m>,
        constraints: &Constraints,
    ) -> Option<Self> {
        let mut run = Run {
            lowering,
            operands: Vec::new(),
            cells: Vec::new(),
            registers: FxHashMap::default(),
            flags: Flags::Unknown,
            orders: constraints.clobbers_memory,
        };
        let results = run.lowering.cx.leaves.of(inst.ty()).ok()?;
        let mut results = results.iter().map(|leaf| leaf.ty);
        let mut arguments = 0;
        for operand in &constraints.operands {
            let argument = operand.is_argument().then(|| {
                arguments += 1;
                arguments - 1
            });
            let kind = match operand.kind {
                Kind::Tied(output) if constraints.operands[output].kind == Kind::Pair => {
                    &Kind::Pair
                }
                _ => &operand.kind,
            };
            let target = match argument {
                None => run.enter_output(kind, results.next()?),
                Some(index) => run.enter_argument(inst, index, kind)?,
            };
            run.operands.push(target);
        }
        Some(run)
    }

    fn new_cell(&mut self, kind: &Kind, scalar: Scalar, ty: Ty) -> usize {
        self.cells.push(Cell { scalar, ty, zero_above: false });
        let cell = self.cells.len() - 1;
        if let Kind::Fixed(register) = kind {
            // An input by this name comes after the output by the same.
            self.registers.insert(*register, cell);
        }
        cell
    }

    fn enter_output(&mut self, kind: &Kind, ty: Ty) -> Target {
        Target::Cell(self.new_cell(kind, Scalar::Undefined(ty), ty), None)
    }

    fn enter_argument(&mut self, inst: Value<'m>, index: u32, kind: &Kind) -> Option<Target> {
        let value = inst.operand(index);
        if *kind == Kind::Memory {
            let element = inst.argument_type(index, self.lowering.cx.element_type)?;
            let addr = self.lowering.operand(value);
            let place = self.lowering.place(value, element);
            return Some(Target::Memory(Memory { addr, ty: scalar(element).ok(), place }));
        }
        let ty = scalar(value.ty()).ok()?;
        let given = *self.lowering.scalars(value).first()?;
        let cell = match *kind {
            Kind::Tied(output) => match *self.operands.get(output)? {
                Target::Cell(cell, _) => cell,
                _ => return None,
            },
            Kind::Fixed(register) if self.registers.contains_key(&register) => {
                self.registers[&register]
            }
            _ => self.new_cell(kind, given, ty),
        };
        self.cells[cell] = Cell { scalar: given, ty, zero_above: false };
        if *kind == Kind::Pair {
            let whole = self.lowering.define(given);
            self.write_pair(Register::AX, Register::DX, whole)?;
        }
        Some(Target::Cell(cell, None))
    }

    /// Gives the call its results.
    pub fn finish(mut self, inst: Value<'m>, constraints: &Constraints) -> Option<()> {
        let results = self.lowering.cx.leaves.of(inst.ty()).ok()?;
        let mut results = results.iter().map(|leaf| leaf.ty);
        let mut scalars = Scalars::new();
        for (operand, target) in constraints.operands.iter().zip(self.operands.clone()) {
            if operand.is_argument() {
                continue;
            }
            let ty = results.next()?;
            let Target::Cell(cell, _) = target else { return None };
            scalars.push(match &operand.kind {
                Kind::Flag(code) => {
                    let condition = self.flags.condition(self.lowering, code)?;
                    Scalar::Known(self.widen(condition, 1, self.bits(ty)))
                }
                Kind::Pair => Scalar::Known(self.read_pair(Register::AX, Register::DX)?),
                _ => self.result(cell, ty)?,
            });
        }
        if !scalars.is_empty() {
            self.lowering.alias(inst, scalars);
        }
        Some(())
    }

    fn result(&mut self, cell: usize, ty: Ty) -> Option<Scalar> {
        let held = self.cells[cell];
        if held.ty == ty {
            return Some(held.scalar);
        }
        let word = self.read(Target::Cell(cell, None), self.bits(ty))?;
        Some(Scalar::Known(self.convert(word, ty)))
    }
}
