//! Parts up to the addresses and threads in them.
//!
//! Objects that a program makes as it runs have addresses that depend on what was made
//! and freed before. Two states that differ in nothing else are the same: a part is known
//! by its *shape*, which has only the offset where such an address stands, and by the
//! objects that the addresses lead to, in their order. `States` numbers these objects as
//! it finds them.
//!
//! That addresses can be told from other numbers is not a matter of types: a word counts
//! as an address if it lies in the slots of an object. These are far from what programs
//! count to (see `Store`). It is sound as long as a program does not compute with
//! addresses, or compare which one is greater: see `addresses`.
//!
//! Threads are told from other numbers in the same way (see `Machine::mentions`), if they
//! may change places.

use heddle_machine::{Fate, Machine, Mention, Stands};
use heddle_semantics::{MemoryModel, ObjectId, ThreadId};

use super::canonical::mix;

#[derive(Clone, Debug, Default)]
pub struct Shape {
    pub hash: u128,
    /// The number of the shape among shapes, if states are kept whole.
    pub id: u32,
    /// Objects that addresses in the part lead to, in the order of the addresses.
    pub refs: Box<[ObjectId]>,
    /// An address stands across words, where it can't be replaced.
    pub pinned: bool,
    /// Threads that words of the part stand for, in their order.
    pub threads: Box<[Who]>,
    /// The part is a thread whose id is of no use any more, to these.
    pub sealed: Sealed,
    /// The part is the first piece of an object that only this thread can see.
    pub holder: Option<ThreadId>,
    /// The part is a thread: what it can do, and how many of its stores can get to memory.
    pub stands: Stands,
    pub flushes: u32,
    pub drained: bool,
}

/// To whom the id of a thread is of no use any more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sealed {
    #[default]
    Nobody,
    /// Who waits for its end.
    To(ThreadId),
    Everybody,
}

impl Sealed {
    /// Of a thread, by the words of its part.
    pub fn of(words: &[u64]) -> Sealed {
        match *words {
            [flags, ..] if flags & Fate::JOINED != 0 => Sealed::Everybody,
            [flags, by, ..] if flags & Fate::AWAITED != 0 => Sealed::To(ThreadId(by as u32)),
            _ => Sealed::Nobody,
        }
    }

    pub fn holds_for(self, holder: Option<ThreadId>) -> bool {
        match self {
            Sealed::Nobody => false,
            Sealed::To(thread) => holder == Some(thread),
            Sealed::Everybody => true,
        }
    }
}

/// A thread that a part speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who {
    pub thread: ThreadId,
    pub form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As the machine or a lock knows it.
    Plain,
    /// As the program knows it.
    Handle,
    /// Across words, where it can't be replaced.
    Fixed,
}

impl Shape {
    /// The shape of a part with these words. `memory`: they are memory, where an address
    /// may stand across two of them. `named`: threads have their places.
    pub fn of<M: MemoryModel>(
        machine: &Machine<'_, M>,
        words: &[u64],
        memory: bool,
        named: bool,
    ) -> Shape {
        let mut refs = Vec::new();
        let mut threads = Vec::new();
        let mut hash = Hash::default();
        let mut pinned = false;
        for (at, &word) in words.iter().enumerate() {
            let (plain, tag) = plain(machine, word, named, &mut refs, &mut threads);
            hash.add(plain ^ TAGS[tag as usize]);
            let next = words.get(at + 1).copied().unwrap_or(0);
            for bytes in (1..8).filter(|_| memory) {
                let across = word >> (8 * bytes) | next << (64 - 8 * bytes);
                if let Some((object, _)) = machine.dynamic_object(across) {
                    refs.push(object);
                    pinned = true;
                }
                let code = if named || bytes == 4 { 0 } else { across as u32 };
                if let Some(thread) = machine.thread_with_code(code) {
                    threads.push(Who { thread, form: Form::Fixed });
                }
            }
        }
        let (refs, threads) = (refs.into(), threads.into());
        Shape { hash: hash.value(), refs, pinned, threads, ..Shape::default() }
    }

    /// The words without addresses and threads, and after them where these stand.
    pub fn spell<M: MemoryModel>(machine: &Machine<'_, M>, named: bool, words: &mut Vec<u64>) {
        let (mut refs, mut threads) = (Vec::new(), Vec::new());
        let mut places = Vec::new();
        for (at, word) in words.iter_mut().enumerate() {
            let (plain, tag) = plain(machine, *word, named, &mut refs, &mut threads);
            *word = plain;
            if tag != 0 {
                places.push((at as u64) << 8 | u64::from(tag));
            }
        }
        places.push(places.len() as u64);
        words.extend(places);
    }
}

/// What a word adds to a hash beside what is left of it, by what it stands for.
const TAGS: [u64; 7] = [
    0,
    0x5851_f42d_4c95_7f2d,
    0xd134_2543_de82_ef95,
    0xaf25_1af3_b0f0_25b5,
    0xda94_2042_e4dd_58b5,
    0x1405_7b7e_f767_814f,
    0x9fb2_1c65_1e98_df25,
];

/// What is left of a word without the address or the threads that it stands for, and
/// which of these it stands for.
fn plain<M: MemoryModel>(
    machine: &Machine<'_, M>,
    word: u64,
    named: bool,
    refs: &mut Vec<ObjectId>,
    threads: &mut Vec<Who>,
) -> (u64, u8) {
    if let Some((object, offset)) = machine.dynamic_object(word) {
        refs.push(object);
        return (offset, 1);
    }
    if named {
        return (word, 0);
    }
    let mut add = |thread, form| threads.push(Who { thread, form });
    match machine.mentions(word) {
        Mention::None => (word, 0),
        Mention::Thread(thread) => {
            add(thread, Form::Plain);
            (0, 2)
        }
        Mention::Handle(thread) => {
            add(thread, Form::Handle);
            (0, 3)
        }
        Mention::Codes(low, high) => {
            low.into_iter().chain(high).for_each(|thread| add(thread, Form::Plain));
            let upper = if high.is_some() { 0 } else { word >> 32 << 32 };
            let lower = if low.is_some() { 0 } else { word & 0xffff_ffff };
            (upper | lower, 3 + u8::from(low.is_some()) + 2 * u8::from(high.is_some()))
        }
    }
}

/// A hash of 128 bits of a list of words.
#[derive(Clone, Copy)]
pub struct Hash(u64, u64);

impl Default for Hash {
    fn default() -> Hash {
        Hash(0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344)
    }
}

impl Hash {
    pub fn add(&mut self, word: u64) {
        self.0 = mix(self.0 ^ word);
        self.1 = mix(self.1.rotate_left(23) ^ word.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    }

    pub fn add_all(&mut self, value: u128) {
        self.add(value as u64);
        self.add((value >> 64) as u64);
    }

    pub fn value(self) -> u128 {
        u128::from(self.0) << 64 | u128::from(self.1)
    }
}
