//! The thread pointer: an address that is another in each thread.

use heddle_ir::{Global, GlobalId, Init, Op, Operand, Span, Ty};

use super::Lowering;
use super::function::FunctionLowering;

impl FunctionLowering<'_, '_> {
    pub(super) fn thread_pointer(&mut self) -> Operand {
        let global = self.cx.thread_block();
        let dst = self.fresh(Ty::Ptr);
        self.emit(Op::ThreadLocal { dst, global });
        Operand::Reg(dst)
    }
}

impl Lowering<'_> {
    /// What is in the block is the C library's business: nobody else has a byte there.
    fn thread_block(&mut self) -> GlobalId {
        if let Some(known) = self.thread_block {
            return known;
        }
        let id = GlobalId(u32::try_from(self.program.globals.len()).unwrap_or(u32::MAX));
        let pointer_bytes = u64::from(self.program.pointer_bytes);
        self.program.globals.push(Global {
            name: "thread block".to_owned(),
            source_name: None,
            bytes: 0,
            align: pointer_bytes,
            constant: false,
            thread_local: true,
            init: Some(Init::default()),
            ty: None,
            span: Span::UNKNOWN,
        });
        self.thread_block = Some(id);
        id
    }
}
