//! What a turn of a loop has left behind in memory that only its thread can see.
//!
//! A turn may write to its own variables and call functions that have some, and come back to
//! where it was all the same: a compare-and-exchange that fails tells what it found, and the
//! next turn begins by putting back what it expects. The log of changes has what every byte
//! held when the turn began. So a turn has left nothing behind if each byte that is written
//! holds again what it held then, and the objects that it made are gone. Their numbers are
//! not given again, but nobody has their addresses any more.
//!
//! A thread whose turn left nothing behind, here nor in what others can see, and which has in
//! its registers what it had, stands where it stood, and will do the same as long as it reads
//! the same. So the run without that turn is a run, too, with the same states of everybody
//! else: a search that takes all interleavings need not go on from here (after
//! Kokologiannakis, Ren and Vafeiadis, CAV 2021, who transform such loops of the program; here
//! it is seen as it runs). Several turns together
//! may leave nothing behind where each of them does: then the same holds for all of them.

use rustc_hash::{FxHashMap, FxHashSet};

use heddle_semantics::ThreadId;

use super::{Life, Store, Undo};

/// A place in the log of changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogPlace {
    at: u32,
    /// The step that was under way.
    step: u64,
}

impl Store {
    /// A turn of a loop begins.
    pub fn begin_turn(&mut self) -> LogPlace {
        self.turn = self.turn.max(self.log.len());
        LogPlace { at: self.log.len() as u32, step: self.step }
    }

    /// Is all that only this thread can see what it was then? What others can see counts
    /// elsewhere. `within_step`: the log says nothing of earlier steps.
    pub fn is_as_it_was(&self, then: LogPlace, thread: ThreadId, within_step: bool) -> bool {
        if within_step && then.step != self.step {
            return false;
        }
        let Some(since) = self.log.get(then.at as usize..) else { return false };
        let mut made: FxHashSet<u32> = FxHashSet::default();
        // By object and byte: what it held, and which bits were undefined.
        let mut held: FxHashMap<(u32, u32), u8> = FxHashMap::default();
        let mut undefined: FxHashMap<(u32, u32), u8> = FxHashMap::default();
        for entry in since {
            let object = &self.objects[entry.object() as usize];
            if object.owner != thread {
                continue;
            }
            match *entry {
                Undo::Life { object, old: Life::Unborn } => {
                    made.insert(object);
                }
                Undo::Life { object, .. } | Undo::Shared { object } => {
                    if !made.contains(&object) {
                        return false;
                    }
                }
                Undo::Bytes { object: id, offset, old, len } if !object.shared => {
                    note(&mut held, id, offset, &old.to_le_bytes()[..usize::from(len)]);
                }
                Undo::Undefined { object: id, offset, old, len } if !object.shared => {
                    note(&mut undefined, id, offset, &old.to_le_bytes()[..usize::from(len)]);
                }
                Undo::Bytes { .. } | Undo::Undefined { .. } => {}
            }
        }
        let is_over = |id: &u32| self.objects[*id as usize].life != Life::Live;
        made.iter().all(is_over)
            && held.into_iter().all(|((id, at), old)| {
                made.contains(&id) || self.objects[id as usize].data[at as usize] == old
            })
            && undefined.into_iter().all(|((id, at), old)| {
                let bits = || self.objects[id as usize].undefined_bits(at, 1) as u8;
                made.contains(&id) || bits() == old
            })
    }
}

/// Notes what bytes were, unless something older is known.
fn note(held: &mut FxHashMap<(u32, u32), u8>, object: u32, offset: u32, old: &[u8]) {
    for (at, &byte) in (offset..).zip(old) {
        held.entry((object, at)).or_insert(byte);
    }
}
