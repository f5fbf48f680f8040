//! Everything that decides how a run goes on, and the reads that it depends on.

use heddle_sat::{Cone, Node, Term};
use heddle_semantics::MemoryModel;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bounded::Action;
use crate::encodings::Formula;
use crate::encodings::accesses::Accesses;
use crate::unfold::facts::Cell;

/// Beyond these it is not looked any closer.
const MOST_CONDITIONS: usize = 400;
const MOST_TERMS: usize = 20_000;

pub(super) struct Condition {
    pub cone: Cone,
    pub term: Term,
    /// Reads that it is made of, by their values.
    pub reads: FxHashSet<Term>,
    /// Reads that these values come from, through cells and threads, and the former.
    pub sources: FxHashSet<Term>,
}

/// `None` if there are too many.
pub(super) fn conditions<M: MemoryModel>(
    f: &mut Formula<'_, M>,
    accesses: &Accesses,
) -> Option<Vec<Condition>> {
    let truths = truths(f);
    if truths.len() > MOST_CONDITIONS {
        return None;
    }
    let reads_of = reads(f)?;
    let made_of = |f: &Formula<'_, M>, term: Term| -> Option<(Cone, FxHashSet<Term>)> {
        let cone = Cone::of(&f.symbolic.terms, [term], MOST_TERMS)?;
        let inputs = cone.inputs(&f.symbolic.terms);
        let reads = inputs.filter(|input| reads_of.contains_key(input)).collect();
        Some((cone, reads))
    };
    let mut written: FxHashMap<Cell, FxHashSet<Term>> = FxHashMap::default();
    for leave in &accesses.leaves {
        for term in [leave.value, leave.when] {
            let (_, reads) = made_of(f, term)?;
            written.entry(leave.cell).or_default().extend(reads);
        }
    }
    let mut before: FxHashMap<Term, FxHashSet<Term>> = FxHashMap::default();
    for (&read, from) in &reads_of {
        for cell in &from.cells {
            let from = written.get(cell).into_iter().flatten().copied();
            before.entry(read).or_default().extend(from);
        }
    }
    let mut all = Vec::new();
    for term in truths {
        let (cone, reads) = made_of(f, term)?;
        let mut open: Vec<Term> = reads.iter().copied().collect();
        let mut sources = FxHashSet::default();
        while let Some(read) = open.pop() {
            // What a point reads of what it wrote itself is not looked at here.
            if reads_of.get(&read).is_none_or(|read| read.own) {
                return None;
            }
            if sources.insert(read) {
                open.extend(before.get(&read).into_iter().flatten());
            }
        }
        if !reads.is_empty() {
            all.push(Condition { cone, term, reads, sources });
        }
    }
    Some(all)
}

/// Where a read looks.
struct Read {
    cells: Vec<Cell>,
    /// Its point may have written there before.
    own: bool,
}

/// All reads by their values. `None` if one gives no variable of its own.
fn reads<M: MemoryModel>(f: &Formula<'_, M>) -> Option<FxHashMap<Term, Read>> {
    let mut reads = FxHashMap::default();
    for thread in &f.bounded.threads {
        let mut written: FxHashSet<(u32, Cell)> = FxHashSet::default();
        for event in &thread.events {
            let cells: Vec<Cell> = event.targets.iter().map(|target| target.0).collect();
            match event.action {
                Action::Read { value } | Action::Look { value } => {
                    let node = f.symbolic.terms.node(value);
                    let is_input = matches!(node, Node::Variable { .. } | Node::Choice { .. });
                    let is_constant = matches!(node, Node::Constant { .. });
                    let own = cells.iter().any(|&cell| written.contains(&(event.point, cell)));
                    let known = is_input && reads.insert(value, Read { cells, own }).is_some();
                    if known || !is_input && !is_constant {
                        return None;
                    }
                }
                Action::Write { .. } => {
                    written.extend(cells.into_iter().map(|cell| (event.point, cell)));
                }
                Action::Drain | Action::Clear | Action::Fence { .. } => {}
            }
        }
    }
    Some(reads)
}

/// What decides, each once.
fn truths<M: MemoryModel>(f: &mut Formula<'_, M>) -> Vec<Term> {
    let bounded = f.bounded;
    let mut all = Vec::new();
    for thread in &bounded.threads {
        for event in &thread.events {
            all.push(event.guard);
            for &(_, is_it) in event.targets.iter().chain(&event.lives) {
                all.push(f.and(event.guard, is_it));
            }
        }
        all.extend(thread.checks.iter().map(|check| check.condition));
        for wait in &thread.waits {
            all.push(wait.guard);
            for test in &wait.tests {
                let holds = test.holds(&mut f.symbolic, test.value);
                all.push(f.and(wait.guard, holds));
                for &(_, is_it) in &test.targets {
                    all.push(f.and(wait.guard, is_it));
                }
            }
        }
        all.extend(thread.spins.iter().flat_map(|spin| [spin.guard, spin.looked]));
        all.extend(thread.requires.iter().map(|require| require.condition));
        let stops = thread.ends.iter().chain(&thread.exits).chain(&thread.drops);
        all.extend(stops.map(|stop| stop.1));
        all.extend(thread.children.iter().map(|child| child.1));
        all.extend(thread.notes.iter().map(|note| note.guard));
    }
    let mut seen = FxHashSet::default();
    all.retain(|&term| f.symbolic.terms.as_constant(term).is_none() && seen.insert(term));
    all
}
