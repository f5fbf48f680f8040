//! A machine's state as numbers of parts, its hash, and the way back.
//!
//! The hash is a sum over the parts, kept up to date as parts change. If objects that were
//! made while the program runs can be reached, they add to it what they look like, with
//! numbers that depend on how they are reached and not on their addresses. Objects that
//! nothing leads to any more are not part of the state, and their numbers are free again.
//! What a state looks like is in `canonical`.
//!
//! The state that a machine is in may be another one: it is brought into the present one
//! only when a step is to be taken that is not known yet (see `moves`).

use std::sync::{Arc, Mutex, PoisonError};

use heddle_machine::{Machine, Part, holder_of};
use heddle_semantics::{MemoryModel, ObjectId, ThreadId};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::cache::Cache;
use super::canonical::{Reached, factor};
use super::intern::Interner;
use super::ranking::Ranking;
use super::shape::{Hash, Sealed, Shape};
use crate::inputs::Inputs;

/// A state that was taken out of a machine: the number of each part, by position.
pub type Snapshot = Box<[u32]>;

/// Numbers of parts and of their positions, which several searches give out together.
#[derive(Default)]
pub struct Common {
    pub(super) interner: Interner,
    /// Of shapes of parts, if states are kept whole.
    spelt: Interner,
    /// What stands at each position.
    parts: Mutex<Vec<Part>>,
}

impl Common {
    pub fn bytes(&self) -> u64 {
        self.interner.bytes() + self.spelt.bytes()
    }
}

/// The parts of a machine's present state.
#[derive(Default)]
pub struct States {
    pub(super) common: Arc<Common>,
    /// States are kept whole.
    whole: bool,
    /// The shape of each part that was met, by number: of threads, and of others.
    thread_shapes: Vec<Option<Shape>>,
    shapes: Vec<Option<Shape>>,
    /// Bytes of what they refer to.
    references: usize,
    /// Positions are given out when a part first changes.
    positions: FxHashMap<Part, u32>,
    pub(super) parts: Vec<Part>,
    /// A number for each position that is the same whenever positions are given out, and
    /// what the hash of a part counts there.
    pub(super) keys: Vec<u64>,
    factors: Vec<u128>,
    /// What each part was at the start; nothing where it did not exist.
    initial: FxHashMap<Part, u32>,
    pub(super) initial_at: Vec<u32>,
    /// Positions of the pieces of objects that did not exist at the start, by object.
    pub(super) made: Vec<Vec<u32>>,
    /// Positions of all other parts, but for threads that may change places.
    pub(super) roots: Vec<u32>,
    /// Positions of threads, if they may change places.
    pub(super) threads: Vec<u32>,
    /// Positions of threads, by thread.
    pub(super) thread_at: Vec<Option<u32>>,
    /// Addresses are numbers like others to this program, or all objects count.
    raw: bool,
    /// Threads may not change places.
    pub(super) named: bool,
    pub(super) ranking: Ranking,
    /// The present state.
    pub(super) ids: Vec<u32>,
    pub(super) hash: u128,
    /// The state that the machine is in.
    held: Vec<u32>,
    /// What a thread does depends on its part, the memory, and how many threads there are.
    pub(super) pure: bool,
    pub(super) cache: Cache,
    pub(super) inputs: Inputs,
    /// How many roots have addresses of objects that were made, or speak of threads.
    pub(super) referring: u32,
    scratch: Vec<u64>,
    changed: Vec<Part>,
    pub(super) reached: Reached,
}

/// A part that a step changed, and what it was before.
#[derive(Clone, Copy)]
pub(super) struct Change {
    pub at: u32,
    pub before: u32,
}

/// What the last step changed.
#[derive(Default)]
pub struct Changes {
    pub(super) list: SmallVec<[Change; 8]>,
    hash: u128,
    /// How many more roots refer to something than before.
    referring: i32,
    /// The machine took the step.
    pub taken: bool,
    threads: u32,
    /// Something that others can see, so not what that thread alone has.
    pub visible: bool,
}

impl States {
    /// From a machine before its first step. `all`: objects that nothing leads to count.
    /// `whole`: they are kept whole.
    pub fn new<M: MemoryModel>(
        machine: &mut Machine<'_, M>,
        all: bool,
        whole: bool,
        common: Arc<Common>,
    ) -> States {
        let raw = all || machine.config().fixed_addresses;
        let named = raw || !machine.config().interchangeable;
        let (shapes, thread_shapes) = (vec![Some(Shape::default())], vec![Some(Shape::default())]);
        let mut states =
            States { raw, named, shapes, thread_shapes, whole, common, ..States::default() };
        let mut parts = Vec::new();
        machine.all_parts(&mut parts);
        for &part in &parts {
            let id = states.number(machine, part);
            states.initial.insert(part, id);
        }
        for part in parts.into_iter().filter(|part| matches!(part, Part::Thread(_))) {
            states.position(part);
        }
        states
    }

    fn number<M: MemoryModel>(&mut self, machine: &mut Machine<'_, M>, part: Part) -> u32 {
        self.scratch.clear();
        machine.part(part, &mut self.scratch);
        let id = self.common.interner.intern(&self.scratch);
        self.meet(machine, part, id);
        id
    }

    /// There is a part with this number, which may come from another search. If it is a
    /// thread, the machine has it.
    pub(super) fn meet<M: MemoryModel>(&mut self, machine: &Machine<'_, M>, part: Part, id: u32) {
        let shapes = match part {
            Part::Thread(_) => &mut self.thread_shapes,
            _ => &mut self.shapes,
        };
        if shapes.len() <= id as usize {
            shapes.resize(id as usize + 1, None);
        }
        if shapes[id as usize].is_none() {
            let shape = self.shape_of(machine, part, id);
            self.references += shape.refs.len() * 4 + shape.threads.len() * 8;
            match part {
                Part::Thread(_) => self.thread_shapes[id as usize] = Some(shape),
                _ => self.shapes[id as usize] = Some(shape),
            }
        }
    }

    fn shape_of<M: MemoryModel>(&self, machine: &Machine<'_, M>, part: Part, id: u32) -> Shape {
        let words = self.common.interner.get(id);
        let memory = matches!(part, Part::Object(..));
        let mut shape = Shape::of(machine, words, memory, self.named);
        if self.raw {
            let mut hash = Hash::default();
            words.iter().for_each(|&word| hash.add(word));
            shape = Shape { hash: hash.value(), id, ..Shape::default() };
        } else if self.whole {
            let mut words = words.to_vec();
            Shape::spell(machine, self.named, &mut words);
            shape.id = self.common.spelt.intern(&words);
        }
        match part {
            Part::Thread(thread) if id != 0 => {
                let mut flushes = Vec::new();
                machine.flushable(thread, &mut flushes);
                shape.flushes = flushes.len() as u32;
                shape.stands = machine.stands(thread);
                shape.drained = machine.is_drained(thread);
                shape.sealed = Sealed::of(words);
            }
            Part::Object(_, 0) => shape.holder = holder_of(words),
            _ => {}
        }
        shape
    }

    fn knows(&self, at: usize, id: u32) -> bool {
        let shapes = match self.parts[at] {
            Part::Thread(_) => &self.thread_shapes,
            _ => &self.shapes,
        };
        shapes.get(id as usize).is_some_and(Option::is_some)
    }

    /// Of a part that is no thread.
    pub(super) fn shape(&self, id: u32) -> &Shape {
        self.shapes[id as usize].as_ref().expect("it was met")
    }

    pub(super) fn thread_shape(&self, id: u32) -> &Shape {
        self.thread_shapes[id as usize].as_ref().expect("it was met")
    }

    pub(super) fn shape_at(&self, at: usize, id: u32) -> &Shape {
        match self.parts[at] {
            Part::Thread(_) => self.thread_shape(id),
            _ => self.shape(id),
        }
    }

    pub(super) fn position(&mut self, part: Part) -> usize {
        if let Some(&at) = self.positions.get(&part) {
            return at as usize;
        }
        self.learn_positions(Some(part));
        self.positions[&part] as usize
    }

    /// Learns of the positions that other searches have given out, and of one for a part.
    fn learn_positions(&mut self, wanted: Option<Part>) {
        let common = Arc::clone(&self.common);
        let mut parts = common.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(part) = wanted
            && !parts[self.parts.len()..].contains(&part)
        {
            parts.push(part);
        }
        for &part in &parts[self.parts.len()..] {
            self.add_position(part);
        }
    }

    fn add_position(&mut self, part: Part) {
        let at = self.parts.len() as u32;
        let initial = self.initial.get(&part).copied().unwrap_or(0);
        self.positions.insert(part, at);
        self.parts.push(part);
        let key = match part {
            Part::Rest => 1,
            Part::Thread(thread) => 2 | u64::from(thread.0) << 2,
            Part::Object(object, piece) => 3 | u64::from(object.0) << 2 | u64::from(piece) << 34,
        };
        self.keys.push(key);
        self.factors.push(factor(key));
        self.initial_at.push(initial);
        self.ids.push(initial);
        self.held.push(initial);
        self.referring += self.refers(at as usize, initial);
        if let Part::Thread(thread) = part {
            if self.thread_at.len() <= thread.index() {
                self.thread_at.resize(thread.index() + 1, None);
            }
            self.thread_at[thread.index()] = Some(at);
        }
        match part {
            Part::Thread(_) if !self.named => self.threads.push(at),
            Part::Object(object, _) if initial == 0 && !self.raw => {
                let index = object.0 as usize;
                if self.made.len() <= index {
                    self.made.resize_with(index + 1, Vec::new);
                }
                self.made[index].push(at);
            }
            _ => {
                let key = self.keys[at as usize];
                let place = self.roots.partition_point(|&at| self.keys[at as usize] < key);
                self.roots.insert(place, at);
            }
        }
    }

    /// Learns of everything that other searches have met, before states of theirs are
    /// put into the machine.
    pub fn catch_up<M: MemoryModel>(&mut self, machine: &mut Machine<'_, M>) {
        machine.catch_up();
        self.learn_positions(None);
    }

    pub(super) fn is_made(&self, object: ObjectId) -> bool {
        self.made.get(object.0 as usize).is_some_and(|pieces| !pieces.is_empty())
    }

    /// Is the part there known by its position?
    fn is_root(&self, at: usize) -> bool {
        match self.parts[at] {
            Part::Rest => true,
            Part::Thread(_) => self.named,
            Part::Object(object, _) => !self.is_made(object),
        }
    }

    /// 1 if a part at a position refers to something and is known by its position.
    fn refers(&self, at: usize, id: u32) -> u32 {
        let shape = self.shape_at(at, id);
        let refers = !(shape.refs.is_empty() && shape.threads.is_empty());
        u32::from(refers && self.is_root(at))
    }

    /// What a part at a position adds to the sum.
    fn share(&self, at: usize, id: u32) -> u128 {
        if id == self.initial_at[at] || !self.is_root(at) {
            return 0;
        }
        self.shape_at(at, id).hash.wrapping_mul(self.factors[at])
    }

    fn set(&mut self, at: usize, id: u32) {
        let before = std::mem::replace(&mut self.ids[at], id);
        let (added, taken) = (self.share(at, id), self.share(at, before));
        self.hash = self.hash.wrapping_add(added).wrapping_sub(taken);
        self.referring = self.referring + self.refers(at, id) - self.refers(at, before);
    }

    /// The machine has taken its last step back, and is where it was before.
    pub fn let_go(&mut self, changes: &mut Changes) {
        for change in &changes.list {
            self.held[change.at as usize] = change.before;
        }
        changes.taken = false;
    }

    pub(super) fn begin_changes(&self, changes: &mut Changes, taken: bool) {
        changes.list.clear();
        changes.hash = self.hash;
        changes.referring = self.referring as i32;
        changes.threads = 0;
        changes.taken = taken;
    }

    pub(super) fn change(&mut self, at: usize, id: u32, changes: &mut Changes) {
        let before = self.ids[at];
        if id == before {
            return;
        }
        changes.threads += u32::from(matches!(self.parts[at], Part::Thread(_)));
        changes.list.push(Change { at: at as u32, before });
        self.set(at, id);
    }

    pub(super) fn end_changes(&self, changes: &mut Changes) {
        let sees = |change: &Change| match self.parts[change.at as usize] {
            Part::Rest => true,
            Part::Thread(_) => false,
            Part::Object(object, _) => !self.is_private(object, changes),
        };
        changes.visible = changes.threads > 1 || changes.list.iter().any(sees);
        changes.referring = self.referring as i32 - changes.referring;
    }

    /// Is the object one thread's alone, before the changes and after them, as far as it is
    /// there?
    fn is_private(&self, object: ObjectId, changes: &Changes) -> bool {
        let Some(&first) = self.positions.get(&Part::Object(object, 0)) else { return false };
        let now = self.ids[first as usize];
        let change = changes.list.iter().find(|change| change.at == first);
        let before = change.map_or(now, |change| change.before);
        [before, now].into_iter().all(|id| id == 0 || self.shape(id).holder.is_some())
    }

    /// Is there a change of an object that was there at the start?
    pub fn touches_roots(&self, changes: &Changes) -> bool {
        changes.list.iter().any(|change| match self.parts[change.at as usize] {
            Part::Object(object, _) => !self.is_made(object),
            _ => false,
        })
    }

    /// Takes over what the machine's last step has changed, which was in this state.
    pub fn follow<M: MemoryModel>(&mut self, machine: &mut Machine<'_, M>, changes: &mut Changes) {
        let mut parts = std::mem::take(&mut self.changed);
        parts.clear();
        machine.changed_parts(&mut parts);
        let places: SmallVec<[usize; 8]> = parts.iter().map(|&part| self.position(part)).collect();
        self.begin_changes(changes, true);
        for (&part, at) in parts.iter().zip(places) {
            let id = self.number(machine, part);
            self.change(at, id, changes);
            self.held[at] = id;
        }
        self.end_changes(changes);
        self.changed = parts;
    }

    /// The last step is taken back, by the machine too, if it has taken it.
    pub fn unfollow(&mut self, changes: &Changes) {
        for change in changes.list.iter().rev() {
            self.ids[change.at as usize] = change.before;
            if changes.taken {
                self.held[change.at as usize] = change.before;
            }
        }
        self.hash = changes.hash;
        // Parts may have got positions since, so it is not what it was.
        self.referring = (self.referring as i32 - changes.referring) as u32;
    }

    /// The number of the part that is a thread.
    pub fn thread_part(&self, thread: ThreadId) -> u32 {
        let at = self.thread_at.get(thread.index()).copied().flatten();
        at.map_or(0, |at| self.ids[at as usize])
    }

    /// Addresses count as they are.
    pub fn is_raw(&self) -> bool {
        self.raw
    }

    /// What other searches may share.
    pub fn common(&self) -> Arc<Common> {
        Arc::clone(&self.common)
    }

    /// The present state; [`States::hash`] or [`States::spell`] was asked for it just
    /// before.
    pub fn snapshot(&self) -> Snapshot {
        let same = |at: &usize| self.ids[*at] == self.initial_at[*at];
        let tail = (0..self.ids.len()).rev().take_while(same).count();
        let mut snapshot: Snapshot = self.ids[..self.ids.len() - tail].into();
        for (object, pieces) in self.made.iter().enumerate() {
            let gone = !self.reached.has(ObjectId(object as u32));
            if gone {
                for &at in pieces {
                    if let Some(id) = snapshot.get_mut(at as usize) {
                        *id = 0;
                    }
                }
            }
        }
        snapshot
    }

    /// Goes to a state, the machine only if it has to.
    pub fn load<M: MemoryModel>(&mut self, machine: &mut Machine<'_, M>, snapshot: &[u32]) {
        let all = 0..self.ids.len();
        let id = |states: &States, at: usize| {
            snapshot.get(at).copied().unwrap_or_else(|| states.initial_at[at])
        };
        if !all.clone().all(|at| self.knows(at, id(self, at))) {
            for at in all.clone() {
                self.put(machine, at, id(self, at));
            }
        }
        for at in all {
            let id = id(self, at);
            if id != self.ids[at] {
                self.set(at, id);
            }
        }
    }

    /// Brings the machine into the present state.
    pub fn sync<M: MemoryModel>(&mut self, machine: &mut Machine<'_, M>) {
        for at in 0..self.ids.len() {
            self.put(machine, at, self.ids[at]);
        }
    }

    /// Puts a part into the machine. The first piece of an object comes before its others.
    fn put<M: MemoryModel>(&mut self, machine: &mut Machine<'_, M>, at: usize, id: u32) {
        if self.held[at] != id {
            let part = self.parts[at];
            machine.put_part(part, self.common.interner.get(id));
            self.held[at] = id;
            self.meet(machine, part, id);
        }
    }

    /// Without what is common to several searches.
    pub fn bytes(&self) -> u64 {
        let shapes = (self.shapes.len() + self.thread_shapes.len()) * size_of::<Option<Shape>>();
        (shapes + self.references) as u64 + self.cache.bytes()
    }
}
