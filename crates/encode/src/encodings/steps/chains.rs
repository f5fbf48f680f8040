//! The scheduler that takes one interleaving of each class: monotonic partial-order reduction
//! (MPOR) and schedule insensitivity reduction (SIR).
//!
//! Follows section 6 of Kahlon's paper (`docs/papers.md`), which extends Kahlon, Wang and
//! Gupta, "Monotonic Partial Order Reduction" (CAV 2009). Threads move in the order of their
//! numbers unless that would leave out an order of two transitions that matters: a transition
//! of a thread with a larger number comes before one with a smaller number only if a chain of
//! dependencies leads from the former to the latter, or to one between them of a thread with a
//! yet smaller number. Which pairs make a chain is what tells MPOR from SIR (`conflicts`).
//!
//! Deviations:
//! 1. `SDC_ji`, here `reached`, is a truth, and that thread j has moved at all is another one,
//!    instead of the values 1, -1 and 0.
//! 2. Chains are kept by what they touch: for each thread, which groups of accesses the chain
//!    from its last transition has come to. The paper's `DEP_li` and `SS_li` look at the last
//!    transition of thread l only, and lose a chain that goes through an earlier one of its
//!    transitions. So pairs are not compared, and a step costs threads times groups.
//! 3. The paper writes that `DEP_li(k)` and `SS_li(k)` always hold; it means `DEP_ii(k)`.
//! 4. The transition of the step is chained to whatever comes before it, so the paper's
//!    `SDC_ji(k)` in `S_i(k)` is `hit` here, before it is known who was selected.
//!
//! Size: with T threads, G groups and A accesses O(A + T · (T + G)) gates for each step.

use heddle_sat::Term;
use heddle_semantics::MemoryModel;

use crate::encodings::Formula;
use crate::encodings::steps::conflicts::Conflicts;
use crate::watch::Stop;

pub(super) struct Chains {
    conflicts: Conflicts,
    /// Thread: it has taken a step.
    begun: Vec<Term>,
    /// Thread j, thread i: a chain leads from the last transition of j to the last one of i.
    reached: Vec<Vec<Term>>,
    /// Thread, group: a chain leads from the last transition of the thread to a touch of it.
    touched: Vec<Vec<Term>>,
}

impl Chains {
    pub fn new<M: MemoryModel>(f: &mut Formula<'_, M>, conflicts: Conflicts) -> Chains {
        let (never, threads) = (f.never(), f.threads());
        Chains {
            begun: vec![never; threads],
            reached: vec![vec![never; threads]; threads],
            touched: vec![vec![never; conflicts.groups.len()]; threads],
            conflicts,
        }
    }

    /// One more step, of who is selected, which takes one of the points.
    pub fn add<M: MemoryModel>(
        &mut self,
        f: &mut Formula<'_, M>,
        selected: &[Term],
        takes: &[Vec<Term>],
    ) -> Result<(), Stop> {
        let touches = self.touches(f, takes);
        let nears: Vec<Term> = self
            .conflicts
            .groups
            .iter()
            .map(|group| {
                let near: Vec<Term> = group.near.iter().map(|&other| touches[other]).collect();
                f.terms().or_all(&near)
            })
            .collect();
        let mut hits = Vec::new();
        for thread in 0..selected.len() {
            f.watch.ask()?;
            hits.push(self.hit(f, thread, selected, &nears));
        }
        for (thread, &selected) in selected.iter().enumerate() {
            self.schedule(f, thread, selected, &hits);
        }
        for (thread, &hit) in hits.iter().enumerate() {
            self.chain(f, (thread, hit), selected, &touches);
        }
        for (begun, &selected) in self.begun.iter_mut().zip(selected) {
            *begun = f.or(*begun, selected);
        }
        Ok(())
    }

    /// For each group: the transition of this step touches it.
    fn touches<M: MemoryModel>(&self, f: &mut Formula<'_, M>, takes: &[Vec<Term>]) -> Vec<Term> {
        let mut all = Vec::new();
        for group in &self.conflicts.groups {
            let mut any = Vec::new();
            for touch in &group.touches {
                any.push(f.and(takes[touch.thread][touch.point as usize], touch.when));
            }
            all.push(f.terms().or_all(&any));
        }
        all
    }

    /// A chain leads from the last transition of a thread to that of this step.
    fn hit<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        thread: usize,
        selected: &[Term],
        nears: &[Term],
    ) -> Term {
        let mut ways = Vec::new();
        for (&touched, &near) in self.touched[thread].iter().zip(nears) {
            ways.push(f.and(touched, near));
        }
        for (&reached, &selected) in self.reached[thread].iter().zip(selected) {
            ways.push(f.and(reached, selected));
        }
        f.terms().or_all(&ways)
    }

    /// S_i: a thread that is selected is not too late.
    fn schedule<M: MemoryModel>(
        &self,
        f: &mut Formula<'_, M>,
        thread: usize,
        selected: Term,
        hits: &[Term],
    ) {
        let late = f.not(selected);
        for (larger, &hit) in hits.iter().enumerate().skip(thread + 1) {
            let idle = f.not(self.begun[larger]);
            let mut ways = vec![late, idle, hit];
            ways.extend_from_slice(&self.reached[larger][..thread]);
            f.any(&ways);
        }
    }

    /// What the chains of a thread come to by this step.
    fn chain<M: MemoryModel>(
        &mut self,
        f: &mut Formula<'_, M>,
        (thread, hit): (usize, Term),
        selected: &[Term],
        touches: &[Term],
    ) {
        let own = selected[thread];
        for (touched, &touches) in self.touched[thread].iter_mut().zip(touches) {
            let more = f.and(hit, touches);
            let later = f.or(*touched, more);
            *touched = f.terms().select(own, touches, later);
        }
        for (other, reached) in self.reached[thread].iter_mut().enumerate() {
            let now = f.terms().select(selected[other], hit, *reached);
            *reached = match other == thread {
                true => f.or(*reached, own),
                false => f.and_not(now, own),
            };
        }
    }
}
