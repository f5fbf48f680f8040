//! What can happen in a state and what comes of it, without the machine where that is known.

use heddle_machine::{HEAD, Machine, Need, PIECE, Part, Stands};
use heddle_semantics::{MemoryModel, ObjectId, ThreadId};
use smallvec::SmallVec;

use super::cache::{Bits, Edit, Outcome, Question, Root, What};
use super::shape::Sealed;
use super::state::{Changes, States};
use super::transitions::{Deed, FLUSHED, Way, mark};

/// Steps that look at more are not worth remembering.
const MANY: usize = 64;

/// Where bytes of an object stand: the position of the piece, which words, which bits.
struct Place {
    at: usize,
    index: u32,
    mask: u64,
}

impl States {
    /// Everything that can happen, in the order in which [`ways`](super::transitions::ways) has it; false if
    /// that is not known.
    pub fn known_ways<M: MemoryModel>(
        &mut self,
        machine: &mut Machine<'_, M>,
        ways: &mut Vec<Way>,
    ) -> bool {
        ways.clear();
        if !self.pure {
            return false;
        }
        let threads = self.in_order(machine.thread_count());
        if threads.iter().any(|&thread| self.stands(thread) == Stands::Input) {
            return false;
        }
        for &thread in &threads {
            if self.can_step(machine, thread) {
                let mark = mark(self.rank_of(thread));
                ways.push(Way { deed: Deed::Step(thread), mark });
            }
        }
        for &thread in &threads {
            let count = self.thread_shape(self.thread_part(thread)).flushes;
            let deeds = (0..count).map(|nth| Deed::Flush(thread, nth));
            ways.extend(deeds.map(|deed| Way { deed, mark: FLUSHED }));
        }
        true
    }

    pub fn can_step<M: MemoryModel>(
        &mut self,
        machine: &mut Machine<'_, M>,
        thread: ThreadId,
    ) -> bool {
        match self.stands(thread) {
            Stands::Ready | Stands::Input => true,
            Stands::Still | Stands::Finished => false,
            Stands::Join(target) => self.stands(target) == Stands::Finished,
            Stands::Joins => {
                self.awaited(thread).all(|target| self.stands(target) == Stands::Finished)
            }
            Stands::Gate => self.gate_is_open(machine, thread),
        }
    }

    /// Threads that a thread joins together.
    pub fn awaited(&self, by: ThreadId) -> impl Iterator<Item = ThreadId> + '_ {
        let all = (0..self.thread_at.len() as u32).map(ThreadId);
        all.filter(move |&other| {
            self.thread_shape(self.thread_part(other)).sealed == Sealed::To(by)
        })
    }

    pub fn stands(&self, thread: ThreadId) -> Stands {
        self.thread_shape(self.thread_part(thread)).stands
    }

    fn gate_is_open<M: MemoryModel>(
        &mut self,
        machine: &mut Machine<'_, M>,
        thread: ThreadId,
    ) -> bool {
        if !self.cache.is_on() {
            self.sync(machine);
            return machine.enabled(thread);
        }
        let root = Root { thread: thread.0, part: self.thread_part(thread), what: What::Enabled };
        let States { ids, common, cache, .. } = self;
        let found = cache.find(root, |question| {
            answer(|at| common.interner.get(ids[at]), |at| ids[at], question)
        });
        if let Some(number) = found
            && let Outcome::Enabled(open) = *self.cache.outcome(number)
        {
            return open;
        }
        self.sync(machine);
        machine.note_needs();
        let open = machine.enabled(thread);
        let outcome = Outcome::Enabled(open);
        self.keep(machine, root, &Changes::default(), Vec::new(), |_| outcome);
        open
    }

    /// Can the thread go on, whatever inputs there are?
    pub fn moves<M: MemoryModel>(
        &mut self,
        machine: &mut Machine<'_, M>,
        thread: ThreadId,
    ) -> bool {
        let all = self.in_order(machine.thread_count());
        !all.into_iter().any(|other| self.stands(other) == Stands::Input)
            && self.can_step(machine, thread)
    }

    /// No store of the thread waits.
    pub fn is_drained(&self, thread: ThreadId) -> bool {
        self.thread_shape(self.thread_part(thread)).drained
    }

    /// What a deed is asked by.
    pub fn root_of(&self, deed: Deed) -> Option<Root> {
        let (thread, what) = match deed {
            Deed::Step(thread) => (thread, What::Step),
            Deed::Flush(thread, nth) => (thread, What::Flush(nth)),
            Deed::Input(..) => return None,
        };
        let known = self.cache.is_on();
        known.then(|| Root { thread: thread.0, part: self.thread_part(thread), what })
    }

    /// Goes on to where a deed leads, if that is known. Tells whether an iteration of a
    /// loop has ended.
    pub fn recall<M: MemoryModel>(
        &mut self,
        machine: &Machine<'_, M>,
        root: Root,
        changes: &mut Changes,
    ) -> Option<bool> {
        let States { ids, common, cache, .. } = self;
        let number = cache.find(root, |question| {
            answer(|at| common.interner.get(ids[at]), |at| ids[at], question)
        })?;
        let mut cache = std::mem::take(&mut self.cache);
        let Outcome::Step { edits, looped } = cache.outcome(number) else {
            unreachable!("asked for a step")
        };
        self.begin_changes(changes, false);
        let mut made: SmallVec<[(u32, u32, u32); 2]> = SmallVec::new();
        for edit in edits {
            match edit {
                Edit::Part { at, id } => self.change(*at as usize, *id, changes),
                Edit::Words { at, number, words } => {
                    let before = self.ids[*at as usize];
                    let id = cache.changed(before, *number).unwrap_or_else(|| {
                        let id = self.patch(machine, *at as usize, words);
                        made.push((before, *number, id));
                        id
                    });
                    self.change(*at as usize, id, changes);
                }
            }
        }
        self.end_changes(changes);
        let looped = *looped;
        for (before, number, id) in made {
            cache.keep_changed(before, number, id);
        }
        self.cache = cache;
        Some(looped)
    }

    /// The part at a position with some words changed.
    fn patch<M: MemoryModel>(
        &mut self,
        machine: &Machine<'_, M>,
        at: usize,
        words: &[Bits],
    ) -> u32 {
        let mut list = self.common.interner.get(self.ids[at]).to_vec();
        for Bits { index, mask, value } in words {
            let word = &mut list[*index as usize];
            *word = *word & !mask | value;
        }
        let id = self.common.interner.intern(&list);
        self.meet(machine, self.parts[at], id);
        id
    }

    /// Remembers what the machine's last step has done.
    pub fn learn<M: MemoryModel>(
        &mut self,
        machine: &mut Machine<'_, M>,
        root: Root,
        changes: &Changes,
        looped: bool,
    ) {
        let written: Vec<_> = machine.written_bytes().collect();
        self.keep(machine, root, changes, written, |edits| Outcome::Step {
            edits: edits.into(),
            looped,
        });
    }

    /// Keeps what comes of it, with what was looked at.
    fn keep<M: MemoryModel>(
        &mut self,
        machine: &mut Machine<'_, M>,
        root: Root,
        changes: &Changes,
        written: Vec<(ObjectId, u32, u32)>,
        outcome: impl FnOnce(Vec<Edit>) -> Outcome,
    ) {
        let Some(needs) = machine.needs().map(<[Need]>::to_vec) else { return };
        let mut questions = vec![Question::Part(self.position(Part::Rest) as u32)];
        for need in needs {
            self.ask(machine, need, &mut questions);
            if questions.len() > MANY {
                return;
            }
        }
        let mut own = vec![questions[0]];
        own.push(Question::Part(self.position(Part::Thread(ThreadId(root.thread))) as u32));
        let edits = self.edits(machine, changes, written, &mut questions, &own);
        let States { ids, common, cache, .. } = self;
        let before = |at: usize| {
            let change = changes.list.iter().find(|change| change.at as usize == at);
            change.map_or(ids[at], |change| change.before)
        };
        let answer = |question| answer(|at| common.interner.get(before(at)), before, question);
        cache.insert(root, &questions, answer, outcome(edits));
    }

    fn ask<M: MemoryModel>(
        &mut self,
        machine: &Machine<'_, M>,
        need: Need,
        questions: &mut Vec<Question>,
    ) {
        let mut asked: SmallVec<[Question; 3]> = SmallVec::new();
        match need {
            Need::Object(object) => {
                let at = self.position(Part::Object(object, 0)) as u32;
                let head = 0..HEAD as u32;
                asked.extend(head.map(|index| Question::Word { at, index, mask: u64::MAX }));
            }
            Need::Bytes { object, offset, len } => {
                for Place { at, index, mask } in self.places(object, offset, len) {
                    asked.push(Question::Word { at: at as u32, index, mask });
                }
            }
            Need::Undefined { object, offset, len } => {
                for Place { at, index, mask } in self.places(object, offset, len) {
                    let Part::Object(_, piece) = self.parts[at] else { continue };
                    let full = full_length(machine, object, piece);
                    let index = index - if piece == 0 { HEAD as u32 } else { 0 };
                    asked.push(Question::Undefined { at: at as u32, index, full, mask });
                }
            }
            Need::Codes { object, offset } => {
                for Place { at, index, .. } in self.places(object, offset, 1) {
                    asked.push(Question::Codes { at: at as u32, index });
                }
            }
        }
        for question in asked {
            if !questions.contains(&question) {
                questions.push(question);
            }
        }
    }

    fn places(&mut self, object: ObjectId, offset: u32, len: u32) -> SmallVec<[Place; 2]> {
        let mut places: SmallVec<[Place; 2]> = SmallVec::new();
        for byte in offset..offset + len {
            let (piece, within) = (byte / PIECE, byte % PIECE);
            let head = if piece == 0 { HEAD as u32 } else { 0 };
            let (index, mask) = (head + within / 8, 0xff << (within % 8 * 8));
            match places.last_mut() {
                Some(place) if place.index == index => place.mask |= mask,
                _ => {
                    let at = self.position(Part::Object(object, piece));
                    places.push(Place { at, index, mask });
                }
            }
        }
        places
    }

    /// The changes as something that can be done to other states. What is put in the place
    /// of a part as a whole depends on all of it, if it is not one of its own.
    fn edits<M: MemoryModel>(
        &mut self,
        machine: &Machine<'_, M>,
        changes: &Changes,
        written: Vec<(ObjectId, u32, u32)>,
        questions: &mut Vec<Question>,
        own: &[Question],
    ) -> Vec<Edit> {
        let mut patches: SmallVec<[(usize, SmallVec<[Bits; 4]>); 4]> = SmallVec::new();
        for (object, offset, len) in written {
            for Place { at, index, mask } in self.places(object, offset, len) {
                let patch = match patches.iter_mut().position(|patch| patch.0 == at) {
                    Some(found) => &mut patches[found].1,
                    None => {
                        patches.push((at, SmallVec::new()));
                        &mut patches.last_mut().expect("just added").1
                    }
                };
                match patch.iter_mut().find(|bits| bits.index == index) {
                    Some(bits) => bits.mask |= mask,
                    None => patch.push(Bits { index, mask, value: 0 }),
                }
            }
        }
        let mut edits = Vec::new();
        let before = |at: usize| changes.list.iter().find(|change| change.at as usize == at);
        for (at, mut bits) in patches {
            add(questions, Question::Length(at as u32));
            let new = self.ids[at];
            let old = before(at).map_or(new, |change| change.before);
            if self.is_patch(machine, at, old, new, &mut bits) {
                let number = self.cache.next_number();
                let words = bits.into_vec().into();
                edits.push(Edit::Words { at: at as u32, number, words });
            } else {
                edits.push(Edit::Part { at: at as u32, id: new });
                add(questions, Question::Part(at as u32));
            }
        }
        for change in &changes.list {
            let there = |edit: &Edit| match edit {
                Edit::Part { at, .. } | Edit::Words { at, .. } => *at == change.at,
            };
            if !edits.iter().any(there) {
                edits.push(Edit::Part { at: change.at, id: self.ids[change.at as usize] });
                let question = Question::Part(change.at);
                if !own.contains(&question) {
                    add(questions, question);
                }
            }
        }
        edits
    }

    /// Do the written bits make all the difference between two parts of an object?
    fn is_patch<M: MemoryModel>(
        &self,
        machine: &Machine<'_, M>,
        at: usize,
        old: u32,
        new: u32,
        bits: &mut [Bits],
    ) -> bool {
        let Part::Object(object, piece) = self.parts[at] else { return false };
        let (old, new) = (self.common.interner.get(old), self.common.interner.get(new));
        let full = full_length(machine, object, piece) as usize;
        if old.len() != full || new.len() != full {
            return false;
        }
        for patch in bits.iter_mut() {
            patch.value = new[patch.index as usize] & patch.mask;
        }
        old.iter().zip(new).enumerate().all(|(index, (old, new))| {
            let patch = bits.iter().find(|patch| patch.index as usize == index);
            (old ^ new) & !patch.map_or(0, |patch| patch.mask) == 0
        })
    }
}

fn add(questions: &mut Vec<Question>, question: Question) {
    if !questions.contains(&question) {
        questions.push(question);
    }
}

/// Words of a piece of a live object, all of which is defined.
fn full_length<M: MemoryModel>(machine: &Machine<'_, M>, object: ObjectId, piece: u32) -> u32 {
    let bytes = machine.store().object(object).bytes.saturating_sub(u64::from(piece * PIECE));
    let head = if piece == 0 { HEAD as u32 } else { 0 };
    head + bytes.min(u64::from(PIECE)).div_ceil(8) as u32
}

/// What is the case in a state that has these words, and these numbers of parts.
fn answer<'a>(
    words: impl Fn(usize) -> &'a [u64],
    ids: impl Fn(usize) -> u32,
    question: Question,
) -> u64 {
    match question {
        Question::Part(at) => u64::from(ids(at as usize)),
        Question::Length(at) => words(at as usize).len() as u64,
        Question::Word { at, index, mask } => {
            words(at as usize).get(index as usize).map_or(0, |word| word & mask)
        }
        Question::Undefined { at, index, full, mask } => {
            words(at as usize).get((full + index) as usize).map_or(0, |word| word & mask)
        }
        Question::Codes { at, index } => {
            let word = words(at as usize).get(index as usize).copied().unwrap_or(0);
            u64::from(heddle_machine::looks_like_thread(word))
        }
    }
}
