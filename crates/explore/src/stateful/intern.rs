//! Lists of words, each kept once, known by a number. 0 is the empty list. Several threads
//! may add lists; one never changes.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

/// Tables by a part of the hash, so that threads rarely meet.
const SHARDS: usize = 64;

pub struct Interner {
    shards: Vec<Mutex<HashTable<u32>>>,
    lists: boxcar::Vec<Box<[u64]>>,
    bytes: AtomicU64,
}

impl Default for Interner {
    fn default() -> Interner {
        let lists = boxcar::Vec::new();
        lists.push(Box::from([]));
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Interner { shards, lists, bytes: AtomicU64::new(0) }
    }
}

impl Interner {
    pub fn intern(&self, list: &[u64]) -> u32 {
        if list.is_empty() {
            return 0;
        }
        let hash = hash(list);
        let shard = &self.shards[(hash >> 32) as usize % SHARDS];
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&id) = shard.find(hash, |&id| self.get(id) == list) {
            return id;
        }
        let id = self.lists.push(list.into()) as u32;
        self.bytes.fetch_add(list.len() as u64 * 8 + 32, Ordering::Relaxed);
        shard.insert_unique(hash, id, |&id| self::hash(self.get(id)));
        id
    }

    pub fn get(&self, id: u32) -> &[u64] {
        self.lists.get(id as usize).expect("the number of a list")
    }

    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }
}

fn hash(list: &[u64]) -> u64 {
    let mut hasher = FxHasher::default();
    list.hash(&mut hasher);
    hasher.finish()
}
