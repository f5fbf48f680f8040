//! Names for addresses: `counter`, `accounts[2].balance`, `node->next`,
//! `heap#2+8`.

use std::cell::RefCell;

use heddle_ir::{DebugType, DebugTypeId, Member, Place, Program, Span};
use heddle_machine::{Location, Origin};
use heddle_semantics::ThreadId;

/// What a range of memory is called, and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub text: String,
    pub content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Unknown,
    Typed(DebugTypeId),
    /// Bit-fields that share the accessed bytes; offsets from their first bit.
    BitFields(Vec<Member>),
}

/// Gives names. Heap objects are numbered in the order in which they are first
/// mentioned.
pub(crate) struct Names<'p> {
    program: &'p Program,
    heap: RefCell<Vec<HeapObject>>,
}

/// A heap object that was mentioned: which it is, and where it was allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeapObject {
    thread: ThreadId,
    nth: u32,
    pub allocated: Span,
}

impl<'p> Names<'p> {
    pub fn new(program: &'p Program) -> Names<'p> {
        Names { program, heap: RefCell::default() }
    }

    /// Heap objects mentioned so far; the first is `heap#1`.
    pub fn heap_objects(&self) -> Vec<HeapObject> {
        self.heap.borrow().clone()
    }

    /// Names `bytes` bytes at `location` as `viewer` would. `place` is the source
    /// expression of the access: the best name for heap memory, which has no other.
    pub fn name(
        &self,
        location: &Location,
        bytes: u32,
        viewer: ThreadId,
        place: Option<&Place>,
    ) -> Named {
        if let (Origin::Heap { .. }, Some(place)) = (&location.origin, place) {
            let content = place.ty.map_or(Content::Unknown, Content::Typed);
            return Named { text: place.text.clone(), content };
        }
        let (base, ty) = self.root(&location.origin, viewer);
        let Some(ty) = ty.filter(|_| location.offset >= 0) else {
            let content = place.and_then(|p| p.ty).map_or(Content::Unknown, Content::Typed);
            return Named { text: with_offset(base, location.offset), content };
        };
        descend(self.program, base, ty, location.offset as u64, u64::from(bytes))
    }

    /// `&counter`, `heap#2`, `deposit`: an address as a value.
    pub fn pointer(&self, location: &Location, viewer: ThreadId) -> String {
        let (base, ty) = self.root(&location.origin, viewer);
        match (&location.origin, ty) {
            (Origin::Function(_), _) => base,
            (Origin::Heap { .. }, _) => with_offset(base, location.offset),
            (_, Some(ty)) if location.offset > 0 && (location.offset as u64) < location.bytes => {
                let named = descend(self.program, base, ty, location.offset as u64, 1);
                format!("&{}", named.text)
            }
            _ => with_offset(format!("&{base}"), location.offset),
        }
    }

    /// The object itself. A variable of another thread says whose it is.
    fn root(&self, origin: &Origin, viewer: ThreadId) -> (String, Option<DebugTypeId>) {
        let owned = |name: &str, owner: ThreadId| {
            if owner == viewer { name.to_string() } else { format!("{name}@{owner}") }
        };
        match origin {
            Origin::Global(id) => {
                let global = self.program.global(*id);
                (global.source_name.as_ref().unwrap_or(&global.name).clone(), global.ty)
            }
            Origin::ThreadLocal(id, owner) => {
                let global = self.program.global(*id);
                (owned(global.source_name.as_ref().unwrap_or(&global.name), *owner), global.ty)
            }
            Origin::Heap { thread, nth, span } => {
                let object = HeapObject { thread: *thread, nth: *nth, allocated: *span };
                (format!("heap#{}", self.number(object)), None)
            }
            Origin::Stack { name, ty, thread, .. } => {
                (owned(name.as_deref().unwrap_or("(unnamed)"), *thread), *ty)
            }
            Origin::Function(id) => (self.program.function(*id).display_name().to_string(), None),
        }
    }

    fn number(&self, object: HeapObject) -> usize {
        let mut heap = self.heap.borrow_mut();
        let known = heap.iter().position(|known| *known == object);
        1 + known.unwrap_or_else(|| {
            heap.push(object);
            heap.len() - 1
        })
    }
}

fn with_offset(base: String, offset: i64) -> String {
    match offset {
        0 => base,
        offset => format!("{base}{offset:+}"),
    }
}

/// Follows members and indices to the smallest part that covers the access.
fn descend(
    program: &Program,
    mut text: String,
    mut ty: DebugTypeId,
    mut offset: u64,
    bytes: u64,
) -> Named {
    loop {
        let whole = offset == 0 && size_of(program, ty) <= bytes;
        match program.debug_type(ty) {
            DebugType::Array { element, stride, count } if *stride > 0 => {
                let index = offset / stride;
                if index >= (*count).max(1) && *count > 0 {
                    break;
                }
                if whole && *count > 1 {
                    break;
                }
                text = format!("{text}[{index}]");
                offset -= index * stride;
                ty = *element;
            }
            DebugType::Record { members, .. } => {
                match part(program, members, offset, bytes) {
                    // The insides of a library type, such as a mutex.
                    Part::Member(member) if member.name.starts_with("__") => break,
                    Part::Member(member) => {
                        // What a class of the C++ library wraps, such as an atomic.
                        let wrapped = member.name.starts_with("_M_")
                            && member.bits == size_of(program, ty) * 8;
                        if !wrapped {
                            text = format!("{text}{}", dotted(&member.name));
                        }
                        offset -= member.bit_offset / 8;
                        ty = member.ty;
                    }
                    Part::BitFields(fields) => {
                        let names: Vec<&str> = fields.iter().map(|m| m.name.as_str()).collect();
                        let list = names.join(",");
                        let path = if names.len() == 1 { list } else { format!("{{{list}}}") };
                        return Named {
                            text: format!("{text}.{path}"),
                            content: Content::BitFields(fields),
                        };
                    }
                    Part::None => break,
                }
            }
            _ => {
                let content = if offset == 0 { Content::Typed(ty) } else { Content::Unknown };
                return Named { text: with_offset(text, offset as i64), content };
            }
        }
    }
    let content = if offset == 0 { Content::Typed(ty) } else { Content::Unknown };
    Named { text: with_offset(text, offset as i64), content }
}

/// An anonymous struct or union adds nothing to the path.
fn dotted(name: &str) -> String {
    if name.is_empty() { String::new() } else { format!(".{name}") }
}

enum Part<'a> {
    Member(&'a Member),
    BitFields(Vec<Member>),
    None,
}

fn part<'a>(program: &Program, members: &'a [Member], offset: u64, bytes: u64) -> Part<'a> {
    let (first, end) = (offset * 8, (offset + bytes) * 8);
    let is_bit_field =
        |m: &Member| !m.bit_offset.is_multiple_of(8) || m.bits < size_of(program, m.ty) * 8;
    let covering = members
        .iter()
        .filter(|m| !is_bit_field(m) && m.bit_offset <= first && first < m.bit_offset + m.bits);
    // In a union, the view of just this size is the likeliest.
    if let Some(member) = covering.min_by_key(|m| m.bits.abs_diff(bytes * 8)) {
        return Part::Member(member);
    }
    let fields: Vec<Member> = members
        .iter()
        .filter(|m| is_bit_field(m) && m.bit_offset < end && first < m.bit_offset + m.bits)
        .filter(|m| m.bit_offset >= first)
        .map(|m| Member { bit_offset: m.bit_offset - first, ..m.clone() })
        .collect();
    if fields.is_empty() { Part::None } else { Part::BitFields(fields) }
}

pub(crate) fn size_of(program: &Program, ty: DebugTypeId) -> u64 {
    match program.debug_type(ty) {
        DebugType::Unsigned { bytes }
        | DebugType::Signed { bytes }
        | DebugType::Float { bytes }
        | DebugType::Enum { bytes, .. } => u64::from(*bytes),
        DebugType::Bool | DebugType::Char => 1,
        DebugType::Pointer { .. } => u64::from(program.pointer_bytes),
        DebugType::Array { stride, count, .. } => stride * count,
        DebugType::Record { bytes, .. } => *bytes,
        DebugType::Opaque => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use heddle_ir::{FuncId, Global, GlobalId};
    use heddle_machine::Life;

    fn member(name: &str, bit_offset: u64, bits: u64, ty: u32) -> Member {
        Member { name: name.into(), bit_offset, bits, ty: DebugTypeId(ty) }
    }

    /// `struct account { int id; long balance[3]; unsigned open:1, locked:1; } acc[2]`
    fn program() -> Program {
        let account = DebugType::Record {
            name: "account".into(),
            bytes: 40,
            members: vec![
                member("id", 0, 32, 0),
                member("balance", 64, 192, 2),
                member("open", 256, 1, 4),
                member("locked", 257, 1, 4),
            ],
        };
        let debug_types = vec![
            DebugType::Signed { bytes: 4 },
            DebugType::Signed { bytes: 8 },
            DebugType::Array { element: DebugTypeId(1), stride: 8, count: 3 },
            account,
            DebugType::Unsigned { bytes: 4 },
            DebugType::Array { element: DebugTypeId(3), stride: 40, count: 2 },
        ];
        let acc = Global {
            name: "acc".into(),
            source_name: None,
            bytes: 80,
            align: 8,
            constant: false,
            thread_local: false,
            init: None,
            ty: Some(DebugTypeId(5)),
            span: Span::UNKNOWN,
        };
        Program { globals: vec![acc], debug_types, pointer_bytes: 8, ..Program::default() }
    }

    fn at(origin: Origin, offset: i64) -> Location {
        Location { origin, offset, bytes: 80, life: Life::Live }
    }

    fn global(offset: i64, bytes: u32) -> String {
        let location = at(Origin::Global(GlobalId(0)), offset);
        Names::new(&program()).name(&location, bytes, ThreadId::MAIN, None).text
    }

    #[test]
    fn members_and_indices() {
        assert_eq!(global(0, 4), "acc[0].id");
        assert_eq!(global(40 + 8 + 16, 8), "acc[1].balance[2]");
        assert_eq!(global(32, 1), "acc[0].{open,locked}");
        assert_eq!(global(2, 1), "acc[0].id+2");
        assert_eq!(global(4, 1), "acc[0]+4");
        assert_eq!(global(400, 4), "acc+400");
        assert_eq!(global(-4, 4), "acc-4");
    }

    #[test]
    fn heap_memory_is_called_by_the_expression() {
        let heap = Origin::Heap { span: Span::UNKNOWN, thread: ThreadId(2), nth: 0 };
        let place = Place { text: "node->next".into(), ty: None };
        let program = program();
        let names = Names::new(&program);
        let named = |place| names.name(&at(heap.clone(), 8), 8, ThreadId::MAIN, place).text;
        assert_eq!(named(Some(&place)), "node->next");
        assert_eq!(named(None), "heap#1+8");
    }

    #[test]
    fn a_local_of_another_thread_says_whose() {
        let local = Origin::Stack {
            function: FuncId(0),
            name: Some("i".into()),
            ty: Some(DebugTypeId(0)),
            thread: ThreadId(1),
        };
        let program = program();
        let names = Names::new(&program);
        let seen_by = |viewer| names.name(&at(local.clone(), 0), 4, viewer, None).text;
        assert_eq!(seen_by(ThreadId(1)), "i");
        assert_eq!(seen_by(ThreadId(0)), "i@T1");
    }

    #[test]
    fn pointers() {
        let program = program();
        let names = Names::new(&program);
        let at = |offset| at(Origin::Global(GlobalId(0)), offset);
        let to = |offset| names.pointer(&at(offset), ThreadId::MAIN);
        assert_eq!(to(0), "&acc");
        assert_eq!(to(48), "&acc[1].balance[0]");
        assert_eq!(to(80), "&acc+80");
    }
}
