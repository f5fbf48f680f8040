//! Lists of words, each kept once, known by a number. 0 is the empty list.

use std::hash::{Hash, Hasher};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

#[derive(Default)]
pub struct Interner {
    table: HashTable<u32>,
    words: Vec<u64>,
    /// Where each list ends; list `n` begins where `n - 1` ends.
    ends: Vec<usize>,
}

impl Interner {
    pub fn intern(&mut self, list: &[u64]) -> u32 {
        if list.is_empty() {
            return 0;
        }
        let hash = hash(list);
        let Interner { table, words, ends } = self;
        if let Some(&id) = table.find(hash, |&id| get(words, ends, id) == list) {
            return id;
        }
        words.extend_from_slice(list);
        ends.push(words.len());
        let id = ends.len() as u32;
        table.insert_unique(hash, id, |&id| self::hash(get(words, ends, id)));
        id
    }

    pub fn get(&self, id: u32) -> &[u64] {
        get(&self.words, &self.ends, id)
    }

    pub fn bytes(&self) -> u64 {
        (self.words.capacity() * 8 + self.ends.capacity() * 8 + self.table.capacity() * 5) as u64
    }
}

fn get<'a>(words: &'a [u64], ends: &[usize], id: u32) -> &'a [u64] {
    match id {
        0 => &[],
        1 => &words[..ends[0]],
        _ => &words[ends[id as usize - 2]..ends[id as usize - 1]],
    }
}

fn hash(list: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    list.hash(&mut hasher);
    hasher.finish()
}
