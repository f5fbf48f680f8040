//! The visited states: 16 bytes each, half of a 128-bit hash and how the state was
//! reached.
//!
//! The table grows by segments, each four times the one before; nothing ever moves, so
//! the number of an entry can be kept. An entry stands in the bucket that the other half
//! of its hash chooses, in the first segment where that bucket had room; a bucket with
//! room ends a search. Two states are confused if they meet in a bucket and have the same
//! 64 bits: each new state is compared with at most [`BUCKET`] others a segment, so of n
//! states at most about `n · BUCKET · segments / 2⁶⁴` are missed.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Entries of a bucket: two cache lines.
const BUCKET: usize = 8;
const FIRST_BUCKETS: usize = 1 << 13;
const FACTOR: usize = 4;

/// The state before the first step has no predecessor.
pub const NO_PARENT: u32 = u32::MAX;

/// More segments than memory can hold.
const SEGMENTS: usize = 12;

#[derive(Default)]
struct Entry {
    /// 0: free. Set once.
    key: AtomicU64,
    /// The parent in the lower half, then the choice, then the marks. 0 until whoever set
    /// the key has added them.
    info: AtomicU64,
}

/// What is known of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Info {
    /// The entry of the state before it.
    pub parent: u32,
    /// Which of the choices there led to it.
    pub choice: u8,
    /// See [`Marks`].
    pub marks: Marks,
}

/// 24 flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks(pub u32);

impl Marks {
    pub fn has(self, bits: u32) -> bool {
        self.0 & bits != 0
    }
}

impl Info {
    fn pack(self) -> u64 {
        u64::from(self.parent) | u64::from(self.choice) << 32 | u64::from(self.marks.0) << 40
    }

    fn unpack(word: u64) -> Info {
        let marks = Marks((word >> 40) as u32);
        Info { parent: word as u32, choice: (word >> 32) as u8, marks }
    }
}

#[derive(Default)]
pub struct Table {
    segments: [OnceLock<Box<[Entry]>>; SEGMENTS],
    count: AtomicU64,
}

impl Table {
    fn segment(&self, number: usize) -> &[Entry] {
        self.segments[number].get_or_init(|| {
            let size = FIRST_BUCKETS * BUCKET * FACTOR.pow(number as u32);
            std::iter::repeat_with(Entry::default).take(size).collect()
        })
    }

    /// The number of the state's entry, and whether it is new.
    pub fn insert(&self, hash: u128, info: Info) -> (u32, bool) {
        let key = (hash as u64).max(1);
        let mut base = 0;
        for number in 0..SEGMENTS {
            let segment = self.segment(number);
            for at in bucket(segment, hash) {
                let entry = &segment[at];
                let mut found = entry.key.load(Ordering::Acquire);
                if found == 0 {
                    let set = Ordering::AcqRel;
                    match entry.key.compare_exchange(0, key, set, Ordering::Acquire) {
                        Ok(_) => {
                            entry.info.fetch_or(info.pack(), Ordering::AcqRel);
                            self.count.fetch_add(1, Ordering::Relaxed);
                            return ((base + at) as u32, true);
                        }
                        Err(other) => found = other,
                    }
                }
                if found == key {
                    return ((base + at) as u32, false);
                }
            }
            base += segment.len();
        }
        unreachable!("memory ends before the table")
    }

    /// The number of a state's entry, if it is there.
    pub fn find(&self, hash: u128) -> Option<u32> {
        let key = (hash as u64).max(1);
        let mut base = 0;
        for segment in self.segments.iter().map_while(OnceLock::get) {
            for at in bucket(segment, hash) {
                match segment[at].key.load(Ordering::Acquire) {
                    0 => return None,
                    found if found == key => return Some((base + at) as u32),
                    _ => {}
                }
            }
            base += segment.len();
        }
        None
    }

    fn entry(&self, index: u32) -> &Entry {
        let mut index = index as usize;
        for segment in self.segments.iter().map_while(OnceLock::get) {
            if index < segment.len() {
                return &segment[index];
            }
            index -= segment.len();
        }
        unreachable!("the number of an entry")
    }

    pub fn info(&self, index: u32) -> Info {
        Info::unpack(self.entry(index).info.load(Ordering::Acquire))
    }

    /// Adds marks to a state; tells those that it had.
    pub fn mark(&self, index: u32, bits: u32) -> Marks {
        let before = self.entry(index).info.fetch_or(u64::from(bits) << 40, Ordering::AcqRel);
        Info::unpack(before).marks
    }

    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    fn sizes(&self) -> impl Iterator<Item = usize> {
        self.segments.iter().map_while(OnceLock::get).map(|segment| segment.len())
    }

    /// At most this many states are expected to be missed.
    pub fn missed(&self) -> f64 {
        let compared = self.count() as f64 * (BUCKET * self.sizes().count()) as f64;
        compared / 2f64.powi(64)
    }

    pub fn bytes(&self) -> u64 {
        (self.sizes().sum::<usize>() * size_of::<Entry>()) as u64
    }
}

/// Where in a segment a state may be.
fn bucket(segment: &[Entry], hash: u128) -> std::ops::Range<usize> {
    let bucket = (hash >> 64) as usize % (segment.len() / BUCKET) * BUCKET;
    bucket..bucket + BUCKET
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_sixteen_bytes() {
        assert_eq!(size_of::<Entry>(), 16);
    }

    #[test]
    fn what_is_in_stays_where_it_is() {
        let table = Table::default();
        let mix = |n: u128| n.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
        let info = |n: u128| Info { parent: n as u32, choice: n as u8, marks: Marks::default() };
        let count = 500_000u128;
        let numbers: Vec<u32> = (1..=count)
            .map(|n| {
                let (index, new) = table.insert(mix(n), info(n));
                assert!(new);
                index
            })
            .collect();
        assert_eq!(table.count(), count as u64);
        for n in 1..=count {
            assert_eq!(table.insert(mix(n), Info::default()), (numbers[n as usize - 1], false));
            assert_eq!(table.info(numbers[n as usize - 1]), info(n));
        }
        assert!(table.missed() < 1e-9);
    }

    #[test]
    fn marks_add_up() {
        let table = Table::default();
        let (entry, _) = table.insert(7, Info { parent: 3, choice: 200, ..Info::default() });
        assert_eq!(table.mark(entry, 1 << 23), Marks(0));
        assert_eq!(table.mark(entry, 1 << 3), Marks(1 << 23));
        let marks = Marks(1 << 23 | 1 << 3);
        assert_eq!(table.info(entry), Info { parent: 3, choice: 200, marks });
    }

    #[test]
    fn who_comes_at_the_same_time_gets_the_same_entry() {
        let table = Table::default();
        let insert = |_: usize| -> Vec<(u32, bool)> {
            let hash = |n: u128| n.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
            (1..100_000).map(|n| table.insert(hash(n), Info::default())).collect()
        };
        let found: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|n| scope.spawn(move || insert(n))).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        assert_eq!(table.count(), 99_999);
        for n in 0..99_999 {
            assert!(found.iter().all(|list| list[n].0 == found[0][n].0));
            assert_eq!(found.iter().filter(|list| list[n].1).count(), 1);
        }
    }
}
