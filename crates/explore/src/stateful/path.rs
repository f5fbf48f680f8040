//! The way to a state, found again from the start.
//!
//! What is known of a state is the one before it and which way led on from there, as a
//! number among all ways, in the order of the threads' ranks. Followed from the start, that
//! gives a run whose states look like those that were seen; threads may have other names in
//! it. Where two threads look the same, the order may be another one: the hashes of the
//! states tell.

use heddle_machine::{Config, Machine, Pending};
use heddle_semantics::{Choice, MemoryModel, ThreadId, Violation};

use rustc_hash::FxHashMap;

use crate::search::Halt;

use super::Walk;
use super::state::{Changes, States};
use super::table::NO_PARENT;
use super::transitions::{Way, ways};

/// Steps that may be tried in vain.
const TRIES: u32 = 100_000;

/// A run to a state.
pub(super) struct Found {
    /// For a machine in which every join is a step.
    pub choices: Vec<Choice>,
    /// What its last step violates.
    pub violations: Vec<Violation>,
}

/// A state on the way.
#[derive(Clone, Copy)]
struct Link {
    /// Which of the ways led to it.
    way: usize,
    /// Its number, if it is known.
    entry: Option<u32>,
}

impl<'p, M: MemoryModel> Walk<'_, 'p, '_, M> {
    fn links(&self, entry: u32) -> Vec<Link> {
        let mut links = Vec::new();
        let mut entry = entry;
        loop {
            let info = self.table.info(entry);
            if info.parent == NO_PARENT {
                links.reverse();
                return links;
            }
            links.push(Link { way: usize::from(info.choice), entry: Some(entry) });
            entry = info.parent;
        }
    }

    /// A run to a state, and one way further.
    pub(super) fn way_to(&self, entry: u32, way: Option<usize>) -> Result<Found, Halt> {
        Ok(self.trail_to(entry, way)?.found())
    }

    /// The same with all its states.
    pub(super) fn trail_to(&self, entry: u32, way: Option<usize>) -> Result<Trail<'p, M>, Halt> {
        let mut links = self.links(entry);
        links.extend(way.map(|way| Link { way, entry: None }));
        let options = self.search.options;
        let mut config = self.search.machine.config().clone();
        if options.why_new {
            // Also of a search that was stopped.
            config.interrupt = std::sync::Arc::default();
        }
        let mut machine = self.fresh_machine(config);
        let common = self.states.common();
        let (all, whole) = (options.leaks, options.strict_states);
        let mut states = States::new(&mut machine, all, whole, common);
        states.inputs = self.states.inputs.clone();
        let mut trail = Trail { machine, states, taken: Vec::new(), tries: TRIES };
        trail.states.rank();
        let mut arrived = true;
        loop {
            if arrived {
                let Some(link) = links.get(trail.taken.len()) else { return Ok(trail) };
                trail.arrive(link.way);
            }
            let Link { entry, .. } = links[trail.taken.len() - 1];
            let right = |states: &mut _| entry.is_none_or(|at| self.table.is(states, at));
            arrived = trail.go(right);
            if !arrived {
                trail.back()?;
            }
        }
    }

    pub(super) fn fresh_machine(&self, config: Config) -> Machine<'p, M> {
        let searched = &self.search.machine;
        let (program, model) = (searched.program(), searched.model().clone());
        let threads = searched.thread_paths();
        let machine = Machine::with_threads(program, self.entry, config, model, threads);
        machine.expect("it was made before")
    }

    /// A run to a deadlock without the steps that violate something, if there is a deadlock
    /// without them: a replay would stop there.
    pub(super) fn without_failures(&self, choices: Vec<Choice>) -> Vec<Choice> {
        let config = self.search.machine.config().clone();
        let plain = || self.fresh_machine(Config { interchangeable: false, ..config.clone() });
        let mut machine = plain();
        let clean = |&choice: &Choice| {
            machine.step(choice);
            !machine.has_violations()
        };
        let rest: Vec<Choice> = choices.iter().copied().filter(clean).collect();
        let mut machine = plain();
        let possible = rest.iter().all(|&choice| {
            let enabled = machine.enabled(choice.thread());
            if enabled {
                machine.step(choice);
            }
            enabled
        });
        if possible && machine.deadlock().is_some() { rest } else { choices }
    }

    /// Follows a run in a machine where every join is a step, and takes those at its end
    /// that can be taken.
    pub(super) fn run_plainly(&self, choices: &mut Vec<Choice>) -> Machine<'p, M> {
        let config = self.search.machine.config().clone();
        let mut machine = self.fresh_machine(Config { interchangeable: false, ..config });
        for &choice in choices.iter() {
            machine.step(choice);
        }
        let joins = |machine: &Machine<'_, M>| {
            let mut threads = (0..machine.thread_count() as u32).map(ThreadId);
            threads.find(|&thread| {
                let joins = matches!(machine.pending(thread), Some(Pending::Join { .. }));
                joins && machine.enabled(thread)
            })
        };
        let more = self.search.machine.config().interchangeable;
        while let Some(thread) = joins(&machine).filter(|_| more) {
            machine.step(Choice::Step(thread));
            choices.push(Choice::Step(thread));
        }
        machine
    }
}

/// A run that is being looked for.
pub(super) struct Trail<'p, M: MemoryModel> {
    pub machine: Machine<'p, M>,
    pub states: States,
    pub taken: Vec<Stop>,
    tries: u32,
}

/// A state on a trail.
pub(super) struct Stop {
    /// What could be tried, the best last.
    left: Vec<Way>,
    /// How it went on, as so many steps.
    choice: Option<(Choice, usize)>,
    pub changes: Changes,
    /// The thread that took the step, or whose store got to memory.
    thread: ThreadId,
    flush: bool,
    /// What the thread alone looks like, before and after.
    view: (u128, u128),
    /// Others can see what the step did, or it is not told from what the thread looks like.
    shows: bool,
}

impl<M: MemoryModel> Trail<'_, M> {
    /// The run is in a new state, from which the way with this number may lead on.
    fn arrive(&mut self, best: usize) {
        let mut left = Vec::new();
        ways(&self.machine, &self.states, &mut left);
        left.reverse();
        if let Some(at) = left.len().checked_sub(best + 1) {
            let best = left.remove(at);
            left.push(best);
        }
        self.taken.push(Stop {
            left,
            choice: None,
            changes: Changes::default(),
            thread: ThreadId::MAIN,
            flush: false,
            view: (0, 0),
            shows: false,
        });
    }

    /// Goes on from the last state, to one that is right.
    fn go(&mut self, right: impl Fn(&mut States) -> bool) -> bool {
        let Trail { machine, states, taken, tries } = self;
        let stop = taken.last_mut().expect("a state to go on from");
        while let Some(way) = stop.left.pop() {
            if *tries == 0 {
                return false;
            }
            *tries -= 1;
            let choice = way.deed.choice(machine);
            let thread = choice.thread();
            let steps = match machine.pending(thread) {
                Some(Pending::Joins) => machine.joined_together(thread).count(),
                _ => 1,
            };
            machine.take_violations();
            stop.thread = machine.queue_owner(thread).unwrap_or(thread);
            stop.flush = way.deed.is_flush();
            let before = states.view(stop.thread);
            machine.step(choice);
            states.follow(machine, &mut stop.changes);
            stop.view = (before, states.view(stop.thread));
            stop.shows = stop.changes.visible || states.touches_roots(&stop.changes);
            if right(states) {
                stop.choice = Some((choice, steps));
                return true;
            }
            machine.undo();
            states.unfollow(&stop.changes);
        }
        false
    }

    /// The last state leads nowhere.
    fn back(&mut self) -> Result<(), Halt> {
        self.taken.pop();
        let Some(stop) = self.taken.last().filter(|_| self.tries > 0) else {
            return Err(Halt::Lost);
        };
        self.machine.undo();
        self.states.unfollow(&stop.changes);
        Ok(())
    }

    /// Steps of threads that go round a loop, change nothing but themselves, and come back
    /// to where they were. The run is the same without them; and a machine that does not
    /// keep states takes such a round for a wait without an end.
    fn pure_rounds(&self) -> Vec<bool> {
        let mut pure = vec![false; self.taken.len()];
        // By thread: where it was since it last changed anything, and after which step.
        let mut been: FxHashMap<ThreadId, Vec<(u128, usize)>> = FxHashMap::default();
        for (at, stop) in self.taken.iter().enumerate() {
            let Some((choice, _)) = stop.choice else { continue };
            let been = been.entry(stop.thread).or_default();
            let (before, after) = stop.view;
            if stop.shows || stop.flush || matches!(choice, Choice::Input(..)) {
                been.clear();
                continue;
            }
            if been.is_empty() {
                been.push((before, at));
            }
            match been.iter().position(|&(view, _)| view == after) {
                Some(back) => {
                    let since = if back == 0 { been[0].1 } else { been[back].1 + 1 };
                    for (step, other) in self.taken.iter().enumerate().take(at + 1).skip(since) {
                        pure[step] |= other.thread == stop.thread;
                    }
                    been.truncate(back + 1);
                }
                None => been.push((after, at)),
            }
        }
        pure
    }

    fn found(mut self) -> Found {
        let rounds = self.pure_rounds();
        let stops = self.taken.iter().enumerate().filter(|(at, _)| !rounds[*at]);
        let steps = stops.filter_map(|(_, stop)| stop.choice);
        let choices = steps.flat_map(|(choice, steps)| std::iter::repeat_n(choice, steps));
        let choices = choices.collect();
        let violations = match self.taken.is_empty() {
            true => Vec::new(),
            false => self.machine.take_violations(),
        };
        Found { choices, violations }
    }
}
