//! The visited states: 16 bytes each, half of a 128-bit hash and how the state was
//! reached.
//!
//! The table grows by segments, each four times the one before; nothing ever moves, so
//! the number of an entry can be kept. An entry stands in the bucket that the other half
//! of its hash chooses, in the first segment where that bucket had room; a bucket with
//! room ends a search. Two states are confused if they meet in a bucket and have the same
//! 64 bits: each new state is compared with at most [`BUCKET`] others a segment, so of n
//! states at most about `n · BUCKET · segments / 2⁶⁴` are missed.

/// Entries of a bucket: two cache lines.
const BUCKET: usize = 8;
const FIRST_BUCKETS: usize = 1 << 13;
const FACTOR: usize = 4;

/// The state before the first step has no predecessor.
pub const NO_PARENT: u32 = u32::MAX;

#[derive(Clone, Copy, Default)]
struct Entry {
    /// 0: free.
    key: u64,
    info: Info,
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

/// Three bytes of flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks([u8; 3]);

impl Marks {
    fn bits(self) -> u32 {
        u32::from_le_bytes([self.0[0], self.0[1], self.0[2], 0])
    }

    pub fn has(self, bits: u32) -> bool {
        self.bits() & bits != 0
    }

    pub fn add(&mut self, bits: u32) {
        let [a, b, c, _] = (self.bits() | bits).to_le_bytes();
        self.0 = [a, b, c];
    }
}

#[derive(Default)]
pub struct Table {
    segments: Vec<Box<[Entry]>>,
    count: u64,
}

impl Table {
    /// The number of the state's entry, and whether it is new.
    pub fn insert(&mut self, hash: u128, info: Info) -> (u32, bool) {
        let key = (hash as u64).max(1);
        let place = (hash >> 64) as usize;
        let mut base = 0;
        for segment in &mut self.segments {
            let bucket = (place % (segment.len() / BUCKET)) * BUCKET;
            for (at, entry) in segment[bucket..bucket + BUCKET].iter_mut().enumerate() {
                if entry.key == key {
                    return ((base + bucket + at) as u32, false);
                }
                if entry.key == 0 {
                    *entry = Entry { key, info };
                    self.count += 1;
                    return ((base + bucket + at) as u32, true);
                }
            }
            base += segment.len();
        }
        let size = FIRST_BUCKETS * BUCKET * FACTOR.pow(self.segments.len() as u32);
        self.segments.push(vec![Entry::default(); size].into_boxed_slice());
        self.insert(hash, info)
    }

    /// The number of a state's entry, if it is there.
    pub fn find(&self, hash: u128) -> Option<u32> {
        let key = (hash as u64).max(1);
        let place = (hash >> 64) as usize;
        let mut base = 0;
        for segment in &self.segments {
            let bucket = (place % (segment.len() / BUCKET)) * BUCKET;
            for (at, entry) in segment[bucket..bucket + BUCKET].iter().enumerate() {
                if entry.key == key || entry.key == 0 {
                    return (entry.key == key).then_some((base + bucket + at) as u32);
                }
            }
            base += segment.len();
        }
        None
    }

    fn entry(&mut self, mut index: usize) -> &mut Entry {
        for segment in &mut self.segments {
            if index < segment.len() {
                return &mut segment[index];
            }
            index -= segment.len();
        }
        unreachable!("the number of an entry")
    }

    pub fn info(&mut self, index: u32) -> &mut Info {
        &mut self.entry(index as usize).info
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    /// At most this many states are expected to be missed.
    pub fn missed(&self) -> f64 {
        let compared = self.count as f64 * (BUCKET * self.segments.len()) as f64;
        compared / 2f64.powi(64)
    }

    pub fn bytes(&self) -> u64 {
        let entries: usize = self.segments.iter().map(|segment| segment.len()).sum();
        (entries * size_of::<Entry>()) as u64
    }
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
        let mut table = Table::default();
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
            assert_eq!(*table.info(numbers[n as usize - 1]), info(n));
        }
        assert!(table.missed() < 1e-9);
    }

    #[test]
    fn marks_add_up() {
        let mut marks = Marks::default();
        marks.add(1 << 23);
        marks.add(1 << 3);
        assert!(marks.has(1 << 23) && marks.has(1 << 3) && !marks.has(1 << 4));
    }
}
