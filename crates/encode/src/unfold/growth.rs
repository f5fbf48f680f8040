//! How far the values of shared cells can grow.
//!
//! A store puts a value into a cell that is made from values that were read before. So
//! values are found by taking those that are there at the start, those that are made
//! from them, and so on. For a counter that has no end; but a run makes each store of
//! the unfolding once at most. In a run, follow a value back to the one that was read to
//! make it, and that to the store that made it, and so on: these are different stores,
//! all to cells that the value can have come from. So no value is more steps away from
//! the start than there are such stores.

use heddle_sat::{Cone, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bounded::Action;
use crate::unfold::Unfolder;
use crate::unfold::contents::mark_of;
use crate::unfold::facts::{Cell, Values};

/// Larger terms are not looked into.
const MOST_TERMS: usize = 20_000;

/// What is stored to a cell.
#[derive(Default)]
struct Stores {
    constants: Vec<u64>,
    /// What is not constant.
    terms: Vec<Term>,
    /// Cells that these are made from.
    origins: FxHashSet<Cell>,
}

type Sets = FxHashMap<Cell, Vec<u64>>;

impl Unfolder<'_> {
    /// After an unfolding: the values that its stores make.
    pub(crate) fn note_stored_values(&mut self) {
        let mut stores = self.growing();
        let roots = stores.values().flat_map(|stores| &stores.terms).copied();
        let Some(cone) = Cone::of(&self.symbolic.terms, roots, MOST_TERMS) else {
            return self.note_plainly(&stores);
        };
        self.find_origins(&mut stores);
        let mut sets = Sets::default();
        for (&cell, known) in &stores {
            let initial = self.initial_shared(cell);
            let initial = self.symbolic.terms.values(initial).unwrap_or(&[]);
            let mut set = [initial, &known.constants].concat();
            set.sort_unstable();
            set.dedup();
            sets.insert(cell, set);
        }
        let limits: FxHashMap<Cell, u32> =
            stores.keys().map(|&cell| (cell, limit(cell, &stores))).collect();
        let mut step = 0;
        loop {
            step += 1;
            let images = cone.images(&self.symbolic.terms, |input| self.image(input, &sets));
            let mut changed = false;
            for (&cell, known) in &stores {
                // Those that became "any" in the meantime are not in `sets`.
                let Some(set) = sets.get_mut(&cell).filter(|_| step <= limits[&cell]) else {
                    continue;
                };
                let before = set.len();
                for term in &known.terms {
                    match &images[term] {
                        Some(values) => set.extend(values),
                        None => {
                            self.facts.add_values(cell, None);
                            break;
                        }
                    }
                }
                set.sort_unstable();
                set.dedup();
                self.facts.add_values(cell, Some(set));
                changed |= set.len() > before || *self.facts.values(cell) == Values::Any;
                if *self.facts.values(cell) == Values::Any {
                    sets.remove(&cell);
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Cells with stores of values that are not constant.
    fn growing(&self) -> FxHashMap<Cell, Stores> {
        let mut stores: FxHashMap<Cell, Stores> = FxHashMap::default();
        for event in self.threads.iter().flat_map(|thread| &thread.events) {
            let Action::Write { value, .. } = event.action else { continue };
            for &(cell, _) in &event.targets {
                let known = stores.entry(cell).or_default();
                match self.symbolic.terms.as_constant(value) {
                    Some(bits) => known.constants.push(bits),
                    None => known.terms.push(value),
                }
            }
        }
        stores.retain(|&cell, known| {
            !known.terms.is_empty() && *self.facts.values(cell) != Values::Any
        });
        stores
    }

    fn find_origins(&self, stores: &mut FxHashMap<Cell, Stores>) {
        let growing: FxHashSet<Cell> = stores.keys().copied().collect();
        for known in stores.values_mut() {
            let roots = known.terms.iter().copied();
            let Some(cone) = Cone::of(&self.symbolic.terms, roots, MOST_TERMS) else { continue };
            let inputs = cone.inputs(&self.symbolic.terms);
            let cells = inputs.filter_map(|input| self.read_from.get(&input)).flatten();
            known.origins = cells.filter(|cell| growing.contains(cell)).copied().collect();
        }
    }

    /// The values of one more unfolding, and no more of what may follow from them.
    fn note_plainly(&mut self, stores: &FxHashMap<Cell, Stores>) {
        for (&cell, known) in stores {
            for &term in &known.terms {
                let values = self.symbolic.terms.values(term).map(<[u64]>::to_vec);
                self.facts.add_values(cell, values.as_deref());
            }
        }
    }

    /// What an input can be, where growing cells have these values.
    fn image(&self, input: Term, sets: &Sets) -> Option<Vec<u64>> {
        let Some(cells) = self.read_from.get(&input) else {
            return self.symbolic.terms.values(input).map(<[u64]>::to_vec);
        };
        let mut all = Vec::new();
        for cell in cells {
            match (sets.get(cell), self.facts.values(*cell)) {
                (Some(set), _) => all.extend(set),
                (None, Values::Few(few)) => all.extend(few),
                (None, Values::None) => {}
                (None, Values::Any) => return None,
            }
        }
        // What was never written is not read.
        let mark = mark_of(self.symbolic.terms.width(input));
        let marked = self.symbolic.terms.values(input).is_none_or(|all| all.contains(&mark));
        all.retain(|&value| marked || value != mark);
        all.sort_unstable();
        all.dedup();
        Some(all)
    }
}

/// Stores to the cells that a value of this one can have come from.
fn limit(cell: Cell, stores: &FxHashMap<Cell, Stores>) -> u32 {
    let mut seen: FxHashSet<Cell> = FxHashSet::from_iter([cell]);
    let mut todo = vec![cell];
    let mut limit = 0;
    while let Some(next) = todo.pop() {
        let Some(known) = stores.get(&next) else { continue };
        limit += known.terms.len() as u32;
        todo.extend(known.origins.iter().filter(|&&origin| seen.insert(origin)));
    }
    limit
}
