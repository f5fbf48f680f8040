//! The visited states, by their hashes or whole.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::state::States;
use super::table::{Info, Marks, Table};

pub enum Visited {
    Hashed(Table),
    Whole(Mutex<Whole>),
}

/// States that are kept whole, so that none is taken for another one.
#[derive(Default)]
pub struct Whole {
    numbers: FxHashMap<Box<[u32]>, u32>,
    infos: Vec<Info>,
    words: usize,
    scratch: Vec<u32>,
}

impl Visited {
    pub fn new(whole: bool) -> Visited {
        match whole {
            true => Visited::Whole(Mutex::default()),
            false => Visited::Hashed(Table::default()),
        }
    }

    /// The number of the present state, and whether it is new.
    pub fn insert(&self, states: &mut States, info: Info) -> (u32, bool) {
        match self {
            Visited::Hashed(table) => table.insert(states.hash(), info),
            Visited::Whole(whole) => lock(whole).insert(states, info),
        }
    }

    /// Does the present state have this number? Where addresses count as they are, that
    /// can't be told in another machine, but then threads have their places.
    pub fn is(&self, states: &mut States, number: u32) -> bool {
        if states.is_raw() {
            return true;
        }
        let found = match self {
            Visited::Hashed(table) => table.find(states.hash()),
            Visited::Whole(whole) => lock(whole).find(states),
        };
        found == Some(number)
    }

    pub fn info(&self, index: u32) -> Info {
        match self {
            Visited::Hashed(table) => table.info(index),
            Visited::Whole(whole) => lock(whole).infos[index as usize],
        }
    }

    /// Adds marks to a state; tells those that it had.
    pub fn mark(&self, index: u32, bits: u32) -> Marks {
        match self {
            Visited::Hashed(table) => table.mark(index, bits),
            Visited::Whole(whole) => {
                let marks = &mut lock(whole).infos[index as usize].marks;
                std::mem::replace(marks, Marks(marks.0 | bits))
            }
        }
    }

    pub fn count(&self) -> u64 {
        match self {
            Visited::Hashed(table) => table.count(),
            Visited::Whole(whole) => lock(whole).infos.len() as u64,
        }
    }

    /// At most this many states are expected to be missed.
    pub fn missed(&self) -> f64 {
        match self {
            Visited::Hashed(table) => table.missed(),
            Visited::Whole(_) => 0.0,
        }
    }

    pub fn bytes(&self) -> u64 {
        match self {
            Visited::Hashed(table) => table.bytes(),
            Visited::Whole(whole) => {
                let whole = lock(whole);
                let entry = size_of::<(Box<[u32]>, u32)>() + 1;
                let table = whole.numbers.capacity() * entry;
                (table + whole.infos.capacity() * size_of::<Info>() + whole.words * 4) as u64
            }
        }
    }
}

fn lock(whole: &Mutex<Whole>) -> MutexGuard<'_, Whole> {
    whole.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Whole {
    fn find(&mut self, states: &mut States) -> Option<u32> {
        states.spell(&mut self.scratch);
        self.numbers.get(self.scratch.as_slice()).copied()
    }

    fn insert(&mut self, states: &mut States, info: Info) -> (u32, bool) {
        if let Some(number) = self.find(states) {
            return (number, false);
        }
        let number = self.infos.len() as u32;
        self.words += self.scratch.len();
        self.numbers.insert(self.scratch.as_slice().into(), number);
        self.infos.push(info);
        (number, true)
    }
}
