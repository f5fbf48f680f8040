//! Read-write locks.

use heddle_sat::{Binary, Relation, Term};
use heddle_semantics::{Processor, RwLockOp, SyncOp};
use smallvec::smallvec;

use crate::unfold::{Dead, Unfolder};

use super::{DESTROYED, EBUSY};

impl Unfolder<'_> {
    /// The writer's code, the number of read locks, and how many of them each
    /// thread has, in a word that only this thread uses.
    pub(crate) fn rwlock_op(&mut self, op: RwLockOp, addr: Term) -> Result<Term, Dead> {
        let own_offset = 8 + 4 * u64::from(self.current);
        let size = if self.program.pointer_bytes == 8 { 56 } else { 32 };
        if own_offset + 4 > size {
            return Err(self.unsupported("a read-write lock used by that many threads".to_string()));
        }
        let (point, outer) = self.begin_sync(SyncOp::RwLock(op).draining())?;
        let always = self.symbolic.terms.truth(true);
        let (zero, one) = (self.number(0), self.number(1));
        if op == RwLockOp::Init {
            self.check_free(addr, point)?;
            let words: Vec<_> = (0..size).step_by(4).map(|offset| (offset, zero)).collect();
            return self.initialise(addr, &words, point, outer);
        }
        let writer = self.word(addr, 0, 4, point)?;
        let readers = self.word(addr, 4, 4, point)?;
        let own = self.word(addr, own_offset, 4, point)?;
        let gone = self.number(DESTROYED);
        let destroyed = self.symbolic.equals(writer.value, DESTROYED);
        self.misuse(destroyed);
        let me = self.code();
        let mine = self.symbolic.terms.relate(Relation::Eq, writer.value, me);
        let unwritten = self.symbolic.equals(writer.value, 0);
        let unread = self.symbolic.equals(readers.value, 0);
        let free = self.symbolic.terms.and(unwritten, unread);
        let busy = self.number(EBUSY);
        let mut result = zero;
        match op {
            RwLockOp::Init => unreachable!("handled above"),
            RwLockOp::Read | RwLockOp::TryRead => {
                let mut when = unwritten;
                if op == RwLockOp::Read {
                    let test = self.test(&writer, smallvec![zero, gone], None);
                    self.wait_at(point, always, vec![test], outer)?;
                    when = always;
                } else {
                    result = self.symbolic.terms.select(unwritten, zero, busy);
                }
                for word in [&readers, &own] {
                    let more = self.symbolic.terms.binary(Binary::Add, word.value, one);
                    self.set(word, more, when, point);
                }
            }
            RwLockOp::Write | RwLockOp::TryWrite => {
                let mut when = free;
                if op == RwLockOp::Write {
                    let first = self.test(&writer, smallvec![zero, gone], None);
                    let second = self.test(&readers, smallvec![zero], None);
                    self.wait_at(point, always, vec![first, second], outer)?;
                    when = always;
                } else {
                    result = self.symbolic.terms.select(free, zero, busy);
                }
                self.set(&writer, me, when, point);
            }
            RwLockOp::Unlock => {
                let reads = self.symbolic.equals(own.value, 0);
                let reads = self.symbolic.terms.not(reads);
                let holds = self.symbolic.terms.or(mine, reads);
                let bad = self.symbolic.terms.not(holds);
                self.misuse(bad);
                self.set(&writer, zero, mine, point);
                let other = self.symbolic.terms.not(mine);
                for word in [&readers, &own] {
                    let less = self.symbolic.terms.binary(Binary::Sub, word.value, one);
                    self.set(word, less, other, point);
                }
            }
            RwLockOp::Destroy => {
                let held = self.symbolic.terms.not(free);
                self.misuse(held);
                self.set_plainly(&writer, gone, point, outer);
            }
        }
        self.end_sync(outer);
        Ok(result)
    }
}
