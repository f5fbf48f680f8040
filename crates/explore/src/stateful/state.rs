//! A machine's state as numbers of parts, its hash, and the way back.
//!
//! The hash is a sum over the parts, kept up to date as parts change. If objects that were
//! made while the program runs can be reached, they add to it what they look like, with
//! numbers that depend on how they are reached and not on their addresses. Objects that
//! nothing leads to any more are not part of the state, and their numbers are free again.

use heddle_semantics::{Machine, MemoryModel, ObjectId, Part};
use rustc_hash::FxHashMap;

use super::addresses;
use super::intern::Interner;
use super::shape::{Hash, Shape};

/// A state that was taken out of a machine: the number of each part, by position.
pub type Snapshot = Box<[u32]>;

/// The parts of a machine's present state.
#[derive(Default)]
pub struct States {
    interner: Interner,
    /// Shapes of parts, if states are kept whole.
    spelt: Option<Interner>,
    /// The shape of each part, by number.
    shapes: Vec<Shape>,
    /// Positions are given out when a part first changes.
    positions: FxHashMap<Part, u32>,
    parts: Vec<Part>,
    /// What each part was at the start; nothing where it did not exist.
    initial: FxHashMap<Part, u32>,
    initial_at: Vec<u32>,
    /// Positions of the pieces of objects that did not exist at the start, by object.
    made: Vec<Vec<u32>>,
    /// Positions of all other parts.
    roots: Vec<u32>,
    /// Addresses are numbers like others to this program, or all objects count.
    raw: bool,
    /// The present state.
    ids: Vec<u32>,
    hash: u128,
    /// How many parts have addresses of objects that were made.
    referring: u32,
    scratch: Vec<u64>,
    changed: Vec<Part>,
    reached: Reached,
}

/// Objects in the order in which they are reached.
#[derive(Default)]
struct Reached {
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

    fn has(&self, object: ObjectId) -> bool {
        self.numbers.get(object.0 as usize).is_some_and(|entry| entry.1 == self.turn)
    }
}

/// A part that a step changed, and what it was before.
#[derive(Clone, Copy)]
struct Change {
    at: u32,
    before: u32,
}

/// What the last step changed.
#[derive(Default)]
pub struct Changes {
    list: Vec<Change>,
    hash: u128,
    /// How many more parts have addresses than before.
    referring: i32,
    /// Something else than the thread that took the step.
    pub shared: bool,
}

impl States {
    /// From a machine before its first step. `all`: objects that nothing leads to count.
    /// `whole`: they are kept whole.
    pub fn new<M: MemoryModel>(machine: &mut Machine<'_, M>, all: bool, whole: bool) -> States {
        let raw = all || addresses::matter(machine.program());
        let spelt = whole.then(Interner::default);
        let shapes = vec![Shape::default()];
        let mut states = States { raw, shapes, spelt, ..States::default() };
        let mut parts = Vec::new();
        machine.all_parts(&mut parts);
        for part in parts {
            let id = states.number(machine, part);
            states.initial.insert(part, id);
        }
        states
    }

    fn number<M: MemoryModel>(&mut self, machine: &mut Machine<'_, M>, part: Part) -> u32 {
        self.scratch.clear();
        machine.part(part, &mut self.scratch);
        let id = self.interner.intern(&self.scratch);
        if id as usize == self.shapes.len() {
            let mut shape = Shape::of(machine, &self.scratch);
            if self.raw {
                let mut hash = Hash::default();
                self.scratch.iter().for_each(|&word| hash.add(word));
                shape = Shape { hash: hash.value(), id, ..Shape::default() };
            } else if let Some(spelt) = &mut self.spelt {
                Shape::spell(machine, &mut self.scratch);
                shape.id = spelt.intern(&self.scratch);
            }
            self.shapes.push(shape);
        }
        id
    }

    fn position(&mut self, part: Part) -> usize {
        let next = self.parts.len() as u32;
        let at = *self.positions.entry(part).or_insert(next);
        if at == next {
            let initial = self.initial.get(&part).copied().unwrap_or(0);
            self.parts.push(part);
            self.initial_at.push(initial);
            self.ids.push(initial);
            self.referring += u32::from(!self.shapes[initial as usize].refs.is_empty());
            match part {
                Part::Object(object, _) if initial == 0 && !self.raw => {
                    let index = object.0 as usize;
                    if self.made.len() <= index {
                        self.made.resize_with(index + 1, Vec::new);
                    }
                    self.made[index].push(at);
                }
                _ => self.roots.push(at),
            }
        }
        at as usize
    }

    fn is_made(&self, object: ObjectId) -> bool {
        self.made.get(object.0 as usize).is_some_and(|pieces| !pieces.is_empty())
    }

    /// What a part at a position adds to the sum.
    fn share(&self, at: usize, id: u32) -> u128 {
        let made = matches!(self.parts[at], Part::Object(object, _) if self.is_made(object));
        if id == self.initial_at[at] || made {
            return 0;
        }
        let mut hash = Hash::default();
        hash.add(at as u64);
        hash.add_all(self.shapes[id as usize].hash);
        hash.value()
    }

    fn set(&mut self, at: usize, id: u32) {
        let before = std::mem::replace(&mut self.ids[at], id);
        let (added, taken) = (self.share(at, id), self.share(at, before));
        self.hash = self.hash.wrapping_add(added).wrapping_sub(taken);
        let refers = |id: u32| u32::from(!self.shapes[id as usize].refs.is_empty());
        self.referring = self.referring + refers(id) - refers(before);
    }

    /// Takes over what the machine's last step has changed.
    pub fn follow<M: MemoryModel>(&mut self, machine: &mut Machine<'_, M>, changes: &mut Changes) {
        let mut parts = std::mem::take(&mut self.changed);
        parts.clear();
        machine.changed_parts(&mut parts);
        for &part in &parts {
            self.position(part);
        }
        changes.list.clear();
        changes.hash = self.hash;
        let referring = self.referring;
        changes.shared = false;
        let mut threads = 0;
        for &part in &parts {
            let id = self.number(machine, part);
            let at = self.position(part);
            let before = self.ids[at];
            if id == before {
                continue;
            }
            changes.list.push(Change { at: at as u32, before });
            match part {
                Part::Thread(_) => threads += 1,
                _ => changes.shared = true,
            }
            self.set(at, id);
        }
        changes.shared |= threads > 1;
        changes.referring = self.referring as i32 - referring as i32;
        self.changed = parts;
    }

    /// The machine has taken its last step back.
    pub fn unfollow(&mut self, changes: &Changes) {
        for change in changes.list.iter().rev() {
            self.ids[change.at as usize] = change.before;
        }
        self.hash = changes.hash;
        // Parts may have got positions since, so it is not what it was.
        self.referring = (self.referring as i32 - changes.referring) as u32;
    }

    /// The hash of the present state.
    pub fn hash(&mut self) -> u128 {
        if self.referring == 0 {
            return self.hash;
        }
        let mut reached = std::mem::take(&mut self.reached);
        reached.start();
        let mut sum = self.hash;
        for &at in &self.roots {
            let id = self.ids[at as usize];
            let shape = &self.shapes[id as usize];
            // What is as it was at the start knows nothing that was made since.
            if !shape.refs.is_empty() && id != self.initial_at[at as usize] {
                sum = sum.wrapping_add(self.look(u64::from(at), shape, &mut reached));
            }
        }
        let mut next = 0;
        while let Some(&object) = reached.order.get(next) {
            next += 1;
            let Some(pieces) = self.made.get(object.0 as usize) else { continue };
            for (piece, &at) in pieces.iter().enumerate() {
                let shape = &self.shapes[self.ids[at as usize] as usize];
                let place = 1 << 63 | (next as u64) << 24 | piece as u64;
                sum = sum.wrapping_add(self.look(place, shape, &mut reached));
            }
        }
        self.reached = reached;
        sum
    }

    /// What a part adds whose addresses count by the numbers of the objects they lead to.
    fn look(&self, place: u64, shape: &Shape, reached: &mut Reached) -> u128 {
        let mut hash = Hash::default();
        hash.add(place);
        hash.add_all(shape.hash);
        for &object in &shape.refs {
            // What was there from the start keeps its address; so does what is pinned.
            let renamed = self.is_made(object) && !shape.pinned;
            let number = reached.number(object);
            hash.add(if renamed { u64::from(number) } else { 1 << 32 | u64::from(object.0) });
        }
        hash.value()
    }

    /// The present state in words that no other state has.
    pub fn spell(&mut self, words: &mut Vec<u32>) {
        words.clear();
        let mut reached = std::mem::take(&mut self.reached);
        reached.start();
        for &at in &self.roots {
            let id = self.ids[at as usize];
            if id != self.initial_at[at as usize] {
                words.push(at);
                self.spell_part(id, &mut reached, words);
            }
        }
        let mut next = 0;
        while let Some(&object) = reached.order.get(next) {
            next += 1;
            words.push(u32::MAX);
            for &at in self.made.get(object.0 as usize).map_or(&[][..], Vec::as_slice) {
                self.spell_part(self.ids[at as usize], &mut reached, words);
            }
        }
        self.reached = reached;
    }

    fn spell_part(&self, id: u32, reached: &mut Reached, words: &mut Vec<u32>) {
        let shape = &self.shapes[id as usize];
        words.push(shape.id);
        for &object in &shape.refs {
            let renamed = self.is_made(object) && !shape.pinned;
            let number = reached.number(object);
            words.push(if renamed { number } else { 1 << 31 | object.0 });
        }
    }

    /// The present state; [`States::hash`] or [`States::spell`] was asked for it just
    /// before.
    pub fn snapshot(&self) -> Snapshot {
        let same = |at: &usize| self.ids[*at] == self.initial_at[*at];
        let tail = (0..self.ids.len()).rev().take_while(same).count();
        let mut snapshot: Snapshot = self.ids[..self.ids.len() - tail].into();
        for (object, pieces) in self.made.iter().enumerate() {
            let gone = self.referring == 0 || !self.reached.has(ObjectId(object as u32));
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

    /// Brings the machine into a state. The first piece of an object comes before its
    /// others.
    pub fn restore<M: MemoryModel>(&mut self, machine: &mut Machine<'_, M>, snapshot: &[u32]) {
        for at in 0..self.ids.len() {
            let id = snapshot.get(at).copied().unwrap_or(self.initial_at[at]);
            if id != self.ids[at] {
                machine.put_part(self.parts[at], self.interner.get(id));
                self.set(at, id);
            }
        }
    }

    pub fn bytes(&self) -> u64 {
        let refs: usize = self.shapes.iter().map(|shape| shape.refs.len() * 4).sum();
        let spelt = self.spelt.as_ref().map_or(0, Interner::bytes);
        self.interner.bytes() + spelt + (self.shapes.len() * size_of::<Shape>() + refs) as u64
    }
}

/// Stafford's variant 13 of the finaliser of MurmurHash3.
pub fn mix(mut word: u64) -> u64 {
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}
