//! Objects as an analysis sees them: one for each global and each place that
//! allocates.

use heddle_ir::{FuncId, GlobalId, Op, Operand, Program};
use rustc_hash::FxHashMap;

use crate::library::{Effect, effect};
use crate::site::Site;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// Stands for every object: a pointer made from a number.
    pub const WILD: ObjectId = ObjectId(0);
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Object {
    Wild,
    Global(GlobalId),
    /// Each thread's instance of a thread-local variable.
    ThreadLocal(GlobalId),
    Stack(Site),
    Heap(Site),
    Function(FuncId),
    /// What the arguments of `main` point to.
    Arguments,
}

/// Where in its object a pointer points: an offset, or anywhere.
pub type Offset = Option<i64>;

#[derive(Clone, Debug)]
pub struct Objects {
    all: Vec<Object>,
    numbers: FxHashMap<Object, ObjectId>,
}

impl Default for Objects {
    fn default() -> Objects {
        let mut objects = Objects { all: Vec::new(), numbers: FxHashMap::default() };
        objects.intern(Object::Wild);
        objects
    }
}

impl Objects {
    pub fn intern(&mut self, object: Object) -> ObjectId {
        *self.numbers.entry(object).or_insert_with(|| {
            self.all.push(object);
            ObjectId(self.all.len() as u32 - 1)
        })
    }

    pub fn find(&self, object: Object) -> Option<ObjectId> {
        self.numbers.get(&object).copied()
    }

    pub fn get(&self, id: ObjectId) -> Object {
        self.all[id.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub fn ids(&self) -> impl Iterator<Item = ObjectId> + use<> {
        (0..self.all.len() as u32).map(ObjectId)
    }
}

/// How many bytes an object has, where that is fixed.
pub fn bytes(program: &Program, object: Object) -> Option<u64> {
    match object {
        Object::Global(id) | Object::ThreadLocal(id) => {
            let global = program.global(id);
            global.init.is_some().then_some(global.bytes)
        }
        Object::Stack(site) => match site.op(program)? {
            Op::StackAlloc { bytes, count: Operand::Const(count), .. } => bytes.checked_mul(*count),
            _ => None,
        },
        Object::Heap(site) => heap_bytes(program, site),
        Object::Wild | Object::Function(_) | Object::Arguments => None,
    }
}

/// Larger blocks may not be had.
const LARGEST: u64 = 1 << 30;

fn heap_bytes(program: &Program, site: Site) -> Option<u64> {
    let Op::Call { callee: heddle_ir::Callee::Direct(callee), args, .. } = site.op(program)? else {
        return None;
    };
    let Effect::Allocate { bytes, times } = effect(program, *callee)? else { return None };
    let number = |at: usize| match args.get(at) {
        Some(Operand::Const(value)) => Some(*value),
        _ => None,
    };
    let times = times.map_or(Some(1), number)?;
    number(bytes)?.checked_mul(times).filter(|&all| all <= LARGEST)
}
