//! Which conflicts can lead a condition either way: one traversal of where threads can stand
//! together, with the values that cells can have there.
//!
//! Kahlon's transaction graph and static schedule sensitivity (`docs/papers.md`, section 5), for
//! the points of a bounded program. Two transitions that conflict are schedule sensitive if
//! from some state in which both are next, some condition that what they exchange flows into
//! can come out true and can come out false.
//!
//! Deviations:
//! 1. A condition needs one truth over everything that is reachable from the state. Lines 14 to
//!    18 of Algorithm 1 look at one pair of locations at a time, and take (a1, b1) of Figure 1
//!    for oblivious, where `sh >= 6` is false at (a1, b3) and true at (a2, b3).
//! 2. Conditions are those of `conditions`: addresses, waits, assumptions and checks too, not
//!    only branches. What threads wait for, and whether memory is gone, is always sensitive.
//! 3. Nothing is collapsed: where threads stand is the very property.
//! 4. Sets of values instead of ranges, octagons or polyhedra. Counters only move forward, so
//!    the graph has no cycles, and one pass is the fixpoint.
//! 5. Any number of threads. Beyond a number of states everything counts as sensitive.

use std::collections::BTreeMap;

use heddle_sat::{Cone, Term};
use heddle_semantics::MemoryModel;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::encodings::Formula;
use crate::encodings::accesses::{Accesses, Leave, Take};
use crate::encodings::steps::conditions::{Condition, conditions};
use crate::unfold::facts::Cell;
use crate::watch::Stop;

/// Places of all threads together that are looked at.
const MOST_STATES: usize = 6_000;
const MOST_TERMS: usize = 20_000;

/// A point of a thread.
pub(super) type Place = (usize, u32);

/// What may be there; without an entry, anything.
type Sets = BTreeMap<Term, Vec<u64>>;

/// Where each thread stands, as an index of its points that count.
type Stand = Vec<usize>;

#[derive(Clone, Default, PartialEq)]
struct State {
    cells: BTreeMap<Cell, Option<Vec<u64>>>,
    /// Only of reads that have happened, or have been passed.
    reads: Sets,
}

/// What a condition can come out as: 1 is false, 2 is true, 3 is both.
type Truths = Vec<u8>;
/// Conditions and what they can come out as.
type Decided = Vec<(usize, u8)>;

struct Point {
    point: u32,
    takes: Vec<Take>,
    leaves: Vec<Leave>,
    /// All that is looked at here.
    cone: Cone,
    active: Term,
    /// The waits are over.
    open: Term,
    /// Conditions that a read here is part of.
    decides: Vec<usize>,
}

pub(super) struct Traversal {
    points: Vec<Vec<Point>>,
    conditions: Vec<Condition>,
    states: BTreeMap<(usize, Stand), State>,
    /// Stand: where it leads, and what is decided on the way.
    edges: FxHashMap<Stand, Vec<(Stand, Decided)>>,
}

/// Pairs of points, the thread with the smaller number first, whose order can matter. `None` if
/// there is too much to look at.
pub(super) fn sensitive<M: MemoryModel>(
    f: &mut Formula<'_, M>,
    accesses: &Accesses,
    (active, tested): (&[Vec<Term>], &FxHashSet<Cell>),
) -> Result<Option<FxHashSet<(Place, Place)>>, Stop> {
    let Some(mut traversal) = Traversal::new(f, accesses, active) else { return Ok(None) };
    if !traversal.run(f)? {
        return Ok(None);
    }
    let truths = traversal.truths();
    let at_stake = AtStake::of(accesses, &traversal.conditions, tested);
    let mut found = FxHashSet::default();
    for (stand, truths) in &truths {
        f.watch.ask()?;
        for (first, &at) in stand.iter().enumerate() {
            let Some(one) = traversal.points[first].get(at) else { continue };
            for (second, &at) in stand.iter().enumerate().skip(first + 1) {
                let Some(other) = traversal.points[second].get(at) else { continue };
                let pair = ((first, one.point), (second, other.point));
                if !found.contains(&pair) && at_stake.matters(pair, truths) {
                    found.insert(pair);
                }
            }
        }
    }
    Ok(Some(found))
}

impl Traversal {
    fn new<M: MemoryModel>(
        f: &mut Formula<'_, M>,
        accesses: &Accesses,
        active: &[Vec<Term>],
    ) -> Option<Traversal> {
        let conditions = conditions(f, accesses)?;
        let mut points = Vec::new();
        for (thread, truths) in active.iter().enumerate() {
            let mut list = Vec::new();
            for (point, &acts) in truths.iter().enumerate() {
                if !f.is_never(acts) {
                    let place = (thread, point as u32);
                    list.push(Point::new(f, accesses, (place, acts), &conditions)?);
                }
            }
            points.push(list);
        }
        Some(Traversal { points, conditions, states: BTreeMap::new(), edges: FxHashMap::default() })
    }

    /// Looks at all that can be reached; tells whether that was not too much.
    fn run<M: MemoryModel>(&mut self, f: &Formula<'_, M>) -> Result<bool, Stop> {
        let mut initial = State::default();
        for (&cell, &term) in &f.bounded.initial {
            initial.cells.insert(cell, f.symbolic.terms.values(term).map(<[u64]>::to_vec));
        }
        self.states.insert((0, vec![0; self.points.len()]), initial);
        // Whoever leads to a stand has made fewer steps.
        let mut next = self.states.pop_first();
        while let Some(((steps, stand), state)) = next {
            f.watch.ask()?;
            let mut out = Vec::new();
            for thread in 0..stand.len() {
                if stand[thread] < self.points[thread].len() {
                    let mut to = stand.clone();
                    to[thread] += 1;
                    for (state, decided) in self.step(f, (thread, stand[thread]), &state, &to) {
                        self.join((steps + 1, to.clone()), state);
                        out.push((to.clone(), decided));
                    }
                }
            }
            self.edges.insert(stand, out);
            if self.edges.len() > MOST_STATES {
                return Ok(false);
            }
            next = self.states.pop_first();
        }
        Ok(true)
    }

    fn join(&mut self, key: (usize, Stand), state: State) {
        let Some(known) = self.states.get_mut(&key) else {
            self.states.insert(key, state);
            return;
        };
        for (cell, values) in &mut known.cells {
            *values = union(values.take(), state.cells.get(cell).cloned().flatten());
        }
        let mut reads = Sets::new();
        for (read, values) in std::mem::take(&mut known.reads) {
            let both = union(Some(values), state.reads.get(&read).cloned());
            both.into_iter().for_each(|both| drop(reads.insert(read, both)));
        }
        known.reads = reads;
    }

    /// The ways in which a thread can go on: it takes its point, or passes it over.
    fn step<M: MemoryModel>(
        &self,
        f: &Formula<'_, M>,
        (thread, at): (usize, usize),
        before: &State,
        to: &Stand,
    ) -> Vec<(State, Decided)> {
        let point = &self.points[thread][at];
        let terms = &f.symbolic.terms;
        let mut ways = Vec::new();
        // What was not read is not looked at; so it may be anything in particular.
        let mut passed = before.clone();
        for take in &point.takes {
            passed.reads.insert(take.value, vec![0]);
        }
        let images = point.cone.outcomes(terms, |input| look(f, before, input));
        let acts = images[&point.active].clone().unwrap_or_default();
        if acts.contains(&0) {
            let decided = self.decided(f, point, &passed, to);
            ways.push((passed, decided));
        }
        if acts.contains(&1) {
            let mut taken = before.clone();
            point.read(&mut taken);
            let images = point.cone.outcomes(terms, |input| look(f, &taken, input));
            let decided = self.decided(f, point, &taken, to);
            if images[&point.open].as_deref() != Some(&[0]) {
                point.write(&mut taken, &images);
                ways.push((taken, decided));
            }
        }
        ways
    }

    /// Conditions that are decided as a thread comes past a point.
    fn decided<M: MemoryModel>(
        &self,
        f: &Formula<'_, M>,
        point: &Point,
        state: &State,
        to: &Stand,
    ) -> Decided {
        let is_past = |read: &Term| {
            let happens = |points: &[Point]| points.iter().any(|point| point.reads(*read));
            let all = self.points.iter().zip(to);
            !all.into_iter().any(|(points, &at)| happens(&points[at..]))
        };
        let mut decided = Vec::new();
        for &index in &point.decides {
            let condition = &self.conditions[index];
            if condition.reads.iter().all(is_past) {
                let of = |input| look(f, state, input);
                let images = condition.cone.outcomes(&f.symbolic.terms, of);
                let truths = images[&condition.term].iter().flatten();
                decided.push((index, truths.fold(0, |all, &truth| all | 1 << (truth & 1))));
            }
        }
        decided
    }

    /// For each stand: what each condition can come out as from there.
    fn truths(&self) -> FxHashMap<Stand, Truths> {
        let mut order: Vec<&Stand> = self.edges.keys().collect();
        order.sort_unstable_by_key(|stand| std::cmp::Reverse(stand.iter().sum::<usize>()));
        let mut all: FxHashMap<Stand, Truths> = FxHashMap::default();
        for stand in order {
            let mut truths = vec![0; self.conditions.len()];
            for (to, decided) in &self.edges[stand] {
                for (truth, later) in truths.iter_mut().zip(&all[to]) {
                    *truth |= later;
                }
                decided.iter().for_each(|&(index, truth)| truths[index] |= truth);
            }
            all.insert(stand.clone(), truths);
        }
        all
    }
}

fn look<M: MemoryModel>(f: &Formula<'_, M>, state: &State, input: Term) -> Option<Vec<u64>> {
    let known = || f.symbolic.terms.values(input).map(<[u64]>::to_vec);
    state.reads.get(&input).cloned().or_else(known)
}

fn union(a: Option<Vec<u64>>, b: Option<Vec<u64>>) -> Option<Vec<u64>> {
    let mut both = [a?, b?].concat();
    both.sort_unstable();
    both.dedup();
    (both.len() <= heddle_sat::FEW).then_some(both)
}

impl Point {
    fn new<M: MemoryModel>(
        f: &mut Formula<'_, M>,
        accesses: &Accesses,
        ((thread, point), active): (Place, Term),
        conditions: &[Condition],
    ) -> Option<Point> {
        let mut open = f.always();
        for wait in &f.bounded.threads[thread].waits {
            if wait.point == point {
                for test in &wait.tests {
                    let holds = test.holds(&mut f.symbolic, test.value);
                    let fine = f.terms().implies(wait.guard, holds);
                    open = f.and(open, fine);
                }
            }
        }
        let here = |at: usize, other: u32| at == thread && other == point;
        let takes = accesses.takes.iter().filter(|it| here(it.thread, it.point)).copied();
        let leaves = accesses.leaves.iter().filter(|it| here(it.thread, it.point)).copied();
        let (takes, leaves): (Vec<Take>, Vec<Leave>) = (takes.collect(), leaves.collect());
        let written = leaves.iter().flat_map(|leave| [leave.when, leave.value]);
        let roots = written.chain([active, open]);
        let cone = Cone::of(&f.symbolic.terms, roots, MOST_TERMS)?;
        let is_part =
            |condition: &Condition| takes.iter().any(|take| condition.reads.contains(&take.value));
        let all = conditions.iter().enumerate();
        let decides = all.filter(|(_, condition)| is_part(condition)).map(|(index, _)| index);
        let decides = decides.collect();
        Some(Point { point, takes, leaves, cone, active, open, decides })
    }

    fn reads(&self, value: Term) -> bool {
        self.takes.iter().any(|take| take.value == value)
    }

    /// What it reads is in one of the cells.
    fn read(&self, state: &mut State) {
        let mut read: BTreeMap<Term, Option<Vec<u64>>> = BTreeMap::new();
        for take in &self.takes {
            let there = state.cells.get(&take.cell).cloned().flatten();
            match read.remove(&take.value) {
                Some(values) => read.insert(take.value, union(values, there)),
                None => read.insert(take.value, there),
            };
        }
        for (value, there) in read {
            match there {
                Some(there) => state.reads.insert(value, there),
                None => state.reads.remove(&value),
            };
        }
    }

    fn write(&self, state: &mut State, images: &FxHashMap<Term, Option<Vec<u64>>>) {
        for leave in &self.leaves {
            let when = images[&leave.when].as_deref().unwrap_or(&[0, 1]);
            if when == [0] {
                continue;
            }
            let value = images[&leave.value].clone();
            let there = state.cells.get(&leave.cell).cloned().flatten();
            let value = if when == [1] { value } else { union(value, there) };
            state.cells.insert(leave.cell, value);
        }
    }
}

/// What of two points conflicts, and which conditions that flows into.
struct AtStake {
    /// Point: cells that it writes and that it reads, with what is read.
    writes: FxHashMap<Place, FxHashSet<Cell>>,
    reads: FxHashMap<Place, Vec<(Cell, Term)>>,
    /// Reads of the cell.
    readers: FxHashMap<Cell, Vec<Term>>,
    /// Read: conditions that it flows into.
    into: FxHashMap<Term, Vec<usize>>,
    always: FxHashSet<Cell>,
    /// Points that find out whether memory is gone.
    visits: FxHashMap<Place, Vec<Cell>>,
}

impl AtStake {
    fn of(accesses: &Accesses, conditions: &[Condition], tested: &FxHashSet<Cell>) -> AtStake {
        let mut at_stake = AtStake {
            writes: FxHashMap::default(),
            reads: FxHashMap::default(),
            readers: FxHashMap::default(),
            into: FxHashMap::default(),
            always: tested.clone(),
            visits: FxHashMap::default(),
        };
        for leave in &accesses.leaves {
            let cells = at_stake.writes.entry((leave.thread, leave.point)).or_default();
            cells.insert(leave.cell);
        }
        for take in &accesses.takes {
            let reads = at_stake.reads.entry((take.thread, take.point)).or_default();
            reads.push((take.cell, take.value));
            at_stake.readers.entry(take.cell).or_default().push(take.value);
        }
        for visit in &accesses.visits {
            at_stake.always.insert(visit.life);
            at_stake.visits.entry((visit.thread, visit.point)).or_default().push(visit.life);
        }
        for (index, condition) in conditions.iter().enumerate() {
            for &read in &condition.sources {
                at_stake.into.entry(read).or_default().push(index);
            }
        }
        at_stake
    }

    /// Some condition that the order of the two flows into can come out either way.
    fn matters(&self, (one, other): (Place, Place), truths: &Truths) -> bool {
        let open = |read: &Term| {
            self.into.get(read).into_iter().flatten().any(|&condition| truths[condition] == 3)
        };
        let none = FxHashSet::default();
        let writes = |place| self.writes.get(&place).unwrap_or(&none);
        let both = writes(one).intersection(writes(other));
        let mut cells = both.into_iter();
        let overwritten = |cell: &Cell| {
            self.always.contains(cell) || self.readers.get(cell).into_iter().flatten().any(open)
        };
        if cells.any(overwritten) {
            return true;
        }
        [(one, other), (other, one)].into_iter().any(|(reader, writer)| {
            let seen = |cell: &Cell| writes(writer).contains(cell);
            let reads = self.reads.get(&reader).into_iter().flatten();
            let mut reads = reads.filter(|(cell, _)| seen(cell));
            let visits = self.visits.get(&reader).into_iter().flatten();
            reads.any(|(cell, read)| self.always.contains(cell) || open(read))
                || visits.copied().any(|cell| seen(&cell))
        })
    }
}
