//! Wakeup trees: the beginnings of executions that remain to be explored from a
//! state.
//!
//! Abdulla, Aronis, Jonsson and Sagonas, "Source Sets: A Foundation for Optimal
//! Dynamic Partial Order Reduction" (JACM 2017), section 6.

use heddle_semantics::{Access, Choice, Event, Footprint, ThreadId, conflict};

use crate::sleep::Sleeper;
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
    /// As in the execution it was taken from.
    These(Footprint),
    /// The step was reversed against another, so a failed write may succeed.
    AtMost(Footprint),
    /// Anything: an atomic section that was reversed, or a thread that waited.
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

/// A step of a sequence that was taken from the current execution.
#[derive(Clone, Debug)]
pub enum Step {
    /// An event, with its place in the trace.
    Event(EventIndex),
    /// The second event of a race, which now comes before the first.
    Reversed(EventIndex),
    /// The pending lock of a thread that waits for ever.
    Blocked(ThreadId, Access),
}

/// A sequence of steps, from a state in the current execution.
pub struct Sequence<'t> {
    pub trace: &'t Trace,
    pub steps: Vec<Step>,
}

impl Sequence<'_> {
    fn thread(&self, at: usize) -> ThreadId {
        match self.steps[at] {
            Step::Event(index) | Step::Reversed(index) => self.trace.event(index).thread,
            Step::Blocked(thread, _) => thread,
        }
    }

    fn input(&self, at: usize) -> Option<u64> {
        match self.steps[at] {
            Step::Event(index) | Step::Reversed(index) => self.trace.event(index).input,
            Step::Blocked(..) => None,
        }
    }

    /// Must the step at `a` stay before the one at `b` behind it?
    fn orders(&self, a: usize, b: usize) -> bool {
        let Step::Event(first) = self.steps[a] else { return true };
        match self.steps[b] {
            Step::Event(second) => self.trace.before(first, second),
            Step::Reversed(second) => self.trace.before_attempt(first, second),
            Step::Blocked(thread, _) => {
                self.trace.leads_to(first, thread, self.trace.len() as EventIndex)
            }
        }
    }

    /// May the step at `at` conflict with a footprint?
    fn may_touch(&self, at: usize, footprint: &[Access]) -> bool {
        let may = |event: &Event| {
            let mut pairs =
                event.footprint.iter().flat_map(|a| footprint.iter().map(move |b| (a, b)));
            event.varies || pairs.any(|(a, b)| a.may_conflict(b))
        };
        match &self.steps[at] {
            Step::Event(index) => conflict(&self.trace.event(*index).footprint, footprint),
            Step::Reversed(index) => may(self.trace.event(*index)),
            Step::Blocked(_, access) => footprint.iter().any(|b| access.conflicts(b)),
        }
    }

    /// Where a weak initial stands: a step that can come first without changing
    /// the sequence. `Some(None)`: it is not in the sequence, but independent of
    /// all of it.
    fn weak_initial(
        &self,
        thread: ThreadId,
        input: Option<u64>,
        independent: impl Fn(usize) -> bool,
    ) -> Option<Option<usize>> {
        match (0..self.steps.len()).find(|&at| self.thread(at) == thread) {
            Some(at) => {
                let first = self.input(at) == input && !(0..at).any(|a| self.orders(a, at));
                first.then_some(Some(at))
            }
            None => (0..self.steps.len()).all(independent).then_some(None),
        }
    }

    /// Is the sequence covered by what was explored from here before?
    pub fn is_covered_by(&self, sleep: &[Sleeper]) -> bool {
        sleep.iter().any(|s| {
            self.weak_initial(s.thread, s.input, |at| !self.may_touch(at, &s.footprint)).is_some()
        })
    }

    fn initial_of(&self, wake: &Wake) -> Option<Option<usize>> {
        self.weak_initial(wake.thread, wake.input, |at| match &wake.touches {
            Touches::Unknown => false,
            Touches::These(footprint) => !self.may_touch(at, footprint),
            Touches::AtMost(footprint) => {
                let worst: Footprint = footprint.iter().copied().map(at_worst).collect();
                !self.may_touch(at, &worst)
            }
        })
    }

    fn wake(&self, at: usize) -> Wake {
        let touches = match &self.steps[at] {
            Step::Event(index) => Touches::These(self.trace.event(*index).footprint.clone()),
            Step::Reversed(index) if self.trace.event(*index).varies => Touches::Unknown,
            Step::Reversed(index) => Touches::AtMost(self.trace.event(*index).footprint.clone()),
            Step::Blocked(_, access) => Touches::AtMost(Footprint::from_slice(&[*access])),
        };
        Wake { thread: self.thread(at), input: self.input(at), touches, children: Vec::new() }
    }

    /// Adds the sequence to the tree whose branches are `branches`, unless a
    /// branch leads to a part of it already.
    pub fn insert(mut self, mut branches: &mut Vec<Wake>, skip: usize) {
        let mut skip = skip;
        loop {
            let found = (skip..branches.len())
                .find_map(|at| self.initial_of(&branches[at]).map(|initial| (at, initial)));
            skip = 0;
            let Some((branch, initial)) = found else { break };
            if let Some(at) = initial {
                self.steps.remove(at);
            }
            branches = &mut branches[branch].children;
            if branches.is_empty() || self.steps.is_empty() {
                return;
            }
        }
        for at in 0..self.steps.len() {
            branches.push(self.wake(at));
            branches = &mut branches.last_mut().expect("just pushed").children;
        }
    }
}

/// An access in the state in which it touches most.
fn at_worst(access: Access) -> Access {
    use heddle_semantics::AccessKind;
    match access.kind {
        AccessKind::FailedWrite => Access { kind: AccessKind::Write, ..access },
        _ => access,
    }
}
