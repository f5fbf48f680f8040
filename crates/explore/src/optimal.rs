//! Optimal dynamic partial-order reduction: source sets and wakeup trees.
//!
//! Abdulla, Aronis, Jonsson and Sagonas, "Source Sets: A Foundation for Optimal
//! Dynamic Partial Order Reduction" (JACM 2017), Algorithm 2. Each Mazurkiewicz
//! trace is explored exactly once, and no exploration is given up because
//! everything enabled sleeps. Deviations:
//!
//! 1. The state is undone, not replayed; the search is a loop over a stack.
//! 2. An operation that waits at a gate (a lock acquisition) races with the last
//!    event before which the gate was open (see `trace`). Threads that wait when
//!    an execution ends take part in race detection with their pending operation.
//!    Where a reversed operation finds its gate closed after all, its branch is
//!    given up.
//! 3. Inputs are read as soon as they are pending, each value a branch of its
//!    own. Where a wakeup tree leads to an input, it says which values.
//! 4. The second event of a race may do something else when it comes first: a
//!    failed compare-and-exchange may succeed, an atomic section take another
//!    way. Then the reversed sequence is tried out, so that what is compared with
//!    sleep sets and wakeup trees are always events as they really are.

use heddle_semantics::{Access, AccessKind, Choice, MemoryModel};

use crate::search::{Halt, Search};
use crate::sleep::{self, Sleeper};
use crate::trace::{EventIndex, Trace};
use crate::wakeup::{Buffers, Last, Sequence, Wake};

/// A state on the current execution.
struct Node {
    sleep: Vec<Sleeper>,
    /// What is left to explore from here; the first is under way.
    branches: Vec<Wake>,
}

pub fn explore<M: MemoryModel>(search: &mut Search<'_, '_, M>) -> Result<(), Halt> {
    search.begin()?;
    let mut nodes = Vec::new();
    let mut buffers = Buffers::default();
    open(search, &mut nodes, Vec::new(), Vec::new(), &mut buffers)?;
    while let Some(node) = nodes.last_mut() {
        let Some(wake) = node.branches.first_mut() else {
            nodes.pop();
            if let Some(parent) = nodes.last_mut() {
                parent.branches.remove(0);
                let event = search.trace.event(search.trace.len() as EventIndex - 1);
                parent.sleep.push(Sleeper::of(event));
                search.undo();
            }
            continue;
        };
        let choice = wake.choice();
        if !search.machine.enabled(choice.thread()) {
            // The reversed step has to wait here after all: there is no such
            // execution. What led here goes on as it can.
            search.stats.infeasible += 1;
            node.branches.remove(0);
            if node.branches.is_empty() {
                let node = nodes.pop().expect("the node at hand");
                open(search, &mut nodes, node.sleep, Vec::new(), &mut buffers)?;
            }
            continue;
        }
        let subtree = std::mem::take(&mut wake.children);
        search.step(choice)?;
        let last = search.trace.node(search.trace.len() as EventIndex - 1);
        let asleep = sleep::after(&node.sleep, search.machine.last_event(), last.local);
        open(search, &mut nodes, asleep, subtree, &mut buffers)?;
    }
    Ok(())
}

/// Pushes the node for the current state. Without a wakeup tree to follow, any
/// thread that is awake will do.
fn open<M: MemoryModel>(
    search: &mut Search<'_, '_, M>,
    nodes: &mut Vec<Node>,
    sleep: Vec<Sleeper>,
    branches: Vec<Wake>,
    buffers: &mut Buffers,
) -> Result<(), Halt> {
    let mut node = Node { sleep, branches };
    if node.branches.is_empty() {
        let mut blocked = false;
        if let Some((thread, values)) = search.pending_input() {
            let choices = values.into_iter().map(|value| Choice::Input(thread, value));
            let awake = choices.filter(|&choice| !sleep::sleeps(&node.sleep, choice));
            node.branches.extend(awake.map(Wake::step));
            blocked = node.branches.is_empty();
        } else {
            let mut any = false;
            let last = search.choices.last().map(|choice| choice.thread());
            let order = last.into_iter().chain(search.threads().filter(|&t| Some(t) != last));
            for thread in order {
                if search.machine.enabled(thread) {
                    any = true;
                    if !sleep::sleeps(&node.sleep, Choice::Step(thread)) {
                        node.branches.push(Wake::step(Choice::Step(thread)));
                        break;
                    }
                }
            }
            if !any {
                search.finish()?;
                reverse_races(search, nodes, buffers);
            }
            blocked |= any && node.branches.is_empty();
        }
        if blocked {
            search.stats.sleep_blocked += 1;
        }
    }
    nodes.push(node);
    Ok(())
}

/// For every race of the finished execution, makes sure that the reversed order
/// is explored too.
fn reverse_races<M: MemoryModel>(
    search: &mut Search<'_, '_, M>,
    nodes: &mut [Node],
    buffers: &mut Buffers,
) {
    let mut unsure = Vec::new();
    let trace = &search.trace;
    for &second in trace.racing() {
        for &first in &trace.node(second).races {
            match outcome(trace, first, second) {
                Last::Unsure(_) => unsure.push((first, second)),
                last => reverse(trace, &mut nodes[first as usize], first, last, buffers),
            }
        }
    }
    for (thread, addr, gate) in search.blocked() {
        let access = Access { addr, len: gate.bytes(), kind: gate.access() };
        for first in search.trace.blocked_races(thread, addr, gate) {
            let last = Last::Blocked(thread, access);
            reverse(&search.trace, &mut nodes[first as usize], first, last, buffers);
        }
    }
    for (first, second) in unsure {
        reverse_unsure(search, &mut nodes[first as usize], first, second, buffers);
    }
}

/// What the second event of a race does without the first before it.
fn outcome(trace: &Trace, first: EventIndex, second: EventIndex) -> Last {
    let (before, after) = (trace.event(first), trace.event(second));
    let reads = before.footprint.iter().all(|access| access.kind.is_read());
    if after.varies {
        return Last::Unsure(second);
    }
    if !after.conditional {
        // An acquisition may also follow other reads of the object that race with it.
        let unsure = after.gate.is_some() && reads;
        return if unsure { Last::Unsure(second) } else { Last::Reversed(second) };
    }
    let [access] = after.footprint.as_slice() else { return Last::Unsure(second) };
    let writes = |found: u64| match (after.compared, after.exchanged) {
        (Some(expected), _) => Some(found == expected),
        (None, Some(new)) => Some(found != new),
        (None, None) => None,
    };
    if writes(0).is_none() {
        return Last::Unsure(second);
    }
    if reads {
        return Last::Reversed(second);
    }
    // Nothing else that could come before it touches these bytes: what it finds
    // there is what the first event found.
    let same = |other: &&Access| (other.addr, other.len) == (access.addr, access.len);
    let found = before.words.iter().find(|word| word.0 == access.addr);
    match (before.footprint.iter().find(same), found) {
        (Some(_), Some(&(_, found))) if !before.varies => {
            let kind = match writes(found) {
                Some(true) => AccessKind::Write,
                _ => AccessKind::FailedWrite,
            };
            Last::Changed(second, Access { kind, ..*access })
        }
        _ => Last::Unsure(second),
    }
}

/// Inserts, at the state before `first`, everything that does not depend on
/// `first`, and then `last`.
fn reverse(trace: &Trace, node: &mut Node, first: EventIndex, last: Last, buffers: &mut Buffers) {
    let sequence = Sequence::avoiding(trace, first, last, buffers);
    if !sequence.is_covered_by(&node.sleep) {
        // The branch under way starts with `first` itself, which can't be first here.
        sequence.insert(&mut node.branches, 1);
    }
}

/// As [`reverse`], for a second event that may do something else when it comes
/// first. Unless the sequence is covered whatever it does, finds out by running
/// it; the current execution is taken back as far as needed and then repeated.
fn reverse_unsure<M: MemoryModel>(
    search: &mut Search<'_, '_, M>,
    node: &mut Node,
    first: EventIndex,
    second: EventIndex,
    buffers: &mut Buffers,
) {
    let mut sequence = Sequence::avoiding(&search.trace, first, Last::Unsure(second), buffers);
    if sequence.is_covered_by(&node.sleep) {
        return;
    }
    let choices = sequence.choices();
    if sequence.is_in(&mut node.branches, 1) {
        return;
    }
    let current = search.choices[first as usize..].to_vec();
    search.take_back(current.len());
    let executed = search.repeat(&choices);
    if executed == choices.len() {
        let sequence = Sequence::from(&search.trace, first, buffers);
        if !sequence.is_covered_by(&node.sleep) {
            sequence.insert(&mut node.branches, 1);
        }
    } else {
        search.stats.infeasible += 1;
    }
    search.take_back(executed);
    search.repeat(&current);
}
