//! Which object an address is of, as far as its text tells: the same name in two places
//! of a function, one after the other, means the same object.

use heddle_ir::{Cast, FuncId, Function, GlobalId, Op, Operand, Program, Reg};

use crate::site::Site;

/// Definitions that are followed.
const MOST: u32 = 32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    Global(GlobalId),
    Param(usize),
    Stack(Reg),
    /// Any other value.
    Value(Reg),
}

/// A place that is reached from `root` by adding the first offset, loading from there,
/// adding the second one, and so on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    root: Root,
    path: Vec<i64>,
}

impl Key {
    pub fn of(program: &Program, function: FuncId, operand: Operand) -> Option<Key> {
        resolve(program.function(function), operand, MOST)
    }

    /// The same place, named where the function is called.
    pub fn in_caller(&self, program: &Program, call: Site) -> Option<Key> {
        let Root::Param(nth) = self.root else {
            return matches!(self.root, Root::Global(_)).then(|| self.clone());
        };
        let Some(Op::Call { args, .. }) = call.op(program) else { return None };
        let mut key = Key::of(program, call.function, *args.get(nth)?)?;
        let (first, rest) = self.path.split_first()?;
        *key.path.last_mut()? += first;
        key.path.extend(rest);
        Some(key)
    }

    /// What is found at this place.
    pub fn content(mut self) -> Key {
        self.path.push(0);
        self
    }

    /// What is loaded on the way could be another thing each time, unless it stands in a
    /// variable of the function itself.
    pub fn is_fixed(&self) -> bool {
        self.path.len() == 1 || matches!(self.root, Root::Stack(_))
    }
}

fn resolve(function: &Function, operand: Operand, left: u32) -> Option<Key> {
    let root = |root| Some(Key { root, path: vec![0] });
    let reg = match operand {
        Operand::Global(id, offset) => {
            return Some(Key { root: Root::Global(id), path: vec![offset] });
        }
        Operand::Reg(reg) => reg,
        Operand::Const(_) | Operand::Function(_) => return None,
    };
    if let Some(nth) = function.params.iter().position(|&param| param == reg) {
        return root(Root::Param(nth));
    }
    let mut insts = function.blocks.iter().flat_map(|block| &block.insts);
    let definition = insts.find(|inst| inst.op.destinations().contains(&reg));
    let left = left.checked_sub(1)?;
    match definition.map(|inst| &inst.op) {
        Some(Op::StackAlloc { .. }) => root(Root::Stack(reg)),
        Some(Op::PtrAdd { base, offset, scales, .. }) if scales.is_empty() => {
            let mut key = resolve(function, *base, left)?;
            *key.path.last_mut()? += offset;
            Some(key)
        }
        Some(Op::Copy { a, .. } | Op::Cast { op: Cast::Bits, a, .. }) => {
            resolve(function, *a, left)
        }
        Some(Op::Load { addr, .. }) => resolve(function, *addr, left).map(Key::content),
        _ => root(Root::Value(reg)),
    }
}
