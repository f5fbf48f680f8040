//! Orders by clocks: a number for each event, larger for what is later. The formula alone
//! says what the theory would see to, so it is what the theory is compared with, and what
//! can be handed to any SAT solver.

use heddle_sat::order::{Clocks, Orders};
use heddle_sat::{Relation, Term};
use heddle_semantics::MemoryModel;
use rustc_hash::FxHashMap;

use crate::encodings::Formula;
use crate::watch::Stop;

struct Times<'a> {
    times: Vec<Term>,
    fixed: &'a Clocks,
    known: FxHashMap<(u32, u32), Term>,
}

impl Times<'_> {
    /// Is the first before the second?
    fn before<M: MemoryModel>(&mut self, f: &mut Formula<'_, M>, a: u32, b: u32) -> Term {
        if self.fixed.is_before(a, b) {
            return f.always();
        }
        if self.fixed.is_by(b, a) {
            return f.never();
        }
        let (first, second) = (self.times[a as usize], self.times[b as usize]);
        let known = self.known.entry((a, b));
        *known.or_insert_with(|| f.terms().relate(Relation::ULt, first, second))
    }
}

/// Adds clocks to the formula; gives them.
pub(super) fn keep<M: MemoryModel>(
    f: &mut Formula<'_, M>,
    orders: &Orders<Term>,
    fixed: &Clocks,
) -> Result<Vec<Term>, Stop> {
    let bits = u32::BITS - (orders.nodes() as u32).leading_zeros();
    let times = (0..orders.nodes()).map(|_| f.terms().variable(bits)).collect();
    let mut times = Times { times, fixed, known: FxHashMap::default() };
    let chained = orders.chains.iter().flat_map(|chain| chain.windows(2));
    for (a, b) in chained.map(|pair| (pair[0], pair[1])).chain(orders.fixed.iter().copied()) {
        let (first, second) = (times.times[a as usize], times.times[b as usize]);
        let order = f.terms().relate(Relation::ULt, first, second);
        f.any(&[order]);
    }
    for &(when, a, b) in &orders.edges {
        let before = times.before(f, a, b);
        f.imply(when, before);
    }
    for &(when, a, b) in &orders.pairs {
        let (before, after) = (times.before(f, a, b), times.before(f, b, a));
        f.imply(when, before);
        let not = f.not(when);
        f.imply(not, after);
    }
    for location in &orders.locations {
        for read in &location.reads {
            f.watch.ask()?;
            for &(from, when) in &read.from {
                let takes = when.unwrap_or_else(|| f.always());
                let source = location.writes[from as usize].0;
                for (at, &(other, when)) in location.writes.iter().enumerate() {
                    if at == from as usize || other == read.node {
                        continue;
                    }
                    let acts = when.unwrap_or_else(|| f.always());
                    let both = f.and(takes, acts);
                    let earlier = times.before(f, other, source);
                    let later = times.before(f, read.node, other);
                    f.imply_any(both, &[earlier, later]);
                }
            }
        }
    }
    Ok(times.times)
}
