//! Arrays that are accessed at an index which is not a constant are one cell from the start: to
//! find that in the middle of the analysis would start it again.

use heddle_ir::{DebugType, Op, Operand, Reg};

use super::Analysis;
use super::objects::{Field, Kind, Object};

impl Analysis<'_> {
    pub(super) fn expect_arrays(&mut self) {
        let program = self.program;
        for function in &program.functions {
            for block in &function.blocks {
                for (at, inst) in block.insts.iter().enumerate() {
                    let Op::PtrAdd { dst, base: Operand::Global(id, before), offset, scales } =
                        &inst.op
                    else {
                        continue;
                    };
                    let [scale] = &scales[..] else { continue };
                    let Operand::Reg(_) = scale.index else { continue };
                    let global = program.global(*id);
                    let stride = match global.ty.map(|ty| program.debug_type(ty)) {
                        Some(DebugType::Array { stride, .. }) => *stride,
                        _ => continue,
                    };
                    let (Ok(bytes), Ok(start)) =
                        (u64::try_from(scale.bytes), u64::try_from(before + offset))
                    else {
                        continue;
                    };
                    let later = &block.insts[at + 1..];
                    let Some(size) = later.iter().find_map(|next| self.width_at(&next.op, *dst))
                    else {
                        continue;
                    };
                    if bytes != stride || start + size > stride || global.thread_local {
                        continue;
                    }
                    let count = global.bytes / stride;
                    let object = self.objects.find(Object::Global(*id));
                    if let Some(object) = object.filter(|_| count > 1) {
                        let field = Field { start, size, stride, count, kind: Kind::Plain };
                        self.objects.expect(object, field);
                    }
                }
            }
        }
    }

    /// How many bytes an instruction accesses by this address.
    fn width_at(&self, op: &Op, address: Reg) -> Option<u64> {
        match op {
            Op::Load { ty, addr: Operand::Reg(reg), .. }
            | Op::Store { ty, addr: Operand::Reg(reg), .. }
                if *reg == address =>
            {
                Some(u64::from(ty.bytes(self.program.pointer_bytes)))
            }
            _ => None,
        }
    }
}
