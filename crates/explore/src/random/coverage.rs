//! Which places race with which, and in which order.
//!
//! A pair of places is covered when an access of one came after a conflicting access of
//! another thread at the other one, with no access of that kind in between. Runs are worth
//! their time as long as new pairs, or known ones in the other order, are seen.

use heddle_semantics::{Access, Event, ThreadId};
use rustc_hash::FxHashMap;

use super::lesson::mix;

/// A place in the program.
pub type Place = u64;

/// Who touched some bytes last.
#[derive(Default)]
struct Last {
    write: Option<(ThreadId, Place)>,
    /// Since then.
    reads: Vec<(ThreadId, Place)>,
}

/// Readers of the same bytes that are remembered.
const MOST_READERS: usize = 8;

/// What one run covers.
#[derive(Default)]
pub struct Coverage {
    last: FxHashMap<u64, Last>,
    /// Pairs, the earlier place first.
    pub pairs: Vec<(Place, Place)>,
}

impl Coverage {
    pub fn clear(&mut self) {
        self.last.clear();
        self.pairs.clear();
    }

    pub fn note(&mut self, event: &Event, place: Place) {
        let actor = event.actor();
        for access in &event.footprint {
            self.note_access(access, actor, place);
        }
    }

    fn note_access(&mut self, access: &Access, actor: ThreadId, place: Place) {
        let last = self.last.entry(access.addr).or_default();
        let reads = access.kind.is_read();
        if let Some((writer, at)) = last.write.filter(|write| write.0 != actor) {
            debug_assert_ne!(writer, actor);
            self.pairs.push((at, place));
        }
        if reads {
            if last.reads.len() < MOST_READERS && !last.reads.contains(&(actor, place)) {
                last.reads.push((actor, place));
            }
            return;
        }
        for &(_, at) in last.reads.iter().filter(|read| read.0 != actor) {
            self.pairs.push((at, place));
        }
        last.reads.clear();
        last.write = Some((actor, place));
    }
}

/// A pair without its order, and one with it.
pub fn names((first, second): (Place, Place)) -> (u64, u64) {
    let unordered = mix(first.min(second), first.max(second));
    (unordered, mix(mix(first, second), 1))
}
