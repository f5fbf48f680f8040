//! Every state once, in the order of preemptions and then of steps.
//!
//! Follows Musuvathi and Qadeer, "Iterative Context Bounding for Systematic Testing of
//! Multithreaded Programs" (PLDI 2007), with states kept. A switch from a thread that
//! could go on is a preemption; a switch from one that waits or has ended is free, and so
//! is a step of a store queue. States are taken in the order of (preemptions, steps), so
//! the first violation that is found has the fewest preemptions, and of these the fewest
//! steps.
//!
//! Deviations.
//! 1. A step of a thread from a state is taken once, at the lowest cost at which it can
//!    be: each visited state remembers which threads have gone on from it. In the paper a
//!    pair of a state and a thread is the unit of search.
//! 2. States are taken and put back by parts that changed, instead of being reached again
//!    by replaying: see `state`.
//! 3. A waiting loop needs no bound and no recognition, its states come back. That all
//!    threads wait in loops for ever is noticed in `stuck`.

mod addresses;
mod intern;
mod shape;
mod state;
mod stuck;
mod table;
mod visited;

use std::collections::BTreeMap;

use heddle_ir::FuncId;
use heddle_semantics::{Choice, Machine, MemoryModel, Pending, ThreadId, Violation, ViolationKind};

use crate::inputs;
use crate::search::{Halt, Search};
use state::{Changes, Snapshot, States};
use table::{Info, Marks, NO_PARENT};
use visited::Visited;

/// Marks of a state: who has gone on from it.
const THREADS: u32 = 21;
const FLUSHED: u32 = 1 << 21;
const ALL: u32 = 1 << 22;
/// It was looked at for threads that wait in loops for ever.
const CHECKED: u32 = 1 << 23;

pub fn explore<M: MemoryModel>(search: &mut Search<'_, '_, M>, entry: FuncId) -> Result<(), Halt> {
    search.begin()?;
    let states = {
        let options = search.options;
        States::new(&mut search.machine, options.leaks, options.strict_states)
    };
    let table = Visited::new(search.options.strict_states);
    let deadlocks = !search.options.ignored.contains(&ViolationKind::Deadlock);
    let mut walk = Walk {
        deadlocks,
        search,
        entry,
        states,
        table,
        queue: BTreeMap::new(),
        waiting: 0,
        since_check: 0,
        choices: Vec::new(),
    };
    let result = walk.run();
    walk.count();
    result
}

/// Fewer preemptions first, then fewer steps.
type Cost = (u32, u32);

/// A state to go on from.
struct Item {
    snapshot: Snapshot,
    entry: u32,
    /// Who ran last.
    last: ThreadId,
    turn: Turn,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// A new state: `last` goes on, and the store queues.
    First,
    /// A state that was reached again by another thread, which goes on.
    Again,
    /// Threads that have not gone on from it yet.
    Others,
}

/// One thing that can happen in a state.
#[derive(Clone, Copy)]
struct Way {
    choice: Choice,
    flush: bool,
}

struct Walk<'w, 'p, 'o, M: MemoryModel> {
    search: &'w mut Search<'p, 'o, M>,
    entry: FuncId,
    /// Deadlocks count.
    deadlocks: bool,
    states: States,
    table: Visited,
    queue: BTreeMap<Cost, Vec<Item>>,
    waiting: u64,
    since_check: u32,
    choices: Vec<Way>,
}

fn bit(thread: ThreadId) -> Option<u32> {
    (thread.0 < THREADS).then(|| 1 << thread.0)
}

impl<M: MemoryModel> Walk<'_, '_, '_, M> {
    fn run(&mut self) -> Result<(), Halt> {
        let info = Info { parent: NO_PARENT, ..Info::default() };
        let (entry, _) = self.table.insert(&mut self.states, info);
        let snapshot = self.states.snapshot();
        self.push((0, 0), Item { snapshot, entry, last: ThreadId::MAIN, turn: Turn::First });
        while let Some((cost, items)) = self.queue.pop_first() {
            self.search.stats.switches = cost.0;
            self.search.stats.max_depth = self.search.stats.max_depth.max(u64::from(cost.1));
            for item in items {
                self.waiting -= 1;
                self.expand(cost, item)?;
            }
        }
        Ok(())
    }

    fn count(&mut self) {
        let stats = &mut self.search.stats;
        stats.states = self.table.count();
        stats.frontier = self.waiting;
        stats.missed = self.table.missed();
        stats.state_bytes = self.table.bytes() + self.states.bytes();
    }

    fn push(&mut self, cost: Cost, item: Item) {
        self.waiting += 1;
        self.queue.entry(cost).or_default().push(item);
    }

    fn check_limits(&mut self) -> Result<(), Halt> {
        self.since_check += 1;
        if self.since_check < 1024 {
            return Ok(());
        }
        self.since_check = 0;
        self.count();
        self.search.check_limits()
    }

    fn options(&mut self) -> bool {
        let mut options = std::mem::take(&mut self.choices);
        let input = ways(&self.search.machine, &mut options);
        self.search.sampled_inputs |= input == Some(false);
        self.choices = options;
        input.is_some()
    }

    fn expand(&mut self, cost: Cost, item: Item) -> Result<(), Halt> {
        let marks = self.table.info(item.entry).marks;
        if item.turn != Turn::First && marks.has(ALL)
            || item.turn == Turn::Again && bit(item.last).is_some_and(|bit| marks.has(bit))
        {
            return Ok(());
        }
        self.states.restore(&mut self.search.machine, &item.snapshot);
        let input = self.options();
        if self.choices.is_empty() {
            return self.finish(item.entry);
        }
        let own = Choice::Step(item.last);
        let goes_on = self.choices.iter().any(|option| option.choice == own);
        // Inputs are nobody's preemption; neither is leaving a thread that can't go on,
        // or one that there is no mark for.
        let all = input || !goes_on || bit(item.last).is_none() || item.turn == Turn::Others;
        let mut left = false;
        for at in 0..self.choices.len() {
            let option = self.choices[at];
            let thread = option.choice.thread();
            let done = match (option.flush, bit(thread)) {
                (true, _) => marks.has(FLUSHED),
                (false, Some(bit)) => marks.has(bit),
                (false, None) => false,
            };
            if done {
                continue;
            }
            if all || option.flush || thread == item.last {
                self.take(cost, &item, at)?;
            } else {
                left = true;
            }
        }
        let marks = &mut self.table.info(item.entry).marks;
        marks.add(FLUSHED | bit(item.last).unwrap_or(0));
        if all {
            marks.add(ALL);
        } else if left && item.turn == Turn::First {
            self.leave_to_others(cost, item);
        }
        Ok(())
    }

    fn leave_to_others(&mut self, cost: Cost, item: Item) {
        match self.search.options.max_switches {
            Some(most) if cost.0 >= most => self.search.cut_switches = Some(most),
            _ => self.push((cost.0 + 1, cost.1), Item { turn: Turn::Others, ..item }),
        }
    }

    /// Takes one of the choices, looks at where it leads, and goes back.
    fn take(&mut self, cost: Cost, item: &Item, at: usize) -> Result<(), Halt> {
        self.check_limits()?;
        let Way { choice, flush } = self.choices[at];
        let stays = flush || matches!(choice, Choice::Input(..));
        let last = if stays { item.last } else { choice.thread() };
        let mut changes = Changes::default();
        self.search.machine.step(choice);
        self.search.stats.transitions += 1;
        self.states.follow(&mut self.search.machine, &mut changes);
        let looped = self.search.machine.looped();
        let violations = match self.search.machine.has_violations() {
            true => self.search.machine.take_violations(),
            false => Vec::new(),
        };
        let info = Info { parent: item.entry, choice: at as u8, marks: Marks::default() };
        let (entry, new) = self.table.insert(&mut self.states, info);
        let next = (cost.0, cost.1 + 1);
        if new || self.may_go_on(entry, last) {
            let turn = if new { Turn::First } else { Turn::Again };
            let snapshot = self.states.snapshot();
            self.push(next, Item { snapshot, entry, last, turn });
        }
        let trouble = match looped && self.deadlocks {
            true => self.look_for_trouble(entry),
            false => None,
        };
        self.search.machine.undo();
        self.states.unfollow(&changes);
        if !violations.is_empty() {
            self.report(item, at, violations)?;
        }
        match trouble {
            Some(trouble) => self.report_trouble(item, entry, trouble),
            None => Ok(()),
        }
    }

    /// A state that is known: has this thread gone on from it?
    fn may_go_on(&mut self, entry: u32, last: ThreadId) -> bool {
        let marks = self.table.info(entry).marks;
        !marks.has(ALL) && bit(last).is_none_or(|bit| !marks.has(bit))
    }

    /// Nothing can happen any more.
    fn finish(&mut self, entry: u32) -> Result<(), Halt> {
        self.table.info(entry).marks.add(ALL);
        let failures = self.search.failure.is_some();
        self.search.choices.clear();
        let before = self.search.findings.violations.len();
        let result = self.search.finish();
        if result.is_err() || self.search.findings.violations.len() != before {
            let path = self.path(entry);
            let choices = self.replay(&path);
            if let Some(failure) = self.search.failure.as_mut().filter(|_| !failures) {
                failure.schedule.threads = self.search.machine.thread_paths().to_vec();
                failure.schedule.choices = choices;
            }
        }
        result
    }

    fn report(&mut self, item: &Item, at: usize, found: Vec<Violation>) -> Result<(), Halt> {
        let mut path = self.path(item.entry);
        path.push(at as u8);
        self.search.choices = self.replay(&path);
        let result = found.into_iter().try_for_each(|violation| self.search.report(violation));
        self.restore_to(item);
        result
    }

    fn restore_to(&mut self, item: &Item) {
        self.states.restore(&mut self.search.machine, &item.snapshot);
        self.options();
    }

    /// Numbers of the choices that led to a state.
    fn path(&mut self, entry: u32) -> Vec<u8> {
        let mut path = Vec::new();
        let mut info = *self.table.info(entry);
        while info.parent != NO_PARENT {
            path.push(info.choice);
            info = *self.table.info(info.parent);
        }
        path.reverse();
        path
    }

    /// Repeats a path from the start in a new machine, where store queues are numbered
    /// as anywhere else.
    fn replay(&mut self, path: &[u8]) -> Vec<Choice> {
        let searched = &self.search.machine;
        let (program, model) = (searched.program(), searched.model().clone());
        let (config, threads) = (searched.config().clone(), searched.thread_paths());
        let machine = Machine::with_threads(program, self.entry, config, model, threads);
        let mut machine = machine.expect("it was made before");
        let (mut choices, mut options) = (Vec::new(), Vec::new());
        for &at in path {
            ways(&machine, &mut options);
            let choice = options[usize::from(at)].choice;
            machine.step(choice);
            choices.push(choice);
        }
        choices
    }
}

/// Everything that can happen in the machine's state, in an order that the state alone
/// decides. If it is an input, whether these are all its values.
fn ways<M: MemoryModel>(machine: &Machine<'_, M>, ways: &mut Vec<Way>) -> Option<bool> {
    ways.clear();
    let threads = || (0..machine.thread_count() as u32).map(ThreadId);
    for thread in threads() {
        if let Some(Pending::Input(kind)) = machine.pending(thread) {
            let (values, complete) = inputs::samples(*kind);
            let choices = values.into_iter().map(|value| Choice::Input(thread, value));
            ways.extend(choices.map(|choice| Way { choice, flush: false }));
            return Some(complete);
        }
    }
    let mut flushes = Vec::new();
    for thread in threads() {
        if machine.queue_owner(thread).is_some() {
            continue;
        }
        if machine.enabled(thread) {
            ways.push(Way { choice: Choice::Step(thread), flush: false });
        }
        machine.flushable(thread, &mut flushes);
    }
    let flushes = flushes.into_iter().map(Choice::Step);
    ways.extend(flushes.map(|choice| Way { choice, flush: true }));
    None
}
