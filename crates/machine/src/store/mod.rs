//! Memory as objects and offsets, with an undo log.
//!
//! An address is a *slot* number and an offset below `1 << shift`. Each object
//! owns one slot or several consecutive ones, with a guard after its end, so an
//! address always tells the object it was derived from, pointers survive a trip
//! through integers and bytes, and running off an object never lands in another.
//!
//! Object numbers are interned: the n-th allocation of a thread is the same
//! object in every execution. Allocations of different threads therefore commute
//! exactly, addresses included.

mod bytes;
mod changes;
mod pieces;
mod pointers;
mod turns;

pub(crate) mod needs;

use std::sync::Arc;

use heddle_ir::{DebugTypeId, FuncId, GlobalId, Span};
use rustc_hash::FxHashMap;

use heddle_semantics::{Holder, ObjectId, Partial, Site, ThreadId, ViolationKind};

use crate::names::{Names, ObjectName};
use crate::observers::guide::Known;
use crate::store::needs::{Need, Needs};
pub(crate) use crate::store::turns::LogPlace;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// Its number is reserved, but in this execution it does not exist (yet).
    Unborn,
    Live,
    Freed,
    /// A stack object whose function has returned.
    OutOfScope,
}

/// What an object is, for messages and traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    Global(GlobalId),
    ThreadLocal(GlobalId, ThreadId),
    Heap { span: Span, thread: ThreadId, nth: u32 },
    Stack { function: FuncId, name: Option<String>, ty: Option<DebugTypeId>, thread: ThreadId },
    Function(FuncId),
}

#[derive(Clone, Debug)]
pub struct Object {
    pub base: u64,
    pub bytes: u64,
    pub life: Life,
    /// Another thread may reach it. Only ever set by its owner.
    pub shared: bool,
    /// Another thread might reach it some time, as far as a guide knows.
    pub escapes: bool,
    /// The instruction that made it, if it was made as the program runs.
    pub made_at: Site,
    /// The same, as a guide numbers them.
    pub maker: Option<u32>,
    /// Never written after start.
    pub constant: bool,
    /// It was made before the first step, or stands where one was.
    pub steady: bool,
    /// Nothing that matters depends on its contents: what is written there is dropped.
    pub idle: bool,
    pub owner: ThreadId,
    pub origin: Origin,
    /// Programs may rely on that its address is a multiple of this.
    pub align: u64,
    /// The step that made it; 0 if it was put where it is.
    made_in: u64,
    /// Undefined bits are 0 here. Empty if it died in the step that made it.
    data: Vec<u8>,
    /// Which bits of each byte are undefined: never written, or copied from such. `None`:
    /// none is.
    undefined: Option<Vec<u8>>,
}

impl Object {
    /// As what it holds bits that were never written.
    pub fn holder(&self) -> Holder {
        match self.origin {
            Origin::Global(global) | Origin::ThreadLocal(global, _) => Holder::Global(global),
            _ => Holder::Made(self.made_at),
        }
    }

    /// As guides tell objects apart.
    pub fn known(&self) -> Known {
        match self.origin {
            Origin::Global(global) => Known::Global(global),
            Origin::ThreadLocal(global, _) => Known::ThreadLocal(global),
            _ => self.maker.map_or(Known::Given, Known::Made),
        }
    }
}

/// An address that can't be accessed, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadAddress {
    pub kind: ViolationKind,
    /// The object it points into or next to.
    pub object: Option<ObjectId>,
    pub offset: i64,
}

/// Where an address points: for messages and traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    pub origin: Origin,
    pub offset: i64,
    pub bytes: u64,
    pub life: Life,
}

#[derive(Clone, Debug)]
enum Undo {
    /// `len` bytes at `offset` held `old`.
    Bytes {
        object: u32,
        offset: u32,
        old: u64,
        len: u8,
    },
    /// These bits of `len` bytes at `offset` were undefined.
    Undefined {
        object: u32,
        offset: u32,
        old: u64,
        len: u8,
    },
    Life {
        object: u32,
        old: Life,
    },
    Shared {
        object: u32,
    },
}

/// The heap of a machine.
#[derive(Clone, Debug)]
pub struct Store {
    pub objects: Vec<Object>,
    /// Owner of each slot; slot 0 is the null page and belongs to nobody.
    slots: Vec<u32>,
    shift: u32,
    interned: FxHashMap<ObjectName, u32>,
    /// Numbers that several stores give out together.
    names: Option<Arc<Names>>,
    log: Vec<Undo>,
    /// What stands before this place of the log stays where it is: turns of loops begin there.
    turn: usize,
    /// Counts steps, also those that were taken back.
    step: u64,
    pub(crate) needs: Needs,
    /// No step has been taken yet.
    pub(crate) starting: bool,
    /// Bytes held by objects, for memory limits.
    pub allocated: u64,
}

const NO_OBJECT: u32 = u32::MAX;
/// Where the slots of objects begin that programs make as they run, with pointers of eight
/// bytes: below what real addresses have (47 bits), above what programs count to in the
/// upper half of a word, and not made of bytes that are small numbers or letters.
const FIRST_DYNAMIC: usize = 0x5c97;
/// Where those of globals and functions begin, likewise.
pub const FIRST_STATIC: usize = 0x1357;
/// So many slots more may belong to objects later.
const SOON: u64 = 1 << 20;
/// Addresses below this are null dereferences.
const NULL_PAGE: u64 = 4096;

impl Store {
    pub fn new(pointer_bytes: u8, names: Option<Arc<Names>>) -> Store {
        Store {
            objects: Vec::new(),
            slots: vec![NO_OBJECT; if pointer_bytes == 8 { FIRST_STATIC } else { 1 }],
            shift: if pointer_bytes == 8 { 32 } else { 16 },
            interned: FxHashMap::default(),
            names,
            log: Vec::new(),
            turn: 0,
            step: 1,
            needs: Needs::default(),
            starting: true,
            allocated: 0,
        }
    }

    /// How many slots an object of `bytes` takes, or `None` if it is too large
    /// for the modelled address space.
    fn slots_for(&self, bytes: u64) -> Option<u32> {
        let guard = 1u64 << (self.shift / 2);
        let slots = (bytes.checked_add(guard)? >> self.shift) + 1;
        let limit = if self.shift == 32 { 1 << 16 } else { 1u64 << (32 - self.shift) };
        (slots < limit).then_some(slots as u32)
    }

    /// Creates an object that is no thread's allocation (globals, functions).
    pub fn add_static(
        &mut self,
        bytes: u64,
        origin: Origin,
        constant: bool,
        data: Vec<u8>,
    ) -> Option<ObjectId> {
        let slots = self.slots_for(bytes)?;
        let id = self.reserve(slots)?;
        let object = &mut self.objects[id.0 as usize];
        *object = Object {
            base: object.base,
            bytes,
            life: Life::Live,
            shared: true,
            escapes: true,
            made_at: Site::default(),
            maker: None,
            constant,
            steady: true,
            idle: false,
            owner: ThreadId::MAIN,
            origin,
            align: 1,
            made_in: 0,
            data,
            undefined: None,
        };
        Some(id)
    }

    /// Sets the contents of a static object, before the start.
    pub fn fill_static(&mut self, base: u64, data: &[u8]) {
        if let Some(id) = self.owner_of(base) {
            self.objects[id as usize].data.copy_from_slice(data);
        }
    }

    fn reserve(&mut self, slots: u32) -> Option<ObjectId> {
        let limit = if self.shift == 32 { u32::MAX as usize } else { 1 << (32 - self.shift) };
        if self.slots.len() + slots as usize > limit {
            return None;
        }
        let id = self.objects.len() as u32;
        let base = (self.slots.len() as u64) << self.shift;
        self.slots.extend(std::iter::repeat_n(id, slots as usize));
        self.objects.push(Object {
            base,
            bytes: 0,
            life: Life::Unborn,
            shared: false,
            escapes: true,
            made_at: Site::default(),
            maker: None,
            constant: false,
            steady: false,
            idle: false,
            owner: ThreadId::MAIN,
            origin: Origin::Function(FuncId(0)),
            align: 1,
            made_in: 0,
            data: Vec::new(),
            undefined: None,
        });
        Some(ObjectId(id))
    }

    /// The `nth` allocation of `thread`. `None` when the address space is full.
    pub fn allocate(
        &mut self,
        thread: ThreadId,
        nth: u32,
        bytes: u64,
        origin: Origin,
        contents: Contents,
    ) -> Option<ObjectId> {
        let slots = self.slots_for(bytes)?;
        let key = (thread, nth, slots);
        let id = match self.interned.get(&key) {
            Some(&id) => ObjectId(id),
            None => {
                match self.names.clone() {
                    None => self.intern(key),
                    Some(names) => {
                        names.objects(self.interned.len(), Some(key), |key| self.intern(key));
                    }
                }
                ObjectId(*self.interned.get(&key)?)
            }
        };
        let object = &mut self.objects[id.0 as usize];
        debug_assert_eq!(object.life, Life::Unborn);
        self.log.push(Undo::Life { object: id.0, old: Life::Unborn });
        object.bytes = bytes;
        object.life = Life::Live;
        object.steady |= self.starting;
        object.shared = false;
        object.owner = thread;
        object.origin = origin;
        object.align = 1;
        object.made_in = self.step;
        object.data.clear();
        object.data.resize(bytes as usize, 0);
        match contents {
            Contents::Zero => object.undefined = None,
            Contents::Bytes(bytes) => {
                object.undefined = None;
                object.data[..bytes.len()].copy_from_slice(bytes);
            }
            Contents::Unwritten => {
                let mut bits = object.undefined.take().unwrap_or_default();
                bits.clear();
                bits.resize(bytes as usize, 0xff);
                object.undefined = Some(bits);
            }
        }
        self.allocated += bytes;
        Some(id)
    }

    /// Gives an allocation its address, as long as there are any.
    fn intern(&mut self, key: ObjectName) {
        if self.shift == 32 && self.slots.len() < FIRST_DYNAMIC {
            self.slots.resize(FIRST_DYNAMIC, NO_OBJECT);
        }
        if let Some(id) = self.reserve(key.2) {
            self.interned.insert(key, id.0);
        }
    }

    /// Learns of all objects that other stores have given numbers to.
    pub(crate) fn catch_up(&mut self) {
        if let Some(names) = self.names.clone() {
            names.objects(self.interned.len(), None, |key| self.intern(key));
        }
    }

    /// The first allocation of a thread, of about so many bytes, that does not exist.
    pub fn first_free(&self, thread: ThreadId, bytes: u64) -> u32 {
        let Some(slots) = self.slots_for(bytes) else { return 0 };
        let free = |nth: &u32| match self.interned.get(&(thread, *nth, slots)) {
            Some(&id) => self.look(id).life == Life::Unborn,
            None => {
                self.needs.note_others();
                true
            }
        };
        (0..).find(free).expect("numbers do not end")
    }

    /// The object that was made as the program runs, dead or alive, whose slot `addr`
    /// lies in, and the offset.
    #[inline]
    pub fn dynamic_at(&self, addr: u64) -> Option<(ObjectId, u64)> {
        if addr >> self.shift < FIRST_DYNAMIC as u64 {
            return None;
        }
        let id = self.owner_of(addr)?;
        Some((ObjectId(id), addr - self.objects[id as usize].base))
    }

    /// Did the program make it as it ran?
    pub fn is_dynamic(&self, id: ObjectId) -> bool {
        self.objects[id.0 as usize].base >> self.shift >= FIRST_DYNAMIC as u64
    }

    /// The object whose slot `addr` lies in, which is there.
    pub fn reserved_at(&self, addr: u64) -> ObjectId {
        ObjectId(self.owner_of(addr).expect("the address of an object"))
    }

    pub fn object(&self, id: ObjectId) -> &Object {
        self.look(id.0)
    }

    /// An object whose life, length and owner matter.
    #[inline]
    fn look(&self, id: u32) -> &Object {
        let object = &self.objects[id as usize];
        if self.needs.is_on() && self.is_dynamic(ObjectId(id)) {
            self.needs.note(Need::Object(ObjectId(id)));
        }
        object
    }

    /// The object that an address would lead to.
    #[inline]
    fn look_at(&self, addr: u64) -> Option<&Object> {
        let id = self.owner_of(addr);
        let slot = addr >> self.shift;
        if id.is_none() && slot >= FIRST_DYNAMIC as u64 && slot < self.slots.len() as u64 + SOON {
            self.needs.note_others();
        }
        id.map(|id| self.look(id))
    }

    /// Where an object is, whatever has become of it.
    pub fn base(&self, id: ObjectId) -> u64 {
        self.objects[id.0 as usize].base
    }

    /// The object whose slot `addr` lies in, whatever its state.
    #[inline]
    fn owner_of(&self, addr: u64) -> Option<u32> {
        let slot = (addr >> self.shift) as usize;
        match self.slots.get(slot) {
            Some(&id) if id != NO_OBJECT => Some(id),
            _ => None,
        }
    }

    /// Does it lie where an object was before the first step?
    pub fn is_steady(&self, addr: u64) -> bool {
        self.owner_of(addr).is_some_and(|id| self.objects[id as usize].steady)
    }

    /// The object that `addr` belongs to, dead or alive.
    pub fn object_at(&self, addr: u64) -> Option<ObjectId> {
        let lives = self.look_at(addr).is_some_and(|object| object.life != Life::Unborn);
        self.owner_of(addr).map(ObjectId).filter(|_| lives)
    }

    /// The object and offset of `len` accessible bytes at `addr`.
    #[inline]
    pub fn resolve(&self, addr: u64, len: u64) -> Result<(ObjectId, u32), BadAddress> {
        if let Some(id) = self.owner_of(addr) {
            let object = self.look(id);
            let offset = addr - object.base;
            if object.life == Life::Live && offset + len <= object.bytes {
                return Ok((ObjectId(id), offset as u32));
            }
        }
        Err(self.explain(addr))
    }

    /// Why `addr` can't be accessed.
    #[cold]
    fn explain(&self, addr: u64) -> BadAddress {
        // What stands beside it may get its number later.
        self.needs.note_others();
        let null =
            |offset| BadAddress { kind: ViolationKind::NullDereference, object: None, offset };
        if addr < NULL_PAGE {
            return null(addr as i64);
        }
        // An address in the upper half behind an object's end more likely comes
        // from running below the start of the next one.
        let half = 1u64 << (self.shift - 1);
        let next = self.owner_of(addr.wrapping_add(half)).filter(|&id| {
            let object = self.look(id);
            object.base > addr && object.life != Life::Unborn
        });
        if let Some(id) = next {
            let offset = addr.wrapping_sub(self.objects[id as usize].base) as i64;
            return BadAddress {
                kind: ViolationKind::OutOfBounds,
                object: Some(ObjectId(id)),
                offset,
            };
        }
        let Some(id) = self.owner_of(addr) else {
            if addr < 1 << self.shift {
                return null(addr as i64);
            }
            return BadAddress {
                kind: ViolationKind::OutOfBounds,
                object: None,
                offset: addr as i64,
            };
        };
        let object = self.look(id);
        let kind = match object.life {
            Life::Live | Life::Unborn => ViolationKind::OutOfBounds,
            Life::Freed | Life::OutOfScope => ViolationKind::UseAfterFree,
        };
        BadAddress { kind, object: Some(ObjectId(id)), offset: (addr - object.base) as i64 }
    }

    pub fn locate(&self, addr: u64) -> Option<Location> {
        let object = self.object(ObjectId(self.owner_of(addr)?));
        Some(Location {
            origin: object.origin.clone(),
            offset: (addr - object.base) as i64,
            bytes: object.bytes,
            life: object.life,
        })
    }

    /// Reads up to 8 bytes, little-endian.
    #[inline]
    pub fn read(&self, id: ObjectId, offset: u32, len: u32) -> u64 {
        if self.needs.is_on() && self.objects[id.0 as usize].changes() {
            self.needs.note(Need::Bytes { object: id, offset, len });
        }
        self.read_unnoted(id, offset, len)
    }

    /// Reads what no step depends on.
    #[inline]
    pub fn read_unnoted(&self, id: ObjectId, offset: u32, len: u32) -> u64 {
        let data = &self.objects[id.0 as usize].data[offset as usize..(offset + len) as usize];
        let mut bytes = [0u8; 8];
        bytes[..data.len()].copy_from_slice(data);
        u64::from_le_bytes(bytes)
    }

    /// Which bits of the `len` bytes are undefined.
    #[inline]
    pub fn undefined(&self, id: ObjectId, offset: u32, len: u32) -> u64 {
        if self.needs.is_on() && self.objects[id.0 as usize].changes() {
            self.needs.note(Need::Undefined { object: id, offset, len });
        }
        self.objects[id.0 as usize].undefined_bits(offset, len)
    }

    /// Are all of the `len` bytes defined?
    pub fn is_defined(&self, id: ObjectId, offset: u32, len: u32) -> bool {
        self.undefined(id, offset, len) == 0
    }

    /// Writes up to 8 bytes; tells whether anything changed.
    #[inline]
    pub fn write(&mut self, id: ObjectId, offset: u32, len: u32, value: u64) -> bool {
        self.write_partial(id, offset, len, Partial::from(value))
    }

    /// As [`Store::write`], with a value of which some bits may be undefined.
    pub fn write_partial(&mut self, id: ObjectId, offset: u32, len: u32, value: Partial) -> bool {
        if self.objects[id.0 as usize].idle {
            return false;
        }
        let undefined = heddle_semantics::mask(value.undefined, len * 8);
        let old = self.read_unnoted(id, offset, len);
        let old_undefined = self.objects[id.0 as usize].undefined_bits(offset, len);
        let same = old == value.bits && old_undefined == undefined;
        // Elsewhere it may make a difference.
        if same && !self.needs.is_on() {
            return false;
        }
        let (object, len) = (id.0, len as u8);
        if old_undefined != undefined {
            self.log.push(Undo::Undefined { object, offset, old: old_undefined, len });
            self.objects[id.0 as usize].put_undefined(offset, u32::from(len), undefined);
        }
        self.log.push(Undo::Bytes { object, offset, old, len });
        self.objects[id.0 as usize].put(offset, u32::from(len), value.bits);
        !same
    }

    /// Copies contents, defined or not, between two objects that no other
    /// thread reaches yet (for `realloc`).
    pub fn copy_object(&mut self, from: ObjectId, to: ObjectId) {
        let bytes = self.object(from).bytes.min(self.object(to).bytes) as u32;
        let mut offset = 0;
        while offset < bytes {
            let len = (bytes - offset).min(8);
            let (bits, undefined) =
                (self.read(from, offset, len), self.undefined(from, offset, len));
            self.write_partial(to, offset, len, Partial { bits, undefined });
            offset += len;
        }
    }

    /// Bytes of an object, for digests of final states.
    pub fn contents(&self, id: ObjectId) -> &[u8] {
        &self.objects[id.0 as usize].data
    }

    pub fn heap_bytes(&self) -> u64 {
        let objects = self.objects.len() * size_of::<Object>();
        let log = self.log.capacity() * size_of::<Undo>();
        self.allocated + objects as u64 + log as u64
    }
}

/// Initial contents of an allocation.
#[derive(Clone, Copy, Debug)]
pub enum Contents<'a> {
    Zero,
    Unwritten,
    /// Padded with zeros.
    Bytes(&'a [u8]),
}
