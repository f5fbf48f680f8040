//! Wakeup trees: the beginnings of executions that remain to be explored from a
//! state.
//!
//! Abdulla, Aronis, Jonsson and Sagonas, "Source Sets: A Foundation for Optimal
//! Dynamic Partial Order Reduction" (JACM 2017), section 6.

use heddle_semantics::{Access, Choice, Footprint, ThreadId, conflict};

use crate::sleep::{Sleeper, read_memory};
use crate::trace::{EventIndex, Trace};

/// A step of a sequence that is still to be explored, and what may follow it.
#[derive(Clone, Debug)]
pub struct Wake {
    pub thread: ThreadId,
    pub input: Option<u64>,
    touches: Touches,
    pub children: Vec<Wake>,
}

/// What a step will touch, as far as it is known before it runs.
#[derive(Clone, Debug)]
enum Touches {
    /// As in the execution it was taken from; with the flush of the store that its
    /// read took its value from.
    These(Footprint, Option<(ThreadId, u32)>),
    /// Anything: a first step.
    Unknown,
}

/// Sequences are as long as executions; dropping them node by node must not
/// recurse.
impl Drop for Wake {
    fn drop(&mut self) {
        let mut todo = std::mem::take(&mut self.children);
        while let Some(mut wake) = todo.pop() {
            todo.append(&mut wake.children);
        }
    }
}

impl Wake {
    /// A single step, of which nothing is known.
    pub fn step(choice: Choice) -> Wake {
        let (thread, input) = match choice {
            Choice::Step(thread) => (thread, None),
            Choice::Input(thread, value) => (thread, Some(value)),
        };
        Wake { thread, input, touches: Touches::Unknown, children: Vec::new() }
    }

    pub fn choice(&self) -> Choice {
        match self.input {
            Some(value) => Choice::Input(self.thread, value),
            None => Choice::Step(self.thread),
        }
    }
}

/// The step at the end of a sequence: what was reversed.
#[derive(Clone, Copy, Debug)]
pub enum Last {
    /// The second event of a race, which now comes before the first and does the
    /// same there.
    Reversed(EventIndex),
    /// As [`Last::Reversed`], but it does this there.
    Changed(EventIndex, Access),
    /// As [`Last::Reversed`], but it may do something else there.
    Unsure(EventIndex),
    /// The pending lock of a thread that waits for ever.
    Blocked(ThreadId, Access),
    /// An event like all others: the sequence was tried out.
    Ran(EventIndex),
}

/// Marks a thread without a step in the sequence.
const ABSENT: u32 = u32::MAX;

/// Buffers that sequences use again and again.
#[derive(Default)]
pub struct Buffers {
    /// Events of the current execution in its order; the last step stands behind
    /// them.
    events: Vec<EventIndex>,
    /// First step of each thread that is still there, by position.
    heads: Vec<u32>,
    /// Threads with a head.
    threads: Vec<ThreadId>,
    removed: Vec<bool>,
}

/// A sequence of steps from a state of the current execution: events in their
/// order, and one more.
pub struct Sequence<'t> {
    trace: &'t Trace,
    last: Last,
    at: &'t mut Buffers,
}

impl<'t> Sequence<'t> {
    /// Everything after `first` that does not depend on it, then `last`.
    pub fn avoiding(
        trace: &'t Trace,
        first: EventIndex,
        last: Last,
        buffers: &'t mut Buffers,
    ) -> Sequence<'t> {
        buffers.events.clear();
        trace.collect_independent(first, &mut buffers.events);
        Sequence::new(trace, last, buffers)
    }

    /// Everything from event `first` on.
    pub fn from(trace: &'t Trace, first: EventIndex, buffers: &'t mut Buffers) -> Sequence<'t> {
        let last = trace.len() as EventIndex - 1;
        buffers.events.clear();
        buffers.events.extend(first..last);
        Sequence::new(trace, Last::Ran(last), buffers)
    }

    fn new(trace: &'t Trace, last: Last, buffers: &'t mut Buffers) -> Sequence<'t> {
        let Buffers { events, heads, threads, removed } = buffers;
        heads.clear();
        threads.clear();
        removed.clear();
        removed.resize(events.len() + 1, false);
        let mut note = |thread: ThreadId, at: usize| {
            if heads.len() <= thread.index() {
                heads.resize(thread.index() + 1, ABSENT);
            }
            if heads[thread.index()] == ABSENT {
                heads[thread.index()] = at as u32;
                threads.push(thread);
            }
        };
        for (at, &event) in events.iter().enumerate() {
            note(trace.event(event).thread, at);
        }
        let thread = match last {
            Last::Reversed(event)
            | Last::Changed(event, _)
            | Last::Unsure(event)
            | Last::Ran(event) => trace.event(event).thread,
            Last::Blocked(thread, _) => thread,
        };
        note(thread, events.len());
        Sequence { trace, last, at: buffers }
    }

    fn len(&self) -> usize {
        self.at.events.len() + 1
    }

    fn positions(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.len()).filter(|&at| !self.at.removed[at])
    }

    /// The event at a position; the last step has none.
    fn event(&self, at: usize) -> Option<EventIndex> {
        self.at.events.get(at).copied()
    }

    fn thread(&self, at: usize) -> ThreadId {
        match (self.event(at), self.last) {
            (Some(event), _)
            | (
                None,
                Last::Reversed(event)
                | Last::Changed(event, _)
                | Last::Unsure(event)
                | Last::Ran(event),
            ) => self.trace.event(event).thread,
            (None, Last::Blocked(thread, _)) => thread,
        }
    }

    fn input(&self, at: usize) -> Option<u64> {
        match (self.event(at), self.last) {
            (Some(event), _)
            | (
                None,
                Last::Reversed(event)
                | Last::Changed(event, _)
                | Last::Unsure(event)
                | Last::Ran(event),
            ) => self.trace.event(event).input,
            (None, Last::Blocked(..)) => None,
        }
    }

    /// The steps as choices.
    pub fn choices(&self) -> Vec<Choice> {
        let choice = |at| match self.input(at) {
            Some(value) => Choice::Input(self.thread(at), value),
            None => Choice::Step(self.thread(at)),
        };
        self.positions().map(choice).collect()
    }

    /// May the event `first` have to stay before the step at `at`?
    fn orders(&self, first: EventIndex, at: usize) -> bool {
        match (self.event(at), self.last) {
            (Some(second), _) | (None, Last::Ran(second)) => self.trace.before(first, second),
            (None, Last::Reversed(second)) => self.trace.before_attempt(first, second),
            (None, Last::Changed(second, _)) => self.trace.before_own_past(first, second),
            (None, Last::Unsure(second)) => {
                let step = self.trace.event(second);
                let may_follow = |event: EventIndex| {
                    self.trace.before(first, event)
                        && step.may_conflict(&self.trace.event(event).footprint)
                };
                self.trace.before_attempt(first, second)
                    || self.positions().filter_map(|at| self.event(at)).any(may_follow)
            }
            (None, Last::Blocked(thread, _)) => {
                self.trace.leads_to(first, thread, self.trace.len() as EventIndex)
            }
        }
    }

    /// Can the step at `at`, the first of its thread, come first of all? Only the
    /// first steps of the other threads need to be asked: a later one that must
    /// stay before it has its thread's first before it too.
    fn is_initial(&self, at: usize) -> bool {
        let thread = self.thread(at);
        self.at.threads.iter().all(|&other| {
            let head = self.at.heads[other.index()];
            other == thread
                || head == ABSENT
                || self.event(head as usize).is_none_or(|event| !self.orders(event, at))
        })
    }

    /// May the step at `at` conflict with a footprint?
    fn may_touch(&self, at: usize, footprint: &[Access]) -> bool {
        match (self.event(at), self.last) {
            (Some(event), _) | (None, Last::Reversed(event) | Last::Ran(event)) => {
                conflict(&self.trace.event(event).footprint, footprint)
            }
            (None, Last::Unsure(event)) => self.trace.event(event).may_conflict(footprint),
            (None, Last::Blocked(_, access) | Last::Changed(_, access)) => {
                footprint.iter().any(|b| access.conflicts(b))
            }
        }
    }

    /// Does a step with this footprint, whose read took its value from a queue
    /// until `own` flushes it, commute with the whole sequence, except the step at
    /// `but`?
    fn is_independent(
        &self,
        footprint: &Footprint,
        own: Option<(ThreadId, u32)>,
        but: Option<usize>,
    ) -> bool {
        let mut positions = self.positions().filter(|&at| Some(at) != but);
        let Some(own) = own else {
            return positions.all(|at| !self.may_touch(at, footprint));
        };
        let mut footprint = footprint.clone();
        positions.all(|at| {
            let flushes = self.event(at).is_some_and(|event| {
                let node = self.trace.node(event);
                (node.event.thread, node.local) == own
            });
            if flushes {
                read_memory(&mut footprint);
                return true;
            }
            !self.may_touch(at, &footprint)
        })
    }

    /// Where a weak initial stands: a step that can come first without changing
    /// the sequence. `Some(None)`: it is not in the sequence, but independent of
    /// all of it.
    fn weak_initial(
        &self,
        thread: ThreadId,
        input: Option<u64>,
        touches: Option<(&Footprint, Option<(ThreadId, u32)>)>,
    ) -> Option<Option<usize>> {
        match self.at.heads.get(thread.index()).copied().unwrap_or(ABSENT) {
            ABSENT => {
                let (footprint, own) = touches?;
                self.is_independent(footprint, own, None).then_some(None)
            }
            at if self.input(at as usize) != input => None,
            at => {
                let at = at as usize;
                let initial = match (self.event(at), self.last, touches) {
                    // What it does when it comes first is known now.
                    (None, Last::Unsure(second), Some((footprint, own))) => {
                        !self.has_cause(second) && self.is_independent(footprint, own, Some(at))
                    }
                    _ => self.is_initial(at),
                };
                initial.then_some(Some(at))
            }
        }
    }

    /// Does any step have to come before the thread of `second` gets to it?
    fn has_cause(&self, second: EventIndex) -> bool {
        let mut heads = self.at.threads.iter().map(|thread| self.at.heads[thread.index()]);
        heads.any(|head| {
            let event = if head == ABSENT { None } else { self.event(head as usize) };
            event.is_some_and(|event| self.trace.before_own_past(event, second))
        })
    }

    /// Is the sequence covered by what was explored from here before?
    pub fn is_covered_by(&self, sleep: &[Sleeper]) -> bool {
        sleep
            .iter()
            .any(|s| self.weak_initial(s.thread, s.input, Some((&s.footprint, s.own))).is_some())
    }

    fn initial_of(&self, wake: &Wake) -> Option<Option<usize>> {
        let touches = match &wake.touches {
            Touches::Unknown => None,
            Touches::These(footprint, own) => Some((footprint, *own)),
        };
        self.weak_initial(wake.thread, wake.input, touches)
    }

    fn wake(&self, at: usize) -> Wake {
        let touches = match (self.event(at), self.last) {
            // What comes after the inputs of an atomic section is not known yet.
            (None, Last::Ran(event)) if self.trace.event(event).unfinished => Touches::Unknown,
            (Some(event), _) | (None, Last::Reversed(event) | Last::Ran(event)) => {
                let event = self.trace.event(event);
                Touches::These(event.footprint.clone(), event.own)
            }
            (None, Last::Unsure(_)) => Touches::Unknown,
            (None, Last::Blocked(_, access) | Last::Changed(_, access)) => {
                Touches::These(Footprint::from_slice(&[access]), None)
            }
        };
        Wake { thread: self.thread(at), input: self.input(at), touches, children: Vec::new() }
    }

    fn remove(&mut self, at: usize) {
        self.at.removed[at] = true;
        let thread = self.thread(at);
        let next = (at + 1..self.len()).find(|&next| self.thread(next) == thread);
        self.at.heads[thread.index()] = next.map_or(ABSENT, |next| next as u32);
    }

    /// Follows the tree whose branches are `branches` as far as it leads to parts
    /// of the sequence, which are taken out of it. Tells where it ends, or `None`
    /// if it need not go on. The first `skip` branches do not count.
    fn follow<'w>(
        &mut self,
        mut branches: &'w mut Vec<Wake>,
        mut skip: usize,
    ) -> Option<&'w mut Vec<Wake>> {
        loop {
            let found = (skip..branches.len())
                .find_map(|at| self.initial_of(&branches[at]).map(|initial| (at, initial)));
            skip = 0;
            let Some((branch, initial)) = found else { return Some(branches) };
            if let Some(at) = initial {
                self.remove(at);
            }
            branches = &mut branches[branch].children;
            if branches.is_empty() || self.positions().next().is_none() {
                return None;
            }
        }
    }

    /// Does a branch lead to a part of the sequence already?
    pub fn is_in(&mut self, branches: &mut Vec<Wake>, skip: usize) -> bool {
        self.follow(branches, skip).is_none()
    }

    /// Adds the sequence to the tree, unless a branch leads to a part of it
    /// already.
    pub fn insert(mut self, branches: &mut Vec<Wake>, skip: usize) {
        let Some(mut branches) = self.follow(branches, skip) else { return };
        for at in self.in_order() {
            branches.push(self.wake(at));
            branches = &mut branches.last_mut().expect("just pushed").children;
        }
    }

    /// What is left, in an order in which it can happen: if an atomic section has begun in
    /// what was taken out, it goes on first.
    fn in_order(&self) -> Vec<usize> {
        let continues =
            |&at: &usize| self.event(at).is_some_and(|event| self.trace.event(event).continues);
        let mut all: Vec<usize> = self.positions().collect();
        let Some(first) = all.iter().position(continues) else { return all };
        let thread = self.thread(all[first]);
        if !all[..first].iter().any(|&at| self.thread(at) == thread) {
            let count = all[first..].iter().take_while(|at| continues(at)).count();
            all[..first + count].rotate_right(count);
        }
        all
    }
}
