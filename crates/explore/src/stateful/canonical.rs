//! What a state looks like: the order of its threads, its hash, and its spelling.
//!
//! Threads that may change places are put in an order first, by what they look like, and
//! are known by their rank in it wherever the state speaks of them. A state looks the same
//! as another one only if it is that one with threads renamed. The converse is not always
//! so, where threads look the same and differ in who speaks of them; then there are more
//! states than necessary.

use heddle_machine::Part;
use heddle_semantics::{ObjectId, ThreadId};
use smallvec::SmallVec;

use super::ranking::{Looks, UNBORN};
use super::shape::{Form, Hash, Shape};
use super::state::States;

/// Objects in the order in which they are reached.
#[derive(Default)]
pub struct Reached {
    /// By object: the number it got, and in which turn.
    numbers: Vec<(u32, u32)>,
    turn: u32,
    order: Vec<ObjectId>,
}

impl Reached {
    fn start(&mut self) {
        self.turn += 1;
        self.order.clear();
    }

    fn number(&mut self, object: ObjectId) -> u32 {
        let at = object.0 as usize;
        if self.numbers.len() <= at {
            self.numbers.resize(at + 1, (0, 0));
        }
        if self.numbers[at].1 != self.turn {
            self.numbers[at] = (self.order.len() as u32, self.turn);
            self.order.push(object);
        }
        self.numbers[at].0
    }

    pub fn has(&self, object: ObjectId) -> bool {
        self.numbers.get(object.0 as usize).is_some_and(|entry| entry.1 == self.turn)
    }
}

impl States {
    /// Puts the threads of the present state in their order.
    pub fn rank(&mut self) {
        let mut ranking = std::mem::take(&mut self.ranking);
        ranking.order.clear();
        ranking.ranks.clear();
        for &at in &self.threads {
            let id = self.ids[at as usize];
            let Part::Thread(thread) = self.parts[at as usize] else { continue };
            if id != 0 {
                let key = self.looks_of(thread, id);
                ranking.order.push(Looks { key, thread, at });
            }
        }
        ranking.order.sort_unstable_by_key(|looks| (looks.key, looks.thread));
        for rank in 0..ranking.order.len() {
            let Looks { thread, at, .. } = ranking.order[rank];
            let sealed = self.thread_shape(self.ids[at as usize]).sealed;
            ranking.set_rank(thread, rank as u32, sealed);
        }
        self.ranking = ranking;
    }

    /// What a thread looks like if one does not know the others.
    fn looks_of(&self, thread: ThreadId, id: u32) -> u128 {
        let shape = self.thread_shape(id);
        if shape.threads.is_empty() {
            return shape.hash;
        }
        let mut hash = Hash::default();
        hash.add_all(shape.hash);
        for who in &shape.threads {
            hash.add(u64::from(who.thread == thread));
        }
        hash.value()
    }

    /// The place of a thread in the order, or its number if they have no order.
    pub fn rank_of(&self, thread: ThreadId) -> u32 {
        if self.named { thread.0 } else { self.ranking.rank(thread).0 }
    }

    /// Threads in their order; the first `count` of all if they have none.
    pub fn in_order(&self, count: usize) -> SmallVec<[ThreadId; 16]> {
        match self.named {
            true => (0..count as u32).map(ThreadId).collect(),
            false => self.ranking.order.iter().map(|looks| looks.thread).collect(),
        }
    }

    /// The hash of the present state.
    pub fn hash(&mut self) -> u128 {
        if !self.named {
            self.rank();
        }
        let mut reached = std::mem::take(&mut self.reached);
        reached.start();
        let mut sum = self.hash;
        for (rank, looks) in self.ranking.order.iter().enumerate() {
            let shape = self.thread_shape(self.ids[looks.at as usize]);
            let place = 1 << 62 | rank as u64;
            let holder = Some(looks.thread);
            sum = sum.wrapping_add(self.look(place, shape, holder, &mut reached));
        }
        for &at in self.roots.iter().filter(|_| self.referring > 0) {
            let id = self.ids[at as usize];
            let shape = self.shape_at(at as usize, id);
            let refers = !(shape.refs.is_empty() && shape.threads.is_empty());
            // What is as it was at the start knows nothing that was made since.
            if refers && id != self.initial_at[at as usize] {
                let place = self.keys[at as usize];
                sum = sum.wrapping_add(self.look(place, shape, None, &mut reached));
            }
        }
        let mut next = 0;
        while let Some(&object) = reached.order.get(next) {
            next += 1;
            let Some(pieces) = self.made.get(object.0 as usize) else { continue };
            let mut holder = None;
            for (piece, &at) in pieces.iter().enumerate() {
                let id = self.ids[at as usize];
                // Another object in its place may have had more pieces.
                if id == 0 {
                    continue;
                }
                let shape = self.shape(id);
                holder = holder.or(shape.holder);
                let place = 1 << 63 | (next as u64) << 24 | piece as u64;
                sum = sum.wrapping_add(self.look(place, shape, holder, &mut reached));
            }
        }
        self.reached = reached;
        sum
    }

    /// What a thread looks like together with the objects that only it can see.
    pub fn view(&mut self, thread: ThreadId) -> u128 {
        let mut reached = std::mem::take(&mut self.reached);
        reached.start();
        let own = self.thread_shape(self.thread_part(thread));
        let mut sum = self.look(1 << 62, own, Some(thread), &mut reached);
        let mut next = 0;
        while let Some(&object) = reached.order.get(next) {
            next += 1;
            let pieces = self.made.get(object.0 as usize).map_or(&[][..], Vec::as_slice);
            let ids = || pieces.iter().map(|&at| self.ids[at as usize]);
            let private = |id| id != 0 && self.shape(id).holder == Some(thread);
            match ids().next().is_some_and(private) {
                true => {
                    for (piece, id) in ids().enumerate().filter(|&(_, id)| id != 0) {
                        let place = 1 << 63 | (next as u64) << 24 | piece as u64;
                        let shape = self.shape(id);
                        sum = sum.wrapping_add(self.look(place, shape, Some(thread), &mut reached));
                    }
                }
                // Others can see it, so it is known by its number.
                false => {
                    let number = u128::from(object.0);
                    sum = sum.wrapping_add(number.wrapping_mul(factor(next as u64)));
                }
            }
        }
        self.reached = reached;
        sum
    }

    /// What a part adds whose addresses count by the numbers of the objects they lead to.
    /// `holder`: the only one who can see it.
    fn look(
        &self,
        place: u64,
        shape: &Shape,
        holder: Option<ThreadId>,
        reached: &mut Reached,
    ) -> u128 {
        if shape.refs.is_empty() && shape.threads.is_empty() {
            return shape.hash.wrapping_mul(factor(place));
        }
        let mut hash = Hash::default();
        hash.add(place);
        hash.add_all(shape.hash);
        for &object in &shape.refs {
            // What was there from the start keeps its address; so does what is pinned.
            let renamed = self.is_made(object) && !shape.pinned;
            let number = reached.number(object);
            hash.add(if renamed { u64::from(number) } else { 1 << 32 | u64::from(object.0) });
        }
        for who in &shape.threads {
            let (rank, sealed) = self.ranking.rank(who.thread);
            let raw = who.form == Form::Fixed || rank == UNBORN;
            hash.add(match who.form == Form::Handle && sealed.holds_for(holder) {
                true => 1 << 32,
                false => u64::from(rank),
            });
            if raw {
                hash.add(u64::from(who.thread.0));
            }
        }
        hash.value()
    }

    /// The present state in words that no other state has.
    pub fn spell(&mut self, words: &mut Vec<u32>) {
        words.clear();
        if !self.named {
            self.rank();
        }
        let mut reached = std::mem::take(&mut self.reached);
        reached.start();
        for looks in &self.ranking.order {
            let shape = self.thread_shape(self.ids[looks.at as usize]);
            self.spell_part(shape, Some(looks.thread), &mut reached, words);
        }
        for &at in &self.roots {
            let id = self.ids[at as usize];
            if id != self.initial_at[at as usize] {
                words.extend([u32::MAX - 1, at]);
                let shape = self.shape_at(at as usize, id);
                self.spell_part(shape, None, &mut reached, words);
            }
        }
        let mut next = 0;
        while let Some(&object) = reached.order.get(next) {
            next += 1;
            words.push(u32::MAX);
            let mut holder = None;
            for &at in self.made.get(object.0 as usize).map_or(&[][..], Vec::as_slice) {
                let id = self.ids[at as usize];
                if id == 0 {
                    continue;
                }
                let shape = self.shape(id);
                holder = holder.or(shape.holder);
                self.spell_part(shape, holder, &mut reached, words);
            }
        }
        self.reached = reached;
    }

    fn spell_part(
        &self,
        shape: &Shape,
        holder: Option<ThreadId>,
        reached: &mut Reached,
        words: &mut Vec<u32>,
    ) {
        words.push(shape.id);
        for &object in &shape.refs {
            let renamed = self.is_made(object) && !shape.pinned;
            let number = reached.number(object);
            words.push(if renamed { number } else { 1 << 31 | object.0 });
        }
        for who in &shape.threads {
            let (rank, sealed) = self.ranking.rank(who.thread);
            let hidden = who.form == Form::Handle && sealed.holds_for(holder);
            words.push(if hidden { 1 << 30 } else { rank });
            if who.form == Form::Fixed || rank == UNBORN {
                words.push(who.thread.0);
            }
        }
    }
}

/// What the hash of a part counts at a place. It is odd: two parts count the same only if
/// their hashes are the same, so a sum is as good as the hashes are.
pub fn factor(place: u64) -> u128 {
    u128::from(mix(place)) << 64 | u128::from(mix(place ^ 0x9e37_79b9_7f4a_7c15)) | 1
}

/// Stafford's variant 13 of the finaliser of MurmurHash3.
pub fn mix(mut word: u64) -> u64 {
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}
