//! Threads that wait in loops for ever.
//!
//! If every thread that can move comes back, alone and without changing anything that
//! others could see, to the state it is in, then nothing will ever change: all they do is
//! read. In a state from which the program can't get away, all threads that move can be
//! at the end of an iteration. So it is enough to look at states that are reached by a
//! step that ends an iteration and changes nothing but its thread.
//!
//! Others may loop for ever, and change things, beside threads that wait for each other.
//! So states that the end of an iteration leads to are looked at for these, too.
//!
//! What is found is confirmed, and described, by a machine that recognises waiting loops.

use heddle_semantics::{Choice, Config, End, Machine, MemoryModel, Status, ThreadId, Violation};

use rustc_hash::FxHashMap;

use crate::search::Halt;

use super::state::Changes;
use super::{CHECKED, Walk, Way, ways};

/// Steps after which an iteration is taken not to come back.
const LONG: usize = 1_000;

/// What is wrong with a state.
pub(super) enum Trouble {
    /// All threads that move do so in loops, for ever.
    Stuck,
    /// Some threads wait for each other, whatever others do.
    Dead,
}

impl<M: MemoryModel> Walk<'_, '_, '_, M> {
    /// Looks at the machine's state, unless that was done.
    pub(super) fn look_for_trouble(&mut self, entry: u32) -> Option<Trouble> {
        if self.table.mark(entry, CHECKED).has(CHECKED) {
            return None;
        }
        if self.is_stuck() {
            return Some(Trouble::Stuck);
        }
        let machine = &self.search.machine;
        let waits = |thread: ThreadId| machine.wait_of(thread).is_some();
        if !self.search.threads().any(waits) {
            return None;
        }
        self.search.machine.deadlock()?;
        self.counts().then_some(Trouble::Dead)
    }

    /// What is wrong with a state is reported with the way on which it was first reached,
    /// which is a shortest one: no thread goes round a waiting loop on it, where the
    /// machine that confirms it would give up.
    pub(super) fn report_trouble(&mut self, entry: u32, trouble: Trouble) -> Result<(), Halt> {
        let mut choices = self.way_to(entry, None)?.choices;
        let confirmed = match trouble {
            Trouble::Dead => {
                let machine = self.run_plainly(&mut choices);
                machine.deadlock().map(|violation| (violation, choices))
            }
            Trouble::Stuck => self.confirm(choices),
        };
        match confirmed {
            Some((violation, choices)) => {
                self.search.choices = choices;
                self.search.report(violation)
            }
            None => Ok(()),
        }
    }

    /// Is there a run from here in which no assumption fails, to an end or for ever?
    fn counts(&mut self) -> bool {
        let mut seen: FxHashMap<u128, bool> = FxHashMap::default();
        let mut path: Vec<(Vec<Way>, Changes)> = Vec::new();
        let mut todo = Vec::new();
        loop {
            let hash = self.states.hash();
            let failed = self.assumption_failed();
            if seen.get(&hash) == Some(&true) || seen.len() > LONG {
                break;
            }
            todo.clear();
            if !failed && !seen.contains_key(&hash) {
                ways(&self.search.machine, &self.states, &mut todo);
                if todo.is_empty() {
                    break;
                }
            }
            seen.insert(hash, !todo.is_empty());
            // Where there is nothing left, back.
            while todo.is_empty() {
                let hash = self.states.hash();
                seen.insert(hash, false);
                let Some((left, changes)) = path.pop() else { return false };
                self.search.machine.undo();
                self.states.unfollow(&changes);
                todo = left;
            }
            let way = todo.pop().expect("not empty");
            let mut changes = Changes::default();
            self.search.machine.step(way.choice);
            self.search.machine.take_violations();
            self.states.follow(&mut self.search.machine, &mut changes);
            path.push((std::mem::take(&mut todo), changes));
        }
        while let Some((_, changes)) = path.pop() {
            self.search.machine.undo();
            self.states.unfollow(&changes);
        }
        true
    }

    fn assumption_failed(&self) -> bool {
        let failed = Status::Halted(heddle_semantics::Halt::Assumption);
        self.search.threads().any(|thread| *self.search.machine.status(thread) == failed)
    }

    /// Does everybody who can move come back to this state without changing anything?
    fn is_stuck(&mut self) -> bool {
        let machine = &self.search.machine;
        let moves = |thread: &ThreadId| machine.enabled(*thread);
        let movers: Vec<ThreadId> = self.search.threads().filter(moves).collect();
        !movers.is_empty() && movers.iter().all(|&thread| self.comes_back(thread))
    }

    fn comes_back(&mut self, thread: ThreadId) -> bool {
        let home = self.states.hash();
        let mut taken: Vec<Changes> = Vec::new();
        let mut back = false;
        while taken.len() < LONG {
            let machine = &mut self.search.machine;
            let steps = machine.enabled(thread)
                && machine.queue_owner(thread).is_none()
                && self.search.pending_input().is_none();
            if !steps {
                break;
            }
            let machine = &mut self.search.machine;
            let mut changes = Changes::default();
            machine.step(Choice::Step(thread));
            machine.take_violations();
            self.states.follow(machine, &mut changes);
            let shared = changes.shared;
            taken.push(changes);
            // A store that waits is on its way.
            if shared || !self.search.machine.is_drained(thread) {
                break;
            }
            if self.states.hash() == home {
                back = true;
                break;
            }
        }
        while let Some(changes) = taken.pop() {
            self.search.machine.undo();
            self.states.unfollow(&changes);
        }
        back
    }

    /// What a machine says that recognises waiting loops.
    fn confirm(&self, mut choices: Vec<Choice>) -> Option<(Violation, Vec<Choice>)> {
        let searched = &self.search.machine;
        let config =
            Config { stateful: false, interchangeable: false, ..searched.config().clone() };
        let (program, model) = (searched.program(), searched.model().clone());
        let threads = searched.thread_paths();
        let mut machine =
            Machine::with_threads(program, self.entry, config, model, threads).ok()?;
        for &choice in &choices {
            if !machine.enabled(choice.thread()) {
                return None;
            }
            machine.step(choice);
        }
        for thread in (0..machine.thread_count() as u32).map(ThreadId) {
            let mut steps = 0;
            while machine.enabled(thread) && steps < LONG {
                let choice = Choice::Step(thread);
                machine.step(choice);
                choices.push(choice);
                steps += 1;
            }
        }
        match machine.end() {
            End::Deadlock(violation) => Some((*violation, choices)),
            _ => None,
        }
    }
}
