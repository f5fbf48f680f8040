//! Objects of the unfolding: one for each global, each allocation instance, and
//! what a thread or a waiter keeps.
//!
//! An address is a slot number and an offset below the slot's size, as in the
//! interpreter, so a pointer tells the object it was made from. Objects are
//! interned by where in the unfolding they are allocated, and keep their addresses
//! when the unfolding is repeated.

use heddle_ir::{FuncId, GlobalId, Program, Symbol};
use heddle_machine::FIRST_STATIC;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::unfold::state::Key;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contents {
    Bytes(Vec<u8>),
    Zero,
    /// Reading it before it is written gives any value.
    Unwritten,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Global(GlobalId),
    Function(FuncId),
    ThreadLocal,
    Heap,
    Stack,
    /// What Heddle keeps of a thread or waiter; no address leads there.
    Internal,
}

#[derive(Clone, Debug)]
pub struct Object {
    pub base: u64,
    /// The most bytes it can have.
    pub bytes: u64,
    pub kind: Kind,
    /// The thread that made it.
    pub owner: u32,
    pub constant: bool,
    pub contents: Contents,
    /// Declared but defined nowhere.
    pub undefined: bool,
    pub name: String,
}

/// What makes an allocation the same one when the unfolding is repeated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Identity {
    Allocation(u32, Key, u32),
    ThreadLocal(u32, GlobalId),
    Thread(u32),
    Waiter(u32, Key),
    Arguments(u32),
    /// Thread and index, as constraints name it.
    Event(u32, u32),
}

#[derive(Debug)]
pub struct Objects {
    pub all: Vec<Object>,
    interned: FxHashMap<Identity, u32>,
    /// Those in which threads keep how they stand.
    threads: FxHashSet<u32>,
    slots: Vec<u32>,
    shift: u32,
    pub globals: Vec<Option<u32>>,
    pub functions: Vec<u32>,
}

impl Objects {
    /// Does the byte of the object say that a thread was created or has ended, or what it
    /// returned?
    pub fn is_signal(&self, object: u32, offset: u32) -> bool {
        let signals = [super::threads::CREATED, super::threads::ENDED, super::threads::RESULT];
        self.threads.contains(&object) && signals.contains(&offset)
    }

    pub fn of(program: &Program) -> Objects {
        let shift = if program.pointer_bytes == 8 { 32 } else { 16 };
        let mut objects = Objects {
            all: Vec::new(),
            interned: FxHashMap::default(),
            threads: FxHashSet::default(),
            slots: vec![u32::MAX; if program.pointer_bytes == 8 { FIRST_STATIC } else { 1 }],
            shift,
            globals: Vec::new(),
            functions: Vec::new(),
        };
        for at in 0..program.functions.len() as u32 {
            let name = program.function(FuncId(at)).display_name().to_string();
            let id = objects.add(Object {
                base: 0,
                bytes: 1,
                kind: Kind::Function(FuncId(at)),
                owner: 0,
                constant: true,
                contents: Contents::Zero,
                undefined: true,
                name,
            });
            objects.functions.push(id);
        }
        for (at, global) in program.globals.iter().enumerate() {
            let id = (!global.thread_local).then(|| {
                objects.add(Object {
                    base: 0,
                    bytes: global.bytes,
                    kind: Kind::Global(GlobalId(at as u32)),
                    owner: 0,
                    constant: global.constant,
                    contents: Contents::Zero,
                    undefined: global.init.is_none(),
                    name: global.source_name.as_ref().unwrap_or(&global.name).clone(),
                })
            });
            objects.globals.push(id);
        }
        for at in 0..program.globals.len() {
            if let Some(id) = objects.globals[at]
                && let Some(data) = objects.initial_bytes(program, GlobalId(at as u32))
            {
                objects.all[id as usize].contents = Contents::Bytes(data);
            }
        }
        objects
    }

    /// The bytes a global starts with, addresses patched in.
    pub fn initial_bytes(&self, program: &Program, global: GlobalId) -> Option<Vec<u8>> {
        let global = program.global(global);
        let init = global.init.as_ref()?;
        let mut data = init.bytes.clone();
        data.resize(global.bytes as usize, 0);
        let width = usize::from(program.pointer_bytes);
        for relocation in &init.relocations {
            let base = match relocation.symbol {
                Symbol::Global(id) => self.globals[id.0 as usize].map_or(0, |id| self.base(id)),
                Symbol::Function(id) => self.base(self.functions[id.0 as usize]),
            };
            let address = base.wrapping_add(relocation.addend as u64).to_le_bytes();
            let at = relocation.offset as usize;
            if at + width <= data.len() {
                data[at..at + width].copy_from_slice(&address[..width]);
            }
        }
        Some(data)
    }

    /// The most that the object can have.
    pub fn bytes(&self, id: u32) -> u64 {
        self.all[id as usize].bytes
    }

    pub fn base(&self, id: u32) -> u64 {
        self.all[id as usize].base
    }

    fn add(&mut self, mut object: Object) -> u32 {
        let id = self.all.len() as u32;
        let guard = 1u64 << (self.shift / 2);
        let slots = ((object.bytes + guard) >> self.shift) + 1;
        object.base = (self.slots.len() as u64) << self.shift;
        self.slots.extend(std::iter::repeat_n(id, slots as usize));
        self.all.push(object);
        id
    }

    /// The object of an allocation; it may have grown since the last unfolding.
    pub fn intern(&mut self, identity: Identity, object: Object) -> u32 {
        if let Some(&id) = self.interned.get(&identity) {
            let known = &mut self.all[id as usize];
            known.bytes = known.bytes.max(object.bytes);
            return id;
        }
        let id = self.add(object);
        if matches!(identity, Identity::Thread(_)) {
            self.threads.insert(id);
        }
        self.interned.insert(identity, id);
        id
    }

    /// The object that an address was made from.
    pub fn at(&self, addr: u64) -> Option<u32> {
        let slot = usize::try_from(addr >> self.shift).ok()?;
        self.slots.get(slot).copied().filter(|&id| id != u32::MAX)
    }

    /// Offset of an address in its object; negative ones come out huge.
    pub fn offset(&self, id: u32, addr: u64) -> u64 {
        addr.wrapping_sub(self.base(id))
    }
}
