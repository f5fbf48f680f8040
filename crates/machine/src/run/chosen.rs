//! Values for memory that was never written and that something depends on
//! (see [`heddle_semantics::unwritten`]): chosen where the memory is allocated.
//!
//! What is undefined gets around. If bits that have to have a value are overwritten by
//! undefined ones, it is those which have to have one: that is found where they are stored,
//! and the search starts again. So a copy and its original agree.

use heddle_ir::{Ordering, Ty};
use smallvec::SmallVec;

use heddle_semantics::{
    Holder, MemoryModel, ObjectId, Partial, Site, ThreadId, Tracked, Unwritten, all_of, mask,
    valued_bits,
};

use crate::Machine;
use crate::machine::Stop;
use crate::threads::thread::Halt;

/// Contents of an object before anybody has written to it, with their values.
pub(crate) type Chosen = SmallVec<[(Unwritten, u64); 2]>;

impl<M: MemoryModel> Machine<'_, M> {
    /// What is asked for where the running instruction makes something.
    pub(crate) fn questions(&self) -> impl Iterator<Item = Unwritten> + '_ {
        all_of(&self.config.unwritten, Holder::Made(self.site()))
    }

    /// What is asked for at the instruction that a thread stands at, if it makes an object.
    pub fn questions_of(&self, thread: ThreadId) -> impl Iterator<Item = Unwritten> + '_ {
        let site = self.stands_at(thread).map(|(function, block, pc)| Site {
            function: function.0,
            block,
            pc,
        });
        all_of(&self.config.unwritten, Holder::Made(site.unwrap_or_default()))
    }

    /// The contents of an object of so many bytes that the running instruction is about to
    /// make, as far as they are asked for.
    #[inline]
    pub(crate) fn chosen(&mut self, bytes: u64) -> Result<Chosen, Stop> {
        match self.config.unwritten.is_empty() {
            true => Ok(Chosen::new()),
            false => self.ask(bytes),
        }
    }

    #[cold]
    fn ask(&mut self, bytes: u64) -> Result<Chosen, Stop> {
        let end = |question: &Unwritten| u64::from(question.offset + question.bytes());
        let questions: SmallVec<[Unwritten; 2]> =
            self.questions().filter(|question| end(question) <= bytes).collect();
        let mut chosen = Chosen::new();
        for question in questions {
            let value = self.remember(|machine| machine.input_value(question.kind()))?;
            chosen.push((question, value));
        }
        Ok(chosen)
    }

    /// Puts them into the new object.
    pub(crate) fn fill(&mut self, id: ObjectId, chosen: &Chosen) {
        for &(question, value) in chosen {
            let (offset, len) = (question.offset, question.bytes());
            let old = self.store.read_unnoted(id, offset, len);
            let open = self.store.undefined(id, offset, len);
            let value = Partial::new(old | value & question.bits, open & !question.bits);
            self.store.write_partial(id, offset, len, value);
        }
    }

    /// Bits have to have a value.
    #[cold]
    pub(crate) fn stop_undecided(&mut self, unwritten: Unwritten) -> Stop {
        let Unwritten { holder, offset, bits } = unwritten;
        let new = bits & !valued_bits(&self.config.unwritten, holder, offset);
        if new == 0 {
            let what = "memory that was never written, copied in a way that is not followed";
            return self.stop_unsupported(what);
        }
        self.findings.undecided.get_or_insert(Unwritten::new(holder, offset, new));
        Stop::Halt(Halt::Cut)
    }

    /// A value is about to be stored. Undefined bits do not go where they have to have one.
    #[inline]
    pub(crate) fn check_copy(&mut self, addr: u64, value: &Tracked) -> Result<(), Stop> {
        match value.word.is_defined() || self.config.unwritten.is_empty() {
            true => Ok(()),
            false => self.check_undefined_copy(addr, value),
        }
    }

    #[cold]
    fn check_undefined_copy(&mut self, addr: u64, value: &Tracked) -> Result<(), Stop> {
        let undefined = value.word.undefined;
        let bits = undefined & self.valued_at(addr);
        let (Some(source), true) = (value.source, bits != 0) else { return Ok(()) };
        let Unwritten { holder, offset, bits: read } = source.unwritten;
        // What looks as it was read was not computed with.
        let skipped = 8 * (undefined.trailing_zeros() / 8);
        let needed = if undefined >> skipped == read { bits >> skipped } else { read };
        Err(self.stop_undecided(Unwritten { holder, offset, bits: needed }))
    }

    /// Which bits of the word there have to have a value.
    fn valued_at(&self, addr: u64) -> u64 {
        let Some(id) = self.store.object_at(addr) else { return 0 };
        let object = self.store.object(id);
        valued_bits(&self.config.unwritten, object.holder(), (addr - object.base) as u32)
    }

    /// A block was copied as a whole, by the running instruction.
    pub(crate) fn check_moved(&mut self, from: ObjectId, to: ObjectId) -> Result<(), Stop> {
        let moved = self.store.object(from).bytes.min(self.store.object(to).bytes);
        let questions: SmallVec<[Unwritten; 2]> = self.questions().collect();
        for question in questions {
            let len = question.bytes().min((moved as u32).saturating_sub(question.offset));
            let open = match len {
                0 => 0,
                _ => question.bits & self.store.undefined(to, question.offset, len),
            };
            if open != 0 {
                let holder = self.store.object(from).holder();
                return Err(self.stop_undecided(Unwritten::new(holder, question.offset, open)));
            }
        }
        Ok(())
    }

    /// A library model stores what is undefined.
    #[cold]
    pub(crate) fn store_handed(
        &mut self,
        addr: u64,
        ty: Ty,
        source: Unwritten,
        order: Option<Ordering>,
    ) -> Result<(), Stop> {
        let word = Partial::new(0, mask(u64::MAX, ty.bits(self.program.pointer_bytes)));
        if word.undefined & self.valued_at(addr) != 0 {
            return Err(self.stop_undecided(source));
        }
        self.store_partial(addr, ty, word, order)
    }
}
