//! Proofs by another encoding.
//!
//! Rounds find violations soonest, but to cover every interleaving they need as many as there
//! are points. Sequences of writes to each location show that no run goes beyond them, mostly
//! with a few. So where nothing but the number of rounds is left open, they are asked too. How
//! hard that is can't be told from sizes; so they get as much time as all took so far, again
//! after each further bound, which at most doubles the whole.

use std::time::{Duration, Instant};

use heddle_semantics::{MemoryModel, Verdict, ViolationKind};

use crate::encodings::{Formula, Stores};
use crate::solve::engine::{Engine, Next, Stats};
use crate::solve::method::Method;
use crate::solve::session::{Clear, Outcome, Pass};

/// The first time that is spent on it, at least.
const FIRST: Duration = Duration::from_millis(200);

impl<M: MemoryModel> Engine<'_, '_, M> {
    /// After a pass without a violation: the verdict, if another encoding has one.
    pub(super) fn complete(&mut self, unwind: u32, clear: &Clear) -> Option<Verdict> {
        let method = self.options.complete_with.filter(|_| self.options.bound.is_none())?;
        let open = !clear.all && !clear.cut && clear.far.is_none() && clear.unsupported.is_none();
        if !open || method == self.options.method {
            return None;
        }
        let known = self.stats.clone();
        let time = Duration::from_secs_f64(known.encode_seconds + known.solve_seconds).max(FIRST);
        self.watch.until(Some(Instant::now() + time));
        let verdict = self.prove(method, unwind);
        self.watch.until(None);
        if verdict.is_none() {
            let Stats { encode_seconds, solve_seconds, conflicts, passes, .. } = self.stats;
            self.stats = Stats { encode_seconds, solve_seconds, conflicts, passes, ..known };
        }
        verdict
    }

    fn prove(&mut self, method: Method, unwind: u32) -> Option<Verdict> {
        let (bounded, symbolic, objects) = self.unfold(unwind).ok()?;
        let ignored = self.options.ignored.clone();
        let counts = |kind: ViolationKind| !ignored.contains(&kind);
        let (watch, model) = (self.watch.clone(), self.model.clone());
        let formula = Formula::new(&bounded, &objects, symbolic, model, &watch).ok()?;
        let mut pass = Pass::new((self.program, self.entry), formula, method, &counts).ok()?;
        self.stats.method = method;
        let mut bound = method.first_bound();
        loop {
            let within = bound.min(pass.encoding.enough(&pass.formula)).max(1);
            self.note(&bounded, within);
            let clear = match pass.ask(within, &mut self.stats) {
                Outcome::Unsafe(failure) => return Some(Verdict::Unsafe(failure)),
                Outcome::Wrong(what) => return Some(Verdict::Unknown(what)),
                Outcome::Stopped(_) => return None,
                Outcome::Clear(clear) => clear,
            };
            if clear.cut || clear.far.is_some() || clear.unsupported.is_some() {
                return None;
            }
            if clear.all {
                let mixed = pass.formula.stores.iter().any(Stores::are_mixed);
                return match self.after(&bounded, (unwind, within), clear, mixed) {
                    Next::Verdict(verdict) => Some(verdict),
                    Next::Bound(_) | Next::Unwind => None,
                };
            }
            bound = method.next_bound(within);
        }
    }
}
