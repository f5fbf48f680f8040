//! The tree of the search: instances that were not decided, in halves.
//!
//! The divide and conquer that Nguyen et al. (ASE 2017; `docs/papers.md`, section VIII) leave
//! to others. A node is a restriction. One that is not decided in its time has two children:
//! its thread is never preempted in some points (closed), or it is (forced). Together they
//! are the node, whatever the points are; points are halved, so that the tree ends where
//! nothing is open.

use crate::threads::{Restriction, Span, Thread};

/// Which points a node is split at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Split {
    pub thread: usize,
    pub span: Span,
}

/// A child of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Closed,
    Forced,
}

impl Side {
    /// At the end of the name of a node.
    pub fn letter(self) -> char {
        match self {
            Side::Closed => 'c',
            Side::Forced => 'f',
        }
    }
}

impl Split {
    pub fn child(self, parent: &Restriction, side: Side) -> Restriction {
        let mut child = parent.clone();
        let list = match side {
            Side::Closed => &mut child.closed,
            Side::Forced => &mut child.forced,
        };
        Restriction::add(list, self.thread, self.span);
        child
    }
}

/// Where a node is best split: half of the most points of a thread about which nothing is
/// said. `None` if everything is said.
pub fn split(threads: &[Thread], restriction: &Restriction) -> Option<Split> {
    let all = threads.iter().enumerate();
    let undecided = all.flat_map(|(at, thread)| {
        pieces(thread, at, restriction).into_iter().map(move |piece| (at, piece))
    });
    // The first of the longest, so that a journal can be read again.
    let (thread, piece) =
        undecided.fold(None, |best: Option<(usize, Vec<u32>)>, piece| match best {
            Some(best) if best.1.len() >= piece.1.len() => Some(best),
            _ => Some(piece),
        })?;
    let half = piece.len().div_ceil(2);
    Some(Split { thread, span: (piece[0], piece[half - 1] + 1) })
}

fn of(list: &[Vec<Span>], thread: usize) -> &[Span] {
    list.get(thread).map_or(&[], Vec::as_slice)
}

fn contains(spans: &[Span], point: u32) -> bool {
    spans.iter().any(|&(from, to)| (from..to).contains(&point))
}

/// Open points of a thread, cut where what is forced begins or ends; without those that are
/// alone in what is forced, about which nothing is left to say.
fn pieces(thread: &Thread, at: usize, restriction: &Restriction) -> Vec<Vec<u32>> {
    let (closed, forced) = (of(&restriction.closed, at), of(&restriction.forced, at));
    let is_open = |&point: &u32| thread.is_preemptible(point) && !contains(closed, point);
    let open: Vec<u32> = (0..thread.points.len() as u32).filter(is_open).collect();
    let is_decided = |point: u32| {
        let around = forced.iter().filter(|span| contains(&[**span], point));
        let alone = |span: &&Span| open.iter().filter(|&&it| contains(&[**span], it)).count() == 1;
        around.into_iter().any(|span| alone(&span))
    };
    let cut = |before: u32, point: u32| {
        forced.iter().any(|span| contains(&[*span], before) != contains(&[*span], point))
    };
    let mut pieces: Vec<Vec<u32>> = Vec::new();
    for &point in &open {
        if is_decided(point) {
            continue;
        }
        match pieces.last_mut() {
            Some(piece) if piece.last().is_some_and(|&last| !cut(last, point)) => piece.push(point),
            _ => pieces.push(vec![point]),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::Point;

    fn thread(points: usize) -> Thread {
        let points = vec![Point::default(); points + 1];
        Thread { name: "t".to_string(), points, stores: Vec::new() }
    }

    /// Which sets of preempted points of one thread a restriction has.
    fn has(restriction: &Restriction, thread: usize, set: u32) -> bool {
        let is_in = |point: u32| set >> point & 1 == 1;
        let none = of(&restriction.closed, thread).iter().all(|s| !(s.0..s.1).any(is_in));
        none && of(&restriction.forced, thread).iter().all(|s| (s.0..s.1).any(is_in))
    }

    /// The leaves of the whole tree: every set of points is in exactly one of them.
    #[test]
    fn halves_are_the_whole_and_the_tree_ends() {
        for sizes in [vec![1], vec![5], vec![3, 2], vec![1, 1, 2]] {
            let threads: Vec<Thread> = sizes.iter().map(|&size| thread(size)).collect();
            let mut todo = vec![Restriction::default()];
            let mut leaves = Vec::new();
            let mut nodes = 0;
            while let Some(node) = todo.pop() {
                nodes += 1;
                assert!(nodes < 500, "the tree does not end");
                match split(&threads, &node) {
                    Some(split) => {
                        todo.push(split.child(&node, Side::Closed));
                        todo.push(split.child(&node, Side::Forced));
                    }
                    None => leaves.push(node),
                }
            }
            for (at, &size) in sizes.iter().enumerate() {
                for set in (0..2u32 << size).step_by(2) {
                    assert!(leaves.iter().any(|leaf| has(leaf, at, set)), "{sizes:?} {set:b}");
                }
            }
            if let [size] = sizes[..] {
                for set in (0..2u32 << size).step_by(2) {
                    let holders = leaves.iter().filter(|leaf| has(leaf, 0, set)).count();
                    assert_eq!(holders, 1, "{set:b}");
                }
            }
        }
    }

    #[test]
    fn the_longest_piece_is_halved() {
        let threads = [thread(3), thread(8)];
        let whole = Restriction::default();
        let first = split(&threads, &whole).expect("is open");
        assert_eq!(first, Split { thread: 1, span: (1, 5) });
        let closed = first.child(&whole, Side::Closed);
        assert_eq!(split(&threads, &closed), Some(Split { thread: 1, span: (5, 7) }));
        let forced = first.child(&whole, Side::Forced);
        assert_eq!(split(&threads, &forced), Some(Split { thread: 1, span: (1, 3) }));
    }
}
