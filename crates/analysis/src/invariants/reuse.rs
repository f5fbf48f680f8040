//! What threads of a class have told, for as long as what they were told is the same.
//!
//! From round to round little changes for most threads. What a thread takes for granted is part
//! of the facts: what others may store where it reads, memory as the locks that it takes are given
//! back, the ends of threads that it joins. While these are the same, it tells the same, and is
//! not analysed again. Nothing rests on this: the last round, which bears out what is claimed,
//! analyses all threads.

use std::collections::BTreeSet;

use super::facts::{Facts, Start};
use super::objects::ClassId;
use super::state::{Lock, State};
use super::value::Value;
use super::{Analysis, Stop};
use crate::numeric::Word;

/// One analysis of the threads of a class.
pub struct Run {
    /// What of the facts it was done under.
    under: Facts,
    told: Facts,
    asked: Asked,
    /// The number of changes of objects before it.
    changes: u64,
}

/// Of what an analysis has asked the facts.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    pub locks: BTreeSet<Lock>,
    pub exits: BTreeSet<ClassId>,
}

impl Facts {
    /// What an analysis that asks for so much depends on.
    fn for_class(&self, class: ClassId, asked: &Asked) -> Facts {
        let interference = self.interference.iter().filter(|((_, _, reader), _)| *reader == class);
        let released = self.released.iter().filter(|(lock, _)| asked.locks.contains(lock));
        let exits = self.exits.iter().filter(|(class, _)| asked.exits.contains(class));
        let starts = self.starts.iter().map(|(&other, start)| {
            let start = match other == class {
                true => start.clone(),
                // How many there may be.
                false => Start {
                    state: State::default(),
                    argument: Value::Number(Word::bottom(1)),
                    ..start.clone()
                },
            };
            (other, start)
        });
        Facts {
            interference: interference.map(|(key, value)| (*key, value.clone())).collect(),
            guards: self.guards.clone(),
            released: released.map(|(lock, state)| (*lock, state.clone())).collect(),
            starts: starts.collect(),
            exits: exits.map(|(class, exit)| (*class, exit.clone())).collect(),
            creates: self.creates.clone(),
            writes: self.writes.clone(),
        }
    }
}

impl Analysis<'_> {
    /// Analyses the threads of a class, unless it is known what they tell.
    pub(super) fn run_or_reuse(
        &mut self,
        class: ClassId,
        run: impl FnOnce(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), Stop> {
        let changes = self.objects.changes;
        if !self.noting
            && let Some(known) = self.runs.get(&class)
            && known.changes == changes
            && known.under == self.facts.for_class(class, &known.asked)
        {
            self.told = self.told.join(&known.told, None);
            return Ok(());
        }
        self.asked = Asked::default();
        let others = std::mem::take(&mut self.told);
        run(self)?;
        let told = std::mem::replace(&mut self.told, others);
        self.told = self.told.join(&told, None);
        let asked = std::mem::take(&mut self.asked);
        let under = self.facts.for_class(class, &asked);
        self.runs.insert(class, Run { under, told, asked, changes });
        Ok(())
    }
}
