//! Why the theory's clauses hold: their literals, and the cycle behind them.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::{NONE, Reason, Theory, negated};
use crate::order::clocks::Edge;
use crate::order::{Because, Lemma, Link};

impl Theory {
    /// The conditions of an edge and a path, negated, and a literal.
    pub(super) fn explain(&self, edge: Option<Reason>, path: (u32, u32), and: i32) -> Vec<i32> {
        let mut clause: Vec<i32> = if and == NONE { Vec::new() } else { vec![and] };
        let mut seen = vec![false; self.reasons.len()];
        let mut paths = vec![path];
        let mut reasons: Vec<Reason> = edge.into_iter().collect();
        loop {
            while let Some(reason) = reasons.pop() {
                match reason {
                    Reason::Always => {}
                    Reason::Literal(literal) => clause.push(-literal),
                    Reason::FromRead { takes, acts, path, .. } => {
                        clause.extend(negated([takes, acts]));
                        paths.push(path);
                    }
                }
            }
            let Some((from, to)) = paths.pop() else { break };
            self.clocks.path(from, to, &mut |edge| {
                if !std::mem::replace(&mut seen[edge as usize], true) {
                    reasons.push(self.reasons[edge as usize]);
                }
            });
        }
        clause.sort_unstable();
        clause.dedup();
        clause
    }

    pub(super) fn note_taken(&mut self, location: u32, read: u32, clause: Vec<i32>) {
        if let Some(lemmas) = &mut self.lemmas {
            lemmas.insert(sorted(clause), Lemma::Taken { location, read });
        }
    }

    /// The clause holds, since this edge would close a cycle.
    pub(super) fn note_cycle(&mut self, edge: (u32, u32), reason: Reason, clause: &[i32]) {
        if self.lemmas.is_some() {
            let lemma = self.cycle(edge, reason);
            self.lemmas.get_or_insert_default().insert(sorted(clause.to_vec()), lemma);
        }
    }

    fn cycle(&self, (from, to): (u32, u32), reason: Reason) -> Lemma {
        let mut paths = vec![(to, from)];
        let path_of = |reason: &Reason| match reason {
            Reason::FromRead { path, .. } => Some(*path),
            Reason::Always | Reason::Literal(_) => None,
        };
        paths.extend(path_of(&reason));
        // What is always so needs no reason.
        let reason_of = |edge: u32| match self.reasons[edge as usize] {
            Reason::Always => None,
            reason => Some(reason),
        };
        let mut needed: BTreeSet<u32> = BTreeSet::new();
        while let Some((from, to)) = paths.pop() {
            self.clocks.path(from, to, &mut |edge| {
                if let Some(reason) = reason_of(edge)
                    && needed.insert(edge)
                {
                    paths.extend(path_of(&reason));
                }
            });
        }
        // Whatever an edge rests on came before it.
        let places: FxHashMap<u32, u32> = needed.iter().copied().zip(0..).collect();
        let hops = |(from, to): (u32, u32)| {
            let mut hops = Vec::new();
            self.clocks.path(from, to, &mut |edge| hops.extend(places.get(&edge).copied()));
            hops.reverse();
            hops
        };
        let link = |(from, to): (u32, u32), reason: Reason| {
            let because = match reason {
                Reason::Always => return None,
                Reason::Literal(literal) => Because::Literal(literal),
                Reason::FromRead { path, derived, .. } => {
                    Because::FromRead { derived, path: hops(path) }
                }
            };
            Some(Link { from, to, because })
        };
        let edges = needed.iter().map(|&edge| {
            let Edge { from, to } = self.clocks.edge(edge);
            ((from, to), self.reasons[edge as usize])
        });
        let all = edges.chain([((from, to), reason)]);
        let links: Vec<Link> = all.filter_map(|(edge, reason)| link(edge, reason)).collect();
        let mut cycle = hops((to, from));
        cycle.push(links.len().saturating_sub(1) as u32);
        Lemma::Cycle { links, cycle }
    }

    /// Why a clause that was handed out holds. Once for each.
    pub fn lemma(&mut self, clause: &[i32]) -> Option<Lemma> {
        // That nothing is possible may be said again and again.
        let lemmas = self.lemmas.as_mut()?;
        match clause {
            [] => lemmas.get(clause).cloned(),
            _ => lemmas.remove(&sorted(clause.to_vec())),
        }
    }
}

fn sorted(mut clause: Vec<i32>) -> Vec<i32> {
    clause.sort_unstable();
    clause.dedup();
    clause
}
