//! A host of bytes: one object, and whoever operates on it.

use heddle_semantics::sync::{Ending, ReaderHost, SleeperHost, SyncHost, Word};
use heddle_semantics::{AccessKind, Concrete, Gate, mask};

/// What locks know the threads by.
pub const CODES: [u64; 3] = [17, 0x4001, 0x8000_0203];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Waits,
    Misuse(&'static str),
    Unsupported(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bytes {
    bytes: [u8; 56],
    written: [bool; 56],
    /// Who reads, as threads.
    pub readers: Vec<usize>,
    /// How many sleep.
    pub sleepers: u32,
}

/// An operation of a thread.
pub struct Operation<'o> {
    pub object: &'o mut Bytes,
    pub thread: usize,
    pub ending: Ending,
    /// How often it said that it happens.
    pub steps: u32,
    domain: Concrete,
}

impl Bytes {
    /// Memory that was never written.
    pub fn unwritten() -> Bytes {
        Bytes { bytes: [0; 56], written: [false; 56], readers: Vec::new(), sleepers: 0 }
    }

    /// As a static initialiser leaves it.
    pub fn zero() -> Bytes {
        Bytes { written: [true; 56], ..Bytes::unwritten() }
    }

    /// Eight bytes from there on.
    pub fn eight(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.bytes[at..at + 8].try_into().expect("eight"))
    }

    pub fn operation(&mut self, thread: usize) -> Operation<'_> {
        Operation { object: self, thread, ending: Ending::Changed, steps: 0, domain: Concrete }
    }

    fn is_written(&self, bytes: u32) -> bool {
        self.written[..bytes as usize].iter().all(|&written| written)
    }
}

impl SyncHost for Operation<'_> {
    type Dom = Concrete;
    type Stop = Stop;

    fn domain(&mut self) -> &mut Concrete {
        &mut self.domain
    }

    fn pointer_bytes(&self) -> u32 {
        8
    }

    fn me(&mut self) -> u64 {
        CODES[self.thread]
    }

    fn is_thread(&mut self, code: &u64) -> u64 {
        u64::from(CODES.contains(code))
    }

    fn step(&mut self, _: AccessKind) -> Result<(), Stop> {
        self.steps += 1;
        Ok(())
    }

    fn wait(&mut self, gate: Gate, also: Option<&u64>) -> Result<(), Stop> {
        self.steps += 1;
        let word = self.object.eight(0);
        let passes = also.is_some_and(|&also| mask(word, 32) == also);
        if gate.is_open(word) || passes { Ok(()) } else { Err(Stop::Waits) }
    }

    fn may_be_made(&mut self, bytes: u32) -> Result<bool, Stop> {
        Ok(self.object.is_written(bytes))
    }

    fn check_made(&mut self, bytes: u32, message: &'static str) -> Result<(), Stop> {
        let unmade = u64::from(!self.object.is_written(bytes));
        self.misuse_if(&unmade, message)
    }

    fn read(&mut self, word: Word) -> Result<u64, Stop> {
        Ok(mask(self.object.eight(word.at as usize), 8 * word.bytes))
    }

    fn write_if(&mut self, when: &u64, word: Word, value: &u64) -> Result<(), Stop> {
        if *when != 0 {
            let range = word.at as usize..(word.at + word.bytes) as usize;
            self.object.bytes[range.clone()]
                .copy_from_slice(&value.to_le_bytes()[..word.bytes as usize]);
            self.object.written[range].fill(true);
        }
        Ok(())
    }

    fn clear(&mut self, bytes: u32) -> Result<(), Stop> {
        self.object.bytes[..bytes as usize].fill(0);
        self.object.written[..bytes as usize].fill(true);
        Ok(())
    }

    fn misuse_if(&mut self, bad: &u64, message: &'static str) -> Result<(), Stop> {
        if *bad != 0 { Err(Stop::Misuse(message)) } else { Ok(()) }
    }

    fn unsupported(&mut self, what: &'static str) -> Stop {
        Stop::Unsupported(what)
    }

    fn is_never(&mut self, condition: &u64) -> bool {
        *condition == 0
    }

    fn ends_if(&mut self, when: &u64, ending: Ending) {
        if *when != 0 {
            self.ending = ending;
        }
    }
}

impl ReaderHost for Operation<'_> {
    fn reads(&mut self) -> Result<u64, Stop> {
        Ok(u64::from(self.object.readers.contains(&self.thread)))
    }

    fn add_reader_if(&mut self, when: &u64) -> Result<(), Stop> {
        if *when != 0 {
            self.object.readers.push(self.thread);
            self.object.readers.sort_unstable();
        }
        Ok(())
    }

    fn remove_reader_if(&mut self, when: &u64) -> Result<(), Stop> {
        if *when != 0 {
            let at = self.object.readers.iter().position(|&reader| reader == self.thread);
            self.object.readers.remove(at.expect("only readers leave"));
        }
        Ok(())
    }
}

impl SleeperHost for Operation<'_> {
    fn somebody_sleeps(&mut self) -> Result<u64, Stop> {
        Ok(u64::from(self.object.sleepers > 0))
    }

    fn wake_one(&mut self) -> Result<(), Stop> {
        self.object.sleepers = self.object.sleepers.saturating_sub(1);
        Ok(())
    }

    fn wake_all(&mut self) -> Result<(), Stop> {
        self.object.sleepers = 0;
        Ok(())
    }
}
