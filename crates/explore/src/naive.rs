//! Every interleaving of visible steps, with no reduction at all. It is the
//! oracle that the other algorithms are tested against.
//!
//! With [`Options::places`](crate::Options::places), those that are preempted elsewhere.

use heddle_semantics::{Choice, MemoryModel, ThreadId};

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
    keep_places(search, &mut choices);
    choices
}

/// Whoever ran last goes on, if it can and is not to be preempted there; store queues do as
/// they like.
fn keep_places<M: MemoryModel>(search: &Search<'_, '_, M>, choices: &mut Vec<Choice>) {
    let Some(places) = &search.options.places else { return };
    let machine = &search.machine;
    let thread = |choice: &Choice| match choice {
        Choice::Step(actor) => Some(*actor).filter(|&it| machine.queue_owner(it).is_none()),
        _ => None,
    };
    let last = search.choices.iter().rev().find_map(thread).unwrap_or(ThreadId::MAIN);
    if machine.enabled(last) && !places.may_leave(machine, last) {
        choices.retain(|choice| thread(choice).is_none_or(|it| it == last));
    }
}
