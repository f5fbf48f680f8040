//! The readers of a read-write lock: behind their number stand their codes in ascending
//! order, so that it does not matter to the state who came first.

use heddle_semantics::MemoryModel;
use heddle_semantics::sync::{READERS, ReaderHost, SyncHost, Word};

use crate::machine::Stop;
use crate::sync::operation::Operation;

/// Where the code of a reader stands.
fn slot(at: u64) -> Word {
    Word::at(READERS.at + 4 + 4 * at as u32)
}

impl<M: MemoryModel> Operation<'_, '_, M> {
    /// How many read locks there can be.
    fn slots(&self) -> u64 {
        u64::from((self.spot.len - slot(0).at) / 4)
    }

    /// How many there are, and before how many of them a code stands.
    fn readers(&mut self, code: u64) -> Result<(u64, u64), Stop> {
        let count = self.read(READERS)?.min(self.slots());
        let mut at = 0;
        while at < count && self.read(slot(at))? < code {
            at += 1;
        }
        Ok((count, at))
    }

    fn set_reader(&mut self, at: u64, code: u64) -> Result<(), Stop> {
        self.write(slot(at), &code)
    }
}

impl<M: MemoryModel> ReaderHost for Operation<'_, '_, M> {
    fn reads(&mut self) -> Result<u64, Stop> {
        let me = self.me();
        let (count, at) = self.readers(me)?;
        Ok(u64::from(at < count && self.read(slot(at))? == me))
    }

    fn add_reader_if(&mut self, when: &u64) -> Result<(), Stop> {
        if *when == 0 {
            return Ok(());
        }
        let me = self.me();
        let (count, at) = self.readers(me)?;
        if count == self.slots() {
            let what = format!("more than {count} read locks at a time");
            return Err(self.machine.stop_unsupported(&what));
        }
        for moves in (at..count).rev() {
            let code = self.read(slot(moves))?;
            self.set_reader(moves + 1, code)?;
        }
        self.set_reader(at, me)
    }

    fn remove_reader_if(&mut self, when: &u64) -> Result<(), Stop> {
        if *when == 0 {
            return Ok(());
        }
        let me = self.me();
        let (count, at) = self.readers(me)?;
        for moves in at + 1..count {
            let code = self.read(slot(moves))?;
            self.set_reader(moves - 1, code)?;
        }
        self.set_reader(count - 1, 0)
    }
}
