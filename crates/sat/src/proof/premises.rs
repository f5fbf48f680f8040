//! What orders say, for whoever checks lemmas: nothing here is shared with the theory.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::order::{Because, Derived, Lemma, Link, Orders, When};

pub struct Premises {
    orders: Orders<i32>,
    /// Node: its chain and its place there.
    places: Vec<(u32, u32)>,
    /// Node: how many of each chain are not after it, whatever literals say.
    known: Vec<Vec<u32>>,
    /// What is always so has a cycle.
    broken: bool,
    /// Literal: its edges.
    edges: FxHashMap<i32, FxHashSet<(u32, u32)>>,
}

impl Premises {
    pub fn new(orders: &Orders<i32>) -> Premises {
        let mut places = vec![(0, 0); orders.nodes()];
        for (chain, nodes) in orders.chains.iter().enumerate() {
            for (place, &node) in nodes.iter().enumerate() {
                places[node as usize] = (chain as u32, place as u32);
            }
        }
        let mut edges: FxHashMap<i32, FxHashSet<(u32, u32)>> = FxHashMap::default();
        let mut edge = |literal: i32, from: u32, to: u32| {
            edges.entry(literal).or_default().insert((from, to));
        };
        orders.edges.iter().for_each(|&(literal, from, to)| edge(literal, from, to));
        for &(literal, from, to) in &orders.pairs {
            edge(literal, from, to);
            edge(-literal, to, from);
        }
        let known = close(orders, &places);
        let broken = known.is_none();
        let orders = orders.clone();
        Premises { orders, places, known: known.unwrap_or_default(), broken, edges }
    }

    /// Is the first node always before the second, or the same?
    fn is_by(&self, a: u32, b: u32) -> bool {
        let place = self.places.get(a as usize);
        place.is_some_and(|&(chain, place)| {
            self.known.get(b as usize).is_some_and(|known| known[chain as usize] > place)
        })
    }

    /// Is there an order in which these literals hold?
    pub fn allow(&self, holds: &mut dyn FnMut(i32) -> bool) -> bool {
        self.orders.linearise(holds).is_some()
    }

    /// Does the clause hold in every order?
    pub fn hold(&self, clause: &[i32], lemma: &Lemma) -> bool {
        self.broken || self.shows(clause, lemma).is_some()
    }

    fn shows(&self, clause: &[i32], lemma: &Lemma) -> Option<()> {
        // Where the clause does not hold, these do.
        let holds = |literal: i32| clause.contains(&-literal);
        match lemma {
            Lemma::Taken { location, read } => {
                let location = self.orders.locations.get(*location as usize)?;
                let from = &location.reads.get(*read as usize)?.from;
                let taken = from.iter().filter(|(_, when)| when.is_none_or(holds));
                let writes: FxHashSet<u32> = taken.map(|(write, _)| *write).collect();
                (writes.len() > 1).then_some(())
            }
            Lemma::Cycle { links, cycle } => {
                for (at, link) in links.iter().enumerate() {
                    self.is_there(link, &links[..at], &holds)?;
                }
                let first = links.get(*cycle.first()? as usize)?.from;
                self.leads(first, first, cycle, links)
            }
        }
    }

    /// Do these links lead from one node to another? Between them is what is always so.
    fn leads(&self, from: u32, to: u32, hops: &[u32], links: &[Link]) -> Option<()> {
        let mut at = from;
        for &hop in hops {
            let link = links.get(hop as usize)?;
            if !self.is_by(at, link.from) {
                return None;
            }
            at = link.to;
        }
        self.is_by(at, to).then_some(())
    }

    fn is_there(&self, link: &Link, before: &[Link], holds: &dyn Fn(i32) -> bool) -> Option<()> {
        let &Link { from, to, ref because } = link;
        let (derived, path) = match because {
            Because::Literal(literal) => {
                let known = self.edges.get(literal)?.contains(&(from, to));
                return (known && holds(*literal)).then_some(());
            }
            Because::FromRead { derived, path } => (derived, path),
        };
        let &Derived { location, read, write, other } = derived;
        let location = self.orders.locations.get(location as usize)?;
        let read = location.reads.get(read as usize)?;
        let does = |when: &When<i32>| when.is_none_or(holds);
        let takes = read.from.iter().any(|(from, when)| *from == write && does(when));
        let (source, _) = *location.writes.get(write as usize)?;
        let &(another, acts) = location.writes.get(other as usize)?;
        if !takes || !does(&acts) || write == other || another == read.node || another == source {
            return None;
        }
        match (from, to) {
            _ if (from, to) == (read.node, another) => self.leads(source, another, path, before),
            _ if (from, to) == (another, source) => self.leads(another, read.node, path, before),
            _ => None,
        }
    }
}

/// The order that holds whatever literals say; `None`: a cycle.
fn close(orders: &Orders<i32>, places: &[(u32, u32)]) -> Option<Vec<Vec<u32>>> {
    let mut next: Vec<Vec<u32>> = vec![Vec::new(); places.len()];
    let in_chains = orders.chains.iter().flat_map(|chain| chain.windows(2));
    let steps = in_chains.map(|pair| (pair[0], pair[1])).chain(orders.fixed.iter().copied());
    let mut missing = vec![0; places.len()];
    for (from, to) in steps {
        next[from as usize].push(to);
        missing[to as usize] += 1;
    }
    let mut known = vec![vec![0; orders.chains.len()]; places.len()];
    let mut ready: Vec<u32> =
        (0..places.len() as u32).filter(|&node| missing[node as usize] == 0).collect();
    let mut done = 0;
    while let Some(node) = ready.pop() {
        done += 1;
        let (chain, place) = places[node as usize];
        known[node as usize][chain as usize] = place + 1;
        let here = known[node as usize].clone();
        for &to in &next[node as usize] {
            for (there, &here) in known[to as usize].iter_mut().zip(&here) {
                *there = here.max(*there);
            }
            missing[to as usize] -= 1;
            if missing[to as usize] == 0 {
                ready.push(to);
            }
        }
    }
    (done == places.len()).then_some(known)
}
