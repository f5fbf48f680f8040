//! Events, and the orders between those of one thread.

use heddle_sat::Term;
use heddle_sat::order::Clocks;
use heddle_semantics::{MemoryModel, ViolationKind};
use rustc_hash::FxHashSet;

use crate::bounded::{Action, Goal, ThreadCode};
use crate::encodings::Formula;
use crate::encodings::axiomatic::{Axiomatic, END, START};
use crate::encodings::stores::{drains, whole};
use crate::watch::Stop;

/// Points that a thread may stand before for good.
fn stops(code: &ThreadCode) -> FxHashSet<u32> {
    let aborts = code.checks.iter().filter(|check| {
        matches!(check.goal, Goal::Violation(ViolationKind::Abort) | Goal::Unsupported(_))
    });
    let ends = code.exits.iter().chain(&code.drops).map(|end| end.0);
    let ends = ends.chain(aborts.map(|check| check.point)).flatten();
    let waits = code.waits.iter().map(|wait| wait.point);
    waits.chain(code.requires.iter().map(|require| require.point)).chain(ends).collect()
}

impl Axiomatic {
    /// Which points are passed.
    pub(super) fn pass<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>) {
        for (thread, code) in f.bounded.threads.iter().enumerate() {
            let stops = stops(code);
            let mut passed = Vec::new();
            let mut before: Term = f.always();
            for point in 0..f.points(thread) as u32 {
                if stops.contains(&point) {
                    let now = f.truth();
                    f.imply(now, before);
                    before = now;
                }
                passed.push(before);
            }
            self.passed.push(passed);
        }
    }

    /// Nodes, their chains, and what is always so.
    pub(super) fn chain<M: MemoryModel>(&mut self, f: &Formula<'_, M>) {
        let mut next = END + 1;
        let mut chains: Vec<Vec<u32>> = vec![vec![START], vec![END]];
        for thread in 0..f.threads() {
            self.points.push(next);
            let points = f.points(thread) as u32;
            chains.push((next..next + points).collect());
            next += points;
        }
        let mut fixed = Vec::new();
        for thread in 0..f.threads() {
            self.arrivals.push(next);
            let stores = &f.stores[thread].all;
            // Stores that always arrive in order are in one chain.
            let mut queues: Vec<Vec<usize>> = Vec::new();
            for (number, store) in stores.iter().enumerate() {
                let arrival = next + number as u32;
                fixed.push((self.points[thread] + store.point, arrival));
                for &(earlier, when) in &store.behind {
                    if f.symbolic.terms.as_constant(when) == Some(1) {
                        fixed.push((next + earlier as u32, arrival));
                    }
                }
                let follows =
                    |queue: &&mut Vec<usize>| queue.last().is_some_and(|&last| store.after[last]);
                match queues.iter_mut().find(follows) {
                    Some(queue) => queue.push(number),
                    None => queues.push(vec![number]),
                }
            }
            for queue in queues {
                chains.push(queue.into_iter().map(|number| next + number as u32).collect());
            }
            next += stores.len() as u32;
        }
        chains.retain(|chain| !chain.is_empty());
        for chain in &chains {
            if let (Some(&first), Some(&last), true) = (chain.first(), chain.last(), chain[0] > END)
            {
                fixed.extend([(START, first), (last, END)]);
            }
        }
        fixed.push((START, END));
        fixed.extend(self.births(f));
        fixed.extend(self.fixed_drains(f));
        let mut clocks = Clocks::new(&chains);
        for &(from, to) in &fixed {
            let added = clocks.add(from, to, &mut Vec::new());
            assert!(added, "what is always so has no cycle");
        }
        (self.orders.chains, self.orders.fixed, self.fixed) = (chains, fixed, clocks);
    }

    /// A thread begins after the only place where it can be created.
    fn births<M: MemoryModel>(&self, f: &Formula<'_, M>) -> Vec<(u32, u32)> {
        let mut births = Vec::new();
        for take in self.accesses.takes.iter().filter(|take| take.thread > 0 && take.point == 0) {
            let parent = f.bounded.threads[take.thread].parent as usize;
            if let Some(&[only]) = self.writers.get(&take.cell).map(Vec::as_slice)
                && f.objects.is_signal(take.cell.object, take.cell.offset)
                && self.accesses.leaves[only].thread == parent
            {
                let leave = self.accesses.leaves[only];
                births.push((self.effect(&leave), self.point(take.thread, 0)));
            }
        }
        births
    }

    /// Stores that are always in memory before a point.
    fn fixed_drains<M: MemoryModel>(&self, f: &Formula<'_, M>) -> Vec<(u32, u32)> {
        let mut edges = Vec::new();
        self.each_drain(f, &mut |guard, arrival, point| {
            if f.symbolic.terms.as_constant(guard) == Some(1) {
                edges.push((arrival, point));
            }
        });
        edges
    }

    /// Guard, arrival and point of whatever waits for stores.
    fn each_drain<M: MemoryModel>(&self, f: &Formula<'_, M>, each: &mut dyn FnMut(Term, u32, u32)) {
        for (thread, code) in f.bounded.threads.iter().enumerate() {
            if f.stores[thread].all.is_empty() {
                continue;
            }
            for (index, event) in code.events.iter().enumerate() {
                if drains(&f.model, event) {
                    for store in f.stores[thread].newest_before(index) {
                        let point = self.point(thread, event.point);
                        each(event.guard, self.arrival(thread, store), point);
                    }
                }
            }
        }
    }

    /// Orders of stores that wait, where conditions make them.
    pub(super) fn delay<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>) -> Result<(), Stop> {
        let mut edges = Vec::new();
        self.each_drain(f, &mut |guard, arrival, point| edges.push((guard, arrival, point)));
        for thread in 0..f.threads() {
            for (number, store) in f.stores[thread].all.iter().enumerate() {
                for &(earlier, when) in &store.behind {
                    edges.push((when, self.arrival(thread, earlier), self.arrival(thread, number)));
                }
            }
        }
        for (when, from, to) in edges {
            f.watch.ask()?;
            self.edge(f, when, from, to);
        }
        for thread in 0..f.threads() {
            if !f.stores[thread].all.is_empty() {
                self.arrive_together(f, thread)?;
            }
        }
        Ok(())
    }

    /// Stores that do not wait since they meet others of other widths, and loads that want
    /// all or nothing of a store that waits.
    fn arrive_together<M: MemoryModel>(
        &mut self,
        f: &mut Formula<'_, M>,
        thread: usize,
    ) -> Result<(), Stop> {
        for (index, event) in f.bounded.threads[thread].events.iter().enumerate() {
            f.watch.ask()?;
            let point = self.point(thread, event.point);
            let store = f.stores[thread].of.get(&(index as u32)).copied();
            if let Some((store, mixed)) =
                store.and_then(|at| Some((at, f.stores[thread].all[at].mixed?)))
            {
                let at_once = f.and(event.guard, mixed);
                for earlier in f.stores[thread].newest_before(index) {
                    self.edge(f, at_once, self.arrival(thread, earlier), point);
                }
                if (event.point as usize) + 1 < f.points(thread) {
                    self.edge(f, at_once, self.arrival(thread, store), point + 1);
                }
                self.at_once.push((thread, store, at_once));
            }
            if let Action::Clear = event.action {
                let mut waits = |f: &mut Formula<'_, M>, store: usize| {
                    let there = self.pair(f, self.arrival(thread, store), point);
                    f.not(there)
                };
                let whole = whole(f, thread, index, &mut waits);
                let acts = f.and(self.passed[thread][event.point as usize], event.guard);
                f.imply(acts, whole);
            }
        }
        Ok(())
    }
}
