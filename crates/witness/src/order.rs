//! Linear orders of a run's events with few context switches.
//!
//! The events of a run are partially ordered by what must stay: each thread's
//! own order, conflicts, thread creation, joins. All linear orders of this
//! partial order are the same run (one Mazurkiewicz trace), so one may pick the
//! one that is easiest to read.
//!
//! Once a thread runs, letting it run on as far as it can costs nothing: taking
//! an event earlier, when all it needs is done, only shortens a later block. So
//! the search decides only *which* thread comes next when the running one is
//! stuck: breadth first over the number of switches, with states merged when
//! every thread stands at the same event. While no layer grows beyond
//! [`WIDEST_LAYER`] the result is the minimum.

use heddle_semantics::{Access, Event};

/// States kept for each number of switches; the ones that got furthest win.
const WIDEST_LAYER: usize = 2_000;

/// For each event, how many events of each thread come before it.
pub(crate) struct Partial {
    /// Indices of the events of each thread, in order.
    threads: Vec<Vec<usize>>,
    /// `needs[e][t]`: events of thread `t` that must come before `e`.
    needs: Vec<Vec<u32>>,
}

impl Partial {
    /// The happens-before order of a run.
    pub fn of(events: &[Event]) -> Partial {
        let count = events.iter().map(highest_thread).max().map_or(0, |t| t + 1);
        let mut threads: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut needs: Vec<Vec<u32>> = Vec::with_capacity(events.len());
        // What a thread needs before its next event: the creation of it.
        let mut born: Vec<Vec<u32>> = vec![vec![0; count]; count];
        // How many events of its thread come up to and including each event.
        let mut position: Vec<u32> = Vec::with_capacity(events.len());
        for (index, event) in events.iter().enumerate() {
            let me = event.thread.index();
            let mut clock = born[me].clone();
            for &(actor, nth) in &event.follows {
                let Some(nth) = nth.checked_sub(1) else {
                    join(&mut clock, &born[actor.index()]);
                    continue;
                };
                let waited = threads[actor.index()][nth as usize];
                join(&mut clock, &needs[waited]);
                clock[actor.index()] = clock[actor.index()].max(nth + 1);
            }
            for earlier in (0..index).rev() {
                let other = &events[earlier];
                let theirs = other.thread.index();
                let known = clock[theirs] >= position[earlier];
                if known || !ordered(other, event) {
                    continue;
                }
                join(&mut clock, &needs[earlier]);
                clock[theirs] = position[earlier];
            }
            threads[me].push(index);
            position.push(threads[me].len() as u32);
            for child in &event.created {
                let mut at_birth = clock.clone();
                at_birth[me] = threads[me].len() as u32;
                born[child.index()] = at_birth;
            }
            needs.push(clock);
        }
        Partial { threads, needs }
    }

    /// The events that come before the last one, and itself, in their old order.
    pub fn past_of_last(&self) -> Vec<usize> {
        let Some(last) = self.needs.len().checked_sub(1) else { return Vec::new() };
        let mut past: Vec<usize> = Vec::new();
        for (thread, events) in self.threads.iter().enumerate() {
            past.extend(&events[..self.needs[last][thread] as usize]);
        }
        past.push(last);
        past.sort_unstable();
        past.dedup();
        past
    }

    /// All events in an order with few context switches.
    pub fn few_switches(&self) -> Vec<usize> {
        let start = State { done: vec![0; self.threads.len()], order: Vec::new() };
        let mut layer = vec![start];
        loop {
            let mut next: Vec<State> = Vec::new();
            let mut seen = std::collections::HashSet::new();
            for state in &layer {
                for thread in 0..self.threads.len() {
                    let Some(state) = self.run(state, thread) else { continue };
                    if state.order.len() == self.needs.len() {
                        return state.order;
                    }
                    if seen.insert(state.done.clone()) {
                        next.push(state);
                    }
                }
            }
            if next.is_empty() {
                // Only with no events at all: the old order is a way to go on.
                return (0..self.needs.len()).collect();
            }
            next.sort_by_key(|state| std::cmp::Reverse(state.order.len()));
            next.truncate(WIDEST_LAYER);
            layer = next;
        }
    }

    /// Runs `thread` as far as it can; `None` if it can't move.
    fn run(&self, from: &State, thread: usize) -> Option<State> {
        let events = &self.threads[thread];
        let mut state = from.clone();
        while let Some(&event) = events.get(state.done[thread] as usize) {
            let ready = self.needs[event].iter().zip(&state.done).all(|(need, done)| need <= done);
            if !ready {
                break;
            }
            state.done[thread] += 1;
            state.order.push(event);
        }
        (state.order.len() > from.order.len()).then_some(state)
    }
}

#[derive(Clone)]
struct State {
    /// Events done of each thread.
    done: Vec<u32>,
    order: Vec<usize>,
}

fn join(clock: &mut [u32], other: &[u32]) {
    for (mine, theirs) in clock.iter_mut().zip(other) {
        *mine = (*mine).max(*theirs);
    }
}

/// `earlier` must stay before `later`. Reads of a thread's own stores stay where
/// they are too: what matters to them is which of its stores are in memory.
fn ordered(earlier: &Event, later: &Event) -> bool {
    let touch = |a: &Access| {
        later.footprint.iter().any(|b| a.overlaps(b) && !(a.kind.is_read() && b.kind.is_read()))
    };
    earlier.thread == later.thread
        || later.joined == Some(earlier.thread)
        || earlier.footprint.iter().any(touch)
}

fn highest_thread(event: &Event) -> usize {
    let created = event.created.iter().map(|t| t.index()).max().unwrap_or(0);
    let joined = event.joined.map_or(0, |t| t.index());
    let followed = event.follows.iter().map(|(actor, _)| actor.index()).max().unwrap_or(0);
    event.thread.index().max(created).max(joined).max(followed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_semantics::{AccessKind, ThreadId};

    fn access(thread: u32, addr: u64, kind: AccessKind) -> Event {
        let mut event = Event::new(ThreadId(thread));
        event.footprint.push(Access { addr, len: 4, kind });
        event
    }

    fn read(thread: u32, addr: u64) -> Event {
        access(thread, addr, AccessKind::Read)
    }

    fn write(thread: u32, addr: u64) -> Event {
        access(thread, addr, AccessKind::Write)
    }

    fn switches(events: &[Event], order: &[usize]) -> usize {
        order.windows(2).filter(|w| events[w[0]].thread != events[w[1]].thread).count()
    }

    #[test]
    fn independent_threads_run_one_after_the_other() {
        let events = [write(0, 0), write(1, 8), write(0, 0), write(1, 8), write(0, 0)];
        let order = Partial::of(&events).few_switches();
        assert_eq!(order, [0, 2, 4, 1, 3]);
    }

    #[test]
    fn conflicts_keep_their_order() {
        let events = [read(0, 0), read(1, 0), write(1, 0), write(0, 0)];
        let order = Partial::of(&events).few_switches();
        assert_eq!(switches(&events, &order), 2);
        assert_eq!(order, [0, 1, 2, 3]);
    }

    #[test]
    fn the_greedy_choice_is_not_always_the_best() {
        // T0 must wait for T1, T1 for T2; starting with T2 saves a switch.
        let events =
            [write(1, 100), write(2, 8), read(1, 8), write(1, 16), read(0, 16), read(0, 8)];
        let partial = Partial::of(&events);
        let order = partial.few_switches();
        assert_eq!(switches(&events, &order), 2);
    }

    #[test]
    fn creation_and_joining_are_kept() {
        let mut create = Event::new(ThreadId(0));
        create.created.push(ThreadId(1));
        let mut join = Event::new(ThreadId(0));
        join.joined = Some(ThreadId(1));
        let events = [create, write(1, 0), write(1, 8), join];
        let partial = Partial::of(&events);
        assert_eq!(partial.few_switches(), [0, 1, 2, 3]);
        assert_eq!(partial.past_of_last(), [0, 1, 2, 3]);
    }

    #[test]
    fn only_the_past_matters() {
        let events = [write(0, 0), write(1, 8), read(2, 0)];
        assert_eq!(Partial::of(&events).past_of_last(), [0, 2]);
    }
}
