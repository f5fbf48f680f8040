//! Threads in the order of what they look like.

use heddle_semantics::ThreadId;

use super::shape::Sealed;

#[derive(Default)]
pub struct Ranking {
    pub order: Vec<Looks>,
    /// By thread: its place in the order, and to whom its id is of no use any more.
    pub ranks: Vec<(u32, Sealed)>,
}

#[derive(Clone, Copy)]
pub struct Looks {
    pub key: u128,
    pub thread: ThreadId,
    pub at: u32,
}

/// The rank of a thread that does not exist yet.
pub const UNBORN: u32 = u32::MAX;

impl Ranking {
    pub fn rank(&self, thread: ThreadId) -> (u32, Sealed) {
        self.ranks.get(thread.index()).copied().unwrap_or((UNBORN, Sealed::Nobody))
    }

    pub fn set_rank(&mut self, thread: ThreadId, rank: u32, sealed: Sealed) {
        if self.ranks.len() <= thread.index() {
            self.ranks.resize(thread.index() + 1, (UNBORN, Sealed::Nobody));
        }
        self.ranks[thread.index()] = (rank, sealed);
    }
}
