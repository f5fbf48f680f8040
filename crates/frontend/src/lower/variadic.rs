//! Variadic functions of the program.
//!
//! clang expands `va_arg` over the target's own `va_list`; what remains are calls and
//! `va_start`. A caller stores the variadic arguments into an object of its own, laid
//! out as the area of the ABI for arguments that do not fit into registers, and hands
//! its address over as one more argument, after those that have a name. `va_start`
//! makes a `va_list` of it whose registers are used up.
//!
//! The object is as large as what was passed, so whoever asks for more is found out.
//! One is made for each call in the text when its function is entered: a loop does not
//! grow the stack.

use heddle_ir::{Callee, FuncId, Inst, Op, Operand, Ty};

use super::Lowering;
use super::function::FunctionLowering;
use crate::llvm::{Type, Value};

/// What the ABI says about variadic arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Abi {
    /// System V for x86-64: `va_list` is a structure.
    X86_64,
    /// System V for i386: `va_list` is a pointer.
    I386,
    Other,
}

/// Offsets that say of a `va_list` of x86-64 that no argument is left in registers.
const REGISTERS_USED: [u64; 2] = [48, 176];

impl Abi {
    pub fn of(triple: &str, pointer_bytes: u8) -> Abi {
        let arch = triple.split('-').next().unwrap_or_default();
        let is_i386 = arch.len() == 4 && arch.starts_with('i') && arch.ends_with("86");
        match pointer_bytes {
            _ if triple.contains("windows") => Abi::Other,
            8 if arch == "x86_64" => Abi::X86_64,
            4 if is_i386 => Abi::I386,
            _ => Abi::Other,
        }
    }

    /// Every argument starts at a multiple of this.
    fn slot(self) -> u64 {
        if self == Abi::X86_64 { 8 } else { 4 }
    }

    /// The scalars of a `va_list`, with their offsets.
    fn members(self) -> &'static [(u64, Ty)] {
        match self {
            Abi::X86_64 => &[(0, Ty::Int(32)), (4, Ty::Int(32)), (8, Ty::Ptr), (16, Ty::Ptr)],
            _ => &[(0, Ty::Ptr)],
        }
    }
}

/// An argument and where it lies in the area.
struct Passed<'m> {
    value: Value<'m>,
    /// The structure that it points to and that is meant.
    structure: Option<Type<'m>>,
    offset: u64,
}

impl<'m> Lowering<'m> {
    /// Notes how many parameters with names a variadic function has.
    pub(super) fn note_variadic(&mut self, function: Value<'m>, id: FuncId) {
        if function.value_type().is_variadic() && !function.is_declaration() {
            self.variadic.insert(id, function.params().len() as u32);
        }
    }
}

impl<'m> FunctionLowering<'_, 'm> {
    /// The argument of a call from which on they go into an area, if there is one. A
    /// function without a body gets them as they are, for its model.
    pub(super) fn first_variadic(&self, inst: Value<'m>, callee: &Callee) -> Option<u32> {
        let named = match callee {
            Callee::Direct(id) => *self.cx.variadic.get(id)?,
            Callee::Indirect(_) => {
                let ty = inst.called_type();
                ty.is_variadic().then(|| ty.param_count())?
            }
        };
        Some(named.min(inst.argument_count()))
    }

    /// Stores the arguments of a call from `first` on and returns where they are.
    /// `None` if one is unsupported (the stop is emitted).
    pub(super) fn pass_variadic(&mut self, inst: Value<'m>, first: u32) -> Option<Operand> {
        let abi = self.cx.abi;
        if first == inst.argument_count() {
            return Some(Operand::Const(0));
        }
        if abi == Abi::Other {
            self.unsupported("variadic functions on this target");
            return None;
        }
        let (passed, bytes, align) = self.lay_out(inst, first, abi.slot());
        let area = self.fresh(Ty::Ptr);
        let name = Some("variadic arguments".to_owned());
        let count = Operand::Const(1);
        let align = 16.max(align);
        let op = Op::StackAlloc { dst: area, bytes, count, align, name, ty: None };
        self.entry.push(Inst { op, span: self.span, place: None, origin: 0 });
        for argument in passed {
            self.store_argument(Operand::Reg(area), &argument)?;
        }
        Some(Operand::Reg(area))
    }

    fn lay_out(&self, inst: Value<'m>, first: u32, slot: u64) -> (Vec<Passed<'m>>, u64, u64) {
        let mut passed = Vec::new();
        let (mut offset, mut most) = (0u64, slot);
        for index in first..inst.argument_count() {
            let value = inst.operand(index);
            let structure = inst.argument_type(index, self.cx.byval);
            let align = match structure {
                Some(ty) => inst
                    .argument_align(index, self.cx.align)
                    .unwrap_or_else(|| self.cx.layout.align(ty)),
                None => self.cx.layout.align(value.ty()),
            };
            most = most.max(align);
            offset = offset.next_multiple_of(align.max(slot));
            passed.push(Passed { value, structure, offset });
            let bytes = self.cx.layout.size(structure.unwrap_or_else(|| value.ty()));
            offset += bytes.next_multiple_of(slot);
        }
        (passed, offset, most)
    }

    fn store_argument(&mut self, area: Operand, argument: &Passed<'m>) -> Option<()> {
        let addr = self.leaf_address(area, argument.offset);
        if let Some(ty) = argument.structure {
            self.copy_structure(addr, argument.value, ty);
            return Some(());
        }
        let leaves = match self.cx.leaves.of(argument.value.ty()) {
            Ok(leaves) => leaves,
            Err(what) => {
                self.unsupported(format!("{what} as an argument"));
                return None;
            }
        };
        let values = self.operands(argument.value);
        for (leaf, value) in leaves.iter().zip(values) {
            let addr = self.leaf_address(addr, leaf.offset);
            self.emit(Op::Store { ty: leaf.ty, addr, value, order: None, volatile: false });
        }
        Some(())
    }

    pub(super) fn lower_va_start(&mut self, inst: Value<'m>) {
        let abi = self.cx.abi;
        let (Some(area), true) = (self.variadic_area, abi != Abi::Other) else {
            return self.unsupported("va_start on this target");
        };
        let list = self.operand(inst.operand(0));
        let area = Operand::Reg(area);
        let [integers, floats] = REGISTERS_USED.map(Operand::Const);
        let values = match abi {
            Abi::X86_64 => vec![integers, floats, area, Operand::Const(0)],
            _ => vec![area],
        };
        for (&(offset, ty), value) in abi.members().iter().zip(values) {
            let addr = self.leaf_address(list, offset);
            self.emit(Op::Store { ty, addr, value, order: None, volatile: false });
        }
    }

    pub(super) fn lower_va_copy(&mut self, inst: Value<'m>) {
        let abi = self.cx.abi;
        if abi == Abi::Other {
            return self.unsupported("va_copy on this target");
        }
        let (to, from) = (self.operand(inst.operand(0)), self.operand(inst.operand(1)));
        for &(offset, ty) in abi.members() {
            let dst = self.fresh(ty);
            let addr = self.leaf_address(from, offset);
            self.emit(Op::Load { ty, dst, addr, order: None, volatile: false });
            let (addr, value) = (self.leaf_address(to, offset), Operand::Reg(dst));
            self.emit(Op::Store { ty, addr, value, order: None, volatile: false });
        }
    }
}
