//! The unfolding as a [`SyncHost`]: an operation on terms.

use heddle_sat::{Relation, Term};
use heddle_semantics::sync::{Ending, SyncHost, Word};
use heddle_semantics::{AccessKind, Draining, Gate, Opening, Processor, Test, ViolationKind};
use smallvec::{SmallVec, smallvec};

use crate::symbolic::Symbolic;
use crate::unfold::{Dead, Unfolder};

use super::Found;

/// An operation of the thread on an object, under way.
pub(super) struct Operation<'u, 'p> {
    pub unfolder: &'u mut Unfolder<'p>,
    pub addr: Term,
    pub point: u32,
    /// It is part of an atomic section.
    pub outer: bool,
    /// Its stores are like the program's own.
    plain: bool,
    /// Words that were read and not written since.
    words: SmallVec<[(Word, Found); 4]>,
}

impl<'u, 'p> Operation<'u, 'p> {
    pub fn new(
        unfolder: &'u mut Unfolder<'p>,
        addr: Term,
        (point, outer): (u32, bool),
        draining: Draining,
    ) -> Self {
        let plain = draining == Draining::Plain;
        Operation { unfolder, addr, point, outer, plain, words: SmallVec::new() }
    }

    fn found(&mut self, word: Word) -> Result<Found, Dead> {
        if let Some((_, found)) = self.words.iter().find(|(known, _)| *known == word) {
            return Ok(found.clone());
        }
        let found = self.unfolder.word(self.addr, word.at, word.bytes, self.point)?;
        self.words.push((word, found.clone()));
        Ok(found)
    }

    /// The bytes that a gate looks at: a word, or two of them.
    fn found_at_gate(&mut self, word: Word) -> Result<Found, Dead> {
        if word.bytes <= 4 {
            return self.found(word);
        }
        let (low, high) = (self.found(Word::at(word.at))?, self.found(Word::at(word.at + 4))?);
        let value = self.unfolder.symbolic.terms.concat(high.value, low.value);
        Ok(Found { len: word.bytes, value, ..low })
    }

    /// The thread waits here, in runs in which `when` holds, until the word is another one.
    pub fn wait_for_change(&mut self, word: Word, from: Term, when: Term) -> Result<(), Dead> {
        let found = self.found(word)?;
        let test = self.unfolder.test(&found, SmallVec::new(), Some(from));
        self.unfolder.wait_at(self.point, when, vec![test], self.outer)
    }
}

impl SyncHost for Operation<'_, '_> {
    type Dom = Symbolic;
    type Stop = Dead;

    fn domain(&mut self) -> &mut Symbolic {
        &mut self.unfolder.symbolic
    }

    fn pointer_bytes(&self) -> u32 {
        u32::from(self.unfolder.program.pointer_bytes)
    }

    fn me(&mut self) -> Term {
        self.unfolder.code()
    }

    fn is_thread(&mut self, code: &Term) -> Term {
        let most = self.number(self.unfolder.threads.len() as u64);
        let some = self.is_not(code, 0);
        let small = self.unfolder.symbolic.terms.relate(Relation::ULe, *code, most);
        self.and(&some, &small)
    }

    fn step(&mut self, _: AccessKind) -> Result<(), Dead> {
        Ok(())
    }

    fn wait(&mut self, gate: Gate, also: Option<&Term>) -> Result<(), Dead> {
        let Some(Opening { word, test }) = gate.opening() else {
            return Err(self.unsupported("a gate without a word"));
        };
        let found = self.found_at_gate(word)?;
        let mut constant = |value| self.unfolder.symbolic.terms.constant(value, word.bytes * 8);
        let (mut any, not): (SmallVec<[Term; 2]>, _) = match test {
            Test::OneOf([a, b]) => (smallvec![constant(a), constant(b)], None),
            Test::Not(value) => (SmallVec::new(), Some(constant(value))),
        };
        any.extend(also.copied());
        let test = self.unfolder.test(&found, any, not);
        let always = self.truth(true);
        self.unfolder.wait_at(self.point, always, vec![test], self.outer)
    }

    fn may_be_made(&mut self, bytes: u32) -> Result<bool, Dead> {
        let blank = self.unfolder.blank(self.addr, 0, bytes)?;
        Ok(!self.unfolder.starts_unwritten(&blank))
    }

    /// Reads find out themselves.
    fn check_made(&mut self, _: u32, _: &'static str) -> Result<(), Dead> {
        Ok(())
    }

    fn read(&mut self, word: Word) -> Result<Term, Dead> {
        let found = self.found(word)?;
        Ok(self.unfolder.symbolic.terms.zero_extend(found.value, 32))
    }

    fn write_if(&mut self, when: &Term, word: Word, value: &Term) -> Result<(), Dead> {
        let unfolder = &mut *self.unfolder;
        let value = unfolder.symbolic.terms.extract(*value, 0, word.bytes * 8);
        let target = match self.words.iter().position(|(known, _)| *known == word) {
            Some(at) => self.words.remove(at).1,
            None => {
                let blank = unfolder.blank(self.addr, word.at, word.bytes)?;
                unfolder.is_visible(&blank.targets, word.bytes, true);
                blank
            }
        };
        match self.plain {
            true => unfolder.set_plainly(&target, value, *when, self.point, self.outer),
            false => unfolder.set(&target, value, *when, self.point),
        }
        Ok(())
    }

    fn clear(&mut self, bytes: u32) -> Result<(), Dead> {
        for at in (0..bytes).step_by(4) {
            self.write_number(Word::at(at), 0)?;
        }
        Ok(())
    }

    fn misuse_if(&mut self, bad: &Term, _: &'static str) -> Result<(), Dead> {
        self.unfolder.note_violation(*bad, ViolationKind::MutexMisuse);
        Ok(())
    }

    fn unsupported(&mut self, what: &'static str) -> Dead {
        self.unfolder.unsupported(what.to_string())
    }

    fn is_never(&mut self, condition: &Term) -> bool {
        self.unfolder.symbolic.terms.as_constant(*condition) == Some(0)
    }

    /// Nobody reorders steps of formulas.
    fn ends_if(&mut self, _: &Term, _: Ending) {}
}
