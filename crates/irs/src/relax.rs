//! From the constraints of one trace to as few as can be proven to be enough.
//!
//! If every execution under some constraints is safe, then also under more of them. So
//! constraints are dropped, those of the end of the trace first, in halves and halves of
//! halves; each step is proven before it counts. A constraint without which a violation
//! was found stays for good. What takes too long is put off until everything else is
//! decided; then the prover may take more time.
//!
//! In the end, those that stay get the condition that both events touch the same memory
//! (figure 2 of the paper), if that can be proven and admits more.

use heddle_constraint::{Condition, Edge, Thread, Trace};
use heddle_semantics::Failure;

use crate::prover::{Answer, EventSites, Prover};

/// Traces that a proof may look at, at first, and how that grows.
const FIRST_EFFORT: u64 = 256;
const EFFORT_FACTOR: u64 = 16;
const MOST_EFFORT: u64 = FIRST_EFFORT << 40;

/// A step of the proof.
#[derive(Clone, Debug)]
pub struct Step {
    pub trace: Trace,
    /// Mazurkiewicz traces that keep these constraints, all verified.
    pub traces: u64,
    pub sites: EventSites,
}

/// Where a proof stands.
#[derive(Clone, Debug)]
pub struct Relaxed {
    pub trace: Trace,
    pub traces: u64,
    pub sites: EventSites,
    /// Constraints without which a violation was found.
    pub needed: Vec<Edge>,
    /// Violations that the constraints rule out, one for each of those.
    pub ruled_out: Vec<Failure>,
    /// Everything was decided.
    pub finished: bool,
    /// All traces that were looked at.
    pub effort: u64,
}

pub struct Relaxation<'a> {
    prover: &'a dyn Prover,
    threads: &'a [Thread],
    state: Relaxed,
    effort: u64,
    /// Constraints that some proof took too long for.
    undecided: bool,
    on_step: &'a mut dyn FnMut(&Step) -> bool,
    stopped: bool,
}

impl<'a> Relaxation<'a> {
    /// `start` has been proven. `on_step` is told about every proof, and says whether to go on.
    pub fn new(
        prover: &'a dyn Prover,
        threads: &'a [Thread],
        start: Step,
        on_step: &'a mut dyn FnMut(&Step) -> bool,
    ) -> Self {
        let Step { trace, traces, sites } = start;
        let state = Relaxed {
            trace,
            traces,
            sites,
            needed: Vec::new(),
            ruled_out: Vec::new(),
            finished: false,
            effort: traces,
        };
        let effort = FIRST_EFFORT;
        Relaxation { prover, threads, state, effort, undecided: false, on_step, stopped: false }
    }

    /// `edges` are those of the trace, in the order of the execution. `may_differ` tells
    /// whether its two events may touch different memory.
    pub fn run(
        mut self,
        edges: &[Edge],
        may_differ: &dyn Fn(&EventSites, Edge) -> bool,
    ) -> Relaxed {
        loop {
            let left: Vec<Edge> =
                edges.iter().copied().filter(|edge| self.is_open(*edge)).collect();
            self.undecided = false;
            self.drop_some(&left);
            if self.stopped || !self.undecided || self.effort >= MOST_EFFORT {
                self.state.finished = !self.stopped && !self.undecided;
                self.add_conditions(edges, may_differ);
                return self.state;
            }
            self.effort *= EFFORT_FACTOR;
        }
    }

    /// Those that are left count only where both events touch the same memory, if that is
    /// enough.
    fn add_conditions(&mut self, edges: &[Edge], may_differ: &dyn Fn(&EventSites, Edge) -> bool) {
        for &edge in edges.iter().rev() {
            let there = self.state.trace.edges().any(|other| other == edge);
            if self.stopped || !there || !may_differ(&self.state.sites, edge) {
                continue;
            }
            let weaker = Edge { condition: Some(Condition::SameMemory), ..edge };
            let mut trace = self.state.trace.clone();
            trace.remove_edge(edge);
            trace.add_edge(weaker);
            let answer = self.prover.prove(self.threads, &trace, self.effort);
            let Answer::Proven { traces, sites } = answer else { continue };
            self.state.effort += traces;
            // The same executions as before, if they are counted.
            if traces != 0 && traces == self.state.traces {
                continue;
            }
            let needed = self.state.needed.iter_mut().find(|needed| **needed == edge);
            needed.into_iter().for_each(|needed| *needed = weaker);
            self.accept(Step { trace, traces, sites });
        }
    }

    /// It was proven.
    fn accept(&mut self, step: Step) {
        self.stopped |= !(self.on_step)(&step);
        let Step { trace, traces, sites } = step;
        self.state.trace = trace;
        self.state.traces = traces;
        self.state.sites = sites;
    }

    /// It is there, and it is not known that it must be.
    fn is_open(&self, edge: Edge) -> bool {
        self.state.trace.edges().any(|other| other == edge) && !self.state.needed.contains(&edge)
    }

    /// Drops all of `edges` that can be.
    fn drop_some(&mut self, edges: &[Edge]) {
        if edges.is_empty() || self.stopped {
            return;
        }
        let mut trace = self.state.trace.clone();
        edges.iter().for_each(|&edge| trace.remove_edge(edge));
        match self.prover.prove(self.threads, &trace, self.effort) {
            Answer::Proven { traces, sites } => {
                self.state.effort += traces;
                return self.accept(Step { trace, traces, sites });
            }
            Answer::Violation(failure) if edges.len() == 1 => {
                self.state.needed.extend(edges);
                self.state.ruled_out.push(*failure);
            }
            Answer::Unusable(_) if edges.len() == 1 => self.state.needed.extend(edges),
            Answer::Violation(_) | Answer::Unusable(_) => {}
            Answer::GivenUp { traces } => {
                self.state.effort += traces;
                self.undecided = true;
            }
            Answer::Unknown(_) => {
                self.stopped = edges.len() == 1;
                self.undecided = true;
            }
        }
        if edges.len() > 1 {
            let (early, late) = edges.split_at(edges.len() / 2);
            self.drop_some(late);
            self.drop_some(early);
        }
    }
}
