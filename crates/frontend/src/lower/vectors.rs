//! What only vectors have: elements by number, shuffles, and the intrinsics that work on all
//! elements.

use heddle_ir::{BinOp, FloatBinOp, FloatTy, Inst, Op, Operand, Scale, Ty, UnOp};

use super::function::FunctionLowering;
use super::operands::Scalar;
use super::split::Parts;
use crate::llvm::{Type, Value, ValueKind};

impl<'m> FunctionLowering<'_, 'm> {
    /// The index of an element, if the text says it.
    fn constant_index(&self, vector: Type<'m>, index: Value<'m>) -> Option<usize> {
        let known = index.kind() == ValueKind::LLVMConstantIntValueKind;
        let index = known.then(|| index.unsigned())?;
        (index < vector.length()).then_some(index as usize)
    }

    fn element_size(&mut self, vector: Type<'m>) -> Option<usize> {
        match self.cx.leaves.of(vector.element()) {
            Ok(leaves) => Some(leaves.len()),
            Err(what) => {
                self.unsupported(what);
                None
            }
        }
    }

    pub(super) fn lower_extract_element(&mut self, inst: Value<'m>) {
        let (vector, index) = (inst.operand(0), inst.operand(1));
        let Some(size) = self.element_size(vector.ty()) else { return };
        if let Some(index) = self.constant_index(vector.ty(), index) {
            let scalars = self.scalars(vector);
            let part = scalars.into_iter().skip(index * size).take(size).collect();
            return self.alias(inst, part);
        }
        let Some((_, element)) = self.spill(vector, index) else { return };
        let Ok(leaves) = self.cx.leaves.of(inst.ty()) else { return };
        let Some(regs) = self.assign(inst) else { return };
        for (&dst, leaf) in regs.iter().zip(leaves.iter()) {
            let addr = self.leaf_address(element, leaf.offset);
            self.emit(Op::Load { dst, ty: leaf.ty, addr, order: None, volatile: false });
        }
    }

    pub(super) fn lower_insert_element(&mut self, inst: Value<'m>) {
        let (vector, new, index) = (inst.operand(0), inst.operand(1), inst.operand(2));
        let Some(size) = self.element_size(vector.ty()) else { return };
        if let Some(index) = self.constant_index(vector.ty(), index) {
            let mut scalars = self.scalars(vector);
            let new = self.scalars(new);
            for (slot, scalar) in scalars.iter_mut().skip(index * size).zip(new) {
                *slot = scalar;
            }
            return self.alias(inst, scalars);
        }
        let Some((whole, element)) = self.spill(vector, index) else { return };
        let (Ok(parts), Ok(leaves)) = (self.cx.leaves.of(new.ty()), self.cx.leaves.of(inst.ty()))
        else {
            return;
        };
        for (leaf, value) in parts.iter().zip(self.operands(new)) {
            let addr = self.leaf_address(element, leaf.offset);
            self.emit(Op::Store { ty: leaf.ty, addr, value, order: None, volatile: false });
        }
        let Some(regs) = self.assign(inst) else { return };
        for (&dst, leaf) in regs.iter().zip(leaves.iter()) {
            let addr = self.leaf_address(whole, leaf.offset);
            self.emit(Op::Load { dst, ty: leaf.ty, addr, order: None, volatile: false });
        }
    }

    /// Puts a vector into memory of its own, so that an index beyond it is found: where the
    /// vector is, and where the element.
    fn spill(&mut self, vector: Value<'m>, index: Value<'m>) -> Option<(Operand, Operand)> {
        let ty = vector.ty();
        if let Err(what) = self.cx.leaves.in_memory(ty) {
            self.unsupported(what);
            return None;
        }
        let leaves = self.cx.leaves.of(ty).ok()?;
        let (bytes, align) = (self.cx.layout.size(ty), self.cx.layout.align(ty));
        let area = self.fresh(Ty::Ptr);
        let name = Some("vector".to_owned());
        let op =
            Op::StackAlloc { dst: area, bytes, count: Operand::Const(1), align, name, ty: None };
        // Made when the function is entered: a loop does not grow the stack.
        self.entry.push(Inst { op, span: self.span, place: None, origin: 0 });
        let area = Operand::Reg(area);
        for (leaf, value) in leaves.iter().zip(self.operands(vector)) {
            let addr = self.leaf_address(area, leaf.offset);
            self.emit(Op::Store { ty: leaf.ty, addr, value, order: None, volatile: false });
        }
        let Some(Ty::Int(width)) = self.scalar_type(index.ty()) else { return None };
        let index = self.operand(index);
        let count = Some(ty.length());
        let bytes = self.cx.layout.size(ty.element()).cast_signed();
        let dst = self.fresh(Ty::Ptr);
        let scales = vec![Scale { index, width, bytes, count }];
        self.emit(Op::PtrAdd { dst, base: area, offset: 0, scales: scales.into() });
        Some((area, Operand::Reg(dst)))
    }

    pub(super) fn lower_shuffle(&mut self, inst: Value<'m>) {
        let Some(size) = self.element_size(inst.ty()) else { return };
        let Ok(leaves) = self.cx.leaves.of(inst.ty().element()) else { return };
        let mut both = self.scalars(inst.operand(0));
        both.extend(self.scalars(inst.operand(1)));
        let mut chosen = Vec::new();
        for index in inst.shuffle_mask() {
            match index {
                Some(index) => chosen.extend(both.iter().skip(index * size).take(size).copied()),
                None => chosen.extend(leaves.iter().map(|leaf| Scalar::Undefined(leaf.ty))),
            }
        }
        self.alias_parts(inst, chosen);
    }

    /// `select` with a condition for each element.
    pub(super) fn lower_vector_select(&mut self, inst: Value<'m>) {
        let Some(size) = self.element_size(inst.ty()) else { return };
        let conditions = self.operands(inst.operand(0));
        let (then, other) = (self.operands(inst.operand(1)), self.operands(inst.operand(2)));
        let Some(regs) = self.assign(inst) else { return };
        for (at, dst) in regs.into_iter().enumerate() {
            let (then, other) = (then[at], other[at]);
            self.emit(Op::Select { dst, cond: conditions[at / size], then, other });
        }
    }

    /// Emits an intrinsic for each element.
    pub(super) fn lower_elementwise(
        &mut self,
        inst: Value<'m>,
        compute: impl FnMut(&mut Self, &[Parts]) -> Result<Parts, String>,
    ) {
        match self.each_element(inst, compute) {
            Ok(results) => {
                let results = results.into_iter().map(Scalar::Known).collect();
                self.alias_parts(inst, results);
            }
            Err(what) => self.unsupported(what),
        }
    }

    pub(super) fn vector_unary(&mut self, inst: Value<'m>, op: UnOp) {
        let Some(Ty::Int(width)) = self.scalar_type(inst.ty().element()) else { return };
        self.lower_elementwise(inst, |this, parts| {
            Ok([this.emit_unary(op, width, parts[0][0])].into_iter().collect())
        });
    }

    pub(super) fn vector_min_max(&mut self, inst: Value<'m>, op: BinOp) {
        let Some(Ty::Int(width)) = self.scalar_type(inst.ty().element()) else { return };
        self.lower_elementwise(inst, |this, parts| {
            Ok([this.emit_binary(op, width, parts[0][0], parts[1][0])].into_iter().collect())
        });
    }

    pub(super) fn vector_multiply_add(&mut self, inst: Value<'m>) {
        let Some(Ty::Float(ty)) = self.scalar_type(inst.ty().element()) else { return };
        self.lower_elementwise(inst, |this, parts| {
            let product = this.emit_float(FloatBinOp::Mul, ty, parts[0][0], parts[1][0]);
            let sum = this.emit_float(FloatBinOp::Add, ty, product, parts[2][0]);
            Ok([sum].into_iter().collect())
        });
    }

    /// A function of the C library, for each element.
    pub(super) fn vector_call(&mut self, inst: Value<'m>, function: &str) {
        let Some(ty) = self.scalar_type(inst.ty().element()) else { return };
        self.lower_elementwise(inst, |this, parts| {
            let args: Vec<Operand> = parts.iter().map(|part| part[0]).collect();
            let types = vec![ty; args.len()];
            let dst = this.fresh(ty);
            this.call_library(function, args, types, vec![dst], None);
            Ok([Operand::Reg(dst)].into_iter().collect())
        });
    }

    fn emit_float(&mut self, op: FloatBinOp, ty: FloatTy, a: Operand, b: Operand) -> Operand {
        let dst = self.fresh(Ty::Float(ty));
        self.emit(Op::FloatBinary { op, ty, dst, a, b });
        Operand::Reg(dst)
    }

    /// `vector.reduce.add` and its like on integers.
    pub(super) fn lower_reduce(&mut self, inst: Value<'m>, op: BinOp) {
        let Some(Ty::Int(width)) = self.scalar_type(inst.ty()) else { return };
        let elements = self.operands(inst.operand(0));
        let reduced = elements.into_iter().reduce(|a, b| self.emit_binary(op, width, a, b));
        if let Some(result) = reduced {
            self.alias(inst, [Scalar::Known(result)].into());
        }
    }
}
