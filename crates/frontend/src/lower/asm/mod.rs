//! Inline assembly for x86: the instructions that lock-free code is made of become the
//! operations of the IR that they are. Anything else stops by its text.
//!
//! An instruction with the prefix `lock`, and `xchg` with memory, is one atomic step. Other
//! accesses are loads and stores of the processor, which no compiler tears: atomic ones, that
//! order what x86 orders. If the compiler may move accesses over the text, which says so by
//! not naming memory, they order nothing.

mod bits;
mod cells;
mod constraints;
mod exchange;
mod execute;
mod flags;
mod operands;
mod text;

use execute::Run;
use text::Dialect;

use super::function::FunctionLowering;
use crate::llvm::Value;

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn lower_asm(&mut self, inst: Value<'m>, asm: Value<'m>) {
        let before = self.insts.len();
        if self.understand_asm(inst, asm).is_none() {
            self.insts.truncate(before);
            self.unsupported(format!("inline assembly \"{}\"", as_written(&asm.asm_text())));
        }
    }

    fn understand_asm(&mut self, inst: Value<'m>, asm: Value<'m>) -> Option<()> {
        let dialect = if asm.asm_is_intel() { Dialect::Intel } else { Dialect::Att };
        let statements = text::parse(&asm.asm_text(), dialect)?;
        let pointer_bytes = self.cx.program.pointer_bytes;
        let constraints = constraints::parse(&asm.asm_constraints(), pointer_bytes)?;
        let mut run = Run::new(self, inst, &constraints)?;
        for statement in &statements {
            run.execute(statement)?;
        }
        run.finish(inst, &constraints)
    }
}

/// LLVM writes `$$` for a dollar and `$0` for the operand `%0` of the source.
fn as_written(text: &str) -> String {
    let parts: Vec<String> = text.trim().split("$$").map(|part| part.replace('$', "%")).collect();
    parts.join("$")
}
