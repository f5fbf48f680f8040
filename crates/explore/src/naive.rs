//! Every interleaving of visible steps, with no reduction at all. It is the
//! oracle that the other algorithms are tested against.

use heddle_semantics::{Choice, MemoryModel};

use crate::search::{Halt, Search};

/// Choices left at each depth.
type Stack = Vec<Vec<Choice>>;

pub fn explore<M: MemoryModel>(search: &mut Search<'_, '_, M>) -> Result<(), Halt> {
    search.begin()?;
    let mut stack: Stack = vec![choices(search)];
    if stack[0].is_empty() {
        return search.finish();
    }
    while let Some(left) = stack.last_mut() {
        let Some(choice) = left.pop() else {
            stack.pop();
            if !stack.is_empty() {
                search.undo();
            }
            continue;
        };
        search.step(choice)?;
        let next = choices(search);
        if next.is_empty() {
            search.finish()?;
        }
        stack.push(next);
    }
    Ok(())
}

fn choices<M: MemoryModel>(search: &mut Search<'_, '_, M>) -> Vec<Choice> {
    if let Some((thread, values)) = search.pending_input() {
        return values.into_iter().rev().map(|value| Choice::Input(thread, value)).collect();
    }
    let enabled = search.threads().filter(|&thread| search.machine.enabled(thread));
    let mut choices: Vec<Choice> = enabled.map(Choice::Step).collect();
    choices.reverse();
    choices
}
