//! Symbolic trace graphs.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::Event;

/// When an edge has to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Condition {
    /// If the two events touch the same memory: figure 2, where the order matters only
    /// if the two pointers are equal.
    SameMemory,
}

/// `first` happens before `second`, if the condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Edge {
    pub first: Event,
    pub second: Event,
    pub condition: Option<Condition>,
}

impl Edge {
    pub fn new(first: Event, second: Event) -> Edge {
        Edge { first, second, condition: None }
    }
}

impl std::fmt::Display for Edge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mark = if self.condition.is_some() { "?" } else { "" };
        write!(f, "{} {}{mark}", self.first, self.second)
    }
}

/// Events and the order between them. Events of one thread are ordered by their index,
/// without an edge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    events: BTreeSet<Event>,
    edges: BTreeSet<Edge>,
}

impl Trace {
    pub fn new() -> Trace {
        Trace::default()
    }

    pub fn events(&self) -> impl Iterator<Item = Event> + '_ {
        self.events.iter().copied()
    }

    pub fn edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.edges.iter().copied()
    }

    pub fn contains(&self, event: Event) -> bool {
        self.events.contains(&event)
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Edges between different threads: the scheduling constraints.
    pub fn constraints(&self) -> usize {
        self.edges.len()
    }

    /// Those of them that count only under a condition.
    pub fn conditional(&self) -> usize {
        self.edges.iter().filter(|edge| edge.condition.is_some()).count()
    }

    pub fn add_event(&mut self, event: Event) {
        self.events.insert(event);
    }

    /// Adds an edge between events of different threads, and the two events.
    pub fn add_edge(&mut self, edge: Edge) {
        debug_assert_ne!(edge.first.thread, edge.second.thread, "order within a thread is given");
        self.events.extend([edge.first, edge.second]);
        self.edges.insert(edge);
    }

    pub fn remove_edge(&mut self, edge: Edge) {
        self.edges.remove(&edge);
    }

    /// The paper's `remove`: the event and its edges.
    pub fn remove(&mut self, event: Event) {
        self.events.remove(&event);
        self.edges.retain(|edge| edge.first != event && edge.second != event);
    }

    /// Only those events, and the edges between them.
    pub fn restrict(&self, keep: impl Fn(Event) -> bool) -> Trace {
        let edges = self.edges.iter().filter(|edge| keep(edge.first) && keep(edge.second));
        Trace {
            events: self.events.iter().copied().filter(|&event| keep(event)).collect(),
            edges: edges.copied().collect(),
        }
    }

    /// The paper's adherence: every event is one of the trace, and comes after all that
    /// must come before it. `holds` says whether the condition of an edge holds when its
    /// second event is about to happen.
    pub fn adheres(&self, execution: &[Event], holds: impl Fn(&Edge) -> bool) -> bool {
        let mut rest = self.clone();
        for &event in execution {
            let applies = |edge: &Edge| edge.condition.is_none() || holds(edge);
            let waits = rest.edges.iter().any(|edge| edge.second == event && applies(edge));
            let earlier = |other: &Event| other.thread == event.thread && other.index < event.index;
            if !rest.events.contains(&event) || waits || rest.events.iter().any(earlier) {
                return false;
            }
            rest.remove(event);
        }
        true
    }

    /// A linearisation: it adheres, and has all events.
    pub fn is_linearisation(&self, execution: &[Event], holds: impl Fn(&Edge) -> bool) -> bool {
        execution.len() == self.events.len() && self.adheres(execution, holds)
    }

    /// What a native run keeps: whenever the second event of an edge happens, the first
    /// one has. Events that the trace does not know may happen at any time. `ended` tells
    /// whether a thread has ended before the event at a position of the execution.
    pub fn admits(
        &self,
        execution: &[Event],
        holds: impl Fn(&Edge) -> bool,
        ended: impl Fn(u32, usize) -> bool,
    ) -> bool {
        let mut done = BTreeSet::new();
        execution.iter().enumerate().all(|(at, &event)| {
            let kept = |edge: &Edge| {
                done.contains(&edge.first)
                    || ended(edge.first.thread, at)
                    || edge.condition.is_some() && !holds(edge)
            };
            let all = self.edges.iter().filter(|edge| edge.second == event).all(kept);
            done.insert(event);
            all
        })
    }

    /// The paper's `<`: fewer events, all edges between those that are left, and with
    /// each event all that come before it.
    pub fn is_prefix_of(&self, other: &Trace) -> bool {
        let inside = |event: Event| self.events.contains(&event);
        let closed = other.edges.iter().all(|edge| inside(edge.first) || !inside(edge.second));
        let ordered = other.events.iter().all(|&event| {
            let later = |mine: &Event| mine.thread == event.thread && mine.index > event.index;
            inside(event) || !self.events.iter().any(later)
        });
        self.events.len() < other.events.len()
            && self.events.is_subset(&other.events)
            && *self == other.restrict(inside)
            && closed
            && ordered
    }

    /// Whoever keeps `other` keeps this too: each edge follows from those of `other` and
    /// the order within threads.
    pub fn is_weaker_than(&self, other: &Trace) -> bool {
        self.edges.iter().all(|edge| {
            other.edges.contains(edge)
                || other.edges.contains(&Edge { condition: None, ..*edge })
                || other.implies(edge.first, edge.second)
        })
    }

    /// Do edges without conditions, and the order within threads, put `first` before
    /// `second`?
    pub fn implies(&self, first: Event, second: Event) -> bool {
        if first.thread == second.thread {
            return first.index <= second.index;
        }
        // For each thread, the first event that is known to come after `first`.
        let mut reached = BTreeMap::from([(first.thread, first.index)]);
        let mut todo = vec![first];
        while let Some(event) = todo.pop() {
            for edge in &self.edges {
                let from = edge.first.thread == event.thread && edge.first.index >= event.index;
                if !from || edge.condition.is_some() {
                    continue;
                }
                let to = edge.second;
                if reached.get(&to.thread).is_none_or(|&index| to.index < index) {
                    reached.insert(to.thread, to.index);
                    todo.push(to);
                }
            }
        }
        reached.get(&second.thread).is_some_and(|&index| index <= second.index)
    }

    /// Without the edges that follow from the others.
    pub fn reduce(&mut self) {
        for edge in self.edges.clone() {
            self.edges.remove(&edge);
            if !self.implies(edge.first, edge.second) {
                self.edges.insert(edge);
            }
        }
    }

    /// Can all events happen in some order?
    pub fn is_acyclic(&self) -> bool {
        self.order().is_some()
    }

    /// All events in an order that keeps every edge, conditions aside.
    pub fn order(&self) -> Option<Vec<Event>> {
        let mut rest = self.clone();
        let mut order = Vec::with_capacity(rest.events.len());
        while !rest.events.is_empty() {
            let mut seen = BTreeSet::new();
            let first_of_thread = |event: &&Event| seen.insert(event.thread);
            let heads: Vec<Event> = rest.events.iter().filter(first_of_thread).copied().collect();
            let free = |event: &&Event| rest.edges.iter().all(|edge| edge.second != **event);
            let next = *heads.iter().find(free)?;
            rest.remove(next);
            order.push(next);
        }
        Some(order)
    }
}
