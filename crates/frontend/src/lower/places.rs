//! Places: the source expression behind an address, read off the LLVM values that
//! compute it and the debug types of the variables they start from.
//!
//! A place is for people. Where debug info does not tell, it is absent or short
//! (`table[…]`), never wrong about the variable it starts from.

use std::rc::Rc;

use heddle_ir::{DebugType, DebugTypeId, Place, PlaceId, Symbol};

use super::function::FunctionLowering;
use crate::constants::{Folded, GepParts};
use crate::llvm::{Opcode, Type, Value, ValueKind};

/// An object in memory as the source names it.
#[derive(Clone, Debug)]
pub(super) struct Lvalue {
    text: String,
    ty: Option<DebugTypeId>,
    /// For `*p`: the text of `p`, so that its field is `p->f` and not `(*p).f`.
    pointer: Option<String>,
}

/// An offset into an lvalue that is yet to be named.
struct Path<'m> {
    offset: i64,
    scales: Vec<(Value<'m>, i64)>,
    /// How many fields and elements the `getelementptr` goes through at least, to
    /// tell a struct from its first field.
    levels: u32,
}

/// Longest chain of pointers that is followed (`a->b->c->…`).
const MAX_DEPTH: u32 = 16;

impl<'m> FunctionLowering<'_, 'm> {
    /// The place of an access of type `ty`.
    pub(super) fn place(&mut self, address: Value<'m>, ty: Type<'m>) -> Option<PlaceId> {
        let bytes = self.cx.layout.size(ty);
        if let Some(&known) = self.places.get(&(address, bytes)) {
            return known;
        }
        let found = self.lvalue(address, 0).map(|whole| {
            let part = self.narrow((*whole).clone(), bytes);
            self.cx.intern(part)
        });
        self.places.insert((address, bytes), found);
        found
    }

    /// What a pointer that is passed to `function` points to.
    pub(super) fn place_of_argument(
        &mut self,
        address: Value<'m>,
        function: &str,
    ) -> Option<PlaceId> {
        let mut lvalue = (*self.lvalue(address, 0)?).clone();
        if let Some(wanted) = object_of(function) {
            lvalue = self.find_record(lvalue, wanted);
        }
        Some(self.cx.intern(lvalue))
    }

    fn lvalue(&mut self, address: Value<'m>, depth: u32) -> Option<Rc<Lvalue>> {
        if let Some(known) = self.lvalues.get(&address) {
            return known.clone();
        }
        if depth > MAX_DEPTH {
            return None;
        }
        let found = self.find_lvalue(address, depth).map(Rc::new);
        self.lvalues.insert(address, found.clone());
        found
    }

    fn find_lvalue(&mut self, address: Value<'m>, depth: u32) -> Option<Lvalue> {
        match address.kind() {
            ValueKind::LLVMGlobalVariableValueKind | ValueKind::LLVMConstantExprValueKind => {
                let (id, offset) = match self.cx.constants.fold(address) {
                    Folded::Address(Symbol::Global(id), offset)
                    | Folded::ThreadLocal(id, offset) => (id, offset),
                    _ => return None,
                };
                let global = self.cx.program.global(id);
                // Without debug info it is a string literal or compiler-made.
                let ty = Some(global.ty?);
                let text = global.source_name.as_ref().unwrap_or(&global.name).clone();
                let path = Path { offset, scales: Vec::new(), levels: 0 };
                Some(self.resolve(Lvalue { text, ty, pointer: None }, path, depth))
            }
            ValueKind::LLVMInstructionValueKind => match address.opcode() {
                Opcode::LLVMAlloca => {
                    let variable = self.variables.get(&address)?;
                    Some(Lvalue { text: variable.name.clone(), ty: variable.ty, pointer: None })
                }
                Opcode::LLVMGetElementPtr if !self.variables.contains_key(&address) => {
                    let GepParts { base, offset, scales, .. } =
                        self.cx.constants.gep(address).ok()?;
                    let whole = self.lvalue(base, depth + 1)?;
                    let levels = address.operand_count().saturating_sub(2);
                    Some(self.resolve((*whole).clone(), Path { offset, scales, levels }, depth))
                }
                Opcode::LLVMCall if address.called_value().is_intrinsic() => {
                    let name = address.called_value().name();
                    if !name.starts_with("llvm.threadlocal.address") {
                        return None;
                    }
                    self.lvalue(address.operand(0), depth + 1).map(|found| (*found).clone())
                }
                _ => self.dereference(address, depth),
            },
            ValueKind::LLVMArgumentValueKind => self.dereference(address, depth),
            _ => None,
        }
    }

    /// `*p` for a pointer that has an expression of its own.
    fn dereference(&mut self, pointer: Value<'m>, depth: u32) -> Option<Lvalue> {
        let (text, ty) = self.expression(pointer, depth)?;
        let to = ty.and_then(|ty| match self.cx.debug.types.get(ty) {
            DebugType::Pointer { to } => *to,
            _ => None,
        });
        Some(Lvalue { text: format!("*{text}"), ty: to, pointer: Some(text) })
    }

    /// The source expression of a value.
    fn expression(
        &mut self,
        value: Value<'m>,
        depth: u32,
    ) -> Option<(String, Option<DebugTypeId>)> {
        if let Some(variable) = self.variables.get(&value) {
            return Some((variable.name.clone(), variable.ty));
        }
        if value.kind() != ValueKind::LLVMInstructionValueKind || depth > MAX_DEPTH {
            return None;
        }
        match value.opcode() {
            Opcode::LLVMLoad => {
                let bytes = self.cx.layout.size(value.ty());
                let whole = self.lvalue(value.operand(0), depth + 1)?;
                let part = self.narrow((*whole).clone(), bytes);
                Some((part.text, part.ty))
            }
            Opcode::LLVMSExt | Opcode::LLVMZExt | Opcode::LLVMIntToPtr | Opcode::LLVMPtrToInt => {
                self.expression(value.operand(0), depth + 1)
            }
            _ => None,
        }
    }

    /// How an index is written; `…` when it has no short expression.
    fn index_text(&mut self, index: Value<'m>, depth: u32) -> String {
        let known = |value: Value<'m>| value.kind() == ValueKind::LLVMConstantIntValueKind;
        if let Some((text, _)) = self.expression(index, depth + 1) {
            return text;
        }
        if index.kind() == ValueKind::LLVMInstructionValueKind {
            match index.opcode() {
                Opcode::LLVMSExt | Opcode::LLVMZExt if depth < MAX_DEPTH => {
                    return self.index_text(index.operand(0), depth + 1);
                }
                Opcode::LLVMAdd | Opcode::LLVMSub if known(index.operand(1)) => {
                    let sign = if index.opcode() == Opcode::LLVMAdd { 1 } else { -1 };
                    let by = index.operand(1).signed().wrapping_mul(sign);
                    if let Some((text, _)) = self.expression(index.operand(0), depth + 1) {
                        return format!("{text}{by:+}");
                    }
                }
                _ => {}
            }
        }
        "…".to_owned()
    }

    /// Names the part of `lvalue` that `path` leads to.
    fn resolve(&mut self, mut lvalue: Lvalue, mut path: Path<'m>, depth: u32) -> Lvalue {
        self.index_pointer(&mut lvalue, &mut path, depth);
        while path.offset != 0 || !path.scales.is_empty() || path.levels > 0 {
            if !self.step(&mut lvalue, &mut path, depth) {
                let elsewhere = path.offset != 0 || !path.scales.is_empty();
                if elsewhere {
                    lvalue.text = match lvalue.pointer.take() {
                        Some(pointer) => format!("{pointer}[…]"),
                        None => format!("{}[…]", lvalue.text),
                    };
                    lvalue.ty = None;
                }
                break;
            }
        }
        lvalue
    }

    /// `*p` plus a multiple of its size is `p[k]`.
    fn index_pointer(&mut self, lvalue: &mut Lvalue, path: &mut Path<'m>, depth: u32) {
        let pointer_bytes = self.cx.program.pointer_bytes;
        let (Some(pointer), Some(ty)) = (lvalue.pointer.clone(), lvalue.ty) else { return };
        let size = match self.cx.debug.types.bytes(ty, pointer_bytes) {
            Some(size) if size > 0 => size.cast_signed(),
            _ => return,
        };
        let at = path.scales.iter().position(|&(_, bytes)| bytes == size);
        let constant = path.offset.div_euclid(size);
        path.offset = path.offset.rem_euclid(size);
        let index = at.map(|at| path.scales.remove(at).0);
        if index.is_none() && constant == 0 {
            return;
        }
        let index = self.sum(index, constant, depth);
        *lvalue = Lvalue { text: format!("{pointer}[{index}]"), ty: Some(ty), pointer: None };
    }

    fn sum(&mut self, index: Option<Value<'m>>, constant: i64, depth: u32) -> String {
        match (index, constant) {
            (None, constant) => constant.to_string(),
            (Some(index), 0) => self.index_text(index, depth),
            (Some(index), constant) => format!("{}{constant:+}", self.index_text(index, depth)),
        }
    }

    /// Goes one field or element down. `false` when the type does not say how.
    fn step(&mut self, lvalue: &mut Lvalue, path: &mut Path<'m>, depth: u32) -> bool {
        let Some(ty) = lvalue.ty else { return false };
        match self.cx.debug.types.get(ty) {
            DebugType::Record { .. } => {
                let Ok(offset) = u64::try_from(path.offset) else { return false };
                let Some(start) = self.descend(lvalue, offset, None) else { return false };
                path.offset -= start.cast_signed();
            }
            &DebugType::Array { element, stride, .. } if stride > 0 => {
                let stride = stride.cast_signed();
                let at = path.scales.iter().position(|&(_, bytes)| bytes == stride);
                let index = at.map(|at| path.scales.remove(at).0);
                let constant = path.offset.div_euclid(stride);
                path.offset = path.offset.rem_euclid(stride);
                let index = self.sum(index, constant, depth);
                lvalue.text = format!("{}[{index}]", subject(lvalue));
                lvalue.ty = Some(element);
                lvalue.pointer = None;
            }
            _ => return false,
        }
        path.levels = path.levels.saturating_sub(1);
        true
    }

    /// Makes `lvalue` its member at a byte offset, and returns where that starts. Of
    /// several members there (a union), one of `bytes` is preferred.
    fn descend(&self, lvalue: &mut Lvalue, offset: u64, bytes: Option<u64>) -> Option<u64> {
        let DebugType::Record { members, .. } = self.cx.debug.types.get(lvalue.ty?) else {
            return None;
        };
        let inside = members.iter().filter(|member| {
            let end = (member.bit_offset + member.bits).div_ceil(8);
            (member.bit_offset / 8..end).contains(&offset)
        });
        let member = match bytes {
            None => inside.clone().next()?,
            Some(bytes) => inside
                .clone()
                .find(|member| member.bits == bytes * 8)
                .or_else(|| inside.clone().find(|member| member.bits >= bytes * 8))?,
        };
        let (name, start, ty) = (member.name.clone(), member.bit_offset / 8, member.ty);
        // The members of an anonymous struct or union belong to the outer one.
        if !name.is_empty() {
            lvalue.text = match lvalue.pointer.take() {
                Some(pointer) => format!("{pointer}->{name}"),
                None => format!("{}.{name}", lvalue.text),
            };
        }
        lvalue.ty = Some(ty);
        Some(start)
    }

    /// The scalar of `bytes` at the start of an lvalue.
    fn narrow(&self, mut lvalue: Lvalue, bytes: u64) -> Lvalue {
        while let Some(ty) = lvalue.ty {
            match *self.cx.debug.types.get(ty) {
                DebugType::Record { .. } => {
                    if self.descend(&mut lvalue, 0, Some(bytes)).is_none() {
                        break;
                    }
                }
                DebugType::Array { element, stride, .. } if stride >= bytes => {
                    let text = format!("{}[0]", subject(&lvalue));
                    lvalue = Lvalue { text, ty: Some(element), pointer: None };
                }
                _ => break,
            }
        }
        lvalue
    }

    /// Follows first members to a record of the given type name, if there is one.
    fn find_record(&self, lvalue: Lvalue, wanted: &str) -> Lvalue {
        let mut inner = lvalue.clone();
        while let Some(ty) = inner.ty {
            match self.cx.debug.types.get(ty) {
                DebugType::Record { name, .. } if name == wanted => return inner,
                DebugType::Record { .. } => {
                    if self.descend(&mut inner, 0, None).is_none() {
                        break;
                    }
                }
                &DebugType::Array { element, .. } => {
                    let text = format!("{}[0]", subject(&inner));
                    inner = Lvalue { text, ty: Some(element), pointer: None };
                }
                _ => break,
            }
        }
        lvalue
    }
}

/// What an index is put behind: `(*p)[2]`, `table[2]`.
fn subject(lvalue: &Lvalue) -> String {
    if lvalue.pointer.is_some() { format!("({})", lvalue.text) } else { lvalue.text.clone() }
}

/// The type of object that a library function works on.
fn object_of(function: &str) -> Option<&'static str> {
    const OBJECTS: &[(&str, &str)] = &[
        ("pthread_mutex_", "pthread_mutex_t"),
        ("pthread_cond_", "pthread_cond_t"),
        ("pthread_rwlock_", "pthread_rwlock_t"),
        ("pthread_barrier_", "pthread_barrier_t"),
        ("sem_", "sem_t"),
    ];
    OBJECTS.iter().find(|(prefix, _)| function.starts_with(prefix)).map(|&(_, object)| object)
}

impl super::Lowering<'_> {
    fn intern(&mut self, lvalue: Lvalue) -> PlaceId {
        let place = Place { text: lvalue.text, ty: lvalue.ty };
        if let Some(&known) = self.place_ids.get(&place) {
            return known;
        }
        let id = PlaceId(self.program.places.len() as u32);
        self.program.places.push(place.clone());
        self.place_ids.insert(place, id);
        id
    }
}
