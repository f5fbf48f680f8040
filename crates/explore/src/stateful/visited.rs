//! The visited states, by their hashes or whole.

use rustc_hash::FxHashMap;

use super::state::States;
use super::table::{Info, Table};

pub enum Visited {
    Hashed(Table),
    Whole(Whole),
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
            true => Visited::Whole(Whole::default()),
            false => Visited::Hashed(Table::default()),
        }
    }

    /// The number of the present state, and whether it is new.
    pub fn insert(&mut self, states: &mut States, info: Info) -> (u32, bool) {
        match self {
            Visited::Hashed(table) => table.insert(states.hash(), info),
            Visited::Whole(whole) => whole.insert(states, info),
        }
    }

    /// Whether a state that looks like the present one of `others`, which give other
    /// numbers to parts, may have this number.
    pub fn may_be(&self, others: &mut States, number: u32) -> bool {
        match self {
            Visited::Hashed(table) if !others.named() => table.find(others.hash()) == Some(number),
            // Parts are numbered differently there, or nothing changes places.
            _ => {
                others.rank();
                true
            }
        }
    }

    pub fn info(&mut self, index: u32) -> &mut Info {
        match self {
            Visited::Hashed(table) => table.info(index),
            Visited::Whole(whole) => &mut whole.infos[index as usize],
        }
    }

    pub fn count(&self) -> u64 {
        match self {
            Visited::Hashed(table) => table.count(),
            Visited::Whole(whole) => whole.infos.len() as u64,
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
                let entry = size_of::<(Box<[u32]>, u32)>() + 1;
                let table = whole.numbers.capacity() * entry;
                (table + whole.infos.capacity() * size_of::<Info>() + whole.words * 4) as u64
            }
        }
    }
}

impl Whole {
    fn insert(&mut self, states: &mut States, info: Info) -> (u32, bool) {
        states.spell(&mut self.scratch);
        if let Some(&number) = self.numbers.get(self.scratch.as_slice()) {
            return (number, false);
        }
        let number = self.infos.len() as u32;
        self.words += self.scratch.len();
        self.numbers.insert(self.scratch.as_slice().into(), number);
        self.infos.push(info);
        (number, true)
    }
}
