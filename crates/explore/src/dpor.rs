//! Dynamic partial-order reduction with sleep sets.
//!
//! Flanagan and Godefroid, "Dynamic Partial-Order Reduction for Model Checking
//! Software" (POPL 2005), in the form of Algorithm 1 of Kusano and Wang,
//! "Assertion Guided Abstraction" (ASE 2014). Deviations:
//!
//! 1. Races are looked for when an event is executed, not when it is pending; for
//!    threads that wait for a mutex at the end of an execution they are looked for
//!    then. So they are for atomic sections: what a section touches depends on
//!    what came before, so steps that are independent of it here may not be when
//!    it comes earlier, and all of the execution must be known.
//! 2. Sleep sets are added: a thread in a backtrack set that sleeps is skipped.
//!    With them the algorithm's choice of any thread that leads to the second
//!    event of a race loses executions: the one it chooses may sleep, while
//!    another that comes before it does not. So the choice is among the initials
//!    of what leads there, as in source sets (Abdulla, Aronis, Jonsson and
//!    Sagonas, JACM 2017, Algorithm 1).
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
        if !search.trace.event(index).varies {
            for race in search.trace.node(index).races.clone() {
                add_backtrack(search, &mut nodes, race, choice.thread(), index);
            }
        }
        let parent = nodes.last().expect("the node the step started from");
        let node = search.trace.node(index);
        let asleep = sleep::after(&parent.sleep, search.machine.last_event(), node.local);
        let next = open(search, asleep)?;
        if next.backtrack.is_empty() {
            // The execution ends here, complete or asleep.
            let end = index + 1;
            for &second in search.trace.racing() {
                let node = search.trace.node(second);
                for &race in node.races.iter().filter(|_| node.event.varies) {
                    add_backtrack(search, &mut nodes, race, node.event.thread, second);
                }
            }
            for (thread, addr, gate) in search.blocked() {
                for race in search.trace.blocked_races(thread, addr, gate) {
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

/// The event at `race` should also be tried after the next step of `thread`,
/// which is event `until` or, for a thread that waits, still to come. What leads
/// to that step and does not depend on the race can start with any of its
/// initials; one of them must be explored from the state before the race.
fn add_backtrack<M: MemoryModel>(
    search: &Search<'_, '_, M>,
    nodes: &mut [Node],
    race: EventIndex,
    thread: ThreadId,
    until: EventIndex,
) {
    let trace = &search.trace;
    let mut sequence: Vec<EventIndex> = Vec::new();
    let mut initials: Vec<ThreadId> = Vec::new();
    for event in (race + 1..trace.len() as EventIndex).filter(|&k| !trace.before(race, k)) {
        if !sequence.iter().any(|&earlier| trace.before(earlier, event)) {
            initials.push(trace.event(event).thread);
        }
        sequence.push(event);
    }
    let follows = |earlier: EventIndex| match (until as usize) < trace.len() {
        // Without the race before it, the step may do more than it did here.
        true => {
            trace.before_attempt(earlier, until)
                || trace.event(until).may_conflict(&trace.event(earlier).footprint)
        }
        false => trace.leads_to(earlier, thread, until),
    };
    if !sequence.into_iter().any(follows) {
        initials.push(thread);
    }
    let node = &mut nodes[race as usize];
    let covered =
        |&q: &ThreadId| node.chosen.contains(&q) || sleep::sleeps(&node.sleep, Choice::Step(q));
    if initials.iter().any(covered) {
        return;
    }
    let enabled: Vec<ThreadId> =
        initials.into_iter().filter(|q| node.enabled.contains(q)).collect();
    match enabled.iter().find(|&&q| q == thread).or(enabled.first()) {
        Some(&q) => node.add(q),
        None => {
            for q in node.enabled.clone() {
                node.add(q);
            }
        }
    }
}
