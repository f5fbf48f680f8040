//! Random orders, and their models by definition.

use fastrand::Rng;
use heddle_sat::order::{Location, Orders, Read};

/// Reachability by plain search.
pub fn reaches(nodes: usize, edges: &[(u32, u32)], from: u32, to: u32) -> bool {
    let mut seen = vec![false; nodes];
    let mut todo = vec![from];
    while let Some(node) = todo.pop() {
        if std::mem::replace(&mut seen[node as usize], true) {
            continue;
        }
        if node == to {
            return true;
        }
        todo.extend(edges.iter().filter(|edge| edge.0 == node).map(|edge| edge.1));
    }
    false
}

pub fn chains(rng: &mut Rng, count: u32, each: u32) -> Vec<Vec<u32>> {
    let mut next = 0;
    let mut chains = Vec::new();
    for _ in 0..count {
        let length = rng.u32(1..=each);
        chains.push((next..next + length).collect());
        next += length;
    }
    chains
}

pub fn chained(chains: &[Vec<u32>]) -> Vec<(u32, u32)> {
    let pairs = chains.iter().flat_map(|chain| chain.windows(2));
    pairs.map(|pair| (pair[0], pair[1])).collect()
}

/// Random orders over literals from 1 on, and how many literals there are.
pub fn random_orders(rng: &mut Rng) -> (Orders<i32>, i32) {
    let chains = chains(rng, 3, 3);
    let nodes = chains.iter().map(Vec::len).sum::<usize>() as u32;
    let mut last = 0;
    let mut literal = || {
        last += 1;
        last
    };
    let mut orders = Orders { chains, ..Orders::default() };
    for _ in 0..rng.usize(..3) {
        let (a, b) = (rng.u32(..nodes), rng.u32(..nodes));
        if a < b {
            orders.fixed.push((a, b));
        }
    }
    for _ in 0..rng.usize(..4) {
        let (a, b) = (rng.u32(..nodes), rng.u32(..nodes));
        orders.edges.push((literal(), a, b));
    }
    for _ in 0..rng.usize(1..3) {
        let mut location = Location::default();
        for node in 0..nodes {
            if rng.bool() {
                let when = rng.bool().then(&mut literal);
                location.writes.push((node, when));
            }
        }
        let count = location.writes.len();
        for first in 0..count {
            for second in first + 1..count {
                let (a, b) = (location.writes[first].0, location.writes[second].0);
                let known = orders.pairs.iter().any(|pair| (pair.1, pair.2) == (a, b));
                if !known {
                    orders.pairs.push((literal(), a, b));
                }
            }
        }
        for _ in 0..rng.usize(..3) {
            let node = rng.u32(..nodes);
            let mut read = Read { node, from: Vec::new() };
            for write in 0..count {
                if rng.bool() && location.writes[write].0 != node {
                    let takes = literal();
                    read.from.push((write as u32, Some(takes)));
                    if rng.bool() {
                        orders.edges.push((takes, location.writes[write].0, node));
                    }
                }
            }
            location.reads.push(read);
        }
        orders.locations.push(location);
    }
    (orders, last)
}

/// What has to hold beside the orders: a read takes one write at most, and only one that acts.
pub fn clauses(orders: &Orders<i32>) -> Vec<Vec<i32>> {
    let mut clauses = Vec::new();
    for location in &orders.locations {
        for read in &location.reads {
            for (at, &(write, takes)) in read.from.iter().enumerate() {
                let takes = takes.expect("has a literal");
                if let Some(acts) = location.writes[write as usize].1 {
                    clauses.push(vec![-takes, acts]);
                }
                for other in &read.from[at + 1..] {
                    clauses.push(vec![-takes, -other.1.expect("has a literal")]);
                }
            }
        }
    }
    clauses
}

pub fn holds(model: u32, literal: i32) -> bool {
    (model >> (literal.unsigned_abs() - 1) & 1 == 1) == (literal > 0)
}

/// By definition: a line without cycles in which nobody else writes between.
pub fn is_fine(orders: &Orders<i32>, clauses: &[Vec<i32>], model: u32) -> bool {
    if !clauses.iter().all(|clause| clause.iter().any(|&literal| holds(model, literal))) {
        return false;
    }
    let nodes = orders.nodes();
    let mut edges = chained(&orders.chains);
    edges.extend(&orders.fixed);
    edges.extend(orders.edges.iter().filter(|it| holds(model, it.0)).map(|it| (it.1, it.2)));
    let pair = |&(when, a, b): &(i32, u32, u32)| if holds(model, when) { (a, b) } else { (b, a) };
    edges.extend(orders.pairs.iter().map(pair));
    let base = edges.clone();
    for location in &orders.locations {
        for read in &location.reads {
            for &(write, takes) in &read.from {
                if !takes.is_none_or(|takes| holds(model, takes)) {
                    continue;
                }
                let source = location.writes[write as usize].0;
                for &(node, acts) in &location.writes {
                    let acts = acts.is_none_or(|acts| holds(model, acts));
                    let other = node != source && node != read.node;
                    if acts && other && reaches(nodes, &base, source, node) {
                        edges.push((read.node, node));
                    }
                }
            }
        }
    }
    edges.iter().all(|&(a, b)| !reaches(nodes, &edges, b, a))
}
