//! A machine's state as numbers of parts, its hash, and the way back.

use heddle_semantics::{Machine, MemoryModel, Part};
use rustc_hash::FxHashMap;

use super::intern::Interner;

/// A state that was taken out of a machine: the number of each part, by position.
pub type Snapshot = Box<[u32]>;

/// The parts of a machine's present state.
#[derive(Default)]
pub struct States {
    interner: Interner,
    /// Positions are given out when a part first changes.
    positions: FxHashMap<Part, u32>,
    parts: Vec<Part>,
    /// What each part was at the start; nothing where it did not exist.
    initial: FxHashMap<Part, u32>,
    initial_at: Vec<u32>,
    /// The present state.
    ids: Vec<u32>,
    hash: u128,
    scratch: Vec<u64>,
    changed: Vec<Part>,
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
    /// Something else than the thread that took the step.
    pub shared: bool,
}

impl States {
    /// From a machine before its first step.
    pub fn new<M: MemoryModel>(machine: &mut Machine<'_, M>) -> States {
        let mut states = States::default();
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
        self.interner.intern(&self.scratch)
    }

    fn position(&mut self, part: Part) -> usize {
        let next = self.parts.len() as u32;
        let at = *self.positions.entry(part).or_insert(next);
        if at == next {
            let initial = self.initial.get(&part).copied().unwrap_or(0);
            self.parts.push(part);
            self.initial_at.push(initial);
            self.ids.push(initial);
        }
        at as usize
    }

    /// What a part at a position adds to the hash.
    fn share(&self, at: usize, id: u32) -> u128 {
        if id == self.initial_at[at] {
            return 0;
        }
        let word = (at as u64) << 32 | u64::from(id);
        let high = mix(word ^ 0x9e37_79b9_7f4a_7c15);
        u128::from(high) << 64 | u128::from(mix(word ^ high ^ 0xd1b5_4a32_d192_ed03))
    }

    /// Takes over what the machine's last step has changed.
    pub fn follow<M: MemoryModel>(&mut self, machine: &mut Machine<'_, M>, changes: &mut Changes) {
        changes.list.clear();
        changes.hash = self.hash;
        changes.shared = false;
        let mut parts = std::mem::take(&mut self.changed);
        parts.clear();
        machine.changed_parts(&mut parts);
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
            let (added, taken) = (self.share(at, id), self.share(at, before));
            self.hash = self.hash.wrapping_add(added).wrapping_sub(taken);
            self.ids[at] = id;
        }
        changes.shared |= threads > 1;
        self.changed = parts;
    }

    /// The machine has taken its last step back.
    pub fn unfollow(&mut self, changes: &Changes) {
        for change in changes.list.iter().rev() {
            self.ids[change.at as usize] = change.before;
        }
        self.hash = changes.hash;
    }

    pub fn hash(&self) -> u128 {
        self.hash
    }

    pub fn snapshot(&self) -> Snapshot {
        let same = |at: &usize| self.ids[*at] == self.initial_at[*at];
        let tail = (0..self.ids.len()).rev().take_while(same).count();
        self.ids[..self.ids.len() - tail].into()
    }

    /// Brings the machine into a state. Objects come before threads, which know them by
    /// their addresses only, but their numbers must be in use.
    pub fn restore<M: MemoryModel>(&mut self, machine: &mut Machine<'_, M>, snapshot: &[u32]) {
        for at in 0..self.ids.len() {
            let id = snapshot.get(at).copied().unwrap_or(self.initial_at[at]);
            let before = self.ids[at];
            if id == before {
                continue;
            }
            machine.put_part(self.parts[at], self.interner.get(id));
            let (added, taken) = (self.share(at, id), self.share(at, before));
            self.hash = self.hash.wrapping_add(added).wrapping_sub(taken);
            self.ids[at] = id;
        }
    }

    pub fn bytes(&self) -> u64 {
        self.interner.bytes()
    }
}

/// Stafford's variant 13 of the finaliser of MurmurHash3.
fn mix(mut word: u64) -> u64 {
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}
