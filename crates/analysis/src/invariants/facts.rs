//! What threads tell each other: the analysis of one thread takes it for granted, that of the
//! others has to bear it out.
//!
//! Miné, "Relational thread-modular static value analysis by abstract interpretation" (VMCAI
//! 2014), sections 3 and 4. Deviations:
//!
//! 1. A cell that is written while others run is *guarded* by the locks that are held at all
//!    of these writes. For cells without a guard, and for reads without a lock of the guard,
//!    interference is a set of values for each cell, writer and reader, as in the paper's
//!    non-relational case. Locksets need not be compared beyond that.
//! 2. What a lock guards is, when the lock is taken, what it was when somebody gave it back,
//!    or when the first other thread was created. These states are kept together with their
//!    relations (the paper's lock invariants), and replace what the thread knew.
//! 3. Threads that can't run at the same time, by create and join, do not interfere.

use std::collections::{BTreeMap, BTreeSet};

use heddle_ir::FuncId;

use super::objects::{CellId, ClassId, Objects};
use super::state::{Lock, State, Stops, as_cell};
use super::value::Value;
use crate::numeric::Lattice;

/// How threads of a class start.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    pub entry: FuncId,
    pub argument: Value,
    /// Memory as its creator sees it, and who may run.
    pub state: State,
    /// There may be more than one at a time.
    pub many: bool,
    /// There may be more than one, if only one after the other.
    pub repeated: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts {
    /// What a writer may store in a cell while a reader runs.
    pub interference: BTreeMap<(CellId, ClassId, ClassId), Value>,
    /// Locks that are held at every write to a cell while others run.
    pub guards: BTreeMap<CellId, BTreeSet<Lock>>,
    /// Memory when a lock is given back, or threads are created.
    pub released: BTreeMap<Lock, State>,
    pub starts: BTreeMap<ClassId, Start>,
    /// Memory and the result when a thread ends.
    pub exits: BTreeMap<ClassId, (State, Value)>,
    pub creates: BTreeMap<ClassId, BTreeSet<ClassId>>,
    /// Cells that a class writes at any time.
    pub writes: BTreeMap<ClassId, BTreeSet<CellId>>,
}

impl Facts {
    /// The classes, and all that they may create.
    pub fn with_created(&self, classes: BTreeSet<ClassId>) -> BTreeSet<ClassId> {
        let mut all = BTreeSet::new();
        let mut todo: Vec<ClassId> = classes.into_iter().collect();
        while let Some(class) = todo.pop() {
            if all.insert(class) {
                todo.extend(self.creates.get(&class).into_iter().flatten());
            }
        }
        all
    }

    /// Is a lock held with which nobody else writes the cell?
    pub fn is_guarded(&self, cell: CellId, state: &State) -> bool {
        let guard = self.guards.get(&cell);
        guard.is_none_or(|guard| guard.iter().any(|lock| state.must.contains(lock)))
    }

    /// What others may have stored in a cell, seen from a thread.
    pub fn interference(&self, cell: CellId, reader: ClassId, state: &State) -> Option<Value> {
        let from = (cell, ClassId(0), ClassId(0))..=(cell, ClassId(u32::MAX), ClassId(u32::MAX));
        let all = self.interference.range(from);
        let seen =
            all.filter(|((_, writer, to), _)| *to == reader && state.others.contains(writer));
        seen.map(|(_, value)| value.clone()).reduce(|a, b| a.join(&b))
    }

    /// Who creates whom, and which locks guard what.
    pub fn only_structure(self) -> Facts {
        let Facts { guards, creates, writes, .. } = self;
        Facts { guards, creates, writes, ..Facts::default() }
    }

    /// Is all of this borne out?
    pub fn leq(&self, other: &Facts) -> bool {
        let values = |mine: &BTreeMap<_, Value>, theirs: &BTreeMap<_, Value>| {
            mine.iter().all(|(key, value)| theirs.get(key).is_some_and(|other| value.leq(other)))
        };
        let subsets = |mine: &BTreeMap<ClassId, BTreeSet<_>>, theirs: &BTreeMap<_, BTreeSet<_>>| {
            mine.iter().all(|(key, set)| theirs.get(key).is_some_and(|other| set.is_subset(other)))
        };
        values(&self.interference, &other.interference)
            && self.guards.iter().all(|(cell, guard)| {
                other.guards.get(cell).is_some_and(|theirs| guard.is_superset(theirs))
            })
            && self.released.iter().all(|(lock, state)| {
                other.released.get(lock).is_some_and(|theirs| state.leq(theirs))
            })
            && self.starts.iter().all(|(class, start)| {
                other.starts.get(class).is_some_and(|theirs| {
                    start.entry == theirs.entry
                        && start.argument.leq(&theirs.argument)
                        && start.state.leq(&theirs.state)
                        && (theirs.many || !start.many)
                        && (theirs.repeated || !start.repeated)
                })
            })
            && self.exits.iter().all(|(class, (state, value))| {
                let theirs = other.exits.get(class);
                theirs.is_some_and(|(s, v)| state.leq(s) && value.leq(v))
            })
            && subsets(&self.creates, &other.creates)
            && self.writes.iter().all(|(class, cells)| {
                other.writes.get(class).is_some_and(|theirs| cells.is_subset(theirs))
            })
    }

    /// Both together. With stops, what has not settled goes to the next one.
    pub fn join(&self, other: &Facts, stops: Option<Stops>) -> Facts {
        let value = |a: &Value, b: &Value| match stops {
            Some(stops) => a.widen(&a.join(b), stops.values),
            None => a.join(b),
        };
        let state = |a: &State, b: &State| match stops {
            Some(stops) => a.widen(&a.join(b), stops),
            None => a.join(b),
        };
        let mut all = self.clone();
        for (&key, theirs) in &other.interference {
            merge(&mut all.interference, key, theirs, value);
        }
        for (&cell, theirs) in &other.guards {
            let both =
                |a: &BTreeSet<Lock>, b: &BTreeSet<Lock>| a.intersection(b).copied().collect();
            merge(&mut all.guards, cell, theirs, both);
        }
        for (&lock, theirs) in &other.released {
            merge(&mut all.released, lock, theirs, state);
        }
        for (&class, theirs) in &other.starts {
            merge(&mut all.starts, class, theirs, |a, b| Start {
                entry: a.entry,
                argument: value(&a.argument, &b.argument),
                state: state(&a.state, &b.state),
                many: a.many || b.many,
                repeated: a.repeated || b.repeated,
            });
        }
        for (&class, theirs) in &other.exits {
            merge(&mut all.exits, class, theirs, |a, b| (state(&a.0, &b.0), value(&a.1, &b.1)));
        }
        for (&class, theirs) in &other.creates {
            all.creates.entry(class).or_default().extend(theirs);
        }
        for (&class, theirs) in &other.writes {
            all.writes.entry(class).or_default().extend(theirs);
        }
        all
    }

    /// Notes memory at the time when a lock is given back: the cells that it guards.
    pub fn release(&mut self, lock: Lock, state: &State, guards: &Facts, objects: &Objects) {
        let guarded = |var: u32| {
            as_cell(var).is_some_and(|cell| {
                let guard = guards.guards.get(&cell);
                guard.is_some_and(|guard| guard.contains(&lock))
                    && objects.escaped[objects.cell(cell).0.0 as usize]
            })
        };
        let mut kept = State { changed: true, ..State::default() };
        for (&var, value) in state.values.iter().filter(|(var, _)| guarded(**var)) {
            kept.values.insert(var, value.clone());
        }
        kept.octagon = state.octagon.clone();
        kept.octagon.retain(guarded);
        merge(&mut self.released, lock, &kept, State::join);
    }
}

fn merge<K: Ord, V: Clone>(all: &mut BTreeMap<K, V>, key: K, value: &V, how: impl Fn(&V, &V) -> V) {
    let merged = all.get(&key).map_or_else(|| value.clone(), |known| how(known, value));
    all.insert(key, merged);
}
