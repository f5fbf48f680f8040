//! States that wait to be gone on from, by what it costs to reach them.
//!
//! Neighbours in a list are mostly reached from each other, or from the same state, and so
//! differ in a few parts. Each is written as what differs from the one before it: the
//! positions of parts, and their numbers, in bytes of seven bits. A block of those can be read
//! without the others.
//!
//! Blocks beyond an amount of memory go to a file that has no name, in the folder for
//! temporary files, and come back when it is their turn. If there is no such file, or it is
//! full, they stay in memory.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use heddle_semantics::ThreadId;

use crate::search::Halt;

use super::{Cost, Item, Turn};

/// Bytes after which a block is closed.
const BLOCK: usize = 64 << 10;
/// Bytes of closed blocks in memory, unless the options say otherwise.
const MOST: u64 = 256 << 20;

/// All lists.
pub struct Frontier {
    lists: BTreeMap<Cost, List>,
    room: Arc<Room>,
    count: u64,
}

/// States of the same cost, in the order in which they came.
#[derive(Default)]
pub struct List {
    closed: VecDeque<Block>,
    open: Vec<u8>,
    /// What stands in the open block, and its last state.
    inside: u32,
    last: Last,
    count: u64,
}

/// What a state is compared with.
#[derive(Clone, Default)]
struct Last {
    entry: u32,
    ids: Vec<u32>,
}

struct Block {
    place: Place,
    count: u32,
}

enum Place {
    Memory(Box<[u8]>),
    File { at: u64, len: u32 },
}

/// Where the blocks of several frontiers are.
pub struct Room {
    most: u64,
    in_memory: AtomicU64,
    file: Mutex<Spilled>,
}

/// The file, if there is one yet, and the bytes of it that are in use.
#[derive(Default)]
struct Spilled {
    file: Option<File>,
    end: u64,
    live: u64,
    /// It can't be written to any more.
    full: bool,
}

impl Room {
    pub fn new(most: Option<u64>) -> Room {
        Room { most: most.unwrap_or(MOST), in_memory: AtomicU64::new(0), file: Mutex::default() }
    }

    /// Bytes of closed blocks in memory and in the file.
    pub fn bytes(&self) -> (u64, u64) {
        let file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        (self.in_memory.load(Ordering::Relaxed), file.live)
    }

    fn keep(&self, bytes: Vec<u8>) -> Place {
        let len = bytes.len() as u64;
        if self.in_memory.load(Ordering::Relaxed) + len > self.most
            && let Some(at) = self.spill(&bytes)
        {
            return Place::File { at, len: len as u32 };
        }
        self.in_memory.fetch_add(len, Ordering::Relaxed);
        Place::Memory(bytes.into())
    }

    fn spill(&self, bytes: &[u8]) -> Option<u64> {
        let mut spilled = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let Spilled { file, end, live, full } = &mut *spilled;
        if *full {
            return None;
        }
        if file.is_none() {
            *file = tempfile::tempfile().ok();
        }
        let written = file.as_ref().map(|file| file.write_all_at(bytes, *end));
        if !matches!(written, Some(Ok(()))) {
            *full = true;
            return None;
        }
        let at = *end;
        *end += bytes.len() as u64;
        *live += bytes.len() as u64;
        Some(at)
    }

    fn take(&self, place: Place) -> Result<Box<[u8]>, Halt> {
        let (at, len) = match place {
            Place::Memory(bytes) => {
                self.in_memory.fetch_sub(bytes.len() as u64, Ordering::Relaxed);
                return Ok(bytes);
            }
            Place::File { at, len } => (at, len),
        };
        let mut spilled = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = vec![0; len as usize];
        let file = spilled.file.as_ref().ok_or(Halt::Unreadable)?;
        file.read_exact_at(&mut bytes, at).map_err(|_| Halt::Unreadable)?;
        spilled.live -= u64::from(len);
        // What was read is not needed again, so the file need not grow.
        if spilled.live == 0 {
            spilled.end = 0;
        }
        Ok(bytes.into())
    }
}

impl Frontier {
    pub fn new(room: Arc<Room>) -> Frontier {
        Frontier { lists: BTreeMap::new(), room, count: 0 }
    }

    pub fn push(&mut self, cost: Cost, item: &Item) {
        self.count += 1;
        self.lists.entry(cost).or_default().push(item, &self.room);
    }

    /// States that wait here.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Bytes of blocks that are not closed yet.
    pub fn open_bytes(&self) -> u64 {
        let bytes = |list: &List| list.open.capacity() + list.last.ids.capacity() * 4;
        self.lists.values().map(|list| bytes(list) as u64).sum()
    }

    /// Takes the states of another frontier, behind its own.
    pub fn append(&mut self, other: &mut Frontier) {
        for (cost, mut list) in std::mem::take(&mut other.lists) {
            let mine = self.lists.entry(cost).or_default();
            if mine.count == 0 {
                *mine = list;
                continue;
            }
            mine.close(&self.room);
            list.close(&self.room);
            mine.count += list.count;
            mine.closed.append(&mut list.closed);
        }
        self.count += std::mem::take(&mut other.count);
    }

    /// The states that cost least.
    pub fn pop_first(&mut self) -> Option<(Cost, Waiting)> {
        let (cost, mut list) = self.lists.pop_first()?;
        list.close(&self.room);
        self.count -= list.count;
        let room = Arc::clone(&self.room);
        let (closed, left) = (list.closed, list.count);
        Some((
            cost,
            Waiting {
                closed,
                room,
                block: Box::default(),
                at: 0,
                inside: 0,
                left,
                last: Last::default(),
            },
        ))
    }
}

impl List {
    fn push(&mut self, item: &Item, room: &Room) {
        let Last { entry, ids } = &mut self.last;
        let open = &mut self.open;
        put(open, zigzag(item.entry.wrapping_sub(*entry)));
        put(open, item.last.0);
        put(open, item.mark);
        put(open, item.turn.number());
        put(open, item.delays);
        let now = &item.snapshot;
        put(open, now.len() as u32);
        ids.resize(now.len(), 0);
        let mut from = 0;
        for (at, (&new, old)) in now.iter().zip(ids.iter_mut()).enumerate() {
            if new != *old {
                put(open, (at - from) as u32 + 1);
                put(open, zigzag(new.wrapping_sub(*old)));
                *old = new;
                from = at;
            }
        }
        open.push(0);
        *entry = item.entry;
        self.inside += 1;
        self.count += 1;
        if self.open.len() >= BLOCK {
            self.close(room);
        }
    }

    fn close(&mut self, room: &Room) {
        if self.inside > 0 {
            let bytes = std::mem::take(&mut self.open);
            let count = std::mem::take(&mut self.inside);
            self.closed.push_back(Block { place: room.keep(bytes), count });
        }
        self.open = Vec::new();
        self.last = Last::default();
    }
}

/// States of one cost that are being gone on from.
pub struct Waiting {
    closed: VecDeque<Block>,
    room: Arc<Room>,
    block: Box<[u8]>,
    at: usize,
    inside: u32,
    left: u64,
    last: Last,
}

impl Waiting {
    pub fn len(&self) -> usize {
        self.left as usize
    }

    pub fn next(&mut self) -> Result<Option<Item>, Halt> {
        if self.inside == 0 {
            let Some(Block { place, count }) = self.closed.pop_front() else { return Ok(None) };
            (self.block, self.inside) = (self.room.take(place)?, count);
            (self.at, self.last) = (0, Last::default());
        }
        self.inside -= 1;
        self.left -= 1;
        let entry = unzigzag(self.get()).wrapping_add(self.last.entry);
        let last = ThreadId(self.get());
        let mark = self.get();
        let turn = Turn::from_number(self.get());
        let delays = self.get();
        let len = self.get() as usize;
        self.last.entry = entry;
        self.last.ids.resize(len, 0);
        let mut place = 0;
        loop {
            let gap = self.get();
            if gap == 0 {
                break;
            }
            place += gap as usize - 1;
            let more = unzigzag(self.get());
            let id = &mut self.last.ids[place];
            *id = id.wrapping_add(more);
        }
        let snapshot = self.last.ids.as_slice().into();
        Ok(Some(Item { snapshot, entry, last, mark, turn, delays }))
    }

    fn get(&mut self) -> u32 {
        let mut value = 0;
        for shift in (0..).step_by(7) {
            let byte = self.block[self.at];
            self.at += 1;
            value |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        value
    }
}

fn put(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Small differences of either sign as small numbers.
fn zigzag(value: u32) -> u32 {
    value << 1 ^ ((value as i32) >> 31) as u32
}

fn unzigzag(value: u32) -> u32 {
    value >> 1 ^ (value & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(rng: &mut fastrand::Rng, before: &[u32]) -> Item {
        let mut ids = before.to_vec();
        ids.resize(before.len().max(1) + rng.usize(0..2), 0);
        for _ in 0..rng.usize(0..4) {
            let at = rng.usize(0..ids.len());
            ids[at] = if rng.bool() { rng.u32(..) } else { rng.u32(0..100) };
        }
        Item {
            snapshot: ids.into(),
            entry: rng.u32(..),
            last: ThreadId(rng.u32(0..300)),
            mark: if rng.bool() { 0 } else { 1 << rng.u32(0..20) },
            turn: Turn::from_number(rng.u32(0..3)),
            delays: rng.u32(0..3),
        }
    }

    /// What is put in comes out in the same order, from memory and from the file.
    #[test]
    fn states_come_back() {
        for most in [u64::MAX, 1 << 18, 0] {
            let room = Arc::new(Room::new(Some(most)));
            let mut rng = fastrand::Rng::with_seed(most);
            let mut frontier = Frontier::new(Arc::clone(&room));
            let mut other = Frontier::new(Arc::clone(&room));
            let (mut first, mut second) = (Vec::new(), Vec::new());
            for _ in 0..20_000 {
                let before = first.last().map_or(&[][..], |it: &Item| &it.snapshot[..]);
                let new = item(&mut rng, &before[..before.len().min(40)]);
                frontier.push((0, 1), &new);
                first.push(new);
                let new = item(&mut rng, &[7; 30]);
                other.push((0, 1), &new);
                second.push(new);
            }
            assert_eq!(most < 1 << 20, room.bytes().1 > 0, "in the file");
            frontier.append(&mut other);
            assert_eq!((frontier.count(), other.count()), (40_000, 0));
            let (cost, mut waiting) = frontier.pop_first().unwrap();
            assert_eq!((cost, waiting.len()), ((0, 1), 40_000));
            for wanted in first.iter().chain(&second) {
                let found = waiting.next().unwrap().unwrap();
                assert_eq!(found.snapshot, wanted.snapshot);
                assert_eq!((found.entry, found.last), (wanted.entry, wanted.last));
                assert_eq!((found.mark, found.turn.number()), (wanted.mark, wanted.turn.number()));
            }
            assert!(waiting.next().unwrap().is_none() && frontier.pop_first().is_none());
            assert_eq!(room.bytes(), (0, 0));
        }
    }
}
