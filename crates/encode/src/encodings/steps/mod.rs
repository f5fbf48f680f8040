//! Step-wise encoding: a program counter for each thread, a selector for each step.
//!
//! Follows section 6 of Kahlon, "Exploiting Schedule Insensitivity for Enhancing Concurrent
//! Program Verification" (`docs/papers.md`): in each step the selector names one thread,
//! which takes its next transition; memory has a copy for each step. The scheduler is then
//! held to one interleaving of each class of equivalent ones (`chains`).
//!
//! Deviations:
//! 1. Steps go over the points of the bounded program, not over a transition relation. What
//!    an instruction means is written once, by the unfolding, and values of a thread are terms
//!    that cost nothing in a step; a relation would need a copy of every register and of the
//!    heap for each step, and a second meaning for each library function. So the depth bounds
//!    interleavings and `--unwind` bounds loops, and the counters only move forward.
//! 2. A program counter is a truth for each point and step, "passed by then". Points at which
//!    a run does nothing are passed with the one before them, so a run has one sequence of
//!    selectors.
//! 3. A run has at most so many steps instead of exactly so many: after the last one nobody is
//!    selected. So what holds in one of its steps need not be asked of each.
//! 4. With SIR, points that touch nothing that counts are no steps either, and what they read
//!    and write is left out: no condition depends on it. So its depth is less for the same runs.
//! 5. Depth grows by adding steps to the formula; what the solver has learned stays.
//!
//! No cycle proviso is needed: an interleaving is left out only for another one of the very
//! same transitions, so a thread that could run forever hides nobody. Sequential consistency
//! only: stores that wait would be steps of their queues.
//!
//! Complete if no run uses all steps with something left to do. Size: with K steps, P points,
//! r reads and w writes of b bits, O(K · (P + b · (r + w))) gates, without `chains`.

mod chains;
mod conditions;
mod conflicts;
mod relevant;
mod traversal;

use heddle_sat::Term;
use heddle_semantics::MemoryModel;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::encodings::accesses::{Accesses, find_accesses};
use crate::encodings::{Encoding, Formula, Key, Run, Timeline};
use crate::unfold::facts::Cell;
use crate::watch::Stop;

use chains::Chains;
use conflicts::{Conflicts, shared};
use relevant::Relevant;
use traversal::sensitive;

/// Which interleavings are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduction {
    None,
    /// All but one of those that order dependent transitions the same way.
    Monotonic,
    /// All but one of those that order schedule sensitive transitions the same way.
    Insensitive,
}

pub(crate) struct Steps {
    accesses: Accesses,
    /// Thread, point: it does something in the run.
    active: Vec<Vec<Term>>,
    /// Thread, point, step: passed by the end of it. Step 0 is before the first one.
    passed: Vec<Vec<Vec<Term>>>,
    /// Step, without the first: who takes it.
    selected: Vec<Vec<Term>>,
    /// After the last step.
    memory: FxHashMap<Cell, Term>,
    late: Vec<Term>,
    chains: Option<Chains>,
    stakes: Stakes,
}

/// What is at stake between threads, beside locks and the like: of [`Reduction::Insensitive`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stakes {
    /// Cells that several threads use, and those of them whose values something depends on.
    pub shared: u64,
    pub relevant: u64,
    /// Pairs of points whose order can matter; `None`: all that conflict.
    pub pairs: Option<u64>,
}

impl Steps {
    pub fn new<M: MemoryModel>(
        f: &mut Formula<'_, M>,
        reduction: Reduction,
    ) -> Result<Steps, Stop> {
        let mut accesses = find_accesses(f);
        let mut active = active(f);
        let mut pairs = None;
        let mut stakes = Stakes::default();
        if reduction == Reduction::Insensitive {
            let relevant = Relevant::of(f);
            // What threads wait for, and their results, are beside the program's variables.
            let objects = f.objects;
            let is_variable = |cell: &Cell| {
                !relevant.tested().contains(cell) && !objects.is_signal(cell.object, cell.offset)
            };
            let variables = |accesses: &Accesses| {
                shared(accesses).into_iter().filter(is_variable).count() as u64
            };
            let all = variables(&accesses);
            relevant.keep(&mut accesses);
            stakes.shared = all;
            stakes.relevant = variables(&accesses);
            pass_over(f, &accesses, &mut active);
            pairs = sensitive(f, &accesses, (&active, relevant.tested()))?;
            stakes.pairs = pairs.as_ref().map(|pairs| pairs.len() as u64);
        }
        let mut passed = Vec::new();
        for points in &active {
            let mut before = f.always();
            let mut rows = Vec::new();
            for &acts in points {
                before = f.and_not(before, acts);
                rows.push(vec![before]);
            }
            passed.push(rows);
        }
        let conflicts = Conflicts::of(&accesses, pairs.as_ref());
        let chains = (reduction != Reduction::None).then(|| Chains::new(f, conflicts));
        let (memory, selected, late) = (f.bounded.initial.clone(), Vec::new(), Vec::new());
        Ok(Steps { accesses, active, passed, selected, memory, late, chains, stakes })
    }

    fn add<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>) -> Result<(), Stop> {
        let selected = f.truths(f.threads());
        f.at_most_one(&selected);
        let mut takes = Vec::new();
        for (thread, &selected) in selected.iter().enumerate() {
            let taken = self.advance(f, thread, selected)?;
            // Whoever is selected has something to do.
            f.imply_any(selected, &taken);
            takes.push(taken);
        }
        if let Some(last) = self.selected.last() {
            let somebody = f.terms().or_all(last);
            selected.iter().for_each(|&one| f.imply(one, somebody));
        }
        self.read(f, &takes)?;
        self.write(f, &takes)?;
        if let Some(chains) = &mut self.chains {
            chains.add(f, &selected, &takes)?;
        }
        self.selected.push(selected);
        Ok(())
    }

    /// One more step of a thread. For each point: it is taken in it.
    fn advance<M: MemoryModel>(
        &mut self,
        f: &mut Formula<'_, M>,
        thread: usize,
        selected: Term,
    ) -> Result<Vec<Term>, Stop> {
        let (mut before, mut earlier) = (f.always(), f.always());
        let mut taken = Vec::new();
        for (row, &acts) in self.passed[thread].iter_mut().zip(&self.active[thread]) {
            f.watch.ask()?;
            let last = row[row.len() - 1];
            let stands = f.and_not(before, last);
            let takes = f.and(selected, stands);
            let skips = f.and_not(earlier, acts);
            let moves = f.or(takes, skips);
            let now = f.or(last, moves);
            before = last;
            earlier = now;
            row.push(now);
            taken.push(takes);
        }
        Ok(taken)
    }

    fn read<M: MemoryModel>(
        &mut self,
        f: &mut Formula<'_, M>,
        takes: &[Vec<Term>],
    ) -> Result<(), Stop> {
        for take in &self.accesses.takes {
            f.watch.ask()?;
            let here = f.and(takes[take.thread][take.point as usize], take.when);
            f.equal_if(here, take.value, self.memory[&take.cell]);
        }
        for visit in &self.accesses.visits {
            let here = f.and(takes[visit.thread][visit.point as usize], visit.when);
            let bad = f.is_gone(self.memory[&visit.life], here);
            if !f.is_never(bad) {
                self.late.push(bad);
            }
        }
        Ok(())
    }

    fn write<M: MemoryModel>(
        &mut self,
        f: &mut Formula<'_, M>,
        takes: &[Vec<Term>],
    ) -> Result<(), Stop> {
        let mut writes: FxHashMap<Cell, Vec<(Term, Term)>> = FxHashMap::default();
        for leave in &self.accesses.leaves {
            let here = f.and(takes[leave.thread][leave.point as usize], leave.when);
            if !f.is_never(here) {
                writes.entry(leave.cell).or_default().push((here, leave.value));
            }
        }
        for cell in self.accesses.cells() {
            let Some(written) = writes.get(&cell) else { continue };
            f.watch.ask()?;
            let value = self.accesses.holder(f, cell);
            let mut unchanged = f.always();
            for &(here, what) in written {
                f.equal_if(here, value, what);
                unchanged = f.and_not(unchanged, here);
            }
            f.equal_if(unchanged, value, self.memory[&cell]);
            self.memory.insert(cell, value);
        }
        Ok(())
    }

    /// The last step is taken, and somebody may have more to do.
    fn full<M: MemoryModel>(&self, f: &mut Formula<'_, M>) -> Term {
        let Some(last) = self.selected.last() else { return f.always() };
        let taken = f.terms().or_all(last);
        let mut done = f.always();
        for rows in &self.passed {
            if let Some(row) = rows.last() {
                done = f.and(done, row[row.len() - 1]);
            }
        }
        f.and_not(taken, done)
    }

    fn timeline<M: MemoryModel>(&self, f: &mut Formula<'_, M>) -> Timeline {
        let mut timeline = Timeline::default();
        for rows in &self.passed {
            let mut keys = Vec::with_capacity(rows.len());
            for row in rows {
                let not_yet = row.iter().map(|&done| (f.terms().not(done), 1));
                keys.push(Key { base: 0, parts: not_yet.collect() });
            }
            timeline.points.push(keys);
            timeline.arrivals.push(Vec::new());
        }
        timeline
    }
}

/// Points that touch nothing that counts are no steps: they are passed with the one before.
fn pass_over<M: MemoryModel>(
    f: &mut Formula<'_, M>,
    accesses: &Accesses,
    active: &mut [Vec<Term>],
) {
    let takes = accesses.takes.iter().map(|it| (it.thread, it.point));
    let leaves = accesses.leaves.iter().map(|it| (it.thread, it.point));
    let visits = accesses.visits.iter().map(|it| (it.thread, it.point));
    let mut counts: FxHashSet<(usize, u32)> = takes.chain(leaves).chain(visits).collect();
    for (at, thread) in f.bounded.threads.iter().enumerate() {
        counts.extend(thread.waits.iter().map(|wait| (at, wait.point)));
    }
    let never = f.never();
    for (thread, points) in active.iter_mut().enumerate() {
        for (point, acts) in points.iter_mut().enumerate() {
            if !counts.contains(&(thread, point as u32)) {
                *acts = never;
            }
        }
    }
}

/// When points have an event or a wait.
fn active<M: MemoryModel>(f: &mut Formula<'_, M>) -> Vec<Vec<Term>> {
    let mut all = Vec::new();
    for thread in &f.bounded.threads {
        let mut guards: Vec<Vec<Term>> = vec![Vec::new(); thread.points as usize];
        for event in &thread.events {
            guards[event.point as usize].push(event.guard);
        }
        for wait in &thread.waits {
            guards[wait.point as usize].push(wait.guard);
        }
        all.push(guards.iter().map(|guards| f.terms().or_all(guards)).collect());
    }
    all
}

impl<M: MemoryModel> Encoding<M> for Steps {
    fn extend(&mut self, f: &mut Formula<'_, M>, depth: u32) -> Result<Run, Stop> {
        while self.selected.len() < depth as usize {
            self.add(f)?;
        }
        let last = |rows: &Vec<Vec<Term>>| rows.iter().map(|row| row[row.len() - 1]).collect();
        Ok(Run {
            passed: self.passed.iter().map(last).collect(),
            content: self.memory.clone(),
            arrived: vec![Vec::new(); f.threads()],
            late: self.late.clone(),
            within: Vec::new(),
            full: Some(self.full(f)),
            timeline: self.timeline(f),
        })
    }

    fn stakes(&self) -> Option<Stakes> {
        (self.stakes != Stakes::default()).then_some(self.stakes)
    }

    fn selectors(&self) -> &[Vec<Term>] {
        &self.selected
    }

    fn enough(&self, f: &Formula<'_, M>) -> u32 {
        let points = self.active.iter().flatten();
        (points.filter(|&&acts| !f.is_never(acts)).count() as u32).max(1)
    }
}
