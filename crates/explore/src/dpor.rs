//! Dynamic partial-order reduction with sleep sets.
//!
//! Flanagan and Godefroid, "Dynamic Partial-Order Reduction for Model Checking
//! Software" (POPL 2005), in the form of Algorithm 1 of "Assertion Guided
//! Abstraction" (Käse). Deviations:
//!
//! 1. Races are looked for when an event is executed, not when it is pending; for
//!    threads that wait for a mutex at the end of an execution they are looked for
//!    then. The backtrack points are the same.
//! 2. Sleep sets are added: a thread in a backtrack set that sleeps is skipped.
//! 3. Inputs are branches of their own (see `Search::pending_input`).

use heddle_semantics::{Choice, MemoryModel, ThreadId};

use crate::search::{Halt, Search};
use crate::sleep::{self, Sleeper};
use crate::trace::EventIndex;

struct Node {
    enabled: Vec<ThreadId>,
    sleep: Vec<Sleeper>,
    /// Still to be taken from here.
    backtrack: Vec<Choice>,
    /// Threads that were ever in the backtrack set.
    chosen: Vec<ThreadId>,
}

impl Node {
    fn add(&mut self, thread: ThreadId) {
        if !self.chosen.contains(&thread) {
            self.chosen.push(thread);
            self.backtrack.push(Choice::Step(thread));
        }
    }
}

pub fn explore<M: MemoryModel>(search: &mut Search<'_, '_, M>) -> Result<(), Halt> {
    search.begin()?;
    let mut nodes = vec![open(search, Vec::new())?];
    while let Some(node) = nodes.last_mut() {
        let Some(choice) = node.backtrack.pop() else {
            nodes.pop();
            if let Some(parent) = nodes.last_mut() {
                let event = search.trace.event(search.trace.len() as u32 - 1);
                parent.sleep.push(Sleeper::of(event));
                search.undo();
            }
            continue;
        };
        if sleep::sleeps(&node.sleep, choice) {
            continue;
        }
        search.step(choice)?;
        let index = search.trace.len() as u32 - 1;
        for race in search.trace.node(index).races.clone() {
            add_backtrack(search, &mut nodes, race, choice.thread(), index);
        }
        let parent = nodes.last().expect("the node the step started from");
        let asleep = sleep::after(&parent.sleep, search.trace.event(index));
        let next = open(search, asleep)?;
        if next.enabled.is_empty() && next.backtrack.is_empty() {
            let end = index + 1;
            for (thread, addr) in search.blocked_locks() {
                for race in search.trace.blocked_lock_races(thread, addr) {
                    add_backtrack(search, &mut nodes, race, thread, end);
                }
            }
        }
        nodes.push(next);
    }
    Ok(())
}

/// A new node with its first choice.
fn open<M: MemoryModel>(search: &mut Search<'_, '_, M>, sleep: Vec<Sleeper>) -> Result<Node, Halt> {
    if let Some((thread, values)) = search.pending_input() {
        let backtrack = values.into_iter().rev().map(|v| Choice::Input(thread, v)).collect();
        return Ok(Node { enabled: vec![thread], sleep, backtrack, chosen: vec![thread] });
    }
    let enabled: Vec<ThreadId> = search.threads().filter(|&t| search.machine.enabled(t)).collect();
    let mut node = Node { enabled, sleep, backtrack: Vec::new(), chosen: Vec::new() };
    if node.enabled.is_empty() {
        search.finish()?;
        return Ok(node);
    }
    let awake = node.enabled.iter().find(|&&t| !sleep::sleeps(&node.sleep, Choice::Step(t)));
    match awake {
        Some(&thread) => node.add(thread),
        None => search.stats.sleep_blocked += 1,
    }
    Ok(node)
}

/// The event at `race` should also be tried after the next step of `thread`
/// (lines 4 to 10 of the algorithm), which is event `until`.
fn add_backtrack<M: MemoryModel>(
    search: &Search<'_, '_, M>,
    nodes: &mut [Node],
    race: EventIndex,
    thread: ThreadId,
    until: EventIndex,
) {
    let node = &nodes[race as usize];
    let leads = |q: ThreadId| {
        q == thread
            || (race + 1..until).any(|k| {
                search.trace.event(k).thread == q && search.trace.leads_to(k, thread, until)
            })
    };
    let candidates: Vec<ThreadId> = node.enabled.iter().copied().filter(|&q| leads(q)).collect();
    let node = &mut nodes[race as usize];
    if candidates.iter().any(|q| node.chosen.contains(q)) {
        return;
    }
    match candidates.iter().find(|&&q| q == thread).or(candidates.first()) {
        Some(&q) => node.add(q),
        None => {
            for q in node.enabled.clone() {
                node.add(q);
            }
        }
    }
}
