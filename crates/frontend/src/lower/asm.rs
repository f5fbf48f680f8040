//! Inline assembly: only what orders memory is understood.

use heddle_ir::{Op, Ordering};

use super::function::FunctionLowering;
use crate::llvm::Value;

impl<'m> FunctionLowering<'_, 'm> {
    pub(super) fn lower_asm(&mut self, inst: Value<'m>, asm: Value<'m>) {
        let text = asm.asm_text();
        match meaning(&text) {
            // A compiler barrier: nothing here moves accesses anyway.
            Some(Meaning::Nothing) if inst.ty().is_void() => {}
            Some(Meaning::FullFence) if inst.ty().is_void() => {
                self.emit(Op::Fence { order: Ordering::SeqCst });
            }
            _ => self.unsupported(format!("inline assembly \"{}\"", as_written(&text))),
        }
    }
}

/// LLVM writes `$$` for a dollar and `$0` for the operand `%0` of the source.
fn as_written(text: &str) -> String {
    let parts: Vec<String> = text.trim().split("$$").map(|part| part.replace('$', "%")).collect();
    parts.join("$")
}

enum Meaning {
    Nothing,
    FullFence,
}

fn meaning(text: &str) -> Option<Meaning> {
    let words: Vec<String> = text
        .split(|c: char| c.is_whitespace() || c == ';')
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        [] | ["pause" | "nop"] | ["rep", "nop"] => Some(Meaning::Nothing),
        ["mfence"] => Some(Meaning::FullFence),
        // The idiom for a full fence without SSE2: a locked no-op on the stack.
        ["lock", "addl" | "addq" | "orl" | "orq", target] if is_stack_noop(target) => {
            Some(Meaning::FullFence)
        }
        ["lock", "addl" | "addq" | "orl" | "orq", zero, stack]
            if is_stack_noop(&format!("{zero}{stack}")) =>
        {
            Some(Meaning::FullFence)
        }
        _ => None,
    }
}

/// `$0,0(%esp)` and its relatives. LLVM writes a dollar of the source as two.
fn is_stack_noop(target: &str) -> bool {
    let Some(rest) = target.strip_prefix("$$0").or_else(|| target.strip_prefix("$0")) else {
        return false;
    };
    let rest = rest.trim_start_matches("x0").trim_start_matches(',');
    rest.ends_with("sp)") && rest.contains("(%")
}
