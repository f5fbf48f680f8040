//! Threads that wait in loops for ever.
//!
//! If every thread that can move comes back, alone and without changing anything that
//! others could see, to the state it is in, then nothing will ever change: all they do is
//! read. In a state from which the program can't get away, all threads that move can be
//! at the end of an iteration. So it is enough to look at states that are reached by a
//! step that ends an iteration and changes nothing but its thread and what only that can see.
//!
//! Others may loop for ever, and change things, beside threads that wait for each other.
//! So states that the end of an iteration leads to are looked at for these, too.
//!
//! What is found is confirmed, and described, by a machine that recognises waiting loops.

use heddle_machine::{Config, End, Stands, Status};
use heddle_semantics::{Choice, MemoryModel, ThreadId, Violation};

use rustc_hash::FxHashMap;

use crate::search::Halt;
use crate::supposition::Wrong;

use super::Walk;
use super::state::{Changes, States};
use super::transitions::{CHECKED, CHECKED_LOOPS, Deed, Way, ways};

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
    /// Looks at the present state, unless that was done. The last step was one of
    /// `last`; `visible`: it has changed what others can see.
    pub(super) fn look_for_trouble(
        &mut self,
        entry: u32,
        last: ThreadId,
        visible: bool,
    ) -> Option<Trouble> {
        let wanted = CHECKED | if visible { 0 } else { CHECKED_LOOPS };
        let done = self.table.mark(entry, wanted);
        if !visible && !done.has(CHECKED_LOOPS) && self.is_stuck(last) {
            return Some(Trouble::Stuck);
        }
        if done.has(CHECKED) {
            return None;
        }
        if !self.may_be_dead() {
            return None;
        }
        self.states.sync(&mut self.search.machine);
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
        self.search.check_guide()?;
        let mut choices = self.way_to(entry, None)?.choices;
        let violation = match trouble {
            Trouble::Dead => {
                let machine = self.run_plainly(&mut choices);
                Some(machine.deadlock().ok_or(Halt::Lost)?)
            }
            Trouble::Stuck => match self.confirm(&mut choices) {
                // With what is hidden they do not come back to where they were.
                Err(Halt::Lost) if self.search.machine.hides() => {
                    return Err(Halt::Wrong(Wrong::Surprised));
                }
                confirmed => confirmed?,
            },
        };
        let Some(violation) = violation else { return Ok(()) };
        self.search.choices = choices;
        self.search.report(violation)
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
            let choice = way.deed.choice(&self.search.machine);
            self.search.machine.step(choice);
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
        let failed = Status::Halted(heddle_machine::Halt::Assumption);
        self.search.threads().any(|thread| *self.search.machine.status(thread) == failed)
    }

    /// Could it be that threads wait for each other? Not if all that wait do so for the
    /// ends of others that can move.
    fn may_be_dead(&mut self) -> bool {
        if !self.states.pure {
            return true;
        }
        let threads = self.states.in_order(self.search.machine.thread_count());
        let machine = &mut self.search.machine;
        let mut moves = |states: &mut States, thread| {
            states.stands(thread) == Stands::Finished || states.can_step(machine, thread)
        };
        threads.into_iter().any(|thread| match self.states.stands(thread) {
            Stands::Ready | Stands::Finished | Stands::Input => false,
            // There is no such thread.
            Stands::Still if self.states.thread_part(thread) == 0 => false,
            Stands::Still | Stands::Gate => true,
            Stands::Join(target) => !moves(&mut self.states, target),
            Stands::Joins => {
                let targets: Vec<ThreadId> = self.states.awaited(thread).collect();
                targets.into_iter().any(|target| !moves(&mut self.states, target))
            }
        })
    }

    /// Does everybody who can move come back to this state without changing anything?
    fn is_stuck(&mut self, last: ThreadId) -> bool {
        let mut movers = Vec::new();
        if !self.states.known_ways(&mut self.search.machine, &mut movers) {
            self.states.sync(&mut self.search.machine);
            ways(&self.search.machine, &self.states, &mut movers);
        }
        let steps = |way: &Way| matches!(way.deed, Deed::Step(_));
        // Who has just gone round a loop is soon back, or does something that others see.
        movers.sort_by_key(|way| way.deed != Deed::Step(last));
        // A store that can get to memory will.
        !movers.is_empty()
            && movers.iter().all(steps)
            && movers.iter().all(|way| self.comes_back(way.deed))
    }

    /// Does a thread come back if it takes its steps alone?
    fn comes_back(&mut self, deed: Deed) -> bool {
        let Deed::Step(thread) = deed else { return false };
        let home = self.states.hash();
        let mut taken: Vec<Changes> = Vec::new();
        let mut back = false;
        while taken.len() < LONG && self.states.moves(&mut self.search.machine, thread) {
            let mut changes = Changes::default();
            self.go(deed, &mut changes);
            self.search.machine.take_violations();
            let visible = changes.visible;
            taken.push(changes);
            // A store that waits is on its way.
            if visible || !self.states.is_drained(thread) {
                break;
            }
            if self.states.hash() == home {
                back = true;
                break;
            }
        }
        while let Some(changes) = taken.pop() {
            self.states.unfollow(&changes);
        }
        back
    }

    /// What a machine says that recognises waiting loops. It is no violation where the
    /// process ends, an assumption fails, or others have failed before.
    fn confirm(&self, choices: &mut Vec<Choice>) -> Result<Option<Violation>, Halt> {
        let config = self.search.machine.config().clone();
        let config = Config { stateful: false, interchangeable: false, ..config };
        let mut machine = self.fresh_machine(config);
        for &choice in choices.iter() {
            if !machine.enabled(choice.thread()) {
                return Err(Halt::Lost);
            }
            machine.step(choice);
        }
        for thread in (0..machine.thread_count() as u32).map(ThreadId) {
            let mut steps = 0;
            while machine.enabled(thread) {
                if steps == LONG {
                    return Err(Halt::Lost);
                }
                let choice = Choice::Step(thread);
                machine.step(choice);
                choices.push(choice);
                steps += 1;
            }
        }
        Ok(match machine.end() {
            End::Deadlock(violation) => Some(*violation),
            _ => None,
        })
    }
}
