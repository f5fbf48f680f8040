//! Inline assembly: only what orders memory is understood, and what hides a value from the
//! optimiser: a text without instructions, whose outputs are the inputs tied to them.

use heddle_ir::{Op, Ordering};

use super::function::FunctionLowering;
use super::operands::{Scalar, Scalars};
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
            Some(Meaning::Nothing) if self.lower_copies(inst, &asm.asm_constraints()) => {}
            _ => self.unsupported(format!("inline assembly \"{}\"", as_written(&text))),
        }
    }

    /// The outputs of a text that does nothing. One without a tied input is whatever its
    /// register held. False if that can't be said.
    fn lower_copies(&mut self, inst: Value<'m>, constraints: &str) -> bool {
        let Some(sources) = sources(constraints) else { return false };
        let Ok(leaves) = self.cx.leaves.of(inst.ty()) else { return false };
        if leaves.len() != sources.len() {
            return false;
        }
        let mut scalars = Scalars::new();
        for (leaf, source) in leaves.iter().zip(sources) {
            let Some(argument) = source else {
                scalars.push(Scalar::Undefined(leaf.ty));
                continue;
            };
            let argument = inst.operand(argument);
            if crate::leaves::scalar(argument.ty()).as_ref() != Ok(&leaf.ty) {
                return false;
            }
            scalars.extend(self.scalars(argument));
        }
        self.alias(inst, scalars);
        true
    }
}

/// For each output that is a value of the call, the argument tied to it. `None` if an
/// argument is tied to one in memory.
fn sources(constraints: &str) -> Option<Vec<Option<u32>>> {
    let all = || constraints.split(',');
    let outputs: Vec<&str> = all().filter(|constraint| constraint.starts_with('=')).collect();
    let in_memory = |output: &str| output.trim_start_matches(['=', '&']).starts_with('*');
    let mut tied = vec![None; outputs.len()];
    // Addresses of outputs in memory are arguments too.
    let first = outputs.iter().filter(|output| in_memory(output)).count() as u32;
    let inputs = all().filter(|constraint| !constraint.starts_with(['=', '~', '!']));
    for (argument, input) in (first..).zip(inputs) {
        if let Ok(output) = input.parse::<usize>() {
            *tied.get_mut(output)? = Some(argument);
        } else if input.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
    }
    let written = outputs.iter().zip(tied);
    if written.clone().any(|(output, source)| in_memory(output) && source.is_some()) {
        return None;
    }
    Some(written.filter(|(output, _)| !in_memory(output)).map(|(_, source)| source).collect())
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

#[cfg(test)]
mod tests {
    use super::sources;

    #[test]
    fn outputs_are_tied_to_inputs() {
        assert_eq!(sources("=r,0,~{memory},~{flags}"), Some(vec![Some(0)]));
        assert_eq!(sources("=&r,=r,1,0,r"), Some(vec![Some(1), Some(0)]));
        assert_eq!(sources("=*m,=r,*m,1"), Some(vec![Some(2)]));
        assert_eq!(sources("=r,~{cc}"), Some(vec![None]));
        assert_eq!(sources("=*r|m,0"), None);
        assert_eq!(sources("=r,1"), None);
    }
}
