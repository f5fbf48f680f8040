//! The readers of a read-write lock: each thread counts its read locks in a word that only
//! this thread uses.

use heddle_sat::Term;
use heddle_semantics::sync::{ReaderHost, SyncHost, Word};
use heddle_semantics::{Processor, RwLockOp, SyncOp};

use crate::unfold::{Dead, Unfolder};

use super::operation::Operation;

impl Unfolder<'_> {
    /// The word that counts the thread's own read locks, behind the writer and the number
    /// of all of them.
    fn own_word(&self) -> Word {
        Word::at(8 + 4 * self.current)
    }

    /// There is such a word in the lock.
    pub(super) fn check_own_word(&mut self) -> Result<(), Dead> {
        let lock = SyncOp::RwLock(RwLockOp::Init).bytes(u32::from(self.program.pointer_bytes));
        if self.own_word().at + 4 > lock {
            return Err(self.unsupported("a read-write lock used by that many threads".to_string()));
        }
        Ok(())
    }
}

impl ReaderHost for Operation<'_, '_> {
    fn reads(&mut self) -> Result<Term, Dead> {
        let own = self.read(self.unfolder.own_word())?;
        Ok(self.is_not(&own, 0))
    }

    fn add_reader_if(&mut self, when: &Term) -> Result<(), Dead> {
        let word = self.unfolder.own_word();
        let own = self.read(word)?;
        let more = self.plus_one(&own);
        self.write_if(when, word, &more)
    }

    fn remove_reader_if(&mut self, when: &Term) -> Result<(), Dead> {
        let word = self.unfolder.own_word();
        let own = self.read(word)?;
        let less = self.minus_one(&own);
        self.write_if(when, word, &less)
    }
}
