//! What is claimed at each place, in a form that runs can be compared with and people can
//! read.

use std::collections::BTreeMap;

use heddle_ir::{DebugType, DebugTypeId, GlobalId, Reg};

use super::Analysis;
use super::flow::Frame;
use super::objects::{CellId, Field, Kind, Object};
use super::state::{State, as_cell, cell_var};
use super::value::Value;
use crate::numeric::{Lattice, Word};
use crate::site::Site;

/// A register of the function, or part of a global: `count` times `bytes` bytes from `start`
/// on, at a distance of `stride`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Term {
    Register(Reg),
    Global { global: GlobalId, start: u64, bytes: u64, stride: u64, count: u64 },
}

/// What is claimed before an instruction is executed.
#[derive(Clone, Debug, Default)]
pub struct Claim {
    pub values: BTreeMap<Term, Word>,
    /// Those that are not null.
    pub pointers: BTreeMap<Term, ()>,
    /// Differences and sums.
    pub relations: BTreeMap<(Term, Term), (Word, Word)>,
    /// Names for people, of what has one.
    pub names: BTreeMap<Term, String>,
}

/// Claims by place. A place that is missing is never reached.
pub type Claims = BTreeMap<Site, Claim>;

impl Analysis<'_> {
    /// Notes what is known at the current place, if somebody wants to know.
    pub(super) fn claim(&mut self, frame: &Frame, state: &State) {
        if !self.recording || !self.noting || !self.options.claims {
            return;
        }
        let mut new = Claim::default();
        let function = self.program.function(frame.function);
        for reg in (0..function.regs.len() as u32).map(Reg) {
            let Some(value) = state.values.get(&frame.register(reg)) else { continue };
            let name = function.reg_names[reg.0 as usize].clone();
            new.add(Term::Register(reg), value, name);
        }
        for cell in (0..self.objects.cell_count()).map(CellId) {
            let Some(term) = self.term(frame, cell_var(cell)) else { continue };
            let value = self.read(state, cell);
            new.add(term, &value, Some(self.place(cell)));
        }
        for (x, y, difference, sum) in state.octagon.entries() {
            let (Some(x), Some(y)) = (self.term(frame, x), self.term(frame, y)) else { continue };
            if new.values.contains_key(&x) && new.values.contains_key(&y) {
                new.relations.insert((x, y), (difference, sum));
            }
        }
        match self.claims.get_mut(&self.at) {
            Some(known) => known.join(&new),
            None => {
                self.claims.insert(self.at, new);
            }
        }
    }

    fn term(&self, frame: &Frame, var: u32) -> Option<Term> {
        let Some(cell) = as_cell(var) else {
            let count = self.program.function(frame.function).regs.len() as u32;
            let reg = (var / 2).checked_sub(frame.base).filter(|reg| *reg < count)?;
            return Some(Term::Register(Reg(reg)));
        };
        let (id, Field { start, size, stride, count, kind }) = self.objects.cell(cell);
        match (self.objects.get(id), kind) {
            (Object::Global(global), Kind::Plain) => {
                Some(Term::Global { global, start, bytes: size, stride, count })
            }
            _ => None,
        }
    }

    /// A cell as people know it.
    pub(super) fn place(&self, cell: CellId) -> String {
        let (id, field) = self.objects.cell(cell);
        let (name, ty) = match self.objects.get(id) {
            Object::Global(global) | Object::Local(_, global) => {
                let global = self.program.global(global);
                (global.source_name.as_deref().unwrap_or(&global.name).to_string(), global.ty)
            }
            Object::Heap(_, site) => {
                let line = site.span(self.program).line;
                return format!("block of line {line} at {}", field.start);
            }
            Object::Stack(_, site) => match site.op(self.program) {
                Some(heddle_ir::Op::StackAlloc { name: Some(name), ty, .. }) => (name.clone(), *ty),
                _ => ("a variable".to_string(), None),
            },
            Object::Function(_) | Object::Thread(_) | Object::Latest(_) => {
                ("code".to_string(), None)
            }
        };
        let several = field.count > 1;
        format!("{name}{}", self.path_in(ty, field.start, several))
    }

    /// `.member[index]` for an offset in a type.
    fn path_in(&self, ty: Option<DebugTypeId>, offset: u64, several: bool) -> String {
        let Some(ty) = ty else {
            return if offset == 0 { String::new() } else { format!("+{offset}") };
        };
        match self.program.debug_type(ty) {
            DebugType::Array { element, stride, .. } if *stride > 0 => {
                let index = if several { "…".to_string() } else { (offset / stride).to_string() };
                format!("[{index}]{}", self.path_in(Some(*element), offset % stride, false))
            }
            DebugType::Record { members, .. } => {
                let bit = offset * 8;
                let inside = members.iter().find(|member| {
                    member.bit_offset <= bit && bit < member.bit_offset + member.bits.max(1)
                });
                inside.map_or(String::new(), |member| {
                    let rest = offset - member.bit_offset / 8;
                    format!(".{}{}", member.name, self.path_in(Some(member.ty), rest, several))
                })
            }
            _ => String::new(),
        }
    }
}

impl Claim {
    fn add(&mut self, term: Term, value: &Value, name: Option<String>) {
        match value {
            Value::Number(word) if !word.is_bottom() => {
                self.values.insert(term, *word);
            }
            Value::Pointer(pointer) if !pointer.null => {
                self.pointers.insert(term, ());
            }
            _ => return,
        }
        if let Some(name) = name {
            self.names.insert(term, name);
        }
    }

    fn join(&mut self, other: &Claim) {
        self.values.retain(|term, _| other.values.contains_key(term));
        for (term, word) in &mut self.values {
            let theirs = &other.values[term];
            *word = if word.width() == theirs.width() {
                word.join(theirs)
            } else {
                Word::top(word.width())
            };
        }
        self.pointers.retain(|term, ()| other.pointers.contains_key(term));
        self.relations.retain(|pair, _| other.relations.contains_key(pair));
        for (pair, (difference, sum)) in &mut self.relations {
            let theirs = &other.relations[pair];
            if difference.width() == theirs.0.width() {
                (*difference, *sum) = (difference.join(&theirs.0), sum.join(&theirs.1));
            }
        }
    }
}

/// A range for people: `in 0..7`.
pub fn range(word: &Word) -> String {
    let (low, high) = word.signed();
    match word.only() {
        Some(_) => format!("== {low}"),
        None if word.is_top() => "any".to_string(),
        None => format!("in {low}..{high}"),
    }
}
