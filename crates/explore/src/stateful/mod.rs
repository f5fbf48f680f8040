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
//!    by replaying: see `state`. A step is taken by the machine once; where the same thread
//!    finds the same bytes again, what came of it is remembered: see `cache` and `moves`.
//! 3. Threads may change places: what is remembered of a state speaks of threads by their
//!    rank in it (see `state`), and a path is found again by what its states look like.
//! 4. With closed places ([`crate::Places`]) a thread that stands at one goes on if it can.
//!    A thread of a rank that has no mark can be left anywhere, and the way to a state that
//!    is told may be one that another instance has.
//! 5. A waiting loop needs no bound and no recognition, its states come back. That all
//!    threads wait in loops for ever is noticed in `stuck`.

mod addresses;
mod cache;
mod canonical;
mod delays;
mod frontier;
mod intern;
mod layers;
mod moves;
mod path;
mod ranking;
mod shape;
mod state;
mod stuck;
mod table;
mod transitions;
mod visited;
mod why_new;

use std::sync::Arc;

use heddle_ir::{FuncId, Span};
use heddle_machine::{End, Machine};
use heddle_semantics::{MemoryModel, ThreadId, ViolationKind};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::search::{Halt, Search};
use crate::supposition::Wrong;
pub use addresses::can_be_told;
use cache::Cache;
use frontier::{Frontier, Room};
use state::{Changes, Common, Snapshot, States};
use table::{Info, Marks, NO_PARENT};
use transitions::{ALL, Deed, FLUSHED, Way, mark, ways};
use visited::Visited;
use why_new::Noted;

pub fn explore<M: MemoryModel>(search: &mut Search<'_, '_, M>, entry: FuncId) -> Result<(), Halt> {
    search.begin()?;
    let options = search.options;
    let table = Visited::new(options.strict_states);
    let common: Arc<Common> = Arc::default();
    let jobs = if options.depth_first || options.why_new { 1 } else { options.jobs };
    let room = Arc::new(Room::new(options.waiting_bytes));
    let mut others: Vec<_> = (1..jobs).map(|_| search.another(entry)).collect();
    let mut walks: Vec<Walk<'_, '_, '_, M>> = std::iter::once(&mut *search)
        .chain(&mut others)
        .map(|search| Walk::new(search, entry, &table, Arc::clone(&common), &room))
        .collect();
    let result = match options.depth_first {
        true => walks[0].run_deep(),
        false => layers::run(&mut walks),
    };
    let bytes = walks.iter().map(|walk| walk.states.bytes()).sum::<u64>();
    let why_new = walks[0].why_new();
    drop(walks);
    for other in &mut others {
        search.take_over(other);
    }
    search.stats.states = table.count();
    if result.is_ok() {
        search.stats.frontier = 0;
    }
    search.stats.missed = table.missed();
    search.stats.state_bytes = table.bytes() + common.bytes() + bytes;
    search.stats.delays = options.delays;
    search.stats.why_new = why_new;
    result?;
    check_names(&search.machine)?;
    search.check_guide()
}

/// Does it matter after all which thread is which, or where objects lie?
fn check_names<M: MemoryModel>(machine: &Machine<'_, M>) -> Result<(), Halt> {
    let config = machine.config();
    if config.interchangeable && machine.identity_matters() {
        return Err(Halt::Wrong(Wrong::Named));
    }
    match !config.fixed_addresses && machine.addresses_matter() {
        true => Err(Halt::Wrong(Wrong::Placed)),
        false => Ok(()),
    }
}

/// Fewer preemptions first, then fewer steps.
type Cost = (u32, u32);

/// A state to go on from.
#[derive(Clone)]
struct Item {
    snapshot: Snapshot,
    entry: u32,
    /// Who ran last, and its mark; 0 if there is none for it.
    last: ThreadId,
    mark: u32,
    turn: Turn,
    /// Threads that were passed over at this state, where delays are counted.
    delays: u32,
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

impl Turn {
    fn number(self) -> u32 {
        match self {
            Turn::First => 0,
            Turn::Again => 1,
            Turn::Others => 2,
        }
    }

    fn from_number(number: u32) -> Turn {
        [Turn::First, Turn::Again, Turn::Others][number as usize]
    }
}

/// One of several searches for the same states.
struct Walk<'w, 'p, 'o, M: MemoryModel> {
    search: &'w mut Search<'p, 'o, M>,
    entry: FuncId,
    /// Deadlocks count.
    deadlocks: bool,
    states: States,
    table: &'w Visited,
    /// States that were reached, to go on from later.
    reached: Frontier,
    room: Arc<Room>,
    /// States that wait elsewhere, and their bytes.
    waiting: u64,
    waiting_bytes: u64,
    since_check: u32,
    /// A step has taken very long, so that something supposed may be wrong.
    doubtful: bool,
    choices: Vec<Way>,
    /// Violations that are known, by kind and place. One way to each is enough.
    known: FxHashSet<(ViolationKind, Span)>,
    /// Whether threads may be preempted, by their parts of a state.
    may_leave: FxHashMap<u32, bool>,
    /// Why there are so many states, if that is asked for.
    noted: Option<Noted>,
}

impl<'w, 'p, 'o, M: MemoryModel> Walk<'w, 'p, 'o, M> {
    fn new(
        search: &'w mut Search<'p, 'o, M>,
        entry: FuncId,
        table: &'w Visited,
        common: Arc<Common>,
        room: &Arc<Room>,
    ) -> Self {
        let options = search.options;
        let (all, whole) = (options.leaks, options.strict_states);
        let mut states = States::new(&mut search.machine, all, whole, common);
        // With an order to keep, a step depends on how far other threads have come.
        let config = search.machine.config();
        states.pure = config.order.is_none() && config.sites.is_none();
        let remember = states.pure && search.machine.program().pointer_bytes == 8;
        states.cache = Cache::new(remember);
        states.inputs = search.inputs.clone();
        Walk {
            deadlocks: !options.ignored.contains(&ViolationKind::Deadlock),
            search,
            entry,
            states,
            table,
            reached: Frontier::new(Arc::clone(room)),
            room: Arc::clone(room),
            waiting: 0,
            waiting_bytes: 0,
            since_check: 0,
            doubtful: false,
            choices: Vec::new(),
            known: FxHashSet::default(),
            may_leave: FxHashMap::default(),
            noted: options.why_new.then(Noted::default),
        }
    }

    /// The state before the first step.
    fn start(&mut self) {
        let info = Info { parent: NO_PARENT, ..Info::default() };
        let (entry, _) = self.table.insert(&mut self.states, info);
        let snapshot = self.states.snapshot();
        let (last, turn) = (ThreadId::MAIN, Turn::First);
        self.push((0, 0), Item { snapshot, entry, last, mark: 0, turn, delays: 0 });
    }

    /// The last state that was found first, whatever it costs.
    fn run_deep(&mut self) -> Result<(), Halt> {
        self.start();
        let mut stack = Vec::new();
        loop {
            while let Some((cost, mut waiting)) = self.reached.pop_first() {
                let from = stack.len();
                while let Some(item) = waiting.next()? {
                    stack.push((cost, item));
                }
                stack[from..].reverse();
            }
            let Some((cost, item)) = stack.pop() else { return Ok(()) };
            self.waiting = stack.len() as u64;
            self.waiting_bytes =
                self.waiting * (size_of::<(Cost, Item)>() + 4 * item.snapshot.len()) as u64;
            let stats = &mut self.search.stats;
            stats.max_depth = stats.max_depth.max(u64::from(cost.1));
            self.expand(cost, item)?;
        }
    }

    fn push(&mut self, cost: Cost, item: Item) {
        self.reached.push(cost, &item);
    }

    /// Takes note of the memory that states take which wait.
    fn note_waiting(&mut self) {
        let (in_memory, on_disk) = self.room.bytes();
        let stats = &mut self.search.stats;
        stats.frontier = self.waiting + self.reached.count();
        let bytes = in_memory + self.waiting_bytes + self.reached.open_bytes();
        stats.frontier_bytes = stats.frontier_bytes.max(bytes);
        stats.disk_bytes = stats.disk_bytes.max(on_disk);
    }

    fn check_limits(&mut self) -> Result<(), Halt> {
        self.since_check += 1;
        if self.since_check < 1024 {
            return Ok(());
        }
        self.since_check = 0;
        self.note_waiting();
        let stats = &mut self.search.stats;
        stats.states = self.table.count();
        stats.state_bytes = self.table.bytes() + self.states.bytes();
        check_names(&self.search.machine)?;
        self.search.check_guide()?;
        self.search.check_limits()
    }

    /// The ways to go on from the present state, for which the threads have an order.
    fn options(&mut self) -> bool {
        let mut options = std::mem::take(&mut self.choices);
        let machine = &mut self.search.machine;
        let mut input = None;
        if !self.states.known_ways(machine, &mut options) {
            self.states.sync(machine);
            input = ways(machine, &self.states, &mut options);
        }
        self.search.sampled_inputs |= input == Some(false);
        self.choices = options;
        input.is_some()
    }

    fn expand(&mut self, cost: Cost, item: Item) -> Result<(), Halt> {
        let marks = self.table.info(item.entry).marks;
        if (item.turn != Turn::First || item.delays > 0) && marks.has(ALL)
            || item.turn == Turn::Again && marks.has(item.mark) && !self.search.options.delays
        {
            return Ok(());
        }
        self.states.load(&mut self.search.machine, &item.snapshot);
        self.states.rank();
        let input = self.options();
        if self.choices.is_empty() {
            return self.finish(item.entry);
        }
        if self.search.options.delays && !input {
            return self.expand_delayed(cost, item, marks);
        }
        let own = Deed::Step(item.last);
        let goes_on = self.choices.iter().any(|option| option.deed == own);
        // Inputs are nobody's preemption; neither is leaving a thread that can't go on,
        // or one that there is no mark for.
        let mark = mark(self.states.rank_of(item.last));
        let deep = self.search.options.depth_first;
        let all = input || !goes_on || mark == 0 || item.turn == Turn::Others || deep;
        let may_leave = all || self.may_leave(item.last);
        let mut left = false;
        for at in 0..self.choices.len() {
            let option = self.choices[at];
            if marks.has(option.mark) {
                continue;
            }
            if all || option.deed.is_flush() || option.deed == own {
                self.take(cost, &item, at)?;
            } else {
                left = true;
            }
        }
        self.table.mark(item.entry, FLUSHED | mark | if all { ALL } else { 0 });
        // Where places are closed, whoever came here first may not have left it to others.
        let first = item.turn == Turn::First || self.search.options.places.is_some();
        if !all && left && first && may_leave {
            self.leave_to_others(cost, item);
        }
        Ok(())
    }

    /// May the thread be preempted where it stands in the present state?
    fn may_leave(&mut self, thread: ThreadId) -> bool {
        let Some(places) = &self.search.options.places else { return true };
        let machine = &mut self.search.machine;
        let part = self.states.thread_part(thread);
        if let Some(&known) = self.may_leave.get(&part) {
            return known;
        }
        self.states.sync(machine);
        let may = places.may_leave(machine, thread);
        self.may_leave.insert(part, may);
        may
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
        if self.doubtful {
            self.search.check_guide()?;
        }
        let deed = self.choices[at].deed;
        let last = match deed {
            Deed::Step(thread) => thread,
            _ => item.last,
        };
        let mut changes = Changes::default();
        self.search.stats.transitions += 1;
        if let Deed::Step(thread) = deed {
            self.note_step(thread);
        }
        let (looped, violates) = self.go(deed, &mut changes);
        let violations = violates && self.is_news();
        let info = Info { parent: item.entry, choice: at as u8, marks: Marks::default() };
        let (entry, new) = self.table.insert(&mut self.states, info);
        let next = (cost.0, cost.1 + 1);
        if let Some(noted) = self.noted.as_mut().filter(|_| new) {
            noted.state(next, entry);
        }
        let mark = mark(self.states.rank_of(last));
        if new || !self.search.options.depth_first && self.may_go_on(entry, mark) {
            let turn = if new { Turn::First } else { Turn::Again };
            let snapshot = self.states.snapshot();
            self.push(next, Item { snapshot, entry, last, mark, turn, delays: 0 });
        }
        // From here on the threads may have another order.
        let trouble = match looped && self.deadlocks {
            true => self.look_for_trouble(entry, last, changes.visible),
            false => None,
        };
        self.states.unfollow(&changes);
        if violations {
            self.report(item, at)?;
        }
        match trouble {
            Some(trouble) => self.report_trouble(entry, trouble),
            None => Ok(()),
        }
    }

    /// Goes where a deed leads, and leaves the machine where it was. Tells whether an iteration of a loop has ended, and
    /// whether something was violated.
    fn go(&mut self, deed: Deed, changes: &mut Changes) -> (bool, bool) {
        let machine = &mut self.search.machine;
        let root = self.states.root_of(deed);
        if let Some(root) = root
            && let Some(looped) = self.states.recall(machine, root, changes)
        {
            debug_assert!(self.is_right(deed, changes), "a step that was remembered wrongly");
            return (looped, false);
        }
        self.states.sync(machine);
        let choice = deed.choice(machine);
        if root.is_some() {
            machine.note_needs();
        }
        machine.step(choice);
        self.doubtful |= machine.turned();
        self.states.follow(machine, changes);
        let looped = machine.looped();
        match root {
            Some(root) if !machine.has_violations() => {
                self.states.learn(machine, root, changes, looped);
            }
            Some(_) => {
                machine.needs();
            }
            None => {}
        }
        machine.undo();
        self.states.let_go(changes);
        (looped, machine.has_violations())
    }

    /// Would the machine get to the present state, too?
    fn is_right(&mut self, deed: Deed, changes: &Changes) -> bool {
        let there = self.states.ids.clone();
        let moved: Vec<(usize, u32)> =
            changes.list.iter().map(|c| (c.at as usize, self.states.ids[c.at as usize])).collect();
        self.states.unfollow(changes);
        let machine = &mut self.search.machine;
        self.states.sync(machine);
        let choice = deed.choice(machine);
        let mut again = Changes::default();
        machine.step(choice);
        self.states.follow(machine, &mut again);
        let right = self.states.ids.starts_with(&there) && !machine.has_violations();
        machine.undo();
        self.states.unfollow(&again);
        let mut once_more = Changes::default();
        self.states.begin_changes(&mut once_more, false);
        for (at, id) in moved {
            self.states.change(at, id, &mut once_more);
        }
        self.states.end_changes(&mut once_more);
        right
    }

    /// A state that is known: has the thread with this mark not gone on from it?
    fn may_go_on(&mut self, entry: u32, mark: u32) -> bool {
        let marks = self.table.info(entry).marks;
        // Where delays are counted, another thread's turn makes others cheaper.
        !marks.has(if self.search.options.delays { ALL } else { ALL | mark })
    }

    /// Nothing can happen any more.
    fn finish(&mut self, entry: u32) -> Result<(), Halt> {
        self.table.mark(entry, ALL);
        check_names(&self.search.machine)?;
        self.search.check_guide()?;
        self.states.sync(&mut self.search.machine);
        match self.search.machine.end() {
            End::Deadlock(violation) if self.deadlocks => {
                if self.known.insert((violation.kind, violation.span)) {
                    return self.finish_again(entry, true);
                }
                self.search.stats.executions += 1;
                self.search.keep_final_state();
                Ok(())
            }
            _ if self.search.options.leaks => self.finish_again(entry, false),
            _ => {
                self.search.choices.clear();
                self.search.finish()
            }
        }
    }

    /// Does the machine's last step violate what was not violated before?
    fn is_news(&mut self) -> bool {
        let found = self.search.machine.take_violations();
        let places = found.iter().map(|violation| (violation.kind, violation.span));
        places.filter(|&place| self.known.insert(place)).count() > 0
    }

    /// Looks at the end of the way to a state in a machine where every join is a step.
    /// `dead`: it must be a deadlock there, too.
    fn finish_again(&mut self, entry: u32, dead: bool) -> Result<(), Halt> {
        let mut choices = self.way_to(entry, None)?.choices;
        let mut machine = self.run_plainly(&mut choices);
        if dead && !matches!(machine.end(), End::Deadlock(_)) {
            return Err(Halt::Lost);
        }
        self.search.choices = if dead { self.without_failures(choices) } else { choices };
        std::mem::swap(&mut self.search.machine, &mut machine);
        let result = self.search.finish();
        std::mem::swap(&mut self.search.machine, &mut machine);
        result
    }

    /// Reports what one of the choices in an item's state violates, as it does on the way
    /// that is found to it.
    fn report(&mut self, item: &Item, at: usize) -> Result<(), Halt> {
        self.search.check_guide()?;
        let found = self.way_to(item.entry, Some(at))?;
        if found.violations.is_empty() {
            return Err(Halt::Lost);
        }
        self.search.choices = found.choices;
        found.violations.into_iter().try_for_each(|violation| self.search.report(violation))
    }
}
